//! The model: devices with links, and logical cores with ranks.

use core::fmt;
use std::collections::{BTreeSet, HashMap};

use trnwire::arch::CollectiveArch;

use super::core_map::{CoreMap, top_sps};
use super::facts::{Facts, Platform};
use super::listing::{Listing, ListingError};
use super::notes::findings;
use super::recognise::{Fit, FitKind, Recognised, fit};
use super::rules;
use crate::rule::Finding;

/// Where an instance is known from.
#[derive(Clone, Debug)]
pub enum Source {
    /// What neuron-ls printed, and the name of the file.
    Listing(String, Listing),
    /// A platform that is known; one that is sold as several instances gives all of them.
    Platform(&'static Platform),
}

/// What a listing does not say.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The platform of every listing.
    pub platform: Option<&'static Platform>,
    /// Physical cores of a logical one; what a listing says must agree.
    pub lnc: Option<u32>,
    /// How logical cores lie on physical ones.
    pub core_map: CoreMap,
    /// The instances are the nodes of an UltraServer, in this order.
    pub ultraserver: bool,
}

/// Devices, links and cores of one or several instances.
#[derive(Clone, Debug)]
pub struct Topology {
    /// In the order of the inputs.
    pub instances: Vec<Instance>,
    /// Of all instances, one behind the other.
    pub devices: Vec<Device>,
    /// Logical cores in the order of their ranks.
    pub cores: Vec<Core>,
    /// The links.
    pub links: Links,
    /// Physical cores of a logical one.
    pub lnc: u32,
    /// How logical cores lie on physical ones, as it applies here.
    pub core_map: CoreMap,
    /// What there is to say about the inputs.
    pub findings: Vec<Finding>,
}

/// An instance.
#[derive(Clone, Debug)]
pub struct Instance {
    /// Its id, where it is printed.
    pub id: Option<String>,
    /// Which platform it is.
    pub recognised: Recognised,
    /// Its devices, as indices.
    pub devices: core::ops::Range<usize>,
    /// Its ranks.
    pub ranks: core::ops::Range<u32>,
    /// It is this node of an UltraServer.
    pub node: Option<u32>,
}

/// A device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// The number of its instance.
    pub instance: usize,
    /// Its number on the host.
    pub id: u32,
    /// Its number in the listing, which is another one in a container that sees a part.
    pub listed_id: u32,
    /// Its PCI address, where known.
    pub bdf: Option<String>,
    /// Its memory in bytes, where known.
    pub memory_bytes: Option<u64>,
    /// Logical cores.
    pub cores: u32,
}

/// A logical core, which is a rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Core {
    /// Its device, as an index.
    pub device: usize,
    /// Its number on the device.
    pub index: u32,
    /// Its physical cores on the device.
    pub physical: Vec<u32>,
    /// The top-SPs that serve it, by the runtime's numbers.
    pub top_sps: Vec<u32>,
}

/// How devices reach each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Links {
    /// By these links, and over the network between instances that have none.
    Direct(Vec<Link>),
    /// Through switches whose paths are not public.
    Switched,
}

/// A link between two devices, given as indices, the lower one first. It carries data both ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Link {
    /// One device.
    pub a: usize,
    /// The other one.
    pub b: usize,
    /// Which kind of link.
    pub kind: LinkKind,
}

/// Kinds of links.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LinkKind {
    /// Between devices of one instance.
    Within,
    /// Between equal devices of neighbouring nodes of an UltraServer.
    Between,
}

/// Why there is no model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TopologyError {
    /// A listing cannot be read.
    Listing(String, ListingError),
    /// The instances do not go together, or with the options.
    Conflict(String),
}

impl fmt::Display for TopologyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Listing(name, error) => write!(f, "{name}: {error}"),
            Self::Conflict(what) => f.write_str(what),
        }
    }
}

impl core::error::Error for TopologyError {}

fn conflict<T>(what: impl Into<String>) -> Result<T, TopologyError> {
    Err(TopologyError::Conflict(what.into()))
}

impl Topology {
    /// The model of some instances.
    ///
    /// # Errors
    /// Instances with different LNC, an LNC that the platform does not have, UltraServer nodes that are none.
    pub fn new(sources: &[Source], options: &Options) -> Result<Self, TopologyError> {
        let mut topology = Self {
            instances: Vec::new(),
            devices: Vec::new(),
            cores: Vec::new(),
            links: Links::Direct(Vec::new()),
            lnc: 1,
            core_map: options.core_map,
            findings: Vec::new(),
        };
        let mut neighbours: Vec<Vec<u32>> = Vec::new();
        for source in sources {
            match source {
                Source::Listing(name, listing) => topology.add_listing(name, listing, options, &mut neighbours)?,
                Source::Platform(platform) => topology.add_platform(platform, options, &mut neighbours)?,
            }
        }
        if topology.instances.is_empty() {
            return conflict("no instance is given");
        }
        topology.link(neighbours, options)?;
        topology.add_cores();
        Ok(topology)
    }

    fn set_lnc(&mut self, lnc: u32, what: &str) -> Result<(), TopologyError> {
        if !self.instances.is_empty() && lnc != self.lnc {
            return conflict(format!("{what} has LNC {lnc}, the instances before it {}", self.lnc));
        }
        self.lnc = lnc;
        Ok(())
    }

    fn add_listing(
        &mut self,
        name: &str,
        listing: &Listing,
        options: &Options,
        neighbours: &mut Vec<Vec<u32>>,
    ) -> Result<(), TopologyError> {
        let mut recognised = Recognised::of(listing);
        if let Some(platform) = options.platform {
            recognised =
                Recognised { fit: fit(listing, platform), candidates: vec![platform], by_name: true, hint: None };
        }
        let lnc = listing.lnc.unwrap_or(1);
        if let Some(asked) = options.lnc.filter(|asked| *asked != lnc) {
            return conflict(format!("{name}: it has LNC {lnc}, and {asked} is asked for"));
        }
        self.set_lnc(lnc, name)?;
        // In a container's own numbers a device may well be linked with the host's device of its number.
        let is_renumbered = recognised.fit.as_ref().is_some_and(|fit| fit.kind == FitKind::Renumbered);
        let mut own =
            listing.devices.iter().filter(|device| device.neighbours.iter().flatten().any(|id| *id == device.id));
        if let Some(device) = own.next().filter(|_| !is_renumbered) {
            return conflict(format!("{name}: device {} is linked with itself", device.id));
        }
        self.findings.extend(findings(name, listing, &recognised, options.platform.is_some()));
        let first = self.devices.len();
        let host_ids = recognised.fit.as_ref().map(|fit| fit.devices.clone());
        let host_ids = host_ids.unwrap_or_else(|| listing.devices.iter().map(|device| device.id).collect());
        for (device, id) in listing.devices.iter().zip(host_ids) {
            self.devices.push(Device {
                instance: self.instances.len(),
                id,
                listed_id: device.id,
                bdf: device.bdf.clone(),
                memory_bytes: device.memory_bytes,
                cores: device.cores,
            });
            neighbours.push(device.neighbours.clone().unwrap_or_default());
        }
        self.instances.push(Instance {
            id: listing.instance_id.clone(),
            recognised,
            devices: first..self.devices.len(),
            ranks: 0..0,
            node: None,
        });
        Ok(())
    }

    fn add_platform(
        &mut self,
        platform: &'static Platform,
        options: &Options,
        neighbours: &mut Vec<Vec<u32>>,
    ) -> Result<(), TopologyError> {
        let lnc = options.lnc.unwrap_or_else(|| platform.default_lnc());
        if !platform.lnc.contains(&lnc) {
            return conflict(format!("{} has no LNC {lnc}", platform.name));
        }
        self.set_lnc(lnc, &platform.name)?;
        for _ in 0..platform.instances {
            let first = self.devices.len();
            for id in 0..platform.devices_per_instance {
                self.devices.push(Device {
                    instance: self.instances.len(),
                    id,
                    listed_id: id,
                    bdf: None,
                    memory_bytes: Some(u64::from(platform.memory_gib).wrapping_shl(30)),
                    cores: platform.cores_per_device(lnc),
                });
                let of_device = usize::try_from(id).ok().and_then(|id| platform.neighbours.as_ref()?.get(id));
                neighbours.push(of_device.cloned().unwrap_or_default());
            }
            let devices = first..self.devices.len();
            let fit = Some(Fit { kind: FitKind::Whole, devices: (0..platform.devices_per_instance).collect() });
            let recognised = Recognised { candidates: vec![platform], fit, by_name: true, hint: None };
            self.instances.push(Instance { id: None, recognised, devices, ranks: 0..0, node: None });
        }
        Ok(())
    }

    /// Joins devices, and nodes of an UltraServer.
    fn link(&mut self, neighbours: Vec<Vec<u32>>, options: &Options) -> Result<(), TopologyError> {
        let of_several = |platform: &&Platform| platform.instances > 1;
        let sold_as_one = self.instances.first().and_then(Instance::platform).filter(of_several);
        if let Some(platform) = sold_as_one.filter(|platform| platform.neighbours.is_none()) {
            self.links = Links::Switched;
            self.findings.push(Finding::new(&rules::SWITCHED, platform.name.clone(), platform.graph.clone()));
            return Ok(());
        }
        let mut links = BTreeSet::new();
        for instance in &self.instances {
            let by_id: HashMap<u32, usize> =
                instance.devices.clone().filter_map(|index| Some((self.devices.get(index)?.id, index))).collect();
            for index in instance.devices.clone() {
                let known = neighbours.get(index).into_iter().flatten().filter_map(|id| by_id.get(id));
                links.extend(known.map(|&other| Link {
                    a: index.min(other),
                    b: index.max(other),
                    kind: LinkKind::Within,
                }));
            }
        }
        if options.ultraserver || sold_as_one.is_some() {
            self.join_nodes(&mut links)?;
        }
        self.links = Links::Direct(links.into_iter().collect());
        Ok(())
    }

    /// Equal devices of nodes next to each other on the ring of nodes are linked.
    fn join_nodes(&mut self, links: &mut BTreeSet<Link>) -> Result<(), TopologyError> {
        let count = self.instances.len();
        if !matches!(count, 1 | 2 | 4) {
            return conflict(format!("{count} nodes: a job on an UltraServer has 4, 2 or 1 (US-NODES)"));
        }
        let is_node = |platform: &&Platform| platform.name.starts_with("trn2u.");
        let can_be =
            |instance: &&Instance| instance.recognised.candidates.iter().copied().any(|platform| is_node(&platform));
        if let Some(other) = self.instances.iter().find(|instance| !can_be(instance)) {
            let name = other.platform().map_or("an unknown platform", |platform| platform.name.as_str());
            return conflict(format!("{name}: no node of an UltraServer, which are trn2u.48xlarge"));
        }
        for (number, instance) in self.instances.iter_mut().enumerate() {
            instance.node = u32::try_from(number).ok();
        }
        for (number, instance) in self.instances.iter().enumerate().filter(|_| count > 1) {
            let Some(next) = self.instances.get(number.wrapping_add(1).checked_rem(count).unwrap_or_default()) else {
                continue;
            };
            for index in instance.devices.clone() {
                let Some(id) = self.devices.get(index).map(|device| device.id) else { continue };
                let equal =
                    next.devices.clone().find(|other| self.devices.get(*other).is_some_and(|other| other.id == id));
                links.extend(equal.map(|other| Link {
                    a: index.min(other),
                    b: index.max(other),
                    kind: LinkKind::Between,
                }));
            }
        }
        if count > 2 {
            let order: Vec<_> = (0..count).chain([0]).map(|node| node.to_string()).collect();
            self.findings.push(Finding::new(&rules::Z_ORDER, "", format!("nodes {} are linked", order.join("-"))));
        }
        Ok(())
    }

    /// Gives every logical core its rank, its physical cores and its top-SPs.
    fn add_cores(&mut self) {
        let mut rank = 0_u32;
        for instance in &mut self.instances {
            let first = rank;
            let platform = instance.recognised.candidates.first().copied();
            // The second die comes first on odd nodes.
            let flipped = instance.node.is_some_and(|node| node % 2 == 1);
            for index in instance.devices.clone() {
                let Some(device) = self.devices.get(index) else { continue };
                for core in 0..device.cores {
                    let physical = match platform {
                        Some(platform) => {
                            let (map, _) = self.core_map.on(platform);
                            map.physical(device.id, core, self.lnc, flipped)
                        }
                        None => CoreMap::Identity.physical(device.id, core, self.lnc, false),
                    };
                    let top_sps = platform.map(|platform| top_sps(platform, &physical)).unwrap_or_default();
                    self.cores.push(Core { device: index, index: core, physical, top_sps });
                    rank = rank.saturating_add(1);
                }
            }
            instance.ranks = first..rank;
        }
    }

    /// The architecture, where a platform is known.
    #[must_use]
    pub fn arch(&self) -> Option<CollectiveArch> {
        self.instances.iter().find_map(Instance::platform).map(|platform| platform.arch)
    }

    /// The logical core of a rank.
    #[must_use]
    pub fn core(&self, rank: u32) -> Option<&Core> {
        self.cores.get(usize::try_from(rank).ok()?)
    }

    /// The device of a rank.
    #[must_use]
    pub fn device_of(&self, rank: u32) -> Option<&Device> {
        self.devices.get(self.core(rank)?.device)
    }

    /// The ranks on a device, given as an index.
    #[must_use]
    pub fn ranks_of(&self, device: usize) -> core::ops::Range<u32> {
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let first = number(self.cores.partition_point(|core| core.device < device));
        let end = number(self.cores.partition_point(|core| core.device <= device));
        first..end
    }

    /// The rank of a logical core.
    #[must_use]
    pub fn rank_at(&self, device: usize, index: u32) -> Option<u32> {
        let ranks = self.ranks_of(device);
        ranks.start.checked_add(index).filter(|rank| ranks.contains(rank))
    }

    /// The devices that each device is linked with, in ascending order. Behind switches there is none.
    #[must_use]
    pub fn adjacency(&self) -> Vec<Vec<usize>> {
        let mut all = vec![Vec::new(); self.devices.len()];
        if let Links::Direct(links) = &self.links {
            for link in links {
                for (from, to) in [(link.a, link.b), (link.b, link.a)] {
                    if let Some(list) = all.get_mut(from) {
                        list.push(to);
                    }
                }
            }
        }
        all.iter_mut().for_each(|list| list.sort_unstable());
        all
    }

    /// Whether two instances reach each other by address: they are one, or nodes of an UltraServer, or behind one set of
    /// switches.
    #[must_use]
    pub fn same_pod(&self, a: usize, b: usize) -> bool {
        let node = |index: usize| self.instances.get(index).and_then(|instance| instance.node);
        a == b || self.links == Links::Switched || node(a).is_some() && node(b).is_some()
    }
}

impl Instance {
    /// Its platform: the first one where several look alike, whose facts are the same but for the name.
    #[must_use]
    pub fn platform(&self) -> Option<&'static Platform> {
        self.recognised.hint.or_else(|| self.recognised.candidates.first().copied())
    }
}

/// A platform by name; an error says which are known.
///
/// # Errors
/// No platform has this name.
pub fn platform(name: &str) -> Result<&'static Platform, TopologyError> {
    let facts = Facts::get();
    let names = || facts.platforms.iter().map(|platform| platform.name.as_str()).collect::<Vec<_>>().join(", ");
    facts.platform(name).map_or_else(|| conflict(format!("no platform {name:?}; known are {}", names())), Ok)
}
