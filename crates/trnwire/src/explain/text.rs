//! Lines of an explanation, each with the part it plays, so that a terminal can colour them.

use alloc::{string::String, vec, vec::Vec};
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

/// Items that are alike, in the order in which the first of each group came.
pub(super) fn groups_of<'a, T>(items: &[&'a T], alike: impl Fn(&T, &T) -> bool) -> Vec<Vec<&'a T>> {
    let mut groups: Vec<Vec<&T>> = Vec::new();
    for &item in items {
        match groups.iter_mut().find(|group| group.first().is_some_and(|first| alike(first, item))) {
            Some(group) => group.push(item),
            None => groups.push(vec![item]),
        }
    }
    groups
}
