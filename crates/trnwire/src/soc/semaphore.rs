//! Semaphores: 256 registers of a top-SP, each seen through four windows.

use core::fmt;

use super::SocAddress;
use crate::arch::CollectiveArch;

/// Semaphores of a top-SP. Source: kernel driver, firmware book.
pub const SEMAPHORES_PER_TOP_SP: u32 = 256;

/// What an access through an address does to the semaphore. Source: firmware book, kernel driver, runtime book.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Window {
    /// Reads it; waits poll here.
    #[default]
    Read,
    /// A write replaces its value.
    Set,
    /// A write adds to it: signal.
    Inc,
    /// A write takes from it: consume.
    Dec,
}

impl Window {
    /// Every window, in the order of their addresses.
    pub const ALL: [Self; 4] = [Self::Read, Self::Set, Self::Inc, Self::Dec];

    /// `read`, `set`, `inc` or `dec`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Set => "set",
            Self::Inc => "inc",
            Self::Dec => "dec",
        }
    }

    /// The window with exactly this name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|window| window.name() == name)
    }

    /// Where it begins in the block of its top-SP.
    const fn offset(self) -> u64 {
        match self {
            Self::Read => 0x1000,
            Self::Set => 0x1400,
            Self::Inc => 0x1800,
            Self::Dec => 0x1C00,
        }
    }
}

impl fmt::Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// How an architecture lays its top-SPs out.
struct Map {
    /// Where the first one begins.
    base: u64,
    /// One begins this power of two behind the other.
    stride_shift: u32,
    /// The bit of the second die, where there are two.
    die: u64,
    /// How many the runtime numbers.
    count: u32,
    /// Bits from here up say which device.
    route_shift: u32,
}

const DIE_BIT: u64 = 1 << 47;
/// Top-SPs that the runtime numbers on a die, and how many the hardware has there.
const LOGICAL_PER_DIE: u32 = 8;
const HARDWARE_PER_DIE: u32 = 10;

impl Map {
    const fn of(arch: CollectiveArch) -> &'static Self {
        const SUNDA: Map = Map { base: 0xFFF_D000_0000, stride_shift: 22, die: 0, count: 6, route_shift: 44 };
        // Confirmed for CAYMAN; the MARIANA addresses are inferred from clone code and equal register bases.
        const CAYMAN: Map = Map { base: 0x82_8000_0000, stride_shift: 30, die: DIE_BIT, count: 16, route_shift: 48 };
        match arch {
            CollectiveArch::Sunda => &SUNDA,
            CollectiveArch::Cayman | CollectiveArch::Mariana | CollectiveArch::MarianaPlus => &CAYMAN,
        }
    }
}

/// How many top-SPs of a device the runtime numbers.
#[must_use]
pub const fn top_sp_count(arch: CollectiveArch) -> u32 {
    Map::of(arch).count
}

/// The lowest bit of an address that says which device it is on.
#[must_use]
pub const fn route_shift(arch: CollectiveArch) -> u32 {
    Map::of(arch).route_shift
}

/// The hardware's number of the top-SP that the runtime numbers so: a die has ten, of which the runtime uses eight, so that
/// 8..=15 are 10..=17. Source: kernel driver.
#[must_use]
pub const fn hardware_top_sp(arch: CollectiveArch, top_sp: u32) -> u32 {
    let unused = HARDWARE_PER_DIE.saturating_sub(LOGICAL_PER_DIE);
    if Map::of(arch).die != 0 && top_sp >= LOGICAL_PER_DIE { top_sp.saturating_add(unused) } else { top_sp }
}

/// Which register an address means, whatever the window: references are equal when the register is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SemaphoreRef {
    /// The bits above [`route_shift`], which say which device; 0 is the own one.
    pub route: u32,
    /// The runtime's number of the top-SP.
    pub top_sp: u32,
    /// The semaphore on it.
    pub id: u8,
}

/// A register and the window through which an address sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Semaphore {
    /// The register.
    pub register: SemaphoreRef,
    /// The window.
    pub window: Window,
}

/// Why an address is not made. Errors are looked for in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EncodeError {
    /// The top-SP is none of the device's.
    TopSp {
        /// What was asked for.
        top_sp: i64,
        /// How many there are.
        count: u32,
    },
    /// The semaphore is none of 0..=255.
    SemaphoreRange {
        /// What was asked for.
        id: i64,
    },
    /// The route mask has a bit in the local part of the address.
    RouteMask {
        /// The mask.
        mask: u64,
        /// The lowest bit that it may have.
        shift: u32,
    },
}

impl EncodeError {
    /// The name in vectors and JSON.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::TopSp { .. } => "sp_idx",
            Self::SemaphoreRange { .. } => "sema_range",
            Self::RouteMask { .. } => "route_mask",
        }
    }
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TopSp { top_sp, count } => {
                write!(f, "top-SP {top_sp} does not exist: a device has 0..={}", count.saturating_sub(1))
            }
            Self::SemaphoreRange { id } => write!(f, "semaphore {id} does not exist: a top-SP has 0..=255"),
            Self::RouteMask { mask, shift } => {
                write!(f, "route mask {} has a bit below bit {shift}, in the local part", SocAddress(*mask))
            }
        }
    }
}

impl core::error::Error for EncodeError {}

/// Why an address is no semaphore. Errors are looked for in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum AddressError {
    /// It lies in no top-SP.
    NotTopSp,
    /// It lies in a top-SP that the hardware has and the runtime does not number.
    UnusedTopSp,
    /// It lies in a top-SP, but not where its semaphores are.
    NotSemaphoreWindow,
    /// It lies within a semaphore.
    Misaligned,
}

impl AddressError {
    /// The name in vectors and JSON.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::NotTopSp => "not_top_sp",
            Self::UnusedTopSp => "unused_top_sp",
            Self::NotSemaphoreWindow => "not_sema_window",
            Self::Misaligned => "misaligned",
        }
    }
}

impl fmt::Display for AddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotTopSp => "not in a top-SP",
            Self::UnusedTopSp => "in a top-SP that the runtime does not use",
            Self::NotSemaphoreWindow => "in a top-SP, but not where its semaphores are",
            Self::Misaligned => "not at the first byte of a semaphore",
        })
    }
}

impl core::error::Error for AddressError {}

/// The semaphore windows of a top-SP, one behind the other.
const WINDOWS: core::ops::Range<u64> = Window::Read.offset()..Window::Dec.offset() + WINDOW_SIZE;
const WINDOW_SIZE: u64 = 0x400;
const REGISTER_SIZE: u64 = 4;
const _: () = assert!(WINDOW_SIZE == 256 * REGISTER_SIZE && WINDOWS.end == 0x2000);

impl Semaphore {
    /// The address of a semaphore: parts are added, never ORed, since the base has bits of its own in their place.
    ///
    /// `route_mask` is what the address says about the device; zero is the own one. No source tells how to make it.
    ///
    /// # Errors
    /// The first of [`EncodeError`].
    pub fn encode(
        arch: CollectiveArch,
        top_sp: i64,
        id: i64,
        window: Window,
        route_mask: u64,
    ) -> Result<SocAddress, EncodeError> {
        let map = Map::of(arch);
        let Some(index) = u32::try_from(top_sp).ok().filter(|&index| index < map.count) else {
            return Err(EncodeError::TopSp { top_sp, count: map.count });
        };
        let Ok(register) = u8::try_from(id) else { return Err(EncodeError::SemaphoreRange { id }) };
        if route_mask & local_mask(map.route_shift) != 0 {
            return Err(EncodeError::RouteMask { mask: route_mask, shift: map.route_shift });
        }
        let (die, tile) = match map.die {
            0 => (0, index),
            _ if index < LOGICAL_PER_DIE => (0, index),
            die => (die, index.wrapping_sub(LOGICAL_PER_DIE)),
        };
        let place = u64::from(tile).wrapping_shl(map.stride_shift).wrapping_add(die);
        let register = u64::from(register).wrapping_mul(REGISTER_SIZE);
        let local = [place, window.offset(), register].into_iter().fold(map.base, u64::wrapping_add);
        Ok(SocAddress(local | route_mask))
    }

    /// The semaphore at an address.
    ///
    /// # Errors
    /// The first of [`AddressError`]. Zero is none, too: ask first whether there is an address.
    #[inline]
    pub fn decode(arch: CollectiveArch, address: SocAddress) -> Result<Self, AddressError> {
        let map = Map::of(arch);
        let rest = address.0 & local_mask(map.route_shift);
        let is_second_die = rest & map.die != 0;
        let within = (rest & !map.die).checked_sub(map.base).ok_or(AddressError::NotTopSp)?;
        let tiles = if map.die == 0 { map.count } else { HARDWARE_PER_DIE };
        let tile = u32::try_from(within.wrapping_shr(map.stride_shift)).unwrap_or(u32::MAX);
        if tile >= tiles {
            return Err(AddressError::NotTopSp);
        }
        if map.die != 0 && tile >= LOGICAL_PER_DIE {
            return Err(AddressError::UnusedTopSp);
        }
        let offset = within & local_mask(map.stride_shift);
        if !WINDOWS.contains(&offset) {
            return Err(AddressError::NotSemaphoreWindow);
        }
        if offset % REGISTER_SIZE != 0 {
            return Err(AddressError::Misaligned);
        }
        let window = match offset & !WINDOW_SIZE.wrapping_sub(1) {
            0x1000 => Window::Read,
            0x1400 => Window::Set,
            0x1800 => Window::Inc,
            _ => Window::Dec,
        };
        let [id, ..] = ((offset & WINDOW_SIZE.wrapping_sub(1)) / REGISTER_SIZE).to_le_bytes();
        let top_sp = tile.wrapping_add(if is_second_die { LOGICAL_PER_DIE } else { 0 });
        let route = u32::try_from(address.0.wrapping_shr(map.route_shift)).unwrap_or_default();
        Ok(Self { register: SemaphoreRef { route, top_sp, id }, window })
    }

    /// The die that its top-SP is on.
    #[must_use]
    pub const fn die(self, arch: CollectiveArch) -> u32 {
        if Map::of(arch).die != 0 && self.register.top_sp >= LOGICAL_PER_DIE { 1 } else { 0 }
    }
}

/// All bits below `shift`.
const fn local_mask(shift: u32) -> u64 {
    1_u64.wrapping_shl(shift).wrapping_sub(1)
}

/// `semaphore 17 of top-SP 6`, with its window unless it is `read`, and with the route of another device.
impl fmt::Display for Semaphore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SemaphoreRef { route, top_sp, id } = self.register;
        write!(f, "semaphore {id} of top-SP {top_sp}")?;
        if self.window != Window::Read {
            write!(f, " ({})", self.window)?;
        }
        if route != 0 {
            write!(f, " of another device (route {route:#x})")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_semaphore_of_every_device_comes_back_from_its_address() {
        for arch in CollectiveArch::ALL {
            for top_sp in 0..top_sp_count(arch) {
                for (id, window) in (0..=u8::MAX).flat_map(|id| Window::ALL.map(|window| (id, window))) {
                    let route = 0xA5_u32;
                    let mask = u64::from(route) << route_shift(arch);
                    let address = Semaphore::encode(arch, top_sp.into(), id.into(), window, mask).unwrap();
                    let register = SemaphoreRef { route, top_sp, id };
                    assert_eq!(Semaphore::decode(arch, address), Ok(Semaphore { register, window }), "{address}");
                }
            }
        }
    }

    #[test]
    fn tiles_are_added_to_the_base_and_carry() {
        let address = |top_sp| Semaphore::encode(CollectiveArch::Cayman, top_sp, 0, Window::Read, 0).unwrap();
        assert_eq!(address(1).to_string(), "0x00000082C0001000");
        assert_eq!(address(2).to_string(), "0x0000008300001000");
        assert_eq!(address(8).to_string(), "0x0000808280001000");
    }

    #[test]
    fn the_hardware_numbers_two_more_on_each_die() {
        let all: Vec<_> = (0..16).map(|top_sp| hardware_top_sp(CollectiveArch::Cayman, top_sp)).collect();
        assert_eq!(all, [0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16, 17]);
        assert_eq!(hardware_top_sp(CollectiveArch::Sunda, 5), 5);
    }

    use alloc::string::ToString;
    use alloc::vec::Vec;
}
