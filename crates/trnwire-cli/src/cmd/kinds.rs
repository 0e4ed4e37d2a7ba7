//! `trnwire kinds`.

use std::io::Write;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use serde_json::Value;
use trnwire::Kind;
use trnwire::block::View;
use trnwire::table::{Table, c_header, text};
use trnwire_json::dump::{self, Target};
use trnwire_json::{kinds, schema};

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
    /// text, json and ndjson: the table; c: a C header; schema: a JSON Schema of what `decode` prints; dump-schema: one of
    /// what `dump` prints.
    #[arg(long, value_enum, default_value_t, hide_possible_values = true)]
    format: KindsFormat,
}

/// How tables are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum KindsFormat {
    #[default]
    Text,
    Json,
    Ndjson,
    C,
    Schema,
    DumpSchema,
}

impl Options {
    pub(crate) fn run(self) -> Result<Outcome> {
        let kinds = match &self.kind {
            None => Kind::ALL,
            Some(kind) => core::slice::from_ref(kind),
        };
        let mut out = Printer::new();
        match self.format {
            KindsFormat::Text => kinds.iter().try_for_each(|kind| write!(out, "{}", self.in_words(kind.table())))?,
            KindsFormat::C => write!(out, "{}", c_header(kinds.iter().map(|kind| kind.table())))?,
            KindsFormat::Json | KindsFormat::Ndjson => {
                let format = if self.format == KindsFormat::Json { Format::Json } else { Format::Ndjson };
                return print_all(kinds.iter().map(|kind| kinds::table(kind.table())), format);
            }
            KindsFormat::Schema => return print_all(kinds.iter().map(|kind| schema::decoded(*kind)), Format::Json),
            KindsFormat::DumpSchema => {
                let Some(kind) = self.kind else { bail!("--format dump-schema needs a KIND, such as context") };
                return print_all(dump_schemas(kind)?.into_iter(), Format::Json);
            }
        }
        out.finish()?;
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

fn print_all(documents: impl Iterator<Item = Value>, format: Format) -> Result<Outcome> {
    let mut printer = JsonPrinter::new(Printer::new(), format);
    for document in documents {
        printer.push(&document)?;
    }
    printer.finish()?.finish()?;
    Ok(Outcome::Clean)
}

/// The schema of the dump of a kind; of a block there is one for each view.
fn dump_schemas(kind: Kind) -> Result<Vec<Value>> {
    let targets = match kind {
        Kind::RingChannel => vec![Target::RingChannel],
        Kind::MeshEvent => vec![Target::MeshEvent],
        Kind::RuntimeRow => vec![Target::RuntimeRow],
        Kind::CcOp => vec![Target::CcOp],
        Kind::AlgoState => vec![Target::AlgoState],
        Kind::AlgoBlock => View::ALL.map(Target::Block).to_vec(),
        Kind::Context => vec![Target::Context],
        kind => bail!("{kind} has no dump"),
    };
    Ok(targets.into_iter().map(dump::schema).collect())
}
