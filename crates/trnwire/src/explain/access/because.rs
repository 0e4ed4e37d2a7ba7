//! Why a verdict or a lint is what it is, with the numbers at hand.

use alloc::{format, string::String, string::ToString, vec::Vec};

use crate::access::{Pattern, ReachLint, ReachLintSet, Reason, SlotType, Start, word_access};
use crate::addr4::{Access, Addr4, Mode};
use crate::arch::Generation;
use crate::explain::addr4 as word;
use crate::geometry::{PARTITIONS, legal_start_partitions};

/// Why the validator of a descriptor says what it says.
pub(in crate::explain) fn because(
    generation: Generation,
    slot: SlotType,
    pattern: &Pattern<'_>,
    access: Access,
    verdict: Result<(), Reason>,
) -> String {
    let reason = match verdict {
        Ok(()) => return accepted(generation, pattern, access),
        Err(reason) => reason,
    };
    let first = pattern.first_word();
    match reason {
        Reason::Word(which, reason) => {
            let Some((_, bits)) = pattern.named_words().find(|(name, _)| *name == which) else {
                return reason.code().to_string();
            };
            let because = word::because(generation, bits, word_access(pattern, which, access), Err(reason));
            match pattern {
                Pattern::Tensor(_) => because,
                _ => format!("{which} word {bits}: {because}"),
            }
        }
        Reason::UnsupportedOnArch => format!("{slot} exists on gen4 only"),
        Reason::DeadMode => format!("bits 30:29 of the word {first} are 0b11, which nothing emits"),
        Reason::IndirectInTensor if slot == SlotType::Tensor1d => {
            format!("bits 30:29 of the word {first} are 0b01, a gather index, and no gather has 8 bytes")
        }
        Reason::IndirectInTensor => {
            format!("bits 30:29 of the word {first} are 0b01, a gather index, and {slot} is declared for loops alone")
        }
        Reason::ZeroNum => zero_num(pattern),
        Reason::DataFlags => match pattern {
            Pattern::Indirect(gather) => {
                let flags = gather.data.bits() >> 29;
                format!(
                    "bits 31:29 of the data word {} are {flags:#05b}; gathered data has a plain address",
                    gather.data
                )
            }
            _ => "bits 31:29 of the data word must be zero".to_string(),
        },
        Reason::StepDirection => match pattern {
            Pattern::MxStatic(record) => format!("the direction is {}; it can be 1 or -1", record.step_dir),
            _ => "the direction can be 1 or -1".to_string(),
        },
        Reason::ScalePartition => match pattern {
            Pattern::MxStatic(record) => scale_partition(record.scale_part),
            Pattern::MxIndirect(record) => scale_partition(record.scale_part),
            _ => "the scale partition can be 0, 4, 8 or 12".to_string(),
        },
        Reason::NotSameQuadrant => {
            "index and data must lie in one of the partitions 0, 32, 64 and 96, both in the same".to_string()
        }
        Reason::NotPsum => format!("a matmul writes to PSUM, and this is {}", word::describe(first)),
        Reason::MatmulDestinationDtype => format!("a matmul writes dtypes 4 to 11, not {}", access.dtype),
        Reason::NotOnChip => format!("the operand is in neither memory: {}", word::describe(first)),
        Reason::BothPsum => "only one of two sources may lie in PSUM".to_string(),
    }
}

fn accepted(generation: Generation, pattern: &Pattern<'_>, access: Access) -> String {
    match pattern {
        Pattern::Tensor(tensor) => {
            let word = word::because(generation, tensor.addr4, access, Ok(()));
            let rounds = match tensor.addr4.mode() {
                Mode::Active => "a register holds the shape, so that nums do not matter",
                _ => "every loop has a round",
            };
            format!("{word}; {rounds}")
        }
        Pattern::Indirect(_) => "index and data are legal addresses, and num is not 0".to_string(),
        Pattern::MxStatic(record) if record.data.get().is_register() => {
            "data and scale are legal words; what a register holds is not looked at".to_string()
        }
        Pattern::MxStatic(_) => "data, scale, direction and scale partition are legal".to_string(),
        Pattern::MxIndirect(_) => {
            "index, data, scale and scale partition are legal, and the extent is not 0".to_string()
        }
    }
}

fn zero_num(pattern: &Pattern<'_>) -> String {
    match pattern {
        Pattern::Tensor(tensor) => {
            let without = tensor.loops().enumerate().filter(|(_, one)| one.num == 0);
            let names: Vec<String> = without.map(|(slot, _)| format!("i{slot}")).collect();
            match names.as_slice() {
                [name] => format!("loop {name} has no round: its num is 0"),
                names => format!("loops {} have no round: their nums are 0", names.join(" and ")),
            }
        }
        Pattern::Indirect(_) => "num is 0, so that nothing is gathered".to_string(),
        Pattern::MxStatic(_) | Pattern::MxIndirect(_) => "the extent is 0".to_string(),
    }
}

fn scale_partition(partition: u8) -> String {
    format!("the scale partition is {partition}; it can be 0, 4, 8 or 12")
}

/// Why a reach lint fires.
pub(super) fn reach_because(
    generation: Generation,
    first: Addr4,
    channels: Option<u8>,
    lint: ReachLint,
    set: ReachLintSet,
) -> String {
    let Some(start) = Start::of(first) else { return lint.to_string() };
    let (partition, channels) = (start.partition, channels.unwrap_or_default());
    match lint {
        ReachLint::ReachBelow => {
            format!("the lowest element begins {} before byte 0 of the partition", bytes(set.bytes_below))
        }
        ReachLint::ReachBeyond => {
            let last = start.active(generation).saturating_sub(1);
            format!(
                "the highest element ends {} past the last backed byte {last:#X} of the partition",
                bytes(set.bytes_beyond)
            )
        }
        ReachLint::PartitionsBeyond => format!(
            "{channels} partitions from {partition} on end {} past the last one, {}",
            set.partitions_beyond,
            PARTITIONS.saturating_sub(1)
        ),
        ReachLint::StartPartition => {
            let legal: Vec<String> = legal_start_partitions(channels.into()).iter().map(ToString::to_string).collect();
            let channels = if channels == 1 { "1 partition".to_string() } else { format!("{channels} partitions") };
            if legal.is_empty() {
                format!("no access has {channels}")
            } else {
                format!("{channels} can start at {}, not at {partition}", legal.join(" or "))
            }
        }
    }
}

fn bytes(count: u64) -> String {
    if count == 1 { "1 byte".to_string() } else { format!("{count} bytes") }
}
