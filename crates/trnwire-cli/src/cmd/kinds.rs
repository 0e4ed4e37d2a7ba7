//! `trnwire kinds`.

use std::io::Write;

use anyhow::Result;
use clap::Args;
use trnwire::Kind;
use trnwire::table::{Table, text};
use trnwire_json::kinds;

use crate::Outcome;
use crate::args::{Format, kind};
use crate::output::{JsonPrinter, Printer};

/// List the formats, or show one format's table: position, type, unit, legal values, sources and meaning of each field.
///
/// Example: trnwire kinds addr4
#[derive(Args)]
pub(crate) struct Options {
    /// The format whose table to show.
    #[arg(value_parser = kind)]
    kind: Option<Kind>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Options {
    pub(crate) fn run(self) -> Result<Outcome> {
        let kinds = match &self.kind {
            None => Kind::ALL,
            Some(kind) => core::slice::from_ref(kind),
        };
        let mut printer = JsonPrinter::new(Printer::new(), self.format);
        for table in kinds.iter().map(|kind| kind.table()) {
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
            format!("{:<13} {:>5} bytes  {}\n", table.kind, table.size_bytes, table.title)
        }
    }
}
