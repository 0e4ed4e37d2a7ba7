//! Whether two tensors touch a common byte.

use core::ops::Range;

use super::coverage::{Coverage, Footprint};
use super::reach::Start;
use super::tensor::Tensor;
use crate::geometry::PARTITIONS;

/// Most runs of each tensor that are compared. No tensor within its partition has more than an eighth of it.
const MAX_RUNS: u32 = 1 << 20;

/// A tensor, and what its bytes do not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand<'a> {
    /// The tensor.
    pub tensor: Tensor<'a>,
    /// Bytes of an element.
    pub elem_size: u32,
    /// Active partitions, from the start partition on, if the number is known. At least one is taken to be active.
    pub channels: Option<u8>,
}

/// What two operands have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Overlap {
    /// Nothing.
    Disjoint,
    /// At least a byte.
    Common {
        /// The first partition that both use.
        partition: u8,
        /// The first common byte there.
        byte: i64,
        /// How many bytes of each common partition; `None` where the runs are too many to count.
        bytes: Option<u64>,
    },
    /// It cannot be told.
    Unknown(Unknown),
}

/// Why it cannot be told whether two operands overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Unknown {
    /// One of them has no known place: its word names a register or no memory, its mode is not static, or its reach does
    /// not fit 64 bits.
    Address,
    /// They have no common byte, but one of them leaves its partition, and where it goes is not known.
    LeavesPartition,
    /// They touch the same bytes of a partition, and too little is known of the number of active partitions to say
    /// whether of the same one.
    Partitions,
    /// The ranges meet, and the loops of one interleave over more than a partition or have too many runs.
    Loops,
}

/// One operand, as far as it matters here.
struct Side {
    start: Start,
    coverage: Coverage,
    channels: Option<u8>,
}

impl Side {
    fn of(operand: &Operand<'_>) -> Option<Self> {
        let coverage = operand.tensor.coverage(operand.elem_size)?;
        Some(Self { start: Start::of(operand.tensor.addr4)?, coverage, channels: operand.channels })
    }

    /// From the first touched byte of the partition to the last one.
    fn range(&self) -> Range<i64> {
        moved(&self.coverage.range(), self.start.offset)
    }

    fn leaves_partition(&self) -> bool {
        let range = self.range();
        range.start < 0 || range.end > self.start.stride().into()
    }

    /// One past the last active partition: at least and at most.
    fn partitions_end(&self) -> (u32, u32) {
        let end = |channels: u8| u32::from(self.start.partition).saturating_add(channels.into());
        self.channels.map_or((end(1), PARTITIONS), |channels| (end(channels), end(channels)))
    }
}

/// Whether two operands touch a common byte, and where the first one is.
///
/// What lies in another memory or in other partitions is disjoint, and so is a tensor with a loop without a round. Takes
/// time for each run of bytes up to a limit, and the memory of two [`Coverage`]s.
#[must_use]
pub fn overlap(first: &Operand<'_>, second: &Operand<'_>) -> Overlap {
    let (Some(first), Some(second)) = (Side::of(first), Side::of(second)) else {
        return Overlap::Unknown(Unknown::Address);
    };
    if [&first, &second].iter().any(|side| side.range().is_empty()) {
        return Overlap::Disjoint;
    }
    let partition = first.start.partition.max(second.start.partition);
    let (ends, others) = (first.partitions_end(), second.partitions_end());
    let shared = u32::from(partition) < ends.0.min(others.0);
    let may_share = u32::from(partition) < ends.1.min(others.1) && first.start.region == second.start.region;
    let bytes = if may_share { common_bytes(&first, &second) } else { Common::None };
    match bytes {
        Common::None if first.leaves_partition() || second.leaves_partition() => {
            Overlap::Unknown(Unknown::LeavesPartition)
        }
        Common::None => Overlap::Disjoint,
        Common::Unknown => Overlap::Unknown(Unknown::Loops),
        Common::Bytes(..) if !shared => Overlap::Unknown(Unknown::Partitions),
        Common::Bytes(byte, bytes) => Overlap::Common { partition, byte, bytes },
    }
}

/// Common bytes of a partition.
enum Common {
    None,
    /// The first one, and their number if all were looked at.
    Bytes(i64, Option<u64>),
    Unknown,
}

fn common_bytes(first: &Side, second: &Side) -> Common {
    if common(&first.range(), &second.range()).is_empty() {
        return Common::None;
    }
    match (&first.coverage, &second.coverage) {
        (Coverage::Exact(one), Coverage::Exact(other)) => {
            common_runs((one, first.start.offset), (other, second.start.offset))
        }
        _ => Common::Unknown,
    }
}

/// Goes through both sets of runs side by side.
fn common_runs(first: (&Footprint, u32), second: (&Footprint, u32)) -> Common {
    let mut runs = first.0.runs().map(|run| moved(&run, first.1));
    let mut others = second.0.runs().map(|run| moved(&run, second.1));
    let (mut found, mut bytes) = (None, 0_u64);
    let (mut run, mut other) = (runs.next(), others.next());
    for _ in 0..MAX_RUNS.saturating_mul(2) {
        let (Some(one), Some(two)) = (&run, &other) else {
            return found.map_or(Common::None, |byte| Common::Bytes(byte, Some(bytes)));
        };
        let both = common(one, two);
        if !both.is_empty() {
            found = found.or(Some(both.start));
            bytes = bytes.saturating_add(both.end.saturating_sub(both.start).unsigned_abs());
        }
        if one.end <= two.end {
            run = runs.next();
        } else {
            other = others.next();
        }
    }
    found.map_or(Common::Unknown, |byte| Common::Bytes(byte, None))
}

fn moved(range: &Range<i64>, by: u32) -> Range<i64> {
    range.start.saturating_add(by.into())..range.end.saturating_add(by.into())
}

fn common(first: &Range<i64>, second: &Range<i64>) -> Range<i64> {
    first.start.max(second.start)..first.end.min(second.end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::addr4::Addr4;
    use zerocopy::little_endian::{I16, U16};

    /// Overlap of two 4-byte elements or loops over such, each on so many partitions.
    fn of(first: (u32, (i16, u16), Option<u8>), second: (u32, (i16, u16), Option<u8>)) -> Overlap {
        let [one, other] = [first, second].map(|(_, (step, num), _)| ([I16::from(step)], [U16::from(num)]));
        let operand = |(word, _, channels), (steps, nums)| Operand {
            tensor: Tensor::new(Addr4::from_bits(word), steps, nums),
            elem_size: 4,
            channels,
        };
        let forward = overlap(&operand(first, (&one.0, &one.1)), &operand(second, (&other.0, &other.1)));
        let backward = overlap(&operand(second, (&other.0, &other.1)), &operand(first, (&one.0, &one.1)));
        assert_eq!(forward, backward);
        forward
    }

    const ONE: (i16, u16) = (1, 1);
    const PARTITION: u32 = 1 << 18;

    fn common(partition: u8, byte: i64, bytes: u64) -> Overlap {
        Overlap::Common { partition, byte, bytes: Some(bytes) }
    }

    #[test]
    fn partitions_must_meet_as_well_as_bytes() {
        let far = 3 * PARTITION;
        assert_eq!(of((0, ONE, Some(4)), (far + 2, ONE, None)), common(3, 2, 2));
        assert_eq!(of((0, ONE, Some(3)), (far + 2, ONE, Some(128))), Overlap::Disjoint);
        assert_eq!(of((0, ONE, None), (far + 2, ONE, None)), Overlap::Unknown(Unknown::Partitions));
        assert_eq!(of((0, ONE, None), (far + 4, ONE, None)), Overlap::Disjoint);
        assert_eq!(of((far, ONE, Some(0)), (far, ONE, None)), Overlap::Disjoint);
    }

    #[test]
    fn memories_and_what_has_no_known_place() {
        let psum = 0x200_0000;
        assert_eq!(of((psum, ONE, None), (psum, ONE, None)), common(0, 0, 4));
        assert_eq!(of((0, ONE, None), (psum, ONE, None)), Overlap::Disjoint);
        for hidden in [0x8000_0000, 0x4000_0000, 0x240_0000] {
            assert_eq!(of((0, ONE, None), (hidden, ONE, None)), Overlap::Unknown(Unknown::Address));
        }
        assert_eq!(of((0, (1, 0), None), (0, ONE, None)), Overlap::Disjoint);
    }

    #[test]
    fn nothing_is_disjoint_that_leaves_its_partition() {
        let last = PARTITION - 4;
        assert_eq!(of((last, ONE, None), (0, ONE, None)), Overlap::Disjoint);
        let leaving = Overlap::Unknown(Unknown::LeavesPartition);
        assert_eq!(of((last + 1, ONE, None), (0, ONE, None)), leaving);
        assert_eq!(of((4, (-1, 2), None), (8, ONE, None)), Overlap::Disjoint);
        assert_eq!(of((3, (-1, 2), None), (8, ONE, None)), leaving);
        assert_eq!(of((3, (-1, 2), None), (4, ONE, None)), common(0, 4, 3));
    }

    #[test]
    fn runs_are_compared_up_to_a_limit() {
        let many = |start: u32, loops: [(i16, u16); 2]| {
            (start, loops.map(|(step, _)| I16::from(step)), loops.map(|(_, num)| U16::from(num)))
        };
        let of = |one: (u32, [I16; 2], [U16; 2]), other: (u32, [I16; 2], [U16; 2])| {
            let [first, second] = [&one, &other].map(|(word, steps, nums)| Operand {
                tensor: Tensor::new(Addr4::from_bits(*word), steps, nums),
                elem_size: 1,
                channels: None,
            });
            overlap(&first, &second)
        };
        // Every other byte of 64 MiB, merged from two loops.
        let (even, odd) = (many(0, [(2, 1024), (2048, 32768)]), many(1, [(2, 1024), (2048, 32768)]));
        assert_eq!(of(even, even), Overlap::Common { partition: 0, byte: 0, bytes: None });
        assert_eq!(of(even, odd), Overlap::Unknown(Unknown::Loops));
        let dense = many(64, [(1, 512), (1, 1)]);
        assert_eq!(of(even, dense), common(0, 64, 256));
    }
}
