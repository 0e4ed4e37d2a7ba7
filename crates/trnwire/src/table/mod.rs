//! One table per format.
//!
//! A position, width, unit, legal range, meaning and source is written once, in a `bitword!` or `record!` entry. Views,
//! getters, explanations, `trnwire kinds` and docs/formats all read that entry. Const assertions prove that the entries
//! of a format cover it without gap or overlap: a wrong table does not compile.

mod bitword;
mod c_header;
mod field;
mod record;
mod render;
mod source;

pub(crate) use bitword::bitword;
pub use c_header::{c_header, c_name};
pub use field::{BitRange, Field, Layout, Legal, Shape, Table, Unit};
pub(crate) use field::{layout_covers, record_covers};
pub use record::{Bytes, Reserved};
pub(crate) use record::{Wire, length_of, record};
pub(crate) use render::byte_position;
pub use render::{markdown, parts, text};
pub use source::{Confidence, Evidence, Source};
