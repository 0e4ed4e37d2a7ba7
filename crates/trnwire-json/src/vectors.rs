//! Golden vectors: one JSON object per line that says what an operation must give.

use core::fmt::Write as _;
use std::io::{self, BufRead, Read};

use serde_json::{Map, Value, json};
use trnwire::addr4::{
    Access, Addr4, Lint, in_sbuf_partition, lints, same_sbuf_quadrant, start_partition_legal, tensor_start_addr_valid,
};
use trnwire::arch::Generation;
use trnwire::dtype::WireTag;
use trnwire::geometry::legal_start_partitions;

use crate::InputError;
use crate::addr4::{Decoded, HexBytes, HexWord, Request, build};
use crate::input::{Object, word, wrong};
use crate::strict::parse;

/// The longest line to read unless the caller says otherwise. The longest vectors that exist are below 100 KiB, and a parsed line takes some forty
/// times its length.
pub const MAX_LINE_BYTES: u64 = 1 << 20;

/// A line that did not come out as it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Line number, from 1.
    pub line: u64,
    /// The vector's `id`, where it has one.
    pub id: Option<String>,
    /// What was expected and what came, or why the line could not be run.
    pub message: String,
}

/// How many lines came out as they say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Lines that did.
    pub passed: u64,
    /// Lines that did not.
    pub failed: u64,
}

/// Runs every line of a vector file; blank lines are skipped. A line that is no vector, or longer than `longest_line`
/// bytes, is a failure and does not stop the rest.
///
/// # Errors
/// The reader's own errors.
pub fn run(mut reader: impl BufRead, longest_line: u64, mut on_failure: impl FnMut(&Failure)) -> io::Result<Tally> {
    let mut tally = Tally::default();
    let mut bytes = Vec::new();
    let mut line = 0_u64;
    loop {
        bytes.clear();
        line = line.saturating_add(1);
        // One byte more than allowed tells a line that is too long from one that just fits.
        let length = reader.by_ref().take(longest_line.saturating_add(1)).read_until(b'\n', &mut bytes)?;
        if length == 0 {
            return Ok(tally);
        }
        let is_too_long =
            bytes.last() != Some(&b'\n') && u64::try_from(length).is_ok_and(|length| length > longest_line);
        let result = if is_too_long {
            skip_line(&mut reader)?;
            Err((None, format!("line is longer than {longest_line} bytes")))
        } else if bytes.iter().all(u8::is_ascii_whitespace) {
            continue;
        } else {
            run_line(&bytes)
        };
        match result {
            Ok(()) => tally.passed = tally.passed.saturating_add(1),
            Err((id, message)) => {
                tally.failed = tally.failed.saturating_add(1);
                on_failure(&Failure { line, id, message });
            }
        }
    }
}

/// Reads on to the end of the line without keeping it.
fn skip_line(reader: &mut impl BufRead) -> io::Result<()> {
    loop {
        let buffer = reader.fill_buf()?;
        let (used, ended) = match buffer.iter().position(|&byte| byte == b'\n') {
            Some(position) => (position.saturating_add(1), true),
            None => (buffer.len(), buffer.is_empty()),
        };
        reader.consume(used);
        if ended {
            return Ok(());
        }
    }
}

fn run_line(bytes: &[u8]) -> Result<(), (Option<String>, String)> {
    let vector = core::str::from_utf8(bytes)
        .map_err(|error| InputError::new(format!("not UTF-8 from byte {}", error.valid_up_to())))
        .and_then(parse)
        .map_err(|error| (None, error.to_string()))?;
    run_vector(&vector).map_err(|message| (vector.get("id").and_then(Value::as_str).map(str::to_owned), message))
}

/// Runs one vector.
///
/// # Errors
/// What was expected and what came, or why the vector could not be run.
pub fn run_vector(vector: &Value) -> Result<(), String> {
    let (expected, actual) = expected_and_actual(vector).map_err(|error| error.to_string())?;
    if *expected == actual { Ok(()) } else { Err(difference(expected, &actual)) }
}

fn expected_and_actual(vector: &Value) -> Result<(&Value, Value), InputError> {
    let mut object = Object::new(vector)?;
    object.string("id")?;
    object.string("why")?;
    let arch = object.string("arch")?;
    let generation = Generation::parse(arch).ok_or_else(|| InputError::new(format!("arch: {arch:?} is unknown")))?;
    let op = object.string("op")?;
    let input = object.required("input")?;
    let expected = object.required("expect")?;
    object.finish()?;
    let actual = match op {
        "decode" => decode(input)?,
        "validate" => validate(generation, input)?,
        "lint" => lint(generation, input)?,
        "predicate" => predicate(generation, input)?,
        "encode" => encode(generation, input)?,
        other => return Err(InputError::new(format!("op: {other:?} is unknown"))),
    };
    Ok((expected, actual))
}

fn decode(input: &Value) -> Result<Value, InputError> {
    let mut object = Object::new(input)?;
    let word = Addr4::from_bits(object.word("word")?);
    object.finish()?;
    serde_json::to_value(Decoded::of(word)).map_err(|error| InputError::new(error.to_string()))
}

fn validate(generation: Generation, input: &Value) -> Result<Value, InputError> {
    let mut object = Object::new(input)?;
    let word = Addr4::from_bits(object.word("word")?);
    let dtype = object.required("dtype")?;
    let tag = dtype.as_u64().and_then(|tag| u8::try_from(tag).ok());
    let access = Access {
        dtype: WireTag::new(tag.ok_or_else(|| wrong("dtype", "a wire tag in 0..=255", dtype))?),
        write: object.bit("write")?,
        allow_psum: object.bit("allow_psum")?,
        allow_sbuf: object.bit("allow_sbuf")?,
    };
    object.finish()?;
    let verdict = tensor_start_addr_valid(generation, word, access);
    Ok(json!({ "valid": verdict.is_ok(), "reason": verdict.map_or_else(|reason| reason.code(), |()| "ok") }))
}

fn lint(generation: Generation, input: &Value) -> Result<Value, InputError> {
    let mut object = Object::new(input)?;
    let word = Addr4::from_bits(object.word("word")?);
    object.finish()?;
    let ids: Vec<_> = lints(generation, word).iter().map(Lint::code).collect();
    Ok(json!({ "lints": ids }))
}

fn predicate(generation: Generation, input: &Value) -> Result<Value, InputError> {
    let mut object = Object::new(input)?;
    let result = match object.string("name")? {
        "in_sbuf_partition" => {
            let word = Addr4::from_bits(object.word("word")?);
            json!({ "result": in_sbuf_partition(generation, word, object.integer("partition")?) })
        }
        "same_sbuf_quadrant" => {
            let value = object.required("words")?;
            let words: Option<Vec<_>> = value.as_array().and_then(|words| words.iter().map(word).collect());
            let Some(&[first, second]) = words.as_deref() else {
                return Err(wrong("words", "two words", value));
            };
            json!({ "result": same_sbuf_quadrant(generation, Addr4::from_bits(first), Addr4::from_bits(second)) })
        }
        "start_partition" => {
            let (start, count) = (object.integer("start")?, object.integer("count")?);
            json!({ "result": start_partition_legal(start, count), "legal": legal_start_partitions(count) })
        }
        other => return Err(InputError::new(format!("name: {other:?} is no predicate"))),
    };
    object.finish()?;
    Ok(result)
}

fn encode(generation: Generation, input: &Value) -> Result<Value, InputError> {
    let outcome = match Request::parse(input)? {
        Request::Verbatim(word) => Ok(word),
        Request::Build { request, stamp_indirect } => build(request, stamp_indirect),
        Request::Dtype(dtype) => {
            let tag = dtype.wire_tag(generation).get();
            return Ok(json!({ "wire_tag": tag, "container_size": dtype.container_bytes() }));
        }
    };
    Ok(match outcome {
        Ok(word) => json!({ "word": HexWord(word.bits()), "bytes": HexBytes(word) }),
        Err(error) => json!({ "error": error.code() }),
    })
}

/// The keys that differ, each with both values.
fn difference(expected: &Value, actual: &Value) -> String {
    let empty = Map::new();
    let (Some(expected), actual) = (expected.as_object(), actual.as_object().unwrap_or(&empty)) else {
        return format!("expect is no object: {expected}");
    };
    let mut text = String::new();
    let keys = expected.keys().chain(actual.keys().filter(|key| !expected.contains_key(*key)));
    for key in keys.filter(|key| expected.get(*key) != actual.get(*key)) {
        let show = |value: Option<&Value>| value.map_or_else(|| "no such key".to_owned(), Value::to_string);
        let separator = if text.is_empty() { "" } else { "; " };
        let _ = write!(text, "{separator}{key}: expected {}, got {}", show(expected.get(key)), show(actual.get(key)));
    }
    text
}
