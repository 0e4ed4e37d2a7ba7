//! The formats by name.

use core::fmt;

use crate::access::SlotType;
use crate::addr4::Addr4;
use crate::arch::same_name;
use crate::bundle::Bundle;
use crate::table::Table;

/// A format that bytes can be read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// The 32-bit address word.
    Addr4,
    /// A descriptor in a slot of this type.
    Slot(SlotType),
    /// An instruction.
    Bundle,
}

impl Kind {
    /// Every kind, in the order in which `trnwire kinds` lists them.
    pub const ALL: &[Self] = &[
        Self::Addr4,
        Self::Slot(SlotType::Tensor1d),
        Self::Slot(SlotType::Tensor2d),
        Self::Slot(SlotType::Tensor3d),
        Self::Slot(SlotType::Tensor4d),
        Self::Slot(SlotType::MemPattern2d),
        Self::Slot(SlotType::MemPattern3d),
        Self::Slot(SlotType::MemPattern4d),
        Self::Slot(SlotType::MxMemPattern1d),
        Self::Bundle,
    ];

    /// What is known about it.
    #[must_use]
    pub const fn table(self) -> &'static Table {
        match self {
            Self::Addr4 => &Addr4::TABLE,
            Self::Slot(slot) => slot.table(),
            Self::Bundle => &Bundle::TABLE,
        }
    }

    /// The name on the command line: `addr4`, `mem-pattern3d`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.table().kind
    }

    /// Finds a kind by its name, or a slot by the name of its type. Case, `-`, `_` and spaces do not count.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        let is_called = |kind: &Self| match kind {
            Self::Slot(slot) => same_name(kind.name(), name) || same_name(slot.name(), name),
            _ => same_name(kind.name(), name),
        };
        Self::ALL.iter().copied().find(is_called)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Bytes of another length than the kind's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrongLength {
    /// What they should be.
    pub kind: Kind,
    /// The number of bytes that were given.
    pub length: usize,
}

impl fmt::Display for WrongLength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} has {} bytes, found {}", self.kind, self.kind.table().size_bytes, self.length)
    }
}

impl core::error::Error for WrongLength {}
