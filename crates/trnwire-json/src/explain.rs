//! Explanations as JSON.

use serde_json::{Map, Value, json};
use trnwire::addr4::Addr4;
use trnwire::explain::{LintView, View, WordExplanation};

use crate::HexWord;
use crate::VERSION;
use crate::addr4::DecodedWord;

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
    let access = view.access;
    json!({
        "arch": view.generation.name(),
        "dtype": access.dtype.get(),
        "write": access.write,
        "allow_psum": access.allow_psum,
        "allow_sbuf": access.allow_sbuf,
        "valid": view.verdict.is_ok(),
        "reason": view.verdict.map_or_else(|reason| reason.code(), |()| "ok"),
        "rule": view.rule,
        "because": view.because,
        "nearest_legal": view.nearest.map(|word| HexWord(word.bits())),
        "nearest_backed": view.nearest_backed.map(|word| HexWord(word.bits())),
        "lints": view.lints.iter().map(lint).collect::<Vec<_>>(),
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
