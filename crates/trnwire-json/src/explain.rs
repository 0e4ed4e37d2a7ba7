//! Explanations as JSON.

use serde_json::{Map, Value, json};
use trnwire::Kind;
use trnwire::access::Pattern;
use trnwire::addr4::{Access, Addr4};
use trnwire::arch::Generation;
use trnwire::check::Finding;
use trnwire::explain::{
    BundleExplanation, BundleView, FindingView, LintView, PatternExplanation, PatternView, RecordExplanation, View,
    WordExplanation,
};
use trnwire::soc::SocAddress;
use trnwire::table::Field;

use crate::HexWord;
use crate::VERSION;
use crate::addr4::DecodedWord;
use crate::collective::resolved;
use crate::record;

/// Everything about a word at a byte offset of its input: what it says, how its bits are read, and each generation's verdict and lints.
#[must_use]
pub fn word_explanation(explanation: &WordExplanation, offset: u64) -> Value {
    let word = explanation.word;
    let fields: Map<String, Value> = word
        .layout()
        .fields
        .iter()
        .rev()
        .map(|field| {
            let bits = json!({ "high": field.bits.high, "low": field.bits.low, "value": field.get(word.bits()) });
            (field.name.to_owned(), bits)
        })
        .collect();
    json!({
        "trnwire": VERSION,
        "kind": Addr4::TABLE.kind,
        "offset": offset,
        "summary": explanation.summary,
        "decoded": DecodedWord::of(word),
        "canonical": word.is_canonical(),
        "layout": word.layout().name,
        "fields": fields,
        "generations": explanation.views.iter().map(view).collect::<Vec<_>>(),
    })
}

fn view(view: &View) -> Value {
    let mut told = asked(view.generation, view.access);
    told.extend(object(json!({
        "valid": view.verdict.is_ok(),
        "reason": view.verdict.map_or_else(|reason| reason.code(), |()| "ok"),
        "rule": view.rule,
        "because": view.because,
        "nearest_legal": view.nearest.map(|word| HexWord(word.bits())),
        "nearest_backed": view.nearest_backed.map(|word| HexWord(word.bits())),
        "lints": view.lints.iter().map(lint).collect::<Vec<_>>(),
    })));
    Value::Object(told)
}

fn asked(generation: Generation, access: Access) -> Map<String, Value> {
    object(json!({
        "arch": generation.name(),
        "dtype": access.dtype.get(),
        "write": access.write,
        "allow_psum": access.allow_psum,
        "allow_sbuf": access.allow_sbuf,
    }))
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}

/// Everything about a descriptor at a byte offset of its input.
///
/// # Errors
/// Bytes of another length than the slot's.
pub fn pattern_explanation(
    explanation: &PatternExplanation<'_>,
    bytes: &[u8],
    offset: u64,
) -> Result<Value, trnwire::WrongLength> {
    let (reach, elements, repeats) = match (&explanation.pattern, explanation.elem_size) {
        (Pattern::Tensor(tensor), size) => (
            size.and_then(|size| tensor.reach(size)).map(|reach| [reach.low, reach.high]),
            tensor.elements(),
            tensor.repeats().map(|repeats| json!({ "broadcast": repeats.broadcast, "overlap": repeats.overlap })),
        ),
        _ => (None, None, None),
    };
    Ok(json!({
        "trnwire": VERSION,
        "kind": explanation.slot.table().kind,
        "offset": offset,
        "summary": explanation.summary,
        "decoded": crate::access::decoded(explanation.slot, bytes)?,
        "elem_size": explanation.elem_size,
        "channels": explanation.channels,
        "reach": reach,
        "elements": elements,
        "repeats": repeats,
        "generations": explanation.views.iter().map(pattern_view).collect::<Vec<_>>(),
    }))
}

fn pattern_view(view: &PatternView) -> Value {
    let of_words = view.words.iter().flat_map(|word| word.lints.iter().map(move |found| (word, found)));
    let mut lints: Vec<Value> = of_words
        .map(|(word, found)| {
            let mut told = object(lint(found));
            told.insert("word".to_owned(), json!(word.which.code()));
            Value::Object(told)
        })
        .collect();
    lints.extend(view.reach.iter().flatten().map(|found| {
        let severity = found.lint.severity().name();
        json!({ "id": found.lint.code(), "severity": severity, "because": found.because })
    }));
    let mut told = asked(view.generation, view.access);
    told.extend(object(json!({
        "valid": view.verdict.is_ok(),
        "reason": view.verdict.map_or_else(|reason| reason.to_string(), |()| "ok".to_owned()),
        "because": view.because,
        "lints": lints,
    })));
    Value::Object(told)
}

/// Everything about a bundle at a byte offset of its input.
#[must_use]
pub fn bundle_explanation(explanation: &BundleExplanation<'_>, offset: u64) -> Value {
    let bundle = explanation.bundle;
    let view = |view: &BundleView| {
        let finding = |FindingView { finding, because, .. }: &FindingView| {
            json!({
                "id": finding.id.to_string(),
                "severity": finding.id.severity().name(),
                "offset": finding.offset,
                "because": because,
            })
        };
        json!({
            "arch": view.generation.name(),
            "decoded": crate::bundle::decoded_on(view.generation, bundle),
            "verdicts": crate::bundle::verdicts(view.generation, bundle),
            "findings": view.findings.iter().map(finding).collect::<Vec<_>>(),
        })
    };
    json!({
        "trnwire": VERSION,
        "kind": Kind::Bundle.name(),
        "offset": offset,
        "summary": explanation.summary,
        "generations": explanation.views.iter().map(view).collect::<Vec<_>>(),
    })
}

fn lint(view: &LintView) -> Value {
    json!({
        "id": view.lint.code(),
        "severity": view.lint.severity().name(),
        "because": view.because,
        "nearest_without": view.without.map(|word| HexWord(word.bits())),
    })
}

/// A record of collectives.
#[must_use]
pub fn record_explanation(explanation: &RecordExplanation<'_>, fields: &[Field], bytes: &[u8], offset: u64) -> Value {
    let finding = |(base, finding): &(usize, Finding)| {
        json!({
            "id": finding.to_string(),
            "severity": finding.rule.severity().name(),
            "offset": base.saturating_add(finding.offset),
            "because": finding.because(),
        })
    };
    let refused = explanation
        .refused
        .map(|error| json!({ "id": error.code(), "severity": "error", "offset": 0, "because": error.to_string() }));
    let address = |(path, address): (String, SocAddress)| {
        let told = resolved(explanation.resolver(), address);
        json!({ "path": path, "address": address.to_string(), "semaphore": told })
    };
    json!({
        "trnwire": VERSION,
        "kind": explanation.kind.name(),
        "offset": offset,
        "summary": explanation.summary,
        "findings": explanation.findings.iter().map(finding).chain(refused).collect::<Vec<_>>(),
        "semaphores": explanation.semaphores().into_iter().map(address).collect::<Vec<_>>(),
        "fields": record::fields(fields, bytes, record::Hex::Dense),
    })
}
