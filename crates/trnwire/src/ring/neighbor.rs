//! A neighbour of a ring channel: the index words that it is told with, and how it is reached.

use crate::soc::Address;
use crate::table::Legal::{Any, Range};
use crate::table::{Reserved, record};

/// Addresses that a neighbour holds.
pub const NEIGHBOR_FOLDS: usize = 3;

record! {
    /// A neighbour of a ring channel.
    pub struct Neighbor[28] = "neighbor": "a neighbour of a ring channel";

    // offset, field             type                       unit  legal        sources
    0 net_idx_addrs:             [Address; NEIGHBOR_FOLDS], Fold, Any,         [RingDescriptorPage, FirmwareBook],
        "index words; those below fold_n are live, the others are zero";
    24 fold_n:                   u8,                        Fold, Range(0, 3), [RingDescriptorPage, FirmwareBook],
        "how many index words are live";
    25 neighbor_type as "type":  u8,                        None, Range(0, 2), [RingDescriptorPage],
        "how it is reached: 1 on this device or a linked one, 2 on a device of the pod (fold_n is 1 then), 0 anything else";
    26 reserved:                 Reserved<2>,               None, Range(0, 0), [RingDescriptorPage],
        "zero";
}

/// How a neighbour is reached. The numbers are what a source says, the names are inferred.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NeighborType {
    /// 0: local, none, or perhaps reached over the network.
    Other,
    /// 1: peer to peer.
    PeerToPeer,
    /// 2: peer to peer within a pod.
    Pod,
}

impl NeighborType {
    /// The port selector that stands for a device of the pod. Source: ring-descriptor page, runtime book, NEC header.
    pub const POD_PORT: i32 = -2;

    /// What the populator writes for a port or device selector. Source: ring-descriptor page.
    #[must_use]
    pub const fn of_port(port: i32) -> Self {
        match port {
            0.. => Self::PeerToPeer,
            Self::POD_PORT => Self::Pod,
            _ => Self::Other,
        }
    }

    /// The type with this number.
    #[must_use]
    pub const fn from_number(number: u8) -> Option<Self> {
        match number {
            0 => Some(Self::Other),
            1 => Some(Self::PeerToPeer),
            2 => Some(Self::Pod),
            _ => None,
        }
    }

    /// Its number in a record.
    #[must_use]
    pub const fn number(self) -> u8 {
        match self {
            Self::Other => 0,
            Self::PeerToPeer => 1,
            Self::Pod => 2,
        }
    }

    /// An inferred name: a hint, no fact.
    #[must_use]
    pub const fn hint(self) -> &'static str {
        match self {
            Self::Other => "local, none, or over the network",
            Self::PeerToPeer => "P2P",
            Self::Pod => "P2P_POD",
        }
    }
}

impl Neighbor {
    /// The index words that `fold_n` calls live: at most three, whatever it says.
    #[must_use]
    pub fn live(&self) -> &[Address] {
        self.net_idx_addrs.get(..usize::from(self.fold_n)).unwrap_or(&self.net_idx_addrs)
    }

    /// The index words behind the live ones.
    #[must_use]
    pub fn tail(&self) -> &[Address] {
        self.net_idx_addrs.get(usize::from(self.fold_n)..).unwrap_or_default()
    }
}
