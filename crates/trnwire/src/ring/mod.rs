//! Ring channels: the 148-byte descriptor, its parts, what is wrong with one, and how one is made.

mod apb_bcast;
mod channel;
mod judge;
mod neighbor;
mod populate;
mod populate_error;

pub use apb_bcast::{
    ApbBroadcast, BROADCAST_REGIONS, Derivation, DeriveError, DeriveWarning, Derived, QUEUE_BUNDLES, QueueBundle,
};
pub use channel::{MAX_PEERS, PeerSemaphores, RING_ROWS, RingChannel};
pub use judge::{DEFAULT_SLOT_LIMIT, Place};
pub use neighbor::{NEIGHBOR_FOLDS, Neighbor, NeighborType};
pub use populate::{
    Broadcast, ChannelDescription, NeighborDescription, PeerDescription, Populated, Populator, Topology,
};
pub use populate_error::{PopulateError, SemaphoreField};
