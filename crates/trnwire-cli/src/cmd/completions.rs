//! `trnwire completions`.

use std::io::Write;

use anyhow::Result;
use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::Outcome;
use crate::args::Arguments;
use crate::output::Printer;

/// Print a shell's completion script.
///
/// Example: trnwire completions bash > /etc/bash_completion.d/trnwire
#[derive(Args)]
pub(crate) struct Options {
    /// The shell.
    shell: Shell,
}

impl Options {
    pub(crate) fn run(self) -> Result<Outcome> {
        // The generator panics when its output is closed, so it writes to memory first.
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Arguments::command(), "trnwire", &mut script);
        let mut printer = Printer::new();
        printer.write_all(&script)?;
        printer.finish()?;
        Ok(Outcome::Clean)
    }
}
