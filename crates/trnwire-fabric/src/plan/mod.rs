//! Rings over real links, and all that a rank needs to walk them.
//!
//! A plan says for every rank and channel who is next, which top-SP walks the ring, and which semaphores it waits on. It is a
//! file that people may edit; `build` makes records of it.

mod allocate;
pub mod cycle;
mod error;
mod file;
pub mod graph;
pub mod kangaring;
mod make;
mod notes;
mod order;
pub mod tour;

use serde::{Deserialize, Serialize};

pub use error::PlanError;
pub use file::{PLAN_VERSION, PlanFileError};
pub use make::{Given, Planned, Request, plan};
pub use order::Ring;
pub(crate) use order::rings;

/// What a rank needs to walk rings, for all ranks and rings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Version of this format.
    pub trnwire_plan: u32,
    /// Program and version.
    #[serde(default)]
    pub written_by: String,
    /// `sunda`, `cayman`, `mariana` or `mariana_plus`.
    pub arch: String,
    /// In their order.
    pub instances: Vec<PlanInstance>,
    /// Devices that have ranks.
    pub devices: Vec<PlanDevice>,
    /// Ranks, each with its place.
    pub ranks: Vec<PlanRank>,
    /// An entry for each group and collective.
    pub ops: Vec<PlanOp>,
    /// An entry for each op, rank and channel.
    pub rows: Vec<PlanRow>,
}

/// An instance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanInstance {
    /// Its id, where known.
    #[serde(default)]
    pub name: Option<String>,
    /// Its platform, where known.
    #[serde(default)]
    pub platform: Option<String>,
    /// Physical cores of a logical one.
    pub lnc: u32,
    /// Instances of one pod reach each other by address.
    pub pod: u32,
}

/// A device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanDevice {
    /// The number of its instance.
    pub instance: u32,
    /// Its number on the host.
    pub device: u32,
    /// What addresses carry above the local part to name it, as hex; `null` when nothing may.
    pub route: Option<String>,
}

/// A rank.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanRank {
    /// Its number.
    pub rank: u32,
    /// The number of its instance.
    pub instance: u32,
    /// Its device's number on the host.
    pub device: u32,
    /// Its logical core on the device.
    pub core: u32,
    /// The physical cores of that.
    pub physical_cores: Vec<u32>,
    /// The top-SPs that serve it.
    pub top_sps: Vec<u32>,
}

/// A group of ranks, and what it does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanOp {
    /// Its number.
    pub id: u32,
    /// Ring or kangaring.
    pub algorithm: Algorithm,
    /// What it does.
    pub collective: Collective,
    /// Its members, in the group's order.
    pub ranks: Vec<u32>,
    /// Its channels.
    pub channels: Vec<u8>,
    /// Pieces that a chunk is sent in.
    pub halves: u32,
    /// Passes over the schedule.
    pub groups: u32,
    /// Ranks of a kangaring group; 1 for a ring.
    pub group_size: u32,
}

/// How data goes round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Algorithm {
    /// Over all ranks.
    Ring,
    /// Over one rank of each group of a chip.
    Kangaring,
}

/// What a group does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Collective {
    /// Every rank gets what all have.
    AllGather,
    /// Every rank gets its part of the sum.
    ReduceScatter,
    /// Every rank gets the sum.
    AllReduce,
}

/// What one channel of one rank does in one op.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanRow {
    /// The op.
    pub op: u32,
    /// The rank.
    pub rank: u32,
    /// The channel, which is the row in the block of the top-SP.
    pub channel: u8,
    /// The top-SP that walks it: one of the rank's.
    pub top_sp: u32,
    /// The rank that data goes to; `null` at a kangaring's secondaries.
    pub next: Option<u32>,
    /// The rank that data comes from.
    pub prev: Option<u32>,
    /// The primary of the rank's kangaring group; `null` in a ring.
    pub primary: Option<u32>,
    /// The other ranks of the kangaring group, in the record's order.
    #[serde(default)]
    pub peers: Vec<u32>,
    /// Slots of the edge to the next rank.
    pub slots: Option<u32>,
    /// The scratchpad slot.
    pub spad_slot: u8,
    /// The semaphore that counts arrivals.
    pub recv_sema: u8,
    /// The semaphore that counts credits.
    pub send_sema: u8,
    /// The semaphore that counts posts.
    pub post_sema: u8,
    /// The semaphore that counts completions of transfers.
    pub dma_compl_sema: u8,
    /// The semaphore that kangaring peers signal.
    #[serde(default)]
    pub peer_sema: Option<u8>,
    /// The queue bundle; `null` where the broadcast cannot be derived.
    #[serde(default)]
    pub qbundle: Option<u8>,
}

impl Algorithm {
    /// `ring` or `kangaring`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ring => "ring",
            Self::Kangaring => "kangaring",
        }
    }
}

impl Collective {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::AllGather, Self::ReduceScatter, Self::AllReduce];

    /// Its name in plans and snapshots.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::AllGather => "all_gather",
            Self::ReduceScatter => "reduce_scatter",
            Self::AllReduce => "all_reduce",
        }
    }
}

impl Plan {
    /// The place of a rank.
    #[must_use]
    pub fn rank(&self, rank: u32) -> Option<&PlanRank> {
        // Plans list ranks in order; an edited one may not.
        let guess = usize::try_from(rank).ok().and_then(|index| self.ranks.get(index));
        guess.filter(|place| place.rank == rank).or_else(|| self.ranks.iter().find(|place| place.rank == rank))
    }
}
