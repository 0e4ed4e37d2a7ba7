//! The library's own validator, bit for bit. This is the truth that every faster path is tested against.

use core::fmt;

use super::word::{Addr4, Region};
use crate::arch::Generation;
use crate::dtype::WireTag;
use crate::geometry::{ADDRESS_MASK, ADDRESS_REGISTERS};

/// How an operand is used: what the validator is asked about besides the word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    /// Type of the elements.
    pub dtype: WireTag,
    /// The operand is written (WRITE_TENSOR).
    pub write: bool,
    /// The operand may lie in PSUM (ALLOWED_IN_PSUM).
    pub allow_psum: bool,
    /// The operand may lie in SBUF (ALLOWED_IN_SBUF).
    pub allow_sbuf: bool,
}

impl Access {
    /// A read of this type from either memory.
    #[must_use]
    pub const fn read(dtype: WireTag) -> Self {
        Self { dtype, write: false, allow_psum: true, allow_sbuf: true }
    }
}

/// Reads a name-to-code table once for the enum, its `ALL` and its codes.
macro_rules! codes {
    ($(#[$attribute:meta])* pub enum $Enum:ident { $( $(#[$doc:meta])* $Variant:ident = $code:literal, )* }) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $Enum { $( $(#[$doc])* $Variant, )* }

        impl $Enum {
            /// Every value, in the order in which the rules are written.
            pub const ALL: &'static [Self] = &[$(Self::$Variant),*];

            /// Its place in `ALL`.
            #[must_use]
            #[inline]
            #[allow(clippy::as_conversions, reason = "no conversion trait is const; the values are 0, 1, 2 ...")]
            pub const fn index(self) -> usize {
                self as usize
            }

            /// The name in JSON and text.
            #[must_use]
            pub const fn code(self) -> &'static str {
                match self { $( Self::$Variant => $code, )* }
            }
        }

        impl fmt::Display for $Enum {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.code())
            }
        }
    };
}
pub(crate) use codes;

codes! {
    /// Why the validator rejects a word. The codes are this project's names.
    pub enum Reason {
        /// A register word with a set bit where zeros must stand.
        RegReservedBits = "reg_reserved_bits",
        /// A register word that names a register beyond 63.
        RegIdRange = "reg_id_range",
        /// No address is aligned for this dtype on this generation.
        NoAlignmentForDtype = "no_alignment_for_dtype",
        /// The address is no multiple of the dtype's alignment.
        Misaligned = "misaligned",
        /// The address is in PSUM, where this operand may not be.
        PsumNotAllowed = "psum_not_allowed",
        /// A write to PSUM of a type that the accumulators do not hold.
        PsumWriteDtype = "psum_write_dtype",
        /// The address is in neither memory.
        NotOnChip = "not_on_chip",
        /// The address is in SBUF, where this operand may not be.
        SbufNotAllowed = "sbuf_not_allowed",
    }
}

impl core::error::Error for Reason {}

impl Reason {
    /// The rule that rejects, numbered as in the ADDR4 page of docs/addr4.md.
    #[must_use]
    pub const fn rule(self) -> &'static str {
        match self {
            Self::RegReservedBits => "1.1",
            Self::RegIdRange => "1.2",
            Self::NoAlignmentForDtype | Self::Misaligned => "3",
            Self::PsumNotAllowed => "4.1",
            Self::PsumWriteDtype => "4.2",
            Self::NotOnChip => "5.1",
            Self::SbufNotAllowed => "5.2",
        }
    }
}

/// `tensor_start_addr_valid`: whether an instruction may start an operand at this word.
///
/// The first rule that fails gives the reason. Bits 29 and 30, the mode, play no part here.
/// Source: compiler book and header book; the order of alignment before region is the compiler book's alone.
///
/// # Errors
/// The [`Reason`] of the first failing rule.
#[inline]
pub const fn tensor_start_addr_valid(generation: Generation, word: Addr4, access: Access) -> Result<(), Reason> {
    if word.is_register() {
        return register_word_valid(generation, word);
    }
    let address = word.bits() & ADDRESS_MASK;
    if let Err(reason) = addr_aligned_dtype(generation, address, access.dtype) {
        return Err(reason);
    }
    match Region::of_address(address) {
        Some(Region::Psum) if !access.allow_psum => Err(Reason::PsumNotAllowed),
        Some(Region::Psum) if access.write && !access.dtype.is_psum_accumulator() => Err(Reason::PsumWriteDtype),
        Some(Region::Psum) => Ok(()),
        None => Err(Reason::NotOnChip),
        Some(Region::Sbuf) if !access.allow_sbuf => Err(Reason::SbufNotAllowed),
        Some(Region::Sbuf) => Ok(()),
    }
}

/// The register rule: which words with bit 31 set are accepted. Dtype and flags play no part.
///
/// gen2 wants bits 30:8 zero; gen3 and gen4 want bits 23:8 zero and do not look at bits 30:24. The id is at most
/// 63 everywhere. Every other word with bit 31 set is rejected on every generation (adopted: the header book can
/// be read as checking such a word as an immediate on gen2).
///
/// # Errors
/// [`Reason::RegReservedBits`], then [`Reason::RegIdRange`].
#[inline]
pub const fn register_word_valid(generation: Generation, word: Addr4) -> Result<(), Reason> {
    if word.bits() & register_must_be_zero(generation) != 0 {
        Err(Reason::RegReservedBits)
    } else if Addr4::REGISTER_ID.get(word.bits()) >= ADDRESS_REGISTERS {
        Err(Reason::RegIdRange)
    } else {
        Ok(())
    }
}

/// The bits of a register word that must be zero: 30:8 on gen2, 23:8 on gen3 and gen4.
#[inline]
#[must_use]
pub const fn register_must_be_zero(generation: Generation) -> u32 {
    match generation {
        Generation::Gen2 => {
            Addr4::ACTIVE.mask() | Addr4::INDIRECT.mask() | Addr4::RESERVED_HIGH.mask() | Addr4::RESERVED_MIDDLE.mask()
        }
        Generation::Gen3 | Generation::Gen4 => Addr4::RESERVED_MIDDLE.mask(),
    }
}

/// Whether an address is aligned for a dtype on a generation.
///
/// # Errors
/// [`Reason::NoAlignmentForDtype`] where the generation knows no alignment for the tag, even for address 0;
/// [`Reason::Misaligned`] where the address is no multiple of it.
#[inline]
pub const fn addr_aligned_dtype(generation: Generation, address: u32, dtype: WireTag) -> Result<(), Reason> {
    match dtype.alignment(generation) {
        None => Err(Reason::NoAlignmentForDtype),
        // An alignment is a power of two.
        Some(alignment) if address & alignment.wrapping_sub(1) != 0 => Err(Reason::Misaligned),
        Some(_) => Ok(()),
    }
}
