//! `trnwire kinds`.

use std::io::Write;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use trnwire::table::{Table, text};
use trnwire_json::kinds;

use crate::Outcome;
use crate::args::{Format, Kind};
use crate::output::{JsonPrinter, Printer};
use crate::spelling::unknown;

/// List the formats, or show one format's table: position, type, unit, legal values, sources and meaning of each field.
///
/// Example: trnwire kinds addr4
#[derive(Args)]
pub(crate) struct Options {
    /// The format whose table to show.
    kind: Option<String>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Options {
    pub(crate) fn run(self) -> Result<Outcome> {
        let tables = match &self.kind {
            None => trnwire::TABLES,
            Some(name) => {
                let found = trnwire::TABLES.iter().find(|table| table.kind == name);
                let Some(table) = found else {
                    bail!("{name:?}: {}", unknown("kind", name, trnwire::TABLES.iter().map(|table| table.kind)));
                };
                core::slice::from_ref(table)
            }
        };
        let mut printer = JsonPrinter::new(Printer::new(), self.format);
        for table in tables {
            match self.format {
                Format::Text => write!(printer.inner(), "{}", self.in_words(table))?,
                Format::Json | Format::Ndjson => printer.push(&kinds::table(table))?,
            }
        }
        printer.finish()?.finish()?;
        Ok(Outcome::Clean)
    }

    fn in_words(&self, table: &Table) -> String {
        if self.kind.is_some() {
            text(table)
        } else {
            let is_read = Kind::from_str(table.kind, false).is_ok();
            let note = if is_read { "" } else { " (its table only, so far)" };
            format!("{:<12} {:>5} bytes  {}{note}\n", table.kind, table.size_bytes, table.title)
        }
    }
}
