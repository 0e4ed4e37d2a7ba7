//! The elements of a tensor in the order of access, as byte offsets from its start, and the runs that they form.

use core::iter::{FusedIterator, Peekable};
use core::ops::Range;

use super::tensor::Tensor;

/// Most loops of a tensor.
pub(super) const MAX_LOOPS: usize = 4;

/// One loop, with its step in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stride {
    pub(super) step: i64,
    pub(super) num: u64,
}

impl Stride {
    /// A loop that changes nothing.
    const UNIT: Self = Self { step: 0, num: 1 };

    /// From the first round to the last. Fits, since the reach of the tensor does.
    pub(super) fn span(self) -> i64 {
        let rounds = i64::try_from(self.num.saturating_sub(1)).unwrap_or(i64::MAX);
        self.step.saturating_mul(rounds)
    }
}

/// Byte offsets, relative to the start, in the order of access. It holds a counter for each loop and nothing more.
#[derive(Clone, Debug)]
pub struct Walk {
    /// Innermost first.
    loops: [Stride; MAX_LOOPS],
    /// The current round of each loop.
    rounds: [u64; MAX_LOOPS],
    origin: i64,
    next: i64,
    total: u64,
    left: u64,
}

impl Walk {
    /// The loops, innermost first, from an origin. All offsets must fit 64 bits, and so must the number of elements.
    pub(super) fn new(origin: i64, strides: impl IntoIterator<Item = Stride>) -> Self {
        let mut loops = [Stride::UNIT; MAX_LOOPS];
        for (slot, stride) in loops.iter_mut().zip(strides) {
            *slot = stride;
        }
        let total = loops.iter().fold(1_u64, |product, stride| product.saturating_mul(stride.num));
        Self { loops, rounds: [0; MAX_LOOPS], origin, next: origin, total, left: total }
    }

    /// Offset of the element that is accessed after `index` others, wherever the iterator stands.
    #[must_use]
    #[inline]
    pub fn element(&self, index: u64) -> Option<i64> {
        let mut walk = self.clone();
        walk.seek(index);
        (index < self.total).then_some(walk.next)
    }

    /// Elements that are still to come.
    #[must_use]
    #[inline]
    pub const fn remaining(&self) -> u64 {
        self.left
    }

    fn seek(&mut self, index: u64) {
        self.left = self.total.saturating_sub(index);
        self.next = self.origin;
        let mut rest = index;
        for (round, stride) in self.rounds.iter_mut().zip(&self.loops) {
            *round = rest.checked_rem(stride.num).unwrap_or(0);
            rest = rest.checked_div(stride.num).unwrap_or(0);
            let way = stride.step.saturating_mul(i64::try_from(*round).unwrap_or(i64::MAX));
            self.next = self.next.saturating_add(way);
        }
    }
}

impl Iterator for Walk {
    type Item = i64;

    #[inline]
    fn next(&mut self) -> Option<i64> {
        self.left = self.left.checked_sub(1)?;
        let offset = self.next;
        for (round, stride) in self.rounds.iter_mut().zip(&self.loops) {
            *round = round.saturating_add(1);
            if *round < stride.num {
                self.next = self.next.saturating_add(stride.step);
                break;
            }
            *round = 0;
            self.next = self.next.saturating_sub(stride.span());
        }
        Some(offset)
    }

    #[inline]
    fn nth(&mut self, skip: usize) -> Option<i64> {
        let skip = u64::try_from(skip).unwrap_or(u64::MAX).min(self.left);
        self.seek(self.total.saturating_sub(self.left).saturating_add(skip));
        self.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = usize::try_from(self.left).ok();
        (left.unwrap_or(usize::MAX), left)
    }
}

impl FusedIterator for Walk {}

/// Byte ranges in the order of access, each as long as the bytes go on upwards without a gap. Elements that are walked
/// downwards or repeated are a range each.
#[derive(Clone, Debug)]
pub struct WalkRuns {
    starts: Peekable<Walk>,
    length: i64,
}

impl Iterator for WalkRuns {
    type Item = Range<i64>;

    #[inline]
    fn next(&mut self) -> Option<Range<i64>> {
        let start = self.starts.next()?;
        let mut end = start.saturating_add(self.length);
        // At most once: the innermost loop that is left does not continue its own runs, or it would be part of them.
        while self.starts.next_if_eq(&end).is_some() {
            end = end.saturating_add(self.length);
        }
        Some(start..end)
    }
}

impl FusedIterator for WalkRuns {}

impl Tensor<'_> {
    /// The loops with steps in bytes, innermost first, without those of a single round.
    ///
    /// `None` as for [`Tensor::reach`], but for a loop without a round, which is kept. So nothing that is computed from
    /// the loops overflows.
    pub(super) fn strides(&self, elem_size: u32) -> Option<impl Iterator<Item = Stride>> {
        let elements = self.elements().filter(|_| self.loops().len() <= MAX_LOOPS)?;
        if elements != 0 {
            self.reach(elem_size)?;
        }
        let stride = move |one: super::tensor::Loop| Stride {
            step: i64::from(one.step).saturating_mul(elem_size.into()),
            num: one.num.into(),
        };
        Some(self.loops().map(stride).filter(|stride| stride.num != 1))
    }

    /// The byte offset of each element in the order of access, as far as [`Tensor::reach`] is known. A loop without a
    /// round gives none.
    #[must_use]
    #[inline]
    pub fn walk(&self, elem_size: u32) -> Option<Walk> {
        Some(Walk::new(0, self.strides(elem_size)?))
    }

    /// The byte ranges of the elements in the order of access; see [`Tensor::walk`]. Elements without bytes give none.
    #[must_use]
    pub fn walk_runs(&self, elem_size: u32) -> Option<WalkRuns> {
        let mut length = i64::from(elem_size);
        let mut strides = self.strides(elem_size)?.peekable();
        while let Some(dense) = strides.next_if(|stride| stride.step == length && stride.num != 0 && length != 0) {
            length = length.saturating_add(dense.span());
        }
        let nothing = (elem_size == 0).then_some(Stride { step: 0, num: 0 });
        Some(WalkRuns { starts: Walk::new(0, nothing.into_iter().chain(strides)).peekable(), length })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::addr4::Addr4;
    use alloc::vec::Vec;
    use zerocopy::little_endian::{I16, U16};

    fn with<R>(steps: &[i16], nums: &[u16], then: impl FnOnce(&Tensor<'_>) -> R) -> R {
        let steps: Vec<I16> = steps.iter().map(|&step| step.into()).collect();
        let nums: Vec<U16> = nums.iter().map(|&num| num.into()).collect();
        then(&Tensor::new(Addr4::from_bits(0), &steps, &nums))
    }

    #[test]
    fn skipping_lands_where_walking_does() {
        with(&[-3, 0, 7, 100], &[4, 3, 2, 5], |tensor| {
            let walk = tensor.walk(2).unwrap();
            let all: Vec<i64> = walk.clone().collect();
            assert_eq!(all.len(), 120);
            for skip in 0..130 {
                assert_eq!(walk.element(skip as u64), all.get(skip).copied());
                let mut other = walk.clone();
                other.next();
                assert_eq!(other.nth(skip), all.get(skip + 1).copied());
                assert_eq!(other.size_hint(), (118_usize.saturating_sub(skip), Some(118_usize.saturating_sub(skip))));
                assert!(other.eq(all.iter().skip(skip + 2).copied()));
            }
        });
    }

    #[test]
    fn the_largest_walk_is_as_cheap_as_the_smallest() {
        with(&[i16::MIN; 4], &[u16::MAX; 4], |tensor| {
            let mut walk = tensor.walk(1 << 30).unwrap();
            let last = 65535_u64.pow(4) - 1;
            let far = -(4 * 65534 * 32768_i64) << 30;
            assert_eq!(walk.element(last), Some(far));
            assert_eq!(walk.element(last + 1), None);
            assert_eq!(walk.nth(usize::MAX), None);
            assert_eq!(walk.size_hint(), (0, Some(0)));
            assert_eq!(walk.next(), None);
            assert!(tensor.walk(1 << 31).is_none());
        });
    }

    #[test]
    fn dense_loops_are_one_run_without_being_walked() {
        with(&[1, 0], &[u16::MAX, 2], |tensor| {
            let runs: Vec<_> = tensor.walk_runs(8).unwrap().collect();
            assert_eq!(runs, [0..65535 * 8, 0..65535 * 8]);
        });
        with(&[1, 4, -4], &[4, 8, 2], |tensor| {
            assert!(tensor.walk_runs(2).unwrap().eq([0..64, -8..56]));
        });
        // The end of one round of the outer loop is continued by the next.
        with(&[2, 3], &[2, 3], |tensor| {
            assert!(tensor.walk_runs(1).unwrap().eq([0..1, 2..4, 5..7, 8..9]));
        });
    }

    #[test]
    fn elements_without_bytes_are_walked_but_form_no_run() {
        with(&[1], &[3], |tensor| {
            assert!(tensor.walk(0).unwrap().eq([0, 0, 0]));
            assert_eq!(tensor.walk_runs(0).unwrap().next(), None);
        });
    }
}
