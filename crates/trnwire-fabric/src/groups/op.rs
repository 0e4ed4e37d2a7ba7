//! Collective ops: which there are, under which names, and what a text says about one.

use core::fmt;

use super::mode::{GroupMode, ModeError};
use super::written::Written;

/// What a collective op does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CollectiveOp {
    /// All get the reduction of all parts.
    AllReduce,
    /// All get the parts of all, one after the other.
    AllGather,
    /// Each gets its piece of the reduction.
    ReduceScatter,
    /// Each gives a piece to each.
    AllToAll,
    /// Each gives pieces of its own sizes to each.
    RaggedAllToAll,
    /// The first of a group gives its part to the others.
    CollectiveBroadcast,
    /// Sources give their part to targets.
    CollectivePermute,
}

impl CollectiveOp {
    /// Every op.
    pub const ALL: [Self; 7] = [
        Self::AllReduce,
        Self::AllGather,
        Self::ReduceScatter,
        Self::AllToAll,
        Self::RaggedAllToAll,
        Self::CollectiveBroadcast,
        Self::CollectivePermute,
    ];

    /// Its name in HLO.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::AllReduce => "all-reduce",
            Self::AllGather => "all-gather",
            Self::ReduceScatter => "reduce-scatter",
            Self::AllToAll => "all-to-all",
            Self::RaggedAllToAll => "ragged-all-to-all",
            Self::CollectiveBroadcast => "collective-broadcast",
            Self::CollectivePermute => "collective-permute",
        }
    }

    /// Whether it is told pairs of a source and a target instead of groups.
    #[must_use]
    pub const fn takes_pairs(self) -> bool {
        matches!(self, Self::CollectivePermute)
    }

    /// Whether it can have `use_global_device_ids`.
    #[must_use]
    pub const fn knows_global_ids(self) -> bool {
        matches!(self, Self::AllReduce | Self::AllGather | Self::ReduceScatter)
    }

    /// Finds an opcode of HLO that begins a collective op. A `-done` ends one that has begun, and is none.
    pub(super) fn of_hlo(opcode: &str) -> Option<Self> {
        let name = opcode.strip_suffix("-start").unwrap_or(opcode);
        Self::ALL.into_iter().find(|op| op.name() == name)
    }

    /// Finds an op of StableHLO, or of MHLO, from which it came and which spells the same attributes.
    pub(super) fn of_mlir(name: &str) -> Option<Self> {
        let name = name.strip_prefix("stablehlo.").or_else(|| name.strip_prefix("mhlo."))?;
        let is_same = |op: &Self| name.len() == op.name().len() && name.split('_').eq(op.name().split('-'));
        Self::ALL.into_iter().find(is_same)
    }
}

impl fmt::Display for CollectiveOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A collective op in a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collective {
    /// Its name, as the text has it: `%all-reduce.5`, `%0`. Empty if it has none.
    pub name: String,
    /// The line on which it begins, from 1.
    pub line: usize,
    /// The opcode, as the text has it: `all-reduce-start`, `stablehlo.all_reduce`.
    pub opcode: String,
    /// What it does.
    pub op: CollectiveOp,
    /// The channel. `None` without one, which StableHLO also writes as a handle of 0 or less.
    pub channel_id: Option<i64>,
    /// `use_global_device_ids`. `None` where it is absent.
    pub use_global_device_ids: Option<bool>,
    /// The groups, or the pairs if the op takes pairs. `None` where the attribute is absent.
    pub written: Option<Written>,
}

impl Collective {
    /// What its ids mean.
    ///
    /// # Errors
    /// Attributes that contradict one another or do not go with the op.
    pub fn mode(&self) -> Result<GroupMode, ModeError> {
        GroupMode::of(self.op, self.channel_id.is_some(), self.use_global_device_ids)
    }
}
