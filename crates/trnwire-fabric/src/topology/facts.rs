//! What public sources say about platforms: devices, links, cores, which groups are legal, and how sure that is.
//!
//! `facts.json` is the table. It is read once; what it calls unknown stays unknown.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use trnwire::arch::CollectiveArch;

use crate::rule::Basis;

/// All platforms, with the facts about each.
#[derive(Debug)]
pub struct Facts {
    /// In the table's order.
    pub platforms: Vec<Platform>,
    /// What the short names of sources stand for.
    pub sources: BTreeMap<String, String>,
    /// Names that a listing of devices cannot tell apart.
    pub ties: Vec<Vec<String>>,
    /// Physical core of each logical core index, by device; before a die flip.
    pub core_map: Vec<Vec<u32>>,
}

/// A size of an instance, or several instances that are linked.
#[derive(Clone, Debug)]
pub struct Platform {
    /// `trn2.48xlarge`.
    pub name: String,
    /// The architecture of its devices.
    pub arch: CollectiveArch,
    /// Devices of an instance.
    pub devices_per_instance: u32,
    /// Instances: more than one for what is sold as linked.
    pub instances: u32,
    /// The links, in words.
    pub graph: String,
    /// Neighbours of each device of one instance, in the documentation's order; `None` where devices are not linked directly
    /// but through switches.
    pub neighbours: Option<Vec<Vec<u32>>>,
    /// The driver's order of the same neighbours, where it differs.
    pub neighbours_in_driver_order: Option<Vec<Vec<u32>>>,
    /// Physical cores of a device.
    pub physical_cores: u32,
    /// How many physical cores a logical one can have, the default last.
    pub lnc: Vec<u32>,
    /// Memory of a device in GiB.
    pub memory_gib: u32,
    /// Virtual CPUs of an instance, where known.
    pub vcpus: Option<u32>,
    /// EFA interfaces of an instance, where known.
    pub efa: Option<u32>,
    /// Top-SPs of a device.
    pub top_sps: u32,
    /// Top-SPs that serve a physical core, from `core * this` on; where known.
    pub top_sps_per_core: Option<u32>,
    /// Groups that are legal. All others are illegal when a rule says so, else unknown.
    pub legal_groups: Vec<LegalGroup>,
    /// What sources say about groups.
    pub rules: Vec<PlatformRule>,
    /// Whether groups may span instances.
    pub multi_instance: Option<PlatformRule>,
    /// The platform whose facts these are, when they are another's.
    pub same_as: Option<String>,
}

/// A statement about a platform.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlatformRule {
    /// Its name.
    pub id: String,
    /// What it says.
    pub says: String,
    /// Short names of its sources.
    #[serde(default)]
    pub source: Vec<String>,
    /// How well it is supported.
    pub confidence: Basis,
    /// What exactly.
    #[serde(default)]
    pub detail: String,
}

/// Groups that are legal: a count of logical cores, and a shape.
#[derive(Clone, Debug)]
pub struct LegalGroup {
    /// Which counts.
    pub cores: Counts,
    /// Which cores.
    pub shape: Shape,
    /// With which LNC; empty for any.
    pub lnc: Vec<u32>,
    /// From which runtime version on.
    pub since_runtime: Option<String>,
    /// Short names of its sources.
    pub source: Vec<String>,
    /// How well it is supported.
    pub confidence: Basis,
    /// What exactly.
    pub detail: String,
}

/// Counts of logical cores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Counts {
    /// These.
    Listed(Vec<u32>),
    /// `unit * k` for these k; `None` for no upper end.
    Multiples {
        /// Cores of one unit.
        unit: u32,
        /// The smallest k.
        least: u32,
        /// The greatest.
        most: Option<u32>,
    },
    /// All cores of so many instances.
    Instances(Vec<u32>),
}

/// Which cores a group has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Any of them.
    Any,
    /// All of one device.
    Device,
    /// Some of one device.
    WithinDevice,
    /// Consecutive ids from a multiple of the count on.
    AdjacentCores,
    /// All of one of these sets of devices.
    DeviceSets(Vec<Vec<u32>>),
    /// All of devices that follow each other on a chain, or a ring when it wraps.
    ContiguousDevices {
        /// Whether the last and the first device are neighbours.
        wraps: bool,
    },
    /// One core of every device, all with one index.
    OnePerDevice,
    /// All of the instance.
    Whole,
    /// All of some instances.
    Instances,
}

static FACTS: LazyLock<Facts> = LazyLock::new(|| {
    let table = serde_json::from_str::<Table>(include_str!("facts.json"));
    // A test reads every platform; a table that cannot be read leaves none.
    table.map(Facts::from).unwrap_or_else(|_| Facts {
        platforms: Vec::new(),
        sources: BTreeMap::new(),
        ties: Vec::new(),
        core_map: Vec::new(),
    })
});

impl Facts {
    /// The table.
    #[must_use]
    pub fn get() -> &'static Self {
        &FACTS
    }

    /// A platform by its name, in any case.
    #[must_use]
    pub fn platform(&self, name: &str) -> Option<&Platform> {
        self.platforms.iter().find(|platform| platform.name.eq_ignore_ascii_case(name))
    }
}

impl Platform {
    /// Logical cores of a device.
    #[must_use]
    pub fn cores_per_device(&self, lnc: u32) -> u32 {
        self.physical_cores.checked_div(lnc).unwrap_or_default()
    }

    /// Logical cores of an instance.
    #[must_use]
    pub fn cores_per_instance(&self, lnc: u32) -> u32 {
        self.cores_per_device(lnc).saturating_mul(self.devices_per_instance)
    }

    /// The LNC when nothing says it.
    #[must_use]
    pub fn default_lnc(&self) -> u32 {
        self.lnc.last().copied().unwrap_or(1)
    }

    /// A rule by its id.
    #[must_use]
    pub fn rule(&self, id: &str) -> Option<&PlatformRule> {
        self.rules.iter().chain(&self.multi_instance).find(|rule| rule.id == id)
    }
}

/// The file as it stands.
#[derive(Deserialize)]
struct Table {
    sources: BTreeMap<String, String>,
    identify: Identify,
    core_map_v0: CoreMap,
    platforms: serde_json::Map<String, serde_json::Value>,
}

#[derive(Deserialize)]
struct Identify {
    ties: Vec<Vec<String>>,
}

#[derive(Deserialize)]
struct CoreMap {
    by_device: Vec<Vec<u32>>,
}

/// A platform as it stands. Each has a part of the keys.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Row {
    arch: String,
    same_as: Option<String>,
    member: Option<String>,
    instances: Option<u32>,
    servers: Option<u32>,
    devices: u32,
    devices_per_server: Option<u32>,
    graph: String,
    neighbours: Option<Vec<Vec<u32>>>,
    neighbours_docs_order: Option<Vec<Vec<u32>>>,
    neighbours_driver_order: Option<Vec<Vec<u32>>>,
    nc_per_device: Option<u32>,
    nc_per_device_physical: Option<u32>,
    lnc: Vec<u32>,
    memory_gib_per_device: u32,
    vcpus: Option<u32>,
    efa: Option<u32>,
    cc_cores_per_device: u32,
    top_sp_of_core: Option<TopSpOfCore>,
    legal_groups: Vec<GroupRow>,
    rules: Vec<PlatformRule>,
    multi_instance: Option<PlatformRule>,
    node_counts: Option<PlatformRule>,
    z_order: Option<PlatformRule>,
    die_flip: Option<PlatformRule>,
}

#[derive(Deserialize)]
struct TopSpOfCore {
    top_sps_per_core: u32,
}

#[derive(Deserialize)]
struct GroupRow {
    cores: serde_json::Value,
    shape: String,
    #[serde(default)]
    k: String,
    #[serde(default)]
    wrap: bool,
    #[serde(default)]
    device_sets: Vec<Vec<u32>>,
    #[serde(default)]
    lnc: Vec<u32>,
    since_runtime: Option<String>,
    source: Vec<String>,
    confidence: Basis,
    #[serde(default)]
    detail: String,
}

impl From<Table> for Facts {
    fn from(table: Table) -> Self {
        let platforms = table.platforms.keys().filter_map(|name| platform(name, &table.platforms)).collect();
        Self { platforms, sources: table.sources, ties: table.identify.ties, core_map: table.core_map_v0.by_device }
    }
}

/// A platform with the keys of the one whose facts it shares, or whose instances it has, put under its own.
fn platform(name: &str, all: &serde_json::Map<String, serde_json::Value>) -> Option<Platform> {
    let own = all.get(name)?.as_object()?;
    let base = own.get("same_as").or_else(|| own.get("member")).and_then(serde_json::Value::as_str);
    let mut keys = serde_json::Map::new();
    let mut under = base;
    let mut layers = vec![own];
    // A base has a base of its own where an UltraServer's member shares the facts of another size.
    while let Some(base) = under.and_then(|base| all.get(base)).and_then(serde_json::Value::as_object) {
        if layers.len() > all.len() {
            return None;
        }
        layers.push(base);
        under = base.get("same_as").and_then(serde_json::Value::as_str);
    }
    for layer in layers.into_iter().rev() {
        keys.extend(layer.iter().map(|(key, value)| (key.clone(), value.clone())));
    }
    let row: Row = serde_json::from_value(serde_json::Value::Object(keys)).ok()?;
    Some(resolve(name, row))
}

fn resolve(name: &str, row: Row) -> Platform {
    let instances = row.instances.or(row.servers).unwrap_or(1);
    let extra = [row.node_counts, row.z_order, row.die_flip].into_iter().flatten();
    Platform {
        name: name.to_owned(),
        arch: CollectiveArch::parse(&row.arch).unwrap_or(CollectiveArch::Cayman),
        devices_per_instance: row
            .devices_per_server
            .unwrap_or_else(|| row.devices.checked_div(instances).unwrap_or_default()),
        instances,
        graph: row.graph,
        neighbours: row.neighbours_docs_order.or(row.neighbours),
        neighbours_in_driver_order: row.neighbours_driver_order,
        physical_cores: row.nc_per_device_physical.or(row.nc_per_device).unwrap_or_default(),
        lnc: row.lnc,
        memory_gib: row.memory_gib_per_device,
        vcpus: row.vcpus,
        efa: row.efa,
        top_sps: row.cc_cores_per_device,
        top_sps_per_core: row.top_sp_of_core.map(|of_core| of_core.top_sps_per_core),
        legal_groups: row.legal_groups.into_iter().filter_map(GroupRow::resolve).collect(),
        rules: row.rules.into_iter().chain(extra).collect(),
        multi_instance: row.multi_instance,
        same_as: row.same_as.filter(|_| row.member.is_none()),
    }
}

impl GroupRow {
    fn resolve(self) -> Option<LegalGroup> {
        let shape = match self.shape.as_str() {
            "any" => Shape::Any,
            "device" => Shape::Device,
            "within-device" => Shape::WithinDevice,
            "adjacent-cores" => Shape::AdjacentCores,
            "device-sets" => Shape::DeviceSets(self.device_sets),
            "contiguous-devices" => Shape::ContiguousDevices { wraps: self.wrap },
            "one-per-device" => Shape::OnePerDevice,
            "whole" => Shape::Whole,
            "instances" => Shape::Instances,
            _ => return None,
        };
        Some(LegalGroup {
            cores: counts(&self.cores, &self.k)?,
            shape,
            lnc: self.lnc,
            since_runtime: self.since_runtime,
            source: self.source,
            confidence: self.confidence,
            detail: self.detail,
        })
    }
}

/// `4`, `[8, 16]`, `"2*k"` with `"2..6"` or `"2.."`, `"whole instances"` with `"1, 2, 4"`.
fn counts(cores: &serde_json::Value, k: &str) -> Option<Counts> {
    let number = |text: &str| text.trim().parse().ok();
    match cores {
        serde_json::Value::String(text) => match text.strip_suffix("*k") {
            Some(unit) => {
                let (least, most) = k.split_once("..")?;
                Some(Counts::Multiples { unit: number(unit)?, least: number(least)?, most: number(most) })
            }
            None => Some(Counts::Instances(k.split(',').filter_map(number).collect())),
        },
        one_or_more => {
            let one = serde_json::Value::Array(vec![one_or_more.clone()]);
            let listed = if one_or_more.is_array() { one_or_more } else { &one };
            serde_json::from_value(listed.clone()).ok().map(Counts::Listed)
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail so")]
#[allow(clippy::as_conversions, reason = "small numbers")]
mod tests {
    use super::*;

    #[test]
    fn every_platform_of_the_table_is_read_whole() {
        let table: serde_json::Value = serde_json::from_str(include_str!("facts.json")).unwrap();
        let rows = table["platforms"].as_object().unwrap();
        let facts = Facts::get();
        assert_eq!(facts.platforms.len(), rows.len());
        for platform in &facts.platforms {
            let row = &rows[&platform.name];
            let base = row.get("same_as").or(row.get("member")).and_then(|name| name.as_str());
            let own = if row.get("legal_groups").is_some() { row } else { &rows[base.unwrap()] };
            assert_eq!(platform.legal_groups.len(), own["legal_groups"].as_array().unwrap().len(), "{}", platform.name);
            assert!(platform.physical_cores > 0 && platform.top_sps > 0 && !platform.lnc.is_empty());
            assert!(platform.devices_per_instance > 0 && platform.memory_gib > 0, "{}", platform.name);
            if let Some(neighbours) = &platform.neighbours {
                assert_eq!(neighbours.len(), usize::try_from(platform.devices_per_instance).unwrap());
                for (device, list) in (0_u32..).zip(neighbours) {
                    assert!(
                        list.iter().all(|other| neighbours[*other as usize].contains(&device)),
                        "{}",
                        platform.name
                    );
                }
            }
        }
        assert_eq!(facts.core_map.len(), 16);
        for map in &facts.core_map {
            let mut sorted = map.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2, 3, 4, 5, 6, 7]);
        }
    }

    #[test]
    fn shared_facts_are_found_and_own_ones_win() {
        let facts = Facts::get();
        let efa = |name| facts.platform(name).unwrap().efa;
        assert_eq!((efa("trn1.32xlarge"), efa("trn1n.32xlarge")), (Some(8), Some(16)));
        let server = facts.platform("trn2u.48xlarge-ultraserver").unwrap();
        assert_eq!((server.instances, server.devices_per_instance, server.top_sps_per_core), (4, 16, Some(2)));
        assert!(server.rule("US-FLIP").is_some() && server.rule("TRN2-MULTI").is_some());
        assert_eq!(server.legal_groups.len(), 1);
        let gen2 = facts.platform("trn3.gen2-ultraserver").unwrap();
        assert_eq!((gen2.instances, gen2.devices_per_instance, &gen2.neighbours), (36, 4, &None));
    }

    #[test]
    fn counts_are_read_in_all_their_forms() {
        let cores = |name: &str, index: usize| Facts::get().platform(name).unwrap().legal_groups[index].cores.clone();
        assert_eq!(cores("inf2.24xlarge", 2), Counts::Multiples { unit: 2, least: 2, most: Some(6) });
        assert_eq!(cores("trn1.32xlarge", 6), Counts::Multiples { unit: 32, least: 2, most: None });
        assert_eq!(cores("trn2.48xlarge", 3), Counts::Listed(vec![8, 16, 32]));
        assert_eq!(cores("trn2u.48xlarge-ultraserver", 0), Counts::Instances(vec![1, 2, 4]));
    }
}
