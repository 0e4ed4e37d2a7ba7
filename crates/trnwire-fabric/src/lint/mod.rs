//! Whether the rings of a snapshot can run: both ends of every edge are held against each other.
//!
//! Addresses are compared as registers: a wait names the read window, a signal the increment window of the same register.

mod channel;
mod edge;
mod record;
pub mod rules;
mod slots;

use std::collections::HashMap;

use rayon::prelude::*;
use trnwire::ring::RingChannel;
use trnwire::soc::{SocAddress, Window};

use crate::rule::{End, Finding, Severity};
use crate::snapshot::manifest::{Algorithm, ChannelEntry, OpEntry};
use crate::snapshot::{Place, Register, Snapshot, Unresolved};

/// What was found, and what could not be checked.
#[derive(Clone, Debug, Default)]
pub struct Lint {
    /// What was found: the snapshot's own findings first, then ops and channels in their order.
    pub findings: Vec<Finding>,
    /// What could not be checked, and the file that would allow it.
    pub not_checked: Vec<String>,
}

/// Lints the rings and kangarings of a snapshot.
#[must_use]
pub fn lint(snapshot: &Snapshot) -> Lint {
    let mut lint = Lint { findings: snapshot.findings.clone(), not_checked: Vec::new() };
    let missing = snapshot.missing.iter().map(|missing| {
        let (instance, device, top_sp) = missing.owner;
        format!(
            "{} of instance {instance}, device {device}, top-SP {top_sp} (needs {})",
            missing.kind.name(),
            missing.path
        )
    });
    lint.not_checked.extend(missing);
    let mut channels: Vec<Channel<'_>> = Vec::new();
    let mut by_channel: HashMap<(u32, u8), usize> = HashMap::new();
    for op in snapshot.manifest.ops.iter().filter(|op| op.algorithm != Algorithm::Mesh) {
        for &channel in &op.channels {
            by_channel.insert((op.id, channel), channels.len());
            channels.push(Channel { snapshot, op, channel, entries: Vec::new() });
        }
    }
    for entry in &snapshot.manifest.channels {
        let place = by_channel.get(&(entry.op, entry.channel)).and_then(|index| channels.get_mut(*index));
        if let Some(channel) = place {
            channel.entries.push(entry);
        }
    }
    // Channels are judged side by side; their findings keep their order.
    let found: Vec<Vec<Finding>> = channels.par_iter().map(Channel::lint).collect();
    lint.findings.extend(found.into_iter().flatten());
    lint.findings.extend(record::distinct(snapshot));
    lint
}

/// One channel of one op: an entry for each rank.
struct Channel<'a> {
    snapshot: &'a Snapshot,
    op: &'a OpEntry,
    channel: u8,
    entries: Vec<&'a ChannelEntry>,
}

impl<'a> Channel<'a> {
    fn lint(&self) -> Vec<Finding> {
        let mut found = Vec::new();
        for entry in &self.entries {
            record::check(self, entry, &mut found);
        }
        let is_sound = channel::check(self, &mut found);
        for entry in &self.entries {
            edge::check(self, entry, &mut found);
        }
        if is_sound {
            slots::check(self, &mut found);
        }
        found
    }

    fn place(&self) -> String {
        format!("op {}, channel {}", self.op.id, self.channel)
    }

    fn entry(&self, rank: u32) -> Option<&'a ChannelEntry> {
        self.snapshot.entry(self.op.id, rank, self.channel)
    }

    /// The device of a rank.
    fn device(&self, entry: &ChannelEntry) -> Option<Place> {
        self.snapshot.rank(entry.rank).map(|rank| (rank.instance, rank.device))
    }

    fn row(&self, entry: &ChannelEntry) -> Option<&'a RingChannel> {
        self.snapshot.row(entry)
    }

    /// The register that an address in a record or an entry means.
    fn resolve(&self, entry: &ChannelEntry, address: SocAddress) -> Option<Result<(Register, Window), Unresolved>> {
        Some(self.snapshot.resolve(self.device(entry)?, address))
    }

    /// A party: a rank and what a field of it says.
    fn end(&self, entry: &ChannelEntry, field: impl Into<String>, raw: impl Into<String>) -> End {
        let device = self.device(entry);
        End {
            rank: Some(entry.rank),
            instance: device.map(|(instance, _)| instance),
            device: device.map(|(_, device)| device),
            top_sp: Some(entry.top_sp),
            channel: Some(entry.channel),
            field: field.into(),
            raw: raw.into(),
            decoded: String::new(),
        }
    }

    /// A party whose field is an address, with what the address means.
    fn address_end(&self, entry: &ChannelEntry, field: impl Into<String>, address: SocAddress) -> End {
        let decoded = match self.resolve(entry, address) {
            None => String::new(),
            Some(Ok((register, window))) => format!("{}, window {window}", register_in_words(register)),
            Some(Err(error)) => error.to_string(),
        };
        End { decoded, ..self.end(entry, field, address.to_string()) }
    }
}

fn register_in_words(register: Register) -> String {
    let (instance, device) = register.device;
    format!("semaphore {} of top-SP {} on device {device} of instance {instance}", register.id, register.top_sp)
}

/// A finding of a channel.
fn finding(rule: &'static crate::rule::Rule, place: String, message: String, ends: Vec<End>) -> Finding {
    Finding { rule, message, place, ends }
}

/// Errors only.
#[must_use]
pub fn errors(findings: &[Finding]) -> usize {
    findings.iter().filter(|finding| finding.rule.severity == Severity::Error).count()
}
