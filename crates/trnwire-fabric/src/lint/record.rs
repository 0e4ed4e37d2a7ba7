//! One record at a time, and the semaphores of one top-SP.

use std::collections::HashMap;

use trnwire::check::{Rule as RecordRule, Severity};
use trnwire::ring::{DEFAULT_SLOT_LIMIT, Place};
use trnwire::soc::{SocAddress, Window};

use super::{Channel, finding, rules};
use crate::rule::{Finding, Rule};
use crate::snapshot::manifest::{Algorithm, ChannelEntry};
use crate::snapshot::{Register, Snapshot, TopSp};

pub(super) fn check(channel: &Channel<'_>, entry: &ChannelEntry, found: &mut Vec<Finding>) {
    let Some(row) = channel.row(entry) else { return };
    let mut say = |rule, message: String, ends| found.push(finding(rule, channel.place(), message, ends));
    row.judge(Place { row: Some(entry.channel), slot_limit: DEFAULT_SLOT_LIMIT }, |record| {
        let rule = rule_of(record.rule);
        let end = channel.end(entry, "", "");
        say(rule, format!("{record}: {}", record.because()), vec![end]);
    });
    let is_kangaring = channel.op.algorithm == Algorithm::Kangaring;
    let own = [
        ("recv_sema", row.recv_sema),
        ("send_sema", row.send_sema),
        ("post_sema", row.post_sema),
        ("dma_compl_sema", row.dma_compl_sema),
        ("kring_peer_semas.mine", row.kring_peer_semas.mine),
    ];
    let needed = if is_kangaring { own.len() } else { own.len().saturating_sub(1) };
    let home = channel.device(entry).map(|device| (device, entry.top_sp));
    for (field, address) in own.into_iter().take(needed) {
        let address = address.get();
        let end = |address| vec![channel.address_end(entry, field, address)];
        if address.0 == 0 {
            say(&rules::UNSET, format!("{field} is not set"), end(address));
            continue;
        }
        match channel.resolve(entry, address) {
            Some(Ok((register, window))) => {
                if window != Window::Read {
                    say(
                        &rules::WINDOW,
                        format!("{field} goes through the window {window} instead of read"),
                        end(address),
                    );
                }
                if register.id == 255 {
                    say(
                        &rules::RECORD,
                        format!("{field} is number 255, which means none in the runtime's structures"),
                        end(address),
                    );
                }
                if home.is_some_and(|home| home != (register.device, register.top_sp)) {
                    say(&rules::HOME, format!("{field} is not on the own top-SP"), end(address));
                }
            }
            Some(Err(error)) => say(&rules::WINDOW, format!("{field}: {error}"), end(address)),
            None => {}
        }
    }
    let count = usize::from(row.kangaring_num_peers);
    for (index, address) in row.kring_peer_semas.peers.iter().enumerate().take(count).filter(|_| is_kangaring) {
        let field = format!("kring_peer_semas.peers[{index}]");
        let end = || vec![channel.address_end(entry, field.clone(), address.get())];
        match channel.resolve(entry, address.get()) {
            Some(Ok((_, window))) if !matches!(window, Window::Read | Window::Inc) => {
                say(&rules::WINDOW, format!("{field} goes through the window {window}"), end());
            }
            Some(Ok((register, _))) if home == Some((register.device, register.top_sp)) => {
                say(&rules::HOME, format!("{field} is on the own top-SP"), end());
            }
            Some(Err(error)) => say(&rules::WINDOW, format!("{field}: {error}"), end()),
            _ => {}
        }
    }
}

/// The lint that a rule about records belongs to.
fn rule_of(rule: RecordRule) -> &'static Rule {
    let code = rule.code();
    if code.starts_with("channel_id") {
        &rules::ID
    } else if code.contains("fold") {
        &rules::FOLD
    } else if code.contains("kang") || code.contains("peer") {
        &rules::PEERS
    } else if rule.severity() == Severity::Error {
        &rules::FOLD
    } else {
        &rules::RECORD
    }
}

/// Registers that two channels of one top-SP, or two fields of one, share.
pub(super) fn distinct(snapshot: &Snapshot) -> Vec<Finding> {
    let mut of_top_sp: HashMap<TopSp, Vec<&ChannelEntry>> = HashMap::new();
    for entry in &snapshot.manifest.channels {
        if let Some(top_sp) = snapshot.top_sp_of(entry) {
            of_top_sp.entry(top_sp).or_default().push(entry);
        }
    }
    let mut all: Vec<_> = of_top_sp.into_iter().collect();
    all.sort_unstable_by_key(|(top_sp, _)| *top_sp);
    let mut found = Vec::new();
    for ((instance, device, top_sp), entries) in all {
        let mut users: HashMap<Register, (u8, &str, SocAddress)> = HashMap::new();
        for entry in entries {
            let Some(row) = snapshot.row(entry) else { continue };
            let own = [
                ("recv_sema", row.recv_sema),
                ("send_sema", row.send_sema),
                ("post_sema", row.post_sema),
                ("dma_compl_sema", row.dma_compl_sema),
            ];
            for (field, address) in own.into_iter().filter(|(_, address)| address.is_set()) {
                let Ok((register, _)) = snapshot.resolve((instance, device), address.get()) else { continue };
                if let Some((channel, other, _)) = users.insert(register, (entry.channel, field, address.get())) {
                    let place = format!("instance {instance}, device {device}, top-SP {top_sp}");
                    let message = format!(
                        "semaphore {} is {other} of channel {channel} and {field} of channel {}",
                        register.id, entry.channel
                    );
                    found.push(finding(&rules::DISTINCT, place, message, Vec::new()));
                }
            }
        }
    }
    found
}
