//! Which platform a listing shows.
//!
//! Neighbour sets, cores, memory and LNC decide, or the name of the instance type where it is printed. Platforms that cannot be
//! told apart are reported together.

use std::collections::{BTreeSet, HashMap};

use super::facts::{Facts, Platform};
use super::listing::{ListedDevice, Listing};

/// How the devices of a listing lie in a platform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fit {
    /// In which way.
    pub kind: FitKind,
    /// The platform's number of each listed device.
    pub devices: Vec<u32>,
}

/// The ways in which a listing fits a platform, the best one first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FitKind {
    /// Every device is there.
    Whole,
    /// Some are, under the host's numbers.
    Part,
    /// Some are, under numbers of their own; their neighbours have the host's.
    Renumbered,
    /// Two of the platform in one host: the second one's numbers have a bit more.
    Twice,
}

/// The platforms that a listing fits best.
#[derive(Clone, Debug, Default)]
pub struct Recognised {
    /// More than one when they cannot be told apart.
    pub candidates: Vec<&'static Platform>,
    /// How the listing fits them.
    pub fit: Option<Fit>,
    /// The instance type is printed, and it decides.
    pub by_name: bool,
    /// The one that the number of CPUs speaks for: a hint, and no proof.
    pub hint: Option<&'static Platform>,
}

impl Recognised {
    /// Recognises the platform of a listing.
    #[must_use]
    pub fn of(listing: &Listing) -> Self {
        let facts = Facts::get();
        let named = listing.instance_type.as_deref().and_then(|name| facts.platform(name));
        if let Some(platform) = named {
            return Self { candidates: vec![platform], fit: fit(listing, platform), by_name: true, hint: None };
        }
        let single = facts.platforms.iter().filter(|platform| platform.instances == 1);
        let fits: Vec<_> = single.filter_map(|platform| Some((platform, fit(listing, platform)?))).collect();
        let Some(best) = fits.iter().map(|(_, fit)| fit.kind).min() else { return Self::default() };
        let best: Vec<_> = fits.into_iter().filter(|(_, fit)| fit.kind == best).collect();
        let candidates: Vec<_> = best.iter().map(|(platform, _)| *platform).collect();
        let fit = best.into_iter().next().map(|(_, fit)| fit);
        Self { hint: by_cpus(listing, &candidates), candidates, fit, by_name: false }
    }
}

/// The only candidate that has as many CPUs as the listing names.
fn by_cpus(listing: &Listing, candidates: &[&'static Platform]) -> Option<&'static Platform> {
    let cpus = cpus(listing)?;
    let mut fitting = candidates.iter().filter(|platform| platform.vcpus == Some(cpus));
    let only = fitting.next().filter(|_| candidates.len() > 1)?;
    fitting.next().is_none().then_some(*only)
}

/// How many CPUs the devices name.
fn cpus(listing: &Listing) -> Option<u32> {
    let mut all = BTreeSet::new();
    for device in &listing.devices {
        for part in device.cpu_affinity.as_ref()?.split(',') {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let (first, last): (u16, u16) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
            all.extend(first..=last);
        }
    }
    u32::try_from(all.len()).ok()
}

/// How a listing fits a platform, if it does.
pub(super) fn fit(listing: &Listing, platform: &Platform) -> Option<Fit> {
    let lnc = listing.lnc.unwrap_or(1);
    let cores = platform.lnc.contains(&lnc).then(|| platform.cores_per_device(lnc))?;
    let memory = u64::from(platform.memory_gib).wrapping_shl(30);
    let alike =
        |device: &ListedDevice| device.cores == cores && device.memory_bytes.is_none_or(|bytes| bytes == memory);
    let neighbours = platform.neighbours.as_ref()?;
    if !listing.devices.iter().all(alike) {
        return None;
    }
    let own: Vec<BTreeSet<u32>> = neighbours.iter().map(|list| list.iter().copied().collect()).collect();
    let seen: Vec<BTreeSet<u32>> =
        listing.devices.iter().map(|device| device.neighbours.iter().flatten().copied().collect()).collect();
    in_place(listing, &own, &seen).or_else(|| renumbered(&own, &seen)).or_else(|| twice(listing, &own, &seen))
}

fn in_place(listing: &Listing, own: &[BTreeSet<u32>], seen: &[BTreeSet<u32>]) -> Option<Fit> {
    let is_there = |(device, seen): (&ListedDevice, &BTreeSet<u32>)| of(own, device.id) == Some(seen);
    let kind = if listing.devices.len() == own.len() { FitKind::Whole } else { FitKind::Part };
    let fits = listing.devices.iter().zip(seen).all(is_there);
    fits.then(|| Fit { kind, devices: listing.devices.iter().map(|device| device.id).collect() })
}

/// Each device is the one with its neighbours. On a ring or torus no two devices have the same ones.
fn renumbered(own: &[BTreeSet<u32>], seen: &[BTreeSet<u32>]) -> Option<Fit> {
    let mut by_neighbours: HashMap<&BTreeSet<u32>, Option<u32>> = HashMap::new();
    for (device, neighbours) in (0_u32..).zip(own) {
        by_neighbours.entry(neighbours).and_modify(|device| *device = None).or_insert(Some(device));
    }
    let devices: Option<Vec<u32>> = seen.iter().map(|neighbours| *by_neighbours.get(neighbours)?).collect();
    let devices = devices?;
    let distinct: BTreeSet<_> = devices.iter().collect();
    (distinct.len() == devices.len()).then_some(Fit { kind: FitKind::Renumbered, devices })
}

/// The driver numbers the second half of such a host from the number of devices of the first on.
fn twice(listing: &Listing, own: &[BTreeSet<u32>], seen: &[BTreeSet<u32>]) -> Option<Fit> {
    let count = u32::try_from(own.len()).ok()?;
    if own.len() < 2 || listing.devices.len() != own.len().saturating_mul(2) {
        return None;
    }
    let mut devices = Vec::with_capacity(listing.devices.len());
    for (device, seen) in listing.devices.iter().zip(seen) {
        let (half, within) = (device.id.checked_div(count)?, device.id.checked_rem(count)?);
        let base = half.checked_mul(count)?;
        let expected: BTreeSet<u32> =
            of(own, within)?.iter().filter_map(|neighbour| neighbour.checked_add(base)).collect();
        if half > 1 || expected != *seen {
            return None;
        }
        devices.push(device.id);
    }
    Some(Fit { kind: FitKind::Twice, devices })
}

fn of<T>(list: &[T], device: u32) -> Option<&T> {
    list.get(usize::try_from(device).ok()?)
}
