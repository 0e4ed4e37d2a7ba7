//! What a check found, as text and as JSON.

use core::fmt::Display;
use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use trnwire::Kind;
use trnwire::bundle::Opcode;
use trnwire::check::Severity;
use trnwire::explain::{Line, Role};
use trnwire_batch::RecordTally;

use super::FIRST;
use crate::input::noun;
use crate::output::counted;

/// What a check found in one input.
pub(super) struct Report {
    pub(super) kind: Kind,
    /// The generation, or the architecture of collectives.
    pub(super) arch: &'static str,
    pub(super) items: u64,
    /// The verdicts on whole items. With `ok` they add up to `items`.
    pub(super) verdicts: Vec<Occurred>,
    pub(super) lints: Vec<Occurred>,
    /// How often each opcode occurs, where items have one.
    pub(super) opcodes: Option<BTreeMap<u8, u64>>,
}

/// A verdict or lint that occurred.
pub(super) struct Occurred {
    pub(super) judge: Judge,
    pub(super) severity: Severity,
    pub(super) id: String,
    pub(super) count: u64,
    /// Byte offsets of the first items on which it did.
    pub(super) first: Vec<u64>,
}

impl Occurred {
    /// What a summary counted, if it did; `first` are the places of items of `item_bytes` each.
    pub(super) fn counted(
        (judge, severity): (Judge, Severity),
        id: impl Display,
        count: u64,
        first: &[u64],
        item_bytes: u64,
    ) -> Option<Self> {
        let first = first.iter().map(|item| item.saturating_mul(item_bytes)).collect();
        (count > 0).then(|| Self { judge, severity, id: id.to_string(), count, first })
    }
}

impl Occurred {
    pub(super) fn of_tally(judge: Judge, severity: Severity, id: String, tally: RecordTally) -> Self {
        Self { judge, severity, id, count: tally.count, first: tally.first }
    }
}

/// Who says so.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Judge {
    /// The vendor library's own validator.
    Validator,
    /// We, on a word or a descriptor.
    Lint,
    /// Validators and we together, on one point of a bundle; we alone, on a record of collectives.
    Finding,
    /// The worst finding of an item.
    Worst,
    /// The reader of addresses.
    Decoder,
}

impl Judge {
    /// What stands in the first column.
    const fn column(self, severity: Severity) -> &'static str {
        match (self, severity) {
            (Self::Validator, _) => "validator",
            (Self::Decoder, _) => "addresses",
            (Self::Worst, _) => "items",
            (Self::Lint, Severity::Error) => "lint error",
            (Self::Lint, Severity::Warning) => "lint warning",
            (Self::Lint, Severity::Note) => "lint note",
            (Self::Finding, severity) => severity.name(),
        }
    }
}

impl Report {
    pub(super) fn ok(&self) -> u64 {
        self.items.saturating_sub(self.verdicts.iter().map(|verdict| verdict.count).sum())
    }

    pub(super) fn is_wrong(&self) -> bool {
        self.all().any(|occurred| occurred.severity == Severity::Error)
    }

    fn all(&self) -> impl Iterator<Item = &Occurred> {
        self.verdicts.iter().chain(&self.lints)
    }

    pub(super) fn document(&self, name: Option<&str>) -> Value {
        let ok = (self.ok() > 0).then(|| ("ok".to_owned(), json!(self.ok())));
        let counts: Map<_, _> = ok.into_iter().chain(self.verdicts.iter().map(Occurred::count_entry)).collect();
        let lints: Map<_, _> = self.lints.iter().map(Occurred::count_entry).collect();
        let mut document = json!({
            "trnwire": trnwire_json::VERSION,
            "kind": self.kind.name(),
            "arch": self.arch,
            "items": self.items,
            "counts": counts,
            "lints": lints,
            "first": self.first(),
        });
        if let (Some(opcodes), Value::Object(document)) = (&self.opcodes, &mut document) {
            let counts: Map<_, _> =
                opcodes.iter().map(|(opcode, count)| (format!("0x{opcode:02X}"), json!(count))).collect();
            document.insert("opcodes".to_owned(), Value::Object(counts));
        }
        if let (Some(name), Value::Object(document)) = (name, &mut document) {
            document.insert("input".to_owned(), json!(name));
        }
        document
    }

    /// The first offsets of every id. A verdict and a lint can have one name; then their offsets are joined.
    fn first(&self) -> Map<String, Value> {
        let mut first: Vec<(&str, Vec<u64>)> = Vec::new();
        for occurred in self.all() {
            match first.iter_mut().find(|(id, _)| *id == occurred.id) {
                None => first.push((&occurred.id, occurred.first.clone())),
                Some((_, offsets)) => {
                    offsets.extend(&occurred.first);
                    offsets.sort_unstable();
                    offsets.dedup();
                    offsets.truncate(FIRST);
                }
            }
        }
        first.into_iter().map(|(id, offsets)| (id.to_owned(), json!(offsets))).collect()
    }

    pub(super) fn lines(&self, name: &str, asked: &str) -> Vec<Line> {
        let items = counted(self.items, noun(self.kind));
        let has_findings = !matches!(self.kind, Kind::Addr4 | Kind::Slot(_));
        let wrong = self.verdicts.iter().filter(|verdict| verdict.severity == Severity::Error);
        let (role, verdict) = match wrong.map(|verdict| verdict.count).sum::<u64>() {
            0 if has_findings => (Role::Good, format!("{items} without an error")),
            0 => (Role::Good, format!("{items} accepted")),
            wrong if has_findings => (Role::Bad, format!("{wrong} of {items} with an error")),
            wrong => (Role::Bad, format!("{wrong} of {items} rejected")),
        };
        let lints = self.lints.iter().map(|lint| lint.count).sum();
        let lints = counted(lints, if has_findings { "finding" } else { "lint" });
        let judge = if has_findings { Judge::Worst } else { Judge::Validator };
        let width = self.all().map(|occurred| occurred.id.len()).fold(22, usize::max);
        let mut lines = vec![
            Line { role, text: format!("{name}: {verdict}, {lints}") },
            Line { role: Role::Plain, text: format!("  asked about {asked}") },
            Line {
                role: Role::Plain,
                text: row(judge.column(Severity::Note), "ok", width, self.ok(), Some(self.items)),
            },
        ];
        lines.extend(self.all().map(|occurred| occurred.line(width, self.items)));
        lines.extend(self.opcodes.as_ref().map(most_frequent));
        lines
    }
}

impl Occurred {
    fn count_entry(&self) -> (String, Value) {
        (self.id.clone(), json!(self.count))
    }

    fn line(&self, width: usize, items: u64) -> Line {
        let role = match self.severity {
            Severity::Error => Role::Bad,
            Severity::Warning => Role::Warning,
            Severity::Note => Role::Plain,
        };
        let shown: Vec<_> = self.first.iter().map(|offset| format!("{offset:#x}")).collect();
        // An item is shown once, however often something occurred in it.
        let is_cut = shown.len() == FIRST && u64::try_from(shown.len()).is_ok_and(|shown| shown < self.count);
        let more = if is_cut { " ..." } else { "" };
        // Findings are not shares of items: one can have several.
        let of = if self.judge == Judge::Finding { None } else { Some(items) };
        let row = row(self.judge.column(self.severity), &self.id, width, self.count, of);
        Line { role, text: format!("{row}  at {}{more}", shown.join(" ")) }
    }
}

/// The opcodes that occur most often.
fn most_frequent(opcodes: &BTreeMap<u8, u64>) -> Line {
    const SHOWN: usize = 8;
    let mut sorted: Vec<_> = opcodes.iter().collect();
    sorted.sort_by_key(|(opcode, count)| (core::cmp::Reverse(**count), **opcode));
    let name = |opcode: u8| Opcode::new(opcode).facts().map_or("unassigned", |facts| facts.name);
    let named = |(opcode, count): &(&u8, &u64)| format!("{count} {} (0x{opcode:02X})", name(**opcode));
    let shown: Vec<_> = sorted.iter().take(SHOWN).map(named).collect();
    let more = match sorted.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(", and {more} others"),
    };
    Line { role: Role::Plain, text: format!("  opcodes       {}{more}", shown.join(", ")) }
}

/// A count, and its share of all items where it is one.
fn row(judge: &str, id: &str, width: usize, count: u64, items: Option<u64>) -> String {
    let share = items.map_or_else(String::new, |items| {
        let tenths = count.saturating_mul(1000).saturating_add(items / 2).checked_div(items).unwrap_or_default();
        format!("{}.{}%", tenths / 10, tenths % 10)
    });
    format!("  {judge:<12}  {id:<width$}  {count:>12}  {share:>6}")
}
