//! Making ring channels from what the host knows, in the runtime's order of steps.

use alloc::vec::Vec;

use super::populate_error::{PopulateError, SemaphoreField};
use super::{
    ApbBroadcast, Derivation, DeriveWarning, MAX_PEERS, NEIGHBOR_FOLDS, Neighbor, NeighborType, PeerSemaphores,
    RING_ROWS, RingChannel,
};
use crate::arch::CollectiveArch;
use crate::soc::{self, Semaphore, SemaphoreAddress, SocAddress, Window};
use crate::table::Reserved;

/// A channel as the host describes it. Numbers are as wide as input may be: populating says which do not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelDescription {
    /// The row in the block.
    pub channel_abs_index: i64,
    /// The channel in its ring.
    pub id: i64,
    /// Channels of the ring.
    pub channel_n: i64,
    /// The runtime's number of the channel's top-SP, which has all its own semaphores.
    pub sp_idx: i64,
    /// Slot on the scratchpad.
    pub sp_slot_idx: i64,
    /// Folds of the channel.
    pub fold_n: i64,
    /// Ring or kangaring.
    pub topology: Topology,
    /// Semaphores that count arrivals; the first one counts.
    pub recv_sema_ids: Vec<i64>,
    /// The semaphore for the credit to send.
    pub send_sema_id: i64,
    /// Semaphores that count ready slots; the first one counts.
    pub post_sema_ids: Vec<i64>,
    /// The semaphore for completed transfers.
    pub compl_sema_id: i64,
    /// The neighbour that data goes to.
    pub next: NeighborDescription,
    /// The neighbour that data comes from.
    pub prev: NeighborDescription,
    /// Queue bundles in use.
    pub qbundles: Vec<i64>,
    /// How its DMA rings are started.
    pub broadcast: Broadcast,
}

/// What kind of ring a channel belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Topology {
    /// A plain ring.
    Ring,
    /// A kangaring.
    Kangaring {
        /// Whether the channel is the primary.
        is_primary: bool,
        /// 2 gives one peer, everything else three. Most likely the virtual core size (inferred).
        peer_selector: i32,
        /// The own semaphore that peers signal.
        peer_sema_id: i64,
        /// Peers by position. Those beyond the number of peers are not looked at.
        peers: Vec<PeerDescription>,
    },
}

/// A peer in a kangaring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeerDescription {
    /// The runtime's number of its top-SP.
    pub sp_idx: i64,
    /// Its semaphore.
    pub sema_id: i64,
    /// Through which window.
    pub window: Window,
    /// What its address says about the device.
    pub route_mask: u64,
}

/// A neighbour as the host describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NeighborDescription {
    /// Port or device selector: 0 and above is a port, -2 a device of the pod.
    pub port: i32,
    /// How many index words it has.
    pub fold_n: i64,
    /// Exactly so many addresses.
    pub net_idx_addrs: Vec<SocAddress>,
}

/// How the DMA rings of a channel are started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Broadcast {
    /// As it is to stand in the record.
    Ready(ApbBroadcast),
    /// To be derived from the queue bundles of the channel.
    Derived {
        /// Physical core on the device.
        tpb: i64,
        /// DMA engines that each bundle has got.
        allocated_dma_mask: [u32; super::QUEUE_BUNDLES],
        /// Offset of the memory-to-stream tail register.
        m2s_register: u64,
    },
}

/// Row counts and the like as the host's numbers.
pub(super) const MOST_CHANNELS: i64 = 32;
pub(super) const MOST_FOLDS: i64 = 4;
pub(super) const MOST_NEIGHBOR_FOLDS: i64 = 3;
#[expect(clippy::as_conversions, reason = "no conversion is const; these are small")]
const _: () = assert!(MOST_CHANNELS == RING_ROWS as i64 && MOST_NEIGHBOR_FOLDS == NEIGHBOR_FOLDS as i64);

/// Fills a ring's rows of a block, once.
///
/// This is the runtime's gate `channel_config_init`: a ring whose channels were written is not written again, and one that
/// failed may try again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Populator {
    arch: CollectiveArch,
    slot_limit: u8,
    is_done: bool,
}

/// What populating did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Populated {
    /// The rows are written. Warnings are those of derived broadcasts, with the position of their channel.
    Written(Vec<(usize, DeriveWarning)>),
    /// They were written before; nothing is touched.
    AlreadyDone,
}

impl Populator {
    /// An open gate for one ring.
    #[must_use]
    pub const fn new(arch: CollectiveArch, slot_limit: u8) -> Self {
        Self { arch, slot_limit, is_done: false }
    }

    /// Whether the channels were written.
    #[must_use]
    pub const fn is_done(&self) -> bool {
        self.is_done
    }

    /// Writes the rows of these channels; other rows stay as they are.
    ///
    /// # Errors
    /// The first failing step of the first failing channel, with the position of that channel. Nothing is written then, and the gate
    /// stays open.
    pub fn populate(
        &mut self,
        channels: &[ChannelDescription],
        rows: &mut [RingChannel; RING_ROWS],
    ) -> Result<Populated, (usize, PopulateError)> {
        if self.is_done {
            return Ok(Populated::AlreadyDone);
        }
        let mut next = *rows;
        let mut all = Vec::new();
        for (position, channel) in channels.iter().enumerate() {
            let (row, record, warnings) =
                channel.record(self.arch, self.slot_limit).map_err(|error| (position, error))?;
            if let Some(place) = next.get_mut(row) {
                *place = record;
            }
            all.extend(warnings.into_iter().map(|warning| (position, warning)));
        }
        *rows = next;
        self.is_done = true;
        Ok(Populated::Written(all))
    }
}

impl ChannelDescription {
    /// The record of the channel, the row that it belongs in, and the warnings of a derived broadcast.
    ///
    /// # Errors
    /// The first failing step.
    pub fn record(
        &self,
        arch: CollectiveArch,
        slot_limit: u8,
    ) -> Result<(usize, RingChannel, Vec<DeriveWarning>), PopulateError> {
        let row = usize::try_from(self.channel_abs_index).ok().filter(|&row| row < RING_ROWS);
        let row = row.ok_or(PopulateError::ChannelIndex(self.channel_abs_index))?;
        let bad_id = PopulateError::ChannelId { id: self.id, channel_n: self.channel_n };
        let channel_id = u8::try_from(self.id).ok().filter(|&id| i64::from(id) < self.channel_n).ok_or(bad_id)?;
        if self.channel_n > MOST_CHANNELS {
            return Err(bad_id);
        }
        let slot = u8::try_from(self.sp_slot_idx).ok().filter(|&slot| slot < slot_limit);
        let spad_slot_idx = slot.ok_or(PopulateError::SpadSlot { slot: self.sp_slot_idx, limit: slot_limit })?;
        let fold_n = u8::try_from(self.fold_n).ok().filter(|&fold_n| i64::from(fold_n) <= MOST_FOLDS);
        let fold_n = fold_n.ok_or(PopulateError::ChanFold(self.fold_n))?;

        let own = |name, id: Option<&i64>| {
            let place = PeerDescription {
                sp_idx: self.sp_idx,
                sema_id: id.copied().unwrap_or(UNSET),
                window: Window::Read,
                route_mask: 0,
            };
            semaphore(arch, SemaphoreField::Own(name), place)
        };
        let recv_sema = own("recv_sema_ids", self.recv_sema_ids.first())?;
        let send_sema = own("send_sema_id", Some(&self.send_sema_id))?;
        let post_sema = own("post_sema_ids", self.post_sema_ids.first())?;
        let dma_compl_sema = own("compl_sema_id", Some(&self.compl_sema_id))?;

        let mut kring_peer_semas = PeerSemaphores::default();
        let (mut kangaring_is_primary, mut kangaring_num_peers) = (0, 0);
        if let Topology::Kangaring { is_primary, peer_selector, peer_sema_id, peers } = &self.topology {
            (kangaring_is_primary, kangaring_num_peers) = (u8::from(*is_primary), num_peers(*peer_selector));
            kring_peer_semas.mine = own("peer_sema_id", Some(peer_sema_id))?;
            let places = kring_peer_semas.peers.iter_mut().take(kangaring_num_peers.into());
            for (position, place) in places.enumerate() {
                let field = SemaphoreField::Peer(position);
                let peer = peers.get(position).ok_or(PopulateError::SemaphoreUnset(field))?;
                *place = semaphore(arch, field, *peer)?;
            }
        }
        let next_neigh = self.next.record("next")?;
        let prev_neigh = self.prev.record("prev")?;
        for &bundle in &self.qbundles {
            Derivation::bundle(bundle).map_err(PopulateError::Broadcast)?;
        }
        let (dma_apb_bcast, warnings) = self.broadcast(arch)?;
        let record = RingChannel {
            next_neigh,
            prev_neigh,
            recv_sema,
            send_sema,
            post_sema,
            dma_compl_sema,
            kring_peer_semas,
            dma_apb_bcast,
            channel_id,
            spad_slot_idx,
            fold_n,
            kangaring_is_primary,
            kangaring_num_peers,
            reserved: Reserved([0; 3]),
        };
        Ok((row, record, warnings))
    }

    fn broadcast(&self, arch: CollectiveArch) -> Result<(ApbBroadcast, Vec<DeriveWarning>), PopulateError> {
        match &self.broadcast {
            Broadcast::Ready(broadcast) => Ok((*broadcast, Vec::new())),
            &Broadcast::Derived { tpb, allocated_dma_mask, m2s_register } => {
                let queue_bundles = self.qbundles.clone();
                let derivation = Derivation { tpb, queue_bundles, allocated_dma_mask, m2s_register };
                let derived = derivation.derive(arch).map_err(PopulateError::Broadcast)?;
                Ok((derived.broadcast, derived.warnings))
            }
        }
    }
}

/// Peers of a channel in a kangaring. Source: ring-descriptor page.
const fn num_peers(peer_selector: i32) -> u8 {
    match peer_selector {
        2 => 1,
        _ => 3,
    }
}
const _: () = assert!(MAX_PEERS == 3);

/// What stands for no semaphore.
const UNSET: i64 = -1;

fn semaphore(
    arch: CollectiveArch,
    field: SemaphoreField,
    place: PeerDescription,
) -> Result<SemaphoreAddress, PopulateError> {
    let PeerDescription { sp_idx, sema_id, window, route_mask } = place;
    // The top-SP is looked at first; which semaphore does not matter for that.
    let encode = |id| Semaphore::encode(arch, sp_idx, id, window, route_mask);
    let is_unset = matches!(sema_id, UNSET | 255 | 65535);
    match encode(sema_id) {
        Err(error @ soc::EncodeError::TopSp { .. }) => Err(PopulateError::Semaphore(field, error)),
        _ if is_unset => Err(PopulateError::SemaphoreUnset(field)),
        result => result.map(Into::into).map_err(|error| PopulateError::Semaphore(field, error)),
    }
}

impl NeighborDescription {
    fn record(&self, neighbor: &'static str) -> Result<Neighbor, PopulateError> {
        let &Self { port, fold_n, ref net_idx_addrs } = self;
        let count = u8::try_from(fold_n).ok().filter(|&count| i64::from(count) <= MOST_NEIGHBOR_FOLDS);
        let count = count.filter(|&count| usize::from(count) == net_idx_addrs.len());
        let bad_fold = PopulateError::NeighborFold { neighbor, fold_n, addresses: net_idx_addrs.len() };
        let fold_n = count.ok_or(bad_fold)?;
        let kind = NeighborType::of_port(port);
        if kind == NeighborType::Pod && fold_n != 1 {
            return Err(PopulateError::PodFold { neighbor, fold_n: fold_n.into() });
        }
        let mut record = Neighbor { fold_n, neighbor_type: kind.number(), ..Neighbor::default() };
        for (place, &address) in record.net_idx_addrs.iter_mut().zip(net_idx_addrs) {
            *place = address.into();
        }
        Ok(record)
    }
}
