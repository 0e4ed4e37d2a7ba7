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
        let mut printer = JsonPrinter::new(Printer::new(), self.format).array(several);
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

/// A rule or lint that occurred.
struct Occurred {
    judge: &'static str,
    severity: Severity,
    id: &'static str,
    count: u64,
    /// Byte offsets of its first words.
    first: Vec<u64>,
}

impl Occurred {
    fn new(judge: &'static str, severity: Severity, id: &'static str, count: u64, items: &[u64]) -> Option<Self> {
        let first = items.iter().map(|item| item.saturating_mul(4)).collect();
        (count > 0).then_some(Self { judge, severity, id, count, first })
    }

    fn reasons(summary: &Summary) -> Vec<Self> {
        let of =
            |&id: &Reason| Self::new("validator", Severity::Error, id.code(), summary.count(id), summary.first(id));
        Reason::ALL.iter().filter_map(of).collect()
    }

    fn lints(summary: &Summary) -> Vec<Self> {
        let of = |&id: &Lint| {
            let judge = if id.severity() == Severity::Error { "lint error" } else { "lint warning" };
            Self::new(judge, id.severity(), id.code(), summary.lint_count(id), summary.first_lint(id))
        };
        Lint::ALL.iter().filter_map(of).collect()
    }

    fn count_entry(&self) -> (String, Value) {
        (self.id.to_owned(), json!(self.count))
    }

    fn first_entry(&self) -> (String, Value) {
        (self.id.to_owned(), json!(self.first))
    }

    fn line(&self, items: u64) -> Line {
        let role = if self.severity == Severity::Error { Role::Bad } else { Role::Warning };
        let shown: Vec<_> = self.first.iter().map(|offset| format!("{offset:#x}")).collect();
        let more = if u64::try_from(shown.len()).is_ok_and(|shown| shown < self.count) { " ..." } else { "" };
        let row = row(self.judge, self.id, self.count, items);
        Line { role, text: format!("{row}  at {}{more}", shown.join(" ")) }
    }
}

fn document(generation: Generation, summary: &Summary, name: Option<&str>) -> Value {
    let (reasons, lints) = (Occurred::reasons(summary), Occurred::lints(summary));
    let ok = (summary.ok() > 0).then(|| ("ok".to_owned(), json!(summary.ok())));
    let counts: Map<_, _> = ok.into_iter().chain(reasons.iter().map(Occurred::count_entry)).collect();
    let lint_counts: Map<_, _> = lints.iter().map(Occurred::count_entry).collect();
    let first: Map<_, _> = reasons.iter().chain(&lints).map(Occurred::first_entry).collect();
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
    let (reasons, lints) = (Occurred::reasons(summary), Occurred::lints(summary));
    let (role, verdict) = match rejected {
        0 => (Role::Good, format!("{} accepted", counted(items, "word"))),
        _ => (Role::Bad, format!("{rejected} of {} rejected", counted(items, "word"))),
    };
    let lint_total = lints.iter().map(|lint| lint.count).sum();
    let mut lines = vec![
        Line { role, text: format!("{name}: {verdict}, {}", counted(lint_total, "lint")) },
        Line { role: Role::Plain, text: format!("  asked about {asked}") },
        Line { role: Role::Plain, text: row("validator", "ok", summary.ok(), items) },
    ];
    lines.extend(reasons.iter().chain(&lints).map(|occurred| occurred.line(items)));
    lines
}

fn row(judge: &str, id: &str, count: u64, items: u64) -> String {
    let tenths = count.saturating_mul(1000).saturating_add(items / 2).checked_div(items).unwrap_or_default();
    let share = format!("{}.{}%", tenths / 10, tenths % 10);
    format!("  {judge:<12}  {id:<22}  {count:>12}  {share:>6}")
}
