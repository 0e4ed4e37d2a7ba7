//! From a plan to the records of every top-SP, as a snapshot in which nothing has moved yet.

use core::fmt;
use std::collections::{BTreeMap, HashMap};

use trnwire::arch::CollectiveArch;
use trnwire::block::View;
use trnwire::mesh::MeshEvent;
use trnwire::ring::{
    ApbBroadcast, Broadcast, ChannelDescription, DEFAULT_SLOT_LIMIT, Derivation, NeighborDescription, PeerDescription,
    PopulateError, QUEUE_BUNDLES, QueueBundle, RING_ROWS, RingChannel, Topology,
};
use trnwire::soc::{Semaphore, SocAddress, Window, route_shift};
use zerocopy::IntoBytes;

use crate::plan::{Plan, PlanOp, PlanRank, PlanRow};
use crate::snapshot::manifest::{
    Algorithm, BlockView, ChannelEntry, DeviceEntry, FileEntry, FileKind, HostWordEntry, InstanceEntry, Manifest,
    ModelEntry, OpEntry, RankEntry, Sha256, Side, StateEntry, Tails,
};
use crate::snapshot::{Fault, Maybe, Route, TopSp, hash};

/// A snapshot, ready to be written.
#[derive(Clone, Debug)]
pub struct Built {
    /// Its manifest.
    pub manifest: Manifest,
    /// Its files, in the order of the manifest.
    pub contents: Vec<Option<Vec<u8>>>,
}

/// Why a plan makes no records. Paths are JSON pointers into the plan.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BuildError {
    /// A value that does not go with the others.
    Plan {
        /// Where.
        path: String,
        /// What is wrong.
        what: String,
    },
    /// A row cannot be populated.
    Populate {
        /// Where.
        path: String,
        /// Why.
        error: PopulateError,
    },
    /// The entries contradict each other.
    Manifest(Fault),
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plan { path, what } => write!(f, "{path}: {what}"),
            Self::Populate { path, error } => write!(f, "{path}: {}: {error}", error.code()),
            Self::Manifest(fault) => write!(f, "{}: {}", fault.path, fault.what),
        }
    }
}

impl core::error::Error for BuildError {}

/// Host index words stand so far apart: each has a cache line of 128 bytes.
const HOST_WORD_STEP: u64 = 128;

/// What a top-SP holds.
struct Held {
    rows: [RingChannel; RING_ROWS],
    semaphores: [i32; 256],
}

/// Makes the records of a plan. Addresses of other devices carry the routes that the plan gives them.
///
/// # Errors
/// A plan that contradicts itself, or a row that the runtime's populator would refuse.
pub fn build(plan: &Plan) -> Result<Built, BuildError> {
    let wrong = |path: &str, what: String| BuildError::Plan { path: path.to_owned(), what };
    let arch = CollectiveArch::ALL.into_iter().find(|arch| arch.name() == plan.arch);
    let arch = arch.ok_or_else(|| wrong("/arch", format!("{:?} is no architecture", plan.arch)))?;
    let mut builder = Builder {
        plan,
        arch,
        ranks: plan.ranks.iter().map(|rank| (rank.rank, rank)).collect(),
        rows: plan.rows.iter().map(|row| ((row.op, row.channel, row.rank), row)).collect(),
        ops: plan.ops.iter().map(|op| (op.id, op)).collect(),
        routes: HashMap::new(),
        held: BTreeMap::new(),
        channels: Vec::with_capacity(plan.rows.len()),
        host_words: Vec::new(),
    };
    for (index, device) in plan.devices.iter().enumerate() {
        let route = device.route.as_deref().map(|text| {
            let number = text.strip_prefix("0x").and_then(|digits| u64::from_str_radix(digits, 16).ok());
            number.filter(|route| *route != 0).ok_or_else(|| {
                wrong(&format!("/devices/{index}/route"), format!("{text:?} is no route such as 0x0041"))
            })
        });
        if let Some(route) = route.transpose()? {
            builder.routes.insert((device.instance, device.device), route);
        }
    }
    for (index, row) in plan.rows.iter().enumerate() {
        builder.row(index, row)?;
    }
    builder.finish()
}

struct Builder<'a> {
    plan: &'a Plan,
    arch: CollectiveArch,
    ranks: HashMap<u32, &'a PlanRank>,
    rows: HashMap<(u32, u8, u32), &'a PlanRow>,
    ops: HashMap<u32, &'a PlanOp>,
    routes: HashMap<(u32, u32), u64>,
    held: BTreeMap<TopSp, Held>,
    channels: Vec<ChannelEntry>,
    host_words: Vec<HostWordEntry>,
}

/// How a rank reaches another one.
enum Reach {
    /// By address, with what names the device above the local part; zero on one device.
    Address(u64),
    Network,
}

impl<'a> Builder<'a> {
    fn rank(&self, rank: u32, path: &str, key: &str) -> Result<&'a PlanRank, BuildError> {
        let what = || format!("rank {rank} is not listed");
        self.ranks.get(&rank).copied().ok_or_else(|| BuildError::Plan { path: format!("{path}/{key}"), what: what() })
    }

    fn reach(&self, from: &PlanRank, to: &PlanRank, path: &str) -> Result<Reach, BuildError> {
        if (from.instance, from.device) == (to.instance, to.device) {
            return Ok(Reach::Address(0));
        }
        let pod = |instance: u32| {
            usize::try_from(instance).ok().and_then(|index| self.plan.instances.get(index)).map(|instance| instance.pod)
        };
        if pod(from.instance) != pod(to.instance) {
            return Ok(Reach::Network);
        }
        let route = self.routes.get(&(to.instance, to.device)).copied();
        let route = route.ok_or_else(|| BuildError::Plan {
            path: path.to_owned(),
            what: format!("device {} of instance {} has no route, so that no address names it", to.device, to.instance),
        })?;
        Ok(Reach::Address(route.checked_shl(route_shift(self.arch)).unwrap_or_default()))
    }

    fn row(&mut self, index: usize, row: &PlanRow) -> Result<(), BuildError> {
        let path = format!("/rows/{index}");
        let wrong = |key: &str, what: String| BuildError::Plan { path: format!("{path}/{key}"), what };
        let own = self.rank(row.rank, &path, "rank")?;
        self.ops.get(&row.op).ok_or_else(|| wrong("op", format!("op {} is not listed", row.op)))?;
        let other = |rank: Option<u32>, key: &'static str| -> Result<Option<(&PlanRank, &PlanRow)>, BuildError> {
            let Some(rank) = rank else { return Ok(None) };
            let place = self.rank(rank, &path, key)?;
            let of_rank = self.rows.get(&(row.op, row.channel, rank)).copied();
            let no_row = || wrong(key, format!("rank {rank} has no row for op {}, channel {}", row.op, row.channel));
            Ok(Some((place, of_rank.ok_or_else(no_row)?)))
        };
        let (next, prev) = (other(row.next, "next")?, other(row.prev, "prev")?);
        let mut peers = Vec::new();
        for peer in &row.peers {
            let Some((place, peer)) = other(Some(*peer), "peers")? else { continue };
            let Reach::Address(route_mask) = self.reach(own, place, &path)? else {
                return Err(wrong("peers", format!("rank {} is on another device", peer.rank)));
            };
            let sema_id = peer.peer_sema.map_or(-1, i64::from);
            peers.push(PeerDescription { sp_idx: peer.top_sp.into(), sema_id, window: Window::Read, route_mask });
        }
        let mut words = Vec::new();
        let mut neighbor = |to: Option<(&PlanRank, &PlanRow)>, side: Side| -> Result<_, BuildError> {
            let Some((place, of_rank)) = to else { return Ok((no_neighbor(), None)) };
            Ok(match self.reach(own, place, &path)? {
                Reach::Address(mask) => {
                    let id = if side == Side::Send { of_rank.recv_sema } else { of_rank.send_sema };
                    let bump = Semaphore::encode(self.arch, of_rank.top_sp.into(), id.into(), Window::Inc, mask);
                    let bump = bump.map_err(|error| wrong("top_sp", format!("rank {}: {error}", of_rank.rank)))?;
                    let port = if mask == 0 { -1 } else { 0 };
                    (NeighborDescription { port, ..no_neighbor() }, Some(bump))
                }
                Reach::Network => {
                    let address = self.host_word(row, side);
                    words.push(HostWordEntry {
                        rank: row.rank,
                        channel: row.channel,
                        side,
                        fold: 0,
                        address,
                        value: None,
                        extra: serde_json::Map::new(),
                    });
                    (NeighborDescription { port: -1, fold_n: 1, net_idx_addrs: vec![address] }, None)
                }
            })
        };
        let (next_neighbor, bump_data) = neighbor(next, Side::Send)?;
        let (prev_neighbor, bump_credit) = neighbor(prev, Side::Recv)?;
        let description = self.description(row, next_neighbor, prev_neighbor, peers);
        let populated = description.record(self.arch, DEFAULT_SLOT_LIMIT);
        let (_, record, _) = populated.map_err(|error| BuildError::Populate { path: path.clone(), error })?;
        let owner = (own.instance, own.device, row.top_sp);
        let held = self
            .held
            .entry(owner)
            .or_insert_with(|| Held { rows: [RingChannel::default(); RING_ROWS], semaphores: [0; 256] });
        if let Some(place) = held.rows.get_mut(usize::from(row.channel)) {
            *place = record;
        }
        if let (Some(slots), Some(place)) = (row.slots, held.semaphores.get_mut(usize::from(row.send_sema))) {
            *place = i32::try_from(slots).unwrap_or(i32::MAX);
        }
        self.host_words.extend(words);
        self.channels.push(ChannelEntry {
            op: row.op,
            rank: row.rank,
            channel: row.channel,
            top_sp: row.top_sp,
            next: row.next,
            prev: row.prev,
            primary: row.primary,
            slots: row.slots,
            bump_data,
            bump_credit,
            handshake_extra: 0,
            initial_tails: Some(Tails { m2s: 0, s2m: 0 }),
            extra: serde_json::Map::new(),
        });
        Ok(())
    }

    fn description(
        &self,
        row: &PlanRow,
        next: NeighborDescription,
        prev: NeighborDescription,
        peers: Vec<PeerDescription>,
    ) -> ChannelDescription {
        let topology = match row.primary {
            None => Topology::Ring,
            Some(primary) => Topology::Kangaring {
                is_primary: primary == row.rank,
                peer_selector: if peers.len() == 1 { 2 } else { 1 },
                peer_sema_id: row.peer_sema.map_or(-1, i64::from),
                peers,
            },
        };
        let broadcast = match row.qbundle {
            None => Broadcast::Ready(ApbBroadcast::default()),
            Some(_) => Broadcast::Derived {
                tpb: (row.top_sp / TOP_SPS_PER_CORE).into(),
                allocated_dma_mask: self.engines(),
                m2s_register: Derivation::M2S_REGISTER,
            },
        };
        ChannelDescription {
            channel_abs_index: row.channel.into(),
            // A record's number is that of its row.
            id: row.channel.into(),
            channel_n: i64::try_from(RING_ROWS).unwrap_or_default(),
            sp_idx: row.top_sp.into(),
            sp_slot_idx: row.spad_slot.into(),
            fold_n: 1,
            topology,
            recv_sema_ids: vec![row.recv_sema.into()],
            send_sema_id: row.send_sema.into(),
            post_sema_ids: vec![row.post_sema.into()],
            compl_sema_id: row.dma_compl_sema.into(),
            next,
            prev,
            qbundles: row.qbundle.iter().map(|bundle| i64::from(*bundle)).collect(),
            broadcast,
        }
    }

    /// The engines of every bundle, as the runtime allocates them.
    fn engines(&self) -> [u32; QUEUE_BUNDLES] {
        let mut engines = [0; QUEUE_BUNDLES];
        for (bundle, place) in engines.iter_mut().enumerate() {
            *place = QueueBundle::of(self.arch, bundle).map_or(0, |bundle| bundle.dma_engines);
        }
        engines
    }

    /// Where the host would keep the index word of a network edge: a model, in host memory as the driver's maps have it.
    fn host_word(&self, row: &PlanRow, side: Side) -> SocAddress {
        let base = match self.arch {
            CollectiveArch::Sunda => 1_u64 << 44,
            _ => 1_u64 << 46,
        };
        let index = u64::from(row.rank)
            .saturating_mul(64)
            .saturating_add(u64::from(row.channel).saturating_mul(2))
            .saturating_add(u64::from(side == Side::Recv));
        SocAddress(base.saturating_add(index.saturating_mul(HOST_WORD_STEP)))
    }

    fn finish(self) -> Result<Built, BuildError> {
        let plan = self.plan;
        let none = serde_json::Map::new;
        let view = if self.arch == CollectiveArch::Sunda { BlockView::Sunda } else { BlockView::Cayman };
        let mut files = Vec::new();
        let mut contents = Vec::new();
        for (&owner, held) in &self.held {
            for (kind, name, bytes) in held.files(view.view()) {
                let (instance, device, top_sp) = owner;
                files.push(FileEntry {
                    path: format!("i{instance}/nd{device}/sp{top_sp:02}.{name}"),
                    kind,
                    instance: Maybe(Some(instance)),
                    device: Maybe(Some(device)),
                    top_sp: Maybe(Some(top_sp)),
                    view: Maybe((kind == FileKind::AlgoBlock).then_some(view)),
                    bytes: u64::try_from(bytes.len()).unwrap_or(u64::MAX),
                    sha256: Some(Sha256(hash(&bytes))),
                    extra: none(),
                });
                contents.push(Some(bytes));
            }
        }
        let instance = |instance: &crate::plan::PlanInstance| InstanceEntry {
            name: instance.name.clone(),
            platform: instance.platform.clone(),
            lnc: instance.lnc,
            pod: Maybe(Some(instance.pod)),
            extra: none(),
        };
        let device = |device: &crate::plan::PlanDevice| DeviceEntry {
            instance: device.instance,
            device: device.device,
            route: self.routes.get(&(device.instance, device.device)).copied().map(Route),
            extra: none(),
        };
        let rank = |rank: &PlanRank| RankEntry {
            rank: rank.rank,
            instance: rank.instance,
            device: rank.device,
            core: rank.core,
            top_sps: rank.top_sps.clone(),
            op_index: None,
            extra: none(),
        };
        let manifest = Manifest {
            written_by: concat!("trnwire ", env!("CARGO_PKG_VERSION")).to_owned(),
            arch: self.arch,
            instances: plan.instances.iter().map(instance).collect(),
            devices: plan.devices.iter().map(device).collect(),
            ranks: plan.ranks.iter().map(rank).collect(),
            ops: plan.ops.iter().map(op).collect(),
            channels: self.channels,
            model: ModelEntry::default(),
            state: StateEntry { same_instant: true, ..StateEntry::default() },
            host_words: self.host_words,
            files,
            extra: none(),
        };
        manifest.check().map_err(BuildError::Manifest)?;
        Ok(Built { manifest, contents })
    }
}

/// Top-SPs of a physical core, where broadcasts can be derived.
const TOP_SPS_PER_CORE: u32 = 2;

const fn no_neighbor() -> NeighborDescription {
    NeighborDescription { port: -1, fold_n: 0, net_idx_addrs: Vec::new() }
}

fn op(op: &PlanOp) -> OpEntry {
    OpEntry {
        id: op.id,
        algorithm: match op.algorithm {
            crate::plan::Algorithm::Ring => Algorithm::Ring,
            crate::plan::Algorithm::Kangaring => Algorithm::Kangaring,
        },
        collective: op.collective.name().to_owned(),
        ranks: op.ranks.clone(),
        channels: op.channels.clone(),
        halves: op.halves,
        groups: op.groups,
        group_size: op.group_size,
        descriptors_per_item: 1,
        completions_per_item: 1,
        op_index: None,
        op_count: None,
        tape_events: None,
        extra: serde_json::Map::new(),
    }
}

impl Held {
    /// Its files, each with the end of its name.
    fn files(&self, view: View) -> [(FileKind, &'static str, Vec<u8>); 3] {
        let mut block = self.rows.as_bytes().to_vec();
        block.resize(view.size_bytes(), 0);
        debug_assert!(block.len() >= self.rows.as_bytes().len().saturating_add(size_of::<MeshEvent>()));
        let state = vec![0; size_of::<trnwire::context::AlgoState>()];
        let semaphores = self.semaphores.iter().flat_map(|value| value.to_le_bytes()).collect();
        [
            (FileKind::AlgoBlock, "block", block),
            (FileKind::AlgoState, "state", state),
            (FileKind::Semaphores, "sema", semaphores),
        ]
    }
}
