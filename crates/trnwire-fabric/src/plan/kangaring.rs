//! Groups of a kangaring: two or four ranks of one chip, joined over the link between its dies.

use core::fmt;

use trnwire::arch::CollectiveArch;

use crate::topology::{Core, Topology};

/// The most ranks of a kangaring.
pub const MOST_RANKS: usize = 256;

/// The kangaring groups of a device's ranks, each in the order of its lowest physical cores. The members follow from the
/// names of the peers in the runtime's header and from the numbering of the engines (inferred).
#[must_use]
pub(super) fn groups_of_device(topology: &Topology, device: usize) -> Vec<Vec<u32>> {
    let first = |rank: u32| topology.core(rank).and_then(first_physical).unwrap_or_default();
    let mut ranks: Vec<u32> = topology.ranks_of(device).collect();
    ranks.sort_by_key(|rank| first(*rank));
    // Engines 0 and 2 belong together, and 1 and 3: the cores whose bit 1 is equal.
    let (even, odd) = ranks.into_iter().partition(|rank| first(*rank) & 2 == 0);
    vec![even, odd]
}

/// The others of a rank's group, as its record lists them: the same index on the other die, the other index there, the other
/// index on the own die.
#[must_use]
pub(super) fn peers(topology: &Topology, rank: u32, members: &[u32]) -> Vec<u32> {
    let Some(own) = topology.core(rank).and_then(first_physical) else { return Vec::new() };
    let with = |flip: u32| {
        let is_it = |member: &&u32| topology.core(**member).and_then(first_physical) == Some(own ^ flip);
        members.iter().find(is_it).copied()
    };
    let flips: &[u32] = if topology.lnc == 2 { &[4] } else { &[4, 5, 1] };
    flips.iter().filter_map(|flip| with(*flip)).collect()
}

/// Why a group cannot be a kangaring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Refusal {
    /// trn1 and inf2 have none.
    Architecture,
    /// It has too many ranks.
    TooMany(usize),
    /// The group has a part of a chip.
    PartOfChip {
        /// A rank of the group.
        rank: u32,
        /// A rank of its chip that is not in the group.
        absent: u32,
    },
    /// The cores of a chip do not pair over its dies.
    Pairing,
}

impl Refusal {
    /// The reason without the ranks.
    #[must_use]
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Architecture => "trn1 and inf2 have none",
            Self::TooMany(_) => "it has at most 256 ranks",
            Self::PartOfChip { .. } => "it needs all ranks of its chips",
            Self::Pairing => "the cores of a chip do not pair over its dies",
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind())?;
        match self {
            Self::TooMany(ranks) => write!(f, ", and these are {ranks}"),
            Self::PartOfChip { rank, absent } => {
                write!(f, ", and rank {absent} of the chip of rank {rank} is not in the group")
            }
            Self::Architecture | Self::Pairing => Ok(()),
        }
    }
}

/// Why a group cannot be a kangaring, if so.
#[must_use]
pub fn refused(topology: &Topology, ranks: &[u32]) -> Option<Refusal> {
    if topology.arch() == Some(CollectiveArch::Sunda) {
        return Some(Refusal::Architecture);
    }
    if ranks.len() > MOST_RANKS {
        return Some(Refusal::TooMany(ranks.len()));
    }
    let mut sorted = ranks.to_vec();
    sorted.sort_unstable();
    for &rank in ranks {
        let device = topology.core(rank)?.device;
        let absent = topology.ranks_of(device).find(|other| sorted.binary_search(other).is_err());
        if let Some(absent) = absent {
            return Some(Refusal::PartOfChip { rank, absent });
        }
        let is_whole = |group: &Vec<u32>| {
            group.first().is_some_and(|first| peers(topology, *first, group).len().saturating_add(1) == group.len())
        };
        if !groups_of_device(topology, device).iter().all(is_whole) {
            return Some(Refusal::Pairing);
        }
    }
    None
}

fn first_physical(core: &Core) -> Option<u32> {
    core.physical.iter().min().copied()
}
