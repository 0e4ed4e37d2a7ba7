//! The tables as a C header: packed structures with a static assertion for every offset, and masks for words of bits.

use alloc::{format, string::String, string::ToString, vec::Vec};
use core::fmt::Write;

use super::{Field, Shape, Table};

const HEAD: &str = "\
/* The records of trnwire as C structures, little-endian and packed. Generated from the tables; do not edit. */
#ifndef TRNWIRE_H
#define TRNWIRE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define TRNWIRE_ASSERT(condition) static_assert(condition, #condition)
#else
#define TRNWIRE_ASSERT(condition) _Static_assert(condition, #condition)
#endif

#pragma pack(push, 1)
";

const TAIL: &str = "\n#pragma pack(pop)\n\n#endif\n";

/// A header with all records of these formats and all that they are made of.
#[must_use]
pub fn c_header<'a>(tables: impl IntoIterator<Item = &'a Table>) -> String {
    let mut header = Header { text: HEAD.to_string(), done: Vec::new() };
    for table in tables {
        header.table(table);
    }
    header.text.push_str(TAIL);
    header.text
}

/// The C name of a format's structure, or of one of its readings.
#[must_use]
pub fn c_name(table: &Table, layout: &str) -> String {
    match table.layouts.len() {
        1 => type_name(table.kind),
        _ => format!("{}_{}", type_name(table.kind), snake(layout)),
    }
}

/// `trnwire_neff_config` for `NeffConfig`, `trnwire_ring_channel` for `ring-channel`.
fn type_name(name: &str) -> String {
    format!("trnwire_{}", snake(name))
}

fn snake(name: &str) -> String {
    let mut out = String::new();
    for character in name.chars() {
        if character.is_ascii_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(if character == '-' { '_' } else { character.to_ascii_lowercase() });
    }
    out
}

struct Header {
    text: String,
    /// Names of what is written.
    done: Vec<String>,
}

impl Header {
    fn table(&mut self, table: &Table) {
        for layout in table.layouts {
            let name = c_name(table, layout.name);
            if is_word(layout.fields) {
                self.word(&name, table.title, table.size_bytes, layout.fields);
            } else {
                let when = if layout.when == "always" { String::new() } else { format!(", when {}", layout.when) };
                self.record(&name, &format!("{}{when}", table.title), layout.fields);
            }
        }
    }

    fn is_new(&mut self, name: &str) -> bool {
        let is_new = !self.done.iter().any(|done| done == name);
        if is_new {
            self.done.push(name.to_string());
        }
        is_new
    }

    fn record(&mut self, name: &str, comment: &str, fields: &[Field]) {
        if self.done.iter().any(|done| done == name) {
            return;
        }
        // What a record is made of stands before it.
        for field in fields {
            self.parts(field.shape);
        }
        if !self.is_new(name) {
            return;
        }
        let _ = write!(self.text, "\n/* {comment} */\ntypedef struct {name} {{\n");
        for field in fields {
            let (element, length) = declared(field.shape, field.bits.width() / 8);
            let array = length.map_or_else(String::new, |length| format!("[{length}]"));
            let _ = writeln!(self.text, "    {element} {}{array}; /* {} */", field.name, field.meaning);
        }
        let size = fields.last().map_or(0, |field| field.bits.high / 8).saturating_add(1);
        let _ = write!(self.text, "}} {name};\nTRNWIRE_ASSERT(sizeof({name}) == {size});\n");
        for field in fields {
            let offset = field.bits.low / 8;
            let _ = writeln!(self.text, "TRNWIRE_ASSERT(offsetof({name}, {}) == {offset});", field.name);
        }
    }

    fn parts(&mut self, shape: Shape) {
        match shape {
            Shape::Array(&element, _) => self.parts(element),
            Shape::Record(name, fields) if is_word(fields) => {
                let bits = fields.iter().map(|field| field.bits.high).max().unwrap_or_default();
                self.word(&type_name(name), name, bits.saturating_add(1) / 8, fields);
            }
            Shape::Record(name, fields) => self.record(&type_name(name), name, fields),
            _ => {}
        }
    }

    /// A word of bits: its type, and shift and mask of each field.
    fn word(&mut self, name: &str, comment: &str, size_bytes: u32, fields: &[Field]) {
        if !self.is_new(name) {
            return;
        }
        let bits = size_bytes.saturating_mul(8);
        let _ = write!(self.text, "\n/* {comment} */\ntypedef uint{bits}_t {name};\n");
        let prefix = name.to_uppercase();
        for field in fields {
            let name = field.name.to_uppercase();
            let _ = writeln!(self.text, "#define {prefix}_{name}_SHIFT {} /* {} */", field.bits.low, field.meaning);
            let _ = writeln!(self.text, "#define {prefix}_{name}_MASK UINT64_C({:#x})", field.bits.wide_mask());
        }
    }
}

/// Whether fields cut a word into bits.
fn is_word(fields: &[Field]) -> bool {
    fields.iter().any(|field| field.bits.low % 8 != 0 || field.bits.width() % 8 != 0)
}

/// The C type of a field of so many bytes, and its length when it is an array.
fn declared(shape: Shape, bytes: u32) -> (String, Option<u32>) {
    match shape {
        Shape::Array(&element, length) => {
            let (element, _) = declared(element, bytes.checked_div(length).unwrap_or_default());
            (element, Some(length))
        }
        Shape::Record(name, _) => (type_name(name), None),
        Shape::Reserved | Shape::Bytes => ("uint8_t".to_string(), Some(bytes)),
        Shape::Signed => (format!("int{}_t", bytes.saturating_mul(8)), None),
        _ => (format!("uint{}_t", bytes.saturating_mul(8)), None),
    }
}
