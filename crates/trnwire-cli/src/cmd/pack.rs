//! `trnwire pack`.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Read, Write};
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use trnwire_json::HexBytes;
use trnwire_json::dump::{Packed, pack};

use crate::Outcome;
use crate::input::open_stream;
use crate::new_file::NewFile;
use crate::output::Printer;
use crate::talk::say;

/// The longest dump to read unless the caller says otherwise. A full context is below 1 MiB.
const MAX_DUMP_BYTES: u64 = 64 << 20;

/// Turn a dump of a context or of a block back into its bytes.
///
/// The bytes are the smallest that hold everything. What the dump does not print is zero and is listed on standard error,
/// as is the name of the model, which no byte holds.
///
/// Example: trnwire pack context.json -o context.bin
#[derive(Args)]
pub(crate) struct Options {
    /// A dump; - for standard input. Default: -
    #[arg(value_name = "DUMP", default_value = "-", hide_default_value = true)]
    input: OsString,
    /// Print hex text instead of bytes. A terminal always gets hex text.
    #[arg(long)]
    hex: bool,
    /// A longer text is refused.
    #[arg(long, value_name = "BYTES", default_value_t = MAX_DUMP_BYTES)]
    longest_text: u64,
    /// Write to this file, which appears only when all of it is written.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the output file if it exists.
    #[arg(long, requires = "output")]
    force: bool,
}

impl Options {
    pub(crate) fn run(self) -> Result<Outcome> {
        let (name, reader) = open_stream(&self.input)?;
        let mut text = Vec::new();
        reader.take(self.longest_text.saturating_add(1)).read_to_end(&mut text).with_context(|| name.clone())?;
        if u64::try_from(text.len())? > self.longest_text {
            bail!("{name}: longer than {} bytes; --longest-text allows more", self.longest_text);
        }
        let packed = pack(&text).map_err(|error| anyhow!("{name}: {error}"))?;
        match self.output.as_ref().filter(|path| path.as_os_str() != "-") {
            Some(path) => {
                let mut file = NewFile::create(path, self.force)?;
                self.print(&packed, self.hex, &mut file)?;
                file.finish()?;
            }
            None => {
                let mut printer = Printer::new();
                self.print(&packed, self.hex || io::stdout().is_terminal(), &mut printer)?;
                printer.finish()?;
            }
        }
        for area in &packed.zeroed {
            say(&format!("note: zero, since the dump does not say it: {area}"));
        }
        if let Some(model_name) = packed.model_name.filter(|name| !name.is_empty()) {
            say(&format!("note: not packed: model_name {model_name:?}"));
        }
        Ok(Outcome::Clean)
    }

    fn print(&self, packed: &Packed, hex: bool, out: &mut impl Write) -> Result<()> {
        if hex {
            writeln!(out, "{}", HexBytes(&packed.bytes))?
        } else {
            out.write_all(&packed.bytes)?
        }
        Ok(())
    }
}
