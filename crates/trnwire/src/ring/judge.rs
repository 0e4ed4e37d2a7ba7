//! What is wrong or odd about a stored ring channel.

use core::mem::offset_of;

use super::{Neighbor, RingChannel};
use crate::check::{Finding, Rule};
use crate::soc::SocAddress;

/// Slots on a scratchpad unless the caller says otherwise. No source prints the number; two structures have room for six
/// (inferred).
pub const DEFAULT_SLOT_LIMIT: u8 = 6;

/// Where a record stands and what holds there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Index of the row, which the channel's number should equal; `None` for a record on its own, of which nothing is said.
    pub row: Option<u8>,
    /// Slots on a scratchpad.
    pub slot_limit: u8,
}

impl Default for Place {
    fn default() -> Self {
        Self { row: None, slot_limit: DEFAULT_SLOT_LIMIT }
    }
}

const NEXT: &str = "next_neigh";
const PREV: &str = "prev_neigh";

/// First byte of a field of the record.
macro_rules! at {
    ($($field:ident).+) => { offset_of!(RingChannel, $($field).+) };
}

impl RingChannel {
    /// Reports all that is wrong, then all that is odd, each in the order of the rules.
    pub fn judge(&self, place: Place, mut report: impl FnMut(Finding)) {
        self.judge_errors(place, &mut report);
        self.judge_warnings(place, &mut report);
    }

    fn judge_errors(&self, place: Place, report: &mut impl FnMut(Finding)) {
        for (part, base, neighbor) in self.neighbors() {
            neighbor.judge_errors(|finding| report(finding.within(part).behind(base)));
        }
        let (is_primary, num_peers) = (self.kangaring_is_primary, self.kangaring_num_peers);
        if is_primary > 1 {
            report(Finding::new(Rule::KangPrimaryRange, at!(kangaring_is_primary), is_primary));
        }
        if !matches!(num_peers, 0 | 1 | 3) {
            report(Finding::new(Rule::KangNumPeers, at!(kangaring_num_peers), num_peers));
        }
        if num_peers == 0 && is_primary != 0 {
            report(Finding::new(Rule::KangRingFlags, at!(kangaring_is_primary), is_primary));
        }
        if let Some((offset, address)) = self.surplus_peer() {
            report(Finding::new(Rule::KangPeerBlock, offset, address.0));
        }
        if self.spad_slot_idx >= place.slot_limit {
            let finding = Finding::new(Rule::SpadSlot, at!(spad_slot_idx), self.spad_slot_idx);
            report(finding.against(place.slot_limit));
        }
        if self.channel_id > 31 {
            report(Finding::new(Rule::ChannelId, at!(channel_id), self.channel_id));
        }
    }

    fn judge_warnings(&self, place: Place, report: &mut impl FnMut(Finding)) {
        for (part, base, neighbor) in self.neighbors() {
            neighbor.judge_warnings(|finding| report(finding.within(part).behind(base)));
        }
        let is_used = !self.is_unused();
        if let Some(row) = place.row.filter(|&row| is_used && self.channel_id <= 31 && self.channel_id != row) {
            report(Finding::new(Rule::ChannelIdRow, at!(channel_id), self.channel_id).against(row));
        }
        if is_used && !matches!(self.fold_n, 1..=4) {
            report(Finding::new(Rule::ChanFold, at!(fold_n), self.fold_n));
        }
        report_reserved(&self.reserved.0, at!(reserved), report);
    }

    /// Both neighbours, each with its name and first byte.
    fn neighbors(&self) -> [(&'static str, usize, &Neighbor); 2] {
        [(NEXT, at!(next_neigh), &self.next_neigh), (PREV, at!(prev_neigh), &self.prev_neigh)]
    }

    /// The first semaphore that stands for more peers than there are.
    fn surplus_peer(&self) -> Option<(usize, SocAddress)> {
        let semaphores = &self.kring_peer_semas;
        let legal = match self.kangaring_num_peers {
            0 => 0,
            1 => 2,
            _ => return None,
        };
        let all = core::iter::once(&semaphores.mine).chain(&semaphores.peers);
        let mut surplus = (at!(kring_peer_semas)..).step_by(8).zip(all).skip(legal);
        surplus.find(|(_, address)| address.is_set()).map(|(offset, address)| (offset, address.get()))
    }
}

impl Neighbor {
    /// Reports all that is wrong with a neighbour on its own, then all that is odd.
    pub fn judge(&self, mut report: impl FnMut(Finding)) {
        self.judge_errors(&mut report);
        self.judge_warnings(&mut report);
    }

    fn judge_errors(&self, mut report: impl FnMut(Finding)) {
        let (fold_n, kind) = (self.fold_n, self.neighbor_type);
        if fold_n > 3 {
            report(Finding::new(Rule::NeighFoldCapacity, offset_of!(Self, fold_n), fold_n));
        }
        if kind > 2 {
            report(Finding::new(Rule::NeighTypeRange, offset_of!(Self, neighbor_type), kind));
        }
        if kind == 2 && fold_n != 1 {
            report(Finding::new(Rule::PodFold, offset_of!(Self, fold_n), fold_n));
        }
    }

    fn judge_warnings(&self, mut report: impl FnMut(Finding)) {
        let tail = (0_usize..).step_by(8).zip(&self.net_idx_addrs).skip(self.fold_n.into());
        if let Some((offset, address)) = tail.into_iter().find(|(_, address)| address.is_set()) {
            report(Finding::new(Rule::NeighTailNonzero, offset, address.get().0));
        }
        report_reserved(&self.reserved.0, offset_of!(Self, reserved), &mut report);
    }
}

fn report_reserved(bytes: &[u8], offset: usize, report: &mut impl FnMut(Finding)) {
    let value = bytes.iter().rev().fold(0_u64, |value, &byte| value << 8 | u64::from(byte));
    if value != 0 {
        report(Finding::new(Rule::ReservedNonzero, offset, value));
    }
}
