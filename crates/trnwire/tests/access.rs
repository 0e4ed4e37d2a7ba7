//! Walk, coverage, repeats and overlap of tensors against plain nested loops into a bitmap.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail so"
)]

use core::ops::Range;

use trnwire::access::{Coverage, Operand, Overlap, Reach, Tensor, overlap};
use trnwire::addr4::Addr4;
use zerocopy::little_endian::{I16, U16};

/// Bytes on either side of the start: more than 4 loops, 4 rounds, 6 elements and 8 bytes take.
const SIDE: i64 = 1024;

/// A descriptor's loops, and which bytes they touch.
struct Naive {
    steps: Vec<i16>,
    nums: Vec<u16>,
    size: u32,
    /// In the order of access.
    offsets: Vec<i64>,
    /// A bit for each byte from `-SIDE` on.
    bytes: [u64; SIDE as usize / 32],
    /// How often the fullest place is accessed, without the loops of step 0.
    overlaps: bool,
}

impl Naive {
    fn random(random: &mut Random) -> Self {
        let dims = 1 + random.below(4) as usize;
        let steps: Vec<i16> = (0..dims).map(|_| random.below(13) as i16 - 6).collect();
        let nums: Vec<u16> = (0..dims).map(|_| random.below(6) as u16).collect();
        Self::new(steps, nums, 1 << random.below(4))
    }

    fn new(steps: Vec<i16>, nums: Vec<u16>, size: u32) -> Self {
        let at = |dim: usize| (steps.get(dim).copied().unwrap_or(0), nums.get(dim).copied().unwrap_or(1));
        let (mut offsets, mut bytes, mut overlaps) = (Vec::new(), [0_u64; SIDE as usize / 32], false);
        for fourth in 0..at(3).1 {
            for third in 0..at(2).1 {
                for second in 0..at(1).1 {
                    for first in 0..at(0).1 {
                        let rounds = [first, second, third, fourth].into_iter().enumerate();
                        let element =
                            rounds.clone().map(|(dim, round)| i64::from(at(dim).0) * i64::from(round)).sum::<i64>();
                        let offset = element * i64::from(size);
                        // Of a broadcast loop, the first round stands for all.
                        if rounds.clone().all(|(dim, round)| at(dim).0 != 0 || round == 0) {
                            let bit = (offset + SIDE) as usize;
                            overlaps |= bytes[bit / 64] >> (bit % 64) & 1 != 0;
                            // Elements are aligned to their size from the start, so none crosses a word.
                            bytes[bit / 64] |= (u64::MAX >> (64 - size)) << (bit % 64);
                        }
                        offsets.push(offset);
                    }
                }
            }
        }
        Self { steps, nums, size, offsets, bytes, overlaps }
    }

    fn check(&self) {
        let (steps, nums) = self.arrays();
        let tensor = Tensor::new(Addr4::from_bits(0), &steps, &nums);
        let context = || format!("{:?} {:?} {}", self.steps, self.nums, self.size);

        let low = self.offsets.iter().min();
        let high = self.offsets.iter().max().map(|high| high + i64::from(self.size));
        assert_eq!(tensor.elements(), Some(self.offsets.len() as u64), "{}", context());
        assert_eq!(tensor.reach(self.size), low.map(|&low| Reach { low, high: high.unwrap() }), "{}", context());

        assert!(tensor.walk(self.size).unwrap().eq(self.offsets.iter().copied()), "{}", context());
        assert!(tensor.walk_runs(self.size).unwrap().eq(self.runs_of_walk()), "{}", context());

        let Some(Coverage::Exact(footprint)) = tensor.coverage(self.size) else { panic!("{}", context()) };
        assert!(footprint.runs().eq(runs(&self.bytes)), "{}", context());
        let count = self.bytes.iter().map(|word| u64::from(word.count_ones())).sum();
        assert_eq!(footprint.bytes(), count, "{}", context());
        assert_eq!(footprint.is_dense(), runs(&self.bytes).count() <= 1, "{}", context());
        assert_eq!(footprint.range(), low.map_or(0..0, |&low| low..high.unwrap()), "{}", context());

        let repeats = tensor.repeats().unwrap();
        let broadcast = self.steps.iter().zip(&self.nums).any(|(&step, &num)| step == 0 && num > 1);
        assert_eq!(repeats.broadcast, broadcast && !self.offsets.is_empty(), "{}", context());
        assert_eq!(repeats.overlap, Some(self.overlaps), "{}", context());
    }

    fn runs_of_walk(&self) -> Vec<Range<i64>> {
        let mut runs: Vec<Range<i64>> = Vec::new();
        for &offset in &self.offsets {
            match runs.last_mut() {
                Some(run) if run.end == offset => run.end += i64::from(self.size),
                _ => runs.push(offset..offset + i64::from(self.size)),
            }
        }
        runs
    }

    fn arrays(&self) -> (Vec<I16>, Vec<U16>) {
        (self.steps.iter().map(|&step| step.into()).collect(), self.nums.iter().map(|&num| num.into()).collect())
    }
}

/// Runs of set bits.
fn runs(bytes: &[u64]) -> impl Iterator<Item = Range<i64>> {
    let is_set = |bit: i64| bytes.get(bit as usize / 64).is_some_and(|word| word >> (bit % 64) & 1 != 0);
    let mut bit = 0;
    core::iter::from_fn(move || {
        let end = bytes.len() as i64 * 64;
        let start = (bit..end).find(|&bit| is_set(bit))?;
        bit = (start..end).find(|&bit| !is_set(bit)).unwrap_or(end);
        Some(start - SIDE..bit - SIDE)
    })
}

/// Overlap of two descriptors, the second of which starts so many bytes after the first.
fn check_overlap(first: &Naive, second: &Naive, shift: u32) {
    const START: u32 = 3 << 18 | 0x1_0000;
    let is_set = |naive: &Naive, byte: i64| {
        let bit = (byte + SIDE) as usize;
        naive.bytes.get(bit / 64).is_some_and(|word| word >> (bit % 64) & 1 != 0)
    };
    let mut common = (-SIDE..SIDE).filter(|&byte| is_set(first, byte) && is_set(second, byte - i64::from(shift)));
    let expected = match common.next() {
        Some(byte) => Overlap::Common { partition: 3, byte: 0x1_0000 + byte, bytes: Some(1 + common.count() as u64) },
        None => Overlap::Disjoint,
    };
    let [(steps, nums), (other_steps, other_nums)] = [first, second].map(Naive::arrays);
    let one =
        Operand { tensor: Tensor::new(Addr4::from_bits(START), &steps, &nums), elem_size: first.size, channels: None };
    let other = Operand {
        tensor: Tensor::new(Addr4::from_bits(START + shift), &other_steps, &other_nums),
        elem_size: second.size,
        channels: Some(2),
    };
    let context = || {
        format!(
            "{:?} {:?} {} and {:?} {:?} {} {shift} bytes on",
            first.steps, first.nums, first.size, second.steps, second.nums, second.size
        )
    };
    assert_eq!(overlap(&one, &other), expected, "{}", context());
    assert_eq!(overlap(&other, &one), expected, "{}", context());
}

struct Random(u64);

impl Random {
    /// SplitMix64.
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ mixed >> 31) % limit
    }
}

#[test]
fn a_million_small_tensors_equal_nested_loops() {
    let mut random = Random(1);
    for _ in 0..1_000_000 {
        Naive::random(&mut random).check();
    }
}

#[test]
fn small_tensors_overlap_where_their_bytes_do() {
    let mut random = Random(2);
    for _ in 0..500_000 {
        let (first, second) = (Naive::random(&mut random), Naive::random(&mut random));
        check_overlap(&first, &second, random.below(200) as u32);
    }
}

#[test]
fn corner_values_neither_overflow_nor_leave_the_reach() {
    let corners: Vec<(i16, u16)> =
        [i16::MIN, -1, 0, 1, i16::MAX].iter().flat_map(|&step| [1, 2, 300, u16::MAX].map(|num| (step, num))).collect();
    for at in 0..corners.len().pow(4) {
        let loops = [0, 1, 2, 3].map(|dim| corners[at / corners.len().pow(dim) % corners.len()]);
        let (steps, nums) = (loops.map(|(step, _)| I16::from(step)), loops.map(|(_, num)| U16::from(num)));
        let tensor = Tensor::new(Addr4::from_bits(0), &steps, &nums);
        for size in [1, 1 << 30, u32::MAX] {
            let last = loops.map(|(step, num)| i128::from(step) * (i128::from(num) - 1) * i128::from(size));
            let low = last.iter().map(|&last| last.min(0)).sum::<i128>();
            let high = last.iter().map(|&last| last.max(0)).sum::<i128>() + i128::from(size);
            let fits = i64::try_from(low).is_ok() && i64::try_from(high).is_ok();
            assert_eq!(tensor.walk(size).is_some(), fits, "{loops:?} {size}");
            assert_eq!(tensor.coverage(size).is_some(), fits, "{loops:?} {size}");
            let (Some(mut walk), Some(coverage)) = (tensor.walk(size), tensor.coverage(size)) else { continue };

            let total = loops.iter().map(|&(_, num)| u64::from(num)).product::<u64>();
            let end = last.iter().sum::<i128>();
            assert_eq!(walk.element(total - 1).map(i128::from), Some(end), "{loops:?} {size}");
            assert_eq!(walk.nth(usize::try_from(total - 1).unwrap()).map(i128::from), Some(end), "{loops:?} {size}");
            assert_eq!(walk.next(), None);

            let range = coverage.range();
            assert_eq!((range.start.into(), range.end.into()), (low, high), "{loops:?} {size}");
            let Coverage::Exact(footprint) = coverage else { continue };
            assert_eq!(footprint.runs().next().map(|run| i128::from(run.start)), Some(low), "{loops:?} {size}");
            assert!(footprint.bytes() <= high.abs_diff(low) as u64);
            assert_eq!(footprint.bytes() % u64::from(size), 0);
        }
    }
}
