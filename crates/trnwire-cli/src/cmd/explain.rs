//! `trnwire explain`.

use std::io::Write;

use anyhow::Result;
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
        walk.words(&self.inputs, |_, words| {
            while let Some(block) = words.next_block()? {
                for &word in block {
                    let explanation = WordExplanation::new(word, &generations, |generation| self.access.on(generation));
                    if is_wrong(&explanation) {
                        outcome = Outcome::Findings;
                    }
                    if self.format == Format::Text {
                        self.print_text(&explanation, first, printer.inner())?;
                    } else {
                        printer.push(&word_explanation(&explanation))?;
                    }
                    first = false;
                }
            }
            Ok(())
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
