//! One file per command.

mod build;
mod check;
mod completions;
mod convert;
mod decode;
mod diff;
mod disassemble;
mod dump;
mod encode;
mod explain;
mod kinds;
mod lint;
mod man;
mod message;
mod pack;
mod plan;
mod preflight;
mod topology;
mod vectors;

use anyhow::Result;
use clap::Subcommand;

use crate::Outcome;
use crate::input::{Records, Source};
use crate::output::is_output_error;
use crate::talk::complain;

/// Every command and its options.
#[derive(Subcommand)]
pub(crate) enum Command {
    Kinds(kinds::Options),
    Explain(explain::Options),
    Decode(decode::Options),
    Disassemble(disassemble::Options),
    Encode(encode::Options),
    Check(check::Options),
    Diff(diff::Options),
    Dump(dump::Options),
    Pack(pack::Options),
    Convert(convert::Options),
    Topology(topology::Options),
    Preflight(preflight::Options),
    Plan(plan::Options),
    Build(build::Options),
    Lint(lint::Options),
    Vectors(vectors::Options),
    Message(message::Options),
    Completions(completions::Options),
    Man(man::Options),
}

pub(crate) fn run(command: Command) -> Result<Outcome> {
    match command {
        Command::Kinds(options) => options.run(),
        Command::Explain(options) => options.run(),
        Command::Decode(options) => options.run(),
        Command::Disassemble(options) => options.run(),
        Command::Encode(options) => options.run(),
        Command::Check(options) => options.run(),
        Command::Diff(options) => options.run(),
        Command::Dump(options) => options.run(),
        Command::Pack(options) => options.run(),
        Command::Convert(options) => options.run(),
        Command::Topology(options) => options.run(),
        Command::Preflight(options) => options.run(),
        Command::Plan(options) => options.run(),
        Command::Build(options) => options.run(),
        Command::Lint(options) => options.run(),
        Command::Vectors(options) => options.run(),
        Command::Message(options) => options.run(),
        Command::Completions(options) => options.run(),
        Command::Man(options) => options.run(),
    }
}

/// A run over several inputs: one that cannot be read costs itself and the exit code, not the others.
struct Walk {
    any_failed: bool,
}

impl Walk {
    const fn new() -> Self {
        Self { any_failed: false }
    }

    /// Takes the result of one input; complains about a failure and goes on, unless output has ended.
    fn take<T>(&mut self, result: Result<T>) -> Result<Option<T>> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(error) if is_output_error(&error) => Err(error),
            Err(error) => {
                complain(&error);
                self.any_failed = true;
                Ok(None)
            }
        }
    }

    /// Opens every input in turn and hands it on.
    fn records(
        &mut self,
        inputs: &crate::args::Inputs,
        mut visit: impl FnMut(&Source, &mut Records) -> Result<()>,
    ) -> Result<()> {
        for argument in &inputs.inputs {
            let result = Source::parse(argument).and_then(|source| {
                let mut records = source.open(inputs.reading())?;
                visit(&source, &mut records)
            });
            self.take(result)?;
        }
        Ok(())
    }

    /// The outcome of a run over all inputs.
    fn exit(self, outcome: Outcome) -> Result<Outcome> {
        Ok(if self.any_failed { Outcome::Incomplete } else { outcome })
    }
}
