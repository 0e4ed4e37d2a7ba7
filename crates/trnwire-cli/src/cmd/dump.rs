//! `trnwire dump`.

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, anyhow, bail};
use clap::Args;
use trnwire::Kind;
use trnwire::block::{Block, View};
use trnwire::cc_op::CcOp;
use trnwire::context::{AlgoState, Context, RuntimeRow};
use trnwire::mesh::MeshEvent;
use trnwire::ring::RingChannel;
use trnwire_json::dump::{self, Dumper, Target};
use zerocopy::FromBytes;

use super::Walk;
use crate::Outcome;
use crate::args::{Arch, Inputs, RecordArguments, kind};
use crate::new_file::NewFile;
use crate::output::Printer;

/// Print what a sync core has as the JSON that the runtime's own dumper prints.
///
/// A context needs --arch; whose bytes a block is its length tells. Keys, nesting and order are the original's; `trnwire pack`
/// reads the text back.
///
/// Example: trnwire dump context.bin --arch trn2 --model-name llama
#[derive(Args)]
pub(crate) struct Options {
    /// Files, - for standard input, or bytes in memory order (hex:...). Default: -
    #[arg(value_name = "INPUT", default_value = "-", hide_default_value = true)]
    inputs: Vec<OsString>,
    /// What the bytes are: context, algo-block, algo-state, ring-channel, mesh-event, runtime-row or cc-op.
    #[arg(long = "as", value_name = "KIND", default_value = "context", value_parser = kind)]
    kind: Kind,
    /// Files hold hex text, bytes in memory order, instead of binary.
    #[arg(long)]
    hex: bool,
    /// Whose bytes an algo-block is: host, sunda or cayman. Default: its length tells.
    #[arg(long, value_name = "VIEW", value_parser = crate::args::view)]
    view: Option<View>,
    #[command(flatten)]
    arch: Arch,
    /// The name of the model, which no byte holds.
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
    model_name: String,
    /// Also print the parts whose keys are less certain, which are {} otherwise.
    #[arg(long)]
    full: bool,
    /// Also print what the original leaves out: reserved bytes, index words behind the live ones, byte 140 as it stands.
    #[arg(long)]
    wire: bool,
    /// No white space.
    #[arg(long)]
    compact: bool,
    #[command(flatten)]
    record: RecordArguments,
    /// Write to this file, which appears only when all of it is written.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the output file if it exists.
    #[arg(long, requires = "output")]
    force: bool,
}

impl Options {
    pub(crate) fn run(mut self) -> Result<Outcome> {
        self.record.only_for_rows(self.kind)?;
        if self.kind != Kind::Context && (self.full || !self.model_name.is_empty()) {
            bail!("--full and --model-name are about contexts, and --as is {}", self.kind);
        }
        match self.output.take().filter(|path| path.as_os_str() != "-") {
            None => {
                let mut printer = Printer::new();
                let outcome = self.dump_all(&mut printer)?;
                printer.finish()?;
                Ok(outcome)
            }
            Some(path) => {
                let mut file = NewFile::create(&path, self.force)?;
                let outcome = self.dump_all(&mut file)?;
                if outcome == Outcome::Clean {
                    file.finish()?;
                }
                Ok(outcome)
            }
        }
    }

    fn dump_all(&self, out: &mut impl Write) -> Result<Outcome> {
        let options = dump::Options { full: self.full, wire: self.wire, compact: self.compact };
        let inputs = Inputs { inputs: self.inputs.clone(), kind: self.kind, hex: self.hex, view: self.view };
        let mut walk = Walk::new();
        let mut text = Vec::new();
        walk.records(&inputs, |_, records| {
            let target = self.target(records.record_bytes())?;
            let dumper = Dumper::new(target, options);
            let mut index = 0_u64;
            records.for_each(|_, bytes| {
                text.clear();
                self.append(&dumper, target, bytes, index, &mut text)?;
                index = index.saturating_add(1);
                Ok(out.write_all(&text)?)
            })
        })?;
        walk.exit(Outcome::Clean)
    }

    fn target(&self, record_bytes: usize) -> Result<Target> {
        Ok(match self.kind {
            Kind::RingChannel => Target::RingChannel,
            Kind::MeshEvent => Target::MeshEvent,
            Kind::RuntimeRow => Target::RuntimeRow,
            Kind::CcOp => Target::CcOp,
            Kind::AlgoState => Target::AlgoState,
            Kind::Context => Target::Context,
            Kind::AlgoBlock => Target::Block(
                View::of_length(record_bytes).ok_or_else(|| anyhow!("{record_bytes} bytes are no block"))?,
            ),
            kind => bail!("{kind} has no such dump; `trnwire decode` prints its fields"),
        })
    }

    fn append(&self, dumper: &Dumper, target: Target, bytes: &[u8], index: u64, text: &mut Vec<u8>) -> Result<()> {
        let wrong_length = || anyhow!(trnwire::WrongLength { kind: self.kind, length: bytes.len() });
        let row = usize::from(self.record.row_of(index));
        match target {
            Target::RingChannel => {
                dumper.ring_channel(RingChannel::ref_from_bytes(bytes).map_err(|_| wrong_length())?, row, text);
            }
            Target::MeshEvent => {
                dumper.mesh_event(MeshEvent::ref_from_bytes(bytes).map_err(|_| wrong_length())?, text);
            }
            Target::RuntimeRow => {
                dumper.runtime_row(RuntimeRow::ref_from_bytes(bytes).map_err(|_| wrong_length())?, row, text);
            }
            Target::CcOp => dumper.cc_op(CcOp::from_wire(bytes.try_into().map_err(|_| wrong_length())?), text),
            Target::AlgoState => {
                dumper.algo_state(AlgoState::ref_from_bytes(bytes).map_err(|_| wrong_length())?, text);
            }
            Target::Block(view) => dumper.block(&Block::new(view, bytes).ok_or_else(wrong_length)?, text),
            Target::Context => {
                let Some(arch) = self.arch.arch else {
                    bail!("a context needs --arch (sunda, cayman, mariana or mariana_plus): its size differs");
                };
                let (context, _) = Context::new(arch, bytes)?;
                dumper.context(&context, &self.model_name, text);
            }
        }
        Ok(())
    }
}
