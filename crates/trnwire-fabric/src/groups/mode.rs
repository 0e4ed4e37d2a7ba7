//! Group modes: what the ids of an op are.

use core::fmt;

use super::op::CollectiveOp;

/// What the ids of a collective op are. With `R` replicas and `P` partitions, device `r * P + p` is partition `p` of
/// replica `r`.
///
/// | op | channel | `use_global_device_ids` | mode |
/// |---|---|---|---|
/// | all-reduce, all-gather, reduce-scatter | no | absent or false | cross_replica |
/// | same | no | true | error |
/// | same | yes | absent or false | cross_replica_and_partition |
/// | same | yes | true | flattened_id |
/// | all other | no | no such attribute | cross_replica |
/// | all other | yes | no such attribute | cross_partition |
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum GroupMode {
    /// Ids are replicas, and each group stands for one group of devices in every partition.
    CrossReplica,
    /// Ids are partitions, and each group stands for one group of devices in every replica.
    CrossPartition,
    /// Ids are replicas, and each group holds all partitions of them.
    CrossReplicaAndPartition,
    /// Ids are devices.
    FlattenedId,
}

impl GroupMode {
    /// Every mode.
    pub const ALL: [Self; 4] =
        [Self::CrossReplica, Self::CrossPartition, Self::CrossReplicaAndPartition, Self::FlattenedId];

    /// The mode of an op: whether it has a channel, and its `use_global_device_ids`, `None` where that is absent.
    ///
    /// # Errors
    /// Attributes that contradict one another or do not go with the op.
    pub const fn of(
        op: CollectiveOp,
        has_channel: bool,
        use_global_device_ids: Option<bool>,
    ) -> Result<Self, ModeError> {
        match (op.knows_global_ids(), has_channel, use_global_device_ids) {
            (true, false, Some(true)) => Err(ModeError::GlobalIdsWithoutChannel),
            (true, true, Some(true)) => Ok(Self::FlattenedId),
            (true, true, _) => Ok(Self::CrossReplicaAndPartition),
            (true, false, _) | (false, false, None) => Ok(Self::CrossReplica),
            (false, true, None) => Ok(Self::CrossPartition),
            (false, _, Some(_)) => Err(ModeError::NoGlobalIds(op)),
        }
    }

    /// The word in output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::CrossReplica => "cross_replica",
            Self::CrossPartition => "cross_partition",
            Self::CrossReplicaAndPartition => "cross_replica_and_partition",
            Self::FlattenedId => "flattened_id",
        }
    }

    /// What ids and groups mean, in one line.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::CrossReplica => "ids are replicas; each group is formed once in every partition",
            Self::CrossPartition => "ids are partitions; each group is formed once in every replica",
            Self::CrossReplicaAndPartition => "ids are replicas; each group holds all partitions of its replicas",
            Self::FlattenedId => "ids are devices: replica * partitions + partition",
        }
    }

    /// What an id is called.
    #[must_use]
    pub const fn id_name(self) -> &'static str {
        match self {
            Self::CrossReplica | Self::CrossReplicaAndPartition => "replica",
            Self::CrossPartition => "partition",
            Self::FlattenedId => "device",
        }
    }
}

impl fmt::Display for GroupMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Why an op has no mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ModeError {
    /// `use_global_device_ids` is true, and there is no channel.
    GlobalIdsWithoutChannel,
    /// `use_global_device_ids` on an op that does not have it.
    NoGlobalIds(CollectiveOp),
}

impl ModeError {
    /// Its name, which never changes.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::GlobalIdsWithoutChannel => "global_ids_without_channel",
            Self::NoGlobalIds(_) => "no_global_ids",
        }
    }
}

impl fmt::Display for ModeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::GlobalIdsWithoutChannel => f.write_str("use_global_device_ids is true, and the op has no channel id"),
            Self::NoGlobalIds(op) => write!(f, "{op} has no use_global_device_ids"),
        }
    }
}

impl core::error::Error for ModeError {}
