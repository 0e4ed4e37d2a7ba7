//! Operations on address words.

use serde_json::{Value, json};
use trnwire::addr4::{
    Addr4, Lint, in_sbuf_partition, lints, same_sbuf_quadrant, start_partition_legal, tensor_start_addr_valid,
};
use trnwire::arch::Generation;
use trnwire::geometry::legal_start_partitions;

use super::{operand_access, verdict};
use crate::InputError;
use crate::addr4::Decoded;
use crate::input::{Object, word, wrong};

pub(super) fn decode(input: &Value) -> Result<Value, InputError> {
    let mut object = Object::new(input)?;
    let word = Addr4::from_bits(object.word("word")?);
    object.finish()?;
    serde_json::to_value(Decoded::of(word)).map_err(|error| InputError::new(error.to_string()))
}

pub(super) fn validate(generation: Generation, input: &Value) -> Result<Value, InputError> {
    let mut object = Object::new(input)?;
    let word = Addr4::from_bits(object.word("word")?);
    let access = operand_access(&mut object)?;
    object.finish()?;
    let result = tensor_start_addr_valid(generation, word, access);
    Ok(verdict(result.err().map(|reason| reason.to_string())))
}

pub(super) fn lint(generation: Generation, input: &Value) -> Result<Value, InputError> {
    let mut object = Object::new(input)?;
    let word = Addr4::from_bits(object.word("word")?);
    object.finish()?;
    let ids: Vec<_> = lints(generation, word).iter().map(Lint::code).collect();
    Ok(json!({ "lints": ids }))
}

pub(super) fn predicate(generation: Generation, input: &Value) -> Result<Value, InputError> {
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
