//! The fields of a record as a tree, and ways through it.

use alloc::{format, string::String, string::ToString, vec::Vec};

use super::Resolver;
use crate::mesh::event_type_name;
use crate::ring::NeighborType;
use crate::soc::SocAddress;
use crate::table::{Field, Shape};

/// The fields as rows of offset, path, value and, if asked for, meaning.
pub(super) struct Tree {
    resolver: Resolver,
    sources: bool,
    rows: Vec<[String; 4]>,
}

impl Tree {
    pub(super) const fn new(resolver: Resolver, sources: bool) -> Self {
        Self { resolver, sources, rows: Vec::new() }
    }

    pub(super) fn rows(mut self, fields: &[Field], bytes: &[u8]) -> Vec<[String; 4]> {
        self.fields("", fields, bytes, 0);
        self.rows
    }

    fn fields(&mut self, path: &str, fields: &[Field], bytes: &[u8], base: usize) {
        for field in fields {
            let name = join(path, field.name);
            let (bytes, offset) = part(field, bytes);
            let offset = base.saturating_add(offset);
            if is_whole(field) {
                self.value(&name, field, field.shape, bytes, offset);
            } else {
                self.row(&name, field, offset, field.bits.wide_get(number(bytes)).to_string());
            }
        }
    }

    fn row(&mut self, name: &str, field: &Field, offset: usize, value: String) {
        let told = if self.sources { format!("{} ({})", field.meaning, field.evidence) } else { String::new() };
        self.rows.push([offset.to_string(), name.to_string(), value, told]);
    }

    fn value(&mut self, name: &str, field: &Field, shape: Shape, bytes: &[u8], offset: usize) {
        let value = match shape {
            Shape::Record(_, fields) => return self.fields(name, fields, bytes, offset),
            Shape::Array(&element, _) => return self.elements(name, field, element, bytes, offset),
            Shape::Address => self.resolver.describe(SocAddress(number(bytes)), false),
            Shape::SemaphoreAddress => self.resolver.describe(SocAddress(number(bytes)), true),
            Shape::Reserved | Shape::Bytes => match bytes.iter().filter(|&&byte| byte != 0).count() {
                0 if self.sources => format!("{} bytes, zero", bytes.len()),
                0 => return,
                _ if bytes.len() <= 8 => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
                count => format!("{} bytes, {count} of them not zero", bytes.len()),
            },
            _ => hint(field.name, number(bytes)),
        };
        self.row(name, field, offset, value);
    }

    /// The elements of an array; runs of unused records become one row.
    fn elements(&mut self, name: &str, field: &Field, element: Shape, bytes: &[u8], offset: usize) {
        let elements: Vec<&[u8]> = elements_of(field.shape, bytes).collect();
        let collapses = matches!(element, Shape::Record(..));
        let mut at = offset;
        let mut index = 0_usize;
        while let Some(bytes) = elements.get(index) {
            let rest = elements.iter().skip(index);
            let unused = if collapses { rest.take_while(|bytes| is_zero(bytes)).count() } else { 0 };
            let last = index.saturating_add(unused.saturating_sub(1));
            match unused {
                0 => self.value(&format!("{name}[{index}]"), field, element, bytes, at),
                1 => self.row(&format!("{name}[{index}]"), field, at, "unused".to_string()),
                _ => self.row(&format!("{name}[{index}..={last}]"), field, at, "unused".to_string()),
            }
            at = at.saturating_add(bytes.len().saturating_mul(unused.max(1)));
            index = last.saturating_add(1);
        }
    }
}

/// A number and, where a field has names, the name of the value.
fn hint(field: &str, value: u64) -> String {
    let name = match (field, u8::try_from(value)) {
        ("type", Ok(number)) => NeighborType::from_number(number).map(NeighborType::hint),
        ("event_type", Ok(number)) => event_type_name(number),
        _ => None,
    };
    match name {
        Some(name) => format!("{value} ({name})"),
        None if matches!(field, "mask" | "dma_engines_bitmap") => format!("{value:#x}"),
        None => value.to_string(),
    }
}

pub(super) fn addresses_in(path: &str, fields: &[Field], bytes: &[u8], found: &mut Vec<(String, SocAddress)>) {
    for field in fields.iter().filter(|field| is_whole(field)) {
        of_shape(&join(path, field.name), field.shape, part(field, bytes).0, found);
    }
}

fn of_shape(path: &str, shape: Shape, bytes: &[u8], found: &mut Vec<(String, SocAddress)>) {
    match shape {
        Shape::SemaphoreAddress if !is_zero(bytes) => found.push((path.to_string(), SocAddress(number(bytes)))),
        Shape::Record(_, fields) => addresses_in(path, fields, bytes, found),
        Shape::Array(&element, _) => {
            for (index, bytes) in elements_of(shape, bytes).enumerate() {
                of_shape(&format!("{path}[{index}]"), element, bytes, found);
            }
        }
        _ => {}
    }
}

/// The elements of an array that fills the bytes.
pub(super) fn elements_of(shape: Shape, bytes: &[u8]) -> core::slice::Chunks<'_, u8> {
    let length = match shape {
        Shape::Array(_, length) => usize::try_from(length).unwrap_or_default(),
        _ => 1,
    };
    bytes.chunks(bytes.len().checked_div(length).unwrap_or_default().max(1))
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_string() } else { format!("{path}.{name}") }
}

/// Whether a field is made of whole bytes.
pub(super) const fn is_whole(field: &Field) -> bool {
    field.bits.low % 8 == 0 && field.bits.width() % 8 == 0
}

/// The bytes of a field and where they begin. A field of a word has all bytes from its first bit's on.
pub(super) fn part<'a>(field: &Field, bytes: &'a [u8]) -> (&'a [u8], usize) {
    let index = |byte: u32| usize::try_from(byte).unwrap_or_default();
    let (first, last) = (index(field.bits.low / 8), index(field.bits.high / 8));
    match is_whole(field) {
        true => (bytes.get(first..last.saturating_add(1)).unwrap_or_default(), first),
        false => (bytes, first),
    }
}

pub(super) fn number(bytes: &[u8]) -> u64 {
    bytes.iter().take(8).rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

pub(super) fn is_zero(bytes: &[u8]) -> bool {
    bytes.iter().all(|&byte| byte == 0)
}
