//! Golden vectors: one JSON object per line that says what an operation must give.

mod access;
mod addr4;
mod bundle;
mod collective;

use core::fmt::Write as _;
use std::io::{self, BufRead, Read};

use serde_json::{Map, Value, json};
use trnwire::access::ScaleModulus;
use trnwire::addr4::Access;
use trnwire::arch::Generation;
use trnwire::dtype::WireTag;

use crate::encode::{Encoded, Request};
use crate::hex;
use crate::input::{Object, wrong};
use crate::strict::parse;
use crate::{HexBytes, HexWord, InputError};

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
    if vector.get("expect").is_none() {
        return collective::run(vector);
    }
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
    let is_word = input.get("word").is_some();
    let actual = match op {
        "decode" if is_word => addr4::decode(input)?,
        "decode" => access::decode(input)?,
        "validate" if is_word => addr4::validate(generation, input)?,
        "validate" => access::validate(generation, input)?,
        "lint" => addr4::lint(generation, input)?,
        "predicate" => addr4::predicate(generation, input)?,
        "bundle" => bundle::bundle(generation, input)?,
        "encode" => encode(generation, input)?,
        other => return Err(InputError::new(format!("op: {other:?} is unknown"))),
    };
    Ok((expected, actual))
}

fn encode(generation: Generation, input: &Value) -> Result<Value, InputError> {
    let encoded = Request::parse(input, None, ScaleModulus::default())?.encode(generation);
    Ok(match encoded {
        Ok(Encoded::Word(word)) => json!({ "word": HexWord(word.bits()), "bytes": HexBytes(&word.to_wire()) }),
        Ok(Encoded::Record(bytes)) => json!({ "bytes": HexBytes(&bytes) }),
        Ok(Encoded::Dtype(dtype)) => {
            json!({ "wire_tag": dtype.wire_tag(generation).get(), "container_size": dtype.container_bytes() })
        }
        Err(refusal) => json!({ "error": refusal.code() }),
    })
}

/// The keys of an access: `dtype`, `write`, `allow_psum`, `allow_sbuf`.
fn operand_access(object: &mut Object<'_>) -> Result<Access, InputError> {
    Ok(Access {
        dtype: wire_tag(object)?,
        write: object.bit("write")?,
        allow_psum: object.bit("allow_psum")?,
        allow_sbuf: object.bit("allow_sbuf")?,
    })
}

fn wire_tag(object: &mut Object<'_>) -> Result<WireTag, InputError> {
    let dtype = object.required("dtype")?;
    let tag = dtype.as_u64().and_then(|tag| u8::try_from(tag).ok());
    tag.map(WireTag::new).ok_or_else(|| wrong("dtype", "a wire tag in 0..=255", dtype))
}

fn hex_bytes(object: &mut Object<'_>) -> Result<Vec<u8>, InputError> {
    let value = object.required("bytes")?;
    let bytes = value.as_str().and_then(hex::bytes);
    bytes.ok_or_else(|| wrong("bytes", "bytes as hex, such as \"04 80 00 02\"", value))
}

/// `valid` and `reason`, `ok` when valid.
fn verdict(reason: Option<String>) -> Value {
    json!({ "valid": reason.is_none(), "reason": reason.unwrap_or_else(|| "ok".to_owned()) })
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
