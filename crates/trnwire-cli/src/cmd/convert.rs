//! `trnwire convert`.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use anyhow::{Result, anyhow, bail};
use clap::Args;
use trnwire::Kind;
use trnwire::block::{Block, MeshCapacity, STUB_LOST_CODE, View};
use trnwire::soc::SocAddress;
use trnwire_json::HexBytes;

use crate::Outcome;
use crate::input::{Reading, Source};
use crate::new_file::NewFile;
use crate::output::Printer;
use crate::talk::say;

/// Turn an algorithm config block into another view of it: the host's, or a device's.
///
/// Mesh events that the view has no place for must be zero (exit code 1: mesh_capacity). The hierarchical part of a device
/// is lost in another view; when it was not zero that is said on standard error (stub_lost).
///
/// Example: trnwire convert host.bin --to cayman -o device.bin
#[derive(Args)]
pub(crate) struct Options {
    /// A block; - for standard input. Default: -
    #[arg(value_name = "INPUT", default_value = "-", hide_default_value = true)]
    input: OsString,
    /// Files hold hex text, bytes in memory order, instead of binary.
    #[arg(long)]
    from_hex: bool,
    /// Whose bytes the input is: host, sunda or cayman. Default: its length tells.
    #[arg(long, value_name = "VIEW", value_parser = crate::args::view)]
    view: Option<View>,
    /// The view to make: host, sunda or cayman (also for mariana and mariana_plus).
    #[arg(long, value_name = "VIEW", value_parser = crate::args::view)]
    to: View,
    /// The hierarchical part of a device's view.
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    stub: Option<SocAddress>,
    /// Print hex text instead of bytes. A terminal always gets hex text.
    #[arg(long)]
    hex: bool,
    /// Write to this file, which appears only when all of it is written.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the output file if it exists.
    #[arg(long, requires = "output")]
    force: bool,
}

impl Options {
    pub(crate) fn run(self) -> Result<Outcome> {
        let source = Source::parse(&self.input)?;
        let reading = Reading { kind: Kind::AlgoBlock, view: self.view, hex: self.from_hex };
        let mut records = source.open(reading)?;
        let view = View::of_length(records.record_bytes()).ok_or_else(|| anyhow!("{}: no block", source.name()))?;
        if self.stub.is_some() && (self.to == View::Host || self.to == view) {
            bail!("--stub is about making a device's view from another, and the host's view has no such part");
        }
        let stub = self.stub.unwrap_or_default();
        let mut blocks = Vec::new();
        let mut outcome = Outcome::Clean;
        records.for_each(|offset, bytes| {
            let block = Block::new(view, bytes).ok_or_else(|| anyhow!("{}: no block at {offset}", source.name()))?;
            match block.convert(self.to, stub) {
                Err(error) => {
                    outcome = Outcome::Findings;
                    say(&format!("trnwire: {}: block at {offset:#x}: {}: {error}", source.name(), MeshCapacity::CODE));
                }
                Ok(converted) => {
                    if let Some(stub) = converted.stub_lost {
                        say(&format!(
                            "trnwire: {}: block at {offset:#x}: warning: {STUB_LOST_CODE}: the hierarchical part {stub} is lost",
                            source.name()
                        ));
                    }
                    blocks.extend(converted.bytes);
                }
            }
            Ok(())
        })?;
        if outcome == Outcome::Clean {
            self.write(&blocks)?;
        }
        Ok(outcome)
    }

    fn write(&self, bytes: &[u8]) -> Result<()> {
        match self.output.as_ref().filter(|path| path.as_os_str() != "-") {
            Some(path) => {
                let mut file = NewFile::create(path, self.force)?;
                print(bytes, self.hex, &mut file)?;
                file.finish()
            }
            None => {
                let mut printer = Printer::new();
                print(bytes, self.hex || io::stdout().is_terminal(), &mut printer)?;
                Ok(printer.finish()?)
            }
        }
    }
}

fn print(bytes: &[u8], hex: bool, out: &mut impl Write) -> io::Result<()> {
    if hex { writeln!(out, "{}", HexBytes(bytes)) } else { out.write_all(bytes) }
}

fn address(text: &str) -> Result<SocAddress, String> {
    let digits = text.strip_prefix("0x").filter(|digits| digits.len() <= 16);
    let address = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
    address.map(SocAddress).ok_or_else(|| "an address is 0x and up to 16 hex digits".to_owned())
}
