//! Replicas and partitions, and which devices an id stands for.

use core::ops::RangeInclusive;

use super::MOST_IDS;
use super::expand_error::ExpandError;
use super::mode::GroupMode;

/// The devices of a job as rows of partitions, one row for each replica.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    mode: GroupMode,
    /// Both are known, and at least 1, in every mode but that of devices.
    replicas: Option<u32>,
    partitions: Option<u32>,
}

impl Grid {
    pub(super) fn new(mode: GroupMode, replicas: Option<u32>, partitions: Option<u32>) -> Result<Self, ExpandError> {
        if replicas == Some(0) || partitions == Some(0) {
            return Err(ExpandError::ZeroCount);
        }
        if mode != GroupMode::FlattenedId && (replicas.is_none() || partitions.is_none()) {
            let (replicas, partitions) = (replicas.is_none(), partitions.is_none());
            return Err(ExpandError::MissingCount { mode, replicas, partitions });
        }
        if let (Some(replicas), Some(partitions)) = (replicas, partitions) {
            let devices = replicas.checked_mul(partitions).and_then(|devices| usize::try_from(devices).ok());
            if devices.is_none_or(|devices| devices > MOST_IDS) {
                return Err(ExpandError::TooManyDevices { replicas, partitions });
            }
        }
        Ok(Self { mode, replicas, partitions })
    }

    pub(super) const fn mode(self) -> GroupMode {
        self.mode
    }

    /// The number of ids, if it is known.
    pub(super) fn id_bound(self) -> Option<u32> {
        match self.mode {
            GroupMode::CrossReplica | GroupMode::CrossReplicaAndPartition => self.replicas,
            GroupMode::CrossPartition => self.partitions,
            GroupMode::FlattenedId => self.replicas?.checked_mul(self.partitions?),
        }
    }

    /// The number of ids, if this one is not below it.
    pub(super) fn exceeded_by(self, id: u32) -> Option<u32> {
        self.id_bound().filter(|&bound| id >= bound)
    }

    /// How many groups of devices a written group stands for.
    pub(super) fn copies(self) -> u32 {
        match self.mode {
            GroupMode::CrossReplica => self.partitions.unwrap_or_default(),
            GroupMode::CrossPartition => self.replicas.unwrap_or_default(),
            GroupMode::CrossReplicaAndPartition | GroupMode::FlattenedId => 1,
        }
    }

    /// The devices for which an id stands in one of those groups.
    pub(super) fn devices(self, id: u32, copy: u32) -> RangeInclusive<u32> {
        let partitions = self.partitions.unwrap_or_default();
        let device = |replica: u32, partition: u32| replica.saturating_mul(partitions).saturating_add(partition);
        let (first, last) = match self.mode {
            GroupMode::CrossReplica => (device(id, copy), device(id, copy)),
            GroupMode::CrossPartition => (device(copy, id), device(copy, id)),
            GroupMode::CrossReplicaAndPartition => (device(id, 0), device(id, partitions.saturating_sub(1))),
            GroupMode::FlattenedId => (id, id),
        };
        first..=last
    }
}
