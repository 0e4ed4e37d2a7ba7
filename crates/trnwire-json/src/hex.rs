//! Words and bytes as hex text.

use core::fmt;

use serde::{Serialize, Serializer};

/// A word as `"0x02008004"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HexWord(pub u32);

impl Serialize for HexWord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("0x{:08X}", self.0))
    }
}

/// Bytes in memory order, as `"04 80 00 02"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HexBytes<'a>(pub &'a [u8]);

impl fmt::Display for HexBytes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, byte) in self.0.iter().enumerate() {
            let space = if index == 0 { "" } else { " " };
            write!(f, "{space}{byte:02x}")?;
        }
        Ok(())
    }
}

impl Serialize for HexBytes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Bytes in memory order, as `"04800002"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DenseHex<'a>(pub(crate) &'a [u8]);

impl fmt::Display for DenseHex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl Serialize for DenseHex<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// An address: `0x` and up to 16 digits.
pub(crate) fn address(text: &str) -> Option<u64> {
    const MOST_CHARS: usize = 18;
    number(text).filter(|_| text.len() <= MOST_CHARS)
}

/// Two hex digits a byte, with white space allowed between bytes.
pub(crate) fn bytes(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 2);
    for run in text.split_ascii_whitespace() {
        for pair in run.as_bytes().chunks(2) {
            let &[high, low] = pair else { return None };
            let digit = |character: u8| char::from(character).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
            bytes.push(digit(high)? << 4 | digit(low)?);
        }
    }
    Some(bytes)
}

/// A number as `0x` and hex digits; one beyond 64 bits becomes the greatest that fits.
pub(crate) fn number(text: &str) -> Option<u64> {
    let digits = text.strip_prefix("0x")?;
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    Some(u64::from_str_radix(digits, 16).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_has_two_digits_and_white_space_stands_between_bytes_only() {
        assert_eq!(bytes("04 80 00 02"), Some(vec![4, 0x80, 0, 2]));
        assert_eq!(bytes(" 0480\n00FF "), Some(vec![4, 0x80, 0, 255]));
        assert_eq!(bytes(""), Some(vec![]));
        assert_eq!(bytes("048"), None);
        assert_eq!(bytes("0 4"), None);
        assert_eq!(bytes("0x04"), None);
        assert_eq!(bytes("é4"), None);
        assert_eq!(HexBytes(&[4, 0x80, 255]).to_string(), "04 80 ff");
    }
}
