//! Channels, semaphores and queue bundles that nobody else has.

use std::collections::{HashMap, HashSet};

use trnwire::ring::RING_ROWS;

/// The first semaphore that is given out: the runtime keeps the first few for itself.
pub(super) const FIRST_SEMAPHORE: u8 = 8;
/// The last one: the number behind it means "none" in the runtime's structures.
const LAST_SEMAPHORE: u8 = 254;

/// A top-SP: instance, device on the host, and number.
pub(super) type TopSp = (u32, u32, u32);

/// What is taken on every top-SP.
#[derive(Default)]
pub(super) struct Allocation {
    rows: HashSet<(TopSp, u8)>,
    semaphores: HashMap<TopSp, u8>,
}

impl Allocation {
    /// The lowest channels that are free at every rank; `top_sps` gives the top-SPs of each rank.
    pub(super) fn channels(&self, top_sps: &[Vec<TopSp>], count: u32) -> Vec<u8> {
        let all = 0..u8::try_from(RING_ROWS).unwrap_or_default();
        let is_free = |channel: &u8| {
            top_sps.iter().all(|of_rank| {
                of_channel(of_rank, *channel).is_some_and(|top_sp| !self.rows.contains(&(top_sp, *channel)))
            })
        };
        all.filter(is_free).take(usize::try_from(count).unwrap_or(usize::MAX)).collect()
    }

    /// Takes a row and as many semaphores; `None` when there are too few.
    pub(super) fn row<const COUNT: usize>(&mut self, top_sp: TopSp, channel: u8) -> Option<[u8; COUNT]> {
        self.rows.insert((top_sp, channel));
        let next = self.semaphores.entry(top_sp).or_insert(FIRST_SEMAPHORE);
        let first = *next;
        let count = u8::try_from(COUNT).ok()?;
        let end = first.checked_add(count).filter(|end| end.saturating_sub(1) <= LAST_SEMAPHORE)?;
        *next = end;
        let mut ids = [0; COUNT];
        for (id, place) in (first..end).zip(&mut ids) {
            *place = id;
        }
        Some(ids)
    }
}

/// The top-SP that walks a channel: channels go round over those of the rank.
pub(super) fn of_channel(top_sps: &[TopSp], channel: u8) -> Option<TopSp> {
    top_sps.get(usize::from(channel).checked_rem(top_sps.len())?).copied()
}
