//! Why an op stands for no devices.

use core::fmt;

use super::MOST_IDS;
use super::mode::{GroupMode, ModeError};

/// Why groups or pairs could not be expanded. Groups and pairs count from 0, as they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExpandError {
    /// The op has no mode.
    Mode(ModeError),
    /// Counts that the mode needs are not known.
    MissingCount {
        /// The mode.
        mode: GroupMode,
        /// Whether the number of replicas is missing.
        replicas: bool,
        /// Whether the number of partitions is missing.
        partitions: bool,
    },
    /// A number of replicas or partitions that is 0.
    ZeroCount,
    /// More than [`MOST_IDS`] devices.
    TooManyDevices {
        /// Replicas.
        replicas: u32,
        /// Partitions of each.
        partitions: u32,
    },
    /// More than [`MOST_IDS`] ids.
    TooManyIds,
    /// No groups where ids are devices.
    EmptyFlattened,
    /// No pairs on an op that takes pairs.
    NoPairs,
    /// A pair that is none.
    NotAPair {
        /// Which.
        pair: usize,
        /// How many ids it has.
        ids: usize,
    },
    /// An id that is not below the number of ids.
    OutOfRange {
        /// The mode.
        mode: GroupMode,
        /// The id.
        id: u32,
        /// The group.
        group: usize,
        /// How many ids there are.
        bound: u32,
    },
    /// An id of a pair that is not below the number of ids.
    PairOutOfRange {
        /// The mode.
        mode: GroupMode,
        /// The id.
        id: u32,
        /// The pair.
        pair: usize,
        /// How many ids there are.
        bound: u32,
    },
    /// An id that stands twice.
    IdTwice {
        /// The mode.
        mode: GroupMode,
        /// The id.
        id: u32,
        /// The first group that has it.
        first: usize,
        /// The second one, which may be the same.
        second: usize,
    },
    /// An id that stands in no group.
    IdMissing {
        /// The mode.
        mode: GroupMode,
        /// The least such id.
        id: u32,
        /// How many ids there are.
        bound: u32,
    },
    /// A source of two pairs.
    SourceTwice {
        /// The mode.
        mode: GroupMode,
        /// The id.
        id: u32,
        /// The first pair.
        first: usize,
        /// The second pair.
        second: usize,
    },
    /// A target of two pairs.
    TargetTwice {
        /// The mode.
        mode: GroupMode,
        /// The id.
        id: u32,
        /// The first pair.
        first: usize,
        /// The second pair.
        second: usize,
    },
}

impl ExpandError {
    /// Its name, which never changes.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Mode(error) => error.code(),
            Self::MissingCount { .. } => "missing_count",
            Self::ZeroCount => "zero_count",
            Self::TooManyDevices { .. } => "too_many_devices",
            Self::TooManyIds => "too_many_ids",
            Self::EmptyFlattened => "empty_flattened",
            Self::NoPairs => "no_pairs",
            Self::NotAPair { .. } => "not_a_pair",
            Self::OutOfRange { .. } | Self::PairOutOfRange { .. } => "out_of_range",
            Self::IdTwice { .. } => "id_twice",
            Self::IdMissing { .. } => "id_missing",
            Self::SourceTwice { .. } => "source_twice",
            Self::TargetTwice { .. } => "target_twice",
        }
    }
}

impl fmt::Display for ExpandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Mode(error) => error.fmt(f),
            Self::MissingCount { mode, replicas, partitions } => {
                let missing = match (replicas, partitions) {
                    (true, true) => "numbers of replicas and partitions",
                    (true, false) => "number of replicas",
                    (false, _) => "number of partitions",
                };
                write!(f, "{mode} needs the {missing}")
            }
            Self::ZeroCount => f.write_str("the numbers of replicas and partitions must be at least 1"),
            Self::TooManyDevices { replicas, partitions } => {
                write!(f, "{replicas} replicas of {partitions} partitions are more than {MOST_IDS} devices")
            }
            Self::TooManyIds => write!(f, "more than {MOST_IDS} ids"),
            Self::EmptyFlattened => f.write_str("flattened_id needs groups, as its ids are devices"),
            Self::NoPairs => f.write_str("source_target_pairs are missing"),
            Self::NotAPair { pair, ids } => {
                write!(f, "pair {pair}: a source and a target are 2 ids, and there are {ids}")
            }
            Self::OutOfRange { mode, id, group, bound } => {
                write!(f, "group {group}: {} {id} is out of range: there are {bound}", mode.id_name())
            }
            Self::PairOutOfRange { mode, id, pair, bound } => {
                write!(f, "pair {pair}: {} {id} is out of range: there are {bound}", mode.id_name())
            }
            Self::IdTwice { mode, id, first, second } if first == second => {
                write!(f, "group {first}: {} {id} stands there twice", mode.id_name())
            }
            Self::IdTwice { mode, id, first, second } => {
                write!(f, "{} {id} stands in group {first} and in group {second}", mode.id_name())
            }
            Self::IdMissing { mode, id, bound } => {
                write!(f, "{} {id} of {bound} stands in no group, and {mode} needs them all", mode.id_name())
            }
            Self::SourceTwice { mode, id, first, second } => {
                write!(f, "{} {id} is the source of pair {first} and of pair {second}", mode.id_name())
            }
            Self::TargetTwice { mode, id, first, second } => {
                write!(f, "{} {id} is the target of pair {first} and of pair {second}", mode.id_name())
            }
        }
    }
}

impl core::error::Error for ExpandError {}
