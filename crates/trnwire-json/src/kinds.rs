//! Format tables as JSON.

use serde_json::{Value, json};
use trnwire::table::{Field, Layout, Legal, Table, parts};

use crate::VERSION;

/// A format with all its readings and fields. Positions are bits, counted from bit 0 of byte 0.
#[must_use]
pub fn table(table: &Table) -> Value {
    json!({
        "trnwire": VERSION,
        "kind": table.kind,
        "title": table.title,
        "size_bytes": table.size_bytes,
        "layouts": table.layouts.iter().map(layout).collect::<Vec<_>>(),
        "parts": parts(table).into_iter().map(part).collect::<Vec<_>>(),
    })
}

fn layout(layout: &Layout) -> Value {
    json!({
        "name": layout.name,
        "when": layout.when,
        "fields": layout.fields.iter().map(field).collect::<Vec<_>>(),
    })
}

/// A record within the format that is no format of its own.
fn part((name, fields): (&str, &[Field])) -> Value {
    json!({ "name": name, "fields": fields.iter().map(field).collect::<Vec<_>>() })
}

fn field(field: &Field) -> Value {
    let (legal, range) = match field.legal {
        Legal::Any => ("any", Value::Null),
        Legal::Range(low, high) => ("range", json!([low, high])),
        _ => ("depends", Value::Null),
    };
    json!({
        "name": field.name,
        "low_bit": field.bits.low,
        "high_bit": field.bits.high,
        "type": field.shape.to_string(),
        "unit": field.unit.name(),
        "legal": legal,
        "legal_range": range,
        "meaning": field.meaning,
        "confidence": field.evidence.confidence.name(),
        "sources": field.evidence.sources.iter().map(|source| source.name()).collect::<Vec<_>>(),
    })
}
