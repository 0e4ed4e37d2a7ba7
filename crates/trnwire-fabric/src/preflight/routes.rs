//! How the rings of groups lie on the links.

use std::collections::{BTreeMap, BTreeSet};

use super::{Job, Judged, Op, Report, Verdict, rules};
use crate::load::Load;
use crate::plan::graph::Graph;
use crate::plan::{Ring, kangaring, rings};
use crate::rule::Finding;
use crate::topology::{Links, Topology};

pub(super) fn check(job: &Job<'_>, report: &mut Report) {
    let topology = job.topology;
    let graph = Graph::of(topology);
    let pairs: Vec<(u32, u32)> = job.ops.iter().flat_map(|op| op.pairs.iter().copied()).collect();
    if !pairs.is_empty() {
        report.load = Some(Load::of(topology, &pairs));
    }
    let mut cache: BTreeMap<Vec<usize>, Vec<Ring>> = BTreeMap::new();
    for op in &job.ops {
        permute(topology, &graph, op, report);
        of_groups(topology, &graph, op, &mut cache, report);
    }
    if topology.links == Links::Switched {
        report.not_checked("hops and shared links: paths through switches are not public", "nothing that is public");
    }
}

fn of_groups(
    topology: &Topology,
    graph: &Graph,
    op: &Op,
    cache: &mut BTreeMap<Vec<usize>, Vec<Ring>>,
    report: &mut Report,
) {
    let mut indirect: Vec<(usize, Ring)> = Vec::new();
    let mut users: BTreeMap<(usize, usize), BTreeSet<usize>> = BTreeMap::new();
    let mut over_network = 0_usize;
    let mut no_kangaring: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (number, group) in op.groups.iter().enumerate().filter(|(_, group)| group.len() > 1) {
        let mut devices: Vec<usize> = group.iter().filter_map(|rank| Some(topology.core(*rank)?.device)).collect();
        devices.sort_unstable();
        devices.dedup();
        let rings = cache.entry(devices.clone()).or_insert_with(|| rings(topology, graph, &devices, 0));
        let Some(ring) = rings.first() else { continue };
        over_network = over_network.saturating_add(usize::from(ring.network_hops > 0));
        if ring.indirect_hops > 0 {
            indirect.push((number, ring.clone()));
        }
        let next = ring.devices.iter().cycle().skip(1);
        for path in ring.devices.iter().zip(next).filter_map(|(from, to)| graph.path(*from, *to)) {
            for (&a, &b) in path.iter().zip(path.iter().skip(1)) {
                users.entry((a.min(b), a.max(b))).or_default().insert(number);
            }
        }
        if let Some(why) = kangaring::refused(topology, group) {
            no_kangaring.entry(why.kind()).or_default().push(number);
        }
    }
    let place = |groups: &[usize]| {
        let noun = if groups.len() == 1 { "group" } else { "groups" };
        let list = format!("{noun} {}", spans(groups));
        if op.name.is_empty() { list } else { format!("{}, {list}", op.name) }
    };
    // Of each kind of group one is shown.
    if let Some((_, ring)) = indirect.first().filter(|_| !graph.is_switched()) {
        let groups: Vec<usize> = indirect.iter().map(|(number, _)| *number).collect();
        let names: Vec<String> = ring.devices.iter().map(|device| device_name(topology, *device)).collect();
        let message = format!(
            "no cycle of links joins the devices; the best ring ({}) has {} hops over other devices",
            names.join(" "),
            ring.indirect_hops
        );
        report.findings.push(Finding::new(&rules::HOPS, place(&groups), message));
    }
    if over_network > 0 {
        let message = format!("{over_network} groups have hops over the network");
        report.findings.push(Finding::new(&rules::NETWORK, op.name.clone(), message));
    }
    let shared: Vec<_> = users.iter().filter(|(_, groups)| groups.len() > 1).collect();
    if let Some(((a, b), groups)) =
        shared.iter().max_by_key(|(_, groups)| groups.len()).filter(|_| !graph.is_switched())
    {
        let groups: Vec<usize> = groups.iter().copied().collect();
        let (a, b) = (device_name(topology, *a), device_name(topology, *b));
        let message =
            format!("{} links are used by several of them, the link {a}-{b} by {}", shared.len(), groups.len());
        report.findings.push(Finding::new(&rules::SHARED, place(&groups), message));
    }
    // Where no group can be one there is nothing to say.
    no_kangaring.remove(kangaring::Refusal::Architecture.kind());
    for (why, groups) in no_kangaring {
        report.findings.push(Finding::new(&rules::KANGARING, place(&groups), format!("no kangaring: {why}")));
    }
}

/// Pairs must be rings over direct links, where the platform says so.
fn permute(topology: &Topology, graph: &Graph, op: &Op, report: &mut Report) {
    if op.pairs.is_empty() {
        return;
    }
    let platform = topology.instances.iter().find_map(|instance| instance.platform());
    let rule = platform.and_then(|platform| platform.rule("TRN2-PERMUTE"));
    let fault = permute_fault(topology, graph, op);
    let (verdict, why) = match (rule, &fault) {
        (None, _) => (Verdict::Unknown, "no source says which pairs work on this platform".to_owned()),
        (Some(_), None) => (Verdict::Legal, "the pairs form rings of ranks whose devices are linked".to_owned()),
        (Some(_), Some(fault)) => (Verdict::Illegal, fault.clone()),
    };
    let name = if op.name.is_empty() { String::new() } else { format!("{}: ", op.name) };
    let what = format!("{name}{} pairs", op.pairs.len());
    if verdict == Verdict::Illegal {
        report.findings.push(Finding::new(&rules::PERMUTE, what.clone(), why.clone()));
    }
    report.judged.push(Judged {
        what,
        verdict,
        why,
        rule: rule.map_or(String::new(), |rule| rule.id.clone()),
        nearest: Vec::new(),
        instead: String::new(),
    });
}

/// Why the pairs are no rings over direct links, if so.
fn permute_fault(topology: &Topology, graph: &Graph, op: &Op) -> Option<String> {
    let mut next: BTreeMap<u32, u32> = BTreeMap::new();
    let mut receives = BTreeSet::new();
    for &(from, to) in &op.pairs {
        if next.insert(from, to).is_some() {
            return Some(format!("rank {from} sends twice"));
        }
        if !receives.insert(to) {
            return Some(format!("rank {to} receives twice"));
        }
    }
    if let Some(rank) = next.keys().find(|rank| !receives.contains(rank)) {
        return Some(format!("the pairs are no ring: rank {rank} sends and does not receive"));
    }
    for &(from, to) in &op.pairs {
        let devices = topology.core(from).zip(topology.core(to)).map(|(from, to)| (from.device, to.device));
        let hops = devices.and_then(|(from, to)| graph.hops(from, to));
        if devices.is_some() && hops.is_none_or(|hops| hops > 1) {
            let how = hops
                .map_or_else(|| "only the network joins them".to_owned(), |hops| format!("they are {hops} hops apart"));
            return Some(format!("rank {from} sends to {to}, whose devices are not linked: {how}"));
        }
    }
    None
}

fn device_name(topology: &Topology, index: usize) -> String {
    topology.devices.get(index).map_or(String::new(), |device| {
        if topology.instances.len() > 1 { format!("{}.{}", device.instance, device.id) } else { device.id.to_string() }
    })
}

fn spans(numbers: &[usize]) -> String {
    let numbers: Vec<u32> = numbers.iter().filter_map(|number| u32::try_from(*number).ok()).collect();
    crate::topology::spans(&numbers)
}
