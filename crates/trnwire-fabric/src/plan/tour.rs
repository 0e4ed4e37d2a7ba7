//! A ring with as few hops as can be, for devices that no cycle of links joins.

use super::graph::Graph;

/// Devices up to which every order is weighed.
const EXACT: usize = 14;
/// Passes over the ring that look for a better one.
const PASSES: usize = 64;

/// An order of the devices whose closed ring has the fewest hops: the fewest there are for up to 14 devices, and what a
/// bounded search finds beyond. Of rings with equally many hops the one with the shorter longest hops. `None` where only the
/// network joins the devices.
#[must_use]
pub fn tour(graph: &Graph, devices: &[usize]) -> Option<Vec<usize>> {
    let mut costs = Vec::with_capacity(devices.len());
    for &from in devices {
        let row: Option<Vec<u64>> = devices.iter().map(|&to| graph.hops(from, to).map(cost)).collect();
        costs.push(row?);
    }
    let order = if devices.len() <= EXACT { exact(&costs) } else { searched(&costs) };
    Some(order.into_iter().filter_map(|index| devices.get(index).copied()).collect())
}

/// Hops count first, then their squares.
fn cost(hops: u32) -> u64 {
    let hops = u64::from(hops);
    hops.saturating_mul(1 << 20).saturating_add(hops.saturating_mul(hops))
}

fn at(costs: &[Vec<u64>], from: usize, to: usize) -> u64 {
    costs.get(from).and_then(|row| row.get(to)).copied().unwrap_or(u64::MAX >> 8)
}

/// Best paths over subsets, by their last device.
fn exact(costs: &[Vec<u64>]) -> Vec<usize> {
    let count = costs.len();
    if count < 3 {
        return (0..count).collect();
    }
    // The first device begins every path, so that subsets are of the others.
    let others = count.saturating_sub(1);
    let subsets = 1_usize.wrapping_shl(u32::try_from(others).unwrap_or(0));
    let mut best = vec![(u64::MAX, 0_usize); subsets.saturating_mul(others)];
    let place = |subset: usize, last: usize| subset.saturating_mul(others).saturating_add(last);
    let get = |best: &[(u64, usize)], subset, last| best.get(place(subset, last)).map_or(u64::MAX, |(cost, _)| *cost);
    for last in 0..others {
        if let Some(entry) = best.get_mut(place(1 << last, last)) {
            *entry = (at(costs, 0, last.saturating_add(1)), 0);
        }
    }
    for subset in 1..subsets {
        for last in (0..others).filter(|last| subset >> last & 1 == 1) {
            let so_far = get(&best, subset, last);
            if so_far == u64::MAX {
                continue;
            }
            for next in (0..others).filter(|next| subset >> next & 1 == 0) {
                let total = so_far.saturating_add(at(costs, last.saturating_add(1), next.saturating_add(1)));
                if let Some(entry) = best.get_mut(place(subset | 1 << next, next)).filter(|(cost, _)| total < *cost) {
                    *entry = (total, last);
                }
            }
        }
    }
    let all = subsets.saturating_sub(1);
    let closed = |last: usize| get(&best, all, last).saturating_add(at(costs, last.saturating_add(1), 0));
    let mut last = (0..others).min_by_key(|last| closed(*last)).unwrap_or_default();
    let mut subset = all;
    let mut order = Vec::with_capacity(count);
    while subset != 0 {
        order.push(last.saturating_add(1));
        let before = best.get(place(subset, last)).map_or(0, |(_, before)| *before);
        subset &= !(1 << last);
        last = before;
    }
    order.push(0);
    order.reverse();
    order
}

/// The nearest device next, then stretches turned round as long as that helps.
fn searched(costs: &[Vec<u64>]) -> Vec<usize> {
    let count = costs.len();
    let mut order = vec![0_usize];
    let mut left: Vec<usize> = (1..count).collect();
    while !left.is_empty() {
        let here = order.last().copied().unwrap_or_default();
        let (index, _) = left.iter().enumerate().min_by_key(|(_, to)| (at(costs, here, **to), **to)).unwrap_or((0, &0));
        order.push(left.remove(index));
    }
    let device = |order: &[usize], index: usize| {
        order.get(index.checked_rem(count).unwrap_or_default()).copied().unwrap_or_default()
    };
    for _ in 0..PASSES {
        let mut is_better = false;
        for first in 0..count {
            for last in first.saturating_add(1)..count {
                let before = device(&order, first.saturating_add(count).saturating_sub(1));
                let (start, end) = (device(&order, first), device(&order, last));
                let behind = device(&order, last.saturating_add(1));
                if before == end || behind == start {
                    continue;
                }
                let now = at(costs, before, start).saturating_add(at(costs, end, behind));
                let turned = at(costs, before, end).saturating_add(at(costs, start, behind));
                if turned < now {
                    order.get_mut(first..=last).unwrap_or_default().reverse();
                    is_better = true;
                }
            }
        }
        if !is_better {
            break;
        }
    }
    let start = order.iter().position(|index| *index == 0).unwrap_or_default();
    order.rotate_left(start);
    order
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail so")]
#[allow(clippy::arithmetic_side_effects, reason = "small numbers")]
mod tests {
    use super::*;
    use crate::topology::{Options, Source, Topology, platform};

    fn graph(name: &str) -> Graph {
        let topology = Topology::new(&[Source::Platform(platform(name).unwrap())], &Options::default()).unwrap();
        Graph::of(&topology)
    }

    fn hops(graph: &Graph, order: &[usize]) -> (u32, u32) {
        let all: Vec<u32> =
            order.iter().zip(order.iter().cycle().skip(1)).map(|(a, b)| graph.hops(*a, *b).unwrap()).collect();
        (all.iter().sum(), *all.iter().max().unwrap())
    }

    #[test]
    fn a_chain_is_walked_up_and_down_with_short_hops() {
        let chain = graph("inf2.24xlarge");
        let order = tour(&chain, &[0, 1, 2, 3, 4, 5]).unwrap();
        // Twice the length of the chain, and never over more than one device.
        assert_eq!(hops(&chain, &order), (10, 2));
        assert_eq!(tour(&chain, &[2, 3]).unwrap(), [2, 3]);
        assert_eq!(tour(&chain, &[4]).unwrap(), [4]);
    }

    #[test]
    fn the_exact_order_is_no_worse_than_any_order() {
        let torus = graph("trn2.48xlarge");
        let sets: [&[usize]; 4] = [&[0, 5, 10, 15], &[0, 1, 2, 5, 9], &[0, 2, 8, 10, 5], &[3, 12, 6, 9, 0, 15]];
        for devices in sets {
            let best = hops(&torus, &tour(&torus, devices).unwrap()).0;
            let mut order = devices.to_vec();
            permute(&mut order, 1, &mut |order| assert!(hops(&torus, order).0 >= best));
        }
    }

    fn permute(order: &mut Vec<usize>, from: usize, visit: &mut dyn FnMut(&[usize])) {
        if from == order.len() {
            return visit(order);
        }
        for index in from..order.len() {
            order.swap(from, index);
            permute(order, from + 1, visit);
            order.swap(from, index);
        }
    }

    #[test]
    fn the_search_finds_a_ring_without_long_hops_on_a_torus() {
        let torus = graph("trn2u.48xlarge-ultraserver");
        let devices: Vec<usize> = (0..64).collect();
        let order = tour(&torus, &devices).unwrap();
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, devices);
        assert!(hops(&torus, &order).0 <= 72, "{:?}", hops(&torus, &order));
    }

    #[test]
    fn devices_that_only_the_network_joins_have_no_tour() {
        let two = platform("trn2.48xlarge").unwrap();
        let sources = [Source::Platform(two), Source::Platform(two)];
        let topology = Topology::new(&sources, &Options::default()).unwrap();
        assert_eq!(tour(&Graph::of(&topology), &[0, 16]), None);
    }
}
