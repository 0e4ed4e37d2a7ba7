//! `trnwire explain`.

use std::io::Write;

use anyhow::{Result, bail};
use clap::Args;
use trnwire::arch::Generation;
use trnwire::check::Severity;
use trnwire::explain::WordExplanation;
use trnwire_json::explain::word_explanation;

use super::Walk;
use crate::Outcome;
use crate::args::{AccessArguments, Arch, Format, Inputs, access_in_words};
use crate::output::{JsonPrinter, Printer};

/// Say what a word is, whether it is legal, which rule decides and what would be legal instead.
///
/// Without --arch all generations are answered for; those that agree share a paragraph. Exit code 1 when a word is
/// rejected, or has a lint of severity error, on any generation that was asked for.
///
/// Example: trnwire explain 0x02008004 --arch trn2 --dtype bf16 --write
#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    arch: Arch,
    #[command(flatten)]
    access: AccessArguments,
    /// Explain the word at this byte offset of each input only, such as `check` names.
    #[arg(long, value_name = "OFFSET", value_parser = offset)]
    at: Option<u64>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// List the meaning and the sources of every field, too.
    #[arg(short, long)]
    verbose: bool,
}

impl Options {
    pub(crate) fn run(self) -> Result<Outcome> {
        let generations = self.arch.arch.map_or_else(|| Generation::ALL.to_vec(), |generation| vec![generation]);
        let mut outcome = Outcome::Clean;
        let mut walk = Walk::new();
        let mut printer = JsonPrinter::new(Printer::new(), self.format);
        let mut first = true;
        walk.words(&self.inputs, |source, words| {
            let mut offset = 0_u64;
            let mut found = false;
            while let Some(block) = words.next_block()? {
                for &word in block {
                    let at = offset;
                    offset = offset.saturating_add(4);
                    if self.at.is_some_and(|wanted| wanted != at) {
                        continue;
                    }
                    found = true;
                    let explanation = WordExplanation::new(word, &generations, |generation| self.access.on(generation));
                    if is_wrong(&explanation) {
                        outcome = Outcome::Findings;
                    }
                    if self.format == Format::Text {
                        self.print_text(&explanation, first, printer.inner())?;
                    } else {
                        printer.push(&word_explanation(&explanation, at))?;
                    }
                    first = false;
                }
            }
            match self.at {
                Some(wanted) if !found => bail!("{}: no word at offset {wanted:#x}", source.name()),
                _ => Ok(()),
            }
        })?;
        printer.finish()?.finish()?;
        self.access.note_unchecked_alignment(!first);
        walk.exit(outcome)
    }

    fn print_text(&self, explanation: &WordExplanation, first: bool, out: &mut Printer) -> Result<()> {
        if !first {
            writeln!(out)?;
        }
        out.lines(&explanation.lines(self.verbose))?;
        // A dtype name can stand for another tag on another generation.
        for views in explanation.views.chunk_by(|first, second| first.access == second.access) {
            if let [view, ..] = views {
                let names: Vec<_> = views.iter().map(|view| view.generation.name()).collect();
                writeln!(out, "asked about a {} on {}", access_in_words(view.access), names.join(", "))?;
            }
        }
        Ok(())
    }
}

fn is_wrong(explanation: &WordExplanation) -> bool {
    explanation
        .views
        .iter()
        .any(|view| view.verdict.is_err() || view.lints.iter().any(|view| view.lint.severity() == Severity::Error))
}

/// A byte offset, decimal or with 0x, at which a word can begin.
fn offset(text: &str) -> Result<u64, String> {
    let number = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    match number {
        Ok(offset) if offset.is_multiple_of(4) => Ok(offset),
        Ok(_) => Err("words begin at multiples of 4".to_owned()),
        Err(_) => Err("an offset is a number such as 64 or 0x40".to_owned()),
    }
}
