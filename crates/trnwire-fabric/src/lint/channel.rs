//! The order of a channel: who follows whom, and who is the primary.

use std::collections::{HashMap, HashSet};

use super::{Channel, finding, rules};
use crate::rule::{Finding, Rule};
use crate::snapshot::manifest::{Algorithm, ChannelEntry};

/// The most ranks of a kangaring.
const MOST_KANGARING_RANKS: usize = crate::plan::kangaring::MOST_RANKS;

/// Whether the ring closes over all who walk it, so that its slots can be judged.
pub(super) fn check(channel: &Channel<'_>, found: &mut Vec<Finding>) -> bool {
    let before = found.len();
    let mut say =
        |rule: &'static Rule, message: String, ends| found.push(finding(rule, channel.place(), message, ends));
    let walking: Vec<&ChannelEntry> = channel.entries.iter().copied().filter(|entry| entry.next.is_some()).collect();
    for entry in &walking {
        let Some(next) = entry.next.and_then(|next| channel.entry(next)) else { continue };
        if next.prev != Some(entry.rank) {
            let named = |rank: Option<u32>| rank.map_or_else(|| "nobody".to_owned(), |rank| format!("rank {rank}"));
            let message =
                format!("rank {} sends to rank {}, which receives from {}", entry.rank, next.rank, named(next.prev));
            say(
                &rules::RECIP,
                message,
                vec![
                    channel.end(entry, "next", next.rank.to_string()),
                    channel.end(next, "prev", next.prev.map_or("null".to_owned(), |rank| rank.to_string())),
                ],
            );
        }
        if let (Some(own), Some(theirs)) = (channel.row(entry), channel.row(next)) {
            let (own, theirs) = (own.next_neigh.fold_n, theirs.prev_neigh.fold_n);
            if own != theirs {
                let message = format!(
                    "the edge from rank {} to {} has {own} folds at one end and {theirs} at the other",
                    entry.rank, next.rank
                );
                say(
                    &rules::FOLD,
                    message,
                    vec![
                        channel.end(entry, "next_neigh.fold_n", own.to_string()),
                        channel.end(next, "prev_neigh.fold_n", theirs.to_string()),
                    ],
                );
            }
        }
    }
    // Without every entry nobody can follow the ring.
    let is_whole = channel.entries.len() == channel.op.ranks.len();
    if is_whole {
        if let Some(start) = walking.first() {
            let mut seen = HashSet::new();
            let mut here = start.rank;
            while seen.insert(here) {
                match channel.entry(here).and_then(|entry| entry.next) {
                    Some(next) => here = next,
                    None => break,
                }
            }
            if here != start.rank || seen.len() != walking.len() {
                let message =
                    format!("from rank {} on the ring visits {} of {} ranks", start.rank, seen.len(), walking.len());
                say(&rules::CLOSE, message, Vec::new());
            }
        } else {
            say(&rules::CLOSE, "no rank has a next one".to_owned(), Vec::new());
        }
    }
    if channel.op.algorithm == Algorithm::Kangaring {
        kangaring(channel, &mut say);
    }
    found.len() == before && is_whole
}

fn kangaring(channel: &Channel<'_>, say: &mut dyn FnMut(&'static Rule, String, Vec<crate::rule::End>)) {
    if channel.op.ranks.len() > MOST_KANGARING_RANKS {
        say(&rules::SIZE, format!("{} ranks", channel.op.ranks.len()), Vec::new());
    }
    let mut groups: HashMap<u32, Vec<&ChannelEntry>> = HashMap::new();
    for entry in &channel.entries {
        match entry.primary {
            Some(primary) => groups.entry(primary).or_default().push(entry),
            None => say(
                &rules::PRIMARY,
                format!("rank {} names no primary", entry.rank),
                vec![channel.end(entry, "primary", "null")],
            ),
        }
        let is_primary = entry.primary == Some(entry.rank);
        if is_primary != entry.next.is_some() || is_primary != entry.prev.is_some() {
            let what = if is_primary { "is a primary without neighbours" } else { "is no primary and has neighbours" };
            say(
                &rules::PRIMARY,
                format!("rank {} {what}", entry.rank),
                vec![channel.end(entry, "primary", format!("{:?}", entry.primary))],
            );
        }
        if let Some(row) = channel.row(entry).filter(|row| (row.kangaring_is_primary == 1) != is_primary) {
            let message = format!("the record of rank {} and its entry differ about who is the primary", entry.rank);
            let end = channel.end(entry, "kangaring_is_primary", row.kangaring_is_primary.to_string());
            say(&rules::PRIMARY, message, vec![end]);
        }
    }
    let size = usize::try_from(channel.op.group_size).unwrap_or_default();
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_unstable_by_key(|(primary, _)| *primary);
    for (primary, members) in groups {
        if channel.entries.len() == channel.op.ranks.len() && members.len() != size {
            let message = format!("the group of primary {primary} has {} ranks instead of {size}", members.len());
            say(&rules::PRIMARY, message, Vec::new());
        }
    }
}
