//! `trnwire vectors`.

use std::io::{self, BufReader, Read, Write};

use anyhow::{Context, Result, bail};
use clap::Args;
use trnwire_json::vectors::{Tally, run};

use super::Walk;
use crate::Outcome;
use crate::input::open_file;
use crate::output::Printer;

/// Run golden vectors: a line per failure, then how many passed and failed.
///
/// Each line of a file is a JSON object with id, arch, op, input, expect and why. Exit code 1 when one fails.
///
/// Example: trnwire vectors tests/vectors/addr4.jsonl
#[derive(Args)]
pub(crate) struct Options {
    /// Files of vectors, one JSON object per line; - for standard input.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<String>,
}

impl Options {
    pub(crate) fn run(self) -> Result<Outcome> {
        let mut walk = Walk::new();
        let mut total = Tally::default();
        let mut printer = Printer::new();
        for file in &self.files {
            if let Some(tally) = walk.take(run_file(file, &mut printer))? {
                total.passed = total.passed.saturating_add(tally.passed);
                total.failed = total.failed.saturating_add(tally.failed);
            }
        }
        writeln!(printer, "{} passed, {} failed", total.passed, total.failed)?;
        printer.finish()?;
        walk.exit(if total.failed == 0 { Outcome::Clean } else { Outcome::Findings })
    }
}

fn run_file(file: &str, printer: &mut Printer) -> Result<Tally> {
    let (name, reader): (_, Box<dyn Read>) = match file {
        "-" => ("standard input", Box::new(io::stdin().lock())),
        _ => (file, Box::new(open_file(file)?)),
    };
    let mut written = Ok(());
    let tally = run(BufReader::new(reader), |failure| {
        let id = failure.id.as_deref().unwrap_or("(no id)");
        if written.is_ok() {
            written = writeln!(printer, "{name}:{}: {id}: {}", failure.line, failure.message);
        }
    })
    .with_context(|| name.to_owned())?;
    written?;
    if tally == Tally::default() {
        bail!("{name}: empty, no vector to run");
    }
    Ok(tally)
}
