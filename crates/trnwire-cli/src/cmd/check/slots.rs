//! Checking descriptors.

use anyhow::Result;
use trnwire::Kind;
use trnwire::access::{Pattern, SlotType, reach_lints, validate};
use trnwire::addr4::{Access, lints};
use trnwire::arch::Generation;
use trnwire::check::Severity;

use super::progress_bar;
use super::report::{Judge, Report};
use super::tally::Tally;
use crate::input::Records;

/// What a descriptor is judged by.
pub(super) struct Question {
    pub(super) generation: Generation,
    pub(super) slot: SlotType,
    pub(super) access: Access,
    pub(super) element_bytes: Option<u32>,
    pub(super) channels: Option<u8>,
}

/// Judges every descriptor. What was read before an error still counts.
pub(super) fn run(question: &Question, records: &mut Records) -> (Report, Result<()>) {
    let &Question { generation, slot, access, element_bytes, channels } = question;
    let mut items = 0_u64;
    let (mut reasons, mut word_lints, mut reach) = (Tally::default(), Tally::default(), Tally::default());
    let bar = progress_bar(records.length());
    let read = records.for_each(|offset, bytes| {
        let pattern = Pattern::decode(slot, bytes)?;
        items = items.saturating_add(1);
        if let Err(reason) = validate(generation, slot, &pattern, access) {
            reasons.add(reason, offset);
        }
        for word in pattern.words() {
            lints(generation, word).iter().for_each(|lint| word_lints.add(lint, offset));
        }
        if let Pattern::Tensor(tensor) = &pattern {
            // Where the size is not known, 0 leaves the partitions to be judged.
            let lints = reach_lints(generation, tensor, element_bytes.unwrap_or_default(), channels);
            lints.into_iter().flat_map(|lints| lints.iter()).for_each(|lint| reach.add(lint, offset));
        }
        if items.is_multiple_of(4096) {
            bar.set_position(offset);
        }
        Ok(())
    });
    bar.finish_and_clear();
    let word_lints = word_lints.occurred(Judge::Lint, |lint| (lint.severity(), lint.to_string()));
    let reach = reach.occurred(Judge::Lint, |lint| (lint.severity(), lint.to_string()));
    let report = Report {
        kind: Kind::Slot(slot),
        arch: generation.name(),
        items,
        verdicts: reasons.occurred(Judge::Validator, |reason| (Severity::Error, reason.to_string())).collect(),
        lints: word_lints.chain(reach).collect(),
        opcodes: None,
    };
    (report, read)
}
