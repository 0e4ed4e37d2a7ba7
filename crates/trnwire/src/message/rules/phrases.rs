//! Rules that a message names without giving the numbers.

use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

use super::super::fact::{Fact, FactKind, Phrase, Space};
use super::super::finding::{Finding, Verdict};
use super::Judge;
use super::capacity::bytes_rule;
use super::table::{
    GATHER_INDEX, MATMUL_DESTINATION, MATMUL_SOURCE_PARTITION, NO_ADDRESS_RULE, PARTITION_COUNT, PATTERN_IN_TENSOR,
    START_PARTITION,
};

const START_RULE: &str = "1 to 32 partitions may start at 0, 32, 64 or 96; 33 to 64 at 0 or 64; more than 64 only at 0";

impl Judge<'_> {
    pub(super) fn phrase(&mut self, fact: usize, phrase: Phrase, message: &[Fact]) {
        let has = |wanted: fn(&FactKind) -> bool| message.iter().any(|fact| wanted(&fact.kind));
        let undecided = |rule, note: &str| {
            let mut finding = Finding::new(rule, fact, Verdict::CannotTell);
            finding.note = note.to_string();
            finding
        };
        let mut finding = match phrase {
            Phrase::MatmulDestination { denied } => {
                return self.matmul_destination(fact, denied, message);
            }
            Phrase::MatmulSourcePartition => undecided(
                &MATMUL_SOURCE_PARTITION,
                &format!(
                    "the start partition and the number of partitions of the matmul's sources would decide: {START_RULE}"
                ),
            ),
            Phrase::PartitionCheck => undecided(
                &START_PARTITION,
                &format!("the start partition and the number of partitions would decide: {START_RULE}"),
            ),
            Phrase::PatternOutOfBound => {
                if self.reach_is_broken() {
                    return;
                }
                undecided(
                    &PATTERN_IN_TENSOR,
                    "the last element lies at offset + sum((num - 1) * step), in elements, and must be inside the tensor; \
                     the access pattern, its offset and the tensor's shape would decide",
                )
            }
            Phrase::AllocationOutOfBound => {
                if has(|kind| matches!(kind, FactKind::Location(_))) {
                    return;
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
                    return;
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
            finding.legal_values = Vec::from([0, 32, 64, 96]);
        }
        self.every_target(finding);
    }

    fn matmul_destination(&mut self, fact: usize, denied: bool, message: &[Fact]) {
        let line = self.facts.get(fact).map(|fact| fact.line);
        let place = |candidate: &&Fact| match &candidate.kind {
            FactKind::Tensor(tensor) => tensor.space.is_some(),
            // A location in passing may be that of another operand.
            FactKind::Location(_) => denied,
            _ => false,
        };
        let tensor = message
            .iter()
            .filter(|candidate| Some(candidate.line) == line)
            .find(place)
            .or_else(|| message.iter().find(place).filter(|_| denied))
            .and_then(|found| match &found.kind {
                FactKind::Tensor(tensor) => tensor.space.map(|space| (space, found.text.as_str())),
                FactKind::Location(location) => Some((location.space, found.text.as_str())),
                _ => None,
            });
        let (verdict, arithmetic) = match tensor {
            Some((Space::Psum, text)) => (Verdict::Holds, format!("this is in PSUM: {text}")),
            Some((space, text)) => (Verdict::Breaks, format!("a matmul writes PSUM only; this is in {space}: {text}")),
            None if denied => (
                Verdict::Breaks,
                "a matmul writes PSUM only, and the text says that this destination is elsewhere".to_string(),
            ),
            None => return,
        };
        let mut finding = Finding::new(&MATMUL_DESTINATION, fact, verdict);
        finding.arithmetic = arithmetic;
        if verdict == Verdict::Breaks {
            finding.advice = "the same shape in PSUM, copied to SBUF afterwards".to_string();
            finding.note = "the result address must lie in the PSUM window; \
                            a PSUM bank holds 2048 bytes (512 fp32 values) of each partition"
                .to_string();
        } else if denied {
            finding.note = "the text says that it is not, which does not agree".to_string();
        }
        self.every_target(finding);
    }
}
