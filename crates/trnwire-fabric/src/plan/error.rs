//! Why there is no plan.

use core::fmt;

use super::kangaring::Refusal;

/// Why there is no plan.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlanError {
    /// No platform is known, and with it neither top-SPs nor an architecture.
    NoPlatform,
    /// A rank is none of the topology's.
    Rank {
        /// The group's number.
        group: usize,
        /// The rank.
        rank: u32,
        /// How many there are.
        ranks: usize,
    },
    /// A rank occurs twice in a group.
    Twice {
        /// The group's number.
        group: usize,
        /// The rank.
        rank: u32,
    },
    /// A kangaring was asked for and cannot be.
    Kangaring {
        /// The group's number.
        group: usize,
        /// Why not.
        why: Refusal,
    },
    /// No channel is left that is free at every rank.
    Channels {
        /// The group's number.
        group: usize,
        /// How many were asked for.
        asked: u32,
        /// How many fit.
        fit: u32,
    },
    /// No semaphore is left on a top-SP.
    Semaphores {
        /// The rank.
        rank: u32,
        /// The top-SP.
        top_sp: u32,
    },
    /// A given order of the ring is none.
    Order {
        /// The group's number.
        group: usize,
        /// Why not.
        why: String,
    },
    /// An option is out of range.
    Option {
        /// Its name.
        name: &'static str,
        /// Its value.
        value: u32,
        /// What it may be.
        range: &'static str,
    },
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoPlatform => f.write_str(
                "no known platform has these devices, so that their top-SPs are not known; name it with --platform",
            ),
            Self::Rank { group, rank, ranks } => {
                write!(f, "group {group}: rank {rank}, and there are {ranks} (0 to {})", ranks.saturating_sub(1))
            }
            Self::Twice { group, rank } => write!(f, "group {group}: rank {rank} occurs twice"),
            Self::Kangaring { group, why } => write!(f, "group {group}: no kangaring: {why}"),
            Self::Channels { group, asked, fit } => {
                write!(f, "group {group}: {asked} channels are asked for, and only {fit} are free at all of its ranks")
            }
            Self::Semaphores { rank, top_sp } => write!(f, "rank {rank}: no semaphore is left on top-SP {top_sp}"),
            Self::Order { group, why } => write!(f, "group {group}: the given order is no ring: {why}"),
            Self::Option { name, value, range } => write!(f, "{name}: {value} is not in {range}"),
        }
    }
}

impl core::error::Error for PlanError {}
