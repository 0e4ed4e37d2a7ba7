//! Rules that a message names without giving the numbers.

use alloc::format;
use alloc::string::ToString;

use super::super::fact::{Claim, Fact, FactKind, Phrase, Space};
use super::super::finding::{Finding, Verdict};
use super::Judge;
use super::capacity::bytes_rule;
use super::classes::{every_start, rule_in_words};
use super::reach::Reach;
use super::table::{
    GATHER_INDEX, MATMUL_DESTINATION, MATMUL_SOURCE_PARTITION, NO_ADDRESS_RULE, PARTITION_COUNT, PATTERN_IN_TENSOR,
    START_PARTITION,
};
use crate::geometry::PSUM_BANK_SIZE;

/// Values of 4 bytes in a PSUM bank of one partition.
const FP32_IN_BANK: u32 = PSUM_BANK_SIZE / 4;

impl Judge<'_> {
    pub(super) fn phrase(&mut self, fact: usize, phrase: Phrase, message: &[Fact]) {
        let has = |wanted: fn(&FactKind) -> bool| message.iter().any(|fact| wanted(&fact.kind));
        let undecided = |rule, note: &str| {
            let mut finding = Finding::new(rule, fact, Verdict::CannotTell);
            finding.note = note.to_string();
            finding
        };
        let start_rule = rule_in_words();
        let mut finding = match phrase {
            Phrase::MatmulDestination(claim) => {
                return self.matmul_destination(fact, claim, message);
            }
            Phrase::MatmulSourcePartition => undecided(
                &MATMUL_SOURCE_PARTITION,
                &format!(
                    "the start partition and the number of partitions of the matmul's sources would decide: {start_rule}"
                ),
            ),
            Phrase::PartitionCheck => undecided(
                &START_PARTITION,
                &format!("the start partition and the number of partitions would decide: {start_rule}"),
            ),
            Phrase::PatternOutOfBound => {
                let inside = match self.reach {
                    Some(Reach::Broken | Reach::Unknown) => return self.used.push(fact),
                    Some(Reach::Inside) => {
                        "what the text prints stays inside; it is another access, or the tensor is smaller than printed; "
                    }
                    None => "",
                };
                undecided(
                    &PATTERN_IN_TENSOR,
                    &format!(
                        "{inside}the last element lies at offset + sum((num - 1) * step), in elements, and must be inside \
                         the tensor; the access pattern, its offset and the tensor's shape would decide"
                    ),
                )
            }
            Phrase::AllocationOutOfBound => {
                if has(|kind| matches!(kind, FactKind::Location(_))) {
                    return self.used.push(fact);
                }
                undecided(
                    &PARTITION_COUNT,
                    "either the partitions or the bytes per partition do not exist; \
                     a location such as SB<0,185856>(128x10376) would decide",
                )
            }
            Phrase::AllocationFailed(space) => {
                let sized = |kind: &FactKind| {
                    matches!(
                        kind,
                        FactKind::OperandBytes { .. }
                            | FactKind::StatedSum(_)
                            | FactKind::TotalBytes { .. }
                            | FactKind::Location(_)
                    )
                };
                if has(sized) {
                    return self.used.push(fact);
                }
                undecided(bytes_rule(space), "the bytes per partition that the operands take would decide")
            }
            Phrase::GatherOutOfBound => undecided(
                &GATHER_INDEX,
                "an index led outside the tensor when the kernel ran (runtime code 1006); \
                 the message does not print the indices, so that the index tensor and the tensor's shape would decide",
            ),
            Phrase::NothingAllocated => {
                let mut finding = Finding::new(&NO_ADDRESS_RULE, fact, Verdict::NotAnAddressFault);
                finding.note =
                    "nothing was allocated, so that no address can be wrong; this was a bug of the compiler, fixed later"
                        .to_string();
                finding
            }
        };
        if matches!(phrase, Phrase::MatmulSourcePartition | Phrase::PartitionCheck) {
            finding.legal_values = every_start();
        }
        self.every_target(finding);
    }

    fn matmul_destination(&mut self, fact: usize, claim: Claim, message: &[Fact]) {
        let line = self.facts.get(fact).map(|fact| fact.line);
        let claimed = claim != Claim::Mentioned;
        let place = |candidate: &&Fact| match &candidate.kind {
            FactKind::Tensor(tensor) => tensor.space.is_some(),
            // A location in passing may be that of another operand.
            FactKind::Location(_) => claimed,
            _ => false,
        };
        let found = message
            .iter()
            .filter(|candidate| Some(candidate.line) == line)
            .find(place)
            .or_else(|| message.iter().find(place).filter(|_| claimed))
            .and_then(|found| match &found.kind {
                FactKind::Tensor(tensor) => tensor.space.map(|space| (space, found.text.as_str())),
                FactKind::Location(location) => Some((location.space, found.text.as_str())),
                _ => None,
            });
        let (verdict, arithmetic) = match (found, claim) {
            (Some((Space::Psum, text)), _) => (Verdict::Holds, format!("this is in PSUM: {text}")),
            (Some((space, text)), _) => {
                (Verdict::Breaks, format!("a matmul writes PSUM only; this is in {space}: {text}"))
            }
            (None, Claim::Denied) => (
                Verdict::Breaks,
                "a matmul writes PSUM only, and the text says that this destination is elsewhere".to_string(),
            ),
            (None, Claim::Demanded) => (Verdict::CannotTell, "a matmul writes PSUM only".to_string()),
            (None, Claim::Mentioned) => return,
        };
        let mut finding = Finding::new(&MATMUL_DESTINATION, fact, verdict);
        finding.arithmetic = arithmetic;
        if verdict == Verdict::Breaks {
            finding.advice = "the same shape in PSUM, copied to SBUF afterwards".to_string();
            finding.note = format!(
                "the result address must lie in the PSUM window; \
                 a PSUM bank holds {PSUM_BANK_SIZE} bytes ({FP32_IN_BANK} fp32 values) of each partition"
            );
        } else if verdict == Verdict::CannotTell {
            finding.note = "the memory in which the destination lies would decide".to_string();
        } else if claim == Claim::Denied {
            finding.note = "the text says that it is not, which does not agree".to_string();
        }
        self.every_target(finding);
    }
}
