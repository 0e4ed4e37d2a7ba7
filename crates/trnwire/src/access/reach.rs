//! How far a tensor reaches from its start, and our lints on that. Like the lints on a word they are not part of the
//! library's validator and never change its verdict.

use core::fmt;

use super::tensor::{Loop, Tensor};
use crate::addr4::{Addr4, Mode, Region, Target, codes, start_partition_legal};
use crate::arch::Generation;
use crate::check::Severity;
use crate::geometry::{Geometry, PARTITIONS, PSUM_ACTIVE, PSUM_STRIDE, SBUF_STRIDE};

/// The bytes between the lowest and the highest element, relative to the start and the same in every partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reach {
    /// The first byte; never above 0.
    pub low: i64,
    /// One past the last byte.
    pub high: i64,
}

impl Tensor<'_> {
    /// How far the loops reach with elements of this many bytes.
    ///
    /// `None` where a register or the mode hides the address or the rounds, where a loop has no round, and where a byte
    /// offset does not fit 64 bits. With four loops that takes elements of more than 1 GiB.
    #[must_use]
    #[inline]
    pub fn reach(&self, elem_size: u32) -> Option<Reach> {
        if self.elements()? == 0 {
            return None;
        }
        let (mut low, mut high) = (0_i64, 0_i64);
        for Loop { step, num } in self.loops() {
            let last = i64::from(step).checked_mul(i64::from(num).checked_sub(1)?)?;
            if last < 0 {
                low = low.checked_add(last)?;
            } else {
                high = high.checked_add(last)?;
            }
        }
        let size = i64::from(elem_size);
        Some(Reach { low: low.checked_mul(size)?, high: high.checked_mul(size)?.checked_add(size)? })
    }

    /// How many elements each partition sees, repeated ones counted each time. `None` where a register or the mode hides
    /// the address or the rounds.
    #[must_use]
    #[inline]
    pub fn elements(&self) -> Option<u64> {
        if self.addr4.is_register() || self.addr4.mode() != Mode::Static {
            return None;
        }
        if self.has_zero_num() {
            return Some(0);
        }
        self.loops().try_fold(1_u64, |product, Loop { num, .. }| product.checked_mul(num.into()))
    }
}

/// Where a word points, if that is a byte of a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Start {
    pub(crate) region: Region,
    pub(crate) partition: u8,
    /// Byte in the partition's stride.
    pub(crate) offset: u32,
}

impl Start {
    #[inline]
    pub(crate) const fn of(word: Addr4) -> Option<Self> {
        match word.target() {
            Target::Sbuf { partition, offset } => Some(Self { region: Region::Sbuf, partition, offset }),
            Target::Psum { partition, offset, .. } => Some(Self { region: Region::Psum, partition, offset }),
            Target::Register { .. } | Target::OffChip => None,
        }
    }

    /// How many bytes of the partition have memory behind them.
    #[inline]
    pub(crate) const fn active(self, generation: Generation) -> u32 {
        match self.region {
            Region::Sbuf => Geometry::of(generation).sbuf_active,
            Region::Psum => PSUM_ACTIVE,
        }
    }

    /// Bytes from the partition to the next one.
    #[inline]
    pub(crate) const fn stride(self) -> u32 {
        match self.region {
            Region::Sbuf => SBUF_STRIDE,
            Region::Psum => PSUM_STRIDE,
        }
    }
}

codes! {
    /// A reason to look twice at what a tensor touches.
    pub enum ReachLint {
        /// An element lies before byte 0 of the partition.
        ReachBelow = "reach_below",
        /// An element lies past the last byte of the partition that has memory behind it.
        ReachBeyond = "reach_beyond",
        /// The active partitions end past the last one. An error.
        PartitionsBeyond = "partitions_beyond",
        /// So many partitions may not start here. An error.
        StartPartition = "start_partition",
    }
}

impl ReachLint {
    /// How bad it is.
    #[must_use]
    pub const fn severity(self) -> Severity {
        match self {
            Self::ReachBelow | Self::ReachBeyond => Severity::Warning,
            Self::PartitionsBeyond | Self::StartPartition => Severity::Error,
        }
    }
}

/// The lints of one tensor, with how far it goes too far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ReachLintSet {
    /// Bytes before byte 0 of the partition.
    pub bytes_below: u64,
    /// Bytes past the last one that has memory behind it.
    pub bytes_beyond: u64,
    /// Partitions past the last one.
    pub partitions_beyond: u32,
    /// Whether the start partition is not allowed for so many.
    pub illegal_start: bool,
}

impl ReachLintSet {
    /// Whether there is none.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether this one is among them.
    #[must_use]
    #[inline]
    pub const fn contains(&self, lint: ReachLint) -> bool {
        match lint {
            ReachLint::ReachBelow => self.bytes_below != 0,
            ReachLint::ReachBeyond => self.bytes_beyond != 0,
            ReachLint::PartitionsBeyond => self.partitions_beyond != 0,
            ReachLint::StartPartition => self.illegal_start,
        }
    }

    /// The lints, in the order of [`ReachLint::ALL`].
    pub fn iter(self) -> impl Iterator<Item = ReachLint> {
        ReachLint::ALL.iter().copied().filter(move |&lint| self.contains(lint))
    }
}

/// All lints of a tensor with elements of this many bytes, on this many active partitions if the number is known.
///
/// `None` where nothing can be computed: the start is in no memory or in a register, the mode is not static, or the
/// reach does not fit (see [`Tensor::reach`]). A loop without a round reaches nothing, so that only the partitions are
/// looked at; so it is with a size of 0, which stands for one that is not known.
#[must_use]
#[inline]
pub fn reach_lints(
    generation: Generation,
    tensor: &Tensor<'_>,
    elem_size: u32,
    channels: Option<u8>,
) -> Option<ReachLintSet> {
    let elements = tensor.elements()?;
    let start = Start::of(tensor.addr4)?;
    let mut set = ReachLintSet::default();
    if elements != 0 && elem_size != 0 {
        let Reach { low, high } = tensor.reach(elem_size)?;
        let first = low.saturating_add(start.offset.into());
        let end = high.saturating_add(start.offset.into());
        set.bytes_below = first.min(0).unsigned_abs();
        set.bytes_beyond = end.saturating_sub(start.active(generation).into()).max(0).unsigned_abs();
    }
    if let Some(channels) = channels {
        let end = u32::from(start.partition).saturating_add(channels.into());
        set.partitions_beyond = end.saturating_sub(PARTITIONS);
        set.illegal_start = !start_partition_legal(start.partition.into(), channels.into());
    }
    Some(set)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;
    use zerocopy::little_endian::{I16, U16};

    fn with<R>(word: u32, loops: &[(i16, u16)], then: impl FnOnce(&Tensor<'_>) -> R) -> R {
        let steps: Vec<I16> = loops.iter().map(|&(step, _)| step.into()).collect();
        let nums: Vec<U16> = loops.iter().map(|&(_, num)| num.into()).collect();
        then(&Tensor::new(Addr4::from_bits(word), &steps, &nums))
    }

    fn codes_of(
        generation: Generation,
        word: u32,
        one: (i16, u16),
        size: u32,
        channels: Option<u8>,
    ) -> Vec<&'static str> {
        with(word, &[one], |tensor| {
            reach_lints(generation, tensor, size, channels).unwrap().iter().map(ReachLint::code).collect()
        })
    }

    #[test]
    fn every_corner_equals_wide_arithmetic() {
        let steps = [i16::MIN, -1, 0, 1, i16::MAX];
        let nums = [0, 1, 2, u16::MAX];
        let corners: Vec<(i16, u16)> = steps.iter().flat_map(|&step| nums.map(|num| (step, num))).collect();
        for (&first, &second, &third, &fourth) in corners.iter().flat_map(|a| {
            let corners = &corners;
            corners
                .iter()
                .flat_map(move |b| corners.iter().flat_map(move |c| corners.iter().map(move |d| (a, b, c, d))))
        }) {
            let loops = [first, second, third, fourth];
            let elements = loops.iter().map(|&(_, num)| i128::from(num)).product::<i128>();
            let last = loops.map(|(step, num)| i128::from(step) * (i128::from(num) - 1));
            with(0, &loops, |tensor| {
                assert_eq!(tensor.elements().map(i128::from), Some(elements));
                for size in [0, 1, 4, u32::MAX] {
                    let low = last.iter().map(|&last| last.min(0)).sum::<i128>() * i128::from(size);
                    let high = (last.iter().map(|&last| last.max(0)).sum::<i128>() + 1) * i128::from(size);
                    let expected = match (i64::try_from(low), i64::try_from(high)) {
                        (Ok(low), Ok(high)) if elements != 0 => Some(Reach { low, high }),
                        _ => None,
                    };
                    assert_eq!(tensor.reach(size), expected, "{loops:?} {size}");
                }
            });
        }
    }

    #[test]
    fn a_register_or_a_mode_hides_what_a_zero_count_would_tell() {
        for word in [0x8000_0000, 0x2000_0000, 0x4000_0000, 0x6000_0000] {
            with(word, &[(1, 0)], |tensor| {
                assert_eq!((tensor.elements(), tensor.reach(4)), (None, None));
                assert_eq!(reach_lints(Generation::Gen3, tensor, 4, Some(129)), None);
            });
        }
        with(0x0240_0000, &[(1, 1)], |tensor| {
            assert_eq!(tensor.elements(), Some(1), "an address in no memory still has elements");
            assert_eq!(reach_lints(Generation::Gen3, tensor, 4, None), None);
        });
    }

    #[test]
    fn each_lint_fires_one_step_after_its_twin_does_not() {
        for generation in Generation::ALL {
            let sbuf_end = Geometry::of(generation).sbuf_active;
            for (start, room) in [(0, sbuf_end), (0x200_0000, PSUM_ACTIVE)] {
                let word = start + room - 8;
                assert!(codes_of(generation, word, (1, 2), 4, None).is_empty());
                assert_eq!(codes_of(generation, word + 1, (1, 2), 4, None), ["reach_beyond"]);
                assert!(codes_of(generation, start + 8, (-1, 3), 4, None).is_empty());
                assert_eq!(codes_of(generation, start + 7, (-1, 3), 4, None), ["reach_below"]);
            }
        }
        let partition = |partition: u32| partition << 18;
        let channels = |start, count| codes_of(Generation::Gen4, partition(start), (1, 1), 4, Some(count));
        assert!(channels(96, 32).is_empty());
        assert_eq!(channels(96, 33), ["partitions_beyond", "start_partition"]);
        assert_eq!(channels(97, 31), ["start_partition"]);
        assert!(channels(64, 64).is_empty());
        assert_eq!(channels(32, 33), ["start_partition"]);
    }

    #[test]
    fn the_numbers_say_how_far_beyond() {
        let set = with(60 << 18 | 0x10, &[(-2, 5), (64, 2000)], |tensor| {
            reach_lints(Generation::Gen2, tensor, 4, Some(100)).unwrap()
        });
        let expected = ReachLintSet {
            bytes_below: 16,
            bytes_beyond: 0x10 + 64 * 1999 * 4 + 4 - 0x3_0000,
            partitions_beyond: 32,
            illegal_start: true,
        };
        assert_eq!(set, expected);
        let nothing = with(60 << 18, &[(-2, 0)], |tensor| reach_lints(Generation::Gen2, tensor, 4, Some(100)).unwrap());
        assert_eq!(nothing, ReachLintSet { bytes_below: 0, bytes_beyond: 0, ..expected });
    }
}
