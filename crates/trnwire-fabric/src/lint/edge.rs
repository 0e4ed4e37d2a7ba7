//! Edges: the address that one end signals, and the register that the other end waits on.

use trnwire::soc::{SocAddress, Window};

use super::{Channel, finding, rules};
use crate::rule::{Finding, Rule};
use crate::snapshot::manifest::{Algorithm, ChannelEntry};
use crate::snapshot::{Unresolved, rules as snapshot_rules};

pub(super) fn check(channel: &Channel<'_>, entry: &ChannelEntry, found: &mut Vec<Finding>) {
    let mut say =
        |rule: &'static Rule, message: String, ends| found.push(finding(rule, channel.place(), message, ends));
    let sides = [
        ("bump_data", entry.bump_data, entry.next, "recv_sema"),
        ("bump_credit", entry.bump_credit, entry.prev, "send_sema"),
    ];
    for (field, bump, other, waits) in sides {
        let (Some(bump), Some(other)) = (bump, other.and_then(|other| channel.entry(other))) else { continue };
        let (register, window) = match channel.resolve(entry, bump) {
            Some(Ok(found)) => found,
            Some(Err(error)) => {
                let rule = if matches!(error, Unresolved::Route(_)) { &snapshot_rules::ROUTE } else { &rules::WINDOW };
                say(
                    rule,
                    format!("{field} of rank {}: {error}", entry.rank),
                    vec![channel.address_end(entry, field, bump)],
                );
                continue;
            }
            None => continue,
        };
        if window != Window::Inc {
            let message = format!("{field} of rank {} goes through the window {window} instead of inc", entry.rank);
            say(&rules::WINDOW, message, vec![channel.address_end(entry, field, bump)]);
        }
        let Some(row) = channel.row(other) else { continue };
        let (wanted, exchanged, name) = match waits {
            "recv_sema" => (row.recv_sema.get(), row.send_sema.get(), "send_sema"),
            _ => (row.send_sema.get(), row.recv_sema.get(), "recv_sema"),
        };
        let is_it = |address: SocAddress| {
            channel.resolve(other, address).is_some_and(|found| found.is_ok_and(|(found, _)| found == register))
        };
        if !is_it(wanted) {
            let how = if is_it(exchanged) { format!(": it is its {name}") } else { String::new() };
            let message =
                format!("rank {} signals another register than {waits} of rank {}{how}", entry.rank, other.rank);
            say(
                &rules::EDGE,
                message,
                vec![channel.address_end(entry, field, bump), channel.address_end(other, waits, wanted)],
            );
        }
    }
    if channel.op.algorithm == Algorithm::Kangaring {
        peers(channel, entry, &mut say);
    }
}

/// Every peer address is the semaphore of a rank of the group, and all of them are there.
fn peers(
    channel: &Channel<'_>,
    entry: &ChannelEntry,
    say: &mut dyn FnMut(&'static Rule, String, Vec<crate::rule::End>),
) {
    let Some(row) = channel.row(entry) else { return };
    let count = usize::from(row.kangaring_num_peers);
    let expected = usize::try_from(channel.op.group_size).unwrap_or_default().saturating_sub(1);
    if count != expected {
        let message = format!(
            "the record of rank {} has {count} peers, a group of {} has {expected}",
            entry.rank, channel.op.group_size
        );
        say(&rules::PEERS, message, vec![channel.end(entry, "kangaring_num_peers", count.to_string())]);
    }
    let members: Vec<&ChannelEntry> = channel
        .entries
        .iter()
        .copied()
        .filter(|other| other.primary == entry.primary && other.rank != entry.rank)
        .collect();
    let mut seen: Vec<u32> = Vec::new();
    for (index, address) in row.kring_peer_semas.peers.iter().enumerate().take(count) {
        let Some(Ok((register, _))) = channel.resolve(entry, address.get()) else { continue };
        let owner = members.iter().find(|member| {
            let mine = channel.row(member).map(|row| row.kring_peer_semas.mine.get());
            mine.and_then(|mine| channel.resolve(member, mine))
                .is_some_and(|found| found.is_ok_and(|(found, _)| found == register))
        });
        let is_all_known = members.iter().all(|member| channel.row(member).is_some());
        match owner {
            Some(owner) if seen.contains(&owner.rank) => {
                let message = format!("two peers of rank {} are rank {}", entry.rank, owner.rank);
                say(
                    &rules::EDGE,
                    message,
                    vec![channel.address_end(entry, format!("kring_peer_semas.peers[{index}]"), address.get())],
                );
            }
            Some(owner) => seen.push(owner.rank),
            None if is_all_known => {
                let message = format!("peer {index} of rank {} is no semaphore of its group", entry.rank);
                say(
                    &rules::EDGE,
                    message,
                    vec![channel.address_end(entry, format!("kring_peer_semas.peers[{index}]"), address.get())],
                );
            }
            None => {}
        }
    }
}
