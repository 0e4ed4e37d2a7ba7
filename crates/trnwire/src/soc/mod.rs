//! Addresses on the system-on-chip as collectives use them: where a semaphore is, and which device it is on.

mod route;
mod semaphore;

use core::fmt;

use zerocopy::little_endian::U64;

pub use route::{ChipIdView, NeighborView, RouteFields, RouteView, ViewUnknown};
pub use semaphore::{
    AddressError, EncodeError, SEMAPHORES_PER_TOP_SP, Semaphore, SemaphoreRef, Window, hardware_top_sp, route_shift,
    top_sp_count,
};

use crate::table::{BitRange, Evidence, Field, Layout, Legal, Shape, Source, Table, Unit, Wire};

/// The address of a semaphore as a format of its own. Its parts are added up, so that it is no word of bit-fields.
pub const TABLE: Table = Table {
    kind: "sema-addr",
    title: "the address of a semaphore of a top-SP",
    size_bytes: 8,
    is_word: false,
    layouts: &[Layout {
        name: "sema-addr",
        when: "always",
        fields: &[Field {
            name: "addr",
            bits: BitRange::bytes(0, 8),
            shape: Shape::SemaphoreAddress,
            unit: Unit::Bytes,
            legal: Legal::Depends,
            meaning: "base of the top-SPs + stride x top-SP + window + 4 x semaphore; the bits above (48 and up, 44 on sunda) say which device",
            evidence: Evidence::stated(&[Source::RingDescriptorPage, Source::FirmwareBook, Source::KernelDriver]),
        }],
    }],
};

/// A 64-bit address on the system-on-chip. Zero stands for none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SocAddress(pub u64);

/// `0x0000008300001000`: always sixteen digits.
impl fmt::Display for SocAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "0x{:016X}", self.0)
    }
}

macro_rules! address {
    ($(#[$doc:meta])* $Address:ident: $shape:ident) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, Default, PartialEq, Eq,
            zerocopy::FromBytes, zerocopy::IntoBytes, zerocopy::KnownLayout, zerocopy::Immutable, zerocopy::Unaligned,
        )]
        #[repr(transparent)]
        pub struct $Address(U64);

        impl $Address {
            /// The address.
            #[must_use]
            #[inline]
            pub const fn get(self) -> SocAddress {
                SocAddress(self.0.get())
            }

            /// Whether there is an address.
            #[must_use]
            #[inline]
            pub const fn is_set(self) -> bool {
                self.0.get() != 0
            }
        }

        impl From<SocAddress> for $Address {
            fn from(address: SocAddress) -> Self {
                Self(U64::new(address.0))
            }
        }

        impl Wire for $Address {
            const SHAPE: Shape = Shape::$shape;
        }
    };
}

address! {
    /// The address of a semaphore, as it stands in a record.
    SemaphoreAddress: SemaphoreAddress
}

address! {
    /// Any other address, as it stands in a record.
    Address: Address
}
