//! The orders in which rings visit devices and ranks.

use super::cycle::disjoint_cycles;
use super::graph::Graph;
use super::tour::tour;
use crate::topology::Topology;

/// The most cycles that are looked for.
const MOST_CYCLES: usize = 4;

/// A closed order of devices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ring {
    /// Devices, as indices.
    pub devices: Vec<usize>,
    /// Which cycle of links it follows; rings of one cycle go round in opposite directions.
    pub cycle: usize,
    /// How many of its hops are no single link.
    pub indirect_hops: usize,
    /// How many of its hops go over the network.
    pub network_hops: usize,
}

/// Rings over the devices, in both directions of each cycle, cycles that share no link one after the other.
pub(crate) fn rings(topology: &Topology, graph: &Graph, devices: &[usize], seed: u64) -> Vec<Ring> {
    let mut cycles = Vec::new();
    // Parts that only the network joins are walked one after the other.
    let parts = parts(topology, graph, devices);
    for part in &parts {
        let mut of_part = disjoint_cycles(graph, part, MOST_CYCLES, seed);
        if of_part.is_empty() {
            of_part = vec![tour(graph, part).unwrap_or_else(|| part.clone())];
        }
        cycles.push(of_part);
    }
    let count = cycles.iter().map(Vec::len).min().unwrap_or_default();
    let mut rings = Vec::new();
    for cycle in 0..count {
        let order: Vec<usize> = cycles.iter().filter_map(|of_part| of_part.get(cycle)).flatten().copied().collect();
        let mut back = order.clone();
        back.get_mut(1..).unwrap_or_default().reverse();
        rings.push(Ring::new(graph, order, cycle));
        // Two devices have one ring only.
        if devices.len() > 2 {
            rings.push(Ring::new(graph, back, cycle));
        }
    }
    rings
}

impl Ring {
    pub(super) fn new(graph: &Graph, devices: Vec<usize>, cycle: usize) -> Self {
        let hops = |(from, to): (&usize, &usize)| graph.hops(*from, *to);
        let next = devices.iter().cycle().skip(1);
        let all: Vec<Option<u32>> = devices.iter().zip(next).map(hops).collect();
        let indirect_hops = all.iter().flatten().filter(|hops| **hops > 1).count();
        let network_hops = all.iter().filter(|hops| hops.is_none()).count();
        Self { devices, cycle, indirect_hops, network_hops }
    }
}

/// Devices that reach each other over links, in the order of their first.
fn parts(topology: &Topology, graph: &Graph, devices: &[usize]) -> Vec<Vec<usize>> {
    let mut parts: Vec<Vec<usize>> = Vec::new();
    for &device in devices {
        let reaches = |part: &&mut Vec<usize>| part.first().is_some_and(|first| graph.hops(*first, device).is_some());
        match parts.iter_mut().find(reaches) {
            Some(part) => part.push(device),
            None => parts.push(vec![device]),
        }
    }
    debug_assert!(parts.iter().flatten().all(|device| *device < topology.devices.len()));
    parts
}
