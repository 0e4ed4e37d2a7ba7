//! What must hold of groups whatever the platform.

use std::collections::{BTreeSet, HashMap};

use super::rules;
use super::{Job, Op, Report, Version};
use crate::groups::CollectiveOp;
use crate::rule::{Finding, Rule};

pub(super) fn check(job: &Job<'_>, report: &mut Report) {
    let ranks = u32::try_from(job.topology.cores.len()).unwrap_or(u32::MAX);
    for op in &job.ops {
        of_op(op, ranks, report);
    }
    order(job, report);
    communicators(job, report);
}

fn place(op: &Op, group: Option<usize>) -> String {
    let name = op.name.as_str();
    match group {
        Some(group) if name.is_empty() => format!("group {group}"),
        Some(group) => format!("{name}, group {group}"),
        None => name.to_owned(),
    }
}

fn of_op(op: &Op, ranks: u32, report: &mut Report) {
    let mut say = |rule: &'static Rule, group: Option<usize>, message: String| {
        report.findings.push(Finding::new(rule, place(op, group), message));
    };
    let mut seen: HashMap<u32, usize> = HashMap::new();
    for (number, group) in op.groups.iter().enumerate() {
        for &rank in group {
            if rank >= ranks {
                let last = ranks.saturating_sub(1);
                say(&rules::RANGE, Some(number), format!("rank {rank}, and there are {ranks} (0 to {last})"));
            }
            match seen.insert(rank, number) {
                Some(other) if other == number => say(&rules::TWICE, Some(number), format!("rank {rank} occurs twice")),
                Some(other) => say(&rules::TWICE, Some(number), format!("rank {rank} is in group {other}, too")),
                None => {}
            }
        }
    }
    let absent: Vec<u32> = (0..ranks).filter(|rank| !seen.contains_key(rank)).collect();
    if !op.groups.is_empty() && !absent.is_empty() && absent.len() < usize::try_from(ranks).unwrap_or(usize::MAX) {
        say(&rules::ABSENT, None, format!("ranks {} of {ranks} are in no group", crate::topology::spans(&absent)));
    }
    let needs_equal =
        matches!(op.kind, Some(CollectiveOp::AllGather | CollectiveOp::ReduceScatter | CollectiveOp::AllToAll));
    let sizes: BTreeSet<usize> = op.groups.iter().map(Vec::len).collect();
    if needs_equal && sizes.len() > 1 {
        let sizes: Vec<String> = sizes.iter().map(usize::to_string).collect();
        say(&rules::EQUAL, None, format!("groups of {} ranks", sizes.join(" and ")));
    }
    for &(from, to) in &op.pairs {
        for rank in [from, to].into_iter().filter(|rank| *rank >= ranks) {
            say(&rules::RANGE, None, format!("pair {from} to {to}: rank {rank}, and there are {ranks}"));
        }
    }
}

/// The SDK that keeps communicators by the order of their members.
const ORDER_MENDED: &str = "2.32";

/// Groups with the same members in another order.
fn order(job: &Job<'_>, report: &mut Report) {
    if is_from(job.sdk.as_ref(), ORDER_MENDED) {
        return;
    }
    let mut known: HashMap<Vec<u32>, (String, &Vec<u32>)> = HashMap::new();
    let mut told = BTreeSet::new();
    for op in &job.ops {
        for (number, group) in op.groups.iter().enumerate() {
            let mut sorted = group.clone();
            sorted.sort_unstable();
            let here = place(op, Some(number));
            match known.get(&sorted) {
                None => {
                    known.insert(sorted, (here, group));
                }
                Some((first, order)) if *order != group && told.insert(sorted.clone()) => {
                    let message = format!("the members of {first} in another order");
                    report.findings.push(Finding::new(&rules::ORDER, here, message));
                }
                Some(_) => {}
            }
        }
    }
}

/// Communicators that an executable may have, and from which SDK on.
const COMMUNICATORS: [(&str, usize); 2] = [("0", 12), ("2.32", 16)];

/// Every different list of members that a rank is in is a communicator.
fn communicators(job: &Job<'_>, report: &mut Report) {
    let mut of_rank: HashMap<u32, BTreeSet<&Vec<u32>>> = HashMap::new();
    for group in job.ops.iter().flat_map(|op| &op.groups).filter(|group| group.len() > 1) {
        for &rank in group {
            of_rank.entry(rank).or_default().insert(group);
        }
    }
    let most = of_rank.iter().max_by_key(|(rank, groups)| (groups.len(), core::cmp::Reverse(**rank)));
    let Some((rank, count)) = most.map(|(rank, groups)| (*rank, groups.len())) else { return };
    let [(_, old), (since, new)] = COMMUNICATORS;
    let message = |limit: usize| {
        format!("rank {rank} is in {count} different groups, and an executable has at most {limit} communicators")
    };
    match &job.sdk {
        None if count > new => {
            report.findings.push(Finding::new(&rules::COMMUNICATORS, "", message(new)));
        }
        None if count > old => report
            .not_checked(format!("communicators: {count}, which are too many before SDK {since}"), "--sdk VERSION"),
        None => {}
        Some(_) => {
            let limit = if is_from(job.sdk.as_ref(), since) { new } else { old };
            if count > limit {
                report.findings.push(Finding::new(&rules::COMMUNICATORS, "", message(limit)));
            }
        }
    }
}

/// Whether a version is known and not older than another.
pub(super) fn is_from(version: Option<&Version>, first: &str) -> bool {
    version.zip(Version::parse(first).as_ref()).is_some_and(|(version, first)| version >= first)
}
