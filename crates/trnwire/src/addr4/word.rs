//! The word: where each bit lies, and what the bits say.

use core::fmt;

use zerocopy::little_endian::U32;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::geometry::{ADDRESS_MASK, PSUM_ACTIVE, PSUM_BASE, PSUM_REGION_SIZE, SBUF_REGION_SIZE};
use crate::table::Legal::{Any, Depends, Range};
use crate::table::{Shape, Wire, bitword};

bitword! {
    /// A 32-bit on-chip address word, as a number (on the wire it is little-endian).
    ///
    /// Each of the 2^32 values is a word and decodes; whether a word is legal is asked of
    /// [`tensor_start_addr_valid`](super::tensor_start_addr_valid) and [`lints`](super::lints).
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
    #[repr(transparent)]
    pub struct Addr4(u32) = "addr4": "the 32-bit on-chip address word that opens every memory operand";

    fields {
        // constant         name             bits     type      unit       legal         sources
        REGISTER            "register"       [31:31]  Flag,     None,      Any,          [CompilerBook, HeaderBook],
            "the address comes from an address register";
        ACTIVE              "active"         [30:30]  Flag,     None,      Depends,      [HeaderBook],
            "mode, high bit: the shape comes from a register; legal on any word but a gen2 register word";
        INDIRECT            "indirect"       [29:29]  Flag,     None,      Depends,      [CompilerBook, HeaderBook],
            "mode, low bit: the word is the index of a gather; legal on any word but a gen2 register word";

        SBUF_REGION         "region"         [28:25]  Unsigned, None,      Range(0, 0),  [CompilerBook, HeaderBook, RuntimeBook],
            "zero: the address is in SBUF";
        SBUF_PARTITION      "partition"      [24:18]  Unsigned, Partition, Any,          [CompilerBook, HeaderBook],
            "SBUF partition";
        SBUF_OFFSET         "offset"         [17:0]   Unsigned, Bytes,     Depends,      [CompilerBook, HeaderBook],
            "byte in the partition; backed up to 192 KiB on gen2, 224 KiB on gen3, 256 KiB on gen4";

        PSUM_WINDOW         "window"         [28:22]  Unsigned, None,      Range(8, 8),  [CompilerBook, HeaderBook, RuntimeBook],
            "8: the address is in the PSUM window";
        PSUM_PARTITION      "partition"      [21:15]  Unsigned, Partition, Any,          [CompilerBook, HeaderBook],
            "PSUM partition";
        PSUM_PAD            "pad"            [14:14]  Flag,     None,      Range(0, 0),  [CompilerBook, HeaderBook],
            "upper half of the partition's stride, which no bank backs";
        PSUM_BANK           "bank"           [13:11]  Unsigned, Bank,      Any,          [CompilerBook, HeaderBook, AwsDocumentation; Adopted],
            "PSUM bank of 2048 bytes, without meaning when pad is set (the gen2 header has 16 banks of 1024)";
        PSUM_BANK_OFFSET    "bank_offset"    [10:0]   Unsigned, Bytes,     Any,          [CompilerBook, HeaderBook, AwsDocumentation; Adopted],
            "byte in the bank";

        OFF_CHIP_ADDRESS    "address"        [28:0]   Unsigned, Bytes,     Depends,      [CompilerBook, HeaderBook],
            "an address in no region; never legal";

        RESERVED_HIGH       "reserved_28_24" [28:24]  Reserved, None,      Depends,      [CompilerBook],
            "zero on gen2; not checked on gen3 and gen4";
        RESERVED_MIDDLE     "reserved_23_8"  [23:8]   Reserved, None,      Range(0, 0),  [CompilerBook, HeaderBook],
            "zero";
        REGISTER_ID         "register_id"    [7:0]    Unsigned, Register,  Range(0, 63), [CompilerBook, HeaderBook, RuntimeBook],
            "which address register";
    }

    layouts {
        SBUF_WORD     "sbuf"     when "bit 31 is 0 and bits 28:25 are 0":
            [SBUF_OFFSET, SBUF_PARTITION, SBUF_REGION, INDIRECT, ACTIVE, REGISTER];
        PSUM_WORD     "psum"     when "bit 31 is 0 and bits 28:22 are 8":
            [PSUM_BANK_OFFSET, PSUM_BANK, PSUM_PAD, PSUM_PARTITION, PSUM_WINDOW, INDIRECT, ACTIVE, REGISTER];
        OFF_CHIP_WORD "off_chip" when "bit 31 is 0 and the address is in no region":
            [OFF_CHIP_ADDRESS, INDIRECT, ACTIVE, REGISTER];
        REGISTER_WORD "register" when "bit 31 is 1":
            [REGISTER_ID, RESERVED_MIDDLE, RESERVED_HIGH, INDIRECT, ACTIVE, REGISTER];
    }
}

// The table and the geometry state the same memory map.
const _: () = {
    assert!(Addr4::OFF_CHIP_ADDRESS.mask() == ADDRESS_MASK);
    assert!(Addr4::SBUF_REGION.place(1) == SBUF_REGION_SIZE);
    assert!(Addr4::SBUF_PARTITION.place(1) == crate::geometry::SBUF_STRIDE);
    assert!(Addr4::PSUM_WINDOW.place(8) == PSUM_BASE);
    assert!(Addr4::PSUM_WINDOW.place(1) == PSUM_REGION_SIZE);
    assert!(Addr4::PSUM_PARTITION.place(1) == crate::geometry::PSUM_STRIDE);
    assert!(Addr4::PSUM_PAD.mask() == PSUM_ACTIVE);
    assert!(Addr4::PSUM_BANK.place(1) == crate::geometry::PSUM_BANK_SIZE);
};

/// What bits 30:29 say. They are independent of the register bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// 0b00: a plain operand.
    Static,
    /// 0b01: the word is the index of a gather.
    Indirect,
    /// 0b10: the shape comes from a register. Where that register's number stands is unknown.
    Active,
    /// 0b11: nothing emits it.
    Dead,
}

impl Mode {
    /// `static`, `indirect`, `active` or `dead`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Static => "static",
            Self::Indirect => "indirect",
            Self::Active => "active",
            Self::Dead => "dead",
        }
    }
}

/// Which on-chip memory a 29-bit address lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Region {
    /// 0x00000000..=0x01FFFFFF.
    Sbuf,
    /// 0x02000000..=0x023FFFFF.
    Psum,
}

impl Region {
    /// `sbuf` or `psum`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sbuf => "sbuf",
            Self::Psum => "psum",
        }
    }

    /// The region of an address, or `None` in the gap from 0x02400000 on.
    #[must_use]
    #[inline]
    pub const fn of_address(address: u32) -> Option<Self> {
        if address.wrapping_sub(PSUM_BASE) < PSUM_REGION_SIZE {
            Some(Self::Psum)
        } else if address < SBUF_REGION_SIZE {
            Some(Self::Sbuf)
        } else {
            None
        }
    }
}

/// What a word points at: a register, or a place in a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// An address register holds the address.
    Register {
        /// Byte 0 of the word; legal up to 63.
        id: u8,
    },
    /// A byte of SBUF.
    Sbuf {
        /// 0..=127.
        partition: u8,
        /// Byte in the partition's stride, 0..=0x3FFFF.
        offset: u32,
    },
    /// A byte of PSUM.
    Psum {
        /// 0..=127.
        partition: u8,
        /// Byte in the partition's stride, 0..=0x7FFF.
        offset: u32,
        /// The bank, 0..=7, or `None` in the pad.
        bank: Option<u8>,
    },
    /// An address in no region.
    OffChip,
}

impl Addr4 {
    /// The word whose bytes stand in memory in this order.
    #[must_use]
    #[inline]
    pub const fn from_wire(bytes: [u8; 4]) -> Self {
        Self(u32::from_le_bytes(bytes))
    }

    /// The four bytes as they stand in memory.
    #[must_use]
    #[inline]
    pub const fn to_wire(self) -> [u8; 4] {
        self.0.to_le_bytes()
    }

    /// Whether the address comes from a register (bit 31).
    #[must_use]
    #[inline]
    pub const fn is_register(self) -> bool {
        self.0 & Self::REGISTER.mask() != 0
    }

    /// What bits 30:29 say.
    #[must_use]
    #[inline]
    pub const fn mode(self) -> Mode {
        match (Self::ACTIVE.get(self.0), Self::INDIRECT.get(self.0)) {
            (0, 0) => Mode::Static,
            (0, _) => Mode::Indirect,
            (_, 0) => Mode::Active,
            _ => Mode::Dead,
        }
    }

    /// The low 29 bits as an address, or `None` for a register word.
    #[must_use]
    #[inline]
    pub const fn address(self) -> Option<u32> {
        if self.is_register() { None } else { Some(self.0 & ADDRESS_MASK) }
    }

    /// What the word points at.
    #[must_use]
    #[inline]
    pub const fn target(self) -> Target {
        let Some(address) = self.address() else {
            return Target::Register { id: low_byte(Self::REGISTER_ID.get(self.0)) };
        };
        match Region::of_address(address) {
            Some(Region::Sbuf) => Target::Sbuf {
                partition: low_byte(Self::SBUF_PARTITION.get(address)),
                offset: Self::SBUF_OFFSET.get(address),
            },
            Some(Region::Psum) => Target::Psum {
                partition: low_byte(Self::PSUM_PARTITION.get(address)),
                offset: address & Self::PSUM_PARTITION.place(1).wrapping_sub(1),
                bank: if Self::PSUM_PAD.get(address) == 0 {
                    Some(low_byte(Self::PSUM_BANK.get(address)))
                } else {
                    None
                },
            },
            None => Target::OffChip,
        }
    }

    /// The reading of the word's bits that applies to it.
    #[must_use]
    pub const fn layout(self) -> &'static crate::table::Layout {
        match self.target() {
            Target::Register { .. } => &Self::REGISTER_WORD,
            Target::Sbuf { .. } => &Self::SBUF_WORD,
            Target::Psum { .. } => &Self::PSUM_WORD,
            Target::OffChip => &Self::OFF_CHIP_WORD,
        }
    }

    /// Whether mode and [`Target`] alone rebuild the word: true but for a register word with a set bit among
    /// bits 28:8.
    #[must_use]
    pub const fn is_canonical(self) -> bool {
        !self.is_register() || self.0 & (Self::RESERVED_HIGH.mask() | Self::RESERVED_MIDDLE.mask()) == 0
    }
}

/// A word as it stands in a record: four bytes, little-endian, at any alignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(transparent)]
pub struct Addr4Wire(U32);

impl Addr4Wire {
    /// The word.
    #[must_use]
    #[inline]
    pub const fn get(self) -> Addr4 {
        Addr4(self.0.get())
    }
}

impl From<Addr4> for Addr4Wire {
    #[inline]
    fn from(word: Addr4) -> Self {
        Self(U32::new(word.0))
    }
}

impl Wire for Addr4Wire {
    const SHAPE: Shape = Shape::Addr4;
}

impl From<u32> for Addr4 {
    fn from(bits: u32) -> Self {
        Self(bits)
    }
}

impl From<Addr4> for u32 {
    fn from(word: Addr4) -> Self {
        word.0
    }
}

impl fmt::Debug for Addr4 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Addr4({self})")
    }
}

/// `0x02008004`.
impl fmt::Display for Addr4 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "0x{:08X}", self.0)
    }
}

#[inline]
const fn low_byte(value: u32) -> u8 {
    value.to_le_bytes()[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Puts a word together from its decoded parts alone.
    fn rebuild(word: Addr4) -> u32 {
        let mode = match word.mode() {
            Mode::Static => 0,
            Mode::Indirect => 1 << 29,
            Mode::Active => 1 << 30,
            Mode::Dead => 3 << 29,
        };
        let rest = match word.target() {
            Target::Register { id } => 1 << 31 | u32::from(id),
            Target::Sbuf { partition, offset } => u32::from(partition) << 18 | offset,
            Target::Psum { partition, offset, .. } => 0x200_0000 + (u32::from(partition) << 15) + offset,
            Target::OffChip => word.address().unwrap(),
        };
        mode | rest
    }

    #[test]
    fn a_word_is_canonical_exactly_when_its_parts_rebuild_it() {
        // Every value of the upper 16 bits with the corners of the lower ones.
        for upper in 0..=u16::MAX {
            for lower in [0_u16, 1, 0x3F, 0x40, 0xFF, 0x100, 0x7FF, 0x800, 0x3FFF, 0x4000, 0x7FFF, 0x8000, 0xFFFF] {
                let word = Addr4::from_bits(u32::from(upper) << 16 | u32::from(lower));
                assert_eq!(rebuild(word) == word.bits(), word.is_canonical(), "{word}");
                assert_eq!(Addr4::from_wire(word.to_wire()), word);
            }
        }
    }

    #[test]
    fn bank_and_offset_agree_on_every_psum_byte_of_a_partition() {
        for offset in 0..0x8000_u32 {
            let Target::Psum { partition, offset: decoded, bank } = Addr4::from_bits(0x0200_8000 + offset).target()
            else {
                panic!("not in PSUM");
            };
            assert_eq!((partition, decoded), (1, offset));
            assert_eq!(bank.map(u32::from), (offset < 0x4000).then_some(offset / 2048));
        }
    }

    #[test]
    fn regions_end_where_the_page_says() {
        assert_eq!(Region::of_address(0x01FF_FFFF), Some(Region::Sbuf));
        assert_eq!(Region::of_address(0x0200_0000), Some(Region::Psum));
        assert_eq!(Region::of_address(0x023F_FFFF), Some(Region::Psum));
        assert_eq!(Region::of_address(0x0240_0000), None);
        assert_eq!(Region::of_address(0x1FFF_FFFF), None);
    }

    #[test]
    fn layouts_follow_the_target() {
        assert_eq!(Addr4::from_bits(0x8000_0000).layout().name, "register");
        assert_eq!(Addr4::from_bits(0x2000_0000).layout().name, "sbuf");
        assert_eq!(Addr4::from_bits(0x4200_0000).layout().name, "psum");
        assert_eq!(Addr4::from_bits(0x0240_0000).layout().name, "off_chip");
    }
}
