//! Holds facts against the rules of the on-chip memories.

mod access;
mod banks;
mod capacity;
mod classes;
mod fields;
mod gather;
mod phrases;
mod reach;
mod start;
mod table;
mod tally;

use alloc::vec::Vec;

use super::chip::Chip;
use super::fact::{Fact, FactKind, Space, StartValue};
use super::finding::Finding;
use reach::Reach;

pub use table::{RULES, Rule};

/// Judges all facts of a text for some generations, message by message: what the rules say, and the facts that were
/// held against one.
pub(super) fn judge(facts: &[Fact], targets: &[Chip]) -> (Vec<Finding>, Vec<usize>) {
    let mut judge = Judge { facts, targets, findings: Vec::new(), used: Vec::new(), reach: None };
    let mut first: usize = 0;
    for message in facts.chunk_by(|left, right| left.message == right.message) {
        let end = first.saturating_add(message.len());
        judge.message(first, message);
        first = end;
    }
    // Those of a fact stand together, in the order of the text.
    judge.findings.sort_by_key(|finding| finding.fact);
    judge.used.extend(judge.findings.iter().map(|finding| finding.fact));
    (judge.findings, judge.used)
}

struct Judge<'a> {
    facts: &'a [Fact],
    targets: &'a [Chip],
    findings: Vec<Finding>,
    /// Facts that took part in a judgement about another one.
    used: Vec<usize>,
    /// What is known of the reach of the accesses of the current message; of several, the worst.
    reach: Option<Reach>,
}

impl<'a> Judge<'a> {
    fn message(&mut self, first: usize, message: &'a [Fact]) {
        self.reach = None;
        let accesses = gather::accesses(first, message);
        for access in &accesses {
            self.access(access);
        }
        for (index, fact) in (first..).zip(message) {
            let accessed = accesses.iter().any(|access| access.uses(index));
            match &fact.kind {
                FactKind::Location(location) => self.location(index, location, accessed),
                FactKind::Tensor(tensor) => self.tensor(index, tensor),
                FactKind::IndexRange { first, last, size } => self.index_range(index, *first, *last, *size),
                FactKind::StartPartition { value: StartValue::Number(number), space, .. } if !accessed => {
                    self.start_alone(index, *number, *space, message);
                }
                FactKind::StartPartition { value: StartValue::Name(text), denied, .. } => {
                    self.start_unknown(index, text, true, *denied);
                }
                FactKind::StartPartition { value: StartValue::Expression(text), denied, .. } => {
                    self.start_unknown(index, text, false, *denied);
                }
                FactKind::AllowedStarts(starts) => self.allowed_starts_alone(index, starts, message),
                FactKind::PartitionCount { count, space } => {
                    self.partition_count(index, *count, space.unwrap_or(Space::Sbuf));
                }
                FactKind::TotalBytes { bytes, space } => self.total_bytes(index, *bytes, *space),
                FactKind::Field { field, value, stated_bound } => {
                    self.field(index, *field, *value, *stated_bound);
                }
                FactKind::PsumBanks { first, last } => self.psum_banks(index, *first, *last),
                FactKind::PsumBankCount(count) => self.psum_bank_count(index, *count),
                FactKind::Phrase(phrase) => self.phrase(index, *phrase, message),
                _ => {}
            }
        }
        self.tallies(first, message);
    }

    /// Adds what a rule says for each chip; targets with the same outcome share one finding.
    fn each_target(&mut self, make: impl Fn(Chip) -> Option<Finding>) {
        let mut outcomes: Vec<Finding> = Vec::new();
        for &chip in self.targets {
            let Some(mut outcome) = make(chip) else {
                continue;
            };
            let same = outcomes.iter_mut().find(|known| {
                outcome.targets.clone_from(&known.targets);
                **known == outcome
            });
            if let Some(known) = same {
                known.targets.push(chip);
            } else {
                outcome.targets = Vec::from([chip]);
                outcomes.push(outcome);
            }
        }
        self.findings.append(&mut outcomes);
    }

    /// Adds a finding that does not depend on the generation.
    fn every_target(&mut self, mut finding: Finding) {
        finding.targets = self.targets.to_vec();
        self.findings.push(finding);
    }
}

/// Partitions of a memory, if it is on chip.
fn partitions_of(space: Space, chip: Chip) -> Option<i128> {
    let geometry = chip.geometry();
    match space {
        Space::Sbuf => Some(geometry.sbuf_partitions.into()),
        Space::Psum => Some(geometry.psum_partitions.into()),
        Space::Dram => None,
    }
}

/// Backed bytes of a partition, if the memory is on chip.
fn partition_bytes(space: Space, chip: Chip) -> Option<i128> {
    let geometry = chip.geometry();
    match space {
        Space::Sbuf => Some(geometry.sbuf_active.into()),
        Space::Psum => Some(geometry.psum_active().into()),
        Space::Dram => None,
    }
}
