//! Why a channel cannot be populated: the first step that fails.

use core::fmt;

use super::populate::{MOST_CHANNELS, MOST_FOLDS, MOST_NEIGHBOR_FOLDS};
use super::{DeriveError, NEIGHBOR_FOLDS, RING_ROWS};
use crate::soc;

/// The first step that failed, with field, value and limit. The names of fields are the description's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PopulateError {
    /// The row is none of the block's.
    ChannelIndex(i64),
    /// The channel is none of its ring, or the ring has more than a top-SP can have.
    ChannelId {
        /// The channel.
        id: i64,
        /// Channels of the ring.
        channel_n: i64,
    },
    /// The slot is not below the limit.
    SpadSlot {
        /// The slot.
        slot: i64,
        /// The limit.
        limit: u8,
    },
    /// The channel has more than four folds.
    ChanFold(i64),
    /// A semaphore has no address.
    Semaphore(SemaphoreField, soc::EncodeError),
    /// A semaphore is not set.
    SemaphoreUnset(SemaphoreField),
    /// A neighbour has more index words than fit, or not as many as it says.
    NeighborFold {
        /// `next` or `prev`.
        neighbor: &'static str,
        /// How many it says.
        fold_n: i64,
        /// How many addresses it has.
        addresses: usize,
    },
    /// A neighbour in the pod has not exactly one index word.
    PodFold {
        /// `next` or `prev`.
        neighbor: &'static str,
        /// How many it has.
        fold_n: i64,
    },
    /// The broadcast cannot be derived, or a queue bundle does not exist.
    Broadcast(DeriveError),
}

/// Which semaphore of a description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SemaphoreField {
    /// A field of the channel.
    Own(&'static str),
    /// The semaphore of a peer, by position.
    Peer(usize),
}

impl fmt::Display for SemaphoreField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Own(name) => f.write_str(name),
            Self::Peer(position) => write!(f, "peers[{position}]"),
        }
    }
}

impl PopulateError {
    /// The name in vectors and JSON.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::ChannelIndex(_) => "channel_index",
            Self::ChannelId { .. } => "channel_id",
            Self::SpadSlot { .. } => "spad_slot",
            Self::ChanFold(_) => "chan_fold",
            Self::Semaphore(_, error) => error.code(),
            Self::SemaphoreUnset(_) => "sema_unset",
            Self::NeighborFold { .. } => "neigh_fold_capacity",
            Self::PodFold { .. } => "pod_fold",
            Self::Broadcast(error) => error.code(),
        }
    }
}

impl fmt::Display for PopulateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ChannelIndex(row) => write!(f, "channel_abs_index: row {row} does not exist: a block has 0..=31"),
            Self::ChannelId { id, channel_n } if (0..=MOST_CHANNELS).contains(channel_n) => {
                write!(f, "id: channel {id} does not exist: the ring has {channel_n}")
            }
            Self::ChannelId { channel_n, .. } => {
                write!(f, "channel_n: {channel_n} channels, and a ring has at most {RING_ROWS}")
            }
            Self::SpadSlot { slot, limit } => write!(f, "sp_slot_idx: slot {slot} is not below the limit of {limit}"),
            Self::ChanFold(fold_n) => write!(f, "fold_n: {fold_n} folds, and a channel has at most {MOST_FOLDS}"),
            Self::Semaphore(field, error) => write!(f, "{field}: {error}"),
            Self::SemaphoreUnset(field) => write!(f, "{field}: not set (-1, 255, 65535 or missing)"),
            Self::NeighborFold { neighbor, fold_n, addresses } if *fold_n > MOST_NEIGHBOR_FOLDS || *fold_n < 0 => {
                write!(
                    f,
                    "{neighbor}.fold_n: {fold_n} index words ({addresses} given), and a neighbour holds 0..={NEIGHBOR_FOLDS}"
                )
            }
            Self::NeighborFold { neighbor, fold_n, addresses } => {
                write!(f, "{neighbor}.net_idx_addrs: {addresses} addresses, and fold_n is {fold_n}")
            }
            Self::PodFold { neighbor, fold_n } => {
                write!(f, "{neighbor}.fold_n: {fold_n} index words, and a neighbour in the pod (port -2) has exactly 1")
            }
            Self::Broadcast(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for PopulateError {}
