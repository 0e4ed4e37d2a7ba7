//! How far pairs of ranks are apart, and how many of them each link carries.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use trnwire::explain::{Line, Role};

use crate::plan::graph::Graph;
use crate::report::line;
use crate::topology::{Links, Topology};

/// What a set of pairs does to the links.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Load {
    /// Every pair, in the order given.
    pub pairs: Vec<Pair>,
    /// How many pairs each link carries in each direction, by device indices; links without any are left out.
    pub links: BTreeMap<(usize, usize), u32>,
}

/// A pair of ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Who sends.
    pub from: u32,
    /// Who receives.
    pub to: u32,
    /// Links between their devices, 0 on one device; `None` where only the network leads there.
    pub hops: Option<u32>,
    /// The devices that it passes, both ends included: of several shortest paths the one that goes to the lowest numbers
    /// first. Which one the hardware takes is not public.
    pub path: Vec<usize>,
}

impl Load {
    /// The load of these pairs; ranks that are none of the topology's are left out.
    #[must_use]
    pub fn of(topology: &Topology, pairs: &[(u32, u32)]) -> Self {
        let graph = Graph::of(topology);
        let mut load = Self { pairs: Vec::new(), links: BTreeMap::new() };
        for &(from, to) in pairs {
            let devices = topology.core(from).zip(topology.core(to)).map(|(from, to)| (from.device, to.device));
            let Some((start, end)) = devices else { continue };
            let path = graph.path(start, end).unwrap_or_default();
            for (&a, &b) in path.iter().zip(path.iter().skip(1)) {
                let count = load.links.entry((a, b)).or_insert(0);
                *count = count.saturating_add(1);
            }
            load.pairs.push(Pair { from, to, hops: graph.hops(start, end), path });
        }
        load
    }

    /// The pairs of a ring of ranks, each with the next one.
    #[must_use]
    pub fn of_ring(topology: &Topology, ring: &[u32]) -> Self {
        let pairs: Vec<(u32, u32)> = ring.iter().copied().zip(ring.iter().copied().cycle().skip(1)).collect();
        Self::of(topology, &pairs)
    }

    /// The links that carry most, and how many pairs that is.
    #[must_use]
    pub fn worst(&self) -> Option<(u32, Vec<(usize, usize)>)> {
        let most = self.links.values().copied().max()?;
        let links = self.links.iter().filter(|(_, count)| **count == most).map(|(link, _)| *link);
        Some((most, links.collect()))
    }

    /// For people: hops of every pair, load of every link that carries more than one, the worst link.
    #[must_use]
    pub fn lines(&self, topology: &Topology) -> Vec<Line> {
        let mut lines = Vec::new();
        if topology.links == Links::Switched {
            lines.push(line(Role::Plain, "devices are joined by switches: how paths share them is not public"));
        }
        let rank = |rank: u32| {
            let core = topology.core(rank);
            let device = core.and_then(|core| topology.devices.get(core.device));
            let physical = core.map(|core| crate::topology::spans(&core.physical)).unwrap_or_default();
            device.map_or(String::new(), |device| {
                format!(
                    "rank {rank} ({}, core {}, physical {physical})",
                    name(topology, device.instance, device.id),
                    core.map_or(0, |core| core.index)
                )
            })
        };
        let mut rows = vec![["from", "to", "hops", "over devices"].map(str::to_owned)];
        for pair in &self.pairs {
            let hops = pair.hops.map_or_else(|| "network".to_owned(), |hops| hops.to_string());
            let path: Vec<String> = pair
                .path
                .iter()
                .filter_map(|device| topology.devices.get(*device))
                .map(|device| number(topology, device.instance, device.id))
                .collect();
            rows.push([rank(pair.from), rank(pair.to), hops, path.join(" ")]);
        }
        lines.extend(trnwire::columns::aligned(&rows).into_iter().map(|row| line(Role::Plain, row)));
        if let Some((most, links)) = self.worst().filter(|_| topology.links != Links::Switched) {
            let end = |index: usize| {
                topology.devices.get(index).map_or(String::new(), |device| number(topology, device.instance, device.id))
            };
            let named: Vec<String> =
                links.iter().take(MOST_NAMED).map(|(a, b)| format!("{} to {}", end(*a), end(*b))).collect();
            let more = links.len().saturating_sub(MOST_NAMED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let pairs = if most == 1 { "pair" } else { "pairs" };
            lines.push(line(
                if most > 1 { Role::Warning } else { Role::Good },
                format!("the busiest links carry {most} {pairs} each: {}{more}", named.join(", ")),
            ));
            lines.push(line(
                Role::Plain,
                "paths are shortest ones that go to the lowest device first; which one the hardware takes is not public",
            ));
        }
        lines
    }

    /// For programs.
    #[must_use]
    pub fn json(&self, topology: &Topology) -> Value {
        let device = |index: usize| topology.devices.get(index).map(|device| json!([device.instance, device.id]));
        let physical = |rank: u32| topology.core(rank).map(|core| core.physical.clone());
        let pairs = self.pairs.iter().map(|pair| {
            json!({
                "from": pair.from,
                "to": pair.to,
                "hops": pair.hops,
                "network": pair.hops.is_none(),
                "path": pair.path.iter().map(|index| device(*index)).collect::<Vec<_>>(),
                "from_physical_cores": physical(pair.from),
                "to_physical_cores": physical(pair.to),
            })
        });
        let links =
            self.links.iter().map(|((a, b), count)| json!({ "from": device(*a), "to": device(*b), "pairs": count }));
        json!({
            "pairs": pairs.collect::<Vec<_>>(),
            "links": links.collect::<Vec<_>>(),
            "most": self.worst().map_or(0, |(most, _)| most),
            "path_model": "shortest, lowest device first",
        })
    }
}

/// Links that are named before "and more".
const MOST_NAMED: usize = 4;

fn number(topology: &Topology, instance: usize, device: u32) -> String {
    if topology.instances.len() > 1 { format!("{instance}.{device}") } else { device.to_string() }
}

fn name(topology: &Topology, instance: usize, device: u32) -> String {
    format!("device {}", number(topology, instance, device))
}
