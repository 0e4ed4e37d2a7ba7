//! Reading a dump back to bytes.
//!
//! The reader walks the tree that the writer walks, with `serde_json` for the syntax. Everything is checked by type; keys may
//! come in any order, and none may be missing, unknown or there twice.

mod barrier;
mod key;
mod leaf;
mod list;
mod value;

use core::fmt;

use serde::de::DeserializeSeed;
use trnwire::arch::CollectiveArch;
use trnwire::block::View;
use trnwire::context::{self, smallest_context};
use trnwire::mesh::MeshEvent;
use trnwire::ring::{RING_ROWS, RingChannel};

use super::Parts;
use super::replay::replay;
use super::shape::Part;
pub(super) use leaf::hex_number;
use value::Root;

/// What a dump was made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A block in this view.
    Block(View),
    /// A context, whose bytes lie as in this view.
    Context(View),
}

/// A dump as bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    /// The bytes: the smallest that hold everything.
    pub bytes: Vec<u8>,
    /// What they are.
    pub source: Source,
    /// The name of the model, which no byte holds; only a context has one.
    pub model_name: Option<String>,
    /// What the dump does not say and what is zero, therefore.
    pub zeroed: Vec<&'static str>,
}

/// Why a dump cannot be read: what is wrong, the path to it, line and column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackError {
    /// Path to the value, as a JSON pointer; empty for the whole.
    pub pointer: String,
    message: String,
}

impl fmt::Display for PackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.pointer.is_empty() {
            write!(f, "{}: ", self.pointer)?;
        }
        f.write_str(&self.message)
    }
}

impl core::error::Error for PackError {}

/// Reads the dump of a block or a context.
///
/// # Errors
/// The first thing that no dump has.
pub fn pack(text: &[u8]) -> Result<Packed, PackError> {
    replay(text).map_or_else(|| pack_slowly(text), Ok)
}

/// [`pack`] for any text that is a dump, however it is written.
pub(super) fn pack_slowly(text: &[u8]) -> Result<Packed, PackError> {
    let mut reader = Reader::new();
    let mut json = serde_json::Deserializer::from_slice(text);
    let read = Root(&mut reader).deserialize(&mut json).and_then(|()| json.end());
    let result = read.map_err(|error| error.to_string()).and_then(|()| reader.packed());
    result.map_err(|message| PackError { pointer: reader.pointer(), message })
}

/// What has been read, in parts.
pub(super) struct Reader {
    parts: [Vec<u8>; Part::COUNT],
    pub(super) model_name: Option<String>,
    pub(super) is_context: bool,
    pub(super) has_stub: bool,
    /// Groups of members that the dump has.
    pub(super) has_wire: bool,
    /// Parts whose less certain members it has.
    pub(super) has_full: bool,
    pub(super) lacks_full: bool,
    /// The path to an error, innermost first.
    path: Vec<Step>,
}

enum Step {
    Key(&'static str),
    Index(usize),
}

impl Reader {
    pub(super) fn new() -> Self {
        let mut parts: [Vec<u8>; Part::COUNT] = Default::default();
        let mut set = |part: Part, size: usize| {
            if let Some(place) = parts.get_mut(part.index()) {
                *place = vec![0; size];
            }
        };
        set(Part::Rows, size_of::<[RingChannel; RING_ROWS]>());
        set(Part::Stub, size_of::<u64>());
        set(Part::Neff, size_of::<context::NeffConfig>());
        set(Part::Device, size_of::<context::DeviceConfig>());
        set(Part::NeffState, size_of::<context::NeffState>());
        set(Part::AlgoState, size_of::<context::AlgoState>());
        Self {
            parts,
            model_name: None,
            is_context: false,
            has_stub: false,
            has_wire: false,
            has_full: false,
            lacks_full: false,
            path: Vec::new(),
        }
    }

    fn pointer(&self) -> String {
        use fmt::Write as _;
        let mut pointer = String::new();
        for step in self.path.iter().rev() {
            let _ = match step {
                Step::Key(key) => write!(pointer, "/{key}"),
                Step::Index(index) => write!(pointer, "/{index}"),
            };
        }
        pointer
    }

    pub(super) fn part(&mut self, part: Part) -> &mut Vec<u8> {
        // Every part has an index below their count.
        let [first, rest @ ..] = &mut self.parts;
        match part.index().checked_sub(1) {
            None => first,
            Some(index) => rest.get_mut(index).unwrap_or(first),
        }
    }

    /// All parts, for a writer.
    pub(super) fn parts(&self) -> Parts<'_> {
        let mut parts = Parts { model_name: self.model_name.as_deref().unwrap_or_default(), ..Parts::default() };
        for (place, bytes) in parts.parts.iter_mut().zip(&self.parts) {
            *place = bytes;
        }
        parts
    }

    /// The bytes of a part from an offset on.
    fn place(&mut self, part: Part, offset: usize) -> &mut [u8] {
        self.part(part).get_mut(offset..).unwrap_or_default()
    }

    fn write(&mut self, part: Part, offset: usize, bytes: &[u8]) {
        self.place(part, offset).iter_mut().zip(bytes).for_each(|(place, byte)| *place = *byte);
    }

    /// The parts, one behind the other.
    pub(super) fn packed(&mut self) -> Result<Packed, String> {
        const EVENT: usize = size_of::<MeshEvent>();
        let events = self.part(Part::Events).len() / EVENT;
        let view = match (events, self.has_stub) {
            (200, false) => View::Host,
            (50, true) => View::Sunda,
            (108, true) => View::Cayman,
            _ => {
                let stub = if self.has_stub { "with" } else { "without" };
                return Err(format!(
                    "{events} mesh events {stub} a hierarchical part: there are 200 without, or 50 or 108 with"
                ));
            }
        };
        if self.is_context && view == View::Host {
            return Err("a context has 50 or 108 mesh events".to_owned());
        }
        let mut bytes = Vec::new();
        let parts: &[Part] = match (self.is_context, view) {
            (false, View::Host) => &[Part::Rows, Part::Events],
            (false, _) => &[Part::Rows, Part::Events, Part::Stub],
            (true, _) => {
                &[Part::Rows, Part::Events, Part::Stub, Part::Neff, Part::Device, Part::NeffState, Part::AlgoState]
            }
        };
        for part in parts {
            bytes.append(self.part(*part));
        }
        let source = if self.is_context { Source::Context(view) } else { Source::Block(view) };
        debug_assert_eq!(bytes.len(), source.size_bytes());
        Ok(Packed { bytes, source, model_name: self.model_name.take(), zeroed: self.zeroed() })
    }

    fn zeroed(&self) -> Vec<&'static str> {
        let not_wire: &[_] = match (self.has_wire, self.is_context) {
            (true, _) => &[],
            (false, false) => &["reserved bytes and index words behind the live ones (dumped with --wire)"],
            (false, true) => {
                &["reserved bytes, gaps of live rows and index words behind the live ones (dumped with --wire)"]
            }
        };
        let not_full: &[_] = match (self.is_context, self.lacks_full, self.has_full) {
            (true, true, _) => &["configs.neff, configs.dev or neff, which are {} (dumped with --full)"],
            _ => &[],
        };
        let never: &[_] = match (self.is_context, self.has_full) {
            (true, true) => &["desc_count, the other reading of the barrier, and bytes that no source names"],
            _ => &[],
        };
        let behind: &[_] = if self.is_context { &["what lies behind the smallest context"] } else { &[] };
        [not_wire, not_full, never, behind].concat()
    }
}

impl Source {
    /// How many bytes there are.
    #[must_use]
    pub const fn size_bytes(self) -> usize {
        match self {
            Self::Block(view) => view.size_bytes(),
            Self::Context(View::Sunda) => smallest_context(CollectiveArch::Sunda),
            Self::Context(_) => smallest_context(CollectiveArch::Cayman),
        }
    }
}
