//! `trnwire explain`.

mod touched;

use std::ffi::{OsStr, OsString};
use std::io::Write;

use anyhow::{Result, bail};
use clap::Args;
use serde_json::Value;
use trnwire::Kind;
use trnwire::access::{Pattern, SlotType};
use trnwire::addr4::Addr4;
use trnwire::arch::Generation;
use trnwire::block::Block;
use trnwire::check::Severity;
use trnwire::context::Context;
use trnwire::explain::{
    BundleExplanation, Line, PatternExplanation, PatternView, RecordExplanation, Role, WordExplanation,
};
use trnwire::mesh::MeshEvent;
use trnwire::ring::{Place, RingChannel};
use trnwire_json::bundle::view;
use trnwire_json::collective::fields_of;
use trnwire_json::explain::{bundle_explanation, pattern_explanation, record_explanation, word_explanation};

use self::touched::{overlapping, touched};
use zerocopy::IntoBytes;

use super::Walk;
use crate::Outcome;
use crate::args::{AccessArguments, Arch, Channels, Format, Inputs, RecordArguments, RouteArguments, access_in_words};
use crate::input::{Source, noun};
use crate::output::{JsonPrinter, Printer};

/// Say what a word, descriptor or bundle is, whether it is legal, which rule decides and what would be legal instead.
///
/// Without --arch all generations are answered for; those that agree share a paragraph. Exit code 1 when something is
/// rejected, or has a lint or finding of severity error, on any generation that was asked for.
///
/// Example: trnwire explain 0x02008004 --arch trn2 --dtype bf16 --write
#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    arch: Arch,
    #[command(flatten)]
    access: AccessArguments,
    #[command(flatten)]
    channels: Channels,
    #[command(flatten)]
    record: RecordArguments,
    #[command(flatten)]
    route: RouteArguments,
    /// Explain only what lies at this byte offset of each input, such as `check` names; of a block the row or event there.
    #[arg(long, value_name = "OFFSET", value_parser = offset)]
    at: Option<u64>,
    /// Also say whether a descriptor shares bytes with this other one of the same kind, which is used alike.
    #[arg(long, value_name = "hex:BYTES")]
    overlap: Option<OsString>,
    /// Also list up to so many ranges of bytes that a descriptor touches, in ascending order.
    #[arg(long, value_name = "COUNT", default_value_t = 0, hide_default_value = true)]
    ranges: usize,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// List the meaning and the sources of every field, too.
    #[arg(short, long)]
    verbose: bool,
}

impl Options {
    pub(crate) fn run(self) -> Result<Outcome> {
        let generations =
            self.arch.generation().map_or_else(|| Generation::ALL.to_vec(), |generation| vec![generation]);
        let kind = self.inputs.kind;
        self.record.only_for_rows(kind)?;
        self.route.only_for_records(kind)?;
        self.channels.only_for_descriptors(kind)?;
        self.access.only_for_operands(kind)?;
        if !matches!(kind, Kind::Slot(_)) && (self.overlap.is_some() || self.ranges > 0) {
            bail!("--overlap and --ranges are about descriptors, and --as is {kind}");
        }
        let other = self.overlap.as_ref().map(|argument| single_record(argument, kind)).transpose()?;
        let mut outcome = Outcome::Clean;
        let mut walk = Walk::new();
        let mut printer = JsonPrinter::new(Printer::new(), self.format);
        let mut first = true;
        walk.records(&self.inputs, |source, records| {
            let mut found = false;
            let mut index = 0_u64;
            let is_alone = records.is_single();
            records.for_each(|offset, record| {
                let place = self.record.place(index, is_alone);
                index = index.saturating_add(1);
                if self.at.is_some_and(|wanted| !is_within(wanted, offset, record)) {
                    return Ok(());
                }
                found = true;
                let told = match kind {
                    Kind::Slot(slot) => self.tell_slot(slot, record, offset, &generations, other.as_deref())?,
                    Kind::Bundle => self.tell_bundle(record, offset, &generations)?,
                    _ if !kind.is_of_core() => self.tell_record(record, offset, place)?,
                    _ => self.tell_word(record, offset, &generations),
                };
                if told.is_wrong {
                    outcome = Outcome::Findings;
                }
                if self.format != Format::Text {
                    return printer.push(&told.document);
                }
                if !core::mem::take(&mut first) {
                    writeln!(printer.inner())?;
                }
                Ok(printer.inner().lines(&told.lines)?)
            })?;
            match self.at {
                Some(wanted) if !found => bail!("{}: no {} at offset {wanted:#x}", source.name(), noun(kind)),
                _ => Ok(()),
            }
        })?;
        printer.finish()?.finish()?;
        self.access.note_unchecked_alignment(kind, !first);
        walk.exit(outcome)
    }

    fn tell_word(&self, record: &[u8], offset: u64, generations: &[Generation]) -> Told {
        let word = record.first_chunk().map_or_else(Addr4::default, |&bytes| Addr4::from_wire(bytes));
        let explanation = WordExplanation::new(word, generations, |generation| self.access.on(generation));
        let mut lines = explanation.lines(self.verbose);
        lines.extend(self.asked(generations));
        Told { lines, document: word_explanation(&explanation, offset), is_wrong: is_wrong(&explanation) }
    }

    fn tell_slot(
        &self,
        slot: SlotType,
        record: &[u8],
        offset: u64,
        generations: &[Generation],
        other: Option<&[u8]>,
    ) -> Result<Told> {
        let pattern = Pattern::decode(slot, record)?;
        let access = |generation| self.access.on(generation);
        let (elem_size, channels) = (self.access.element_bytes(), self.channels.channels);
        let explanation = PatternExplanation::new(slot, pattern, generations, access, elem_size, channels);
        let mut document = pattern_explanation(&explanation, record, offset)?;
        let mut lines = explanation.lines(self.verbose);
        if self.ranges > 0 {
            touched(&explanation, self.ranges, &mut lines, &mut document);
        }
        if let Some(other) = other {
            let other = Pattern::decode(slot, other)?;
            overlapping(&explanation, &other, &mut lines, &mut document);
        }
        lines.extend(self.asked(generations));
        let is_error = |view: &PatternView| {
            let of_words = view.words.iter().flat_map(|word| &word.lints).map(|found| found.lint.severity());
            let of_reach = view.reach.iter().flatten().map(|found| found.lint.severity());
            view.verdict.is_err() || of_words.chain(of_reach).any(|severity| severity == Severity::Error)
        };
        let is_wrong = explanation.views.iter().any(is_error);
        Ok(Told { lines, document, is_wrong })
    }

    fn tell_bundle(&self, record: &[u8], offset: u64, generations: &[Generation]) -> Result<Told> {
        let explanation = BundleExplanation::new(view(record)?, generations);
        let mut findings = explanation.views.iter().flat_map(|view| &view.findings);
        let is_wrong = findings.any(|view| view.finding.id.severity() == Severity::Error);
        let document = bundle_explanation(&explanation, offset);
        Ok(Told { lines: explanation.lines(self.verbose), document, is_wrong })
    }

    fn tell_record(&self, record: &[u8], offset: u64, place: Place) -> Result<Told> {
        let (kind, record, offset, place) = match self.at {
            Some(wanted) => self.part_at(wanted.saturating_sub(offset), record, offset, place)?,
            None => (self.inputs.kind, record, offset, place),
        };
        let (fields, bytes) = fields_of(kind, self.arch.arch, record)?;
        let resolver = self.route.resolver(self.arch.arch)?;
        let explanation = RecordExplanation::new(kind, fields, bytes, place, resolver);
        let document = record_explanation(&explanation, fields, bytes, offset);
        Ok(Told { lines: explanation.lines(self.verbose), document, is_wrong: explanation.is_wrong() })
    }

    /// The row or event of a block or context that has this byte, or all of it where none has.
    fn part_at<'a>(
        &self,
        wanted: u64,
        record: &'a [u8],
        offset: u64,
        place: Place,
    ) -> Result<(Kind, &'a [u8], u64, Place)> {
        let kind = self.inputs.kind;
        let whole = (kind, record, offset, place);
        let block = match (kind, self.arch.arch) {
            (Kind::AlgoBlock, _) => Block::of_length(record),
            (Kind::Context, Some(arch)) => Some(Context::new(arch, record)?.0.algo),
            _ => None,
        };
        let Some(block) = block else { return Ok(whole) };
        let wanted = usize::try_from(wanted)?;
        let (rows, events) = (block.rows.as_bytes(), block.events.as_bytes());
        let parts = [
            (Kind::RingChannel, size_of::<RingChannel>(), rows, 0),
            (Kind::MeshEvent, size_of::<MeshEvent>(), events, rows.len()),
        ];
        for (kind, size, bytes, base) in parts {
            let Some(index) = wanted.checked_sub(base).and_then(|into| into.checked_div(size)) else { continue };
            let start = index.saturating_mul(size);
            if let Some(part) = bytes.get(start..start.saturating_add(size)) {
                let at = offset.saturating_add(u64::try_from(base.saturating_add(start))?);
                return Ok((kind, part, at, Place { row: u8::try_from(index).ok(), ..place }));
            }
        }
        Ok(whole)
    }

    /// What the verdicts are about. A dtype name can stand for another tag on another generation.
    fn asked(&self, generations: &[Generation]) -> Vec<Line> {
        let alike = generations.chunk_by(|&first, &second| self.access.on(first) == self.access.on(second));
        let line = |group: &[Generation]| {
            let access = access_in_words(self.access.on(*group.first()?));
            let names: Vec<_> = group.iter().map(|generation| generation.name()).collect();
            Some(Line { role: Role::Plain, text: format!("asked about a {access} on {}", names.join(", ")) })
        };
        alike.filter_map(line).collect()
    }
}

/// The only record of an argument.
fn single_record(argument: &OsStr, kind: Kind) -> Result<Vec<u8>> {
    let mut all = Vec::new();
    Source::parse(argument)?.open(kind)?.for_each(|_, record| {
        all.push(record.to_vec());
        Ok(())
    })?;
    match all.pop() {
        Some(record) if all.is_empty() => Ok(record),
        _ => bail!("--overlap takes one descriptor"),
    }
}

/// One item, explained both ways.
struct Told {
    lines: Vec<Line>,
    document: Value,
    is_wrong: bool,
}

/// Whether a byte offset lies in the record at `offset`.
fn is_within(wanted: u64, offset: u64, record: &[u8]) -> bool {
    wanted.checked_sub(offset).is_some_and(|into| u64::try_from(record.len()).is_ok_and(|length| into < length))
}

fn is_wrong(explanation: &WordExplanation) -> bool {
    explanation
        .views
        .iter()
        .any(|view| view.verdict.is_err() || view.lints.iter().any(|view| view.lint.severity() == Severity::Error))
}

/// A byte offset, decimal or with 0x.
fn offset(text: &str) -> Result<u64, String> {
    let number = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    number.map_err(|_| "an offset is a number such as 64 or 0x40".to_owned())
}
