//! JSON Schemas of dumps, from the trees that the writer and the reader walk.

use serde_json::{Map, Value, json};

use super::Target;
use super::shape::{BARRIER_ON_DEVICE, BARRIER_ON_HOST, Member, Node, When};
use crate::schema::{DIALECT, address, dense_hex, unsigned};

/// The schema of the dump of this target, with any options.
///
/// It says nothing of what only a reader can see: that a position is right, that two views of a union agree, that there are as many index words as
/// `fold_n` asks for.
#[must_use]
pub fn schema(target: Target) -> Value {
    let title = match target {
        Target::RingChannel => "a ring channel",
        Target::MeshEvent => "a mesh event",
        Target::RuntimeRow => "a live row",
        Target::CcOp => "a control slot",
        Target::AlgoState => "the live state of all algorithms",
        Target::Block(_) => "an algorithm config block",
        Target::Context => "the state of collectives on a sync core",
    };
    let counts: &[usize] = match target {
        Target::Block(view) => &[view.event_count()],
        _ => &[50, 108],
    };
    let mut schema = Map::new();
    schema.insert("$schema".to_owned(), json!(DIALECT));
    schema.insert("title".to_owned(), json!(format!("Dump of {title}")));
    if let Value::Object(of_node) = value(target.node(), counts) {
        schema.extend(of_node);
    }
    Value::Object(schema)
}

fn value(node: &Node, counts: &[usize]) -> Value {
    match *node {
        Node::Object(members, _) => object(members, counts),
        Node::Array(element, count, _) => {
            json!({ "type": "array", "items": value(element, counts), "minItems": count, "maxItems": count })
        }
        Node::Events(element) => {
            let lengths: Vec<_> = counts.iter().map(|count| json!({ "minItems": count, "maxItems": count })).collect();
            json!({ "type": "array", "items": value(element, counts), "anyOf": lengths })
        }
        Node::Of(_, node) => value(node, counts),
        Node::Address => address(),
        Node::Integer(bytes) => unsigned(bytes.saturating_mul(8)),
        Node::Bits { width, .. } => unsigned(width),
        Node::Hex(bytes) => dense_hex(bytes),
        Node::Position => json!({ "type": "integer", "minimum": 0, "maximum": 31 }),
        Node::Live | Node::Tail => json!({ "type": "array", "items": address(), "maxItems": 3 }),
        Node::ModelName => json!({ "type": "string" }),
        Node::Barrier => json!({ "oneOf": [
            barrier(&BARRIER_ON_HOST, 0, counts),
            barrier(&BARRIER_ON_DEVICE, 1, counts),
        ] }),
    }
}

/// A reading of the union of barriers, and the flag that selects it.
fn barrier(node: &Node, flag: u64, counts: &[usize]) -> Value {
    let mut schema = value(node, counts);
    if let Some(of_flag) = schema.pointer_mut("/properties/device_barrier") {
        *of_flag = json!({ "const": flag });
    }
    schema
}

fn object(members: &'static [Member], counts: &[usize]) -> Value {
    let properties: Map<_, _> =
        members.iter().map(|member| (member.key.to_owned(), value(&member.node, counts))).collect();
    let keys = |when: When| members.iter().filter(|member| member.when == when).map(|member| member.key).collect();
    let (always, full, wire, both): (Vec<_>, Vec<_>, Vec<_>, Vec<_>) =
        (keys(When::Always), keys(When::Full), keys(When::Wire), keys(When::FullAndWire));
    let mut schema = json!({
        "type": "object",
        "properties": properties,
        "required": always,
        "additionalProperties": false,
    });
    // Members of a group are there all or not at all.
    let with_full: Vec<_> = both.iter().chain(&full).copied().collect();
    let groups = [(&full, &full), (&wire, &wire), (&both, &with_full)];
    let dependent: Map<_, _> = groups
        .into_iter()
        .flat_map(|(keys, needs)| {
            keys.iter().map(move |key| {
                let others: Vec<_> = needs.iter().filter(|other| *other != key).collect();
                ((*key).to_owned(), json!(others))
            })
        })
        .collect();
    if let (false, Value::Object(schema)) = (dependent.is_empty(), &mut schema) {
        schema.insert("dependentRequired".to_owned(), Value::Object(dependent));
    }
    schema
}
