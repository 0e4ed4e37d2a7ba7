//! The brackets between ops. A text that ends inside of some has been cut off.

use super::cursor::{Cursor, closes};
use super::error::{ParseError, Problem};

/// Brackets that are open, each with its line and something to remember.
pub(super) struct Brackets<T> {
    open: Vec<(u8, usize, T)>,
    /// Whether a bracket was closed by one of another kind. After the first, all others may follow from it.
    is_broken: bool,
}

impl<T> Brackets<T> {
    pub(super) const fn new() -> Self {
        Self { open: Vec::new(), is_broken: false }
    }

    /// Steps over a bracket that opens.
    pub(super) fn open(&mut self, cursor: &mut Cursor<'_>, item: T) {
        if let Some(byte) = cursor.peek() {
            self.open.push((byte, cursor.line(), item));
        }
        cursor.bump();
    }

    /// Steps over a bracket that closes, and gives what was remembered when it was opened. One that nothing opened
    /// means that the text is a piece of a module.
    pub(super) fn close(&mut self, cursor: &mut Cursor<'_>) -> Result<Option<T>, ParseError> {
        let start = *cursor;
        cursor.bump();
        match (self.open.last(), start.peek()) {
            (Some(&(open, ..)), Some(close)) if closes(open, close) => Ok(self.open.pop().map(|(.., item)| item)),
            (Some(&(open, line, _)), _) if !self.is_broken => {
                self.is_broken = true;
                Err(start.error(Problem::Unclosed(open.into(), line)))
            }
            _ => Ok(None),
        }
    }

    /// The lines of brackets that are open, and what was remembered.
    pub(super) fn into_open(self) -> impl Iterator<Item = (usize, T)> {
        self.open.into_iter().map(|(_, line, item)| (line, item))
    }

    /// Checks at the end of the text that nothing is open, comments included.
    pub(super) fn end(&self, cursor: Cursor<'_>) -> Result<(), ParseError> {
        cursor.end()?;
        match self.open.last() {
            Some(&(open, line, _)) if !self.is_broken => Err(cursor.error(Problem::Unclosed(open.into(), line))),
            _ => Ok(()),
        }
    }
}
