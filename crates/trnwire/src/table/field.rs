//! Fields, layouts and tables, and the proofs that they fit together.

use core::fmt;

use super::Evidence;

/// A run of bits, counted from bit 0 of byte 0, little-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BitRange {
    /// First (lowest) bit.
    pub low: u32,
    /// Last (highest) bit, included.
    pub high: u32,
}

impl BitRange {
    /// The bits of `size` bytes from byte `offset` on.
    #[must_use]
    #[inline]
    pub const fn bytes(offset: u32, size: u32) -> Self {
        let low = offset.saturating_mul(8);
        Self { low, high: low.saturating_add(size.saturating_mul(8)).saturating_sub(1) }
    }

    /// Number of bits.
    #[must_use]
    #[inline]
    pub const fn width(self) -> u32 {
        self.high.saturating_sub(self.low).saturating_add(1)
    }

    /// The bits of a 32-bit word that the range selects.
    #[must_use]
    #[inline]
    pub const fn mask(self) -> u32 {
        match u32::MAX.checked_shr(32_u32.saturating_sub(self.width())) {
            Some(ones) => ones.wrapping_shl(self.low),
            None => 0,
        }
    }

    /// [`BitRange::mask`] for a 64-bit word.
    #[must_use]
    #[inline]
    pub const fn wide_mask(self) -> u64 {
        match u64::MAX.checked_shr(64_u32.saturating_sub(self.width())) {
            Some(ones) => ones.wrapping_shl(self.low),
            None => 0,
        }
    }

    /// [`BitRange::get`] for a 64-bit word.
    #[must_use]
    #[inline]
    pub const fn wide_get(self, word: u64) -> u64 {
        (word & self.wide_mask()).wrapping_shr(self.low)
    }

    /// [`BitRange::place`] for a 64-bit word.
    #[must_use]
    #[inline]
    pub const fn wide_place(self, value: u64) -> u64 {
        value.wrapping_shl(self.low) & self.wide_mask()
    }

    /// First byte of a record that has bits of the range.
    #[must_use]
    #[inline]
    pub const fn first_byte(self) -> u32 {
        self.low / 8
    }

    /// Reads the range out of a word.
    #[must_use]
    #[inline]
    pub const fn get(self, word: u32) -> u32 {
        (word & self.mask()).wrapping_shr(self.low)
    }

    /// The range with `value` in it and zeros elsewhere; bits of `value` beyond the width are dropped.
    #[must_use]
    #[inline]
    pub const fn place(self, value: u32) -> u32 {
        value.wrapping_shl(self.low) & self.mask()
    }
}

/// `31` for one bit, `28:0` for several.
impl fmt::Display for BitRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.low == self.high { write!(f, "{}", self.low) } else { write!(f, "{}:{}", self.high, self.low) }
    }
}

/// How the bits of a field are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Shape {
    /// Unsigned integer.
    Unsigned,
    /// Two's complement integer.
    Signed,
    /// One bit, yes or no.
    Flag,
    /// An ADDR4 word.
    Addr4,
    /// An address on the system-on-chip; zero is none.
    Address,
    /// The address of a semaphore; zero is none.
    SemaphoreAddress,
    /// Bits without a known meaning: kept on a round trip, reported when not zero.
    Reserved,
    /// Bytes that other tables read.
    Bytes,
    /// Several elements of one shape, one after the other.
    Array(&'static Self, u32),
    /// A record within the record, or a word that is cut into bits: its name and its fields.
    Record(&'static str, &'static [Field]),
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsigned => f.write_str("unsigned"),
            Self::Signed => f.write_str("signed"),
            Self::Flag => f.write_str("flag"),
            Self::Addr4 => f.write_str("addr4"),
            Self::Address => f.write_str("address"),
            Self::SemaphoreAddress => f.write_str("semaphore address"),
            Self::Record(name, _) => f.write_str(name),
            Self::Reserved => f.write_str("reserved"),
            Self::Bytes => f.write_str("bytes"),
            Self::Array(element, 1) => element.fmt(f),
            Self::Array(element, length) => write!(f, "{element}[{length}]"),
        }
    }
}

/// What one step of a field's value stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unit {
    /// A plain number or flag.
    None,
    /// Bytes.
    Bytes,
    /// Elements of the operand's dtype.
    Elements,
    /// Partitions of SBUF or PSUM.
    Partition,
    /// PSUM banks.
    Bank,
    /// Address registers.
    Register,
    /// Semaphores of a core.
    Semaphore,
    /// Channels of a ring.
    Channel,
    /// Network indices of a neighbour or channel.
    Fold,
    /// Slots on a scratchpad.
    Slot,
    /// Steps or items of work.
    Count,
    /// Descriptors.
    Descriptor,
}

impl Unit {
    /// The name that people see; empty for [`Unit::None`].
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Bytes => "bytes",
            Self::Elements => "elements",
            Self::Partition => "partition",
            Self::Bank => "bank",
            Self::Register => "register",
            Self::Semaphore => "semaphore",
            Self::Channel => "channel",
            Self::Fold => "fold",
            Self::Slot => "slot",
            Self::Count => "count",
            Self::Descriptor => "descriptors",
        }
    }
}

/// The values that a field may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Legal {
    /// Every value that fits the bits.
    Any,
    /// From the first to the last, both included.
    Range(i64, i64),
    /// Depends on other fields or on the generation; the field's meaning says how.
    Depends,
}

impl fmt::Display for Legal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("any"),
            Self::Range(low, high) if low == high => write!(f, "{low}"),
            Self::Range(low, high) => write!(f, "{low}..={high}"),
            Self::Depends => f.write_str("see meaning"),
        }
    }
}

/// One field of a word or record: everything that is known about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Name in JSON, text and docs.
    pub name: &'static str,
    /// Where it lies.
    pub bits: BitRange,
    /// How its bits are read.
    pub shape: Shape,
    /// What its value counts.
    pub unit: Unit,
    /// The values that it may hold.
    pub legal: Legal,
    /// What it says, in one line.
    pub meaning: &'static str,
    /// Who says so.
    pub evidence: Evidence,
}

impl Field {
    /// Reads the field out of a 32-bit word.
    #[must_use]
    #[inline]
    pub const fn get(&self, word: u32) -> u32 {
        self.bits.get(word)
    }

    /// A word with `value` in this field and zeros elsewhere; bits that do not fit are dropped.
    #[must_use]
    #[inline]
    pub const fn place(&self, value: u32) -> u32 {
        self.bits.place(value)
    }

    /// The field's bits in a 32-bit word.
    #[must_use]
    #[inline]
    pub const fn mask(&self) -> u32 {
        self.bits.mask()
    }
}

/// The fields of one reading of a format, which together cover all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Name of the reading.
    pub name: &'static str,
    /// When bytes are read this way.
    pub when: &'static str,
    /// Its fields, in ascending order of position.
    pub fields: &'static [Field],
}

/// A format: its name, its size and its readings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Table {
    /// Name on the command line: `addr4`.
    pub kind: &'static str,
    /// What it is, in a phrase.
    pub title: &'static str,
    /// Size of one item.
    pub size_bytes: u32,
    /// Whether people count its positions in bits (a word) or bytes (a record).
    pub is_word: bool,
    /// Its readings. A record has one.
    pub layouts: &'static [Layout],
}

/// Whether the fields cover exactly the bits 0 to `size_bits` - 1, in ascending order, without gap or overlap.
#[must_use]
pub(crate) const fn layout_covers(mut fields: &[Field], size_bits: u32) -> bool {
    let mut next = 0_u32;
    while let [field, rest @ ..] = fields {
        if field.bits.low != next || field.bits.high < field.bits.low {
            return false;
        }
        next = field.bits.high.saturating_add(1);
        fields = rest;
    }
    next == size_bits
}

/// [`layout_covers`] for a record, whose fields must also begin and end on byte boundaries.
#[must_use]
pub(crate) const fn record_covers(fields: &[Field], size_bytes: u32) -> bool {
    let mut rest = fields;
    while let [field, tail @ ..] = rest {
        if field.bits.low % 8 != 0 {
            return false;
        }
        rest = tail;
    }
    layout_covers(fields, size_bytes.saturating_mul(8))
}
