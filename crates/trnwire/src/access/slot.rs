//! The types that a slot of an instruction is declared with. A type fixes the size and the number of loops: the wire
//! tells neither.

use core::fmt;

use super::indirect::{Indirect12, Indirect16, Indirect20};
use super::mx::{MxIndirect16, MxTensor1d};
use super::tensor::{Tensor1d, Tensor2d, Tensor3d, Tensor4d};
use crate::table::{Field, Layout, Table};

/// Size of the longest descriptor.
pub const MAX_SLOT_BYTES: usize = 20;

/// The declared type of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SlotType {
    /// One loop.
    Tensor1d,
    /// Two loops.
    Tensor2d,
    /// Three loops.
    Tensor3d,
    /// Four loops.
    Tensor4d,
    /// Two loops, or a gather.
    MemPattern2d,
    /// Three loops, or a gather.
    MemPattern3d,
    /// Four loops, or a gather.
    MemPattern4d,
    /// Microscaled data, walked or gathered; gen4 only.
    MxMemPattern1d,
}

impl SlotType {
    /// Every slot type.
    pub const ALL: [Self; 8] = [
        Self::Tensor1d,
        Self::Tensor2d,
        Self::Tensor3d,
        Self::Tensor4d,
        Self::MemPattern2d,
        Self::MemPattern3d,
        Self::MemPattern4d,
        Self::MxMemPattern1d,
    ];

    /// The header's name: `TENSOR1D`, `MEM_PATTERN2D`, `MXMEM_PATTERN1D`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tensor1d => "TENSOR1D",
            Self::Tensor2d => "TENSOR2D",
            Self::Tensor3d => "TENSOR3D",
            Self::Tensor4d => "TENSOR4D",
            Self::MemPattern2d => "MEM_PATTERN2D",
            Self::MemPattern3d => "MEM_PATTERN3D",
            Self::MemPattern4d => "MEM_PATTERN4D",
            Self::MxMemPattern1d => "MXMEM_PATTERN1D",
        }
    }

    /// The slot type with exactly this header name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|slot| slot.name() == name)
    }

    /// The format: its name on the command line, its size and its one or two readings.
    #[must_use]
    pub const fn table(self) -> &'static Table {
        match self {
            Self::Tensor1d => &TENSOR1D,
            Self::Tensor2d => &TENSOR2D,
            Self::Tensor3d => &TENSOR3D,
            Self::Tensor4d => &TENSOR4D,
            Self::MemPattern2d => &MEM_PATTERN2D,
            Self::MemPattern3d => &MEM_PATTERN3D,
            Self::MemPattern4d => &MEM_PATTERN4D,
            Self::MxMemPattern1d => &MX_PATTERN,
        }
    }

    /// Size in bytes.
    #[must_use]
    #[inline]
    pub const fn size_bytes(self) -> usize {
        match self {
            Self::Tensor1d => size_of::<Tensor1d>(),
            Self::Tensor2d | Self::MemPattern2d => size_of::<Tensor2d>(),
            Self::Tensor3d | Self::MemPattern3d => size_of::<Tensor3d>(),
            Self::Tensor4d | Self::MemPattern4d => size_of::<Tensor4d>(),
            Self::MxMemPattern1d => size_of::<MxTensor1d>(),
        }
    }

    /// Loops of the tensor that the slot can hold; none for microscaled data.
    #[must_use]
    #[inline]
    pub const fn loops(self) -> usize {
        match self {
            Self::MxMemPattern1d => 0,
            Self::Tensor1d => 1,
            Self::Tensor2d | Self::MemPattern2d => 2,
            Self::Tensor3d | Self::MemPattern3d => 3,
            Self::Tensor4d | Self::MemPattern4d => 4,
        }
    }

    /// Whether the slot is declared as a union of tensor and gather.
    #[must_use]
    #[inline]
    pub const fn is_mem_pattern(self) -> bool {
        matches!(self, Self::MemPattern2d | Self::MemPattern3d | Self::MemPattern4d)
    }
}

impl fmt::Display for SlotType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

const NOT_INDIRECT: &str = "the word at 0 is not in mode indirect";
const INDIRECT: &str = "the word at 0 is in mode indirect";
const INDIRECT_IN_TENSOR: &str = "the word at 0 is in mode indirect, which is never valid in this slot";

const fn table(kind: &'static str, title: &'static str, size_bytes: u32, layouts: &'static [Layout]) -> Table {
    Table { kind, title, size_bytes, is_word: false, layouts }
}

const fn layout(name: &'static str, when: &'static str, fields: &'static [Field]) -> Layout {
    Layout { name, when, fields }
}

const TENSOR1D: Table = table("tensor1d", "one loop over elements", 8, &[layout("tensor", "always", Tensor1d::FIELDS)]);
const TENSOR2D: Table = table(
    "tensor2d",
    "two nested loops over elements",
    12,
    &[layout("tensor", NOT_INDIRECT, Tensor2d::FIELDS), layout("indirect", INDIRECT_IN_TENSOR, Indirect12::FIELDS)],
);
const TENSOR3D: Table = table(
    "tensor3d",
    "three nested loops over elements",
    16,
    &[layout("tensor", NOT_INDIRECT, Tensor3d::FIELDS), layout("indirect", INDIRECT_IN_TENSOR, Indirect16::FIELDS)],
);
const TENSOR4D: Table = table(
    "tensor4d",
    "four nested loops over elements",
    20,
    &[layout("tensor", NOT_INDIRECT, Tensor4d::FIELDS), layout("indirect", INDIRECT_IN_TENSOR, Indirect20::FIELDS)],
);
const MEM_PATTERN2D: Table = table(
    "mem-pattern2d",
    "two nested loops over elements, or a gather",
    12,
    &[layout("tensor", NOT_INDIRECT, Tensor2d::FIELDS), layout("indirect", INDIRECT, Indirect12::FIELDS)],
);
const MEM_PATTERN3D: Table = table(
    "mem-pattern3d",
    "three nested loops over elements, or a gather",
    16,
    &[layout("tensor", NOT_INDIRECT, Tensor3d::FIELDS), layout("indirect", INDIRECT, Indirect16::FIELDS)],
);
const MEM_PATTERN4D: Table = table(
    "mem-pattern4d",
    "four nested loops over elements, or a gather",
    20,
    &[layout("tensor", NOT_INDIRECT, Tensor4d::FIELDS), layout("indirect", INDIRECT, Indirect20::FIELDS)],
);
const MX_PATTERN: Table = table(
    "mx-pattern",
    "microscaled data and its scales, walked or gathered (gen4)",
    16,
    &[layout("mx_static", NOT_INDIRECT, MxTensor1d::FIELDS), layout("mx_indirect", INDIRECT, MxIndirect16::FIELDS)],
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_its_table_and_its_name_agree() {
        for slot in SlotType::ALL {
            let table = slot.table();
            assert_eq!(u32::try_from(slot.size_bytes()), Ok(table.size_bytes));
            assert!(slot.size_bytes() <= MAX_SLOT_BYTES);
            assert_eq!(SlotType::by_name(slot.name()), Some(slot));
            for layout in table.layouts {
                assert!(crate::table::record_covers(layout.fields, table.size_bytes), "{slot} {}", layout.name);
            }
        }
        assert_eq!(SlotType::by_name("TENSOR5D"), None);
        assert_eq!(SlotType::by_name("tensor1d"), None);
    }
}
