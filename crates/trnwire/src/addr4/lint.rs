//! Our own lints on a word. They are not part of the library's validator and never change its verdict.

use core::fmt;

use super::validate::codes;
use super::word::{Addr4, Mode, Target};
use crate::arch::Generation;
use crate::check::Severity;
use crate::geometry::{Geometry, PSUM_ACTIVE};

codes! {
    /// A reason to look twice at a word.
    pub enum Lint {
        /// Mode 0b11, which nothing emits. An error.
        DeadMode = "dead_mode",
        /// An SBUF offset inside the stride but beyond the generation's memory.
        UnbackedSbuf = "unbacked_sbuf",
        /// A PSUM offset in the upper half of the stride, which no bank backs.
        PsumPad = "psum_pad",
        /// A register word with a set bit among bits 28:24.
        NoncanonicalRegister = "noncanonical_register",
    }
}

impl Lint {
    /// How bad it is.
    #[must_use]
    pub const fn severity(self) -> Severity {
        match self {
            Self::DeadMode => Severity::Error,
            Self::UnbackedSbuf | Self::PsumPad | Self::NoncanonicalRegister => Severity::Warning,
        }
    }

    #[inline]
    const fn bit(self) -> u8 {
        match self {
            Self::DeadMode => 1,
            Self::UnbackedSbuf => 2,
            Self::PsumPad => 4,
            Self::NoncanonicalRegister => 8,
        }
    }
}

/// The lints of one word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LintSet(u8);

impl LintSet {
    /// Whether there is none.
    #[must_use]
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether this one is among them.
    #[must_use]
    #[inline]
    pub const fn contains(self, lint: Lint) -> bool {
        self.0 & lint.bit() != 0
    }

    /// The lints, in the order of [`Lint::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Lint> {
        Lint::ALL.iter().copied().filter(move |&lint| self.contains(lint))
    }

    #[must_use]
    #[inline]
    const fn with(self, lint: Lint, applies: bool) -> Self {
        if applies { Self(self.0 | lint.bit()) } else { self }
    }
}

/// All lints of a word.
#[inline]
#[must_use]
pub const fn lints(generation: Generation, word: Addr4) -> LintSet {
    let target = word.target();
    let unbacked = matches!(target, Target::Sbuf { offset, .. } if offset >= Geometry::of(generation).sbuf_active);
    let pad = matches!(target, Target::Psum { offset, .. } if offset >= PSUM_ACTIVE);
    let noncanonical = word.is_register() && Addr4::RESERVED_HIGH.get(word.bits()) != 0;
    LintSet(0)
        .with(Lint::DeadMode, matches!(word.mode(), Mode::Dead))
        .with(Lint::UnbackedSbuf, unbacked)
        .with(Lint::PsumPad, pad)
        .with(Lint::NoncanonicalRegister, noncanonical)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes_of(generation: Generation, bits: u32) -> alloc::vec::Vec<&'static str> {
        lints(generation, Addr4::from_bits(bits)).iter().map(Lint::code).collect()
    }

    #[test]
    fn each_lint_fires_on_its_first_word_and_not_one_before() {
        for generation in Generation::ALL {
            assert!(codes_of(generation, 0x5FFF_FFFF).is_empty());
            assert_eq!(codes_of(generation, 0x6240_0000), ["dead_mode"]);
            assert!(codes_of(generation, 0x0200_3FFF).is_empty());
            assert_eq!(codes_of(generation, 0x0200_4000), ["psum_pad"]);
            assert!(codes_of(generation, 0x80FF_FFFF).is_empty());
            assert_eq!(codes_of(generation, 0x8100_0000), ["noncanonical_register"]);
        }
        assert!(codes_of(Generation::Gen2, 0x0002_FFFF).is_empty());
        assert_eq!(codes_of(Generation::Gen2, 0x0003_0000), ["unbacked_sbuf"]);
        assert!(codes_of(Generation::Gen3, 0x0003_7FFF).is_empty());
        assert_eq!(codes_of(Generation::Gen3, 0x0003_8000), ["unbacked_sbuf"]);
        assert!(codes_of(Generation::Gen4, 0x01FF_FFFF).is_empty());
    }

    #[test]
    fn several_lints_come_in_table_order() {
        assert_eq!(codes_of(Generation::Gen3, 0xFF00_003F), ["dead_mode", "noncanonical_register"]);
        assert_eq!(codes_of(Generation::Gen2, 0x6003_FFFF), ["dead_mode", "unbacked_sbuf"]);
    }
}
