//! What is wrong in a text, and where.

use core::fmt;

use super::MOST_IDS;

/// What is wrong with a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// Something else should stand here.
    Expected(&'static str),
    /// No form of groups begins like this.
    NoForm,
    /// A list of numbers without a second level of brackets.
    FlatList,
    /// A number below zero (in StableHLO: below -1).
    Negative,
    /// A number that is beyond the range of its place.
    TooLarge,
    /// A size or count of zero.
    Zero,
    /// A group that holds no id.
    EmptyGroup,
    /// More than [`MOST_IDS`] ids.
    TooManyIds,
    /// Rows of a dense literal that are not equally long.
    RaggedRows,
    /// A dense literal that does not fit its tensor type: (rows, columns) of the literal, then of the type.
    Shape([u64; 2], [u64; 2]),
    /// Elements of another type than i64.
    ElementType,
    /// A dense literal whose elements were left out when it was printed.
    Elided,
    /// Bytes of a dense literal that are not so many as its type asks for.
    HexLength(u64, u64),
    /// An iota form whose groups times size is not the product of its dimensions: the two.
    Product(u64, u64),
    /// `T(...)` that does not name every dimension once.
    Permutation,
    /// An axis that the mesh does not have.
    UnknownAxis,
    /// A mesh that has two axes of one name.
    RepeatedAxis,
    /// Parts of an axis that share devices: the part was named twice, or with the whole.
    AxisOverlap,
    /// Parts of an axis whose sizes do not divide it: its size.
    SubAxis(u32),
    /// A mesh with an order of its own for devices.
    MeshOrder,
    /// A bracket, string or comment that has no end: its first character and line.
    Unclosed(char, usize),
    /// An attribute that stands twice in one op or header.
    Repeated,
    /// An attribute that ops of this kind do not have.
    NotOfThisOp,
    /// An attribute of collectives that belongs to no op.
    Stray,
    /// A collective op in a form that is not read.
    OpForm,
    /// A count that differs from one that stands before it: that one.
    OtherCount(u32),
    /// A second module in one text.
    SecondModule,
}

impl Problem {
    /// Its name, which never changes.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Expected(_) => "expected",
            Self::NoForm => "no_form",
            Self::FlatList => "flat_list",
            Self::Negative => "negative",
            Self::TooLarge => "too_large",
            Self::Zero => "zero",
            Self::EmptyGroup => "empty_group",
            Self::TooManyIds => "too_many_ids",
            Self::RaggedRows => "ragged_rows",
            Self::Shape(..) => "shape",
            Self::ElementType => "element_type",
            Self::Elided => "elided",
            Self::HexLength(..) => "hex_length",
            Self::Product(..) => "product",
            Self::Permutation => "permutation",
            Self::UnknownAxis => "unknown_axis",
            Self::RepeatedAxis => "repeated_axis",
            Self::AxisOverlap => "axis_overlap",
            Self::SubAxis(_) => "sub_axis",
            Self::MeshOrder => "mesh_order",
            Self::Unclosed(..) => "unclosed",
            Self::Repeated => "repeated",
            Self::NotOfThisOp => "not_of_this_op",
            Self::Stray => "stray",
            Self::OpForm => "op_form",
            Self::OtherCount(_) => "other_count",
            Self::SecondModule => "second_module",
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Expected(what) => write!(f, "expected {what}"),
            Self::NoForm => f.write_str(
                "expected [[0,1],[2,3]], {{0,1},{2,3}}, {}, [2,2]<=[4], mesh['a'=2,'b'=2] {'a'} or dense<[[0,1]]> : tensor<1x2xi64>",
            ),
            Self::FlatList => f.write_str("each group needs brackets of its own"),
            Self::Negative => f.write_str("a negative number"),
            Self::TooLarge => f.write_str("the number is too large"),
            Self::Zero => f.write_str("must be at least 1"),
            Self::EmptyGroup => f.write_str("the group holds no id"),
            Self::TooManyIds => write!(f, "more than {MOST_IDS} ids"),
            Self::RaggedRows => f.write_str("rows of a dense literal must have the same length; -1 pads them"),
            Self::Shape([rows, columns], [type_rows, type_columns]) => {
                write!(f, "the literal is {rows}x{columns}, its type says {type_rows}x{type_columns}")
            }
            Self::ElementType => f.write_str("the elements must be i64"),
            Self::Elided => f.write_str("the elements were left out when this was printed"),
            Self::HexLength(has, needs) => write!(f, "the literal has {has} hex digits, its type needs {needs}"),
            Self::Product(left, right) => {
                write!(f, "groups times size is {left}, the product of the dimensions is {right}")
            }
            Self::Permutation => f.write_str("T(...) must name each dimension once, counted from 0"),
            Self::UnknownAxis => f.write_str("the mesh has no such axis"),
            Self::RepeatedAxis => f.write_str("the mesh has this axis already"),
            Self::AxisOverlap => f.write_str("the part of the axis is among those named before"),
            Self::SubAxis(size) => write!(f, "the parts do not divide the axis, whose size is {size}"),
            Self::MeshOrder => f.write_str("a mesh with device ids of its own is not read"),
            Self::Unclosed(open, line) => write!(f, "{open:?} of line {line} is not closed before this"),
            Self::Repeated => f.write_str("stands twice"),
            Self::NotOfThisOp => f.write_str("such an op has no such attribute"),
            Self::Stray => f.write_str("belongs to no collective op"),
            Self::OpForm => f.write_str("the op is not in the form that printers write, with its name in quotes"),
            Self::OtherCount(count) => write!(f, "the count was {count} before"),
            Self::SecondModule => f.write_str("a second module begins here; what follows was not read"),
        }
    }
}

/// A text that could not be read, or a part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ParseError {
    /// The line, from 1.
    pub line: usize,
    /// Where in the line, in bytes from 1.
    pub column: usize,
    /// The op that it is about, as the text names it. Empty if it is about none.
    pub op: String,
    /// The attribute that it is about. Empty if it is about none.
    pub field: &'static str,
    /// What stands there: the first characters, none at the end of the text.
    pub value: String,
    /// What is wrong.
    pub problem: Problem,
}

impl ParseError {
    /// The same error, as one about an attribute.
    pub(super) fn in_field(mut self, field: &'static str) -> Self {
        self.field = field;
        self
    }

    /// The same error, as one about an op.
    pub(super) fn of_op(mut self, op: &str) -> Self {
        op.clone_into(&mut self.op);
        self
    }

    /// The name of the problem, which never changes.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        self.problem.code()
    }
}

/// `line 3, column 40: %all-reduce.5: replica_groups: expected ',' or '}', found "]"`.
impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: ", self.line, self.column)?;
        for name in [self.op.as_str(), self.field] {
            if !name.is_empty() {
                write!(f, "{name}: ")?;
            }
        }
        match self.value.as_str() {
            "" => write!(f, "{}, found the end of the text", self.problem),
            value => write!(f, "{}, found {value:?}", self.problem),
        }
    }
}

impl core::error::Error for ParseError {}
