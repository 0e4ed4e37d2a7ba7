//! Standard error, and mistakes on the command line.

use std::io::{self, Write};
use std::process::ExitCode;

use crate::output::printable;

/// Prints a line on standard error, with control characters spelled out: parts of it come from input. Where that cannot be written, there is nobody to tell.
pub(crate) fn say(line: &str) {
    let _ = writeln!(io::stderr(), "{}", printable(line));
}

/// Says what went wrong. Lines of the error stay lines.
pub(crate) fn complain(error: &anyhow::Error) {
    let text = format!("trnwire: {error:#}");
    text.lines().for_each(say);
}

/// Prints help as it is, and a mistake on the command line as one line with its hint.
pub(crate) fn explain_usage(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        // Help to a reader that has gone is no failure.
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    if matches!(error.kind(), clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand) {
        let _ = error.print();
        return ExitCode::from(2);
    }
    let text = error.render().to_string();
    let mut paragraphs = text.split("\n\n");
    let what = paragraphs.next().unwrap_or_default();
    let hint = paragraphs.find(|paragraph| paragraph.trim_start().starts_with("tip:")).unwrap_or_default();
    let words: Vec<_> = what.split_whitespace().skip(1).chain(hint.split_whitespace()).collect();
    say(&format!("trnwire: {}", words.join(" ")));
    ExitCode::from(2)
}
