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

/// Rows of cells, each column as wide as its widest cell, two spaces apart.
pub(super) fn aligned(rows: &[Vec<String>]) -> Vec<String> {
    let mut widths: Vec<usize> = Vec::new();
    for row in rows {
        widths.resize(widths.len().max(row.len()), 0);
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    rows.iter()
        .map(|row| {
            let cells = row.iter().zip(&widths).map(|(cell, width)| alloc::format!("{cell:width$}"));
            let line: Vec<_> = cells.collect();
            alloc::string::ToString::to_string(line.join("  ").trim_end())
        })
        .collect()
}
