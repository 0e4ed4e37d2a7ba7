//! The good word that is nearest to a bad one.

use super::lint::{Lint, lints};
use super::validate::{Access, register_must_be_zero, tensor_start_addr_valid};
use super::word::Addr4;
use crate::arch::Generation;
use crate::geometry::{
    ADDRESS_MASK, ADDRESS_REGISTERS, Geometry, PARTITIONS, PSUM_ACTIVE, PSUM_BASE, PSUM_REGION_SIZE, PSUM_STRIDE,
    SBUF_REGION_SIZE, SBUF_STRIDE,
};

/// A memory as the search sees it: partitions one after the other, each good up to some byte. All sizes and the base
/// are multiples of every alignment.
struct Memory {
    base: u32,
    partitions: u32,
    stride: u32,
    good: u32,
}

/// The word that the validator accepts and that takes the least change.
///
/// A register word stays one: bits that must be zero are cleared and an id beyond 63 becomes 63. Any other word
/// keeps its mode bits and gets the legal address at the least distance, the lower one of two. `None` when this
/// access has no legal address at all. The address may have no memory behind it: see [`nearest_backed`].
#[must_use]
pub fn nearest_legal(generation: Generation, word: Addr4, access: Access) -> Option<Addr4> {
    let sbuf = Memory { base: 0, partitions: 1, stride: SBUF_REGION_SIZE, good: SBUF_REGION_SIZE };
    let psum = Memory { base: PSUM_BASE, partitions: 1, stride: PSUM_REGION_SIZE, good: PSUM_REGION_SIZE };
    nearest(generation, word, access, &sbuf, &psum)
}

/// As [`nearest_legal`], of the words whose byte is memory and not pad: none has the lints [`Lint::UnbackedSbuf`] and
/// [`Lint::PsumPad`].
#[must_use]
pub fn nearest_backed(generation: Generation, word: Addr4, access: Access) -> Option<Addr4> {
    let good = Geometry::of(generation).sbuf_active;
    let sbuf = Memory { base: 0, partitions: PARTITIONS, stride: SBUF_STRIDE, good };
    let psum = Memory { base: PSUM_BASE, partitions: PARTITIONS, stride: PSUM_STRIDE, good: PSUM_ACTIVE };
    nearest(generation, word, access, &sbuf, &psum)
}

/// The word on which a lint no longer fires and that takes the least change: the mode or the reserved bits cleared, or
/// the nearest backed address of the access. A word on which the lint does not fire stays.
#[must_use]
pub fn without_lint(generation: Generation, word: Addr4, access: Access, lint: Lint) -> Option<Addr4> {
    if !lints(generation, word).contains(lint) {
        return Some(word);
    }
    match lint {
        Lint::DeadMode => Some(Addr4::from_bits(word.bits() & !(Addr4::ACTIVE.mask() | Addr4::INDIRECT.mask()))),
        Lint::NoncanonicalRegister => Some(Addr4::from_bits(word.bits() & !Addr4::RESERVED_HIGH.mask())),
        Lint::UnbackedSbuf | Lint::PsumPad => nearest_backed(generation, word, access),
    }
}

fn nearest(generation: Generation, word: Addr4, access: Access, sbuf: &Memory, psum: &Memory) -> Option<Addr4> {
    let Some(address) = word.address() else {
        return Some(nearest_register(generation, word));
    };
    let alignment = access.dtype.alignment(generation)?;
    let accepted =
        |memory: &&Memory| tensor_start_addr_valid(generation, Addr4::from_bits(memory.base), access).is_ok();
    let candidates = [sbuf, psum].into_iter().filter(accepted).map(|memory| memory.nearest(address, alignment));
    let nearest = candidates.min_by_key(|candidate| candidate.abs_diff(address))?;
    Some(Addr4::from_bits(word.bits() & !ADDRESS_MASK | nearest))
}

fn nearest_register(generation: Generation, word: Addr4) -> Addr4 {
    let id = Addr4::REGISTER_ID.get(word.bits()).min(ADDRESS_REGISTERS - 1);
    let kept = !(register_must_be_zero(generation) | Addr4::REGISTER_ID.mask());
    Addr4::from_bits(word.bits() & kept | id)
}

impl Memory {
    /// The nearest good multiple of `alignment`, a power of two; the lower one of two.
    fn nearest(&self, address: u32, alignment: u32) -> u32 {
        let into = address.saturating_sub(self.base);
        let last_partition = self.partitions.saturating_sub(1);
        let partition = into.checked_div(self.stride).unwrap_or_default().min(last_partition);
        let start = self.base.saturating_add(partition.saturating_mul(self.stride));
        let last = start.saturating_add(self.good.saturating_sub(alignment));
        let beyond = address & alignment.wrapping_sub(1);
        let below = address.saturating_sub(beyond).clamp(start, last);
        let above = if below >= address {
            below
        } else if below < last {
            below.saturating_add(alignment)
        } else if partition < last_partition {
            start.saturating_add(self.stride)
        } else {
            below
        };
        if below.abs_diff(address) <= above.abs_diff(address) { below } else { above }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::WireTag;

    type Search = fn(Generation, Addr4, Access) -> Option<Addr4>;

    fn found(search: Search, generation: Generation, bits: u32, dtype: u8, flags: u8) -> Option<u32> {
        search(generation, Addr4::from_bits(bits), access(dtype, flags)).map(Addr4::bits)
    }

    /// Bit 0 of the flags is write, bit 1 PSUM, bit 2 SBUF.
    fn access(dtype: u8, flags: u8) -> Access {
        Access {
            dtype: WireTag::new(dtype),
            write: flags & 1 != 0,
            allow_psum: flags & 2 != 0,
            allow_sbuf: flags & 4 != 0,
        }
    }

    #[test]
    fn known_repairs() {
        let gen2 = |bits, dtype, flags| found(nearest_legal, Generation::Gen2, bits, dtype, flags);
        let gen3 = |bits, dtype, flags| found(nearest_legal, Generation::Gen3, bits, dtype, flags);
        assert_eq!(gen3(0x0200_0003, 10, 6), Some(0x0200_0004));
        assert_eq!(gen3(0x0200_0002, 10, 6), Some(0x0200_0000), "the lower of two");
        assert_eq!(gen3(0x0240_0000, 10, 6), Some(0x023F_FFFC));
        assert_eq!(gen3(0x3FFF_FFFF, 10, 6), Some(0x223F_FFFC), "mode bits stay");
        assert_eq!(gen3(0x0200_0000, 6, 7), Some(0x01FF_FFFE), "bf16 cannot be written to PSUM");
        assert_eq!(gen3(0x0000_0000, 10, 2), Some(0x0200_0000));
        assert_eq!(gen3(0x0000_0000, 10, 0), None);
        assert_eq!(gen3(0x0000_0000, 16, 6), None, "no alignment before gen4");
        assert_eq!(gen2(0xA012_3445, 10, 6), Some(0x8000_003F));
        assert_eq!(gen3(0xA012_3405, 10, 6), Some(0xA000_0005));
        let backed = |bits, dtype, flags| found(nearest_backed, Generation::Gen3, bits, dtype, flags);
        assert_eq!(backed(0x0200_0000, 6, 7), Some(0x01FF_7FFE));
        assert_eq!(backed(0x0240_0000, 10, 6), Some(0x023F_BFFC));
        assert_eq!(backed(0x0003_FFFF, 3, 6), Some(0x0004_0000));
        assert_eq!(backed(0x0200_4000, 10, 6), Some(0x0200_3FFC));
    }

    /// Against a walk outward from the address, around every edge, for every small misalignment.
    #[test]
    fn no_good_address_is_nearer() {
        for generation in Generation::ALL {
            for dtype in [1, 3, 6, 10] {
                for flags in 0..8 {
                    for edge in [16, 0x0200_0000, 0x0240_0000] {
                        check_by_walking(nearest_legal, generation, edge, 64, access(dtype, flags));
                    }
                }
            }
            // Holes are up to 64 KiB wide, so these walks are long and few.
            let active = Geometry::of(generation).sbuf_active;
            for dtype in [3, 10] {
                for edge in [active, (SBUF_STRIDE + active) / 2, 0x01FC_0000 + active, 0x0200_0000, 0x0200_4000] {
                    check_by_walking(nearest_backed, generation, edge, 0x1_0040, access(dtype, 6));
                }
                check_by_walking(nearest_backed, generation, 0x0240_0000, 0x1_0040, access(dtype, 2));
            }
        }
    }

    /// Checks the 32 addresses around an edge, each against all addresses up to `reach` away.
    fn check_by_walking(search: Search, generation: Generation, edge: u32, reach: u32, access: Access) {
        let good = |at: u32| search(generation, Addr4::from_bits(at), access) == Some(Addr4::from_bits(at));
        let is_legal = |at| tensor_start_addr_valid(generation, Addr4::from_bits(at), access).is_ok();
        for address in edge - 16..edge + 16 {
            let found = search(generation, Addr4::from_bits(address), access).map(Addr4::bits);
            let walked = (0..reach).find_map(|distance| {
                let below = address.checked_sub(distance).filter(|&at| good(at));
                below.or_else(|| Some(address + distance).filter(|&at| good(at)))
            });
            assert!(found.is_none_or(is_legal), "{address:#X} {access:?}");
            match (found, walked) {
                (Some(found), Some(walked)) => assert_eq!(found, walked, "{address:#X} {access:?}"),
                (Some(found), None) => assert!(found.abs_diff(address) >= reach),
                (None, walked) => assert_eq!(walked, None),
            }
        }
    }

    /// The walk above trusts the search to leave a good address alone; this says which those are.
    #[test]
    fn exactly_the_good_addresses_stay() {
        for generation in Generation::ALL {
            for address in (0..0x0280_0000).step_by(0x3FD) {
                let word = Addr4::from_bits(address);
                let access = Access::read(WireTag::new(6));
                let legal = tensor_start_addr_valid(generation, word, access).is_ok();
                assert_eq!(nearest_legal(generation, word, access) == Some(word), legal, "{word}");
                let backed = legal && lints(generation, word).is_empty();
                assert_eq!(nearest_backed(generation, word, access) == Some(word), backed, "{word}");
            }
        }
    }

    #[test]
    fn lints_are_mended_by_the_least_change() {
        let read = Access::read(WireTag::new(10));
        let mended = |bits, lint| without_lint(Generation::Gen3, Addr4::from_bits(bits), read, lint).map(Addr4::bits);
        assert_eq!(mended(0x6200_4000, Lint::DeadMode), Some(0x0200_4000));
        assert_eq!(mended(0x4200_4000, Lint::DeadMode), Some(0x4200_4000));
        assert_eq!(mended(0xFF00_0005, Lint::NoncanonicalRegister), Some(0xE000_0005));
        assert_eq!(mended(0x0003_FFFF, Lint::UnbackedSbuf), Some(0x0004_0000));
        assert_eq!(mended(0x0200_7FFF, Lint::PsumPad), Some(0x0200_8000));
        assert_eq!(mended(0x020C_4000, Lint::PsumPad), Some(0x020C_3FFC), "aligned for the access");
        let nowhere = Access { allow_psum: false, allow_sbuf: false, ..read };
        assert_eq!(without_lint(Generation::Gen3, Addr4::from_bits(0x0200_4000), nowhere, Lint::PsumPad), None);
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
