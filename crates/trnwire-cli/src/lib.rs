//! The command line of trnwire. Each command is a file in `cmd` with its options and its `run`.
//!
//! This is a library only so that tests and fuzzing reach what reads untrusted input.

mod args;
mod cmd;
mod fabric;
pub mod input;
mod new_file;
mod output;
mod spelling;
mod talk;

use std::process::ExitCode;

use clap::Parser;

/// What a command found out, when it could run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// Nothing is wrong.
    Clean,
    /// Something is wrong with what was looked at.
    Findings,
    /// Some of the input could not be read; what is wrong with it was said on standard error.
    Incomplete,
}

/// Runs the program: arguments in, results on standard output, complaints on standard error.
#[must_use]
pub fn main() -> ExitCode {
    let arguments = match args::Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return talk::explain_usage(&error),
    };
    match cmd::run(arguments.command) {
        Ok(Outcome::Clean) => ExitCode::SUCCESS,
        Ok(Outcome::Findings) => ExitCode::from(1),
        Ok(Outcome::Incomplete) => ExitCode::from(2),
        // The reader of our output has gone; there is nobody to tell.
        Err(error) if output::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            talk::complain(&error);
            ExitCode::from(2)
        }
    }
}
