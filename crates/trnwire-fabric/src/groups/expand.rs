//! From what an op says to the devices that take part.

use super::MOST_IDS;
use super::expand_error::ExpandError;
use super::grid::Grid;
use super::list::Groups;
use super::mode::GroupMode;
use super::op::Collective;
use super::written::Written;

/// What an op means for devices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expansion {
    /// What its ids are.
    pub mode: GroupMode,
    /// Who takes part with whom.
    pub devices: Devices,
}

/// Devices, each as replica * partitions + partition, which is the rank under the default device assignment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Devices {
    /// Groups, in the order in which the op names them; those that one written group stands for follow one another.
    Groups(Groups),
    /// Pairs of a source and a target, in the same order.
    Pairs(Vec<[u32; 2]>),
}

/// The groups or pairs of devices of an op among so many replicas and partitions. Absent groups are all ids in one group;
/// pairs cannot be absent.
///
/// # Errors
/// Attributes that contradict one another, counts that are needed and missing, ids that are wrong. See [`ExpandError`].
///
/// # Examples
/// ```
/// use trnwire_fabric::groups::{Devices, GroupMode, expand, read_module};
///
/// let text = "%ar = f32[8] all-reduce(%p), replica_groups={{0},{1}}, channel_id=1, to_apply=%add";
/// let module = read_module(text);
/// let expansion = expand(&module.collectives[0], Some(2), Some(3)).unwrap();
/// assert_eq!(expansion.mode, GroupMode::CrossReplicaAndPartition);
/// let Devices::Groups(groups) = expansion.devices else { panic!() };
/// assert_eq!(groups.to_vecs(), [[0, 1, 2], [3, 4, 5]]);
///
/// let error = expand(&module.collectives[0], Some(2), None).unwrap_err();
/// assert_eq!(error.to_string(), "cross_replica_and_partition needs the number of partitions");
/// ```
pub fn expand(
    collective: &Collective,
    replicas: Option<u32>,
    partitions: Option<u32>,
) -> Result<Expansion, ExpandError> {
    let mode = collective.mode().map_err(ExpandError::Mode)?;
    let written = collective.written.as_ref().map(Written::groups);
    let devices = if collective.op.takes_pairs() {
        let pairs = written.ok_or(ExpandError::NoPairs)?;
        Devices::Pairs(expand_pairs(&pairs, mode, replicas, partitions)?)
    } else {
        Devices::Groups(expand_groups(&written.unwrap_or_default(), mode, replicas, partitions)?)
    };
    Ok(Expansion { mode, devices })
}

/// The groups of devices that written groups stand for; no groups are all ids in one. For groups that come without an op.
///
/// # Errors
/// Counts that are needed and missing, ids that are wrong.
pub fn expand_groups(
    written: &Groups,
    mode: GroupMode,
    replicas: Option<u32>,
    partitions: Option<u32>,
) -> Result<Groups, ExpandError> {
    let grid = Grid::new(mode, replicas, partitions)?;
    let mut devices = Groups::default();
    let mut push = |ids: &[u32]| {
        for copy in 0..grid.copies() {
            for device in ids.iter().flat_map(|&id| grid.devices(id, copy)) {
                devices.push_id(device).ok_or(ExpandError::TooManyIds)?;
            }
            devices.end_group();
        }
        Ok(())
    };
    if written.is_empty() {
        // That ids are devices asks for groups, even where it is known how many devices there are.
        let bound = grid.id_bound().filter(|_| mode != GroupMode::FlattenedId).ok_or(ExpandError::EmptyFlattened)?;
        push(&(0..bound).collect::<Vec<_>>())?;
    } else {
        check_ids(written, grid)?;
        written.iter().try_for_each(push)?;
    }
    Ok(devices)
}

/// Checks that ids are in range and stand there once, and in modes of replicas and partitions that none is missing.
fn check_ids(written: &Groups, grid: Grid) -> Result<(), ExpandError> {
    let mode = grid.mode();
    let mut places: Vec<(u32, usize)> = Vec::with_capacity(written.ids().len());
    for (group, ids) in written.iter().enumerate() {
        for &id in ids {
            if let Some(bound) = grid.exceeded_by(id) {
                return Err(ExpandError::OutOfRange { mode, id, group, bound });
            }
            places.push((id, group));
        }
    }
    if let Some((id, first, second)) = first_repeated(&mut places) {
        return Err(ExpandError::IdTwice { mode, id, first, second });
    }
    let bound = grid.id_bound().filter(|_| mode != GroupMode::FlattenedId);
    // Sorted and without repetitions, the first id that is not at its own place follows one that is missing.
    let missing = (0..bound.unwrap_or_default())
        .zip(places.iter().map(|&(id, _)| Some(id)).chain(core::iter::repeat(None)))
        .find(|&(wanted, found)| found != Some(wanted));
    match (missing, bound) {
        (Some((id, _)), Some(bound)) => Err(ExpandError::IdMissing { mode, id, bound }),
        _ => Ok(()),
    }
}

/// The pairs of devices that written pairs stand for: groups of two ids, a source and a target.
///
/// # Errors
/// Counts that are needed and missing, ids that are wrong, two pairs with one source or one target.
pub fn expand_pairs(
    written: &Groups,
    mode: GroupMode,
    replicas: Option<u32>,
    partitions: Option<u32>,
) -> Result<Vec<[u32; 2]>, ExpandError> {
    let grid = Grid::new(mode, replicas, partitions)?;
    let (mut sources, mut targets) = (Vec::new(), Vec::new());
    let mut devices = Vec::new();
    for (pair, ids) in written.iter().enumerate() {
        let &[source, target] = ids else { return Err(ExpandError::NotAPair { pair, ids: ids.len() }) };
        for id in [source, target] {
            if let Some(bound) = grid.exceeded_by(id) {
                return Err(ExpandError::PairOutOfRange { mode, id, pair, bound });
            }
        }
        sources.push((source, pair));
        targets.push((target, pair));
        for copy in 0..grid.copies() {
            for (source, target) in grid.devices(source, copy).zip(grid.devices(target, copy)) {
                if devices.len() >= MOST_IDS / 2 {
                    return Err(ExpandError::TooManyIds);
                }
                devices.push([source, target]);
            }
        }
    }
    if let Some((id, first, second)) = first_repeated(&mut sources) {
        return Err(ExpandError::SourceTwice { mode, id, first, second });
    }
    match first_repeated(&mut targets) {
        Some((id, first, second)) => Err(ExpandError::TargetTwice { mode, id, first, second }),
        None => Ok(devices),
    }
}

/// Sorts ids with their places, and gives the least id that stands there twice with its first two places.
fn first_repeated(places: &mut [(u32, usize)]) -> Option<(u32, usize, usize)> {
    places.sort_unstable();
    places
        .array_windows()
        .find(|[first, second]| first.0 == second.0)
        .map(|&[(id, first), (_, second)]| (id, first, second))
}
