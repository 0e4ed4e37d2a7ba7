//! Checking instruction bundles.

use std::collections::BTreeMap;

use anyhow::Result;
use trnwire::Kind;
use trnwire::arch::Generation;
use trnwire::check::Severity;
use trnwire_json::bundle::view;

use super::progress_bar;
use super::report::{Judge, Report};
use super::tally::Tally;
use crate::input::Records;

/// Judges every bundle. What was read before an error still counts.
pub(super) fn run(generation: Generation, records: &mut Records) -> (Report, Result<()>) {
    let mut items = 0_u64;
    let mut opcodes = BTreeMap::new();
    let (mut verdicts, mut findings) = (Tally::default(), Tally::default());
    let bar = progress_bar(records.length());
    let read = records.for_each(|offset, bytes| {
        let bundle = view(bytes)?;
        items = items.saturating_add(1);
        let count: &mut u64 = opcodes.entry(bundle.opcode).or_default();
        *count = count.saturating_add(1);
        let mut worst = Severity::Note;
        bundle.judge(generation, |finding| {
            worst = worst.max(finding.id.severity());
            findings.add(finding.id, offset);
        });
        if worst > Severity::Note {
            verdicts.add(worst, offset);
        }
        bar.set_position(offset);
        Ok(())
    });
    bar.finish_and_clear();
    let report = Report {
        kind: Kind::Bundle,
        generation,
        items,
        verdicts: verdicts.occurred(Judge::Worst, |&worst| (worst, worst.name().to_owned())).collect(),
        lints: findings.occurred(Judge::Finding, |id| (id.severity(), id.to_string())).collect(),
        opcodes: Some(opcodes),
    };
    (report, read)
}
