//! `trnwire decode`.

use anyhow::Result;
use clap::Args;
use trnwire::Kind;
use trnwire::arch::CollectiveArch;
use trnwire_json::bundle::{decoded_on, view};
use trnwire_json::decoded;

use super::Walk;
use crate::Outcome;
use crate::args::{Format, Inputs, arch};
use crate::output::{JsonPrinter, Printer};

/// Turn bytes into JSON, one object per word or record.
///
/// All bytes decode, legal or not; `trnwire encode` turns the objects back into the same bytes.
///
/// Example: trnwire decode --as tensor1d 'hex:20 01 14 00 01 00 00 02'
#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    inputs: Inputs,
    /// Chip generation, by any usual name. A context and the address of a semaphore need it; of a bundle it also says what
    /// opcode and slots are. All else decodes alike on every one.
    #[arg(long, value_name = "ARCH", value_parser = arch)]
    arch: Option<CollectiveArch>,
    /// How to print: text and ndjson print a JSON object per line; json prints one document, an array for several results.
    #[arg(long, value_enum, default_value_t, hide_possible_values = true)]
    format: Format,
}

impl Options {
    pub(crate) fn run(self) -> Result<Outcome> {
        let mut walk = Walk::new();
        let mut printer = JsonPrinter::new(Printer::new(), self.format);
        let kind = self.inputs.kind;
        walk.records(&self.inputs, |_, records| {
            records.for_each(|_, record| match (kind, self.arch) {
                (Kind::Bundle, Some(arch)) => printer.push(&decoded_on(arch.generation(), view(record)?)),
                (kind, arch) => printer.push(&decoded(kind, arch, record)?),
            })
        })?;
        printer.finish()?.finish()?;
        walk.exit(Outcome::Clean)
    }
}
