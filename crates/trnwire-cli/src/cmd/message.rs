//! `trnwire message`.

use std::io::{self, Read, Write};
use std::path::Path;

use anyhow::{Context, Result, bail};
use clap::Args;
use trnwire::message::{Chip, explain, what_it_looked_for};

use crate::Outcome;
use crate::args::Format;
use crate::input::open_file;
use crate::output::{JsonPrinter, Printer};
use crate::spelling::unknown;

/// The longest text that is read. A log of a failed compile is below 1 MiB.
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
    text: String,
    /// Chip generation, by any usual name, gen1 (inf1) included. Default: every generation.
    #[arg(long, value_name = "ARCH", value_parser = target)]
    arch: Option<Chip>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Options {
    pub(crate) fn run(self) -> Result<Outcome> {
        let text = self.read()?;
        let report = explain(&text, self.arch.as_slice());
        if !report.understood_anything() {
            bail!("{}", what_it_looked_for().trim_end());
        }
        let mut printer = JsonPrinter::new(Printer::new(), self.format);
        if self.format == Format::Text {
            write!(printer.inner(), "{}", report.render_text())?;
        } else {
            printer.push(&trnwire_json::message::report(&report))?;
        }
        printer.finish()?.finish()?;
        // What was not judged may break a rule.
        Ok(if report.has_violation() || !report.is_complete() { Outcome::Findings } else { Outcome::Clean })
    }

    fn read(&self) -> Result<String> {
        let (name, reader): (&str, Box<dyn Read>) = match self.text.as_str() {
            "-" => ("standard input", Box::new(io::stdin().lock())),
            path if Path::new(path).exists() => (path, Box::new(open_file(path)?)),
            text => return Ok(text.to_owned()),
        };
        let mut bytes = Vec::new();
        let length =
            reader.take(MAX_TEXT_BYTES.saturating_add(1)).read_to_end(&mut bytes).with_context(|| name.to_owned())?;
        if u64::try_from(length)? > MAX_TEXT_BYTES {
            bail!("{name}: longer than {MAX_TEXT_BYTES} bytes; give the part with the message");
        }
        // Logs of broken machines hold stray bytes; they cannot be part of what is looked for.
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

fn target(text: &str) -> Result<Chip, String> {
    Chip::parse(text).ok_or_else(|| unknown("arch", text, Chip::names()))
}
