//! JSON Schemas of what `decode` prints, from the tables.

use serde_json::{Map, Value, json};
use trnwire::Kind;
use trnwire::addr4::Mode;
use trnwire::bundle::Bundle;
use trnwire::soc::Window;
use trnwire::table::{Field, Shape};

use crate::record::is_word;

/// The dialect of every schema here.
pub(crate) const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The schema of the decoded object of a kind.
#[must_use]
pub fn decoded(kind: Kind) -> Value {
    let of_kind = match kind {
        Kind::Addr4 => word(),
        Kind::Slot(_) => {
            let layouts = kind.table().layouts.iter();
            any_of(
                layouts.map(|layout| object(layout.fields, &[("variant", json!({ "const": layout.name }))])).collect(),
            )
        }
        Kind::Bundle => bundle(),
        Kind::SemaphoreAddress => semaphore(),
        Kind::CcOp => object(trnwire::cc_op::CcOp::FIELDS, &[]),
        _ => any_of(kind.table().layouts.iter().map(|layout| object(layout.fields, &[])).collect()),
    };
    let mut schema = Map::new();
    schema.insert("$schema".to_owned(), json!(DIALECT));
    schema.insert("title".to_owned(), json!(format!("{}, decoded", kind.name())));
    if let Value::Object(of_kind) = of_kind {
        schema.extend(of_kind);
    }
    Value::Object(schema)
}

/// `0x` and sixteen upper-case digits.
pub(crate) fn address() -> Value {
    json!({ "type": "string", "pattern": "^0x[0-9A-F]{16}$" })
}

/// A whole number of so many bits from 0 on.
pub(crate) fn unsigned(bits: u32) -> Value {
    json!({ "type": "integer", "minimum": 0, "maximum": u64::MAX.wrapping_shr(64_u32.saturating_sub(bits)) })
}

/// Bytes as hex without space.
pub(crate) fn dense_hex(bytes: u32) -> Value {
    json!({ "type": "string", "pattern": format!("^[0-9a-f]{{{}}}$", bytes.saturating_mul(2)) })
}

/// Bytes as hex with a space between.
fn spaced_hex(bytes: u32) -> Value {
    let rest = bytes.saturating_sub(1);
    json!({ "type": "string", "pattern": format!("^[0-9a-f]{{2}}( [0-9a-f]{{2}}){{{rest}}}$") })
}

fn hex_word() -> Value {
    json!({ "type": "string", "pattern": "^0x[0-9A-F]{8}$" })
}

fn any_of(mut schemas: Vec<Value>) -> Value {
    match (schemas.len(), schemas.pop()) {
        (1, Some(only)) => only,
        (_, last) => {
            schemas.extend(last);
            json!({ "anyOf": schemas })
        }
    }
}

/// An object with these keys first and then the fields of a record, all of them and no others.
fn object(fields: &[Field], first: &[(&str, Value)]) -> Value {
    let is_word = is_word(fields);
    // Records of collectives have no key of their own in front.
    let is_spaced = !first.is_empty();
    let of = |field: &Field| match is_word {
        true => unsigned(field.bits.width()),
        false => value(field.shape, field.bits.width(), is_spaced),
    };
    let of_fields = fields.iter().map(|field| (field.name.to_owned(), of(field)));
    let first = first.iter().map(|(key, value)| ((*key).to_owned(), value.clone()));
    closed(first.chain(of_fields).collect())
}

/// An object with all of these keys and no others.
fn closed(properties: Map<String, Value>) -> Value {
    let required: Vec<_> = properties.keys().cloned().collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

fn value(shape: Shape, bits: u32, is_spaced: bool) -> Value {
    match shape {
        Shape::Signed => {
            let most = i64::MAX.wrapping_shr(64_u32.saturating_sub(bits));
            json!({ "type": "integer", "minimum": most.wrapping_neg().wrapping_sub(1), "maximum": most })
        }
        Shape::Addr4 => hex_word(),
        Shape::Address | Shape::SemaphoreAddress => address(),
        Shape::Reserved | Shape::Bytes if is_spaced => spaced_hex(bits / 8),
        Shape::Reserved | Shape::Bytes => dense_hex(bits / 8),
        Shape::Array(&element, length) => {
            let items = value(element, bits.checked_div(length).unwrap_or_default(), is_spaced);
            json!({ "type": "array", "items": items, "minItems": length, "maxItems": length })
        }
        Shape::Record(_, fields) => object(fields, &[]),
        _ => unsigned(bits),
    }
}

fn word() -> Value {
    let nullable = |schema: Value| json!({ "anyOf": [{ "type": "null" }, schema] });
    let modes = [Mode::Static, Mode::Indirect, Mode::Active, Mode::Dead].map(Mode::name);
    let properties = [
        ("word", hex_word()),
        ("register", json!({ "type": "boolean" })),
        ("mode", json!({ "enum": modes })),
        ("reg_id", nullable(unsigned(8))),
        ("addr29", nullable(hex_word())),
        ("region", json!({ "enum": [null, "sbuf", "psum"] })),
        ("partition", nullable(unsigned(7))),
        ("offset", nullable(unsigned(18))),
        ("bank", nullable(unsigned(4))),
    ];
    closed(properties.map(|(key, value)| (key.to_owned(), value)).into_iter().collect())
}

/// A bundle; with a generation it says more, which follows from these.
fn bundle() -> Value {
    let (header, body): (Vec<_>, Vec<_>) =
        Bundle::FIELDS.iter().copied().partition(|field| field.shape != Shape::Bytes);
    let mut properties: Map<String, Value> =
        [("variant".to_owned(), json!({ "const": "bundle" })), ("header".to_owned(), object(&header, &[]))]
            .into_iter()
            .collect();
    properties.extend(body.iter().map(|field| (field.name.to_owned(), value(field.shape, field.bits.width(), true))));
    let mut schema = closed(properties);
    if let Value::Object(schema) = &mut schema {
        let more = ["name", "first_gen", "known", "family", "wait", "update", "slots", "disputed"];
        let properties = schema.entry("properties").or_insert(Value::Null);
        if let Value::Object(properties) = properties {
            properties.extend(more.map(|key| (key.to_owned(), json!(true))));
        }
    }
    schema
}

/// The address of a semaphore, or what is none.
fn semaphore() -> Value {
    let of = |properties: &[(&str, Value)]| {
        closed(properties.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect())
    };
    any_of(vec![
        of(&[
            ("sp_idx", unsigned(4)),
            ("sema_id", unsigned(8)),
            ("window", json!({ "enum": Window::ALL.map(Window::name) })),
            ("die", unsigned(1)),
            ("route", unsigned(20)),
        ]),
        of(&[
            ("addr", address()),
            ("error", json!({ "enum": ["not_top_sp", "unused_top_sp", "not_sema_window", "misaligned"] })),
        ]),
    ])
}
