//! A table as text for terminals and as a page for docs/formats.

use alloc::{format, string::String, string::ToString, vec::Vec};
use core::fmt::Write;

use super::{Field, Layout, Table};
use crate::columns::aligned;

const COLUMNS: usize = 7;

/// The table as `trnwire kinds KIND` prints it.
#[must_use]
pub fn text(table: &Table) -> String {
    let mut out = format!("{}: {} ({} bytes)\n", table.kind, table.title, table.size_bytes);
    for layout in table.layouts {
        let _ = write!(out, "\n{}\n", heading(layout));
        for line in aligned(&rows(table, layout)) {
            let _ = writeln!(out, "  {line}");
        }
    }
    out
}

/// The table as a Markdown page.
#[must_use]
pub fn markdown(table: &Table) -> String {
    let mut out = format!(
        "# {}\n\nThis is {}. Size: {} bytes.\n\nGenerated from the table in the source; do not edit.\n",
        table.kind, table.title, table.size_bytes
    );
    for layout in table.layouts {
        let _ = write!(out, "\n## {}\n\n", heading(layout));
        for (index, row) in rows(table, layout).iter().enumerate() {
            let _ = writeln!(out, "| {} |", row.join(" | "));
            if index == 0 {
                let _ = writeln!(out, "|{}", "---|".repeat(COLUMNS));
            }
        }
    }
    out
}

fn heading(layout: &Layout) -> String {
    format!("{}, when {}", layout.name, layout.when)
}

/// A heading row, then a row per field: words highest bit first, as people draw them.
fn rows(table: &Table, layout: &Layout) -> Vec<[String; COLUMNS]> {
    let position = if table.is_word { "bits" } else { "bytes" };
    let mut rows: Vec<_> = layout.fields.iter().map(|field| row(table, field)).collect();
    if table.is_word {
        rows.reverse();
    }
    rows.insert(0, [position, "field", "type", "unit", "legal", "evidence", "meaning"].map(ToString::to_string));
    rows
}

fn row(table: &Table, field: &Field) -> [String; COLUMNS] {
    let position = if table.is_word { field.bits.to_string() } else { byte_position(field) };
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
