//! `trnwire check`.

use anyhow::{Result, bail};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Map, Value, json};
use trnwire::addr4::{Addr4, Lint, Reason};
use trnwire::arch::Generation;
use trnwire::check::Severity;
use trnwire::explain::{Line, Role};
use trnwire_batch::{Summary, Validator};

use super::Walk;
use crate::Outcome;
use crate::args::{AccessArguments, Arch, Format, Inputs, access_in_words};
use crate::input::Words;
use crate::output::{JsonPrinter, Printer, counted};

/// Shorter inputs are done before anybody could read a progress bar.
const PROGRESS_FROM_BYTES: u64 = 64 << 20;

/// Judge every word: counts per rule and per lint, and the byte offsets of the first of each.
///
/// The rules are those of the vendor library's own validator; lints are trnwire's. Exit code 1 when a word is rejected
/// or has a lint of severity error (dead_mode); warnings alone leave it 0.
///
/// Example: trnwire check words.bin --arch trn2 --dtype fp32
#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    arch: Arch,
    #[command(flatten)]
    access: AccessArguments,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Options {
    pub(crate) fn run(self) -> Result<Outcome> {
        let Some(generation) = self.arch.arch else {
            bail!("check needs --arch (gen2, gen3 or gen4): the rules differ between generations");
        };
        let access = self.access.on(generation);
        let validator = Validator::new(generation, access);
        let several = self.inputs.inputs.len() > 1;
        let mut outcome = Outcome::Clean;
        let mut answered = false;
        let mut walk = Walk::new();
        let mut printer = JsonPrinter::new(Printer::new(), self.format);
        walk.words(&self.inputs, |source, words| {
            let mut summary = validator.summary();
            let read = run_over(words, &validator, &mut summary);
            if is_wrong(&summary) {
                outcome = Outcome::Findings;
            }
            // What was read before an error still counts.
            if summary.items() > 0 {
                answered = true;
                if self.format == Format::Text {
                    let asked = format!("a {} on {generation}", access_in_words(access));
                    printer.inner().lines(&text(source.name(), &asked, &summary))?;
                } else {
                    printer.push(&document(generation, &summary, several.then_some(source.name())))?;
                }
            }
            read
        })?;
        printer.finish()?.finish()?;
        self.access.note_unchecked_alignment(answered);
        walk.exit(outcome)
    }
}

fn run_over(words: &mut Words, validator: &Validator, summary: &mut Summary) -> Result<()> {
    let bar = progress_bar(words.length());
    while let Some(block) = words.next_block()? {
        validator.run_into(summary, block);
        bar.set_position(words.offset());
    }
    bar.finish_and_clear();
    Ok(())
}

/// A bar on standard error when that is a terminal and the input is long.
fn progress_bar(length: Option<u64>) -> ProgressBar {
    let Some(length) = length.filter(|&length| length >= PROGRESS_FROM_BYTES) else {
        return ProgressBar::hidden();
    };
    let style = ProgressStyle::with_template(
        "{bar:40} {binary_bytes} of {binary_total_bytes}, {binary_bytes_per_sec}, {eta} left",
    );
    ProgressBar::new(length).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

fn is_wrong(summary: &Summary) -> bool {
    summary.ok() < summary.items()
        || Lint::ALL.iter().any(|&lint| lint.severity() == Severity::Error && summary.lint_count(lint) > 0)
}

/// Every id that occurred: its name, its count and the byte offsets of its first words.
fn occurred(summary: &Summary) -> (Vec<(Reason, u64, Vec<u64>)>, Vec<(Lint, u64, Vec<u64>)>) {
    let offsets = |items: &[u64]| items.iter().map(|item| item.saturating_mul(4)).collect();
    let reasons = Reason::ALL.iter().map(|&id| (id, summary.count(id), offsets(summary.first(id))));
    let lints = Lint::ALL.iter().map(|&id| (id, summary.lint_count(id), offsets(summary.first_lint(id))));
    (reasons.filter(|(_, count, _)| *count > 0).collect(), lints.filter(|(_, count, _)| *count > 0).collect())
}

fn document(generation: Generation, summary: &Summary, name: Option<&str>) -> Value {
    let (reasons, lints) = occurred(summary);
    let mut counts = Map::new();
    if summary.ok() > 0 {
        counts.insert("ok".to_owned(), json!(summary.ok()));
    }
    counts.extend(reasons.iter().map(|(id, count, _)| (id.code().to_owned(), json!(count))));
    let lint_counts: Map<_, _> = lints.iter().map(|(id, count, _)| (id.code().to_owned(), json!(count))).collect();
    let first_reasons = reasons.iter().map(|(id, _, first)| (id.code().to_owned(), json!(first)));
    let first_lints = lints.iter().map(|(id, _, first)| (id.code().to_owned(), json!(first)));
    let first: Map<_, _> = first_reasons.chain(first_lints).collect();
    let mut document = json!({
        "trnwire": trnwire_json::VERSION,
        "kind": Addr4::TABLE.kind,
        "arch": generation.name(),
        "items": summary.items(),
        "counts": counts,
        "lints": lint_counts,
        "first": first,
    });
    if let (Some(name), Value::Object(document)) = (name, &mut document) {
        document.insert("input".to_owned(), json!(name));
    }
    document
}

fn text(name: &str, asked: &str, summary: &Summary) -> Vec<Line> {
    let items = summary.items();
    let rejected = items.saturating_sub(summary.ok());
    let (reasons, lints) = occurred(summary);
    let (role, verdict) = match rejected {
        0 => (Role::Good, format!("{} accepted", counted(items, "word"))),
        _ => (Role::Bad, format!("{rejected} of {} rejected", counted(items, "word"))),
    };
    let lint_total: u64 = lints.iter().map(|(_, count, _)| count).sum();
    let line = |role, text| Line { role, text };
    let mut lines = vec![
        line(role, format!("{name}: {verdict}, {}", counted(lint_total, "lint"))),
        line(Role::Plain, format!("  asked about {asked}")),
        line(Role::Plain, row("validator", "ok", summary.ok(), items, &[])),
    ];
    lines.extend(
        reasons.iter().map(|(id, count, first)| line(Role::Bad, row("validator", id.code(), *count, items, first))),
    );
    lines.extend(lints.iter().map(|(id, count, first)| {
        let role = if id.severity() == Severity::Error { Role::Bad } else { Role::Warning };
        line(role, row(&format!("lint {}", id.severity()), id.code(), *count, items, first))
    }));
    lines
}

fn row(judge: &str, id: &str, count: u64, items: u64, first: &[u64]) -> String {
    const TENTHS_OF_PERCENT: u64 = 1000;
    let tenths = count.saturating_mul(TENTHS_OF_PERCENT).checked_div(items).unwrap_or_default();
    let share = format!("{}.{}%", tenths / 10, tenths % 10);
    let mut text = format!("  {judge:<12}  {id:<22}  {count:>12}  {share:>6}");
    if !first.is_empty() {
        let shown: Vec<_> = first.iter().map(|offset| format!("{offset:#x}")).collect();
        let more = if u64::try_from(first.len()).is_ok_and(|shown| shown < count) { " ..." } else { "" };
        text.push_str(&format!("  at {}{more}", shown.join(" ")));
    }
    text
}
