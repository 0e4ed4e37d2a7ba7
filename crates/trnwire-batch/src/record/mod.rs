//! Judging many records of collectives.
//!
//! The scalar functions are the truth. Most records have nothing to say, which a few masked words tell without a branch; only
//! the others are asked for their findings.

mod quiet;

use std::collections::BTreeMap;

use trnwire::block::Block;
use trnwire::cc_op::CcOp;
use trnwire::check::{Finding, Rule, Severity};
use trnwire::context::Context;
use trnwire::mesh::MeshEvent;
use trnwire::ring::{Neighbor, Place, RingChannel};

use crate::ahead::fetch_ahead;
use quiet::{GROUP, QuietChannel, TILE, event_is_quiet, fetch};

/// Positions that are kept per id.
const FIRST: usize = 8;

/// Memory is asked for so far ahead, in bytes: a page, beyond which the processor's own prefetcher does not look.
const AHEAD: usize = 4096;
/// A cache line.
const LINE: usize = 64;

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
        let quiet = QuietChannel::new(place.slot_limit);
        let mut at = offset;
        for records in records.chunks(TILE) {
            let loud = quiet.loud(records, place.row);
            for (mut loud, records) in loud.into_iter().zip(records.chunks(GROUP)) {
                while loud != 0 {
                    let index = usize::try_from(loud.trailing_zeros()).unwrap_or_default();
                    loud &= loud.wrapping_sub(1);
                    let (before, behind) = records.split_at(index);
                    let Some(record) = behind.first() else { break };
                    let (at, row) = (at.wrapping_add(size(before)), row_at(place.row, index));
                    let worst = self.channel(at, Place { row, ..place }, record);
                    self.item(at, worst);
                }
                at = at.wrapping_add(size(records));
            }
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

    /// Judges a neighbour on its own.
    pub fn neighbor(&mut self, offset: u64, neighbor: &Neighbor) {
        let mut worst = None;
        neighbor.judge(|finding| self.find(offset, finding, &mut worst));
        self.item(offset, worst);
        self.count_item();
    }

    /// Judges a context, which is one item: its block, and the control slot of the operation that runs, at the place of the
    /// slot.
    pub fn context(&mut self, offset: u64, slot_limit: u8, context: &Context<'_>) {
        let mut worst = self.rows_and_events(offset, slot_limit, &context.algo);
        let slot = context.neff_state.op.ctrl_entry.get();
        let at = offset.wrapping_add(u64::try_from(context.slot_offset()).unwrap_or_default());
        slot.judge(|finding| self.find(at, finding, &mut worst));
        self.item(offset, worst);
        self.count_item();
    }

    /// Judges a block, which is one item; findings are counted at the offsets of its rows and events.
    pub fn block(&mut self, offset: u64, slot_limit: u8, block: &Block<'_>) {
        let worst = self.rows_and_events(offset, slot_limit, block);
        self.item(offset, worst);
        self.count_item();
    }

    fn rows_and_events(&mut self, offset: u64, slot_limit: u8, block: &Block<'_>) -> Worst {
        let mut worst = None;
        let mut at = offset;
        let quiet = QuietChannel::new(slot_limit);
        for (row, record) in (0_u8..).zip(block.rows) {
            fetch(record);
            if !quiet.is(record, Some(row)) {
                worst = worst.max(self.channel(at, Place { row: Some(row), slot_limit }, record));
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
        worst
    }

    /// Counts an item that was judged elsewhere, and what was found in it.
    pub fn push(&mut self, offset: u64, findings: impl IntoIterator<Item = Finding>) {
        let mut worst = None;
        findings.into_iter().for_each(|finding| self.find(offset, finding, &mut worst));
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

/// The row of the record at an index.
fn row_at(first: Option<u8>, index: usize) -> Option<u8> {
    first.map(|first| u8::try_from(usize::from(first).wrapping_add(index) % 32).unwrap_or_default())
}

fn size<T: ?Sized>(value: &T) -> u64 {
    u64::try_from(size_of_val(value)).unwrap_or_default()
}
