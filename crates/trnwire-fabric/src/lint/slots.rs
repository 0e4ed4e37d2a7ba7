//! Whether a ring has enough slots: by the rule, and where that does not hold by running its schedule to the end.

use super::{Channel, finding, rules};
use crate::rule::Finding;

/// Ops beyond which the schedule is not run; the rule then decides.
const MOST_OPS: usize = 1 << 24;

pub(super) fn check(channel: &Channel<'_>, found: &mut Vec<Finding>) {
    let Some(ring) = ring(channel) else { return };
    let halves = usize::try_from(channel.op.halves).unwrap_or(usize::MAX);
    let total: usize = ring.iter().map(|(_, slots)| *slots).fold(0, usize::saturating_add);
    if ring.iter().all(|(_, slots)| *slots > 0) && total > ring.len().saturating_mul(halves) {
        return;
    }
    let ops = ops(&channel.op.collective, ring.len(), halves);
    let slots: Vec<usize> = ring.iter().map(|(_, slots)| *slots).collect();
    let Some(stopped) = stops(&slots, &ops) else { return };
    let ranks: Vec<String> = ring.iter().map(|(rank, _)| rank.to_string()).collect();
    let message = format!(
        "{total} slots on {} edges, and {halves} pieces: after {} sends of a rank all of {} wait for credit in a circle",
        ring.len(),
        stopped.iter().min().copied().unwrap_or_default(),
        ranks.join(" -> ")
    );
    found.push(finding(&rules::SLOTS, channel.place(), message, Vec::new()));
}

/// The ranks that walk the ring in their order, with the slots of the edge to the next one; `None` where one is not known.
fn ring(channel: &Channel<'_>) -> Option<Vec<(u32, usize)>> {
    let start = channel.entries.iter().find(|entry| entry.next.is_some())?;
    let mut ring = Vec::new();
    let mut here = start.rank;
    loop {
        let entry = channel.entry(here)?;
        ring.push((here, usize::try_from(entry.slots?).ok()?));
        here = entry.next?;
        if here == start.rank {
            return Some(ring);
        }
        if ring.len() > channel.entries.len() {
            return None;
        }
    }
}

/// What an op takes and gives: an item from the rank before, and an item to the next one.
#[derive(Clone, Copy)]
struct Op {
    receives: bool,
    sends: bool,
}

/// The ops of a rank in one chunk group, in their order; a kangaring's primaries have the same.
fn ops(collective: &str, ranks: usize, halves: usize) -> Vec<Op> {
    let op = |receives, sends| Op { receives, sends };
    let repeat = |op, count| core::iter::repeat_n(op, count);
    let passing = halves.saturating_mul(ranks.saturating_sub(2));
    let turn = [op(true, false), op(false, true)].into_iter().cycle().take(halves.saturating_mul(2));
    let first = repeat(op(false, true), halves).chain(repeat(op(true, true), passing));
    let last = repeat(op(true, false), halves);
    match collective {
        "all_reduce" => first.chain(turn).chain(repeat(op(true, true), passing)).chain(last).collect(),
        _ => first.chain(last).collect(),
    }
}

/// Runs one group until no rank can go on: an op needs the item and the slot that it takes. In which order ranks go on makes
/// no difference. `None` when all ops are done, else how many items each rank sent.
fn stops(slots: &[usize], ops: &[Op]) -> Option<Vec<usize>> {
    let count = slots.len();
    if count.saturating_mul(ops.len()) > MOST_OPS {
        return Some(vec![0; count]);
    }
    let (mut done, mut sent, mut returned) = (vec![0_usize; count], vec![0_usize; count], vec![0_usize; count]);
    let get = |list: &[usize], index: usize| {
        list.get(index.checked_rem(count).unwrap_or_default()).copied().unwrap_or_default()
    };
    loop {
        let mut is_moving = false;
        for rank in 0..count {
            while let Some(op) = ops.get(get(&done, rank)) {
                let has_item = get(&sent, rank.saturating_add(count).saturating_sub(1)) > get(&returned, rank);
                let in_use = get(&sent, rank).saturating_sub(get(&returned, rank.saturating_add(1)));
                if op.receives && !has_item || op.sends && in_use >= get(slots, rank) {
                    break;
                }
                let add = |list: &mut Vec<usize>, number: bool| {
                    if let Some(place) = list.get_mut(rank) {
                        *place = place.saturating_add(usize::from(number));
                    }
                };
                add(&mut done, true);
                add(&mut sent, op.sends);
                add(&mut returned, op.receives);
                is_moving = true;
            }
        }
        if !is_moving {
            return done.iter().any(|done| *done < ops.len()).then_some(sent);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail so")]
mod tests {
    use super::*;

    #[test]
    fn equal_slots_keep_a_ring_alive_from_one_more_than_pieces_on() {
        for ranks in 2..9_usize {
            for halves in 1..4_usize {
                for slots in 1..6_usize {
                    let expected = slots > halves || ranks == 2 && slots == halves;
                    let ops = ops("all_reduce", ranks, halves);
                    let is_live = stops(&vec![slots; ranks], &ops).is_none();
                    assert_eq!(is_live, expected, "{ranks} ranks, {halves} halves, {slots} slots");
                }
            }
        }
    }

    #[test]
    fn a_ring_with_too_few_slots_stops_after_as_many_sends() {
        assert_eq!(stops(&[2; 8], &ops("all_reduce", 8, 2)).unwrap(), [2; 8]);
        // As many sends as the closed formula says.
        let sends = |collective| ops(collective, 8, 2).iter().filter(|op| op.sends).count();
        assert_eq!((sends("all_reduce"), sends("all_gather"), sends("reduce_scatter")), (28, 14, 14));
    }
}
