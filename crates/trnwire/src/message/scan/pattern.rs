//! Recognises access patterns, their offsets and the fields of their dimensions.

use alloc::vec::Vec;

use super::super::cursor::{Cursor, is_one_of};
use super::super::fact::{DescriptorField, Dimension, FactKind};
use super::super::number::Number;
use super::topics::Topic;
use super::{Found, MAX_DIMENSIONS, Scanner};

/// `[[406,36],[1,1],[1,203]]`: pairs of step and num, in brackets or, as Python prints tuples, in parentheses.
pub(super) fn access_pattern(mut cursor: Cursor<'_>) -> Found<'_> {
    if !cursor.take(b'[') {
        return None;
    }
    let mut dimensions = Vec::new();
    loop {
        let closing = if cursor.take_any(b"[(")? == b'[' { b']' } else { b')' };
        let step = cursor.integer()?;
        if !cursor.take(b',') {
            return None;
        }
        let num = cursor.integer()?;
        if !cursor.take(closing) {
            return None;
        }
        dimensions.push(Dimension { step, num });
        if cursor.take(b']') {
            return Some((FactKind::AccessPattern { dimensions, space: None }, cursor));
        }
        // A comma between pairs is usual but not needed to tell them apart.
        cursor.take(b',');
        if dimensions.len() >= MAX_DIMENSIONS {
            return None;
        }
    }
}

const COMPARING_WORDS: [&str; 16] = [
    "less", "smaller", "lower", "below", "under", "greater", "larger", "bigger", "above", "over", "exceeds", "min",
    "minimum", "max", "maximum", "beyond",
];
const JUDGING_WORDS: [&str; 5] = ["small", "large", "big", "low", "high"];
const DENYING_WORDS: [&str; 3] = ["not", "out", "outside"];
const LINKING_WORDS: [&str; 14] =
    ["in", "fit", "is", "than", "the", "of", "too", "allowed", "which", "value", "limit", "and", "its", "a"];

impl<'text> Scanner<'text> {
    /// `Step=-48528 < Min=-32768`, `num: 70000 exceeds max 65535`.
    pub(super) fn field_at_word(&self, word: &str, mut cursor: Cursor<'text>) -> Found<'text> {
        let field = if is_one_of(word, &["step", "stride"]) {
            DescriptorField::Step
        } else if is_one_of(word, &["num", "count"]) {
            DescriptorField::Num
        } else {
            return None;
        };
        cursor.skip_filler(&["is", "of", "value"], b":=(", 3);
        let value = cursor.prose_number()?;
        let mut end = cursor;
        let mut compared = false;
        let mut denied = false;
        let mut judged = self.topics.has(Topic::Range);
        let mut stated_bound = None;
        for _ in 0..10 {
            if cursor.word_of(&COMPARING_WORDS).is_some() || cursor.take_any(b"<>").is_some() {
                compared = true;
            } else if cursor.word_of(&JUDGING_WORDS).is_some() {
                judged = true;
                end = cursor;
            } else if cursor.word_of(&DENYING_WORDS).is_some() {
                denied = true;
            } else if let Some(bound) = bound_of_type(&mut cursor, value) {
                stated_bound = Some(bound);
                end = cursor;
            } else if cursor.word_of(&["range"]).is_some() {
                // `in range` says that nothing is wrong, and of what it is the range only its ends tell.
                judged |= denied;
                end = cursor;
                if let Some((bound, after)) = bound_of_range(cursor, value) {
                    stated_bound = Some(bound);
                    end = after;
                }
                break;
            } else if cursor.word_of(&LINKING_WORDS).is_none() && cursor.take_any(b"=:(),").is_none() {
                break;
            }
        }
        if let Some(bound) = Some(&mut cursor).filter(|_| compared).and_then(Cursor::prose_number) {
            stated_bound = Some(bound);
            end = cursor;
        }
        // A bare `step=1200` is most likely that of a training loop.
        (judged || stated_bound.is_some()).then_some((FactKind::Field { field, value, stated_bound }, end))
    }
}

/// `int16` and `uint16`: the bound on the side of a value.
fn bound_of_type(cursor: &mut Cursor<'_>, value: Number) -> Option<Number> {
    let (least, greatest) = if cursor.word_of(&["int16"]).is_some() {
        (i16::MIN.into(), i16::MAX.into())
    } else {
        cursor.word_of(&["uint16"])?;
        (0, u16::MAX.into())
    };
    Some(Number::Exact(if value.is_negative() { least } else { greatest }))
}

/// `[-32768, 32767]` behind a value: the bound on the side of the value.
fn bound_of_range(mut cursor: Cursor<'_>, value: Number) -> Option<(Number, Cursor<'_>)> {
    cursor.skip_filler(&["of", "is"], b":=", 2);
    cursor.take_any(b"[(")?;
    let least = cursor.integer()?;
    if cursor.take_any(b",:").is_none() {
        cursor.word_of(&["to"])?;
    }
    let greatest = cursor.integer()?;
    cursor.take_any(b"])")?;
    Some((if value.is_negative() { least } else { greatest }, cursor))
}
