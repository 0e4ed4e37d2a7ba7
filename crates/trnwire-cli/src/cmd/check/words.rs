//! Checking address words, at memory speed.

use anyhow::Result;
use trnwire::Kind;
use trnwire::addr4::{Access, Lint, Reason};
use trnwire::arch::Generation;
use trnwire::check::Severity;
use trnwire_batch::Validator;

use super::progress_bar;
use super::report::{Judge, Occurred, Report};
use crate::input::Records;

const WORD_BYTES: u64 = 4;

/// Judges every word. What was read before an error still counts.
pub(super) fn run(generation: Generation, access: Access, records: &mut Records) -> (Report, Result<()>) {
    let validator = Validator::new(generation, access);
    let mut summary = validator.summary();
    let bar = progress_bar(records.length());
    let read = loop {
        match records.next_words() {
            Ok(Some(words)) => validator.run_into(&mut summary, words),
            Ok(None) => break Ok(()),
            Err(error) => break Err(error),
        }
        bar.set_position(records.offset());
    };
    bar.finish_and_clear();
    let reason = |&id: &Reason| {
        let judged = (Judge::Validator, Severity::Error);
        Occurred::counted(judged, id.code(), summary.count(id), summary.first(id), WORD_BYTES)
    };
    let lint = |&id: &Lint| {
        let judged = (Judge::Lint, id.severity());
        Occurred::counted(judged, id.code(), summary.lint_count(id), summary.first_lint(id), WORD_BYTES)
    };
    let report = Report {
        kind: Kind::Addr4,
        arch: generation.name(),
        items: summary.items(),
        verdicts: Reason::ALL.iter().filter_map(reason).collect(),
        lints: Lint::ALL.iter().filter_map(lint).collect(),
        opcodes: None,
    };
    (report, read)
}
