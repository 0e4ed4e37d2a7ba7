//! The legal word that is nearest to an illegal one.

use super::lint::Lint;
use super::validate::{Access, register_must_be_zero, tensor_start_addr_valid};
use super::word::{Addr4, Target};
use crate::arch::Generation;
use crate::geometry::{
    ADDRESS_MASK, ADDRESS_REGISTERS, Geometry, PARTITIONS, PSUM_ACTIVE, PSUM_BASE, PSUM_REGION_SIZE, PSUM_STRIDE,
    SBUF_REGION_SIZE, SBUF_STRIDE,
};

/// The word that the validator accepts and that takes the least change.
///
/// A register word stays one: bits that must be zero are cleared and an id beyond 63 becomes 63. Any other word
/// keeps its mode bits and gets the legal address at the least distance, the lower one of two. `None` when this
/// access has no legal address at all.
#[must_use]
pub fn nearest_legal(generation: Generation, word: Addr4, access: Access) -> Option<Addr4> {
    if tensor_start_addr_valid(generation, word, access).is_ok() {
        return Some(word);
    }
    let Some(address) = word.address() else {
        return Some(nearest_register(generation, word));
    };
    let alignment = access.dtype.alignment(generation)?;
    let psum_allowed = access.allow_psum && (!access.write || access.dtype.is_psum_accumulator());
    let sbuf = access.allow_sbuf.then(|| nearest_in(address, 0, SBUF_REGION_SIZE, alignment));
    let psum = psum_allowed.then(|| nearest_in(address, PSUM_BASE, PSUM_REGION_SIZE, alignment));
    let nearest = [sbuf, psum].into_iter().flatten().min_by_key(|candidate| candidate.abs_diff(address))?;
    Some(Addr4::from_bits(word.bits() & !ADDRESS_MASK | nearest))
}

fn nearest_register(generation: Generation, word: Addr4) -> Addr4 {
    let id = Addr4::REGISTER_ID.get(word.bits()).min(ADDRESS_REGISTERS - 1);
    let kept = !(register_must_be_zero(generation) | Addr4::REGISTER_ID.mask());
    Addr4::from_bits(word.bits() & kept | id)
}

/// The word on which a lint no longer fires and that takes the least change: the mode or the reserved bits cleared, or
/// the nearest backed byte of the same memory, the lower one of two. A word on which the lint does not fire stays.
#[must_use]
pub fn without_lint(generation: Generation, word: Addr4, lint: Lint) -> Addr4 {
    let bits = word.bits();
    let repaired = match (lint, word.target()) {
        (Lint::DeadMode, _) if lint.fires(generation, word) => bits & !(Addr4::ACTIVE.mask() | Addr4::INDIRECT.mask()),
        (Lint::NoncanonicalRegister, Target::Register { .. }) => bits & !Addr4::RESERVED_HIGH.mask(),
        (Lint::UnbackedSbuf, Target::Sbuf { partition, offset }) => {
            out_of_hole(bits, partition, offset, Geometry::of(generation).sbuf_active, SBUF_STRIDE)
        }
        (Lint::PsumPad, Target::Psum { partition, offset, .. }) => {
            out_of_hole(bits, partition, offset, PSUM_ACTIVE, PSUM_STRIDE)
        }
        _ => bits,
    };
    Addr4::from_bits(repaired)
}

/// Moves from the unbacked end of a partition to its last backed byte or to the next partition, whichever is nearer.
fn out_of_hole(bits: u32, partition: u8, offset: u32, active: u32, stride: u32) -> u32 {
    let Some(past) = offset.checked_sub(active) else { return bits };
    let (back, ahead) = (past.saturating_add(1), stride.saturating_sub(offset));
    let is_last = u32::from(partition) == PARTITIONS - 1;
    if back <= ahead || is_last { bits.saturating_sub(back) } else { bits.saturating_add(ahead) }
}

/// The nearest multiple of `alignment` (a power of two) in `base..base + size`, both of which are multiples.
fn nearest_in(address: u32, base: u32, size: u32, alignment: u32) -> u32 {
    let last = base.saturating_add(size.saturating_sub(alignment));
    let clamped = address.clamp(base, last);
    let beyond = clamped & alignment.wrapping_sub(1);
    let lower = clamped.wrapping_sub(beyond);
    if beyond.saturating_mul(2) <= alignment { lower } else { lower.saturating_add(alignment) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::WireTag;

    fn nearest(generation: Generation, bits: u32, dtype: u8, write: bool, psum: bool, sbuf: bool) -> Option<u32> {
        let access = Access { dtype: WireTag::new(dtype), write, allow_psum: psum, allow_sbuf: sbuf };
        nearest_legal(generation, Addr4::from_bits(bits), access).map(Addr4::bits)
    }

    #[test]
    fn known_repairs() {
        let gen2 = Generation::Gen2;
        let gen3 = Generation::Gen3;
        assert_eq!(nearest(gen3, 0x0200_0003, 10, false, true, true), Some(0x0200_0004));
        assert_eq!(nearest(gen3, 0x0200_0002, 10, false, true, true), Some(0x0200_0000), "the lower of two");
        assert_eq!(nearest(gen3, 0x0240_0000, 10, false, true, true), Some(0x023F_FFFC));
        assert_eq!(nearest(gen3, 0x3FFF_FFFF, 10, false, true, true), Some(0x223F_FFFC), "mode bits stay");
        assert_eq!(nearest(gen3, 0x0200_0000, 6, true, true, true), Some(0x01FF_FFFE), "bf16 cannot go to PSUM");
        assert_eq!(nearest(gen3, 0x0000_0000, 10, false, true, false), Some(0x0200_0000));
        assert_eq!(nearest(gen3, 0x0000_0000, 10, false, false, false), None);
        assert_eq!(nearest(gen3, 0x0000_0000, 16, false, true, true), None, "no alignment before gen4");
        assert_eq!(nearest(gen2, 0xA012_3445, 10, false, true, true), Some(0x8000_003F));
        assert_eq!(nearest(gen3, 0xA012_3405, 10, false, true, true), Some(0xA000_0005));
    }

    /// Against a walk outward from the address, for every small misalignment around every region edge.
    #[test]
    fn no_legal_address_is_nearer() {
        for generation in Generation::ALL {
            for dtype in [1, 3, 6, 10] {
                for flags in 0..8_u8 {
                    let access = Access {
                        dtype: WireTag::new(dtype),
                        write: flags & 1 != 0,
                        allow_psum: flags & 2 != 0,
                        allow_sbuf: flags & 4 != 0,
                    };
                    for edge in [16, 0x0200_0000, 0x0240_0000_u32] {
                        for address in edge - 16..edge + 16 {
                            check_by_walking(generation, address, access);
                        }
                    }
                }
            }
        }
    }

    fn check_by_walking(generation: Generation, address: u32, access: Access) {
        let legal = |at: u32| tensor_start_addr_valid(generation, Addr4::from_bits(at), access).is_ok();
        let found = nearest_legal(generation, Addr4::from_bits(address), access).map(Addr4::bits);
        let walked = (0..64).find_map(|distance| {
            let below = address.checked_sub(distance).filter(|&at| legal(at));
            below.or_else(|| Some(address + distance).filter(|&at| legal(at)))
        });
        match (found, walked) {
            (Some(found), Some(walked)) => assert_eq!(found, walked, "{address:#X} {access:?}"),
            (Some(found), None) => assert!(legal(found) && found.abs_diff(address) >= 64),
            (None, walked) => assert_eq!(walked, None),
        }
    }

    #[test]
    fn no_word_without_the_lint_is_nearer() {
        for generation in Generation::ALL {
            for (lint, base, stride) in [(Lint::UnbackedSbuf, 0, SBUF_STRIDE), (Lint::PsumPad, PSUM_BASE, PSUM_STRIDE)]
            {
                for partition in [0, 1, 126, 127] {
                    for offset in (0..stride).step_by(0x3FF).chain([stride - 1]) {
                        let word = Addr4::from_bits(base + partition * stride + offset);
                        check_lint_by_walking(generation, word, lint, base..base + PARTITIONS * stride);
                    }
                }
            }
        }
    }

    fn check_lint_by_walking(generation: Generation, word: Addr4, lint: Lint, memory: core::ops::Range<u32>) {
        let free = |at: u32| memory.contains(&at) && !lint.fires(generation, Addr4::from_bits(at));
        let found = without_lint(generation, word, lint).bits();
        let distance = found.abs_diff(word.bits());
        assert!(free(found), "{word}");
        // All words between the two have the lint, and so have those as far on the other side.
        let nearer = [1, distance / 2, distance.saturating_sub(1)].map(|step| step.min(distance.saturating_sub(1)));
        for step in nearer.into_iter().filter(|&step| step > 0 || distance > 0) {
            assert!(!free(word.bits() + step) && !free(word.bits().wrapping_sub(step)), "{word}");
        }
    }

    #[test]
    fn mode_and_reserved_bits_are_cleared() {
        let repaired = |bits, lint| without_lint(Generation::Gen3, Addr4::from_bits(bits), lint).bits();
        assert_eq!(repaired(0x6200_4000, Lint::DeadMode), 0x0200_4000);
        assert_eq!(repaired(0x4200_4000, Lint::DeadMode), 0x4200_4000);
        assert_eq!(repaired(0xFF00_0005, Lint::NoncanonicalRegister), 0xE000_0005);
        assert_eq!(repaired(0x0003_FFFF, Lint::UnbackedSbuf), 0x0004_0000);
        assert_eq!(repaired(0x0200_7FFF, Lint::PsumPad), 0x0200_8000);
        assert_eq!(repaired(0x023F_FFFF, Lint::PsumPad), 0x023F_BFFF);
    }

    #[test]
    fn every_repaired_register_word_is_accepted_and_a_good_one_unchanged() {
        for generation in Generation::ALL {
            for upper in 0x8000..=0xFFFF_u32 {
                for lower in [0, 0x3F, 0x40, 0xFF, 0x100, 0xFFFF] {
                    let word = Addr4::from_bits(upper << 16 | lower);
                    let access = Access::read(WireTag::UINT8);
                    let repaired = nearest_legal(generation, word, access).unwrap();
                    assert!(repaired.is_register());
                    assert_eq!(tensor_start_addr_valid(generation, repaired, access), Ok(()));
                    let was_valid = tensor_start_addr_valid(generation, word, access).is_ok();
                    assert_eq!(was_valid, repaired == word);
                }
            }
        }
    }
}
