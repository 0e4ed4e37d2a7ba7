//! `trnwire man`.

use anyhow::{Result, bail};
use clap::{Args, CommandFactory};

use crate::Outcome;
use crate::args::Arguments;
use crate::output::Printer;
use crate::spelling::unknown;

/// Print the manual page of trnwire or of one of its commands.
///
/// Example: trnwire man explain | man -l -
#[derive(Args)]
pub(crate) struct Options {
    /// The command whose page to print.
    command: Option<String>,
}

impl Options {
    pub(crate) fn run(self) -> Result<Outcome> {
        let mut root = Arguments::command();
        root.build();
        let page = match &self.command {
            None => &root,
            Some(name) => match root.find_subcommand(name) {
                Some(command) => command,
                None => {
                    bail!("{name:?}: {}", unknown("command", name, root.get_subcommands().map(clap::Command::get_name)))
                }
            },
        };
        let mut printer = Printer::new();
        clap_mangen::Man::new(page.clone()).render(&mut printer)?;
        printer.finish()?;
        Ok(Outcome::Clean)
    }
}
