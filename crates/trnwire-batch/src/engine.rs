//! Which code judges the words, and the calls into code for wider instruction sets.

use core::fmt;

use crate::kernel::{self, Accept};
use crate::plan::{Hits, Masks};
use crate::word::Word;

/// A way to judge words. All give the same answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Engine {
    /// The library's functions, word by word: the truth that the others are tested against.
    Scalar,
    /// The vector loop as the compiler's target allows; on every machine.
    Plain,
    /// The vector loop for AVX2.
    Avx2,
    /// The vector loop for AVX-512 (F, BW, VL and DQ).
    Avx512,
}

impl Engine {
    /// Every engine, slowest first, whether this machine has it or not.
    pub const ALL: [Self; 4] = [Self::Scalar, Self::Plain, Self::Avx2, Self::Avx512];

    /// The engines of this machine, slowest first.
    pub fn available() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|engine| engine.is_available())
    }

    /// The fastest engine of this machine.
    #[must_use]
    pub fn best() -> Self {
        Self::available().last().unwrap_or(Self::Plain)
    }

    /// Whether this machine has the engine.
    #[must_use]
    pub fn is_available(self) -> bool {
        match self {
            Self::Scalar | Self::Plain => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => has_avx2(),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => has_avx512(),
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx2 | Self::Avx512 => false,
        }
    }

    /// `scalar`, `plain`, `avx2` or `avx512`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Plain => "plain",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// This machine does not have the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineMissing(pub Engine);

impl fmt::Display for EngineMissing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "this machine has no {}", self.0)
    }
}

impl core::error::Error for EngineMissing {}

#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2")
}

#[cfg(target_arch = "x86_64")]
fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512dq")
}

/// Stamps a kernel for each instruction set, and a function that calls the right one.
macro_rules! stamp {
    ($(#[$attribute:meta])* $name:ident, $avx2:ident, $avx512:ident, ($($argument:ident: $Type:ty),*) $(-> $Output:ty)?) => {
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2")]
        fn $avx2<W: Word>($($argument: $Type),*) $(-> $Output)? {
            kernel::$name($($argument),*)
        }

        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
        fn $avx512<W: Word>($($argument: $Type),*) $(-> $Output)? {
            kernel::$name($($argument),*)
        }

        $(#[$attribute])*
        #[cfg_attr(
            target_arch = "x86_64",
            expect(unsafe_code, reason = "calls of functions with target features need it; the features are tested first")
        )]
        pub(crate) fn $name<W: Word>(engine: Engine, $($argument: $Type),*) $(-> $Output)? {
            match engine {
                #[cfg(target_arch = "x86_64")]
                Engine::Avx512 if has_avx512() => {
                    // SAFETY: the function is safe but for the features it is compiled for. `has_avx512` was asked
                    // on this very path and names each of them.
                    unsafe { $avx512($($argument),*) }
                }
                #[cfg(target_arch = "x86_64")]
                Engine::Avx2 if has_avx2() => {
                    // SAFETY: as above, with `has_avx2`.
                    unsafe { $avx2($($argument),*) }
                }
                _ => kernel::$name($($argument),*),
            }
        }
    };
}

stamp! {
    /// How many words pass each test; fewer than 2^32 words.
    hits, hits_avx2, hits_avx512, (masks: Masks, words: &[W]) -> Hits
}

stamp! {
    /// Writes one bit per word, 1 for a rejected one.
    rejected, rejected_avx2, rejected_avx512, (accept: Accept, words: &[W], bits: &mut [u64])
}
