//! Cycles through all devices of a set, over links that no other of them uses.
//!
//! Finding such cycles is hard in general. The graphs here are small and regular, where a search that visits the device with
//! the fewest ways on first finds one at once; its steps are bounded.

use std::collections::BTreeSet;

use super::graph::Graph;

/// Steps of the search for one cycle.
const STEPS: usize = 200_000;
/// First cycles that are tried for the sake of those after them.
const TRIES: usize = 64;

/// Cycles through all of these devices that share no link, at most `most`: the most that a bounded search finds. Each begins
/// with the first device. Fewer than three devices have none.
#[must_use]
pub fn disjoint_cycles(graph: &Graph, devices: &[usize], most: usize, seed: u64) -> Vec<Vec<usize>> {
    let mut best = Vec::new();
    // A cycle takes two links of each device.
    let within = |device: &usize| graph.neighbours(*device).iter().filter(|other| devices.contains(other)).count() / 2;
    let most = devices.iter().map(within).min().unwrap_or_default().min(most);
    if devices.len() < 3 || most == 0 {
        return best;
    }
    for attempt in 0..TRIES {
        let mut used = BTreeSet::new();
        let mut cycles = Vec::new();
        while cycles.len() < most {
            // The first try of all goes by numbers alone, so that the usual result has no chance in it.
            let order = seed.wrapping_add(u64::try_from(attempt).unwrap_or_default());
            let Some(cycle) = cycle(graph, devices, &used, order) else { break };
            used.extend(links(&cycle));
            cycles.push(cycle);
        }
        if cycles.len() > best.len() {
            best = cycles;
        }
        // Where there is no cycle at all, or enough of them, more tries tell nothing new.
        if best.is_empty() || best.len() == most {
            break;
        }
    }
    best
}

/// The links of a cycle, lower device first.
pub(crate) fn links(cycle: &[usize]) -> impl Iterator<Item = (usize, usize)> + '_ {
    let next = cycle.iter().cycle().skip(1);
    cycle.iter().zip(next).map(|(&a, &b)| (a.min(b), a.max(b)))
}

/// A cycle through all devices that avoids some links.
fn cycle(graph: &Graph, devices: &[usize], used: &BTreeSet<(usize, usize)>, order: u64) -> Option<Vec<usize>> {
    let position = |device: usize| devices.iter().position(|other| *other == device);
    let free = |index: usize| -> Vec<usize> {
        let Some(&device) = devices.get(index) else { return Vec::new() };
        let others =
            graph.neighbours(device).iter().filter(|&&other| !used.contains(&(device.min(other), device.max(other))));
        others.filter_map(|&other| position(other)).collect()
    };
    let adjacency: Vec<Vec<usize>> = (0..devices.len()).map(free).collect();
    if adjacency.iter().any(|list| list.len() < 2) {
        return None;
    }
    let mut search = Search {
        adjacency: &adjacency,
        visited: vec![false; devices.len()],
        path: Vec::with_capacity(devices.len()),
        steps: STEPS,
        order,
    };
    let is_found = search.from(0);
    is_found.then(|| search.path.iter().filter_map(|index| devices.get(*index).copied()).collect())
}

struct Search<'a> {
    adjacency: &'a [Vec<usize>],
    visited: Vec<bool>,
    path: Vec<usize>,
    steps: usize,
    order: u64,
}

impl Search<'_> {
    /// Goes on from a device; its depth is the number of devices, which is bounded.
    fn from(&mut self, device: usize) -> bool {
        let Some(steps) = self.steps.checked_sub(1) else { return false };
        self.steps = steps;
        self.set(device, true);
        self.path.push(device);
        let all = self.adjacency;
        let next = all.get(device).map_or(&[][..], Vec::as_slice);
        let first = self.path.first().copied();
        if self.path.len() == all.len() && first.is_some_and(|first| next.contains(&first)) {
            return true;
        }
        if !self.strands_someone(device) {
            let mut ways: Vec<(usize, u64, usize)> = next
                .iter()
                .filter(|other| !self.is_visited(**other))
                .map(|&other| (self.ways_on(other), self.shuffled(other), other))
                .collect();
            ways.sort_unstable();
            if ways.into_iter().any(|(_, _, other)| self.from(other)) {
                return true;
            }
        }
        self.path.pop();
        self.set(device, false);
        false
    }

    /// Whether some device that is still to be visited can no longer be entered and left.
    fn strands_someone(&self, here: usize) -> bool {
        let first = self.path.first().copied().unwrap_or_default();
        let is_open = |other: usize| !self.is_visited(other) || other == here || other == first;
        let all = self.adjacency.iter().enumerate().filter(|(index, _)| !self.is_visited(*index));
        all.into_iter().any(|(_, list)| list.iter().filter(|other| is_open(**other)).count() < 2)
    }

    fn ways_on(&self, device: usize) -> usize {
        let list = self.adjacency.get(device).map_or(&[][..], Vec::as_slice);
        list.iter().filter(|other| !self.is_visited(**other)).count()
    }

    /// Ties go by number in the first try, and by chance in the others.
    fn shuffled(&self, device: usize) -> u64 {
        let number = u64::try_from(device).unwrap_or_default();
        if self.order == 0 {
            return number;
        }
        let at = u64::try_from(self.path.len()).unwrap_or_default();
        let mixed = (number ^ at.rotate_left(20) ^ self.order.rotate_left(40)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 7
    }

    fn is_visited(&self, device: usize) -> bool {
        self.visited.get(device).copied().unwrap_or(true)
    }

    fn set(&mut self, device: usize, value: bool) {
        if let Some(place) = self.visited.get_mut(device) {
            *place = value;
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail so")]
mod tests {
    use super::*;
    use crate::topology::{Options, Source, Topology, platform};

    fn graph(name: &str) -> (Graph, usize) {
        let topology = Topology::new(&[Source::Platform(platform(name).unwrap())], &Options::default()).unwrap();
        (Graph::of(&topology), topology.devices.len())
    }

    fn assert_disjoint(graph: &Graph, devices: &[usize], cycles: &[Vec<usize>]) {
        let mut used = BTreeSet::new();
        for cycle in cycles {
            let mut sorted = cycle.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, devices);
            for (a, b) in links(cycle) {
                assert!(graph.is_linked(a, b) && used.insert((a, b)), "{a}-{b}");
            }
        }
    }

    #[test]
    fn a_torus_has_two_cycles_and_an_ultraserver_three() {
        for (name, most) in [("trn1.32xlarge", 2), ("trn2.48xlarge", 2), ("trn2u.48xlarge-ultraserver", 3)] {
            let (graph, count) = graph(name);
            let devices: Vec<usize> = (0..count).collect();
            let cycles = disjoint_cycles(&graph, &devices, 8, 0);
            assert_disjoint(&graph, &devices, &cycles);
            assert_eq!(cycles.len(), most, "{name}");
        }
    }

    #[test]
    fn the_pair_that_the_facts_name_is_one() {
        let pair = [
            vec![0, 1, 2, 3, 7, 4, 5, 6, 10, 11, 8, 9, 13, 14, 15, 12],
            vec![0, 3, 15, 11, 7, 6, 2, 14, 10, 9, 5, 1, 13, 12, 8, 4],
        ];
        let (graph, _) = graph("trn2.48xlarge");
        assert_disjoint(&graph, &(0..16).collect::<Vec<_>>(), &pair);
    }

    #[test]
    fn rows_blocks_and_halves_have_a_cycle_and_chains_have_none() {
        let (torus, _) = graph("trn2.48xlarge");
        let (chain, _) = graph("inf2.24xlarge");
        let (ring, _) = graph("inf2.48xlarge");
        let count = |graph: &Graph, devices: &[usize]| disjoint_cycles(graph, devices, 8, 0).len();
        assert_eq!(count(&torus, &[4, 5, 6, 7]), 1);
        assert_eq!(count(&torus, &[0, 1, 4, 5]), 1);
        assert_eq!(count(&torus, &[0, 1, 2, 3, 4, 5, 6, 7]), 1);
        assert_eq!(count(&torus, &[0, 5, 10, 15]), 0);
        assert_eq!(count(&torus, &[0, 1]), 0);
        assert_eq!(count(&chain, &[0, 1, 2, 3, 4, 5]), 0);
        assert_eq!(count(&ring, &(0..12).collect::<Vec<_>>()), 1);
    }

    #[test]
    fn equal_seeds_give_equal_cycles() {
        let (graph, count) = graph("trn2u.48xlarge-ultraserver");
        let devices: Vec<usize> = (0..count).collect();
        let of = |seed| disjoint_cycles(&graph, &devices, 8, seed);
        assert_eq!(of(7), of(7));
        assert_disjoint(&graph, &devices, &of(7));
    }
}
