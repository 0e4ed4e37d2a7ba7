//! Text in columns.

use alloc::{format, string::String, string::ToString, vec::Vec};

/// Rows of cells, each column as wide as its widest cell, two spaces apart.
#[must_use]
pub fn aligned(rows: &[impl AsRef<[String]>]) -> Vec<String> {
    let mut widths: Vec<usize> = Vec::new();
    for row in rows {
        widths.resize(widths.len().max(row.as_ref().len()), 0);
        for (width, cell) in widths.iter_mut().zip(row.as_ref()) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let line = |row: &[String]| {
        let cells: Vec<_> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        cells.join("  ").trim_end().to_string()
    };
    rows.iter().map(|row| line(row.as_ref())).collect()
}
