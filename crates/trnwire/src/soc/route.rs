//! The upper bits of an address, which say which device it is on.
//!
//! CAYMAN defines two readings of the same bits, and nothing in an address says which applies: the caller does. How the runtime makes
//! these bits is not public, so that elsewhere a route is an opaque number.

use alloc::vec::Vec;
use core::fmt;

use super::SocAddress;
use crate::arch::CollectiveArch;

/// The architecture has no known reading of the upper bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ViewUnknown {
    /// The architecture.
    pub arch: CollectiveArch,
}

impl ViewUnknown {
    /// The name in vectors and JSON.
    pub const CODE: &'static str = "view_unknown";
}

impl fmt::Display for ViewUnknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.arch {
            CollectiveArch::Sunda => write!(f, "{} has no such reading of the upper bits", self.arch),
            arch => write!(f, "the upper bits on {arch} are not known; say so if they shall be read as on cayman"),
        }
    }
}

impl core::error::Error for ViewUnknown {}

/// Whether the readings of CAYMAN apply.
fn check(arch: CollectiveArch, assume_cayman: bool) -> Result<(), ViewUnknown> {
    match arch {
        CollectiveArch::Cayman => Ok(()),
        CollectiveArch::Mariana | CollectiveArch::MarianaPlus if assume_cayman => Ok(()),
        _ => Err(ViewUnknown { arch }),
    }
}

/// Bits of the local address.
const LOCAL: u64 = (1 << 47) - 1;

/// Declares a reading of bits 63:47, low to high; bits that no row names are undefined.
macro_rules! view {
    (
        $(#[$doc:meta])*
        $View:ident { $( $(#[$field_doc:meta])* $field:ident @ $low:literal + $width:literal ),* $(,)? }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $View {
            /// Bits 46:0, the address within a die.
            pub local: SocAddress,
            $( $(#[$field_doc])* pub $field: u8, )*
        }

        impl $View {
            /// Splits an address. On MARIANA and MARIANA_PLUS only with `assume_cayman`.
            ///
            /// # Errors
            /// The architecture has no such reading.
            pub fn split(arch: CollectiveArch, address: SocAddress, assume_cayman: bool) -> Result<Self, ViewUnknown> {
                check(arch, assume_cayman)?;
                Ok(Self {
                    local: SocAddress(address.0 & LOCAL),
                    $( $field: bits(address.0, $low, $width), )*
                })
            }

            /// The address with these fields; bits of a field beyond its width are dropped.
            #[must_use]
            pub fn join(self) -> SocAddress {
                let Self { local, $($field),* } = self;
                SocAddress((local.0 & LOCAL) $( | u64::from($field & mask($width)).wrapping_shl($low) )*)
            }

            /// Names and values, in the order of their bits, lowest first.
            pub fn fields(self) -> impl Iterator<Item = (&'static str, u8)> {
                [$( (stringify!($field), self.$field) ),*].into_iter()
            }
        }
    };
}

const fn mask(width: u32) -> u8 {
    1_u8.wrapping_shl(width).wrapping_sub(1)
}

const fn bits(address: u64, low: u32, width: u32) -> u8 {
    let [byte, ..] = address.wrapping_shr(low).to_le_bytes();
    byte & mask(width)
}

view! {
    /// An address as one of a device with a chip id. Source: firmware book.
    ChipIdView {
        /// Bit 47: the die.
        die @ 47 + 1,
        /// Bits 53:48: the chip.
        chip_id @ 48 + 6,
        /// Bit 54: the chip id counts.
        chip_id_valid @ 54 + 1,
        /// Bit 55.
        reserved @ 55 + 1,
        /// Bit 56: PCIe relaxed ordering.
        relaxed_ordering @ 56 + 1,
        /// Bit 57: the access may fail.
        ok_to_fail @ 57 + 1,
    }
}

view! {
    /// An address as one reached through a neighbour. Source: firmware book; kernel driver for bits 52:50.
    NeighborView {
        /// Bit 47: the die.
        die @ 47 + 1,
        /// Bits 49:48.
        neighbor_rsvd @ 48 + 2,
        /// Bit 50: the sequencer engine through which it leaves.
        exit_seng @ 50 + 1,
        /// Bit 51: the die through which it leaves.
        exit_die @ 51 + 1,
        /// Bit 52: it goes to a neighbour.
        neighbor_route @ 52 + 1,
        /// Bit 53: PEB.
        peb @ 53 + 1,
        /// Bit 54: the same bit as the chip id's.
        id_valid @ 54 + 1,
        /// Bit 55: reserved for PCIe.
        pcie_u_rsvd @ 55 + 1,
        /// Bit 56: PCIe relaxed ordering.
        relaxed_ordering @ 56 + 1,
        /// Bit 57: the access may fail.
        ok_to_fail @ 57 + 1,
    }
}

/// Names and values of the fields above a local address, lowest first.
pub type RouteFields = Vec<(&'static str, u8)>;

/// Which of the readings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RouteView {
    /// [`ChipIdView`].
    ChipId,
    /// [`NeighborView`].
    Neighbor,
}

impl RouteView {
    /// Both of them.
    pub const ALL: [Self; 2] = [Self::ChipId, Self::Neighbor];

    /// Its name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ChipId => "chip-id",
            Self::Neighbor => "neighbor",
        }
    }

    /// The address within a die, and the fields of the upper bits.
    ///
    /// # Errors
    /// The architecture has no such reading.
    pub fn split(
        self,
        arch: CollectiveArch,
        address: SocAddress,
        assume_cayman: bool,
    ) -> Result<(SocAddress, RouteFields), ViewUnknown> {
        Ok(match self {
            Self::ChipId => {
                let view = ChipIdView::split(arch, address, assume_cayman)?;
                (view.local, view.fields().collect())
            }
            Self::Neighbor => {
                let view = NeighborView::split(arch, address, assume_cayman)?;
                (view.local, view.fields().collect())
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_readings_split_and_join_all_bits_below_58() {
        for bit in 0..58 {
            let address = SocAddress(1 << bit);
            let arch = CollectiveArch::Cayman;
            assert_eq!(ChipIdView::split(arch, address, false).unwrap().join(), address);
            assert_eq!(NeighborView::split(arch, address, false).unwrap().join(), address);
        }
    }

    #[test]
    fn a_reading_must_be_asked_for_where_it_is_not_known() {
        let split = |arch, assume| ChipIdView::split(arch, SocAddress(1 << 48), assume).map(|view| view.chip_id);
        assert_eq!(split(CollectiveArch::Cayman, false), Ok(1));
        assert_eq!(split(CollectiveArch::MarianaPlus, true), Ok(1));
        assert!(split(CollectiveArch::Mariana, false).is_err());
        assert!(split(CollectiveArch::Sunda, true).is_err());
    }
}
