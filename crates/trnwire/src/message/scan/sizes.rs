//! Recognises numbers of bytes: of operands, of sums, of limits.

use super::super::cursor::{Cursor, is_one_of};
use super::super::fact::{FactKind, Space};
use super::super::number::Number;
use super::location::{bytes_of_unit, space_after_preposition};
use super::{Found, PARTITION, PARTITIONS, Scanner, space_named};

const LIMIT_WORDS: [&str; 10] =
    ["limit", "max", "maximum", "capacity", "available", "exceeds", "exceed", "exceeding", "than", "budget"];
/// What a limit is called beside its number.
const CALLED_LIMIT: [&str; 5] = ["limit", "available", "capacity", "maximum", "max"];
const SUM_WORDS: [&str; 4] = ["total", "sum", "altogether", "totalling"];
const SIZE_WORDS: [&str; 5] = ["size", "capacity", "limit", "budget", "maximum"];

impl<'text> Scanner<'text> {
    /// `888 Bytes per Partition and total of: 113664 Bytes in SB`, `25 MiB in SBUF`.
    pub(super) fn size_at_number(&self) -> Found<'text> {
        let mut cursor = self.cursor;
        let amount = self.signed_number(&mut cursor)?;
        let (plain, after) = with_unit(amount, cursor).unwrap_or((amount, cursor));
        if compared_number(after)
            .is_some_and(|(limit, end)| with_unit(limit, end).is_some_and(|(_, end)| per_partition(end).is_some()))
        {
            return Some((FactKind::StatedSum(plain), after));
        }
        if self.is_after_amount() {
            let mut next = after;
            next.skip_filler(&["is", "are", "bytes"], b"", 2);
            if next.word_of(&["available"]).is_some() {
                let kind = FactKind::StatedLimit { bytes: plain, space: None };
                return Some((kind, next));
            }
        }
        let (bytes, cursor) = with_unit(amount, cursor)?;
        if let Some((named, after)) = per_partition(cursor) {
            return Some(self.per_partition_amount(bytes, named, after));
        }
        let mut end = cursor;
        let space = space_after_preposition(&mut end)?;
        if let Some((_, after)) = per_partition(end) {
            return Some(self.per_partition_amount(bytes, Some(space), after));
        }
        Some((FactKind::TotalBytes { bytes, space }, end))
    }

    fn per_partition_amount(
        &self,
        bytes: Number,
        named: Option<Space>,
        mut cursor: Cursor<'text>,
    ) -> (FactKind, Cursor<'text>) {
        let before = space_after_preposition(&mut cursor);
        let mut next = cursor;
        if next.word_of(&["in"]).is_some() && next.word_of(&["total"]).is_some() {
            return (FactKind::StatedSum(bytes), next);
        }
        let mut total = None;
        let mut next = cursor;
        next.skip_filler(&["and", "with", "for", "a", "in", "or"], b",;(", 4);
        if next.word_of(&SUM_WORDS).is_some() {
            next.skip_filler(&["of", "is", "size"], b":=", 3);
            if let Some((amount, after)) = next.prose_number().and_then(|amount| with_unit(amount, next)) {
                total = Some(amount);
                cursor = after;
                cursor.take(b')');
            }
        }
        let space = named.or(before).or_else(|| space_after_preposition(&mut cursor));
        let mut next = cursor;
        next.skip_filler(&["is", "are", "in"], b",", 2);
        if total.is_none() {
            let compared = self.is_after_amount() && self.is_compared();
            if compared || self.just_after(&LIMIT_WORDS) || is_called_limit(next) {
                return (FactKind::StatedLimit { bytes, space }, cursor);
            }
            if self.just_after(&SUM_WORDS) || next.word_of(&SUM_WORDS).is_some() {
                return (FactKind::StatedSum(bytes), cursor);
            }
        }
        let per_partition = bytes;
        (FactKind::OperandBytes { per_partition, total, space }, cursor)
    }

    /// `Total Accessed Bytes per partition by instruction: 198024`, `SB Partition Size: 196608`.
    pub(super) fn size_at_word(&self, word: &str, cursor: Cursor<'text>) -> Found<'text> {
        if is_one_of(word, &PARTITION) {
            let [newest, _] = self.previous;
            return limit_after_partition(space_named(newest), cursor);
        }
        if is_one_of(word, &SUM_WORDS) {
            return stated_sum(cursor);
        }
        if is_one_of(word, &CALLED_LIMIT) && self.is_after_amount() {
            return limit_number(None, cursor);
        }
        None
    }

    /// Whether the last fact of this message is an amount of bytes per partition.
    fn is_after_amount(&self) -> bool {
        self.kept.last().is_some_and(|fact| matches!(fact.kind, FactKind::OperandBytes { .. } | FactKind::StatedSum(_)))
    }

    /// Whether a sign of comparison stands right in front of the cursor.
    pub(super) fn is_compared(&self) -> bool {
        (1..=3).any(|back| matches!(self.cursor.behind(back), Some(b'<' | b'>' | b'/')))
    }

    /// A number at the cursor, with the minus sign in front of it if that is no hyphen.
    pub(super) fn signed_number(&self, cursor: &mut Cursor<'text>) -> Option<Number> {
        let number = cursor.prose_number()?;
        let hyphen = cursor_is_joined(self.cursor);
        let negative = self.cursor.behind(1) == Some(b'-') && !hyphen;
        Some(if negative { number.times(Number::Exact(-1)) } else { number })
    }
}

/// Whether the amount in front is called a limit: `196608 bytes per partition available`, but not `..., available 196608`.
fn is_called_limit(mut cursor: Cursor<'_>) -> bool {
    cursor.word_of(&CALLED_LIMIT).is_some() && limit_number(None, cursor).is_none()
}

fn cursor_is_joined(cursor: Cursor<'_>) -> bool {
    cursor.behind(2).is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

/// The number that one before it is compared with: `> 196608`, `/ 196608`, `exceeds the limit of 196608`.
pub(super) fn compared_number(mut cursor: Cursor<'_>) -> Option<(Number, Cursor<'_>)> {
    if cursor.take_any(b"<>/").is_none() {
        cursor.word_of(&["exceeds", "exceed", "exceeding", "of", "over"])?;
    }
    cursor.skip_filler(&["the", "limit", "maximum", "max", "of"], b"=", 5);
    cursor.prose_number().map(|number| (number, cursor))
}

/// `Partition Size: 196608` after the name of a memory, `size per partition: 196608` likewise.
pub(super) fn limit_after_space(space: Space, mut cursor: Cursor<'_>) -> Found<'_> {
    let mut size_first = cursor;
    if size_first.word_of(&SIZE_WORDS).is_some() {
        let (_, after) = per_partition(size_first)?;
        return limit_number(Some(space), after);
    }
    cursor.skip_filler(&["per"], b"-", 1);
    cursor.word_of(&PARTITION)?;
    limit_after_partition(Some(space), cursor)
}

fn limit_after_partition(space: Option<Space>, mut cursor: Cursor<'_>) -> Found<'_> {
    cursor.skip_filler(&["memory", "byte"], b"", 1);
    cursor.word_of(&SIZE_WORDS)?;
    limit_number(space, cursor)
}

fn limit_number(space: Option<Space>, mut cursor: Cursor<'_>) -> Found<'_> {
    cursor.skip_filler(&["is", "of", "in", "bytes", "limit"], b":=()", 5);
    let amount = cursor.prose_number()?;
    let (bytes, end) = with_unit(amount, cursor).unwrap_or((amount, cursor));
    Some((FactKind::StatedLimit { bytes, space }, end))
}

fn stated_sum(mut cursor: Cursor<'_>) -> Found<'_> {
    const FILLER: [&str; 12] = [
        "of",
        "accessed",
        "allocated",
        "used",
        "requested",
        "required",
        "bytes",
        "memory",
        "usage",
        "size",
        "sb",
        "sbuf",
    ];
    cursor.skip_filler(&FILLER, b"", 6);
    let (_, mut cursor) = per_partition(cursor)?;
    cursor.skip_filler(&["by", "the", "this", "instruction", "for", "is", "all", "operands"], b":=", 8);
    let amount = cursor.prose_number()?;
    let (bytes, end) = with_unit(amount, cursor).unwrap_or((amount, cursor));
    Some((FactKind::StatedSum(bytes), end))
}

/// `per partition`, `/partition`, `per SBUF partition`, `in each partition`.
pub(super) fn per_partition(mut cursor: Cursor<'_>) -> Option<(Option<Space>, Cursor<'_>)> {
    if cursor.word_of(&["in"]).is_some() {
        cursor.word_of(&["each", "every"])?;
    } else if cursor.word_of(&["per", "each"]).is_none() && !cursor.take(b'/') {
        return None;
    }
    let mut named = cursor;
    let space = named.word().and_then(space_named);
    if space.is_some() {
        cursor = named;
    }
    cursor.word_of(&PARTITIONS)?;
    Some((space, cursor))
}

/// Bytes that an amount with its unit stands for, with decimals if they come out whole.
fn with_unit(amount: Number, mut cursor: Cursor<'_>) -> Option<(Number, Cursor<'_>)> {
    const MOST_DECIMALS: u32 = 9;
    let mut decimals: i128 = 0;
    let mut scale: i128 = 1;
    if cursor.peek() == Some(b'.') && cursor.ahead(1).is_some_and(|byte| byte.is_ascii_digit()) {
        cursor.skip(1);
        let start = cursor.at();
        decimals = cursor.decimal()?.exact()?;
        let count = u32::try_from(cursor.at().checked_sub(start)?).ok()?;
        if count > MOST_DECIMALS {
            return None;
        }
        scale = 10_i128.checked_pow(count)?;
    }
    let unit = i128::from(bytes_of_unit(cursor.word()?)?);
    let fraction = decimals.checked_mul(unit)?;
    if fraction.checked_rem(scale)? != 0 {
        return None;
    }
    let whole = amount.times(Number::Exact(unit));
    Some((whole.plus(Number::Exact(fraction.checked_div(scale)?)), cursor))
}
