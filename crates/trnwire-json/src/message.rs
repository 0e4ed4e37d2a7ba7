//! Reports about compiler and runtime messages as JSON.

use serde_json::{Map, Number as JsonNumber, Value, json};
use trnwire::message::{Chip, Fact, FactValue, Finding, Number, Report};

use crate::VERSION;

/// The facts that were found in a text, and what each rule says to them.
#[must_use]
pub fn report(report: &Report) -> Value {
    json!({
        "trnwire": VERSION,
        "archs": targets(&report.targets),
        "findings": report.findings.iter().map(|finding| self::finding(report, finding)).collect::<Vec<_>>(),
        "facts": report.facts.iter().map(fact).collect::<Vec<_>>(),
        "facts_dropped": report.facts_dropped,
    })
}

fn finding(report: &Report, finding: &Finding) -> Value {
    let limits: Map<_, _> =
        finding.limits.iter().map(|(target, limit)| (target.name().to_owned(), integer(*limit))).collect();
    json!({
        "rule": finding.rule,
        "rule_name": finding.rule_name,
        "verdict": finding.verdict.name(),
        "archs": targets(&finding.targets),
        "text": report.subject(finding).map(|fact| &fact.text),
        "line": report.subject(finding).map(|fact| fact.line),
        "value": finding.value.map(integer),
        "limit": finding.limit.map(integer),
        "limits": limits,
        "limit_is_stated": finding.limit_is_stated,
        "over_by": finding.over_by.map(integer),
        "nearest_legal": finding.nearest_legal.map(integer),
        "legal_values": finding.legal_values.iter().copied().map(integer).collect::<Vec<_>>(),
        "arithmetic": finding.arithmetic,
        "advice": finding.advice,
        "note": finding.note,
        "repeats": finding.repeats,
    })
}

fn fact(fact: &Fact) -> Value {
    let fields: Map<_, _> = fact.fields().into_iter().map(|(name, value)| (name.to_owned(), field(&value))).collect();
    json!({
        "kind": fact.kind_name(),
        "line": fact.line,
        "start": fact.start,
        "end": fact.end,
        "text": fact.text,
        "fields": fields,
    })
}

fn field(value: &FactValue) -> Value {
    match value {
        FactValue::Number(value) => number(*value),
        FactValue::Numbers(values) => values.iter().copied().map(number).collect(),
        FactValue::Pairs(pairs) => pairs.iter().map(|pair| json!([number(pair.step), number(pair.num)])).collect(),
        FactValue::Text(text) => json!(text),
    }
}

/// A number as text has it; one that is too large to compute with is the string "too large".
fn number(number: Number) -> Value {
    number.exact().map_or_else(|| json!("too large"), integer)
}

/// An integer; one that JSON readers would round is a string.
fn integer(value: i128) -> Value {
    JsonNumber::from_i128(value).map_or_else(|| json!(value.to_string()), Value::Number)
}

fn targets(targets: &[Chip]) -> Vec<&'static str> {
    targets.iter().map(|target| target.name()).collect()
}
