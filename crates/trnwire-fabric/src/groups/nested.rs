//! Lists of lists of ids: JSON, HLO's braces, and the inside of a dense literal.

use super::cursor::{Cursor, Step};
use super::error::Problem;
use super::list::Groups;

/// How a list of lists is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    brackets: [u8; 2],
    /// What is expected where something else stands.
    open: &'static str,
    next: &'static str,
    /// Whether -1 fills up rows.
    has_pads: bool,
}

impl Style {
    /// `[[0,1],[2,3]]`.
    pub(super) const JSON: Self = Self { brackets: *b"[]", open: "'['", next: "',' or ']'", has_pads: false };
    /// `{{0,1},{2,3}}`.
    pub(super) const BRACES: Self = Self { brackets: *b"{}", open: "'{'", next: "',' or '}'", has_pads: false };
    /// `[[0,1],[2,-1]]`.
    pub(super) const DENSE: Self = Self { has_pads: true, ..Self::JSON };
}

/// A list of lists.
pub(super) struct Nested {
    pub(super) groups: Groups,
    /// How many numbers the first row has, pads included.
    pub(super) columns: u64,
}

/// Reads a list of lists, which may be empty. With pads all rows are equally long.
pub(super) fn read(cursor: &mut Cursor<'_>, style: Style) -> Step<Nested> {
    let [open, close] = style.brackets;
    let mut nested = Nested { groups: Groups::default(), columns: 0 };
    cursor.expect(open, style.open)?;
    if cursor.eat(close) {
        return Ok(nested);
    }
    loop {
        cursor.skip_space();
        let row = *cursor;
        if !cursor.eat(open) {
            let is_flat = cursor.peek().is_some_and(|byte| byte.is_ascii_digit()) && nested.groups.is_empty();
            return Err(row.error(if is_flat { Problem::FlatList } else { Problem::Expected(style.open) }));
        }
        let columns = read_row(cursor, style, &mut nested.groups)?;
        if !nested.groups.end_group() {
            return Err(row.error(Problem::EmptyGroup));
        }
        if nested.groups.len() == 1 {
            nested.columns = columns;
        } else if style.has_pads && nested.columns != columns {
            return Err(row.error(Problem::RaggedRows));
        }
        if cursor.eat(close) {
            return Ok(nested);
        }
        cursor.expect(b',', style.next)?;
    }
}

/// Reads the rest of a row, and gives how many numbers it has.
fn read_row(cursor: &mut Cursor<'_>, style: Style, groups: &mut Groups) -> Step<u64> {
    let [_, close] = style.brackets;
    let mut columns = 0_u64;
    if cursor.eat(close) {
        return Ok(columns);
    }
    loop {
        cursor.skip_space();
        let start = *cursor;
        let is_pad = style.has_pads && cursor.integer()? == -1;
        if !is_pad {
            *cursor = start;
            let id = cursor.number()?;
            groups.push_id(id).ok_or_else(|| start.error(Problem::TooManyIds))?;
        }
        columns = columns.saturating_add(1);
        if cursor.eat(close) {
            return Ok(columns);
        }
        cursor.expect(b',', style.next)?;
    }
}
