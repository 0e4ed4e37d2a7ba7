//! Whether the facts list a group, and which listed ones are near.

use crate::topology::facts::{Counts, LegalGroup, Shape};
use crate::topology::{Platform, Topology};

/// Ranks of one group, sorted, and what they are of.
pub(super) struct Members<'a> {
    pub(super) topology: &'a Topology,
    pub(super) platform: &'a Platform,
    /// Sorted.
    pub(super) ranks: &'a [u32],
}

impl Members<'_> {
    /// The entry of the facts that lists the group.
    pub(super) fn listed(&self) -> Option<&LegalGroup> {
        self.platform.legal_groups.iter().find(|legal| {
            (legal.lnc.is_empty() || legal.lnc.contains(&self.topology.lnc))
                && self.has_count(&legal.cores)
                && self.has_shape(&legal.shape)
        })
    }

    fn count(&self) -> u32 {
        u32::try_from(self.ranks.len()).unwrap_or(u32::MAX)
    }

    fn cores_per_instance(&self) -> u32 {
        self.platform.cores_per_instance(self.topology.lnc)
    }

    fn has_count(&self, counts: &Counts) -> bool {
        let count = self.count();
        match counts {
            Counts::Listed(listed) => listed.contains(&count),
            Counts::Multiples { unit, least, most } => {
                let times = count.checked_div(*unit).unwrap_or_default();
                count == times.saturating_mul(*unit) && times >= *least && most.is_none_or(|most| times <= most)
            }
            Counts::Instances(listed) => {
                listed.iter().any(|times| count == times.saturating_mul(self.cores_per_instance()))
            }
        }
    }

    fn has_shape(&self, shape: &Shape) -> bool {
        let devices = self.devices();
        let whole_devices = devices.iter().all(|device| self.has_all(self.topology.ranks_of(*device)));
        let host_ids: Vec<u32> =
            devices.iter().filter_map(|device| self.topology.devices.get(*device)).map(|device| device.id).collect();
        match shape {
            Shape::Instances => self.instances().is_some(),
            _ if !self.is_in_one_instance() => false,
            Shape::Any => true,
            Shape::Device => devices.len() == 1 && whole_devices,
            Shape::WithinDevice => devices.len() == 1,
            Shape::AdjacentCores => self.is_adjacent(),
            Shape::DeviceSets(sets) => {
                whole_devices
                    && sets.iter().any(|set| set.len() == host_ids.len() && set.iter().all(|id| host_ids.contains(id)))
            }
            Shape::ContiguousDevices { wraps } => {
                whole_devices && is_contiguous(&host_ids, wraps.then_some(self.platform.devices_per_instance))
            }
            Shape::OnePerDevice => {
                let mut indices = self.ranks.iter().filter_map(|rank| self.topology.core(*rank)).map(|core| core.index);
                let first = indices.next();
                devices.len() == self.ranks.len()
                    && u32::try_from(devices.len()) == Ok(self.platform.devices_per_instance)
                    && indices.all(|index| Some(index) == first)
            }
            Shape::Whole => self.count() == self.cores_per_instance(),
        }
    }

    /// The devices, as indices, each once.
    pub(super) fn devices(&self) -> Vec<usize> {
        let mut devices: Vec<usize> =
            self.ranks.iter().filter_map(|rank| Some(self.topology.core(*rank)?.device)).collect();
        devices.sort_unstable();
        devices.dedup();
        devices
    }

    fn has_all(&self, mut ranks: core::ops::Range<u32>) -> bool {
        ranks.all(|rank| self.ranks.binary_search(&rank).is_ok())
    }

    fn is_in_one_instance(&self) -> bool {
        let mut instances =
            self.ranks.iter().filter_map(|rank| self.topology.device_of(*rank)).map(|device| device.instance);
        let first = instances.next();
        instances.all(|instance| Some(instance) == first)
    }

    /// How many instances the group has, when it has all ranks of each.
    pub(super) fn instances(&self) -> Option<u32> {
        let mut all = 0_u32;
        let mut count = 0_u32;
        for instance in &self.topology.instances {
            if instance.ranks.clone().any(|rank| self.ranks.binary_search(&rank).is_ok()) {
                self.has_all(instance.ranks.clone()).then_some(())?;
                all = all.saturating_add(instance.ranks.end.saturating_sub(instance.ranks.start));
                count = count.saturating_add(1);
            }
        }
        (all == self.count()).then_some(count)
    }

    /// Consecutive numbers within the instance, from a multiple of their count on.
    fn is_adjacent(&self) -> bool {
        let Some((first, last)) = self.ranks.first().zip(self.ranks.last()) else { return false };
        let start = self
            .topology
            .instances
            .iter()
            .find(|instance| instance.ranks.contains(first))
            .map_or(0, |instance| instance.ranks.start);
        last.saturating_sub(*first) == self.count().saturating_sub(1)
            && first.saturating_sub(start).checked_rem(self.count()) == Some(0)
    }
}

/// Whether device numbers follow each other; `ring` is how many there are when the last and the first are neighbours.
pub(super) fn is_contiguous(ids: &[u32], ring: Option<u32>) -> bool {
    let mut sorted = ids.to_vec();
    sorted.sort_unstable();
    let gaps = sorted.iter().zip(sorted.iter().skip(1)).filter(|(a, b)| b.saturating_sub(**a) != 1).count();
    let wraps = ring
        .is_some_and(|count| sorted.first() == Some(&0) && sorted.last().copied() == count.checked_sub(1) && gaps == 1);
    gaps == 0 || wraps
}

/// The counts that the facts list, in ascending order, up to a most: of a job of so many instances.
pub(super) fn listed_counts(platform: &Platform, lnc: u32, instances: u32) -> Vec<u32> {
    let whole = platform.cores_per_instance(lnc);
    let most = whole.saturating_mul(instances.max(1)).saturating_mul(2);
    let mut counts = Vec::new();
    for legal in platform.legal_groups.iter().filter(|legal| legal.lnc.is_empty() || legal.lnc.contains(&lnc)) {
        match &legal.cores {
            Counts::Listed(listed) => counts.extend(listed),
            Counts::Multiples { unit, least, most: end } => {
                let last = end.unwrap_or_else(|| most.checked_div(*unit).unwrap_or_default());
                counts.extend((*least..=last).map(|times| times.saturating_mul(*unit)));
            }
            Counts::Instances(listed) => counts.extend(listed.iter().map(|times| times.saturating_mul(whole))),
        }
    }
    counts.sort_unstable();
    counts.dedup();
    counts
}

/// The nearest listed counts below and above one that is not listed.
pub(super) fn nearest(counts: &[u32], asked: u32) -> Vec<u32> {
    let below = counts.iter().rev().find(|count| **count < asked);
    let above = counts.iter().find(|count| **count > asked);
    below.into_iter().chain(above).copied().collect()
}
