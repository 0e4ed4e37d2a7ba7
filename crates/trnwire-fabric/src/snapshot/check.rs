//! What must hold between the entries of a manifest.

use std::collections::{HashMap, HashSet};

use trnwire::arch::CollectiveArch;
use trnwire::block::View;

use super::entry::{Fault, Route};
use super::manifest::{Algorithm, BlockView, FileEntry, FileKind, Manifest};
use super::path;

/// The smallest algo-state.
pub(super) const STATE_BYTES: u64 = 518;
/// The bytes of 256 semaphores.
pub(super) const SEMAPHORE_BYTES: u64 = 1024;

pub(super) fn check(manifest: &Manifest) -> Result<(), Fault> {
    let devices = devices(manifest)?;
    ranks(manifest, &devices)?;
    ops(manifest)?;
    channels(manifest)?;
    files(manifest)
}

/// The device that a manifest lists under an instance and a number.
type Device = (u32, u32);

fn devices(manifest: &Manifest) -> Result<HashSet<Device>, Fault> {
    let mut devices = HashSet::new();
    let mut routes: HashMap<(u32, Route), usize> = HashMap::new();
    for (index, device) in manifest.devices.iter().enumerate() {
        let path = format!("/devices/{index}");
        let number = usize::try_from(device.instance).unwrap_or(usize::MAX);
        let Some(instance) = manifest.instances.get(number) else {
            let count = manifest.instances.len();
            return Err(Fault::new(format!("{path}/instance"), format!("no instance {number}, there are {count}")));
        };
        if !devices.insert((device.instance, device.device)) {
            let what = format!("device {} of instance {} occurs twice", device.device, device.instance);
            return Err(Fault::new(path, what));
        }
        let Some(route) = device.route else { continue };
        if let Some(other) = routes.insert((instance.pod(number), route), index) {
            let what = format!("{:#x} is the route of /devices/{other}, too, in the same pod", route.0);
            return Err(Fault::new(format!("{path}/route"), what));
        }
    }
    Ok(devices)
}

fn ranks(manifest: &Manifest, devices: &HashSet<Device>) -> Result<(), Fault> {
    let most = match manifest.arch {
        CollectiveArch::Sunda => 6,
        _ => 16,
    };
    let mut seen = HashSet::new();
    for (index, rank) in manifest.ranks.iter().enumerate() {
        let path = format!("/ranks/{index}");
        if !seen.insert(rank.rank) {
            return Err(Fault::new(format!("{path}/rank"), format!("rank {} occurs twice", rank.rank)));
        }
        if !devices.contains(&(rank.instance, rank.device)) {
            let what = format!("device {} of instance {} is not listed", rank.device, rank.instance);
            return Err(Fault::new(format!("{path}/device"), what));
        }
        if let Some(top_sp) = rank.top_sps.iter().find(|top_sp| **top_sp >= most) {
            let what = format!("top-SP {top_sp}, and {} has {most} on a device", manifest.arch.name());
            return Err(Fault::new(format!("{path}/top_sps"), what));
        }
    }
    Ok(())
}

fn ops(manifest: &Manifest) -> Result<(), Fault> {
    let ranks: HashSet<u32> = manifest.ranks.iter().map(|rank| rank.rank).collect();
    let mut seen = HashSet::new();
    for (index, op) in manifest.ops.iter().enumerate() {
        let path = format!("/ops/{index}");
        let at = |key: &str, what: String| Err(Fault::new(format!("{path}/{key}"), what));
        if !seen.insert(op.id) {
            return at("id", format!("op {} occurs twice", op.id));
        }
        let mut members = HashSet::new();
        for rank in &op.ranks {
            if !ranks.contains(rank) {
                return at("ranks", format!("rank {rank} is not listed"));
            }
            if !members.insert(rank) {
                return at("ranks", format!("rank {rank} occurs twice"));
            }
        }
        if op.algorithm == Algorithm::Mesh {
            continue;
        }
        if op.channels.is_empty() {
            return at("channels", format!("a {} has channels", op.algorithm.name()));
        }
        if !matches!(op.collective.as_str(), "all_gather" | "reduce_scatter" | "all_reduce") {
            return at("collective", format!("{:?} is not all_gather, reduce_scatter or all_reduce", op.collective));
        }
        match (op.algorithm, op.group_size) {
            (Algorithm::Ring, 1) | (Algorithm::Kangaring, 2 | 4) => {}
            (algorithm, size) => return at("group_size", format!("a {} has no groups of {size}", algorithm.name())),
        }
    }
    Ok(())
}

fn channels(manifest: &Manifest) -> Result<(), Fault> {
    let ops: HashSet<u32> = manifest.ops.iter().map(|op| op.id).collect();
    let ranks: HashMap<u32, usize> =
        manifest.ranks.iter().enumerate().map(|(index, rank)| (rank.rank, index)).collect();
    let mut triples = HashSet::with_capacity(manifest.channels.len());
    let mut rows = HashSet::with_capacity(manifest.channels.len());
    for (index, entry) in manifest.channels.iter().enumerate() {
        let at = |key: &str, what: String| Err(Fault::new(format!("/channels/{index}/{key}"), what));
        if !ops.contains(&entry.op) {
            return at("op", format!("op {} is not listed", entry.op));
        }
        let Some(rank) = ranks.get(&entry.rank).and_then(|index| manifest.ranks.get(*index)) else {
            return at("rank", format!("rank {} is not listed", entry.rank));
        };
        if !triples.insert((entry.op, entry.rank, entry.channel)) {
            return at(
                "channel",
                format!("op {}, rank {}, channel {} occurs twice", entry.op, entry.rank, entry.channel),
            );
        }
        if !rank.top_sps.contains(&entry.top_sp) {
            return at("top_sp", format!("top-SP {} is none of rank {}'s", entry.top_sp, entry.rank));
        }
        if !rows.insert((rank.instance, rank.device, entry.top_sp, entry.channel)) {
            let what = format!("row {} of top-SP {} of that device has an entry already", entry.channel, entry.top_sp);
            return at("channel", what);
        }
        for (key, other) in [("next", entry.next), ("prev", entry.prev), ("primary", entry.primary)] {
            if let Some(other) = other.filter(|other| !ranks.contains_key(other)) {
                return at(key, format!("rank {other} is not listed"));
            }
        }
    }
    Ok(())
}

fn files(manifest: &Manifest) -> Result<(), Fault> {
    let mut owners = HashSet::new();
    let mut paths = HashSet::new();
    for (index, file) in manifest.files.iter().enumerate() {
        let at = |key: &str, what: String| Err(Fault::new(format!("/files/{index}/{key}"), what));
        if let Err(why) = path::check(&file.path) {
            return at("path", format!("{:?}: {why}", file.path));
        }
        if !paths.insert(&file.path) {
            return at("path", format!("{:?} occurs twice", file.path));
        }
        if file.kind != FileKind::Log {
            let Some(owner) = owner(file) else {
                return at("kind", "instance, device and top_sp say whose it is".to_owned());
            };
            if !owners.insert((file.kind, owner)) {
                return at("kind", format!("there is a {} of this top-SP already", file.kind.name()));
            }
        }
        if let Some(what) = wrong_size(manifest.arch, file) {
            return at("bytes", what);
        }
    }
    Ok(())
}

/// Whose file it is: instance, device, top-SP.
pub(super) fn owner(file: &FileEntry) -> Option<(u32, u32, u32)> {
    Some((file.instance.0?, file.device.0?, file.top_sp.0?))
}

/// Why a file of this kind cannot have its size.
fn wrong_size(arch: CollectiveArch, file: &FileEntry) -> Option<String> {
    let bytes = file.bytes;
    match (file.kind, file.view.0) {
        (FileKind::AlgoBlock, None) => Some("an algo-block has a view".to_owned()),
        (FileKind::AlgoBlock, Some(view)) => {
            let expected = view.view().size_bytes();
            let is_it = u64::try_from(expected) == Ok(bytes);
            (!is_it).then(|| format!("{bytes} bytes, and the {} view has {expected}", view.name()))
        }
        (FileKind::AlgoState, _) => {
            (bytes < STATE_BYTES).then(|| format!("{bytes} bytes, and a state has {STATE_BYTES} or more"))
        }
        (FileKind::Semaphores, _) => {
            (bytes != SEMAPHORE_BYTES).then(|| format!("{bytes} bytes, and 256 semaphores have {SEMAPHORE_BYTES}"))
        }
        (FileKind::Context, _) => {
            let least = trnwire::context::smallest_context(arch);
            let is_enough = u64::try_from(least).is_ok_and(|least| bytes >= least);
            (!is_enough).then(|| format!("{bytes} bytes, and a context of {} has {least} or more", arch.name()))
        }
        (FileKind::Log, _) => None,
    }
}

impl BlockView {
    /// The view of the block.
    #[must_use]
    pub const fn view(self) -> View {
        match self {
            Self::Host => View::Host,
            Self::Sunda => View::Sunda,
            Self::Cayman => View::Cayman,
        }
    }
}
