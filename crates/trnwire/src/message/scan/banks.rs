//! Recognises PSUM banks, by number and by count.

use super::super::cursor::{Cursor, is_one_of};
use super::super::fact::{FactKind, Space};
use super::super::number::Number;
use super::{Found, Scanner, space_named};

const BANK: [&str; 2] = ["bank", "banks"];

/// Counts that messages spell as words.
const COUNT_WORDS: [&str; 17] = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen",
];

impl<'text> Scanner<'text> {
    /// `bank 9`, `banks 0-3`, `bank=9`, `one PSUM bank`, in a message about PSUM.
    pub(super) fn banks_at_word(&self, word: &str, cursor: Cursor<'text>) -> Found<'text> {
        if let Some(index) = COUNT_WORDS.iter().position(|known| word.eq_ignore_ascii_case(known)) {
            let count = Number::Exact(i128::try_from(index).ok()?);
            return self.bank_count(count, cursor);
        }
        if !is_one_of(word, &["bank", "banks", "bank_id", "bank_index"]) {
            return None;
        }
        let mut cursor = cursor;
        cursor.skip_filler(&["number", "index", "id", "is", "of", "from"], b":=#([", 3);
        let mut first = cursor.integer()?;
        let mut last = first;
        let mut next = cursor;
        let dots = next.take(b'.') && next.take(b'.');
        if !dots {
            next = cursor;
        }
        if dots || next.take_any(b"-:").is_some() || next.word_of(&["to", "through"]).is_some() {
            if let Some(number) = next.integer() {
                last = number;
                cursor = next;
            }
        }
        if !self.about_psum(cursor) {
            return None;
        }
        // Some messages name the higher bank first.
        if first.exceeds_number(last) {
            core::mem::swap(&mut first, &mut last);
        }
        let mut behind = cursor;
        let counted = is_one_of(word, &["banks"])
            && first == last
            && behind.word_of(&["requested", "needed", "required", "used", "live", "available", "in"]).is_some();
        let kind = if counted { FactKind::PsumBankCount(first) } else { FactKind::PsumBanks { first, last } };
        Some((kind, cursor))
    }

    /// `16 PSUM banks`.
    pub(super) fn banks_at_number(&self) -> Found<'text> {
        let mut cursor = self.cursor;
        let count = self.signed_number(&mut cursor)?;
        self.bank_count(count, cursor)
    }

    fn bank_count(&self, count: Number, mut cursor: Cursor<'text>) -> Found<'text> {
        let mut named = cursor;
        let psum = named.word().and_then(space_named) == Some(Space::Psum);
        if psum {
            cursor = named;
        }
        cursor.word_of(&BANK)?;
        // `1 bank 5` would be a number, not a count.
        (psum || self.about_psum(cursor)).then_some((FactKind::PsumBankCount(count), cursor))
    }

    /// Whether this message has named PSUM, or does so right behind: `bank 9 of PSUM`.
    fn about_psum(&self, mut cursor: Cursor<'text>) -> bool {
        if self.spaces.has(Space::Psum) {
            return true;
        }
        cursor.skip_filler(&["of", "in", "the"], b"()", 3);
        cursor.word().and_then(space_named) == Some(Space::Psum)
    }
}
