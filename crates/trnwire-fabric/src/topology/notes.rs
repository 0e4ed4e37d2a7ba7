//! What is odd about a listing. What is legal is a note.

use std::collections::BTreeSet;

use super::facts::Platform;
use super::listing::{ListedDevice, Listing};
use super::recognise::{FitKind, Recognised};
use super::rules;
use crate::rule::{Finding, Rule};

/// Everything to say about the listing of an instance, in the order of the rules.
pub(super) fn findings(place: &str, listing: &Listing, recognised: &Recognised, names_platform: bool) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut say = |rule: &'static Rule, message: String| found.push(Finding::new(rule, place, message));
    let devices = &listing.devices;
    let which = |odd: &dyn Fn(&ListedDevice) -> bool| {
        let ids: Vec<String> =
            devices.iter().filter(|device| odd(device)).map(|device| device.id.to_string()).collect();
        (!ids.is_empty()).then(|| if ids.len() == devices.len() { "every device".to_owned() } else { named(&ids) })
    };
    if let Some(which) = which(&|device| device.numa_node.is_none() && device.cpu_affinity.is_some()) {
        say(&rules::NUMA_NODE, format!("{which}: no NUMA node (-1)"));
    }
    if let Some(which) = which(&|device| device.neighbours.is_none()) {
        say(&rules::NO_LINKS, format!("{which}: no list of neighbours"));
    }
    let is_short = |device: &ListedDevice| device.bdf.as_ref().is_some_and(|bdf| bdf.matches(':').count() < 2);
    if let Some(which) = which(&is_short) {
        say(&rules::SHORT_BDF, format!("{which}: PCI address without a domain, taken as 0000"));
    }
    if listing.memory_is_text && devices.iter().any(|device| device.memory_bytes.is_some()) {
        say(&rules::MEMORY_UNIT, "memory is printed in GB and meant in GiB".to_owned());
    }
    let physical = recognised.candidates.first().map(|platform| platform.physical_cores);
    match (listing.lnc, devices.first(), physical) {
        (None, Some(device), _) => say(
            &rules::LNC_ABSENT,
            format!("no LNC is printed, so that the {} cores of a device are physical", device.cores),
        ),
        (Some(lnc), Some(device), Some(physical)) if lnc > 1 => say(
            &rules::LNC_ABSENT,
            format!("LNC {lnc}: the {} cores of a device are logical, it has {physical} physical ones", device.cores),
        ),
        _ => {}
    }
    if !listing.memory_is_text && listing.instance_type.is_some() {
        let name = listing.instance_type.as_deref().unwrap_or_default();
        say(&rules::INSTANCE_IN_DEVICE, format!("every device says that it is one of a {name}"));
    }
    of_fit(listing, recognised, names_platform, &mut say);
    let bdfs: Vec<String> =
        devices.iter().filter_map(|device| device.bdf.as_ref()).map(|bdf| with_domain(bdf)).collect();
    if !bdfs.is_sorted() {
        say(&rules::BDF_ORDER, "PCI addresses are not in the order of the devices".to_owned());
    }
    for (device, neighbour) in one_sided(listing, recognised.fit.as_ref().map(|fit| fit.kind)) {
        say(
            &rules::ONE_SIDED,
            format!(
                "device {device} is linked with {neighbour}, and {neighbour} does not say that it is linked with {device}"
            ),
        );
    }
    found
}

/// What the platform says about the listing.
fn of_fit(
    listing: &Listing,
    recognised: &Recognised,
    names_platform: bool,
    say: &mut dyn FnMut(&'static Rule, String),
) {
    let Some(platform) = recognised.candidates.first() else {
        let name = listing.instance_type.as_deref().map_or(String::new(), |name| format!(" (it is called {name})"));
        let count = listing.devices.len();
        return say(&rules::UNKNOWN, format!("no known platform has these {count} devices and links{name}"));
    };
    let Some(fit) = &recognised.fit else {
        let expected = format!("{} devices, {}", platform.devices_per_instance, platform.graph);
        return say(&rules::MISMATCH, format!("it is called {}, and is not that: {expected}", platform.name));
    };
    let count = platform.devices_per_instance;
    if in_other_order(listing, platform) {
        say(
            &rules::NEIGHBOUR_ORDER,
            "neighbours are not in the documentation's order; the sets are the same".to_owned(),
        );
    }
    match fit.kind {
        FitKind::Whole => {}
        FitKind::Part => {
            say(&rules::PART, format!("{} of {count} devices of a {}", listing.devices.len(), platform.name));
        }
        FitKind::Renumbered => {
            let pairs = listing.devices.iter().zip(&fit.devices);
            let pairs: Vec<_> = pairs.map(|(device, host)| format!("{} is {host}", device.id)).collect();
            say(&rules::RENUMBERED, format!("by their neighbours, device {}", pairs.join(", ")));
            say(&rules::PART, format!("{} of {count} devices of a {}", listing.devices.len(), platform.name));
        }
        FitKind::Twice => say(
            &rules::TWO_TORI,
            format!(
                "devices 0 to {} and {count} to {} are not linked",
                count.saturating_sub(1),
                count.saturating_mul(2).saturating_sub(1)
            ),
        ),
    }
    if recognised.candidates.len() > 1 && !names_platform {
        let names: Vec<_> = recognised.candidates.iter().map(|platform| platform.name.as_str()).collect();
        let hint = recognised.hint.map_or(String::new(), |hint| {
            format!("; its {} CPUs speak for {}", hint.vcpus.unwrap_or_default(), hint.name)
        });
        say(&rules::TIE, format!("{} look alike{hint}", names.join(", ")));
    }
}

/// Whether a device lists the neighbours of its platform in another order than the documentation.
fn in_other_order(listing: &Listing, platform: &Platform) -> bool {
    let Some(documented) = &platform.neighbours else { return false };
    listing.devices.iter().any(|device| {
        let Some(seen) = device.neighbours.as_ref().filter(|seen| !seen.is_empty()) else { return false };
        let same_set = |list: &&Vec<u32>| list.iter().collect::<BTreeSet<_>>() == seen.iter().collect::<BTreeSet<_>>();
        documented.iter().find(same_set).is_some_and(|list| list != seen)
    })
}

/// Links that one listed device names and the other does not. Where numbers are a container's own, nobody can tell.
fn one_sided(listing: &Listing, kind: Option<FitKind>) -> Vec<(u32, u32)> {
    if kind == Some(FitKind::Renumbered) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for device in &listing.devices {
        for neighbour in device.neighbours.iter().flatten() {
            let other = listing.devices.iter().find(|other| other.id == *neighbour);
            if other.is_some_and(|other| !other.neighbours.iter().flatten().any(|back| *back == device.id)) {
                found.push((device.id, *neighbour));
            }
        }
    }
    found
}

fn with_domain(bdf: &str) -> String {
    if bdf.matches(':').count() < 2 { format!("0000:{bdf}") } else { bdf.to_owned() }
}

/// `device 3` or `devices 3, 4, 5 and 9 more`.
fn named(ids: &[String]) -> String {
    const MOST: usize = 6;
    let shown = ids.iter().take(MOST).map(String::as_str).collect::<Vec<_>>().join(", ");
    match ids.len() {
        1 => format!("device {shown}"),
        count if count > MOST => format!("devices {shown} and {} more", count.saturating_sub(MOST)),
        _ => format!("devices {shown}"),
    }
}
