//! Which bytes of a partition a tensor touches, each once and in ascending order, however often and in whatever order it
//! accesses them.
//!
//! Loops are sorted by step after turning the descending ones round, and those that continue each other become one. Where
//! each step then clears everything inside it, a walk of the loops is in ascending order. Loops that interleave are drawn
//! in a bitmap, which is bounded: it holds whatever fits in a partition.

use alloc::{vec, vec::Vec};
use core::iter::FusedIterator;
use core::ops::Range;

use super::tensor::{Loop, Tensor};
use super::walk::{MAX_LOOPS, Stride, Walk};

/// Most bits in which interleaving loops are drawn: 1 MiB, and 32 times the bytes of the largest partition.
const MAX_BITS: u64 = 1 << 23;

/// What a tensor touches, in byte offsets from its start.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Coverage {
    /// These bytes and no others.
    Exact(Footprint),
    /// Some of these bytes, the first and the last among them. The loops interleave over more than a partition.
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
    /// Needs at most a mebibyte and a few milliseconds, and neither unless loops interleave.
    #[must_use]
    pub fn coverage(&self, elem_size: u32) -> Option<Coverage> {
        if self.has_zero_num() && self.elements().is_some() {
            return Some(Coverage::Exact(Footprint::new(0..0, Shape::Block(0), &[])));
        }
        let mut origin = 0_i64;
        let (mut loops, mut count) = ([Stride { step: i64::MAX, num: 1 }; MAX_LOOPS], 0_usize);
        for mut stride in self.strides(elem_size)? {
            if stride.step < 0 {
                origin = origin.saturating_add(stride.span());
                stride.step = stride.step.saturating_neg();
            }
            if let (Some(slot), true) = (loops.get_mut(count), stride.step != 0) {
                *slot = stride;
                count = count.saturating_add(1);
            }
        }
        loops.sort_unstable_by_key(|stride| stride.step);
        let (block, loops, count) = merged(elem_size.into(), loops.iter().take(count));
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
        let range = origin..origin.saturating_add(end);
        Some(match shape {
            Some(shape) => Coverage::Exact(Footprint::new(range, shape, outer)),
            None => Coverage::Bound(range),
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
fn merged<'a>(mut block: i64, sorted: impl Iterator<Item = &'a Stride>) -> (i64, [Stride; MAX_LOOPS], usize) {
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
