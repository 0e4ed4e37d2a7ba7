//! The dump of what a sync core has: the JSON that the runtime's own dumper prints, out and back in.
//!
//! Keys, nesting and key order are the original's as far as they are known; white space is this project's.

mod read;
mod replay;
mod schema;
mod shape;
mod write;

use trnwire::block::{Block, View};
use trnwire::cc_op::CcOp;
use trnwire::context::{AlgoState, Context, RuntimeRow};
use trnwire::mesh::MeshEvent;
use trnwire::ring::{Neighbor, RingChannel};
use zerocopy::{FromBytes, IntoBytes};

pub use read::{PackError, Packed, Source, pack};
pub use schema::schema;
use shape::{Node, Part};
use write::Program;

/// What to print, and how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Also the parts whose keys are less certain, which are `{}` otherwise.
    pub full: bool,
    /// Also what the original leaves out: reserved bytes, index words behind the live ones, byte 140 as it stands.
    pub wire: bool,
    /// No white space.
    pub compact: bool,
}

/// What is dumped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A ring channel.
    RingChannel,
    /// A mesh event.
    MeshEvent,
    /// A live row.
    RuntimeRow,
    /// A control slot.
    CcOp,
    /// The live state of all algorithms.
    AlgoState,
    /// A block in this view.
    Block(View),
    /// A whole context.
    Context,
}

impl Target {
    /// Every target.
    pub const ALL: [Self; 9] = [
        Self::RingChannel,
        Self::MeshEvent,
        Self::RuntimeRow,
        Self::CcOp,
        Self::AlgoState,
        Self::Block(View::Host),
        Self::Block(View::Sunda),
        Self::Block(View::Cayman),
        Self::Context,
    ];

    const fn node(self) -> &'static Node {
        match self {
            Self::RingChannel => &shape::RING_CHANNEL,
            Self::MeshEvent => &shape::MESH_EVENT,
            Self::RuntimeRow => &shape::RUNTIME_ROW,
            Self::CcOp => &shape::CC_OP,
            Self::AlgoState => &shape::ALGO_STATE,
            Self::Block(View::Host) => &shape::HOST_BLOCK,
            Self::Block(View::Sunda | View::Cayman) => &shape::DEVICE_BLOCK,
            Self::Context => &shape::CONTEXT,
        }
    }
}

/// Where the parts of what is dumped lie.
#[derive(Clone, Copy, Debug, Default)]
struct Parts<'a> {
    parts: [&'a [u8]; Part::COUNT],
    model_name: &'a str,
}

impl<'a> Parts<'a> {
    fn of(&self, part: Part) -> &'a [u8] {
        self.parts.get(part.index()).copied().unwrap_or_default()
    }

    fn set(&mut self, part: Part, bytes: &'a [u8]) {
        if let Some(place) = self.parts.get_mut(part.index()) {
            *place = bytes;
        }
    }

    fn set_block(&mut self, block: &'a Block<'a>, stub: &'a [u8]) {
        self.set(Part::Rows, block.rows.as_bytes());
        self.set(Part::Events, block.events.as_bytes());
        self.set(Part::Stub, stub);
    }
}

/// A neighbour at the beginning of these bytes; an empty one where they end before it does.
fn neighbor_of(bytes: &[u8]) -> &Neighbor {
    static NONE: [u8; size_of::<Neighbor>()] = [0; size_of::<Neighbor>()];
    Neighbor::ref_from_prefix(bytes).map_or_else(|_| zerocopy::transmute_ref!(&NONE), |(neighbor, _)| neighbor)
}

/// Writes dumps of one kind. Making one takes microseconds; it can be used for any number of dumps.
#[derive(Clone, Debug)]
pub struct Dumper {
    program: Program,
}

impl Dumper {
    /// A writer for this target.
    #[must_use]
    pub fn new(target: Target, options: Options) -> Self {
        Self { program: Program::new(target.node(), options) }
    }

    fn record(&self, bytes: &[u8], row: usize, out: &mut Vec<u8>) {
        let mut parts = Parts::default();
        parts.set(Part::Rows, bytes);
        self.program.run(&parts, row, out);
    }

    /// Appends the text of a ring channel in this row. The dumper must have been made for one, here and below.
    pub fn ring_channel(&self, record: &RingChannel, row: usize, out: &mut Vec<u8>) {
        self.record(record.as_bytes(), row, out);
    }

    /// Appends the text of a mesh event.
    pub fn mesh_event(&self, record: &MeshEvent, out: &mut Vec<u8>) {
        self.record(record.as_bytes(), 0, out);
    }

    /// Appends the text of a live row.
    pub fn runtime_row(&self, record: &RuntimeRow, row: usize, out: &mut Vec<u8>) {
        self.record(record.as_bytes(), row, out);
    }

    /// Appends the text of a control slot.
    pub fn cc_op(&self, slot: CcOp, out: &mut Vec<u8>) {
        self.record(&slot.to_wire(), 0, out);
    }

    /// Appends the text of a live state.
    pub fn algo_state(&self, record: &AlgoState, out: &mut Vec<u8>) {
        self.record(record.as_bytes(), 0, out);
    }

    /// Appends the text of a block.
    pub fn block(&self, block: &Block<'_>, out: &mut Vec<u8>) {
        let stub = block.hier_stub.unwrap_or_default().0.to_le_bytes();
        let mut parts = Parts::default();
        parts.set_block(block, &stub);
        self.program.run(&parts, 0, out);
    }

    /// Appends the text of a context. The name of the model is not in its bytes.
    pub fn context(&self, context: &Context<'_>, model_name: &str, out: &mut Vec<u8>) {
        let stub = context.algo.hier_stub.unwrap_or_default().0.to_le_bytes();
        let mut parts = Parts { model_name, ..Parts::default() };
        parts.set_block(&context.algo, &stub);
        parts.set(Part::Neff, context.neff.as_bytes());
        parts.set(Part::Device, context.dev.as_bytes());
        parts.set(Part::NeffState, context.neff_state.as_bytes());
        parts.set(Part::AlgoState, context.algo_state.as_bytes());
        self.program.run(&parts, 0, out);
    }
}
