//! Distances and shortest paths between devices.

use std::collections::VecDeque;

use crate::topology::{Links, Topology};

/// The devices of a topology and what links them, as indices.
#[derive(Clone, Debug)]
pub struct Graph {
    neighbours: Vec<Vec<usize>>,
    /// Links from one device to another; `None` where none leads there.
    distances: Vec<Vec<Option<u32>>>,
    /// Every device reaches every other one through switches, in one hop.
    is_switched: bool,
}

impl Graph {
    /// The graph of a topology.
    #[must_use]
    pub fn of(topology: &Topology) -> Self {
        let neighbours = topology.adjacency();
        let distances = (0..neighbours.len()).map(|start| distances(&neighbours, start)).collect();
        Self { neighbours, distances, is_switched: topology.links == Links::Switched }
    }

    /// The devices that a device is linked with, in ascending order.
    #[must_use]
    pub fn neighbours(&self, device: usize) -> &[usize] {
        self.neighbours.get(device).map_or(&[], Vec::as_slice)
    }

    /// Whether two devices are linked.
    #[must_use]
    pub fn is_linked(&self, a: usize, b: usize) -> bool {
        self.neighbours(a).binary_search(&b).is_ok()
    }

    /// Whether devices are joined by switches, whose paths are not known.
    #[must_use]
    pub const fn is_switched(&self) -> bool {
        self.is_switched
    }

    /// Hops from one device to another; `None` where only the network leads there.
    #[must_use]
    pub fn hops(&self, a: usize, b: usize) -> Option<u32> {
        match self.is_switched {
            true => Some(u32::from(a != b)),
            false => self.distances.get(a).and_then(|row| row.get(b)).copied().flatten(),
        }
    }

    /// A shortest path, both ends included: of several the one that goes to the lowest numbers first. Which one the hardware
    /// takes is not public.
    #[must_use]
    pub fn path(&self, a: usize, b: usize) -> Option<Vec<usize>> {
        self.hops(a, b)?;
        let mut path = vec![a];
        let mut here = a;
        while here != b && !self.is_switched {
            let left = self.hops(here, b)?;
            here = self
                .neighbours(here)
                .iter()
                .copied()
                .find(|next| self.hops(*next, b).is_some_and(|hops| hops < left))?;
            path.push(here);
        }
        if self.is_switched && a != b {
            path.push(b);
        }
        Some(path)
    }
}

/// Links to every device, breadth first.
fn distances(neighbours: &[Vec<usize>], start: usize) -> Vec<Option<u32>> {
    let mut found: Vec<Option<u32>> = vec![None; neighbours.len()];
    let mut queue = VecDeque::from([(start, 0_u32)]);
    if let Some(place) = found.get_mut(start) {
        *place = Some(0);
    }
    while let Some((device, hops)) = queue.pop_front() {
        let next = hops.saturating_add(1);
        for &other in neighbours.get(device).into_iter().flatten() {
            if let Some(place) = found.get_mut(other).filter(|place| place.is_none()) {
                *place = Some(next);
                queue.push_back((other, next));
            }
        }
    }
    found
}
