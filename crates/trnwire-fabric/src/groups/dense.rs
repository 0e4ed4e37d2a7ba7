//! Dense literals of StableHLO: `dense<[[0,1],[2,3]]> : tensor<2x2xi64>`.

use super::MOST_IDS;
use super::cursor::{Cursor, Step};
use super::error::Problem;
use super::list::Groups;
use super::nested::{self, Style};

/// What stands between the angle brackets.
enum Elements<'text> {
    /// A list of rows.
    Rows(nested::Nested),
    /// One number for all elements.
    Splat(i64),
    /// Little-endian bytes as `0x` and hex digits, which printers write for long lists.
    Hex(&'text str),
    /// Nothing.
    None,
}

/// Reads a literal with its type. -1 is no id: it fills up short groups.
pub(super) fn read(cursor: &mut Cursor<'_>) -> Step<Groups> {
    cursor.skip_space();
    let start = *cursor;
    match cursor.name() {
        "dense" => {}
        "dense_resource" => return Err(start.error(Problem::Elided)),
        _ => return Err(start.error(Problem::Expected("dense<...>"))),
    }
    cursor.expect(b'<', "'<'")?;
    let elements = elements(cursor)?;
    cursor.expect(b'>', "'>'")?;
    cursor.expect(b':', "':' and the type, as tensor<2x2xi64>")?;
    let [rows, columns] = tensor(cursor)?;
    let count = rows.saturating_mul(columns);
    if usize::try_from(count).map_or(true, |count| count > MOST_IDS) {
        return Err(start.error(Problem::TooManyIds));
    }
    let error = |problem| start.error(problem);
    match elements {
        Elements::Rows(nested) => {
            let shape = [u64::try_from(nested.groups.len()).unwrap_or(u64::MAX), nested.columns];
            let fits = shape == [rows, columns] || (count == 0 && nested.groups.is_empty());
            if fits { Ok(nested.groups) } else { Err(error(Problem::Shape(shape, [rows, columns]))) }
        }
        Elements::Splat(number) => collect(core::iter::repeat(number), rows, columns).map_err(error),
        Elements::Hex(digits) => {
            let needed = count.saturating_mul(HEX_DIGITS);
            let has = u64::try_from(digits.len()).unwrap_or(u64::MAX);
            // Of a splat, one element is printed.
            if has != needed && has != HEX_DIGITS {
                return Err(error(Problem::HexLength(has, needed)));
            }
            let numbers = digits.as_bytes().chunks_exact(16).map(element).cycle();
            collect(numbers, rows, columns).map_err(error)
        }
        Elements::None if count == 0 => Ok(Groups::default()),
        Elements::None => Err(error(Problem::Shape([0, 0], [rows, columns]))),
    }
}

/// Hex digits of an i64.
const HEX_DIGITS: u64 = 16;

/// Reads what stands before `>`.
fn elements<'text>(cursor: &mut Cursor<'text>) -> Step<Elements<'text>> {
    cursor.skip_space();
    let start = *cursor;
    match cursor.peek() {
        Some(b'[') => nested::read(cursor, Style::DENSE).map(Elements::Rows),
        Some(b'"') => {
            let text = cursor.string()?;
            let digits = text.strip_prefix("0x").filter(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit()));
            digits.map(Elements::Hex).ok_or_else(|| start.error(Problem::Expected("0x and hex digits")))
        }
        Some(b'>') => Ok(Elements::None),
        Some(b'_') => Err(start.error(Problem::Elided)),
        _ => cursor.integer().map(Elements::Splat),
    }
}

/// Reads `tensor<2x2xi64>`, and gives rows and columns.
fn tensor(cursor: &mut Cursor<'_>) -> Step<[u64; 2]> {
    const SHAPE: &str = "a tensor of two dimensions, as tensor<2x2xi64>";
    cursor.skip_space();
    let start = *cursor;
    if cursor.name() != "tensor" {
        return Err(start.error(Problem::Expected(SHAPE)));
    }
    cursor.expect(b'<', SHAPE)?;
    let rows = cursor.number()?;
    cursor.expect(b'x', SHAPE)?;
    let columns = cursor.number()?;
    cursor.expect(b'x', SHAPE)?;
    cursor.skip_space();
    let element = *cursor;
    match cursor.name() {
        "i64" => {}
        name if name.starts_with(|first: char| first.is_ascii_digit()) => {
            return Err(element.error(Problem::Expected(SHAPE)));
        }
        _ => return Err(element.error(Problem::ElementType)),
    }
    cursor.expect(b'>', "'>'")?;
    Ok([rows.into(), columns.into()])
}

/// An element of which 16 hex digits are printed, the lowest byte first. A digit too many counts as zero.
fn element(digits: &[u8]) -> i64 {
    let mut number = 0_u64;
    for pair in digits.rchunks(2) {
        for &digit in pair {
            let digit = char::from(digit).to_digit(16).unwrap_or_default();
            number = number << 4 | u64::from(digit);
        }
    }
    number.cast_signed()
}

/// Rows of numbers without the pads.
fn collect(mut numbers: impl Iterator<Item = i64>, rows: u64, columns: u64) -> Result<Groups, Problem> {
    let mut groups = Groups::default();
    if columns == 0 {
        return Ok(groups);
    }
    for _ in 0..rows {
        for _ in 0..columns {
            match numbers.next() {
                Some(-1) | None => {}
                Some(..0) => return Err(Problem::Negative),
                Some(number) => {
                    let id = u32::try_from(number).map_err(|_| Problem::TooLarge)?;
                    groups.push_id(id).ok_or(Problem::TooManyIds)?;
                }
            }
        }
        if !groups.end_group() {
            return Err(Problem::EmptyGroup);
        }
    }
    Ok(groups)
}
