//! Questions about placement that instruction checks ask of words.

use super::word::Addr4;
use crate::arch::Generation;
use crate::geometry::{Geometry, PARTITIONS, QUADRANT_PARTITIONS, SBUF_STRIDE, legal_start_partitions};

/// Whether the word's address lies in the backed bytes of this SBUF partition: from `partition` times the stride on, as
/// many as the generation has. The number is taken as it is, so that a partition beyond 127 names addresses that are
/// not in SBUF. A register word passes, since its address is not known (adopted). Source: header book.
#[must_use]
pub fn in_sbuf_partition(generation: Generation, word: Addr4, partition: i64) -> bool {
    let Some(address) = word.address() else { return true };
    let start = partition.saturating_mul(i64::from(SBUF_STRIDE));
    let into = i64::from(address).saturating_sub(start);
    (0..i64::from(Geometry::of(generation).sbuf_active)).contains(&into)
}

/// Whether both words lie in one and the same quadrant base partition: 0, 32, 64 or 96. Where either is a register
/// word the question passes, whatever the other one is (adopted).
///
/// This is the literal reading of the header book (adopted): partitions 33 and 34 share a quadrant and still do
/// not pass.
#[must_use]
pub fn same_sbuf_quadrant(generation: Generation, first: Addr4, second: Addr4) -> bool {
    if first.is_register() || second.is_register() {
        return true;
    }
    let quadrants = 0..PARTITIONS / QUADRANT_PARTITIONS;
    quadrants
        .map(|quadrant| i64::from(quadrant.saturating_mul(QUADRANT_PARTITIONS)))
        .any(|base| in_sbuf_partition(generation, first, base) && in_sbuf_partition(generation, second, base))
}

/// Whether an access to `count` partitions may start at `start`. Source: AWS documentation, KLR.
#[must_use]
pub fn start_partition_legal(start: i64, count: i64) -> bool {
    legal_start_partitions(count).iter().any(|&legal| i64::from(legal) == start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_backed_bytes_of_that_partition_count() {
        let word = |bits| Addr4::from_bits(bits);
        for (generation, active) in
            [(Generation::Gen2, 0x3_0000), (Generation::Gen3, 0x3_8000), (Generation::Gen4, 0x4_0000)]
        {
            let base = 5 << 18;
            assert!(in_sbuf_partition(generation, word(base), 5));
            assert!(in_sbuf_partition(generation, word(base + active - 1), 5));
            assert!(!in_sbuf_partition(generation, word(base + active), 5));
            assert!(!in_sbuf_partition(generation, word(base - 1), 5));
            assert!(!in_sbuf_partition(generation, word(base), 4));
            assert!(!in_sbuf_partition(generation, word(base), -5));
            assert!(!in_sbuf_partition(generation, word(base), i64::MAX));
            assert!(!in_sbuf_partition(generation, word(base), i64::MIN));
            assert!(in_sbuf_partition(generation, word(0x0200_0000), 128), "the formula does not ask for the region");
            assert!(in_sbuf_partition(generation, word(0x8000_0000), 5));
        }
    }

    #[test]
    fn quadrants_mean_their_base_partition() {
        let word = |partition: u32| Addr4::from_bits(partition << 18);
        for first in 0..128 {
            for second in 0..128 {
                let expected = first == second && first % 32 == 0;
                assert_eq!(same_sbuf_quadrant(Generation::Gen3, word(first), word(second)), expected);
            }
        }
        assert!(same_sbuf_quadrant(Generation::Gen3, word(96), Addr4::from_bits(0x8000_0001)));
        assert!(same_sbuf_quadrant(Generation::Gen3, Addr4::from_bits(0x8000_0001), Addr4::from_bits(0x0200_0000)));
    }
}
