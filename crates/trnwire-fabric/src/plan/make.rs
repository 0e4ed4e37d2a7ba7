//! From groups to a plan.

use trnwire::arch::CollectiveArch;
use trnwire::ring::RING_ROWS;

use super::allocate::{Allocation, TopSp, of_channel};
use super::graph::Graph;
use super::order::{Ring, rings};
use super::{
    Algorithm, Collective, PLAN_VERSION, Plan, PlanDevice, PlanError, PlanInstance, PlanOp, PlanRank, PlanRow,
    kangaring,
};
use crate::route;
use crate::topology::{Device, Topology};

/// What is planned.
#[derive(Clone, Debug)]
pub struct Request {
    /// Groups of ranks, each an op of its own.
    pub groups: Vec<Vec<u32>>,
    /// The algorithm; by default a kangaring for whole chips of those that have it, else a ring.
    pub algorithm: Option<Algorithm>,
    /// What the groups do.
    pub collective: Collective,
    /// Channels of each group, 1..=32.
    pub channels: u32,
    /// Pieces of a chunk, 1..=32.
    pub halves: u32,
    /// Passes over the schedule.
    pub chunk_groups: u32,
    /// Slots of every edge; by default as many as keep every ring alive.
    pub slots: Option<u32>,
    /// The order of the rings.
    pub order: Given,
    /// Chooses among cycles; 0 goes by numbers.
    pub seed: u64,
}

/// Who says in which order a ring visits its ranks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Given {
    /// The links do.
    #[default]
    Links,
    /// Somebody did: orders of ranks, used in turn by the channels.
    Ranks(Vec<Vec<u32>>),
}

impl Default for Request {
    fn default() -> Self {
        Self {
            groups: Vec::new(),
            algorithm: None,
            collective: Collective::AllReduce,
            channels: 1,
            halves: 2,
            chunk_groups: 1,
            slots: None,
            order: Given::Links,
            seed: 0,
        }
    }
}

/// A plan, and how its rings lie.
#[derive(Clone, Debug)]
pub struct Planned {
    /// The plan.
    pub plan: Plan,
    /// The rings over devices of each op; its channels take them in turn.
    pub rings: Vec<Vec<Ring>>,
    /// Groups of one rank, which need no ring and have no op.
    pub alone: Vec<usize>,
}

/// Slots that are always enough: one more than pieces keep an equal ring alive, and one more keeps it busy.
const SPARE_SLOTS: u32 = 2;
/// Slots on a scratchpad.
const SCRATCHPAD_SLOTS: u8 = trnwire::ring::DEFAULT_SLOT_LIMIT;
/// Queue bundles of one physical core.
const BUNDLES: u8 = 4;

/// Plans the groups over the topology.
///
/// # Errors
/// Groups that are none, options out of range, or more channels than are free.
pub fn plan(topology: &Topology, request: &Request) -> Result<Planned, PlanError> {
    let arch = topology.arch().ok_or(PlanError::NoPlatform)?;
    check_options(request)?;
    let graph = Graph::of(topology);
    let mut planner = Planner {
        topology,
        request,
        graph,
        allocation: Allocation::default(),
        planned: Planned { plan: places(topology, arch), rings: Vec::new(), alone: Vec::new() },
    };
    for (number, group) in request.groups.iter().enumerate() {
        planner.check(number, group)?;
        if group.len() == 1 {
            planner.planned.alone.push(number);
        } else if !group.is_empty() {
            planner.add(number, group)?;
        }
    }
    Ok(planner.planned)
}

fn check_options(request: &Request) -> Result<(), PlanError> {
    let option = |name, value: u32, most, range| {
        if (1..=most).contains(&value) { Ok(()) } else { Err(PlanError::Option { name, value, range }) }
    };
    option("channels", request.channels, u32::try_from(RING_ROWS).unwrap_or_default(), "1..=32")?;
    option("halves", request.halves, 32, "1..=32")?;
    option("chunk groups", request.chunk_groups, 1 << 16, "1..=65536")?;
    option("slots", request.slots.unwrap_or(1), 511, "1..=511")
}

/// Instances, devices and ranks as the plan has them.
fn places(topology: &Topology, arch: CollectiveArch) -> Plan {
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let pods = route::pods(topology);
    let instances = topology.instances.iter().zip(&pods).map(|(instance, pod)| PlanInstance {
        name: instance.id.clone(),
        platform: instance.platform().map(|platform| platform.name.clone()),
        lnc: topology.lnc,
        pod: *pod,
    });
    let pod_of = |device: &Device| pods.get(device.instance).copied();
    let devices = topology.devices.iter().enumerate().map(|(index, device)| {
        let before = topology.devices.iter().take(index).filter(|other| pod_of(other) == pod_of(device)).count();
        let route = route::of_index(arch, before).map(|route| format!("{route:#06x}"));
        PlanDevice { instance: number(device.instance), device: device.id, route }
    });
    let ranks = (0_u32..).zip(&topology.cores).map(|(rank, core)| {
        let device = topology.devices.get(core.device);
        PlanRank {
            rank,
            instance: device.map_or(0, |device| number(device.instance)),
            device: device.map_or(0, |device| device.id),
            core: core.index,
            physical_cores: core.physical.clone(),
            top_sps: core.top_sps.clone(),
        }
    });
    Plan {
        trnwire_plan: PLAN_VERSION,
        written_by: concat!("trnwire ", env!("CARGO_PKG_VERSION")).to_owned(),
        arch: arch.name().to_owned(),
        instances: instances.collect(),
        devices: devices.collect(),
        ranks: ranks.collect(),
        ops: Vec::new(),
        rows: Vec::new(),
    }
}

struct Planner<'a> {
    topology: &'a Topology,
    request: &'a Request,
    graph: Graph,
    allocation: Allocation,
    planned: Planned,
}

/// A ring as ranks: members of kangaring groups, the primary first, or single ranks.
struct RankRing {
    groups: Vec<Vec<u32>>,
}

impl Planner<'_> {
    fn check(&self, number: usize, group: &[u32]) -> Result<(), PlanError> {
        let ranks = self.topology.cores.len();
        let mut seen = std::collections::HashSet::new();
        for &rank in group {
            if self.topology.core(rank).is_none() {
                return Err(PlanError::Rank { group: number, rank, ranks });
            }
            if !seen.insert(rank) {
                return Err(PlanError::Twice { group: number, rank });
            }
        }
        Ok(())
    }

    fn algorithm(&self, number: usize, group: &[u32]) -> Result<Algorithm, PlanError> {
        let is_given = self.request.order != Given::Links;
        match (self.request.algorithm, kangaring::refused(self.topology, group)) {
            (Some(Algorithm::Kangaring), Some(why)) => Err(PlanError::Kangaring { group: number, why }),
            (Some(Algorithm::Ring), _) | (None, Some(_)) => Ok(Algorithm::Ring),
            (None, None) if is_given => Ok(Algorithm::Ring),
            (Some(Algorithm::Kangaring) | None, None) => Ok(Algorithm::Kangaring),
        }
    }

    fn add(&mut self, number: usize, group: &[u32]) -> Result<(), PlanError> {
        let algorithm = self.algorithm(number, group)?;
        let top_sps: Vec<Vec<TopSp>> = group.iter().map(|rank| self.top_sps(*rank)).collect();
        let channels = self.allocation.channels(&top_sps, self.request.channels);
        let fit = u32::try_from(channels.len()).unwrap_or_default();
        if fit < self.request.channels {
            return Err(PlanError::Channels { group: number, asked: self.request.channels, fit });
        }
        let mut devices: Vec<usize> = group.iter().filter_map(|rank| Some(self.topology.core(*rank)?.device)).collect();
        devices.sort_unstable();
        devices.dedup();
        let rings = rings(self.topology, &self.graph, &devices, self.request.seed);
        let op = u32::try_from(self.planned.plan.ops.len()).unwrap_or(u32::MAX);
        for (index, &channel) in channels.iter().enumerate() {
            let ring = self.ring(number, group, algorithm, &rings, index)?;
            self.rows(op, channel, algorithm, &ring)?;
        }
        let group_size = match algorithm {
            Algorithm::Ring => 1,
            Algorithm::Kangaring if self.topology.lnc == 2 => 2,
            Algorithm::Kangaring => 4,
        };
        self.planned.plan.ops.push(PlanOp {
            id: op,
            algorithm,
            collective: self.request.collective,
            ranks: group.to_vec(),
            channels,
            halves: self.request.halves,
            groups: self.request.chunk_groups,
            group_size,
        });
        self.planned.rings.push(rings);
        Ok(())
    }

    /// The ring of the channel with this index.
    fn ring(
        &self,
        number: usize,
        group: &[u32],
        algorithm: Algorithm,
        rings: &[Ring],
        index: usize,
    ) -> Result<RankRing, PlanError> {
        if let Given::Ranks(orders) = &self.request.order {
            let order = orders.get(index.checked_rem(orders.len()).unwrap_or_default());
            return given_order(number, group, order);
        }
        let Some(ring) = rings.get(index.checked_rem(rings.len()).unwrap_or_default()) else {
            return Err(PlanError::Order { group: number, why: "it has no devices".to_owned() });
        };
        let mut sorted = group.to_vec();
        sorted.sort_unstable();
        let mut groups = Vec::new();
        for &device in &ring.devices {
            match algorithm {
                Algorithm::Ring => {
                    let on_device = self.topology.ranks_of(device).filter(|rank| sorted.binary_search(rank).is_ok());
                    groups.extend(on_device.map(|rank| vec![rank]));
                }
                // Roles swap between cycles, so that each rank is busy in its share of them.
                Algorithm::Kangaring => {
                    for mut members in kangaring::groups_of_device(self.topology, device) {
                        let shift = self.role(ring, index, rings.len()).checked_rem(members.len()).unwrap_or_default();
                        members.rotate_left(shift);
                        groups.push(members);
                    }
                }
            }
        }
        Ok(RankRing { groups })
    }

    /// Which member is the primary: the cycle's number, and one more each time that the rings begin anew.
    fn role(&self, ring: &Ring, index: usize, rings: usize) -> usize {
        let turn = index.checked_div(rings).unwrap_or_default();
        ring.cycle.saturating_add(turn)
    }

    fn top_sps(&self, rank: u32) -> Vec<TopSp> {
        let Some(place) = self.planned.plan.rank(rank) else { return Vec::new() };
        place.top_sps.iter().map(|top_sp| (place.instance, place.device, *top_sp)).collect()
    }

    fn rows(&mut self, op: u32, channel: u8, algorithm: Algorithm, ring: &RankRing) -> Result<(), PlanError> {
        let count = ring.groups.len();
        let primary_at = |index: usize| {
            ring.groups.get(index.checked_rem(count).unwrap_or_default()).and_then(|group| group.first()).copied()
        };
        let slots = self.request.slots.unwrap_or_else(|| self.request.halves.saturating_add(SPARE_SLOTS));
        for (index, group) in ring.groups.iter().enumerate() {
            let before = index.saturating_add(count).saturating_sub(1);
            for (member, &rank) in group.iter().enumerate() {
                let Some(top_sp) = of_channel(&self.top_sps(rank), channel) else {
                    return Err(PlanError::Semaphores { rank, top_sp: 0 });
                };
                let taken = self.allocation.row::<5>(top_sp, channel);
                let [recv_sema, send_sema, post_sema, dma_compl_sema, peer] =
                    taken.ok_or(PlanError::Semaphores { rank, top_sp: top_sp.2 })?;
                let is_walking = member == 0;
                let is_kangaring = algorithm == Algorithm::Kangaring;
                self.planned.plan.rows.push(PlanRow {
                    op,
                    rank,
                    channel,
                    top_sp: top_sp.2,
                    next: primary_at(index.saturating_add(1)).filter(|_| is_walking),
                    prev: primary_at(before).filter(|_| is_walking),
                    primary: group.first().copied().filter(|_| is_kangaring),
                    peers: if is_kangaring { kangaring::peers(self.topology, rank, group) } else { Vec::new() },
                    slots: is_walking.then_some(slots),
                    spad_slot: channel.checked_rem(SCRATCHPAD_SLOTS).unwrap_or_default(),
                    recv_sema,
                    send_sema,
                    post_sema,
                    dma_compl_sema,
                    peer_sema: is_kangaring.then_some(peer),
                    qbundle: self.bundle(top_sp.2, channel),
                });
            }
        }
        Ok(())
    }

    /// The bundle of a channel: those of the first physical core of a logical one, or of the second, as the top-SP's core is.
    /// SUNDA's registers are not known.
    fn bundle(&self, top_sp: u32, channel: u8) -> Option<u8> {
        let platform = self.topology.instances.first()?.platform()?;
        let each = platform.top_sps.checked_div(platform.physical_cores)?;
        let core = top_sp.checked_div(each)?;
        let base = if self.topology.lnc == 2 && core % 2 == 1 { BUNDLES } else { 0 };
        (platform.arch != CollectiveArch::Sunda)
            .then(|| base.saturating_add(channel.checked_rem(BUNDLES).unwrap_or_default()))
    }
}

/// A ring in the order that somebody gave, which must be the group's.
fn given_order(number: usize, group: &[u32], order: Option<&Vec<u32>>) -> Result<RankRing, PlanError> {
    let refuse = |why: String| Err(PlanError::Order { group: number, why });
    let Some(order) = order else { return refuse("no order is given".to_owned()) };
    let (mut wanted, mut given) = (group.to_vec(), order.clone());
    wanted.sort_unstable();
    given.sort_unstable();
    if let Some(rank) = given.iter().find(|rank| wanted.binary_search(rank).is_err()) {
        return refuse(format!("rank {rank} is not in the group"));
    }
    if let Some(rank) = wanted.iter().find(|rank| given.binary_search(rank).is_err()) {
        return refuse(format!("rank {rank} of the group is not in it"));
    }
    if given.len() != wanted.len() {
        return refuse(format!("{} ranks for a group of {}", given.len(), wanted.len()));
    }
    Ok(RankRing { groups: order.iter().map(|rank| vec![*rank]).collect() })
}
