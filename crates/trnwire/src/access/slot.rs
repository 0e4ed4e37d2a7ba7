//! The types that a slot of an instruction is declared with. A type fixes the size and the number of loops: the wire
//! tells neither.

use core::fmt;

use super::indirect::{Indirect12, Indirect16, Indirect20};
use super::mx::{MxIndirect16, MxTensor1d};
use super::tensor::{Tensor1d, Tensor2d, Tensor3d, Tensor4d};
use crate::table::{Layout, Table};

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
            Self::Tensor2d => &unions::TENSOR2D,
            Self::Tensor3d => &unions::TENSOR3D,
            Self::Tensor4d => &unions::TENSOR4D,
            Self::MemPattern2d => &unions::MEM_PATTERN2D,
            Self::MemPattern3d => &unions::MEM_PATTERN3D,
            Self::MemPattern4d => &unions::MEM_PATTERN4D,
            Self::MxMemPattern1d => &unions::MX_PATTERN,
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

/// The table of a slot with two readings, each a variant: one when the first word is no gather index, one when it is.
macro_rules! two_readings {
    ($kind:literal, $title:literal, $variant:literal: $Record:ident, $gather:literal: $Gather:ident when $when:expr) => {
        Table {
            kind: $kind,
            title: $title,
            size_bytes: crate::table::length_of(size_of::<$Record>()),
            is_word: false,
            layouts: &[
                Layout { name: $variant, when: NOT_INDIRECT, fields: $Record::FIELDS },
                Layout { name: $gather, when: $when, fields: $Gather::FIELDS },
            ],
        }
    };
}

const TENSOR1D: Table = Table {
    kind: "tensor1d",
    title: "one loop over elements",
    size_bytes: 8,
    is_word: false,
    layouts: &[Layout { name: "tensor", when: "always", fields: Tensor1d::FIELDS }],
};

#[rustfmt::skip]
mod unions {
    use super::*;

    pub(super) const TENSOR2D: Table = two_readings!(
        "tensor2d", "two nested loops over elements",
        "tensor": Tensor2d, "indirect": Indirect12 when INDIRECT_IN_TENSOR
    );
    pub(super) const TENSOR3D: Table = two_readings!(
        "tensor3d", "three nested loops over elements",
        "tensor": Tensor3d, "indirect": Indirect16 when INDIRECT_IN_TENSOR
    );
    pub(super) const TENSOR4D: Table = two_readings!(
        "tensor4d", "four nested loops over elements",
        "tensor": Tensor4d, "indirect": Indirect20 when INDIRECT_IN_TENSOR
    );
    pub(super) const MEM_PATTERN2D: Table = two_readings!(
        "mem-pattern2d", "two nested loops over elements, or a gather",
        "tensor": Tensor2d, "indirect": Indirect12 when INDIRECT
    );
    pub(super) const MEM_PATTERN3D: Table = two_readings!(
        "mem-pattern3d", "three nested loops over elements, or a gather",
        "tensor": Tensor3d, "indirect": Indirect16 when INDIRECT
    );
    pub(super) const MEM_PATTERN4D: Table = two_readings!(
        "mem-pattern4d", "four nested loops over elements, or a gather",
        "tensor": Tensor4d, "indirect": Indirect20 when INDIRECT
    );
    pub(super) const MX_PATTERN: Table = two_readings!(
        "mx-pattern", "microscaled data and its scales, walked or gathered (gen4)",
        "mx_static": MxTensor1d, "mx_indirect": MxIndirect16 when INDIRECT
    );
}

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
