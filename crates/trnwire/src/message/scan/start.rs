//! Recognises where an access starts and how many partitions it uses.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::super::cursor::{Cursor, is_one_of};
use super::super::fact::{FactKind, Operand, StartValue};
use super::super::number::Number;
use super::location::space_after_preposition;
use super::sizes::compared_number;
use super::{Found, PARTITION, PARTITIONS, Scanner};

/// How many bytes between parentheses are looked at.
const LONGEST_EXPRESSION: usize = 64;
/// How many start partitions a message may list.
const LONGEST_LIST: usize = 16;

const SOURCE_WORDS: [&str; 3] = ["src", "source", "input"];
const DESTINATION_WORDS: [&str; 4] = ["dst", "dest", "destination", "output"];
/// What stands in front of a number of partitions that is a rule, not a count.
const NO_COUNT_WORDS: [&str; 14] = [
    "multiple",
    "multiples",
    "first",
    "every",
    "limit",
    "limitation",
    "max",
    "maximum",
    "exceeds",
    "exceed",
    "exceeding",
    "than",
    "most",
    "least",
];
const RULE_WORDS: [&str; 7] = ["not", "must", "should", "only", "may", "can", "t"];

impl<'text> Scanner<'text> {
    /// `start_partition(ii)`, `Starts at partition 48`, `num_partitions: 36`.
    pub(super) fn start_at_word(&self, word: &'text str, cursor: Cursor<'text>) -> Found<'text> {
        if ends_with(word, "start_partition") || is_one_of(word, &["startpartition"]) {
            return self.start_of_name(word, cursor);
        }
        let starts = ["start", "starts", "starting", "started", "begin", "begins", "beginning"];
        if is_one_of(word, &starts) {
            return self.start_in_prose(cursor);
        }
        self.start_met(word, cursor).or_else(|| partition_count(word, cursor))
    }

    /// `got 16` behind the start partitions that are allowed.
    fn start_met(&self, word: &str, mut cursor: Cursor<'text>) -> Found<'text> {
        is_one_of(word, &["got", "found", "actual", "is", "was"]).then_some(())?;
        let listed = self
            .kept
            .last()
            .is_some_and(|fact| fact.line == self.line && matches!(fact.kind, FactKind::AllowedStarts(_)));
        if !listed {
            return None;
        }
        cursor.skip_filler(&["partition", "at"], b":=", 2);
        let value = StartValue::Number(cursor.integer()?);
        Some(start_partition(None, value, cursor))
    }

    fn start_of_name(&self, word: &str, mut cursor: Cursor<'text>) -> Found<'text> {
        let operand = if starts_with(word, "src") {
            Some(Operand::Source)
        } else if starts_with(word, "dst") {
            Some(Operand::Destination)
        } else {
            self.operand_before()
        };
        if let Some((value, end)) = in_parentheses(cursor) {
            return Some(start_partition(operand, value, end));
        }
        let assigned = cursor.take_any(b"=:").is_some();
        cursor.skip_filler(&["is", "of"], b"=:", 2);
        let value = if let Some(number) = cursor.integer() {
            StartValue::Number(number)
        } else if assigned {
            StartValue::Name(cursor.word()?.to_string())
        } else {
            return None;
        };
        Some(start_partition(operand, value, cursor))
    }

    fn start_in_prose(&self, mut cursor: Cursor<'text>) -> Found<'text> {
        let mut operand = self.operand_before();
        let mut about_the_rule = self.just_after(&RULE_WORDS);
        cursor.skip_filler(&["at", "from", "on", "in", "the", "a"], b"", 3);
        cursor.word_of(&PARTITIONS)?;
        for _ in 0..6 {
            if let Some(word) = cursor.word_of(&RULE_WORDS) {
                about_the_rule |= !word.is_empty();
            } else if cursor.word_of(&SOURCE_WORDS).is_some() {
                operand = Some(Operand::Source);
            } else if cursor.word_of(&DESTINATION_WORDS).is_some() {
                operand = Some(Operand::Destination);
            } else if cursor.word_of(&["number", "index", "is", "was", "be", "of", "the", "id"]).is_none()
                && cursor.take_any(b":=#").is_none()
            {
                break;
            }
        }
        if !about_the_rule {
            if let Some((value, end)) = in_parentheses(cursor) {
                return Some(start_partition(operand, value, end));
            }
        }
        let Some(first) = cursor.integer() else {
            let name = variable_in_prose(&mut cursor).filter(|_| !about_the_rule)?;
            let value = StartValue::Name(name.to_string());
            return Some(start_partition(operand, value, cursor));
        };
        if !about_the_rule {
            let value = StartValue::Number(first);
            return Some(start_partition(operand, value, cursor));
        }
        let mut starts = Vec::from([first]);
        while starts.len() < LONGEST_LIST {
            let mut next = cursor;
            next.skip_filler(&["or", "and"], b",/", 2);
            let Some(number) = next.integer().filter(|_| next.at() > cursor.at()) else {
                break;
            };
            starts.push(number);
            cursor = next;
        }
        Some((FactKind::AllowedStarts(starts), cursor))
    }

    fn operand_before(&self) -> Option<Operand> {
        if self.just_after(&SOURCE_WORDS) {
            Some(Operand::Source)
        } else if self.just_after(&DESTINATION_WORDS) {
            Some(Operand::Destination)
        } else {
            None
        }
    }

    /// `36 partitions`, but not the one of `a multiple of 32 partitions`.
    pub(super) fn partitions_at_number(&self) -> Found<'text> {
        let mut cursor = self.cursor;
        if self.just_after(&NO_COUNT_WORDS) || self.is_compared() {
            return None;
        }
        let count = self.signed_number(&mut cursor)?;
        let mut compared = compared_number(cursor).map(|(_, end)| end);
        if compared.as_mut().is_some_and(|end| end.word_of(&PARTITIONS).is_some()) {
            return Some(counted(count, cursor));
        }
        cursor.word_of(&PARTITIONS)?;
        Some(counted(count, cursor))
    }
}

/// A start with the memory that stands behind it, if one does.
fn start_partition(operand: Option<Operand>, value: StartValue, mut cursor: Cursor<'_>) -> (FactKind, Cursor<'_>) {
    let space = space_after_preposition(&mut cursor);
    (FactKind::StartPartition { operand, value, space, denied: false }, cursor)
}

/// A number of partitions with the memory that stands behind it, if one does.
fn counted(count: Number, mut cursor: Cursor<'_>) -> (FactKind, Cursor<'_>) {
    let space = space_after_preposition(&mut cursor);
    (FactKind::PartitionCount { count, space }, cursor)
}

/// `num_partitions=36`, `number of partitions: 36`, `partition count is 36`.
fn partition_count<'text>(word: &str, mut cursor: Cursor<'text>) -> Found<'text> {
    if is_one_of(word, &["number", "num", "count"]) {
        cursor.skip_filler(&["of"], b"", 1);
        cursor.word_of(&PARTITIONS)?;
    } else if is_one_of(word, &PARTITION) {
        cursor.word_of(&["count", "dimension", "dim"])?;
        cursor.skip_filler(&["size"], b"", 1);
    } else {
        is_one_of(word, &["num_partitions", "n_partitions", "partition_count", "partitions"]).then_some(())?;
        cursor.take_any(b"=:(")?;
    }
    cursor.skip_filler(&["is", "of", "used"], b"=:(", 3);
    let count = cursor.prose_number()?;
    // `partitions: 0-127` is a range, not a count.
    if cursor.peek() == Some(b'-') {
        return None;
    }
    Some(counted(count, cursor))
}

/// `ii` in `start partition ii is not a multiple of 32`.
fn variable_in_prose<'text>(cursor: &mut Cursor<'text>) -> Option<&'text str> {
    let mut next = *cursor;
    let name = next.word()?;
    let end = next;
    next.word_of(&["is", "isn"])?;
    if is_one_of(name, &["which", "that", "it", "this", "and", "access", "tensor", "value"]) {
        return None;
    }
    *cursor = end;
    Some(name)
}

fn in_parentheses(mut cursor: Cursor<'_>) -> Option<(StartValue, Cursor<'_>)> {
    if !cursor.take(b'(') {
        return None;
    }
    cursor.skip_blanks();
    let start = cursor.at();
    for _ in 0..LONGEST_EXPRESSION {
        match cursor.peek()? {
            b')' => break,
            b'\n' | b'(' => return None,
            _ => cursor.skip(1),
        }
    }
    let inside = cursor.between(start, cursor.at())?.trim();
    if inside.is_empty() || !cursor.take(b')') {
        return None;
    }
    let mut reader = Cursor::new(inside);
    let value = match reader.integer() {
        Some(number) if reader.at() == inside.len() => StartValue::Number(number),
        _ => {
            let mut reader = Cursor::new(inside);
            match reader.word() {
                Some(name) if reader.at() == inside.len() => StartValue::Name(name.to_string()),
                _ => StartValue::Expression(String::from(inside)),
            }
        }
    };
    Some((value, cursor))
}

fn starts_with(word: &str, beginning: &str) -> bool {
    word.get(..beginning.len()).is_some_and(|part| part.eq_ignore_ascii_case(beginning))
}

fn ends_with(word: &str, ending: &str) -> bool {
    word.len()
        .checked_sub(ending.len())
        .and_then(|at| word.get(at..))
        .is_some_and(|part| part.eq_ignore_ascii_case(ending))
}
