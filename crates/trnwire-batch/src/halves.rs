//! The inner loop for x86 vectors, over halves of words.
//!
//! A comparison of vectors costs the same for sixteen bits as for thirty-two, and every test looks at the upper
//! half of a word, the lower half, or both. So two vectors of words are cut into one vector of upper and one of lower
//! halves, and each test, each counter and each addition serves twice as many words.

use crate::kernel;
use crate::plan::{CANONICAL, DEAD, Hits, Masks, REGISTER};
use crate::word::Word;
use trnwire::addr4::Addr4;
use trnwire::geometry::{PSUM_BASE, PSUM_REGION_SIZE};

/// Pairs of vectors after which counters of sixteen bits are emptied: one more could overflow.
const PAIRS: usize = 0xFFFF;

/// One past the last PSUM address.
const CHIP_END: u32 = PSUM_BASE.wrapping_add(PSUM_REGION_SIZE);

// The upper half alone tells the places apart.
const _: () = assert!(PSUM_BASE.trailing_zeros() >= 16 && CHIP_END.trailing_zeros() >= 16);

/// A one in each half of a 32-bit lane.
const ONE: i32 = 0x0001_0001;

/// Hides a constant. A compiler that knows the one would widen the flags to a vector and add that: an instruction
/// more for each counter, and half as much time again.
#[inline(always)]
fn opaque<Vector>(vector: Vector) -> Vector {
    core::hint::black_box(vector)
}

/// The mask of the upper half, repeated in both halves of a 32-bit lane.
const fn upper(mask: u32) -> i32 {
    let [.., low, high] = mask.to_le_bytes();
    i32::from_le_bytes([low, high, low, high])
}

/// The mask of the lower half, repeated in both halves of a 32-bit lane.
const fn lower(mask: u32) -> i32 {
    let [low, high, ..] = mask.to_le_bytes();
    i32::from_le_bytes([low, high, low, high])
}

/// The words as numbers. A loop, because `map` of an array is not inlined here.
#[inline(always)]
fn bits<W: Word, const LANES: usize>(words: &[W; LANES]) -> [u32; LANES] {
    let mut bits = [0; LANES];
    for (bits, word) in bits.iter_mut().zip(words) {
        *bits = word.addr4().bits();
    }
    bits
}

/// How far ahead of the loop memory is asked for, in bytes. The processor's own prefetcher stops at the end of a page;
/// reading one page ahead of it nearly doubles the speed from DRAM. Half of this and twice this are slower.
const AHEAD: usize = 4096;

/// Words of a cache line of 64 bytes.
const LINE_WORDS: usize = 16;

/// Asks for the memory that lies [`AHEAD`] of these words, one cache line after the other.
#[inline(always)]
fn fetch_ahead<W, const LANES: usize>(words: &[W; LANES]) {
    for line in words.chunks(LINE_WORDS) {
        crate::ahead::fetch_ahead(line, AHEAD);
    }
}

/// Writes the loop for one instruction set. The module around it defines `Vector`, `Flags`, `LANES` (words per pair of
/// vectors) and the steps `halves`, `splat`, `flip`, `keep`, `zero` (no bit under a mask), `has` (a single bit),
/// `at_most`, `at_least`, `negative`, `both`, `unless`, `add` (one to the counters of flagged lanes) and `total`.
macro_rules! stamp {
    ($features:literal) => {
        /// See [`kernel::hits`].
        #[target_feature(enable = $features)]
        pub(crate) fn hits<W: Word>(masks: Masks, words: &[W]) -> Hits {
            let (pairs, rest) = words.as_chunks::<LANES>();
            let mut hits = kernel::hits(masks, rest);
            for pairs in pairs.chunks(PAIRS) {
                hits_of_pairs(masks, pairs, &mut hits);
            }
            hits
        }

        #[target_feature(enable = $features)]
        fn hits_of_pairs<W: Word>(masks: Masks, pairs: &[[W; LANES]], hits: &mut Hits) {
            let none = splat(0);
            let one = opaque(splat(ONE));
            let mut register_count = none;
            let mut register_unreserved_count = none;
            let mut register_ok_count = none;
            let mut register_canonical_count = none;
            let mut aligned_count = none;
            let mut sbuf_count = none;
            let mut chip_count = none;
            let mut dead_count = none;
            let mut unbacked_count = none;
            let mut pad_count = none;

            let reserved_upper = splat(upper(masks.reserved & !REGISTER));
            let reserved_lower = splat(lower(masks.reserved));
            let register_ok_lower = splat(lower(masks.register_ok));
            let canonical_upper = splat(upper(CANONICAL & !REGISTER));
            let aligned_lower = splat(lower(masks.aligned));
            let not_mode = splat(upper(!DEAD));
            let sbuf_last = splat(upper(PSUM_BASE.wrapping_sub(1)));
            let chip_last = splat(upper(CHIP_END.wrapping_sub(1)));
            let immediate_last = splat(upper(REGISTER.wrapping_sub(1)));
            let ones = splat(-1);
            let dead_upper = splat(upper(DEAD));
            let unbacked_upper = splat(upper(masks.unbacked));
            let unbacked_lower = splat(lower(masks.unbacked));
            let pad_lower = splat(lower(Addr4::PSUM_PAD.mask()));

            for pair in pairs {
                fetch_ahead(pair);
                let (high, low) = halves(pair);
                let register = negative(high);
                let unreserved = both(register, zero(high, reserved_upper));
                register_count = add(one, register_count, register);
                register_unreserved_count =
                    add(one, register_unreserved_count, both(unreserved, zero(low, reserved_lower)));
                register_ok_count = add(one, register_ok_count, both(unreserved, zero(low, register_ok_lower)));
                register_canonical_count =
                    add(one, register_canonical_count, both(register, zero(high, canonical_upper)));

                // The places follow each other: SBUF, PSUM, off chip, register words.
                let place = keep(high, not_mode);
                let in_sbuf = at_most(place, sbuf_last);
                let on_chip = at_most(place, chip_last);
                let aligned = zero(low, aligned_lower);
                aligned_count = add(one, aligned_count, both(at_most(place, immediate_last), aligned));
                sbuf_count = add(one, sbuf_count, both(in_sbuf, aligned));
                chip_count = add(one, chip_count, both(on_chip, aligned));

                let inverted = flip(high, ones);
                let beyond = both(zero(inverted, unbacked_upper), at_least(low, unbacked_lower));
                dead_count = add(one, dead_count, zero(inverted, dead_upper));
                unbacked_count = add(one, unbacked_count, both(in_sbuf, beyond));
                pad_count = add(one, pad_count, both(unless(in_sbuf, on_chip), has(low, pad_lower)));
            }

            let sbuf = total(sbuf_count);
            let found = Hits {
                register: total(register_count),
                register_unreserved: total(register_unreserved_count),
                register_ok: total(register_ok_count),
                register_canonical: total(register_canonical_count),
                aligned: total(aligned_count),
                sbuf,
                psum: total(chip_count).wrapping_sub(sbuf),
                dead: total(dead_count),
                unbacked: total(unbacked_count),
                pad: total(pad_count),
            };
            *hits = hits.plus(found);
        }
    };
}

pub(crate) mod avx512 {
    use super::*;
    use core::arch::x86_64::*;

    type Vector = __m512i;
    type Flags = __mmask32;
    const LANES: usize = 32;
    /// The upper half of each 32-bit lane.
    const UPPER: __mmask32 = 0xAAAA_AAAA;

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn halves<W: Word>(pair: &[W; LANES]) -> (Vector, Vector) {
        let bits = bits(pair);
        let [a, b, c, d]: [__m256i; 4] = zerocopy::transmute!(bits);
        let first = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(a), b);
        let second = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(c), d);
        (
            _mm512_mask_blend_epi16(UPPER, _mm512_srli_epi32::<16>(first), second),
            _mm512_mask_blend_epi16(UPPER, first, _mm512_slli_epi32::<16>(second)),
        )
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn splat(bits: i32) -> Vector {
        _mm512_set1_epi32(bits)
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn flip(vector: Vector, pattern: Vector) -> Vector {
        _mm512_xor_si512(vector, pattern)
    }

    #[inline]
    #[target_feature(enable = "avx512bw")]
    fn zero(vector: Vector, mask: Vector) -> Flags {
        _mm512_testn_epi16_mask(vector, mask)
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn keep(vector: Vector, mask: Vector) -> Vector {
        _mm512_and_si512(vector, mask)
    }

    #[inline]
    #[target_feature(enable = "avx512bw")]
    fn has(vector: Vector, bit: Vector) -> Flags {
        _mm512_test_epi16_mask(vector, bit)
    }

    #[inline]
    #[target_feature(enable = "avx512bw")]
    fn at_most(vector: Vector, limit: Vector) -> Flags {
        _mm512_cmple_epu16_mask(vector, limit)
    }

    #[inline]
    #[target_feature(enable = "avx512bw")]
    fn at_least(vector: Vector, limit: Vector) -> Flags {
        _mm512_cmpge_epu16_mask(vector, limit)
    }

    #[inline]
    #[target_feature(enable = "avx512bw")]
    fn negative(vector: Vector) -> Flags {
        _mm512_movepi16_mask(vector)
    }

    #[inline(always)]
    const fn both(a: Flags, b: Flags) -> Flags {
        a & b
    }

    /// `b` where not `a`.
    #[inline(always)]
    const fn unless(a: Flags, b: Flags) -> Flags {
        !a & b
    }

    #[inline]
    #[target_feature(enable = "avx512bw")]
    fn add(one: Vector, counter: Vector, flags: Flags) -> Vector {
        _mm512_mask_add_epi16(counter, flags, counter, one)
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn total(counter: Vector) -> u32 {
        let even = _mm512_and_si512(counter, _mm512_set1_epi32(0xFFFF));
        let odd = _mm512_srli_epi32::<16>(counter);
        _mm512_reduce_add_epi32(_mm512_add_epi32(even, odd)).cast_unsigned()
    }

    stamp!("avx512f,avx512bw,avx512vl,avx512dq");
}

pub(crate) mod avx2 {
    use super::*;
    use core::arch::x86_64::*;

    type Vector = __m256i;
    type Flags = __m256i;
    const LANES: usize = 16;

    #[inline]
    #[target_feature(enable = "avx2")]
    fn halves<W: Word>(pair: &[W; LANES]) -> (Vector, Vector) {
        let bits = bits(pair);
        let [first, second]: [__m256i; 2] = zerocopy::transmute!(bits);
        (
            _mm256_blend_epi16::<0xAA>(_mm256_srli_epi32::<16>(first), second),
            _mm256_blend_epi16::<0xAA>(first, _mm256_slli_epi32::<16>(second)),
        )
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn splat(bits: i32) -> Vector {
        _mm256_set1_epi32(bits)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn flip(vector: Vector, pattern: Vector) -> Vector {
        _mm256_xor_si256(vector, pattern)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn zero(vector: Vector, mask: Vector) -> Flags {
        _mm256_cmpeq_epi16(_mm256_and_si256(vector, mask), _mm256_setzero_si256())
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn keep(vector: Vector, mask: Vector) -> Vector {
        _mm256_and_si256(vector, mask)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn has(vector: Vector, bit: Vector) -> Flags {
        _mm256_cmpeq_epi16(_mm256_and_si256(vector, bit), bit)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn at_most(vector: Vector, limit: Vector) -> Flags {
        _mm256_cmpeq_epi16(_mm256_min_epu16(vector, limit), vector)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn at_least(vector: Vector, limit: Vector) -> Flags {
        _mm256_cmpeq_epi16(_mm256_max_epu16(vector, limit), vector)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn negative(vector: Vector) -> Flags {
        _mm256_srai_epi16::<15>(vector)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn both(a: Flags, b: Flags) -> Flags {
        _mm256_and_si256(a, b)
    }

    /// `b` where not `a`.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn unless(a: Flags, b: Flags) -> Flags {
        _mm256_andnot_si256(a, b)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn add(_one: Vector, counter: Vector, flags: Flags) -> Vector {
        _mm256_sub_epi16(counter, flags)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn total(counter: Vector) -> u32 {
        let even = _mm256_and_si256(counter, _mm256_set1_epi32(0xFFFF));
        let odd = _mm256_srli_epi32::<16>(counter);
        let lanes: [u32; 8] = zerocopy::transmute!(_mm256_add_epi32(even, odd));
        lanes.into_iter().fold(0, u32::wrapping_add)
    }

    stamp!("avx2");
}
