//! Recognises places in a memory and shapes of tensors.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::super::cursor::{Cursor, is_one_of};
use super::super::fact::{FactKind, Location, Space, Tensor};
use super::super::number::Number;
use super::{Found, MAX_DIMENSIONS, PARTITIONS, space_named};
use crate::dtype::Dtype;

/// Element types that messages name although no wire tag is known for them, and bytes of an element.
const OTHER_ELEMENT_TYPES: [(&str, u32); 8] = [
    ("float8", 1),
    ("fp8", 1),
    ("float8_e4m3", 1),
    ("fp8_e4m3", 1),
    ("tfloat32", 4),
    ("tf32", 4),
    ("bool", 1),
    ("boolean", 1),
];

/// An element type with its size in bytes.
pub(super) fn element_type(word: &str) -> Option<(&str, u32)> {
    const LONGEST: usize = 32;
    if word.len() > LONGEST {
        return None;
    }
    let other = OTHER_ELEMENT_TYPES.iter().find(|(name, _)| word.eq_ignore_ascii_case(name)).map(|&(_, size)| size);
    let size = other.or_else(|| match Dtype::parse(word)? {
        Dtype::Bir(dtype) => Some(dtype.container_bytes()),
        Dtype::Tag(tag) => tag.facts()?.size_bytes,
    })?;
    Some((word, size))
}

/// `<0,185856>(756257x10376)` after the name of a memory; the part in parentheses may be absent.
pub(super) fn location(space: Space, mut cursor: Cursor<'_>) -> Found<'_> {
    let closing = match cursor.take_any(b"<[(")? {
        b'<' => b'>',
        b'[' => b']',
        _ => b')',
    };
    let first_partition = cursor.integer()?;
    if !cursor.take(b',') {
        return None;
    }
    let byte_offset = cursor.integer()?;
    if !cursor.take(closing) {
        return None;
    }
    let size = size_in_parentheses(cursor);
    // Without a size, other brackets may as well be those of an index or a call in a stack trace.
    (closing == b'>' || size.is_some()).then(|| placed(space, first_partition, byte_offset, size, cursor))
}

/// A location whose text ends behind its size, or at the cursor if it has none.
fn placed<'text>(
    space: Space,
    first_partition: Number,
    byte_offset: Number,
    size: Option<(Number, Number, Cursor<'text>)>,
    cursor: Cursor<'text>,
) -> (FactKind, Cursor<'text>) {
    let (partitions, bytes_per_partition, end) = match size {
        Some((partitions, bytes, end)) => (Some(partitions), Some(bytes), end),
        None => (None, None, cursor),
    };
    (FactKind::Location(Location { space, first_partition, byte_offset, partitions, bytes_per_partition }), end)
}

fn size_in_parentheses(mut cursor: Cursor<'_>) -> Option<(Number, Number, Cursor<'_>)> {
    if !cursor.take(b'(') {
        return None;
    }
    let partitions = cursor.decimal()?;
    if !cursor.times_sign() && !cursor.take(b',') {
        return None;
    }
    let bytes = cursor.integer()?;
    cursor.take(b')').then_some((partitions, bytes, cursor))
}

/// `partition 0, offset 185856, 756257 partitions x 10376 bytes` after the name of a memory.
pub(super) fn spelled_out(space: Space, mut cursor: Cursor<'_>) -> Found<'_> {
    cursor.word_of(&PARTITIONS)?;
    cursor.skip_filler(&["number", "is"], b":=#", 2);
    let first_partition = cursor.integer()?;
    cursor.skip_filler(&["at", "and", "with", "byte"], b",;:", 4);
    cursor.word_of(&["offset"])?;
    cursor.skip_filler(&["is", "of"], b":=", 2);
    let byte_offset = cursor.integer()?;
    Some(placed(space, first_partition, byte_offset, spelled_out_size(cursor), cursor))
}

fn spelled_out_size(mut cursor: Cursor<'_>) -> Option<(Number, Number, Cursor<'_>)> {
    cursor.skip_filler(&["size", "with", "and", "bytes"], b",;:=(", 4);
    let partitions = cursor.decimal()?;
    cursor.skip_filler(&PARTITIONS, b"", 1);
    if !cursor.times_sign() && cursor.word_of(&["of", "by"]).is_none() {
        return None;
    }
    let bytes = cursor.integer()?;
    cursor.skip_filler(&["bytes", "each"], b"", 2);
    Some((partitions, bytes, cursor))
}

/// `float32 <128 x 420> in SB`: an element type, dimensions in brackets, perhaps a memory.
pub(super) fn tensor<'text>(word: &'text str, mut cursor: Cursor<'text>) -> Found<'text> {
    let closing = match cursor.take_any(b"<[(")? {
        b'<' => b'>',
        b'[' => b']',
        _ => b')',
    };
    let (name, size) = element_type(word)?;
    let dimensions = dimensions(&mut cursor, closing)?;
    let space = space_after_preposition(&mut cursor);
    Some((FactKind::Tensor(Tensor { element: Some((name.to_string(), size)), dimensions, space }), cursor))
}

/// `[84, 406, 1]` after the bars of debug information.
pub(super) fn debug_shape<'text>(mut cursor: Cursor<'text>, element: Option<&(String, u32)>) -> Found<'text> {
    if !cursor.take(b'[') {
        return None;
    }
    let dimensions = dimensions(&mut cursor, b']')?;
    Some((FactKind::DebugShape(Tensor { element: element.cloned(), dimensions, space: None }), cursor))
}

/// `in SB`, `on the PSUM`.
pub(super) fn space_after_preposition(cursor: &mut Cursor<'_>) -> Option<Space> {
    let mut next = *cursor;
    next.skip_filler(&["resides", "located", "lives", "placed", "is"], b",", 2);
    next.word_of(&["in", "on", "at", "of"])?;
    next.skip_filler(&["the"], b"", 1);
    let space = next.word().and_then(space_named)?;
    // The location right behind, as in `in SB<0,0>(84x1624)`, is a fact of its own.
    if !matches!(next.peek(), Some(b'<' | b'[' | b'(')) {
        *cursor = next;
    }
    Some(space)
}

pub(super) fn dimensions(cursor: &mut Cursor<'_>, closing: u8) -> Option<Vec<Number>> {
    let mut dimensions = Vec::new();
    loop {
        dimensions.push(cursor.decimal()?);
        if cursor.take(closing) {
            return Some(dimensions);
        }
        if dimensions.len() >= MAX_DIMENSIONS || !(cursor.times_sign() || cursor.take(b',')) {
            return None;
        }
    }
}

/// Whether a word names a unit of bytes, and how many bytes it is.
pub(super) fn bytes_of_unit(word: &str) -> Option<u32> {
    // Messages write KB for what is 1024 bytes in every memory here.
    [
        (&["bytes", "byte", "b"][..], 1),
        (&["kib", "kb", "k"][..], 1 << 10),
        (&["mib", "mb", "m"][..], 1 << 20),
        (&["gib", "gb", "g"][..], 1 << 30),
    ]
    .into_iter()
    .find(|(names, _)| is_one_of(word, names))
    .map(|(_, bytes)| bytes)
}
