//! Operations on descriptors.

use serde_json::{Value, json};
use trnwire::access::{self, Pattern, Reason, SlotType};
use trnwire::addr4::Addr4;
use trnwire::arch::Generation;

use super::{hex_bytes, operand_access, verdict, wire_tag};
use crate::InputError;
use crate::access::{TypeName, decoded};
use crate::input::{Object, wrong};

pub(super) fn decode(input: &Value) -> Result<Value, InputError> {
    let mut object = Object::new(input)?;
    let (slot, bytes) = slot_and_bytes(&mut object)?;
    let elem_size = element_size(&mut object, false)?;
    object.finish()?;
    let mut decoded = decoded(slot, &bytes).map_err(|error| wrong_length(&error))?;
    if let (Some(elem_size), Pattern::Tensor(tensor)) = (elem_size, pattern(slot, &bytes)?) {
        decoded.insert("reach".to_owned(), json!(tensor.reach(elem_size).map(|reach| [reach.low, reach.high])));
        decoded.insert("elements".to_owned(), json!(tensor.elements()));
    }
    Ok(Value::Object(decoded))
}

pub(super) fn validate(generation: Generation, input: &Value) -> Result<Value, InputError> {
    let mut object = Object::new(input)?;
    let check = match object.optional("check") {
        None => None,
        Some(_) => Some(object.string("check")?),
    };
    let result = match check {
        None => {
            let (slot, bytes) = slot_and_bytes(&mut object)?;
            let access = operand_access(&mut object)?;
            judged(access::validate(generation, slot, &pattern(slot, &bytes)?, access))
        }
        Some("indirect_quadrant") => {
            let (slot, bytes) = slot_and_bytes(&mut object)?;
            judged(access::indirect_quadrant(generation, &pattern(slot, &bytes)?))
        }
        Some("mm_dst_nc") => {
            let (slot, bytes) = slot_and_bytes(&mut object)?;
            match access::mm_dst_nc(generation, &pattern(slot, &bytes)?, wire_tag(&mut object)?) {
                Some(result) => judged(result),
                None => json!({ "valid": null, "reason": "unknown" }),
            }
        }
        Some("tt_placement") => {
            let src0 = Addr4::from_bits(object.word("src0")?);
            judged(access::tt_placement(generation, src0, Addr4::from_bits(object.word("src1")?)))
        }
        Some("reach_lint") => reach_lint(generation, &mut object)?,
        Some(other) => return Err(InputError::new(format!("check: {other:?} is unknown"))),
    };
    object.finish()?;
    Ok(result)
}

fn judged(result: Result<(), Reason>) -> Value {
    verdict(result.err().map(|reason| reason.to_string()))
}

fn reach_lint(generation: Generation, object: &mut Object<'_>) -> Result<Value, InputError> {
    let (slot, bytes) = slot_and_bytes(object)?;
    let elem_size = element_size(object, true)?.unwrap_or_default();
    let channels = match object.optional("channels") {
        None => None,
        Some(value) => {
            let channels = value.as_u64().and_then(|channels| u8::try_from(channels).ok());
            let channels = channels.filter(|channels| (1..=128).contains(channels));
            Some(channels.ok_or_else(|| wrong("channels", "a number in 1..=128", value))?)
        }
    };
    let lints = match pattern(slot, &bytes)? {
        Pattern::Tensor(tensor) => access::reach_lints(generation, &tensor, elem_size, channels),
        _ => None,
    };
    let ids = lints.map(|lints| lints.iter().map(|lint| lint.code()).collect::<Vec<_>>());
    Ok(json!({ "lints": ids }))
}

fn slot_and_bytes(object: &mut Object<'_>) -> Result<(SlotType, Vec<u8>), InputError> {
    let text = object.string("type")?;
    let name = TypeName::parse(text).filter(|name| !name.is_gather);
    let slot = name.ok_or_else(|| InputError::new(format!("type: {text:?} is no type of a slot")))?.slot;
    Ok((slot, hex_bytes(object)?))
}

fn pattern(slot: SlotType, bytes: &[u8]) -> Result<Pattern<'_>, InputError> {
    Pattern::decode(slot, bytes).map_err(|error| wrong_length(&error))
}

fn wrong_length(error: &trnwire::WrongLength) -> InputError {
    InputError::new(format!("bytes: {error}"))
}

fn element_size(object: &mut Object<'_>, required: bool) -> Result<Option<u32>, InputError> {
    let value = match object.optional("elem_size") {
        None if !required => return Ok(None),
        _ => object.required("elem_size")?,
    };
    let size = value.as_u64().and_then(|size| u32::try_from(size).ok()).filter(|&size| size > 0);
    size.map(Some).ok_or_else(|| wrong("elem_size", "a number of bytes, at least 1", value))
}
