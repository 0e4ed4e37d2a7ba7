//! Strings and numbers.

use core::fmt;

use serde::de::{Error, Unexpected, Visitor};

pub(super) struct Address;

impl Visitor<'_> for Address {
    type Value = u64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an address (0x and 16 upper-case hex digits)")
    }

    #[inline]
    fn visit_str<E: Error>(self, text: &str) -> Result<u64, E> {
        address(text).ok_or_else(|| E::invalid_value(Unexpected::Str(brief(text)), &self))
    }
}

/// The value of each upper-case hex digit; 0x80 for what is none.
const DIGIT_VALUES: [u8; 256] = {
    let mut values = [0x80; 256];
    let mut digit = 0_u8;
    while digit < 16 {
        let character = if digit < 10 { b'0'.wrapping_add(digit) } else { b'A'.wrapping_add(digit).wrapping_sub(10) };
        let (_, rest) = values.split_at_mut(widen(character));
        if let [place, ..] = rest {
            *place = digit;
        }
        digit = digit.wrapping_add(1);
    }
    values
};

#[expect(clippy::as_conversions, reason = "no conversion trait is const, and this one only widens")]
const fn widen(byte: u8) -> usize {
    byte as usize
}

/// `0x` and exactly 16 upper-case digits.
#[inline]
fn address(text: &str) -> Option<u64> {
    text.strip_prefix("0x")?.as_bytes().try_into().ok().and_then(hex_number)
}

/// The number that 16 upper-case digits are.
#[inline]
pub(in crate::dump) fn hex_number(digits: &[u8; 16]) -> Option<u64> {
    let mut all = 0;
    let value = digits.iter().fold(0_u64, |value, &digit| {
        let digit = DIGIT_VALUES.get(usize::from(digit)).copied().unwrap_or(0x80);
        all |= digit;
        value << 4 | u64::from(digit)
    });
    (all & 0x80 == 0).then_some(value)
}

pub(super) struct Integer {
    pub(super) most: u64,
}

impl Visitor<'_> for Integer {
    type Value = u64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an integer in 0..={}", self.most)
    }

    #[inline]
    fn visit_u64<E: Error>(self, value: u64) -> Result<u64, E> {
        if value <= self.most { Ok(value) } else { Err(E::invalid_value(Unexpected::Unsigned(value), &self)) }
    }
}

/// Bytes as lower-case hex, without space.
pub(super) struct Hex<'a>(pub(super) &'a mut [u8]);

impl Visitor<'_> for Hex<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes as lower-case hex", self.0.len())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        let is_lower = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        match crate::hex::bytes(text).filter(|bytes| is_lower && bytes.len() == self.0.len()) {
            None => Err(E::invalid_value(Unexpected::Str(brief(text)), &self)),
            Some(bytes) => {
                self.0.copy_from_slice(&bytes);
                Ok(())
            }
        }
    }
}

pub(super) struct Name;

impl Visitor<'_> for Name {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<String, E> {
        Ok(text.to_owned())
    }
}

/// Text as an error shows it: whole when short, its start otherwise.
pub(super) fn brief(text: &str) -> &str {
    const MOST_CHARS: usize = 40;
    text.char_indices().nth(MOST_CHARS).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}
