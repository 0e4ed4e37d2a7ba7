//! `trnwire disassemble`.

use std::ffi::OsString;
use std::io::Write;

use anyhow::{Result, bail};
use clap::Args;
use trnwire::Kind;
use trnwire::check::Severity;
use trnwire_json::bundle::view;

use super::Walk;
use crate::Outcome;
use crate::args::{Arch, Inputs};
use crate::output::{Printer, printable};

/// Print instruction bundles as text, one line each.
///
/// A line has the offset, the opcode, every operand whose place is known (role, place, loops as [step,num] with the
/// outermost first, dtype), what is waited for and what is signalled, and findings above a note. `explain --as bundle --at
/// OFFSET` tells more about one of them. Exit code 1 when a bundle has a finding of severity error.
///
/// Example: trnwire disassemble stream.bin --arch trn2
#[derive(Args)]
pub(crate) struct Options {
    /// Files, - for standard input, or bytes in memory order (hex:...). Default: -
    #[arg(value_name = "INPUT", default_value = "-", hide_default_value = true)]
    inputs: Vec<OsString>,
    /// Files hold hex text, bytes in memory order, instead of binary.
    #[arg(long)]
    hex: bool,
    #[command(flatten)]
    arch: Arch,
}

impl Options {
    pub(crate) fn run(self) -> Result<Outcome> {
        let Some(generation) = self.arch.generation() else {
            bail!("disassemble needs --arch (gen2, gen3 or gen4): opcodes and slots differ between generations");
        };
        let several = self.inputs.len() > 1;
        let inputs = Inputs { inputs: self.inputs, kind: Kind::Bundle, hex: self.hex, view: None };
        let mut outcome = Outcome::Clean;
        let mut walk = Walk::new();
        let mut printer = Printer::new();
        let mut line = Vec::new();
        walk.records(&inputs, |source, records| {
            if several {
                writeln!(printer, "{}:", printable(source.name()))?;
            }
            records.for_each(|offset, bytes| {
                let bundle = view(bytes)?;
                line.clear();
                if bundle.disassemble(generation, offset, &mut line) == Severity::Error {
                    outcome = Outcome::Findings;
                }
                line.push(b'\n');
                Ok(printer.write_all(&line)?)
            })
        })?;
        printer.finish()?;
        walk.exit(outcome)
    }
}
