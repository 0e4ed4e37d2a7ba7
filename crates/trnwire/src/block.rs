//! The algorithm config block: 32 ring channels and a list of mesh events, as the host holds it and as a device does.

use alloc::vec::Vec;
use core::fmt;

use zerocopy::{FromBytes, IntoBytes};

use crate::arch::CollectiveArch;
use crate::mesh::MeshEvent;
use crate::ring::{RING_ROWS, RingChannel};
use crate::soc::{Address, SocAddress};
use crate::table::Legal::Any;
use crate::table::{Layout, Table, record};

record! {
    /// The block as the runtime stages it on the host, one size for all architectures.
    pub struct HostBlock[20736];

    // offset, field  type                      unit  legal  sources
    0 ring:           [RingChannel; RING_ROWS], None, Any,   [RingDescriptorPage, FirmwareBook],
        "ring channels";
    4736 mesh:        [MeshEvent; 200],         None, Any,   [RingDescriptorPage],
        "mesh events";
}

record! {
    /// The block as SUNDA's sync cores have it.
    pub struct SundaBlock[8744];

    // offset, field  type                      unit  legal  sources
    0 ring:           [RingChannel; RING_ROWS], None, Any,   [RingDescriptorPage, FirmwareBook],
        "ring channels";
    4736 mesh:        [MeshEvent; 50],          None, Any,   [FirmwareBook, RuntimeBook],
        "mesh events";
    8736 hier_stub:   Address,                  None, Any,   [FirmwareBook, RuntimeBook],
        "hierarchical part: probably a device pointer; opaque";
}

record! {
    /// The block as the sync cores of CAYMAN, MARIANA and MARIANA_PLUS have it.
    pub struct CaymanBlock[13384];

    // offset, field  type                      unit  legal  sources
    0 ring:           [RingChannel; RING_ROWS], None, Any,   [RingDescriptorPage, FirmwareBook],
        "ring channels";
    4736 mesh:        [MeshEvent; 108],         None, Any,   [FirmwareBook, RuntimeBook],
        "mesh events";
    13376 hier_stub:  Address,                  None, Any,   [FirmwareBook, RuntimeBook],
        "hierarchical part: probably a device pointer; opaque";
}

/// The format, with all its views. The size is that of the host view.
pub const TABLE: Table = Table {
    kind: "algo-block",
    title: "the algorithm config block: ring channels and mesh events (8744 or 13384 bytes on a device)",
    size_bytes: crate::table::length_of(size_of::<HostBlock>()),
    is_word: false,
    layouts: &[View::Host.layout(), View::Sunda.layout(), View::Cayman.layout()],
};

/// Whose bytes a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum View {
    /// The runtime's staging structure: 200 events.
    Host,
    /// SUNDA's image: 50 events and the stub.
    Sunda,
    /// The image of CAYMAN, MARIANA and MARIANA_PLUS: 108 events and the stub.
    Cayman,
}

impl View {
    /// Every view.
    pub const ALL: [Self; 3] = [Self::Host, Self::Sunda, Self::Cayman];

    /// `host`, `sunda` or `cayman`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Sunda => "sunda",
            Self::Cayman => "cayman",
        }
    }

    /// The view with exactly this name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|view| view.name() == name)
    }

    /// The view of a device of this architecture.
    #[must_use]
    pub const fn of(arch: CollectiveArch) -> Self {
        match arch {
            CollectiveArch::Sunda => Self::Sunda,
            CollectiveArch::Cayman | CollectiveArch::Mariana | CollectiveArch::MarianaPlus => Self::Cayman,
        }
    }

    /// The view whose blocks have this size.
    #[must_use]
    pub fn of_length(length: usize) -> Option<Self> {
        Self::ALL.into_iter().find(|view| view.size_bytes() == length)
    }

    /// Bytes of a block.
    #[must_use]
    pub const fn size_bytes(self) -> usize {
        match self {
            Self::Host => size_of::<HostBlock>(),
            Self::Sunda => size_of::<SundaBlock>(),
            Self::Cayman => size_of::<CaymanBlock>(),
        }
    }

    /// Mesh events of a block.
    #[must_use]
    pub const fn event_count(self) -> usize {
        let stub = match self {
            Self::Host => 0,
            Self::Sunda | Self::Cayman => size_of::<Address>(),
        };
        let rows = size_of::<[RingChannel; RING_ROWS]>();
        const EVENT: usize = size_of::<MeshEvent>();
        self.size_bytes().saturating_sub(rows).saturating_sub(stub) / EVENT
    }

    /// Its fields.
    #[must_use]
    pub const fn layout(self) -> Layout {
        match self {
            Self::Host => Layout { name: "host", when: "there are 20736 bytes", fields: HostBlock::FIELDS },
            Self::Sunda => Layout { name: "sunda", when: "there are 8744 bytes", fields: SundaBlock::FIELDS },
            Self::Cayman => Layout { name: "cayman", when: "there are 13384 bytes", fields: CaymanBlock::FIELDS },
        }
    }
}

impl fmt::Display for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A block in any of its views, without a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block<'a> {
    /// Whose bytes these are.
    pub view: View,
    /// Ring channels.
    pub rows: &'a [RingChannel; RING_ROWS],
    /// Mesh events, as many as the view has.
    pub events: &'a [MeshEvent],
    /// The hierarchical part; the host view has none.
    pub hier_stub: Option<SocAddress>,
}

impl<'a> Block<'a> {
    /// A block of this view; `None` when the bytes are not as many as it has.
    #[must_use]
    pub fn new(view: View, bytes: &'a [u8]) -> Option<Self> {
        match view {
            View::Host => {
                let block = HostBlock::ref_from_bytes(bytes).ok()?;
                Some(Self { view, rows: &block.ring, events: &block.mesh, hier_stub: None })
            }
            View::Sunda => SundaBlock::ref_from_bytes(bytes).ok().map(Into::into),
            View::Cayman => CaymanBlock::ref_from_bytes(bytes).ok().map(Into::into),
        }
    }

    /// A block whose view its length tells.
    #[must_use]
    pub fn of_length(bytes: &'a [u8]) -> Option<Self> {
        Self::new(View::of_length(bytes.len())?, bytes)
    }
}

macro_rules! device_block {
    ($($Block:ident: $view:ident),*) => { $(
        impl<'a> From<&'a $Block> for Block<'a> {
            fn from(block: &'a $Block) -> Self {
                let hier_stub = Some(block.hier_stub.get());
                Self { view: View::$view, rows: &block.ring, events: &block.mesh, hier_stub }
            }
        }
    )* };
}

device_block!(SundaBlock: Sunda, CaymanBlock: Cayman);

/// A block in another view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Converted {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The stub that the other view has no place for and that was not zero.
    pub stub_lost: Option<SocAddress>,
}

/// The code of the warning that a stub was lost.
pub const STUB_LOST_CODE: &str = "stub_lost";

/// An event that is not zero lies beyond those that the view has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeshCapacity {
    /// The index of the event.
    pub event: usize,
    /// The view.
    pub view: View,
}

impl MeshCapacity {
    /// The name in vectors and JSON.
    pub const CODE: &'static str = "mesh_capacity";
}

impl fmt::Display for MeshCapacity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { event, view } = self;
        write!(f, "mesh event {event} is in use, and the {view} view has {} events", view.event_count())
    }
}

impl core::error::Error for MeshCapacity {}

impl Block<'_> {
    /// The block in another view. The runtime packs its staging structure so before it loads the image (inferred).
    ///
    /// `stub` is what the hierarchical part of a device view shall be. The old one is kept only from a view to itself.
    ///
    /// # Errors
    /// An event that the other view has no place for.
    pub fn convert(&self, view: View, stub: SocAddress) -> Result<Converted, MeshCapacity> {
        let beyond = self.events.iter().skip(view.event_count()).position(|event| !event.is_unused());
        if let Some(position) = beyond {
            return Err(MeshCapacity { event: view.event_count().saturating_add(position), view });
        }
        let is_same = self.view == view;
        let stub = if is_same { self.hier_stub } else { Some(stub) };
        let mut bytes = Vec::with_capacity(view.size_bytes());
        bytes.extend_from_slice(self.rows.as_bytes());
        let kept = self.events.get(..view.event_count()).unwrap_or(self.events);
        bytes.extend_from_slice(kept.as_bytes());
        let stub_size = if view == View::Host { 0 } else { size_of::<Address>() };
        bytes.resize(view.size_bytes().saturating_sub(stub_size), 0);
        if view != View::Host {
            bytes.extend_from_slice(&stub.unwrap_or_default().0.to_le_bytes());
        }
        Ok(Converted { bytes, stub_lost: self.hier_stub.filter(|stub| !is_same && stub.0 != 0) })
    }
}
