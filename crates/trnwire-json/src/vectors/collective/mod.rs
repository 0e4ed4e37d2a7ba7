//! Golden vectors of the collective descriptors. A line describes itself: its inputs and its outputs stand side by side.

mod address;
mod block;
mod record;

use core::fmt;

use serde_json::{Map, Value, json};
use trnwire::soc::RouteView;

use crate::InputError;
use crate::input::{Object, wrong};
use crate::{collective, hex};

/// The outputs of an operation by key, as far as it has them.
pub(super) type Outputs = Map<String, Value>;

/// What every line may say besides.
const COMMON: [&str; 4] = ["id", "op", "note", "confidence"];

/// Runs a line.
///
/// # Errors
/// What was expected and what came, or why the line could not be run.
pub(super) fn run(vector: &Value) -> Result<(), String> {
    let Value::Object(line) = vector else { return Err("a line is an object".to_owned()) };
    let (outputs, inputs) = evaluate(vector).map_err(|error| error.to_string())?;
    let is_valid = outputs.get("valid") == Some(&Value::Bool(true));
    let expects_valid = line.get("valid") != Some(&Value::Bool(false));
    if is_valid != expects_valid {
        let wanted = if expects_valid { "valid" } else { "refused" };
        return Err(format!("valid: expected to be {wanted}, got {}", Value::Object(outputs)));
    }
    if !expects_valid && !line.contains_key("error") && !line.contains_key("errors") {
        return Err("valid: false comes with error or errors".to_owned());
    }
    let is_input = |key: &str| COMMON.contains(&key) || inputs.contains(&key);
    for (key, expected) in line.iter().filter(|(key, _)| !is_input(key)) {
        let actual = outputs.get(key).ok_or_else(|| format!("{key}: is no output here"))?;
        if !is_same(expected, actual, key != "fields") {
            return Err(format!("{key}: expected {expected}, got {actual}"));
        }
    }
    Ok(())
}

/// The outputs of a line, and the keys of its inputs.
fn evaluate(vector: &Value) -> Result<(Outputs, Vec<&'static str>), InputError> {
    let mut line = Object::new(vector)?;
    line.string("id")?;
    let op = line.string("op")?;
    let outputs = match op {
        "record" => record::record(&mut line)?,
        "encode_record" => record::encode_record(&mut line)?,
        "populate" => record::populate(&mut line)?,
        "merge" => record::merge(&mut line)?,
        "pack_channels" => record::pack_channels(&mut line)?,
        "encode" => address::encode(&mut line)?,
        "decode" => address::decode(&mut line)?,
        "split_local" => address::split(&mut line, RouteView::ChipId)?,
        "split_neighbor" => address::split(&mut line, RouteView::Neighbor)?,
        "apb" => address::broadcast(&mut line)?,
        "block" => block::block(&mut line, vector)?,
        "convert" => block::convert(&mut line)?,
        "context" => block::context(&mut line, vector)?,
        other => return Err(InputError::new(format!("op: {other:?} is unknown"))),
    };
    Ok((outputs, line.taken().to_vec()))
}

/// Whether two values are the same. Unlike elsewhere the order of keys may count.
fn is_same(one: &Value, other: &Value, ordered: bool) -> bool {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            let alike = |(key, value): (&String, &Value)| {
                other.get(key).is_some_and(|counterpart| is_same(value, counterpart, ordered))
            };
            one.len() == other.len() && (!ordered || one.keys().eq(other.keys())) && one.iter().all(alike)
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same(one, other, ordered))
        }
        _ => one == other,
    }
}

/// The outputs of an operation that succeeded.
fn outputs<const LENGTH: usize>(outputs: [(&str, Value); LENGTH]) -> Outputs {
    let valid = [("valid", json!(true))];
    outputs.into_iter().chain(valid).map(|(key, value)| (key.to_owned(), value)).collect()
}

/// The outputs of one that failed with a code.
fn failed(code: &str) -> Outputs {
    [("valid", json!(false)), ("error", json!(code))].map(|(key, value)| (key.to_owned(), value)).into_iter().collect()
}

fn codes<T>(items: &[T], code: impl Fn(&T) -> String) -> Value {
    items.iter().map(code).collect()
}

fn hex_bytes(line: &mut Object<'_>, key: &'static str) -> Result<Vec<u8>, InputError> {
    let value = line.required(key)?;
    value.as_str().and_then(hex::bytes).ok_or_else(|| wrong(key, "bytes as hex", value))
}

fn dense(bytes: &[u8]) -> Value {
    json!(hex::DenseHex(bytes))
}

/// An integer that may be absent.
fn integer_or(line: &mut Object<'_>, key: &'static str, default: i64) -> Result<i64, InputError> {
    match line.optional(key) {
        None => Ok(default),
        Some(_) => line.integer(key),
    }
}

fn index<T: TryFrom<i64>>(key: &str, number: i64, expected: &str) -> Result<T, InputError> {
    T::try_from(number).map_err(|_| wrong(key, expected, &json!(number)))
}

/// An address that may be absent or null.
fn address_or_zero(line: &mut Object<'_>, key: &'static str) -> Result<trnwire::soc::SocAddress, InputError> {
    match line.optional(key) {
        None | Some(Value::Null) => Ok(trnwire::soc::SocAddress::default()),
        Some(_) => collective::address(line, key),
    }
}

/// An error that is shown as it is.
fn refused(error: impl fmt::Display) -> InputError {
    InputError::new(error.to_string())
}
