//! Which code judges the words, and the calls into code for wider instruction sets.

use core::fmt;

#[cfg(target_arch = "x86_64")]
use crate::halves;
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

/// How many words pass each test; fewer than 2^32 words.
#[cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "calls of functions with target features need it; the features are tested first")
)]
pub(crate) fn hits<W: Word>(engine: Engine, masks: Masks, words: &[W]) -> Hits {
    match engine {
        #[cfg(target_arch = "x86_64")]
        Engine::Avx512 if has_avx512() => {
            // SAFETY: the function is safe but for the features it is compiled for. `has_avx512` was asked on this
            // very path and names each of them.
            unsafe { halves::avx512::hits(masks, words) }
        }
        #[cfg(target_arch = "x86_64")]
        Engine::Avx2 if has_avx2() => {
            // SAFETY: as above, with `has_avx2`.
            unsafe { halves::avx2::hits(masks, words) }
        }
        _ => kernel::hits(masks, words),
    }
}

/// Writes one bit per word, 1 for a rejected one.
#[cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "calls of functions with target features need it; the features are tested first")
)]
pub(crate) fn rejected<W: Word>(engine: Engine, accept: Accept, words: &[W], bits: &mut [u64]) {
    match engine {
        #[cfg(target_arch = "x86_64")]
        Engine::Avx512 if has_avx512() => {
            // SAFETY: as in `hits`.
            unsafe { rejected_avx512(accept, words, bits) }
        }
        #[cfg(target_arch = "x86_64")]
        Engine::Avx2 if has_avx2() => {
            // SAFETY: as in `hits`.
            unsafe { rejected_avx2(accept, words, bits) }
        }
        _ => kernel::rejected(accept, words, bits),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn rejected_avx2<W: Word>(accept: Accept, words: &[W], bits: &mut [u64]) {
    kernel::rejected(accept, words, bits);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
fn rejected_avx512<W: Word>(accept: Accept, words: &[W], bits: &mut [u64]) {
    kernel::rejected(accept, words, bits);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;
    use trnwire::addr4::{Access, Addr4};
    use trnwire::arch::Generation;
    use trnwire::dtype::WireTag;

    #[test]
    fn counters_of_sixteen_bits_are_emptied_in_time() {
        // Longer than a vector counter can count, and every word passes the same tests.
        let words = vec![Addr4::from_bits(0x6000_0000); 32 * 0x1_0001 + 5];
        let masks = Plan::new(Generation::Gen3, Access::read(WireTag::new(10))).masks;
        for engine in Engine::available() {
            let hits = hits(engine, masks, &words);
            assert_eq!(hits, kernel::hits(masks, &words), "{engine}");
            assert_eq!(
                [hits.dead, hits.sbuf, hits.aligned, hits.psum],
                [32 * 0x1_0001 + 5, 32 * 0x1_0001 + 5, 32 * 0x1_0001 + 5, 0]
            );
        }
    }
}
