//! Judging many records of collectives.
//!
//! The scalar functions are the truth. Most records have nothing to say, which a few masked comparisons without a branch
//! tell; only the others are asked for their findings.

use std::collections::BTreeMap;

use trnwire::block::Block;
use trnwire::cc_op::CcOp;
use trnwire::check::{Finding, Rule, Severity};
use trnwire::mesh::MeshEvent;
use trnwire::ring::{Neighbor, Place, RingChannel};
use zerocopy::IntoBytes;

use crate::ahead::fetch_ahead;

/// Positions that are kept per id.
const FIRST: usize = 8;

/// Memory is asked for so far ahead, in bytes.
const AHEAD: usize = 2048;

/// How often something occurred, and where first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordTally {
    /// How often.
    pub count: u64,
    /// Offsets of the first records on which it did, in bytes.
    pub first: Vec<u64>,
}

impl RecordTally {
    fn add(&mut self, offset: u64) {
        self.count = self.count.saturating_add(1);
        if self.first.len() < FIRST && self.first.last() != Some(&offset) {
            self.first.push(offset);
        }
    }
}

/// A rule, and the part of a record that its code names in front of it.
pub type RecordFinding = (Rule, Option<&'static str>);

/// What came out of many records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordSummary {
    /// How many items were judged: records, or whole blocks.
    pub items: u64,
    /// Items with a warning and no error.
    pub warnings: RecordTally,
    /// Items with an error.
    pub errors: RecordTally,
    /// What was found.
    pub findings: BTreeMap<RecordFinding, RecordTally>,
}

/// The worst of what was found in an item so far.
type Worst = Option<Severity>;

impl RecordSummary {
    /// Judges ring channels, the first of which lies at `offset` and has this place; the others follow in the rows behind
    /// it, modulo 32.
    pub fn ring_channels(&mut self, offset: u64, place: Place, records: &[RingChannel]) {
        let mut offset = offset;
        let mut place = place;
        for record in records {
            fetch_ahead(record, AHEAD);
            if !channel_is_quiet(record, place) {
                let worst = self.channel(offset, place, record);
                self.item(offset, worst);
            }
            offset = offset.wrapping_add(size(record));
            place.row = place.row.map(|row| row.wrapping_add(1) % 32);
        }
        self.items = self.items.saturating_add(u64::try_from(records.len()).unwrap_or_default());
    }

    /// Judges mesh events, the first of which lies at `offset`.
    pub fn mesh_events(&mut self, offset: u64, records: &[MeshEvent]) {
        let mut offset = offset;
        for record in records {
            fetch_ahead(record, AHEAD);
            if !event_is_quiet(record) {
                let worst = self.event(offset, record);
                self.item(offset, worst);
            }
            offset = offset.wrapping_add(size(record));
        }
        self.items = self.items.saturating_add(u64::try_from(records.len()).unwrap_or_default());
    }

    /// Judges a control slot.
    pub fn cc_op(&mut self, offset: u64, slot: CcOp) {
        let mut worst = None;
        slot.judge(|finding| self.find(offset, finding, &mut worst));
        self.item(offset, worst);
        self.count_item();
    }

    /// Judges a block, which is one item; findings are counted at the offsets of its rows and events.
    pub fn block(&mut self, offset: u64, slot_limit: u8, block: &Block<'_>) {
        let mut worst = None;
        let mut at = offset;
        for (row, record) in (0_u8..).zip(block.rows) {
            fetch_ahead(record, AHEAD);
            let place = Place { row: Some(row), slot_limit };
            if !channel_is_quiet(record, place) {
                worst = worst.max(self.channel(at, place, record));
            }
            at = at.wrapping_add(size(record));
        }
        for record in block.events {
            fetch_ahead(record, AHEAD);
            if !event_is_quiet(record) {
                worst = worst.max(self.event(at, record));
            }
            at = at.wrapping_add(size(record));
        }
        self.item(offset, worst);
        self.count_item();
    }

    /// Counts an item of which nothing can be wrong, or which was judged in parts.
    pub fn count_item(&mut self) {
        self.items = self.items.saturating_add(1);
    }

    fn item(&mut self, offset: u64, worst: Worst) {
        match worst {
            Some(Severity::Error) => self.errors.add(offset),
            Some(Severity::Warning) => self.warnings.add(offset),
            Some(Severity::Note) | None => {}
        }
    }

    #[cold]
    fn channel(&mut self, offset: u64, place: Place, record: &RingChannel) -> Worst {
        let mut worst = None;
        record.judge(place, |finding| self.find(offset, finding, &mut worst));
        worst
    }

    #[cold]
    fn event(&mut self, offset: u64, record: &MeshEvent) -> Worst {
        let mut worst = None;
        record.judge(|finding| self.find(offset, finding, &mut worst));
        worst
    }

    fn find(&mut self, offset: u64, finding: Finding, worst: &mut Worst) {
        *worst = (*worst).max(Some(finding.rule.severity()));
        self.findings.entry((finding.rule, finding.within)).or_default().add(offset);
    }
}

fn size<T>(_: &T) -> u64 {
    u64::try_from(size_of::<T>()).unwrap_or_default()
}

/// Whether there is nothing to say about a ring channel.
#[inline(always)]
fn channel_is_quiet(record: &RingChannel, place: Place) -> bool {
    let set = |is_set: bool| u8::from(is_set);
    let [mine, first, second, third] = {
        let peers = &record.kring_peer_semas;
        [
            set(peers.mine.is_set()),
            set(peers.peers[0].is_set()),
            set(peers.peers[1].is_set()),
            set(peers.peers[2].is_set()),
        ]
    };
    let surplus = match record.kangaring_num_peers {
        0 => mine | first | second | third | record.kangaring_is_primary,
        1 => second | third,
        3 => 0,
        _ => 1,
    };
    let (id, fold) = (record.channel_id, record.fold_n);
    let sound = neighbor_is_quiet(&record.next_neigh)
        & neighbor_is_quiet(&record.prev_neigh)
        & (surplus == 0)
        & (record.kangaring_is_primary <= 1)
        & (record.spad_slot_idx < place.slot_limit)
        & (id <= 31)
        & (record.reserved.0 == [0; 3]);
    let in_place = place.row.is_none_or(|row| row == id) & (fold.wrapping_sub(1) < 4);
    // An unused row may stand anywhere.
    sound & (in_place || is_zero(record))
}

#[inline(always)]
fn neighbor_is_quiet(neighbor: &Neighbor) -> bool {
    let [first, second, third] = neighbor.net_idx_addrs.each_ref().map(|address| address.get().0);
    let fold = neighbor.fold_n;
    let tail = match fold {
        0 => first | second | third,
        1 => second | third,
        2 => third,
        _ => 0,
    };
    (fold <= 3)
        & (neighbor.neighbor_type <= 2)
        & ((neighbor.neighbor_type != 2) | (fold == 1))
        & (tail == 0)
        & (neighbor.reserved.0 == [0; 2])
}

/// Whether there is nothing to say about a mesh event.
#[inline(always)]
fn event_is_quiet(event: &MeshEvent) -> bool {
    let [first, second, third] = event.direct_trigger_sema.each_ref().map(|address| address.is_set());
    (event.dma_trigger <= 1)
        & (event.direct_trigger <= 1)
        & (event.wait_event <= 1)
        & ((event.wait_event != 1) | event.event_wait_sema.is_set())
        & ((event.direct_trigger != 1) | first | second | third)
}

#[inline(always)]
fn is_zero(record: &RingChannel) -> bool {
    record.as_bytes().iter().fold(0, |all, byte| all | byte) == 0
}
