//! Recognises what stands beside an access pattern: its offset, the type of its elements, the extent of its tensor.

use alloc::string::ToString;

use super::super::cursor::{Cursor, is_one_of};
use super::super::fact::{FactKind, Tensor};
use super::super::number::Number;
use super::location::{dimensions, element_type};
use super::sizes::per_partition;
use super::topics::Topic;
use super::{Found, Scanner, space_named};

const OFFSET: [&str; 5] = ["offset", "element_offset", "elem_offset", "ap_offset", "byte_offset"];
const ELEMENT_TYPE: [&str; 5] = ["dtype", "data_type", "datatype", "element_type", "elem_type"];
const TENSOR_SIZE: [&str; 2] = ["bound", "tensor_size"];
/// What stands in front of a bound that is not that of the tensor: in `out of bound: 5` nothing tells what 5 is.
const OTHER_BOUNDS: [&str; 8] = ["of", "lower", "upper", "min", "minimum", "max", "maximum", "step"];
/// What stands in front of a shape that is that of the access.
const ACCESSES: [&str; 5] = ["access", "tile", "view", "slice", "index"];
const ELEMENTS: [&str; 3] = ["elements", "element", "elems"];
const BYTES: [&str; 3] = ["bytes", "byte", "b"];
/// How many bytes, such as ` : ` or ` of `, stand at most between a pattern and the type behind it.
const WIDEST_GAP: usize = 4;
/// What an access is of, in front of its pattern.
const OPERANDS: [&str; 8] = ["src", "source", "dst", "dest", "destination", "input", "output", "operand"];

impl<'text> Scanner<'text> {
    /// Whether the text in front of a pattern, or right behind it, tells that it is one and no other list of pairs.
    pub(super) fn is_announced(&self, end: Cursor<'text>) -> bool {
        let [newest, _] = self.previous;
        if self.topics.has(Topic::Pattern)
            || newest.is_empty()
            || is_one_of(newest, &["ap", "aps", "pattern", "patterns"])
        {
            return true;
        }
        let mut behind = end;
        behind.skip_filler(&["in", "on", "at", "of", "the"], b"@,:;", 4);
        if behind.word().and_then(space_named).is_some() {
            return true;
        }
        self.on_chip
            && (is_one_of(newest, &OPERANDS)
                || is_one_of(newest, &OFFSET)
                || space_named(newest).is_some()
                || element_type(newest).is_some())
    }

    pub(super) fn beside_pattern(&self, word: &'text str, cursor: Cursor<'text>) -> Found<'text> {
        self.offset(word, cursor)
            .or_else(|| self.element_type(word, cursor))
            .or_else(|| self.tensor_size(word, cursor))
            .or_else(|| self.shape(word, cursor))
            .or_else(|| index_range(word, cursor))
    }

    /// `Offset: 19488`, `byte offset = 77952`, `offset (bytes): 77952`.
    fn offset(&self, word: &str, mut cursor: Cursor<'text>) -> Found<'text> {
        is_one_of(word, &OFFSET).then_some(())?;
        let [newest, _] = self.previous;
        let mut in_bytes = is_one_of(word, &["byte_offset"]) || is_one_of(newest, &BYTES);
        let mut unit = cursor;
        unit.skip_filler(&["in"], b"([", 2);
        if unit.word_of(&BYTES).is_some() {
            in_bytes = true;
        } else if unit.word_of(&ELEMENTS).is_none() {
            unit = cursor;
        }
        unit.take_any(b")]");
        cursor = unit;
        let assigned = cursor.take_any(b":=").is_some();
        if !assigned && !self.topics.has(Topic::Pattern) {
            return None;
        }
        let offset = cursor.prose_number()?;
        in_bytes |= cursor.word_of(&BYTES).is_some();
        cursor.word_of(&ELEMENTS);
        let kind = if in_bytes { FactKind::ByteOffset(offset) } else { FactKind::ElementOffset(offset) };
        Some((kind, cursor))
    }

    /// `dtype: float32`, `float32 [[406,36],[1,203]]`, `[[406,36],[1,203]] float32`.
    fn element_type(&self, word: &'text str, cursor: Cursor<'text>) -> Found<'text> {
        if is_one_of(word, &ELEMENT_TYPE) {
            return element_type_named(cursor);
        }
        let mut next = cursor;
        let in_front = next.take(b'[') && next.take_any(b"[(").is_some();
        let behind = || {
            self.kept.last().is_some_and(|fact| {
                let word_start = cursor.at().saturating_sub(word.len());
                matches!(fact.kind, FactKind::AccessPattern { .. })
                    && word_start.saturating_sub(fact.end) <= WIDEST_GAP
                    && fact.line == self.line
            })
        };
        // Behind a pattern, `byte` begins `byte offset`.
        (in_front || (!is_one_of(word, &BYTES) && behind())).then(|| element_type_fact(word, cursor)).flatten()
    }

    /// `tensor size: 34104 elements`, `bound=34104`.
    fn tensor_size(&self, word: &str, mut cursor: Cursor<'text>) -> Found<'text> {
        let [newest, _] = self.previous;
        let named = is_one_of(word, &TENSOR_SIZE) || (is_one_of(word, &["size"]) && is_one_of(newest, &["tensor"]));
        if !named || is_one_of(newest, &OTHER_BOUNDS) {
            return None;
        }
        cursor.skip_filler(&["is", "of"], b":=(", 3);
        let elements = cursor.prose_number().filter(|elements| elements.exceeds(0))?;
        let mut unit = cursor;
        if unit.word_of(&BYTES).is_some() {
            return None;
        }
        cursor.word_of(&ELEMENTS);
        Some(sized(elements, cursor))
    }

    /// `tensor of 34104 elements`, `tensor has 406 elements per partition`. Of anything else it may be what is accessed.
    pub(super) fn elements_at_number(&self) -> Found<'text> {
        self.just_after(&["tensor"]).then_some(())?;
        let mut cursor = self.cursor;
        let elements = self.signed_number(&mut cursor)?;
        cursor.word_of(&ELEMENTS)?;
        Some(sized(elements, cursor))
    }

    /// `shape: [84, 406, 1]`, `of shape (84, 406)`.
    fn shape(&self, word: &str, mut cursor: Cursor<'text>) -> Found<'text> {
        let [newest, _] = self.previous;
        (is_one_of(word, &["shape"]) && !is_one_of(newest, &ACCESSES)).then_some(())?;
        cursor.skip_filler(&["is", "of"], b":=", 2);
        let closing = match cursor.take_any(b"[(<")? {
            b'[' => b']',
            b'(' => b')',
            _ => b'>',
        };
        let dimensions = dimensions(&mut cursor, closing)?;
        Some((FactKind::Tensor(Tensor { element: None, dimensions, space: None }), cursor))
    }
}

/// A number of elements with what may stand behind it.
fn sized(elements: Number, cursor: Cursor<'_>) -> (FactKind, Cursor<'_>) {
    let each = per_partition(cursor);
    let end = each.map_or(cursor, |(_, end)| end);
    (FactKind::TensorSize { elements, per_partition: each.is_some() }, end)
}

/// `float32`, `nl.bfloat16` and the like behind `dtype`.
fn element_type_named(mut cursor: Cursor<'_>) -> Found<'_> {
    cursor.skip_filler(&["is", "of"], b":='\"", 3);
    for _ in 0..3 {
        let name = cursor.word()?;
        if let Some(found) = element_type_fact(name, cursor) {
            return Some(found);
        }
        if cursor.peek() != Some(b'.') {
            break;
        }
        cursor.skip(1);
    }
    None
}

fn element_type_fact<'text>(word: &str, cursor: Cursor<'text>) -> Found<'text> {
    let (name, size) = element_type(word)?;
    Some((FactKind::ElementType { name: name.to_string(), size }, cursor))
}

/// `index range [0, 511] exceed dimension size of 500`.
fn index_range<'text>(word: &str, mut cursor: Cursor<'text>) -> Found<'text> {
    is_one_of(word, &["index", "indices"]).then_some(())?;
    cursor.word_of(&["range", "ranges"])?;
    cursor.skip_filler(&["is", "of"], b":=", 2);
    cursor.take_any(b"[(")?;
    let first = cursor.integer()?;
    if !cursor.take(b',') {
        cursor.word_of(&["to"])?;
    }
    let last = cursor.integer()?;
    cursor.take_any(b"])")?;
    cursor.word_of(&["exceed", "exceeds", "exceeding", "for", "with"])?;
    cursor.skip_filler(&["the", "a", "dimension", "dim"], b"", 3);
    cursor.word_of(&["size"])?;
    cursor.skip_filler(&["is", "of"], b":=", 2);
    let size = cursor.integer()?;
    Some((FactKind::IndexRange { first, last, size }, cursor))
}
