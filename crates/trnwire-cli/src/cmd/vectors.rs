//! `trnwire vectors`.

use std::ffi::{OsStr, OsString};
use std::io::{BufReader, Write};

use anyhow::{Context, Result, bail};
use clap::Args;
use trnwire_json::vectors::{MAX_LINE_BYTES, Tally, run};

use super::Walk;
use crate::Outcome;
use crate::input::open_stream;
use crate::output::{Printer, printable};

/// Run golden vectors: a line per failure, then how many passed and failed.
///
/// Each line of a file is a JSON object with an id and an op; words and bundles have arch, input, expect and why beside
/// them, records of collectives their own keys (docs/json.md). Exit code 1 when one fails.
///
/// Example: trnwire vectors tests/vectors/addr4.jsonl
#[derive(Args)]
pub(crate) struct Options {
    /// Files of vectors, one JSON object per line; - for standard input.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<OsString>,
    /// A line of more bytes is a failure.
    #[arg(long, value_name = "BYTES", default_value_t = MAX_LINE_BYTES)]
    longest_line: u64,
}

impl Options {
    pub(crate) fn run(self) -> Result<Outcome> {
        let mut walk = Walk::new();
        let mut total = Tally::default();
        let mut printer = Printer::new();
        for file in &self.files {
            if let Some(tally) = walk.take(run_file(file, self.longest_line, &mut printer))? {
                total.passed = total.passed.saturating_add(tally.passed);
                total.failed = total.failed.saturating_add(tally.failed);
            }
        }
        writeln!(printer, "{} passed, {} failed", total.passed, total.failed)?;
        printer.finish()?;
        walk.exit(if total.failed == 0 { Outcome::Clean } else { Outcome::Findings })
    }
}

fn run_file(file: &OsStr, longest_line: u64, printer: &mut Printer) -> Result<Tally> {
    let (name, reader) = open_stream(file)?;
    let mut written = Ok(());
    let tally = run(BufReader::new(reader), longest_line, |failure| {
        let id = failure.id.as_deref().unwrap_or("(no id)");
        if written.is_ok() {
            let line = format!("{name}:{}: {id}: {}", failure.line, failure.message);
            written = writeln!(printer, "{}", printable(&line));
        }
    })
    .with_context(|| name.clone())?;
    written?;
    if tally == Tally::default() {
        bail!("{name}: empty, no vector to run");
    }
    Ok(tally)
}
