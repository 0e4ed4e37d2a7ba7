//! What a descriptor touches, and what it has in common with another one.

use serde_json::{Value, json};
use trnwire::access::{Coverage, Operand, Overlap, Pattern, Unknown, overlap};
use trnwire::explain::{Line, PatternExplanation, Role};

/// Adds the ranges of bytes that a descriptor touches.
pub(super) fn touched(explanation: &PatternExplanation<'_>, most: usize, lines: &mut Vec<Line>, document: &mut Value) {
    let coverage = match (&explanation.pattern, explanation.elem_size) {
        (Pattern::Tensor(tensor), Some(size)) => tensor.coverage(size),
        _ => None,
    };
    let (text, value) = match &coverage {
        None => ("not known".to_owned(), Value::Null),
        Some(Coverage::Exact(footprint)) => {
            let mut runs = footprint.runs();
            let shown: Vec<_> = runs.by_ref().take(most).map(|run| [run.start, run.end]).collect();
            let more = if runs.next().is_some() { " ..." } else { "" };
            let text: Vec<_> = shown.iter().map(|[start, end]| format!("{start}..{end}")).collect();
            (format!("{}{more}", text.join(" ")), json!({ "exact": true, "ranges": shown }))
        }
        Some(bound) => {
            let range = bound.range();
            let text = format!("some of {}..{}", range.start, range.end);
            (text, json!({ "exact": false, "ranges": [[range.start, range.end]] }))
        }
    };
    lines.push(Line { role: Role::Plain, text: format!("touched bytes, from the start address: {text}") });
    insert(document, "touched", value);
}

/// Adds what two descriptors have in common.
pub(super) fn overlapping(
    explanation: &PatternExplanation<'_>,
    other: &Pattern<'_>,
    lines: &mut Vec<Line>,
    document: &mut Value,
) {
    let found = match (operand(explanation, &explanation.pattern), operand(explanation, other)) {
        (Some(first), Some(second)) => overlap(&first, &second),
        _ => Overlap::Unknown(Unknown::Address),
    };
    let (role, text, value) = match found {
        Overlap::Disjoint => (Role::Good, "no common byte".to_owned(), json!({ "overlap": false })),
        Overlap::Common { partition, byte, bytes } => {
            let count = bytes.map_or_else(|| "an unknown number of".to_owned(), |bytes| bytes.to_string());
            let text =
                format!("{count} common bytes in a partition, the first at partition {partition}, byte {byte:#X}");
            let value = json!({ "overlap": true, "partition": partition, "byte": byte, "bytes": bytes });
            (Role::Warning, text, value)
        }
        Overlap::Unknown(why) => {
            let why = match why {
                Unknown::Address => "one of the two is no static tensor in a memory, or its element size is not known",
                Unknown::LeavesPartition => "one of the two leaves its partition",
                Unknown::Partitions => "they touch the same bytes, but give --channels to say whether of one partition",
                _ => "too many interleaving ranges; the bounds meet",
            };
            (Role::Plain, format!("cannot be told: {why}"), json!({ "overlap": null, "because": why }))
        }
    };
    lines.push(Line { role, text: format!("overlap: {text}") });
    insert(document, "overlap", value);
}

/// A tensor that is used as the explained one.
fn operand<'a>(explanation: &PatternExplanation<'_>, pattern: &Pattern<'a>) -> Option<Operand<'a>> {
    match (pattern, explanation.elem_size) {
        (Pattern::Tensor(tensor), Some(elem_size)) => {
            Some(Operand { tensor: *tensor, elem_size, channels: explanation.channels })
        }
        _ => None,
    }
}

fn insert(document: &mut Value, key: &str, value: Value) {
    if let Value::Object(document) = document {
        document.insert(key.to_owned(), value);
    }
}
