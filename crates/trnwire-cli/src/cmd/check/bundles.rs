//! Checking instruction bundles, many at once.

use anyhow::{Result, anyhow};
use trnwire::Kind;
use trnwire::arch::Generation;
use trnwire::bundle::{Bundle, FindingId};
use trnwire::check::Severity;
use trnwire_batch::BundleScanner;
use zerocopy::FromBytes;

use super::progress_bar;
use super::report::{Judge, Occurred, Report};
use crate::input::Records;

const BUNDLE_BYTES: u64 = 64;

/// Judges every bundle. What was read before an error still counts.
pub(super) fn run(generation: Generation, records: &mut Records) -> (Report, Result<()>) {
    let scanner = BundleScanner::new(generation);
    let mut summary = scanner.summary();
    let bar = progress_bar(records.length());
    let read = loop {
        match records.next_block() {
            Ok(Some(block)) => match <[Bundle]>::ref_from_bytes(block) {
                Ok(bundles) => scanner.run_into(&mut summary, bundles),
                Err(error) => break Err(anyhow!("{error}")),
            },
            Ok(None) => break Ok(()),
            Err(error) => break Err(error),
        }
        bar.set_position(records.offset());
    };
    bar.finish_and_clear();
    let worst = [Severity::Warning, Severity::Error].into_iter().filter_map(|severity| {
        let (count, first) = (summary.worst(severity), summary.first_worst(severity));
        Occurred::counted((Judge::Worst, severity), severity.name(), count, first, BUNDLE_BYTES)
    });
    let finding = |id: FindingId| {
        let judged = (Judge::Finding, id.severity());
        Occurred::counted(judged, id, summary.count(id), summary.first(id), BUNDLE_BYTES)
    };
    let opcodes = (0..=u8::MAX).map(|opcode| (opcode, summary.opcode(opcode))).filter(|(_, count)| *count > 0);
    let report = Report {
        kind: Kind::Bundle,
        arch: generation.name(),
        items: summary.items(),
        verdicts: worst.collect(),
        lints: FindingId::all().filter_map(finding).collect(),
        opcodes: Some(opcodes.collect()),
    };
    (report, read)
}
