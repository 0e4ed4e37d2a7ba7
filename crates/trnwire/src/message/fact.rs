//! What was found in a text: the vocabulary between the scanner and the rules.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use super::number::Number;

/// A memory that a message names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Space {
    /// The state buffer, spelled SB or SBUF.
    Sbuf,
    /// The partial-sum buffer.
    Psum,
    /// Device memory, spelled DRAM or HBM.
    Dram,
}

impl Space {
    /// `SBUF`, `PSUM` or `DRAM`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sbuf => "SBUF",
            Self::Psum => "PSUM",
            Self::Dram => "DRAM",
        }
    }
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A place in a memory: `SB<0,185856>(756257x10376)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Location {
    /// The memory.
    pub space: Space,
    /// First partition.
    pub first_partition: Number,
    /// Byte offset inside each partition.
    pub byte_offset: Number,
    /// How many partitions, if the text tells.
    pub partitions: Option<Number>,
    /// Bytes in each partition, if the text tells.
    pub bytes_per_partition: Option<Number>,
}

/// The shape of a tensor: `float32 <128 x 420> in SB`, or the tail of a location's debug information.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tensor {
    /// The element type as the text spells it, and its size in bytes.
    pub element: Option<(String, u32)>,
    /// Dimensions in elements; on chip the first is the partition dimension.
    pub dimensions: Vec<Number>,
    /// The memory, if the text tells.
    pub space: Option<Space>,
}

impl Tensor {
    /// Bytes in each partition: element size times all dimensions but the first.
    #[must_use]
    pub fn bytes_per_partition(&self) -> Option<Number> {
        let (_, size) = self.element.as_ref()?;
        Some(
            self.dimensions
                .iter()
                .skip(1)
                .fold(Number::Exact(i128::from(*size)), |product, &dimension| product.times(dimension)),
        )
    }
}

/// One dimension of an access pattern, in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dimension {
    /// Elements from one to the next.
    pub step: Number,
    /// How many.
    pub num: Number,
}

/// Which operand a start partition belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operand {
    /// The operand that is read.
    Source,
    /// The operand that is written.
    Destination,
}

impl Operand {
    /// `source` or `destination`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Destination => "destination",
        }
    }
}

/// A start partition: a number, or something that only has a value at run time.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StartValue {
    /// A constant.
    Number(Number),
    /// A single name, such as `ii`: a loop variable, or a constant that the text does not show.
    Name(String),
    /// Anything else between the parentheses.
    Expression(String),
}

/// A field of a descriptor's dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DescriptorField {
    /// Elements from one to the next: a signed 16-bit field.
    Step,
    /// How many: an unsigned 16-bit field.
    Num,
}

/// What a sentence says about the place of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Claim {
    /// It is only spoken of.
    Mentioned,
    /// It must, should or is expected to be there.
    Demanded,
    /// It is said not to be there.
    Denied,
}

/// A sentence that names a rule without (necessarily) giving its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phrase {
    /// About the destination of a matmul, and what is said about its being in PSUM.
    MatmulDestination(Claim),
    /// The check of a matmul's source partitions failed.
    MatmulSourcePartition,
    /// The check of some other instruction's partitions failed.
    PartitionCheck,
    /// An access pattern leaves its tensor.
    PatternOutOfBound,
    /// An allocation leaves its memory.
    AllocationOutOfBound,
    /// Something could not be allocated in a memory.
    AllocationFailed(Space),
    /// A gather or scatter met an index outside its tensor at run time.
    GatherOutOfBound,
    /// A failure because nothing was allocated in a memory.
    NothingAllocated,
}

/// One thing that the scanner recognised.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum FactKind {
    /// A place in a memory.
    Location(Location),
    /// A tensor with its shape.
    Tensor(Tensor),
    /// The shape in a location's debug information.
    DebugShape(Tensor),
    /// An access pattern.
    AccessPattern {
        /// The dimensions, outermost first; on chip the first is the partition dimension.
        dimensions: Vec<Dimension>,
        /// The memory, if the text tells.
        space: Option<Space>,
    },
    /// The element offset of an access pattern.
    ElementOffset(Number),
    /// The offset of an access pattern in bytes.
    ByteOffset(Number),
    /// The element type of an access.
    ElementType {
        /// As the text spells it.
        name: String,
        /// Bytes of an element.
        size: u32,
    },
    /// How many elements a tensor has.
    TensorSize {
        /// Elements.
        elements: Number,
        /// Whether that many are in each partition, rather than in all.
        per_partition: bool,
    },
    /// The indices with which a dimension of a tensor is accessed, and its size.
    IndexRange {
        /// Lowest index.
        first: Number,
        /// Highest index.
        last: Number,
        /// Elements of the dimension.
        size: Number,
    },
    /// Where an access starts.
    StartPartition {
        /// Whose start it is, if the text tells.
        operand: Option<Operand>,
        /// The start.
        value: StartValue,
        /// The memory, if the text tells.
        space: Option<Space>,
        /// Whether the line says that a start is not what it has to be.
        denied: bool,
    },
    /// The start partitions that the message itself allows.
    AllowedStarts(Vec<Number>),
    /// How many partitions are used.
    PartitionCount {
        /// How many.
        count: Number,
        /// The memory, if the text tells.
        space: Option<Space>,
    },
    /// Bytes that one operand takes.
    OperandBytes {
        /// Bytes in each partition.
        per_partition: Number,
        /// Bytes in all partitions, if the text tells.
        total: Option<Number>,
        /// The memory, if the text tells.
        space: Option<Space>,
    },
    /// The message's own sum of bytes per partition.
    StatedSum(Number),
    /// The message's own limit of bytes per partition.
    StatedLimit {
        /// Bytes per partition.
        bytes: Number,
        /// The memory, if the text tells.
        space: Option<Space>,
    },
    /// Bytes in all partitions of a memory.
    TotalBytes {
        /// Bytes.
        bytes: Number,
        /// The memory.
        space: Space,
    },
    /// A descriptor field with its value and the bounds that the message states.
    Field {
        /// Which field.
        field: DescriptorField,
        /// Its value.
        value: Number,
        /// The bound that the message compares it with.
        stated_bound: Option<Number>,
    },
    /// PSUM banks by number, from the lowest to the highest whatever the order in the text.
    PsumBanks {
        /// Lowest bank.
        first: Number,
        /// Highest bank.
        last: Number,
    },
    /// A number of PSUM banks.
    PsumBankCount(Number),
    /// A sentence that names a rule.
    Phrase(Phrase),
}

/// A value of a fact, for writers of JSON and the like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FactValue {
    /// A number.
    Number(Number),
    /// Several numbers.
    Numbers(Vec<Number>),
    /// Pairs of step and num.
    Pairs(Vec<Dimension>),
    /// Text.
    Text(String),
}

/// Something found in the text, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// Line of the text, from 1.
    pub line: usize,
    /// First byte in the text.
    pub start: usize,
    /// One past the last byte in the text.
    pub end: usize,
    /// The text itself, shortened when it is long.
    pub text: String,
    /// What it is.
    pub kind: FactKind,
    /// Which message of the text it belongs to, from 0.
    pub message: usize,
    /// How often the same stood again in the text and was not kept a second time.
    pub repeats: usize,
    /// Whether a rule was held against it, alone or together with other facts of its message.
    pub judged: bool,
}
