//! A place in a text, and the small steps that move it.
//!
//! It knows its line, so that errors cost nothing until they happen. Both languages have the same white space, strings and
//! comments, which are skipped here and nowhere else.

use super::error::{ParseError, Problem};

/// Why a balanced piece, a string or a comment has no end, or a list no next item.
pub(super) type Step<T> = Result<T, ParseError>;

/// A place in a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'text> {
    text: &'text str,
    at: usize,
    line: usize,
    line_start: usize,
    /// The line of a comment that has no end. The cursor stands at the end of the text then.
    open_comment: Option<usize>,
}

impl<'text> Cursor<'text> {
    pub(super) const fn new(text: &'text str) -> Self {
        Self { text, at: 0, line: 1, line_start: 0, open_comment: None }
    }

    /// The line, from 1.
    pub(super) const fn line(self) -> usize {
        self.line
    }

    /// The byte so many bytes ahead.
    pub(super) fn ahead(self, bytes: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at.checked_add(bytes)?).copied()
    }

    pub(super) fn peek(self) -> Option<u8> {
        self.ahead(0)
    }

    /// Steps over a byte.
    pub(super) fn bump(&mut self) {
        let Some(byte) = self.peek() else { return };
        self.at = self.at.saturating_add(1);
        if byte == b'\n' {
            self.line = self.line.saturating_add(1);
            self.line_start = self.at;
        }
    }

    /// The one of two cursors that has come further.
    pub(super) const fn further(self, other: Self) -> Self {
        if other.at > self.at { other } else { self }
    }

    /// Text from here up to another cursor.
    pub(super) fn text_to(self, end: Self) -> &'text str {
        self.text.get(self.at..end.at).unwrap_or_default()
    }

    /// Text from here on.
    pub(super) fn rest(self) -> &'text [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    /// An error at this place, which quotes what stands here.
    #[cold]
    pub(super) fn error(self, problem: Problem) -> ParseError {
        const LONGEST_VALUE: usize = 24;
        let rest = self.rest();
        let bytes = rest.get(..LONGEST_VALUE).unwrap_or(rest);
        // A cut may go through a character, whose remains are no part of the text.
        let value: String =
            String::from_utf8_lossy(bytes).chars().filter(|&c| c != char::REPLACEMENT_CHARACTER).collect();
        let value = value.lines().next().unwrap_or_default().trim_end().to_owned();
        let value = if value.is_empty() && !rest.is_empty() { "\\n".to_owned() } else { value };
        let column = self.at.saturating_sub(self.line_start).saturating_add(1);
        ParseError { line: self.line, column, op: String::new(), field: "", value, problem }
    }

    /// Skips white space and comments: `// to the end of the line` and `/* between */`. A comment without an end
    /// reaches to the end of the text, and [`Cursor::end`] tells of it.
    pub(super) fn skip_space(&mut self) {
        loop {
            match (self.peek(), self.ahead(1)) {
                (Some(b' ' | b'\t' | b'\r' | b'\n'), _) => self.bump(),
                (Some(b'/'), Some(b'/')) => self.skip_line(),
                (Some(b'/'), Some(b'*')) => {
                    let line = self.line;
                    self.bump();
                    self.bump();
                    while self.peek().is_some() && !self.rest().starts_with(b"*/") {
                        self.bump();
                    }
                    if !self.eat_text("*/") {
                        self.open_comment = Some(line);
                    }
                }
                _ => break,
            }
        }
    }

    /// Skips the rest of the line, but not its end.
    pub(super) fn skip_line(&mut self) {
        while self.peek().is_some_and(|byte| byte != b'\n') {
            self.bump();
        }
    }

    /// Checks at the end of the text that no comment is open.
    pub(super) fn end(self) -> Step<()> {
        self.open_comment.map_or(Ok(()), |line| Err(self.error(Problem::Unclosed('/', line))))
    }

    /// After white space, takes this byte if it is next.
    pub(super) fn eat(&mut self, byte: u8) -> bool {
        self.skip_space();
        let found = self.peek() == Some(byte);
        if found {
            self.bump();
        }
        found
    }

    /// After white space, takes this byte.
    pub(super) fn expect(&mut self, byte: u8, what: &'static str) -> Step<()> {
        if self.eat(byte) { Ok(()) } else { Err(self.error(Problem::Expected(what))) }
    }

    /// Takes this text if it is next.
    pub(super) fn eat_text(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text.as_bytes());
        if found {
            text.bytes().for_each(|_| self.bump());
        }
        found
    }

    /// Takes a name: letters, digits and `_ . $ -`, but no arrow. Empty if none stands here.
    pub(super) fn name(&mut self) -> &'text str {
        let start = *self;
        while let Some(byte) = self.peek() {
            let is_part = byte.is_ascii_alphanumeric()
                || matches!(byte, b'_' | b'.' | b'$')
                || (byte == b'-' && self.ahead(1) != Some(b'>'));
            if !is_part {
                break;
            }
            self.bump();
        }
        start.text_to(*self)
    }

    /// Takes a string in double quotes, where a backslash escapes, and gives what is between them.
    pub(super) fn string(&mut self) -> Step<&'text str> {
        let open = *self;
        self.bump();
        let inside = *self;
        while let Some(byte) = self.peek() {
            if byte == b'"' {
                let text = inside.text_to(*self);
                self.bump();
                return Ok(text);
            }
            if byte == b'\\' {
                self.bump();
            }
            self.bump();
        }
        Err(self.error(Problem::Unclosed('"', open.line)))
    }

    /// After white space, takes a number with an optional minus sign.
    pub(super) fn integer(&mut self) -> Step<i64> {
        self.skip_space();
        let start = *self;
        if self.peek() == Some(b'-') {
            self.bump();
        }
        let digits = *self;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.bump();
        }
        if digits.text_to(*self).is_empty() {
            return Err(start.error(Problem::Expected("a number")));
        }
        start.text_to(*self).parse().map_err(|_| start.error(Problem::TooLarge))
    }

    /// After white space, takes a number from 0.
    pub(super) fn number(&mut self) -> Step<u32> {
        self.skip_space();
        let start = *self;
        match self.integer()? {
            ..0 => Err(start.error(Problem::Negative)),
            number => u32::try_from(number).map_err(|_| start.error(Problem::TooLarge)),
        }
    }

    /// After white space, takes a number from 1.
    pub(super) fn size(&mut self) -> Step<u32> {
        self.skip_space();
        let start = *self;
        match self.number()? {
            0 => Err(start.error(Problem::Zero)),
            number => Ok(number),
        }
    }

    /// Steps over a bracket, what it holds, and the bracket that closes it. Strings and comments inside do not count.
    ///
    /// Every byte is visited once. On an error the cursor stands where the brackets went wrong.
    pub(super) fn skip_balanced(&mut self) -> Step<()> {
        self.skip_balanced_up_to(usize::MAX)
    }

    /// The same, where brackets that are open behind a line have gone wrong.
    pub(super) fn skip_balanced_up_to(&mut self, last_line: usize) -> Step<()> {
        let mut open: Vec<(u8, usize)> = Vec::new();
        loop {
            self.skip_space();
            if let Some(&(last, line)) = open.last().filter(|_| self.line > last_line) {
                return Err(self.error(Problem::Unclosed(last.into(), line)));
            }
            match self.peek() {
                Some(b'"') => {
                    self.string()?;
                    continue;
                }
                Some(byte @ (b'(' | b'[' | b'{')) => open.push((byte, self.line)),
                Some(byte @ (b')' | b']' | b'}')) => match open.last() {
                    Some(&(last, _)) if closes(last, byte) => {
                        open.pop();
                    }
                    Some(&(last, line)) => return Err(self.error(Problem::Unclosed(last.into(), line))),
                    None => return Ok(()),
                },
                Some(_) => {}
                None => {
                    let (last, line) = open.last().copied().unwrap_or((b'(', self.line));
                    return Err(self.error(Problem::Unclosed(last.into(), line)));
                }
            }
            self.bump();
            if open.is_empty() {
                return Ok(());
            }
        }
    }
}

/// Whether a bracket closes another.
pub(super) const fn closes(open: u8, close: u8) -> bool {
    matches!((open, close), (b'(', b')') | (b'[', b']') | (b'{', b'}') | (b'<', b'>'))
}
