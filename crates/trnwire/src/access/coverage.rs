//! Which bytes of a partition a tensor touches, each once and in ascending order, however often and in whatever order it
//! accesses them.
//!
//! Loops are sorted by step after turning the descending ones round, and those that continue each other become one. Where
//! each step then clears everything inside it, a walk of the loops is in ascending order. Loops that interleave are drawn
//! in a bitmap, which is bounded: it holds whatever fits in a partition.

use alloc::{vec, vec::Vec};
use core::iter::FusedIterator;
use core::ops::Range;

use super::reach::Reach;
use super::tensor::{Loop, Tensor};
use super::walk::{MAX_LOOPS, Stride, Walk};

/// Most bits in which interleaving loops are drawn: 128 KiB, and four times the bytes of the largest partition.
const MAX_BITS: u64 = 1 << 20;

/// What a tensor touches, in byte offsets from its start.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Coverage {
    /// These bytes and no others.
    Exact(Footprint),
    /// Some of these bytes, the first and the last among them. The loops interleave over more than a
    /// partition, or more than 64 bits count.
    Bound(Range<i64>),
}

/// A set of bytes.
#[derive(Clone, Debug)]
pub struct Footprint {
    range: Range<i64>,
    bytes: u64,
    shape: Shape,
    /// Where copies of the shape begin, in ascending order; each lies past the end of the one before.
    copies: Walk,
}

/// What is repeated. Its first byte is touched.
#[derive(Clone, Debug)]
enum Shape {
    /// So many bytes on end.
    Block(i64),
    /// A bit for each `unit` bytes.
    Bits { words: Vec<u64>, unit: i64 },
}

/// Whether a tensor accesses an element more than once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Repeats {
    /// A loop of step 0 has more than one round.
    pub broadcast: bool,
    /// Two different rounds of the other loops meet in one element; `None` where that is not known.
    pub overlap: Option<bool>,
}

impl Tensor<'_> {
    /// The bytes that the tensor touches, as far as [`Tensor::reach`] is known. A loop without a round touches none.
    ///
    /// Needs at most 128 KiB and a few milliseconds, and neither unless loops interleave.
    #[must_use]
    pub fn coverage(&self, elem_size: u32) -> Option<Coverage> {
        if self.elements()? == 0 {
            return Some(Coverage::Exact(Footprint::new(0..0, Shape::Block(0), &[])));
        }
        let Reach { low, high } = self.reach(elem_size)?;
        if high.checked_sub(low).is_none() {
            return Some(Coverage::Bound(low..high));
        }
        let (mut loops, mut count) = ([Stride { step: 0, num: 1 }; MAX_LOOPS], 0_usize);
        let moving = self.strides(elem_size)?.filter(|stride| stride.step != 0);
        for (slot, stride) in loops.iter_mut().zip(moving) {
            // Downwards from the start is upwards from the lowest byte.
            *slot = Stride { step: stride.step.saturating_abs(), num: stride.num };
            count = count.saturating_add(1);
        }
        let loops = loops.get_mut(..count).unwrap_or_default();
        loops.sort_unstable_by_key(|stride| stride.step);
        let (block, loops, count) = merged(elem_size.into(), loops);
        let loops = loops.get(..count).unwrap_or_default();

        // The innermost loops that interleave are one shape; the others make copies of it.
        let mut end = block;
        let (mut interleaved, mut shape_end) = (0_usize, block);
        for (index, stride) in loops.iter().enumerate() {
            let nested = stride.step >= end;
            end = end.saturating_add(stride.span());
            if !nested {
                (interleaved, shape_end) = (index.saturating_add(1), end);
            }
        }
        let (inner, outer) = loops.split_at_checked(interleaved).unwrap_or_default();
        let shape = if inner.is_empty() { Some(Shape::Block(block)) } else { Shape::draw(block, inner, shape_end) };
        Some(match shape {
            Some(shape) => Coverage::Exact(Footprint::new(low..high, shape, outer)),
            None => Coverage::Bound(low..high),
        })
    }

    /// Whether the tensor accesses an element more than once. `None` where a register or the mode hides the loops.
    #[must_use]
    pub fn repeats(&self) -> Option<Repeats> {
        if self.elements()? == 0 {
            return Some(Repeats { broadcast: false, overlap: Some(false) });
        }
        // With elements of one byte, as many places are touched as bytes.
        let coverage = self.coverage(1)?;
        let range = coverage.range();
        let places = coverage.bytes().unwrap_or_else(|| range.end.saturating_sub(range.start).unsigned_abs());
        let moving = self.loops().filter(|one| one.step != 0);
        let accesses = moving.fold(1_u64, |product, Loop { num, .. }| product.saturating_mul(num.into()));
        let overlap = match coverage {
            _ if accesses > places => Some(true),
            Coverage::Exact(_) => Some(false),
            Coverage::Bound(_) => None,
        };
        Some(Repeats { broadcast: self.loops().any(|one| one.step == 0 && one.num > 1), overlap })
    }
}

/// Loops of ascending step around a block of bytes, with each loop that continues another one merged into it.
fn merged(mut block: i64, sorted: &[Stride]) -> (i64, [Stride; MAX_LOOPS], usize) {
    let (mut kept, mut count) = ([Stride { step: 0, num: 1 }; MAX_LOOPS], 0_usize);
    for stride in sorted {
        // A loop of step s and n rounds is continued by one of step k * s when k <= n.
        let continued = kept.iter_mut().take(count).find_map(|inner| {
            let ratio = stride.step.checked_div(inner.step).and_then(|ratio| u64::try_from(ratio).ok())?;
            let continues = stride.step.checked_rem(inner.step) == Some(0) && ratio <= inner.num;
            continues.then_some((inner, ratio))
        });
        if stride.step <= block {
            block = block.saturating_add(stride.span());
        } else if let Some((inner, ratio)) = continued {
            inner.num = inner.num.saturating_add(ratio.saturating_mul(stride.num.saturating_sub(1)));
        } else if let Some(slot) = kept.get_mut(count) {
            *slot = *stride;
            count = count.saturating_add(1);
        }
    }
    (block, kept, count)
}

impl Coverage {
    /// From the first byte to the last one.
    #[must_use]
    pub fn range(&self) -> Range<i64> {
        match self {
            Self::Exact(footprint) => footprint.range(),
            Self::Bound(range) => range.clone(),
        }
    }

    /// How many bytes are touched, where that is known exactly.
    #[must_use]
    pub const fn bytes(&self) -> Option<u64> {
        match self {
            Self::Exact(footprint) => Some(footprint.bytes()),
            Self::Bound(_) => None,
        }
    }
}

impl Footprint {
    /// Copies of a shape by the outer loops, from the start of the range on.
    fn new(range: Range<i64>, shape: Shape, outer: &[Stride]) -> Self {
        let copies = Walk::new(range.start, outer.iter().copied());
        Self { bytes: shape.bytes().saturating_mul(copies.remaining()), range, shape, copies }
    }

    /// From the first byte to the last one. Empty where nothing is touched.
    #[must_use]
    pub fn range(&self) -> Range<i64> {
        self.range.clone()
    }

    /// How many bytes there are.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether there is no gap.
    #[must_use]
    pub fn is_dense(&self) -> bool {
        self.range.end.saturating_sub(self.range.start).unsigned_abs() == self.bytes
    }

    /// The bytes in ascending order, each once, in ranges with a gap between any two. Nothing is computed ahead.
    #[must_use]
    pub fn runs(&self) -> Runs<'_> {
        Runs { shape: &self.shape, copies: self.copies.clone(), copy: None, at: 0, ahead: None }
    }
}

/// Ascending runs of bytes.
#[derive(Clone, Debug)]
pub struct Runs<'a> {
    shape: &'a Shape,
    copies: Walk,
    /// Where the current copy begins.
    copy: Option<i64>,
    /// The unit of the shape from which on to look for its next run.
    at: usize,
    ahead: Option<Range<i64>>,
}

impl Runs<'_> {
    /// The next run of one copy, which the first run of the next copy may continue.
    #[inline]
    fn next_of_copy(&mut self) -> Option<Range<i64>> {
        loop {
            if let Some(copy) = self.copy {
                if let Some((run, at)) = self.shape.run_from(self.at) {
                    self.at = at;
                    return Some(copy.saturating_add(run.start)..copy.saturating_add(run.end));
                }
            }
            self.copy = Some(self.copies.next()?);
            self.at = 0;
        }
    }
}

impl Iterator for Runs<'_> {
    type Item = Range<i64>;

    #[inline]
    fn next(&mut self) -> Option<Range<i64>> {
        let mut run = self.ahead.take().or_else(|| self.next_of_copy())?;
        // At most once: a shape that has copies ends its first run before the next one begins.
        loop {
            match self.next_of_copy() {
                Some(next) if next.start == run.end => run.end = next.end,
                next => {
                    self.ahead = next;
                    return Some(run);
                }
            }
        }
    }
}

impl FusedIterator for Runs<'_> {}

impl Shape {
    /// Draws interleaving loops, unless that takes too many bits.
    fn draw(block: i64, loops: &[Stride], end: i64) -> Option<Self> {
        let unit = loops.iter().fold(block, |unit, stride| common_divisor(unit, stride.step));
        let units = |bytes: i64| bytes.checked_div(unit).and_then(|units| u64::try_from(units).ok());
        let length = units(end).filter(|&length| length <= MAX_BITS)?;
        let mut words = vec![0_u64; usize::try_from(length.div_ceil(64)).ok()?];
        if let Some(first) = words.first_mut() {
            *first = 1;
        }
        // The units of the block are one more loop.
        for (step, num) in core::iter::once((1, units(block)?))
            .chain(loops.iter().filter_map(|stride| Some((units(stride.step)?, stride.num))))
        {
            let mut drawn = 1_u64;
            while drawn < num {
                let more = drawn.min(num.saturating_sub(drawn));
                or_shifted(&mut words, usize::try_from(more.saturating_mul(step)).ok()?);
                drawn = drawn.saturating_add(more);
            }
        }
        Some(Self::Bits { words, unit })
    }

    fn bytes(&self) -> u64 {
        match self {
            Self::Block(length) => length.unsigned_abs(),
            Self::Bits { words, unit } => {
                let units: u64 = words.iter().map(|word| u64::from(word.count_ones())).sum();
                units.saturating_mul(unit.unsigned_abs())
            }
        }
    }

    /// The first run at or after a unit, and where to look for the one after it.
    #[inline]
    fn run_from(&self, at: usize) -> Option<(Range<i64>, usize)> {
        match self {
            Self::Block(length) => (at == 0 && *length != 0).then_some((0..*length, 1)),
            Self::Bits { words, unit } => {
                let start = next_bit(words, at, 0)?;
                let end = next_bit(words, start, u64::MAX).unwrap_or(words.len().saturating_mul(64));
                let byte = |at| i64::try_from(at).unwrap_or(i64::MAX).saturating_mul(*unit);
                Some((byte(start)..byte(end), end))
            }
        }
    }
}

/// The first bit at or after `from` that is set, or that is clear with all ones in `flip`.
fn next_bit(words: &[u64], from: usize, flip: u64) -> Option<usize> {
    let (mut index, mut mask) = (from >> 6, u64::MAX << (from & 63));
    loop {
        let word = (words.get(index)? ^ flip) & mask;
        if word != 0 {
            let bit = usize::try_from(word.trailing_zeros()).unwrap_or_default();
            return Some((index << 6).saturating_add(bit));
        }
        index = index.saturating_add(1);
        mask = u64::MAX;
    }
}

/// Adds to a set of bits the same set, moved upwards. What leaves the slice is lost.
fn or_shifted(words: &mut [u64], by: usize) {
    let (whole, bits) = (by >> 6, by & 63);
    for index in (whole..words.len()).rev() {
        let from = index.saturating_sub(whole);
        let high = words.get(from).copied().unwrap_or_default() << bits;
        let below = from.checked_sub(1).and_then(|below| words.get(below)).copied().unwrap_or_default();
        // In two steps, since a shift by 64 is none.
        let low = below >> 1 >> (63_usize.saturating_sub(bits));
        if let Some(word) = words.get_mut(index) {
            *word |= high | low;
        }
    }
}

fn common_divisor(mut first: i64, mut second: i64) -> i64 {
    while second != 0 {
        (first, second) = (second, first.checked_rem(second).unwrap_or_default());
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::addr4::Addr4;
    use zerocopy::little_endian::{I16, U16};

    fn with<R>(loops: &[(i16, u16)], then: impl FnOnce(&Tensor<'_>) -> R) -> R {
        let steps: Vec<I16> = loops.iter().map(|&(step, _)| step.into()).collect();
        let nums: Vec<U16> = loops.iter().map(|&(_, num)| num.into()).collect();
        then(&Tensor::new(Addr4::from_bits(0), &steps, &nums))
    }

    #[test]
    fn loops_that_interleave_are_exact_up_to_the_limit_and_bounded_above() {
        // 4093 is prime, and the last bit of the first pattern is the last that fits.
        let rounds = u16::try_from((MAX_BITS - 1) / 4093 - 1).unwrap();
        let rest = i16::try_from(MAX_BITS - 1 - 4093 * u64::from(rounds - 1)).unwrap();
        with(&[(4093, rounds), (rest, 2)], |tensor| {
            let Some(Coverage::Exact(footprint)) = tensor.coverage(8) else { panic!("not exact") };
            assert_eq!(footprint.range(), 0..8 * i64::try_from(MAX_BITS).unwrap());
            assert_eq!(footprint.bytes(), 16 * u64::from(rounds));
            assert_eq!(tensor.repeats(), Some(Repeats { broadcast: false, overlap: Some(false) }));
        });
        with(&[(4093, rounds), (-rest - 1, 2)], |tensor| {
            let Some(Coverage::Bound(range)) = tensor.coverage(8) else { panic!("not a bound") };
            assert_eq!(range, -8 * i64::from(rest + 1)..8 * (4093 * i64::from(rounds - 1) + 1));
            assert_eq!(tensor.repeats(), Some(Repeats { broadcast: false, overlap: None }));
        });
        // More accesses than places: some meet, though nobody knows where.
        with(&[(i16::MAX, u16::MAX), (i16::MAX - 1, u16::MAX), (0, 9)], |tensor| {
            assert!(matches!(tensor.coverage(1), Some(Coverage::Bound(_))));
            assert_eq!(tensor.repeats(), Some(Repeats { broadcast: true, overlap: Some(true) }));
        });
    }

    #[test]
    fn loops_inside_a_partition_are_never_a_bound() {
        assert!(MAX_BITS >= crate::geometry::SBUF_STRIDE.into());
    }

    #[test]
    fn copies_of_interleaving_loops_are_not_drawn() {
        // 0, 2, 3, 5 and the same from 6 on, so that 5 and 6 touch; 4 billion bytes.
        with(&[(2, 2), (3, 2), (6, u16::MAX), (-6, u16::MAX)], |tensor| {
            let Some(Coverage::Exact(footprint)) = tensor.coverage(1) else { panic!("not exact") };
            let low = -6 * 65534;
            assert_eq!(footprint.bytes(), 4 * (2 * 65534 + 1));
            assert!(footprint.runs().take(3).eq([low..low + 1, low + 2..low + 4, low + 5..low + 7]));
            assert_eq!(footprint.runs().last(), Some(-low + 5..-low + 6));
        });
    }

    #[test]
    fn a_dense_tensor_of_any_size_is_one_run() {
        with(&[(1, u16::MAX), (i16::MIN, u16::MAX), (0, u16::MAX), (3, u16::MAX)], |tensor| {
            let Some(Coverage::Exact(footprint)) = tensor.coverage(8) else { panic!("not exact") };
            assert!(footprint.is_dense());
            let range = -8 * 32768 * 65534..8 * (65535 + 3 * 65534);
            assert!(footprint.runs().eq([range]));
        });
    }
}
