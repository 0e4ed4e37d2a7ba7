//! Walks once through a text and collects facts about on-chip memory.
//!
//! A number becomes a fact only together with the words or brackets that give it a meaning, so that
//! timestamps, line numbers and instruction names stay what they are.

mod banks;
mod beside;
mod keep;
mod location;
mod pattern;
mod sizes;
mod start;
mod topics;

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::cursor::{Cursor, is_one_of};
use super::fact::{Fact, FactKind, Space};
use keep::Kept;
use topics::{Spaces, Topic, Topics};

/// How many different facts of a text are kept; further ones are counted only.
pub const MAX_FACTS: usize = 4096;
/// How many dimensions an access pattern or a tensor may have to be recognised.
pub const MAX_DIMENSIONS: usize = 16;
/// How many characters of the text a fact quotes.
pub const MAX_QUOTE: usize = 120;
/// How many lines a message may go on for after the first one that is about on-chip memory, and how many lines in
/// front of that one still belong to it.
pub const MAX_MESSAGE_LINES: usize = 64;
/// How many lines without a fact end a message.
const LONGEST_GAP: usize = 16;

/// Words that only messages about these chips are likely to have.
const ON_CHIP_WORDS: [&str; 10] =
    ["nki", "neuron", "neuronx", "neuroncore", "neuronxcc", "trainium", "inferentia", "architecture", "bir", "tile"];
/// `partition`, with the spelling that some compiler messages have.
const PARTITION: [&str; 2] = ["partition", "parition"];
const PARTITIONS: [&str; 4] = ["partitions", "paritions", "partition", "parition"];

/// What was found in a text.
pub(super) struct Scan {
    pub(super) facts: Vec<Fact>,
    /// Facts beyond [`MAX_FACTS`].
    pub(super) facts_dropped: usize,
}

/// Collects the facts of a text.
pub(super) fn scan(text: &str) -> Scan {
    let mut scanner = Scanner {
        cursor: Cursor::new(text),
        line: 1,
        message_line: 1,
        fact_line: 1,
        on_chip: false,
        spaces: Spaces::default(),
        previous: [""; 2],
        element: None,
        topics: Topics::default(),
        instruction: None,
        kept: Kept::default(),
    };
    scanner.run();
    Scan { facts_dropped: scanner.kept.dropped, facts: scanner.kept.into_facts() }
}

struct Scanner<'text> {
    cursor: Cursor<'text>,
    line: usize,
    /// First line about on-chip memory of the current message; until there is one, its first line with a fact.
    message_line: usize,
    /// Last line with a fact.
    fact_line: usize,
    /// Whether the current message names an on-chip memory or something that only exists on chip.
    on_chip: bool,
    /// Memories that the current message names.
    spaces: Spaces,
    /// The last two words, newest first. They outlive the end of a line.
    previous: [&'text str; 2],
    /// Element type of the debug information that is being read.
    element: Option<(String, u32)>,
    topics: Topics,
    /// The number of the instruction that the current message named last.
    instruction: Option<&'text str>,
    kept: Kept,
}

/// What a recogniser found, and where the text goes on.
type Found<'text> = Option<(FactKind, Cursor<'text>)>;

impl<'text> Scanner<'text> {
    fn run(&mut self) {
        while let Some(byte) = self.cursor.peek() {
            match byte {
                b'\n' => {
                    self.end_line();
                    self.cursor.skip(1);
                    self.line = self.line.saturating_add(1);
                }
                b'[' => self.at_bracket(),
                b'=' => self.at_equals_sign(),
                b'|' => self.at_bar(),
                b'0'..=b'9' => self.at_digit(),
                b'A'..=b'Z' | b'a'..=b'z' | b'_' => self.at_word(),
                _ => self.cursor.skip(1),
            }
        }
        self.end_line();
        self.end_message();
    }

    fn at_word(&mut self) {
        let start = self.cursor.at();
        let mut after = self.cursor;
        let Some(word) = after.word() else {
            self.cursor.skip(1);
            return;
        };
        if let Some(number) = after.instruction_number().filter(|_| word == "I") {
            self.at_instruction(number);
            self.cursor = after;
            return;
        }
        self.topics.note(word, start, after);
        if let Some(space) = space_named(word) {
            self.name_space(space, start, after.at());
        }
        if is_one_of(word, &ON_CHIP_WORDS) {
            self.is_on_chip();
        }
        let found = self.facts_at_word(word, after);
        let [newest, _] = self.previous;
        if let Some((kind, end)) = found {
            self.push(kind, start, end);
            // What stood in front of one fact says nothing about the next.
            self.previous = [word, ""];
        } else {
            self.cursor = after;
            self.previous = [word, newest];
        }
    }

    /// What is said of one instruction says nothing about another.
    fn at_instruction(&mut self, number: &'text str) {
        if self.instruction.is_some_and(|known| known != number) {
            self.end_line();
            self.end_message();
        }
        self.instruction = Some(number);
        self.previous = ["", ""];
    }

    fn facts_at_word(&self, word: &'text str, after: Cursor<'text>) -> Found<'text> {
        if let Some(space) = space_named(word) {
            return location::location(space, after)
                .or_else(|| location::spelled_out(space, after))
                .or_else(|| sizes::limit_after_space(space, after));
        }
        self.start_at_word(word, after)
            .or_else(|| location::tensor(word, after))
            .or_else(|| self.size_at_word(word, after))
            .or_else(|| self.field_at_word(word, after))
            .or_else(|| self.beside_pattern(word, after))
            .or_else(|| self.banks_at_word(word, after))
    }

    fn at_digit(&mut self) {
        let start = self.cursor.at();
        let found = self
            .size_at_number()
            .or_else(|| self.partitions_at_number())
            .or_else(|| self.banks_at_number())
            .or_else(|| self.elements_at_number());
        if let Some((kind, end)) = found {
            self.push(kind, start, end);
            self.previous = ["#", ""];
            return;
        }
        // The whole token goes, so that the tail of 1.5 or of 3fa8SB is not read as something else.
        loop {
            self.cursor.skip_name();
            let joined = matches!(self.cursor.peek(), Some(b'.' | b','))
                && self.cursor.ahead(1).is_some_and(|byte| byte.is_ascii_digit());
            if !joined {
                break;
            }
            self.cursor.skip(1);
        }
    }

    fn at_bracket(&mut self) {
        let start = self.cursor.at();
        if let Some((kind, end)) = pattern::access_pattern(self.cursor).filter(|&(_, end)| self.is_announced(end)) {
            self.push(kind, start, end);
            return;
        }
        if is_error_code(self.cursor) {
            self.end_message();
        }
        self.cursor.skip(1);
    }

    /// A line such as `=== BIR verification failed ===` begins a message.
    fn at_equals_sign(&mut self) {
        let mut count: usize = 0;
        while self.cursor.peek() == Some(b'=') {
            self.cursor.skip(1);
            count = count.saturating_add(1);
        }
        if count >= 3 {
            self.end_message();
        }
    }

    /// Debug information: `<name||float32||UNDEF||[84, 406, 1]>`.
    fn at_bar(&mut self) {
        let start = self.cursor.at();
        self.cursor.skip(1);
        if self.cursor.peek() != Some(b'|') {
            return;
        }
        self.cursor.skip(1);
        let mut next = self.cursor;
        if let Some((name, size)) = next.word().and_then(location::element_type) {
            self.element = Some((name.to_string(), size));
        } else if let Some((kind, end)) = location::debug_shape(self.cursor, self.element.as_ref()) {
            self.element = None;
            self.push(kind, start, end);
        }
    }

    fn push(&mut self, kind: FactKind, start: usize, end: Cursor<'text>) {
        let space = match &kind {
            FactKind::Location(location) => Some(location.space),
            FactKind::Tensor(tensor) => tensor.space,
            FactKind::TotalBytes { space, .. } => Some(*space),
            FactKind::OperandBytes { space, .. } | FactKind::PartitionCount { space, .. } => *space,
            FactKind::PsumBanks { .. } | FactKind::PsumBankCount(_) => Some(Space::Psum),
            _ => None,
        };
        if let Some(space) = space {
            self.name_space(space, start, end.at());
        }
        if matches!(kind, FactKind::Tensor(_)) && space.is_some() {
            self.topics.add(Topic::Tensor, start, end.at());
        }
        if matches!(
            kind,
            FactKind::AccessPattern { .. } | FactKind::StartPartition { .. } | FactKind::OperandBytes { .. }
        ) {
            self.is_on_chip();
        }
        self.push_span(kind, start, end.at());
        self.cursor = end;
    }

    /// The line names a memory.
    fn name_space(&mut self, space: Space, start: usize, end: usize) {
        self.topics.add(Topic::Space(space), start, end);
        self.spaces.add(space);
        if space != Space::Dram {
            self.is_on_chip();
        }
    }

    fn is_on_chip(&mut self) {
        if !self.on_chip {
            self.on_chip = true;
            self.message_line = self.line;
        }
        self.fact_line = self.line;
    }

    fn push_span(&mut self, kind: FactKind, start: usize, end: usize) {
        if !self.on_chip && self.kept.last().is_none() {
            self.message_line = self.line;
        }
        self.fact_line = self.line;
        let text = quote(self.cursor.between(start, end).unwrap_or_default());
        self.kept.push(kind, self.line, start, end, text);
    }

    fn end_line(&mut self) {
        if let Some((phrase, start, end)) = self.topics.phrase() {
            self.is_on_chip();
            self.push_span(FactKind::Phrase(phrase), start, end);
        }
        self.kept.end_line(self.topics.spaces().only(), self.topics.has(Topic::StartDenied));
        self.topics = Topics::default();
        self.element = None;
        let lines_since = |line: usize| self.line.saturating_sub(line);
        if lines_since(self.message_line) >= MAX_MESSAGE_LINES || lines_since(self.fact_line) >= LONGEST_GAP {
            self.end_message();
        }
    }

    fn end_message(&mut self) {
        self.kept.end_message(self.on_chip, self.spaces.only());
        self.instruction = None;
        self.on_chip = false;
        self.spaces = Spaces::default();
        self.message_line = self.line;
        self.fact_line = self.line;
    }

    /// Whether one of the last two words is among these.
    fn just_after(&self, words: &[&str]) -> bool {
        self.previous.iter().any(|previous| is_one_of(previous, words))
    }
}

fn space_named(word: &str) -> Option<Space> {
    if is_one_of(word, &["sb", "sbuf"]) {
        Some(Space::Sbuf)
    } else if is_one_of(word, &["psum"]) {
        Some(Space::Psum)
    } else if is_one_of(word, &["dram", "hbm"]) {
        Some(Space::Dram)
    } else {
        None
    }
}

/// `[GCA035]`, `[NLA001]`: capital letters, then digits.
fn is_error_code(mut cursor: Cursor<'_>) -> bool {
    const LONGEST: usize = 8;
    cursor.skip(1);
    let mut letters: usize = 0;
    while letters < LONGEST && cursor.peek().is_some_and(|byte| byte.is_ascii_uppercase()) {
        cursor.skip(1);
        letters = letters.saturating_add(1);
    }
    let mut digits: usize = 0;
    while digits < LONGEST && cursor.peek().is_some_and(|byte| byte.is_ascii_digit()) {
        cursor.skip(1);
        digits = digits.saturating_add(1);
    }
    letters >= 2 && digits >= 2 && cursor.peek() == Some(b']')
}

/// A part of the text, shortened and on one line.
fn quote(text: &str) -> String {
    let mut quoted: String =
        text.chars().take(MAX_QUOTE).map(|character| if character.is_control() { ' ' } else { character }).collect();
    if text.chars().nth(MAX_QUOTE).is_some() {
        quoted.push_str("...");
    }
    quoted
}
