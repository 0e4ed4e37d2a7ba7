//! Hex text as bytes.

use std::io::{self, Read};

/// The bytes that hex text stands for: two digits a byte, in memory order, with white space anywhere between bytes.
pub(super) struct HexText<R> {
    reader: io::BufReader<R>,
    line: u64,
    column: u64,
    high_nibble: Option<u8>,
}

impl<R: Read> HexText<R> {
    pub(super) fn new(reader: R) -> Self {
        Self { reader: io::BufReader::with_capacity(1 << 16, reader), line: 1, column: 0, high_nibble: None }
    }

    /// Takes one character of text; gives a byte when it completes one.
    fn take(&mut self, character: u8) -> io::Result<Option<u8>> {
        self.column = self.column.saturating_add(1);
        let digit = char::from(character).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        match (digit, self.high_nibble.take()) {
            (Some(digit), None) => {
                self.high_nibble = Some(digit);
                Ok(None)
            }
            (Some(digit), Some(high)) => Ok(Some(high << 4 | digit)),
            (None, None) if character.is_ascii_whitespace() => {
                if character == b'\n' {
                    self.line = self.line.saturating_add(1);
                    self.column = 0;
                }
                Ok(None)
            }
            (None, Some(_)) if character.is_ascii_whitespace() => {
                Err(self.error("a byte has two hex digits, found one"))
            }
            (None, _) => {
                let shown = char::from(character).escape_default();
                Err(self
                    .error(&format!("'{shown}' is no hex digit (write bytes in memory order, such as 04 80 00 02)")))
            }
        }
    }

    fn error(&self, what: &str) -> io::Error {
        io::Error::new(io::ErrorKind::InvalidData, format!("line {}, column {}: {what}", self.line, self.column))
    }
}

impl<R: Read> Read for HexText<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0_usize;
        let mut one = [0_u8];
        for slot in buffer {
            *slot = loop {
                if self.reader.read(&mut one)? == 0 {
                    if self.high_nibble.take().is_some() {
                        return Err(self.error("a byte has two hex digits, found one"));
                    }
                    return Ok(filled);
                }
                if let Some(byte) = self.take(one[0])? {
                    break byte;
                }
            };
            filled = filled.saturating_add(1);
        }
        Ok(filled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex_file(text: &str) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        HexText::new(text.as_bytes()).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
        Ok(bytes)
    }

    #[test]
    fn hex_text_takes_white_space_between_bytes_only() {
        assert_eq!(hex_file("04 80\n\t0002\r\n").unwrap(), [4, 0x80, 0, 2]);
        assert_eq!(hex_file("").unwrap(), [0_u8; 0]);
        assert!(hex_file("04\n0x80").unwrap_err().starts_with("line 2, column 2: 'x' is no hex digit"));
        assert_eq!(hex_file("04 8").unwrap_err(), "line 1, column 4: a byte has two hex digits, found one");
        assert!(hex_file("04 \u{e9}").unwrap_err().starts_with("line 1, column 4: '\\u{c3}' is no hex digit"));
    }
}
