//! Bundles as JSON: the decoded object, what is found wrong with it, and the way back.

use serde_json::{Map, Value, json};
use trnwire::arch::Generation;
use trnwire::bundle::{Bundle, Finding, ModeFacts, Slot, Verdict};
use trnwire::table::{Field, Shape};
use trnwire::{Kind, WrongLength};
use zerocopy::{FromBytes, FromZeros, IntoBytes};

use crate::InputError;
use crate::input::Object;
use crate::record::{Hex, fields, write_fields};

/// A view of the bytes of a bundle.
///
/// # Errors
/// Bytes that are not 64.
pub fn view(bytes: &[u8]) -> Result<&Bundle, WrongLength> {
    Bundle::ref_from_bytes(bytes).map_err(|_| WrongLength { kind: Kind::Bundle, length: bytes.len() })
}

/// The fields of the header, and the body behind it.
fn header_and_body() -> (&'static [Field], &'static [Field]) {
    let body = Bundle::FIELDS.iter().position(|field| field.shape == Shape::Bytes);
    Bundle::FIELDS.split_at(body.unwrap_or(Bundle::FIELDS.len()))
}

/// A bundle as bytes alone tell it: `variant`, `header`, `body`.
#[must_use]
pub fn decoded(bundle: &Bundle) -> Map<String, Value> {
    let (header, body) = header_and_body();
    let mut object = Map::new();
    object.insert("variant".to_owned(), json!(VARIANT));
    object.insert("header".to_owned(), Value::Object(fields(header, bundle.as_bytes(), Hex::Spaced)));
    object.extend(fields(body, bundle.as_bytes(), Hex::Spaced));
    object
}

pub(crate) const VARIANT: &str = "bundle";

/// A bundle as a generation reads it: the decoded object, then what its opcode and its slots are.
#[must_use]
pub fn decoded_on(generation: Generation, bundle: &Bundle) -> Map<String, Value> {
    let facts = bundle.opcode().facts();
    let family = bundle.family(generation);
    let mode = |mode: Option<&ModeFacts>| json!(mode.map_or("unknown", |mode| mode.name));
    let disputed = family.into_iter().flat_map(|family| family.disputes(generation)).map(|dispute| dispute.offset);
    let mut object = decoded(bundle);
    object.extend(
        [
            ("name", json!(facts.map(|facts| facts.name))),
            ("first_gen", json!(facts.and_then(|facts| facts.first_generation()).map(Generation::name))),
            ("known", json!(facts.map_or(Some(false), |facts| facts.is_on(generation)))),
            ("family", json!(family.map(|family| family.name))),
            ("wait", mode(bundle.wait())),
            ("update", mode(bundle.update())),
            ("slots", bundle.slots(generation).map(|found| slot(generation, &found)).collect()),
            ("disputed", json!(disputed.collect::<Vec<_>>())),
        ]
        .map(|(key, value)| (key.to_owned(), value)),
    );
    object
}

fn slot(generation: Generation, slot: &Slot<'_>) -> Value {
    let facts = slot.facts;
    let bit = u8::from;
    json!({
        "offset": facts.offset,
        "type": facts.slot_type(generation).map_or("ADDR4", |slot| slot.name()),
        "role": facts.role,
        "dtype": slot.dtype.map(|dtype| dtype.get()),
        "flags": facts.flags.map(|flags| [bit(flags.write), bit(flags.allow_psum), bit(flags.allow_sbuf)]),
        "addr4": slot.words().map(|(offset, _)| offset).collect::<Vec<_>>(),
    })
}

/// The verdict of each slot: `ok`, a reason or `unknown`.
#[must_use]
pub fn verdicts(generation: Generation, bundle: &Bundle) -> Vec<String> {
    bundle.slots(generation).map(|slot| verdict(slot.verdict(generation))).collect()
}

fn verdict(verdict: Verdict) -> String {
    match verdict {
        None => "unknown".to_owned(),
        Some(Ok(())) => "ok".to_owned(),
        Some(Err(reason)) => reason.to_string(),
    }
}

/// Everything that is wrong or odd.
#[must_use]
pub fn findings(generation: Generation, bundle: &Bundle) -> Vec<Value> {
    let mut findings = Vec::new();
    bundle.judge(generation, |Finding { id, offset }| {
        findings.push(json!({ "id": id.to_string(), "severity": id.severity().name(), "offset": offset }));
    });
    findings
}

/// Reads a decoded bundle back into its bytes. Only `header` and `body` count; what else was decoded follows from them.
pub(crate) fn verbatim(object: &mut Object<'_>) -> Result<Vec<u8>, InputError> {
    let mut bundle = Bundle::new_zeroed();
    let (header, body) = header_and_body();
    let mut header_object = Object::new(object.required("header")?)?;
    write_fields(header, &mut header_object, bundle.as_mut_bytes())
        .and_then(|()| header_object.finish())
        .map_err(|error| InputError::new(format!("header: {error}")))?;
    write_fields(body, object, bundle.as_mut_bytes())?;
    object.take_all();
    Ok(bundle.as_bytes().to_vec())
}
