//! A table as text for terminals and as a page for docs/formats.

use alloc::{format, string::String, string::ToString, vec::Vec};
use core::fmt::Write;

use super::{Field, Layout, Shape, Table};
use crate::columns::aligned;

const COLUMNS: usize = 7;

/// The table as `trnwire kinds KIND` prints it.
#[must_use]
pub fn text(table: &Table) -> String {
    let mut out = format!("{}: {} ({} bytes)\n", table.kind, table.title, table.size_bytes);
    for layout in table.layouts {
        let _ = write!(out, "\n{}\n", heading(layout));
        for line in aligned(&rows(table.is_word, layout.fields)) {
            let _ = writeln!(out, "  {line}");
        }
    }
    for (name, fields) in parts(table) {
        let _ = write!(out, "\n{name}\n");
        for line in aligned(&rows(is_cut_into_bits(fields), fields)) {
            let _ = writeln!(out, "  {line}");
        }
    }
    out
}

/// The records within a format that are no format of their own, each once, with their fields.
#[must_use]
pub fn parts(table: &Table) -> Vec<(&'static str, &'static [Field])> {
    let mut found = Vec::new();
    for layout in table.layouts {
        parts_of(layout.fields, &mut found);
    }
    found
}

fn parts_of(fields: &'static [Field], found: &mut Vec<(&'static str, &'static [Field])>) {
    for field in fields {
        let shape = match field.shape {
            Shape::Array(&element, _) => element,
            shape => shape,
        };
        let Shape::Record(name, fields) = shape else { continue };
        if crate::Kind::parse(name).is_none() && !found.iter().any(|(known, _)| *known == name) {
            found.push((name, fields));
            parts_of(fields, found);
        }
    }
}

fn is_cut_into_bits(fields: &[Field]) -> bool {
    fields.iter().any(|field| field.bits.low % 8 != 0 || field.bits.width() % 8 != 0)
}

/// The table as a Markdown page.
#[must_use]
pub fn markdown(table: &Table) -> String {
    let mut out = format!(
        "# {}\n\nThis is {}. Size: {} bytes.\n\nGenerated from the table in the source; do not edit.\n",
        table.kind, table.title, table.size_bytes
    );
    for layout in table.layouts {
        markdown_rows(&mut out, &heading(layout), table.is_word, layout.fields);
    }
    for (name, fields) in parts(table) {
        markdown_rows(&mut out, name, is_cut_into_bits(fields), fields);
    }
    out
}

fn markdown_rows(out: &mut String, heading: &str, is_word: bool, fields: &[Field]) {
    let _ = write!(out, "\n## {heading}\n\n");
    for (index, row) in rows(is_word, fields).iter().enumerate() {
        let _ = writeln!(out, "| {} |", row.join(" | "));
        if index == 0 {
            let _ = writeln!(out, "|{}", "---|".repeat(COLUMNS));
        }
    }
}

fn heading(layout: &Layout) -> String {
    format!("{}, when {}", layout.name, layout.when)
}

/// A heading row, then a row per field: words highest bit first, as people draw them.
fn rows(is_word: bool, fields: &[Field]) -> Vec<[String; COLUMNS]> {
    let position = if is_word { "bits" } else { "bytes" };
    let mut rows: Vec<_> = fields.iter().map(|field| row(is_word, field)).collect();
    if is_word {
        rows.reverse();
    }
    rows.insert(0, [position, "field", "type", "unit", "legal", "evidence", "meaning"].map(ToString::to_string));
    rows
}

fn row(is_word: bool, field: &Field) -> [String; COLUMNS] {
    let position = if is_word { field.bits.to_string() } else { byte_position(field) };
    [
        position,
        field.name.to_string(),
        field.shape.to_string(),
        field.unit.name().to_string(),
        field.legal.to_string(),
        field.evidence.to_string(),
        field.meaning.to_string(),
    ]
}

/// Which bytes of a record a field fills: `4..=7`.
pub(crate) fn byte_position(field: &Field) -> String {
    let (first, last) = (field.bits.low / 8, field.bits.high / 8);
    if first == last { first.to_string() } else { format!("{first}..={last}") }
}
