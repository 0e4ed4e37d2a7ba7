//! `trnwire message`.

use std::ffi::OsString;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail};
use clap::Args;
use trnwire::message::{Chip, explain, what_it_looked_for};

use crate::Outcome;
use crate::args::Format;
use crate::input::open_stream;
use crate::output::{JsonPrinter, Printer};
use crate::spelling::unknown;

/// The longest text to read unless the caller says otherwise. A log of a failed compile is below 1 MiB.
const MAX_TEXT_BYTES: u64 = 64 << 20;

/// Explain a compiler or runtime message about on-chip memory: which number breaks which rule, by how much, and the
/// nearest legal value.
///
/// It looks for locations such as SB<0,185856>(128x10376), access patterns, start partitions, sizes, PSUM banks and
/// descriptor fields, in any number of lines. Exit code 1 when a rule is broken on every generation
/// asked for or the text holds too much to judge all of it, 2 when nothing was understood.
///
/// Example: trnwire message --arch trn1 'Allocated memory out of bound {x}@SB<0,185856>(756257x10376)'
#[derive(Args)]
pub(crate) struct Options {
    /// The message itself, a file that holds it, or - for standard input. Default: -
    #[arg(value_name = "TEXT", default_value = "-", hide_default_value = true)]
    text: OsString,
    /// Chip generation, by any usual name, gen1 (inf1) included. Default: every generation.
    #[arg(long, value_name = "ARCH", value_parser = target)]
    arch: Option<Chip>,
    /// A longer text is refused.
    #[arg(long, value_name = "BYTES", default_value_t = MAX_TEXT_BYTES)]
    longest_text: u64,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Options {
    pub(crate) fn run(self) -> Result<Outcome> {
        let text = self.read()?;
        let report = explain(&text, self.arch.as_slice());
        let mut printer = JsonPrinter::new(Printer::new(), self.format);
        if self.format != Format::Text {
            printer.push(&trnwire_json::message::report(&report))?;
        } else if report.understood_anything() {
            printer.inner().text(&report.render_text())?;
        }
        printer.finish()?.finish()?;
        if !report.understood_anything() {
            // Nobody writes a message without a space, but file names are mistyped.
            let text = self.text.to_string_lossy();
            let is_name = !text.is_empty() && !text.contains(char::is_whitespace) && !self.is_stream();
            let file = if is_name { format!("{text}: no such file, and ") } else { String::new() };
            bail!("{file}{}", what_it_looked_for().trim_end());
        }
        Ok(match (report.has_violation(), report.is_complete()) {
            (true, _) => Outcome::Findings,
            // What was not judged may break a rule.
            (false, false) => Outcome::Incomplete,
            (false, true) => Outcome::Clean,
        })
    }

    /// Whether the text is to be read from a file or from standard input.
    fn is_stream(&self) -> bool {
        self.text == "-" || Path::new(&self.text).exists()
    }

    fn read(&self) -> Result<String> {
        if !self.is_stream() {
            return Ok(self.text.to_string_lossy().into_owned());
        }
        let (name, reader) = open_stream(&self.text)?;
        let mut bytes = Vec::new();
        let mut reader = reader.take(self.longest_text.saturating_add(1));
        let length = reader.read_to_end(&mut bytes).with_context(|| name.clone())?;
        if u64::try_from(length)? > self.longest_text {
            bail!("{name}: longer than {} bytes; give the part with the message, or --longest-text", self.longest_text);
        }
        // Logs of broken machines hold stray bytes; they cannot be part of what is looked for.
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

fn target(text: &str) -> Result<Chip, String> {
    Chip::parse(text).ok_or_else(|| unknown("generation", text, Chip::names()))
}
