//! `trnwire check`.

mod bundles;
mod records;
mod report;
mod slots;
mod tally;
mod words;

use anyhow::{Result, bail};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use trnwire::Kind;

use super::Walk;
use crate::Outcome;
use crate::args::{AccessArguments, Arch, Channels, Format, Inputs, RecordArguments, access_in_words};
use crate::output::{JsonPrinter, Printer};

/// How many offsets of each id are shown.
const FIRST: usize = 8;

/// Shorter inputs are done before anybody could read a progress bar.
const PROGRESS_FROM_BYTES: u64 = 64 << 20;

/// Judge every word or record: counts per rule and per lint, and the byte offsets of the first of each.
///
/// For words and descriptors the rules are those of the vendor library's own validator, and lints are trnwire's; on records of collectives
/// all rules are trnwire's. Exit code 1 when something is rejected or has a finding of severity error; warnings alone leave it 0.
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
    #[command(flatten)]
    channels: Channels,
    #[command(flatten)]
    record: RecordArguments,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Options {
    pub(crate) fn run(self) -> Result<Outcome> {
        let Some(arch) = self.arch.arch else {
            bail!("check needs --arch (gen2, gen3 or gen4): the rules differ between generations");
        };
        let generation = arch.generation();
        let kind = self.inputs.kind;
        self.record.only_for_rows(kind)?;
        self.channels.only_for_descriptors(kind)?;
        self.access.only_for_operands(kind)?;
        let access = self.access.on(generation);
        let asked = match kind {
            Kind::Bundle => format!("bundles on {generation}"),
            _ if !kind.is_of_core() => format!("records on {arch}"),
            _ => format!("a {} on {generation}", access_in_words(access)),
        };
        let several = self.inputs.inputs.len() > 1;
        let mut outcome = Outcome::Clean;
        let mut answered = false;
        let mut walk = Walk::new();
        let mut printer = JsonPrinter::new(Printer::new(), self.format).array(several);
        walk.records(&self.inputs, |source, records| {
            let (report, read) = match kind {
                Kind::Slot(slot) => {
                    let (element_bytes, channels) = (self.access.element_bytes(), self.channels.channels);
                    let question = slots::Question { generation, slot, access, element_bytes, channels };
                    slots::run(&question, records)
                }
                Kind::Bundle => bundles::run(generation, records),
                _ if !kind.is_of_core() => records::run(kind, arch, &self.record, records),
                _ => words::run(generation, access, records),
            };
            if report.is_wrong() {
                outcome = Outcome::Findings;
            }
            // What was read before an error still counts.
            if report.items > 0 {
                answered = true;
                if self.format == Format::Text {
                    printer.inner().lines(&report.lines(source.name(), &asked))?;
                } else {
                    printer.push(&report.document(several.then_some(source.name())))?;
                }
            }
            read
        })?;
        printer.finish()?.finish()?;
        self.access.note_unchecked_alignment(kind, answered);
        walk.exit(outcome)
    }
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
