//! Checking descriptors.

use std::collections::BTreeMap;

use anyhow::Result;
use trnwire::Kind;
use trnwire::access::{Pattern, ReachLint, Reason, SlotType, reach_lints, validate};
use trnwire::addr4::{Access, Lint, lints};
use trnwire::arch::Generation;
use trnwire::check::Severity;

use super::report::{Judge, Occurred, Report};
use super::{FIRST, progress_bar};
use crate::input::Records;

/// What a descriptor is judged by.
pub(super) struct Question {
    pub(super) generation: Generation,
    pub(super) slot: SlotType,
    pub(super) access: Access,
    pub(super) element_bytes: Option<u32>,
    pub(super) channels: Option<u8>,
}

/// How often an id occurred, and where first.
struct Tally<Id>(BTreeMap<Id, (u64, Vec<u64>)>);

impl<Id: Ord> Tally<Id> {
    fn add(&mut self, id: Id, offset: u64) {
        let (count, first) = self.0.entry(id).or_default();
        *count = count.saturating_add(1);
        if first.len() < FIRST {
            first.push(offset);
        }
    }

    fn occurred(self, judge: Judge, describe: impl Fn(&Id) -> (Severity, String)) -> impl Iterator<Item = Occurred> {
        self.0.into_iter().map(move |(id, (count, first))| {
            let (severity, id) = describe(&id);
            Occurred { judge, severity, id, count, first }
        })
    }
}

/// Judges every descriptor. What was read before an error still counts.
pub(super) fn run(question: &Question, records: &mut Records) -> (Report, Result<()>) {
    let &Question { generation, slot, access, element_bytes, channels } = question;
    let mut items = 0_u64;
    let (mut reasons, mut word_lints, mut reach) =
        (Tally::<Reason>(BTreeMap::new()), Tally::<Lint>(BTreeMap::new()), Tally::<ReachLint>(BTreeMap::new()));
    let bar = progress_bar(records.length());
    let read = records.for_each(|offset, bytes| {
        let pattern = Pattern::decode(slot, bytes)?;
        items = items.saturating_add(1);
        if let Err(reason) = validate(generation, slot, &pattern, access) {
            reasons.add(reason, offset);
        }
        for (at, word) in (offset..).step_by(4).zip(pattern.words()) {
            lints(generation, word).iter().for_each(|lint| word_lints.add(lint, at));
        }
        if let (Pattern::Tensor(tensor), Some(element_bytes)) = (&pattern, element_bytes) {
            let lints = reach_lints(generation, tensor, element_bytes, channels);
            lints.into_iter().flat_map(|lints| lints.iter()).for_each(|lint| reach.add(lint, offset));
        }
        bar.set_position(offset);
        Ok(())
    });
    bar.finish_and_clear();
    let word_lints = word_lints.occurred(Judge::Lint, |lint| (lint.severity(), lint.to_string()));
    let reach = reach.occurred(Judge::Lint, |lint| (lint.severity(), lint.to_string()));
    let report = Report {
        kind: Kind::Slot(slot),
        generation,
        items,
        verdicts: reasons.occurred(Judge::Validator, |reason| (Severity::Error, reason.to_string())).collect(),
        lints: word_lints.chain(reach).collect(),
    };
    (report, read)
}
