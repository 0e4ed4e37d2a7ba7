//! The formats by name.

use core::fmt;

use crate::access::SlotType;
use crate::addr4::Addr4;
use crate::arch::same_name;
use crate::bundle::Bundle;
use crate::cc_op::CcOp;
use crate::context::{self, AlgoState, RuntimeRow};
use crate::mesh::MeshEvent;
use crate::ring::{ApbBroadcast, Neighbor, PeerSemaphores, RingChannel};
use crate::table::Table;
use crate::{block, soc};

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
    /// A neighbour of a ring channel.
    Neighbor,
    /// The semaphores of a kangaring.
    PeerSemaphores,
    /// A broadcast to DMA engines.
    ApbBroadcast,
    /// The ring channel descriptor.
    RingChannel,
    /// A step of a mesh collective.
    MeshEvent,
    /// The live state of a ring channel.
    RuntimeRow,
    /// The live state of all algorithms.
    AlgoState,
    /// The control slot.
    CcOp,
    /// The algorithm config block, in any of its views.
    AlgoBlock,
    /// The whole state of collectives on a sync core.
    Context,
    /// The address of a semaphore.
    SemaphoreAddress,
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
        Self::Neighbor,
        Self::PeerSemaphores,
        Self::ApbBroadcast,
        Self::RingChannel,
        Self::MeshEvent,
        Self::RuntimeRow,
        Self::AlgoState,
        Self::CcOp,
        Self::AlgoBlock,
        Self::Context,
        Self::SemaphoreAddress,
    ];

    /// What is known about it.
    #[must_use]
    pub const fn table(self) -> &'static Table {
        match self {
            Self::Addr4 => &Addr4::TABLE,
            Self::Slot(slot) => slot.table(),
            Self::Bundle => &Bundle::TABLE,
            Self::Neighbor => &Neighbor::TABLE,
            Self::PeerSemaphores => &PeerSemaphores::TABLE,
            Self::ApbBroadcast => &ApbBroadcast::TABLE,
            Self::RingChannel => &RingChannel::TABLE,
            Self::MeshEvent => &MeshEvent::TABLE,
            Self::RuntimeRow => &RuntimeRow::TABLE,
            Self::AlgoState => &AlgoState::TABLE,
            Self::CcOp => &CcOp::TABLE,
            Self::AlgoBlock => &block::TABLE,
            Self::Context => &context::TABLE,
            Self::SemaphoreAddress => &soc::TABLE,
        }
    }

    /// The name on the command line: `addr4`, `mem-pattern3d`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.table().kind
    }

    /// Whether it belongs to the words of a core's instructions, which differ by generation; all else belongs to
    /// collectives, which have architectures.
    #[must_use]
    pub const fn is_of_core(self) -> bool {
        matches!(self, Self::Addr4 | Self::Slot(_) | Self::Bundle)
    }

    /// Whether its bytes are as many as its table says: a block and a context have several sizes.
    #[must_use]
    pub const fn has_one_size(self) -> bool {
        !matches!(self, Self::AlgoBlock | Self::Context)
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
        write!(f, "{} has ", self.kind)?;
        match self.kind {
            Kind::AlgoBlock => {
                let [host, sunda, cayman] = block::View::ALL.map(block::View::size_bytes);
                write!(f, "{host}, {sunda} or {cayman}")?;
            }
            kind => write!(f, "{}", kind.table().size_bytes)?,
        }
        write!(f, " bytes, found {}", self.length)
    }
}

impl core::error::Error for WrongLength {}
