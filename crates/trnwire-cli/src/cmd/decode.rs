//! `trnwire decode`.

use anyhow::Result;
use clap::Args;
use trnwire::arch::Generation;
use trnwire_json::addr4::DecodedWord;

use super::Walk;
use crate::Outcome;
use crate::args::{Format, Inputs, generation};
use crate::output::{JsonPrinter, Printer};

/// Turn bytes into JSON, one object per word.
///
/// Every word decodes, legal or not; `trnwire encode` turns the objects back into the same bytes.
///
/// Example: trnwire decode 0x02008004
#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    inputs: Inputs,
    /// Accepted and not needed: a word decodes alike on every generation.
    #[arg(long = "arch", value_name = "ARCH", value_parser = generation)]
    _arch: Option<Generation>,
    /// How to print: text and ndjson print a JSON object per line; json prints one document, an array for several words.
    #[arg(long, value_enum, default_value_t, hide_possible_values = true)]
    format: Format,
}

impl Options {
    pub(crate) fn run(self) -> Result<Outcome> {
        let mut walk = Walk::new();
        let mut printer = JsonPrinter::new(Printer::new(), self.format);
        walk.words(&self.inputs, |_, words| {
            while let Some(block) = words.next_block()? {
                for &word in block {
                    printer.push(&DecodedWord::of(word))?;
                }
            }
            Ok(())
        })?;
        printer.finish()?.finish()?;
        walk.exit(Outcome::Clean)
    }
}
