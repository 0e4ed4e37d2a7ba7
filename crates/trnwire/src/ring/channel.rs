//! The ring channel descriptor: what tells a sync core how to walk a ring.

use super::{ApbBroadcast, Neighbor};
use crate::soc::SemaphoreAddress;
use crate::table::Legal::{Any, Depends, Range};
use crate::table::{Reserved, record};

/// Rows of a block, and the channels that a top-SP can have. Source: ring-descriptor page, firmware book, NEC header.
pub const RING_ROWS: usize = 32;

record! {
    /// A ring channel: a row of the 32 that each top-SP has.
    ///
    /// A row that is all zero is unused.
    pub struct RingChannel[148] = "ring-channel": "the ring channel descriptor that tells a sync core how to walk a ring";

    // offset, field           type               unit       legal          sources
    0 next_neigh:              Neighbor,          None,      Any,           [RingDescriptorPage, FirmwareBook],
        "the neighbour that data goes to";
    28 prev_neigh:             Neighbor,          None,      Any,           [RingDescriptorPage, FirmwareBook],
        "the neighbour that data comes from";
    56 recv_sema:              SemaphoreAddress,  Semaphore, Any,           [RingDescriptorPage, FirmwareBook],
        "counts what has arrived";
    64 send_sema:              SemaphoreAddress,  Semaphore, Any,           [RingDescriptorPage, FirmwareBook],
        "counts the credit to send";
    72 post_sema:              SemaphoreAddress,  Semaphore, Any,           [RingDescriptorPage, FirmwareBook],
        "counts slots that are ready";
    80 dma_compl_sema:         SemaphoreAddress,  Semaphore, Any,           [RingDescriptorPage, FirmwareBook],
        "counts DMA transfers that are complete";
    88 kring_peer_semas:       PeerSemaphores,    None,      Depends,       [RingDescriptorPage, FirmwareBook],
        "semaphores of the members of a kangaring; zero in a plain ring";
    120 dma_apb_bcast:         ApbBroadcast,      None,      Any,           [RingDescriptorPage, FirmwareBook],
        "how the DMA rings of the channel are started";
    140 channel_id:            u8,                Channel,   Range(0, 31),  [RingDescriptorPage],
        "the channel; equals the index of the row";
    141 spad_slot_idx:         u8,                Slot,      Depends,       [RingDescriptorPage, FirmwareBook],
        "slot on the scratchpad, below the limit (6 unless said otherwise; inferred)";
    142 fold_n:                u8,                Fold,      Range(1, 4),   [RingDescriptorPage, FirmwareBook],
        "folds of the channel, which are not those of a neighbour";
    143 kangaring_is_primary:  u8,                None,      Range(0, 1),   [RingDescriptorPage, FirmwareBook],
        "1 on the primary of a kangaring; 0 in a plain ring";
    144 kangaring_num_peers:   u8,                Count,     Depends,       [RingDescriptorPage, FirmwareBook],
        "peers in the kangaring: 0 (a plain ring), 1 or 3";
    145 reserved:              Reserved<3>,       None,      Range(0, 0),   [RingDescriptorPage],
        "zero";
}

/// Semaphores of peers that a record holds.
pub const MAX_PEERS: usize = 3;

record! {
    /// Semaphores of the members of a kangaring.
    pub struct PeerSemaphores[32] = "peer-semas": "semaphores of the members of a kangaring";

    // offset, field  type                           unit       legal    sources
    0 mine:           SemaphoreAddress,              Semaphore, Any,     [RingDescriptorPage, FirmwareBook],
        "the semaphore that peers signal";
    8 peers:          [SemaphoreAddress; MAX_PEERS], Semaphore, Depends, [RingDescriptorPage, FirmwareBook],
        "semaphores to signal, by position: two over RMTV, then the local peer (order inferred); as many as there are peers, then zeros";
}

impl RingChannel {
    /// Whether the row is unused: all of it is zero.
    #[must_use]
    #[inline]
    pub fn is_unused(&self) -> bool {
        zerocopy::IntoBytes::as_bytes(self).iter().all(|&byte| byte == 0)
    }
}
