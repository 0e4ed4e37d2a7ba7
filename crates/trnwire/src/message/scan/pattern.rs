//! Recognises access patterns, their offsets and the fields of their dimensions.

use alloc::vec::Vec;

use super::super::cursor::{Cursor, is_one_of};
use super::super::fact::{DescriptorField, Dimension, FactKind};
use super::topics::Topic;
use super::{Found, MAX_DIMENSIONS, Scanner};

/// `[[406,36],[1,1],[1,203]]`: pairs of step and num.
pub(super) fn access_pattern(mut cursor: Cursor<'_>) -> Found<'_> {
    if !cursor.take(b'[') {
        return None;
    }
    let mut dimensions = Vec::new();
    loop {
        if !cursor.take(b'[') {
            return None;
        }
        let step = cursor.integer()?;
        if !cursor.take(b',') {
            return None;
        }
        let num = cursor.integer()?;
        if !cursor.take(b']') {
            return None;
        }
        dimensions.push(Dimension { step, num });
        if cursor.take(b']') {
            return Some((FactKind::AccessPattern(dimensions), cursor));
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
const JUDGING_WORDS: [&str; 8] = ["small", "large", "big", "low", "high", "range", "int16", "uint16"];
const LINKING_WORDS: [&str; 16] = [
    "not", "in", "fit", "is", "than", "the", "of", "too", "allowed", "which", "value", "limit", "out", "and", "its",
    "a",
];

impl<'text> Scanner<'text> {
    /// `Step=-48528 < Min=-32768`, `num: 70000 exceeds max 65535`, `Offset: 19488`.
    pub(super) fn field_at_word(&self, word: &str, mut cursor: Cursor<'text>) -> Found<'text> {
        if is_one_of(word, &["offset", "element_offset", "ap_offset"]) {
            cursor.take_any(b":=")?;
            return cursor.prose_number().map(|offset| (FactKind::ElementOffset(offset), cursor));
        }
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
        let mut judged = self.topics.has(Topic::Range);
        let mut stated_bound = None;
        for _ in 0..10 {
            if cursor.word_of(&COMPARING_WORDS).is_some() || cursor.take_any(b"<>").is_some() {
                compared = true;
            } else if cursor.word_of(&JUDGING_WORDS).is_some() {
                judged = true;
                end = cursor;
            } else if cursor.word_of(&LINKING_WORDS).is_none() && cursor.take_any(b"=:(),").is_none() {
                break;
            }
        }
        if compared {
            stated_bound = cursor.prose_number();
            if stated_bound.is_some() {
                end = cursor;
            }
        }
        // A bare `step=1200` is most likely that of a training loop.
        (judged || stated_bound.is_some()).then_some((FactKind::Field { field, value, stated_bound }, end))
    }
}
