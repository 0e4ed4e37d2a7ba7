//! Two snapshots of one job, apart in time.

use core::fmt;

use zerocopy::IntoBytes;

use super::Snapshot;
use super::manifest::{ChannelEntry, Manifest};

/// Why two snapshots are not of one job at two times: the first difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Where, as a JSON pointer.
    pub path: String,
    /// What both say.
    pub what: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.what)
    }
}

impl core::error::Error for Difference {}

/// Whether two snapshots can be compared.
///
/// # Errors
/// The first difference between their jobs, architectures, ops or channel entries.
pub fn comparable(one: &Manifest, other: &Manifest) -> Result<(), Difference> {
    let differ = |path: String, what: String| Err(Difference { path, what });
    let jobs = one.state.job.as_ref().zip(other.state.job.as_ref());
    if let Some((one, other)) = jobs.filter(|(one, other)| one != other) {
        return differ("/state/job".to_owned(), format!("{one:?} and {other:?}"));
    }
    if one.arch != other.arch {
        return differ("/arch".to_owned(), format!("{} and {}", one.arch.name(), other.arch.name()));
    }
    if let Some(path) = first_difference("/ops", &one.ops, &other.ops) {
        return differ(path, "the ops are not the same".to_owned());
    }
    match first_difference("/channels", &one.channels, &other.channels) {
        Some(path) => differ(path, "the channel entries are not the same".to_owned()),
        None => Ok(()),
    }
}

fn first_difference<T: PartialEq>(path: &str, one: &[T], other: &[T]) -> Option<String> {
    let index = one.iter().zip(other).position(|(one, other)| one != other);
    let shorter = (one.len() != other.len()).then(|| one.len().min(other.len()));
    index.or(shorter).map(|index| format!("{path}/{index}"))
}

/// Whether nothing of a channel moved: its live row, and the semaphores that its record names. `None` where one of the two
/// does not show it.
#[must_use]
pub fn unchanged(one: &Snapshot, other: &Snapshot, entry: &ChannelEntry) -> Option<bool> {
    let (before, after) = (one.live_row(entry)?, other.live_row(entry)?);
    let mut same = before.as_bytes() == after.as_bytes();
    let (instance, device, _) = one.top_sp_of(entry)?;
    let row = one.row(entry)?;
    let own = [row.recv_sema, row.send_sema, row.post_sema, row.dma_compl_sema, row.kring_peer_semas.mine];
    for address in own.into_iter().filter(|address| address.is_set()) {
        let Ok((register, _)) = one.resolve((instance, device), address.get()) else { continue };
        same &= one.semaphore(register)? == other.semaphore(register)?;
    }
    Some(same)
}
