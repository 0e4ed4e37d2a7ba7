//! The shape of the dump: which keys stand in which order, and what each is made from.
//!
//! Writer, reader and schema all walk these trees. Places come from the tables of the records, by the name of the field; a
//! name that no field has does not compile.

mod context;
mod record;

use trnwire::table::{Field, Shape};

pub(crate) use context::{ALGO_STATE, BARRIER_FLAG, BARRIER_ON_DEVICE, BARRIER_ON_HOST, CONTEXT};
pub(crate) use record::{
    ANY_BLOCK, CC_OP, DEVICE_BLOCK, HOST_BLOCK, MESH_EVENT, RING_CHANNEL, RUNTIME_ROW, WIRE_CHANNEL_ID,
};

/// A stretch of bytes that a tree reads. Where the parts of a context lie depends on its architecture; within a part
/// nothing does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// A record on its own, or the ring rows of a block.
    Rows,
    Events,
    Stub,
    Neff,
    Device,
    NeffState,
    AlgoState,
}

impl Part {
    pub(crate) const COUNT: usize = 7;

    pub(crate) const fn index(self) -> usize {
        match self {
            Self::Rows => 0,
            Self::Events => 1,
            Self::Stub => 2,
            Self::Neff => 3,
            Self::Device => 4,
            Self::NeffState => 5,
            Self::AlgoState => 6,
        }
    }
}

/// A value, and what it is made from. Offsets count from where the value above it begins.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Node {
    /// Members, in order.
    Object(&'static [Member], Check),
    /// So many elements, so many bytes apart.
    Array(&'static Self, usize, usize),
    /// As many elements as the part has room for.
    Events(&'static Self),
    /// What lies in another part.
    Of(Part, &'static Self),
    /// An address as a string.
    Address,
    /// An integer of so many bytes.
    Integer(u32),
    /// An integer of so many bits, behind so many of a byte.
    Bits { shift: u32, width: u32 },
    /// Bytes as hex.
    Hex(u32),
    /// The position in the array above, which no byte holds.
    Position,
    /// The index words that are live.
    Live,
    /// The index words behind them.
    Tail,
    /// The name of the model, which no byte holds.
    ModelName,
    /// One of two readings of a union, as a flag in it says.
    Barrier,
}

/// What must hold between the members of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Check {
    Nothing,
    /// There are as many index words as its fold_n says.
    Neighbor,
    /// The row's position is its channel, unless the row is unused.
    Row,
    /// The two views of the union agree.
    Union,
}

/// A key of an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    pub(crate) key: &'static str,
    pub(crate) offset: usize,
    pub(crate) node: Node,
    pub(crate) when: When,
}

/// When a member is printed. Members of an object that have the same answer are there all or not at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    Always,
    /// With `--full`.
    Full,
    /// With `--wire`.
    Wire,
    /// With both.
    FullAndWire,
    /// As the view of a block has it.
    Optional,
}

const fn is_same(one: &[u8], other: &[u8]) -> bool {
    match (one, other) {
        ([], []) => true,
        ([a, one @ ..], [b, other @ ..]) => *a == *b && is_same(one, other),
        _ => false,
    }
}

#[expect(clippy::panic, reason = "evaluated by the compiler only")]
const fn field(fields: &'static [Field], name: &str) -> &'static Field {
    match fields {
        [field, ..] if is_same(field.name.as_bytes(), name.as_bytes()) => field,
        [_, rest @ ..] => field(rest, name),
        [] => panic!("no field has this name"),
    }
}

#[expect(clippy::as_conversions, reason = "no conversion is const; offsets are small")]
const fn first_byte(field: &Field) -> usize {
    field.bits.first_byte() as usize
}

/// An address and its key.
const ADDRESS_OBJECT: Node =
    Node::Object(&[Member { key: "soc_addr", offset: 0, node: Node::Address, when: When::Always }], Check::Nothing);
/// The address of a semaphore, one object deeper.
const SEMAPHORE_OBJECT: Node =
    Node::Object(&[Member { key: "addr", offset: 0, node: ADDRESS_OBJECT, when: When::Always }], Check::Nothing);

/// What a field that is no record or array prints as.
#[expect(clippy::panic, reason = "evaluated by the compiler only")]
const fn plain(field: &Field) -> Node {
    match field.shape {
        Shape::Address => ADDRESS_OBJECT,
        Shape::SemaphoreAddress => SEMAPHORE_OBJECT,
        Shape::Reserved if field.bits.width().is_multiple_of(8) && field.bits.low.is_multiple_of(8) => {
            Node::Hex(field.bits.width() / 8)
        }
        Shape::Unsigned if field.bits.width().is_multiple_of(8) && field.bits.low.is_multiple_of(8) => {
            Node::Integer(field.bits.width() / 8)
        }
        Shape::Unsigned | Shape::Flag | Shape::Reserved => {
            Node::Bits { shift: field.bits.low % 8, width: field.bits.width() }
        }
        _ => panic!("say what the field prints as"),
    }
}

impl Member {
    /// A field that prints as its type does, under its own name.
    const fn of(fields: &'static [Field], name: &'static str) -> Self {
        let field = field(fields, name);
        Self { key: name, offset: first_byte(field), node: plain(field), when: When::Always }
    }

    /// A field that prints as this.
    const fn as_node(fields: &'static [Field], name: &'static str, node: Node) -> Self {
        Self { key: name, offset: first_byte(field(fields, name)), node, when: When::Always }
    }

    /// An element of a field that is an array, under a key of its own.
    const fn nth(
        fields: &'static [Field],
        name: &str,
        index: usize,
        size: usize,
        key: &'static str,
        node: Node,
    ) -> Self {
        let offset = first_byte(field(fields, name)).saturating_add(index.saturating_mul(size));
        Self { key, offset, node, when: When::Always }
    }

    /// A value at the place of the object itself.
    const fn here(key: &'static str, node: Node) -> Self {
        Self { key, offset: 0, node, when: When::Always }
    }

    const fn key(self, key: &'static str) -> Self {
        Self { key, ..self }
    }

    const fn wire(self) -> Self {
        let when = match self.when {
            When::Full => When::FullAndWire,
            _ => When::Wire,
        };
        Self { when, ..self }
    }

    const fn full(self) -> Self {
        Self { when: When::Full, ..self }
    }
}

const fn array<T, const LENGTH: usize>(element: &'static Node) -> Node {
    Node::Array(element, LENGTH, size_of::<T>())
}

const ADDRESS_SIZE: usize = 8;

/// An object whose members are fields that print as their types do.
macro_rules! plain_object {
    ($Record:ident: $($name:literal)*) => {
        Node::Object(&[$( Member::of($Record::FIELDS, $name) ),*], Check::Nothing)
    };
}
use plain_object;
