//! A place in a text, and the small steps that move it.
//!
//! Recognisers copy the cursor, try, and throw the copy away when they fail. Each looks a bounded
//! number of tokens ahead, so that all of them together read a text in linear time.

use super::number::Number;

#[cfg(test)]
extern crate std;

#[cfg(test)]
std::thread_local! {
    /// Bytes read by all cursors of this thread, and facts gone through: what the linear-time test counts.
    pub(super) static STEPS: core::cell::Cell<u64> = const { core::cell::Cell::new(0) };
}

/// Counts steps for the linear-time test.
#[cfg(test)]
pub(super) fn count_steps(steps: usize) {
    STEPS.with(|sum| sum.set(sum.get() + u64::try_from(steps).unwrap()));
}

/// A place in a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'text> {
    text: &'text str,
    at: usize,
}

impl<'text> Cursor<'text> {
    pub(super) const fn new(text: &'text str) -> Self {
        Self { text, at: 0 }
    }

    /// Byte offset in the text.
    pub(super) const fn at(self) -> usize {
        self.at
    }

    /// The byte so many bytes ahead.
    pub(super) fn ahead(self, bytes: usize) -> Option<u8> {
        #[cfg(test)]
        count_steps(1);
        self.text.as_bytes().get(self.at.saturating_add(bytes)).copied()
    }

    pub(super) fn peek(self) -> Option<u8> {
        self.ahead(0)
    }

    /// The byte so many bytes back; 1 is the one before the cursor.
    pub(super) fn behind(self, bytes: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at.checked_sub(bytes)?).copied()
    }

    pub(super) fn skip(&mut self, bytes: usize) {
        self.at = self.at.saturating_add(bytes).min(self.text.len());
    }

    /// Skips spaces, tabs and carriage returns, but no line feed: facts do not cross lines.
    pub(super) fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r')) {
            self.skip(1);
        }
    }

    /// After blanks, takes this byte if it is next.
    pub(super) fn take(&mut self, byte: u8) -> bool {
        let mut next = *self;
        next.skip_blanks();
        let found = next.peek() == Some(byte);
        if found {
            next.skip(1);
            *self = next;
        }
        found
    }

    /// After blanks, takes any one of these bytes.
    pub(super) fn take_any(&mut self, bytes: &[u8]) -> Option<u8> {
        bytes.iter().copied().find(|&byte| self.take(byte))
    }

    /// After blanks, takes a name: a letter or `_`, then letters, digits and `_`.
    pub(super) fn word(&mut self) -> Option<&'text str> {
        let mut next = *self;
        next.skip_blanks();
        let start = next.at;
        if !next.peek().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_') {
            return None;
        }
        next.skip_name();
        *self = next;
        self.between(start, next.at)
    }

    /// Skips letters, digits and `_`.
    pub(super) fn skip_name(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            self.skip(1);
        }
    }

    /// Takes the number of an instruction such as `I-21-0` behind its `I`: `-21-0`.
    pub(super) fn instruction_number(&mut self) -> Option<&'text str> {
        let mut next = *self;
        if !(next.peek() == Some(b'-') && next.ahead(1).is_some_and(|byte| byte.is_ascii_digit())) {
            return None;
        }
        while next.peek().is_some_and(|byte| byte.is_ascii_digit() || byte == b'-') {
            next.skip(1);
        }
        let number = self.between(self.at, next.at);
        *self = next;
        number
    }

    /// After blanks, takes a word that is one of these, in any case.
    pub(super) fn word_of(&mut self, known: &[&str]) -> Option<&'text str> {
        let mut next = *self;
        let word = next.word()?;
        is_one_of(word, known).then(|| {
            *self = next;
            word
        })
    }

    /// Takes any number, up to a limit, of words and single bytes that carry no meaning here.
    pub(super) fn skip_filler(&mut self, words: &[&str], bytes: &[u8], limit: usize) {
        for _ in 0..limit {
            if self.word_of(words).is_none() && self.take_any(bytes).is_none() {
                break;
            }
        }
    }

    /// After blanks, takes a decimal number with an optional sign.
    pub(super) fn decimal(&mut self) -> Option<Number> {
        let mut next = *self;
        let negative = next.sign();
        let start = next.at;
        while next.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            next.skip(1);
        }
        let number = Number::from_digits(next.bytes_between(start, next.at)?, 10, negative)?;
        *self = next;
        Some(number)
    }

    /// After blanks, takes a decimal number or a hexadecimal one with `0x`.
    pub(super) fn integer(&mut self) -> Option<Number> {
        let mut next = *self;
        let negative = next.sign();
        if next.peek() == Some(b'0') && matches!(next.ahead(1), Some(b'x' | b'X')) {
            next.skip(2);
            let start = next.at;
            while next.peek().is_some_and(|byte| byte.is_ascii_hexdigit()) {
                next.skip(1);
            }
            if let Some(number) =
                next.bytes_between(start, next.at).and_then(|digits| Number::from_digits(digits, 16, negative))
            {
                *self = next;
                return Some(number);
            }
        }
        self.decimal()
    }

    /// After blanks, takes a number that may have thousands separators, as people write in prose.
    pub(super) fn prose_number(&mut self) -> Option<Number> {
        let mut next = *self;
        if let Some(number) = next.integer() {
            let grouped = next.peek() == Some(b',') && self.groups_of_three();
            if !grouped {
                *self = next;
                return Some(number);
            }
        }
        let mut next = *self;
        let negative = next.sign();
        let mut value = Number::Exact(0);
        loop {
            let part = next.decimal()?;
            value = value.times(Number::Exact(1000)).plus(part);
            if next.peek() != Some(b',') || !next.ahead(1).is_some_and(|byte| byte.is_ascii_digit()) {
                break;
            }
            next.skip(1);
        }
        *self = next;
        Some(if negative { value.times(Number::Exact(-1)) } else { value })
    }

    /// Whether the digits ahead are `1` to `999` and then groups of exactly three after commas.
    fn groups_of_three(self) -> bool {
        const LONGEST_GROUPS: usize = 8;
        let mut next = self;
        next.sign();
        let mut first = true;
        for _ in 0..LONGEST_GROUPS {
            let mut digits: usize = 0;
            while digits < 4 && next.peek().is_some_and(|byte| byte.is_ascii_digit()) {
                next.skip(1);
                digits = digits.saturating_add(1);
            }
            if digits == 0 || digits > 3 || (!first && digits != 3) {
                return false;
            }
            first = false;
            if next.peek() != Some(b',') || !next.ahead(1).is_some_and(|byte| byte.is_ascii_digit()) {
                return true;
            }
            next.skip(1);
        }
        false
    }

    /// After blanks, takes a multiplication sign: `x`, `X`, `*` or `×`.
    pub(super) fn times_sign(&mut self) -> bool {
        if self.take_any(b"xX*").is_some() {
            return true;
        }
        let mut next = *self;
        next.skip_blanks();
        let found = next.peek() == Some(0xC3) && next.ahead(1) == Some(0x97);
        if found {
            next.skip(2);
            *self = next;
        }
        found
    }

    /// Text between two byte offsets.
    pub(super) fn between(self, start: usize, end: usize) -> Option<&'text str> {
        self.text.get(start..end)
    }

    fn bytes_between(self, start: usize, end: usize) -> Option<&'text [u8]> {
        self.text.as_bytes().get(start..end)
    }

    fn sign(&mut self) -> bool {
        self.skip_blanks();
        let negative = self.peek() == Some(b'-');
        if negative || self.peek() == Some(b'+') {
            self.skip(1);
        }
        negative
    }
}

/// Whether a word is one of these, in any case.
pub(super) fn is_one_of(word: &str, known: &[&str]) -> bool {
    known.iter().any(|known| word.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_prose_may_have_thousands_separators() {
        let read = |text: &str| Cursor::new(text).prose_number();
        assert_eq!(read("198024"), Some(Number::Exact(198_024)));
        assert_eq!(read("198,024 bytes"), Some(Number::Exact(198_024)));
        assert_eq!(read("-12,616,704"), Some(Number::Exact(-12_616_704)));
        assert_eq!(read("1,2"), Some(Number::Exact(1)));
        assert_eq!(read("19488, 5"), Some(Number::Exact(19_488)));
        assert_eq!(read("0x2d600"), Some(Number::Exact(185_856)));
        assert_eq!(read("x"), None);
    }

    #[test]
    fn a_failed_attempt_does_not_move_the_cursor() {
        let mut cursor = Cursor::new("  total 5");
        assert!(cursor.word_of(&["sum"]).is_none());
        assert!(cursor.decimal().is_none());
        assert!(!cursor.take(b'('));
        assert_eq!(cursor.at(), 0);
        assert_eq!(cursor.word_of(&["TOTAL"]), Some("total"));
        assert_eq!(cursor.decimal(), Some(Number::Exact(5)));
    }
}
