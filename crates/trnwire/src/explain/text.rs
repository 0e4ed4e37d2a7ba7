//! Lines of an explanation, each with the part it plays, so that a terminal can colour them.

use alloc::{string::String, vec::Vec};
use core::fmt;

/// What part a line plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The answer.
    Title,
    /// Something is as it should be.
    Good,
    /// Something is wrong.
    Bad,
    /// Something is worth a look.
    Warning,
    /// Anything else.
    Plain,
}

/// One line of an explanation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// What part it plays.
    pub role: Role,
    /// The text, without a line end.
    pub text: String,
}

/// Collects lines.
#[derive(Default)]
pub(super) struct Lines(Vec<Line>);

impl Lines {
    pub(super) fn push(&mut self, role: Role, text: fmt::Arguments<'_>) {
        self.0.push(Line { role, text: alloc::fmt::format(text) });
    }

    pub(super) fn blank(&mut self) {
        self.push(Role::Plain, format_args!(""));
    }

    pub(super) fn into_inner(self) -> Vec<Line> {
        self.0
    }
}
