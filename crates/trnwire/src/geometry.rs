//! Sizes of the on-chip memories, per generation.
//!
//! Sizes are in bytes unless the name says otherwise. Sources: compiler book, header book, AWS
//! documentation, KLR; how many of them state an item stands with it, and where nothing stands, two or more do. What no
//! source tells is `None`.

use crate::arch::Generation;

/// Bits of a word that hold an address. Source: compiler book, header book.
pub const ADDRESS_MASK: u32 = 0x1FFF_FFFF;
/// Address registers that a word can name. Source: compiler book, header book, runtime book.
pub const ADDRESS_REGISTERS: u32 = 64;
/// Partitions of SBUF and of PSUM on gen2, gen3 and gen4. Source: compiler book, header book, AWS, KLR.
pub const PARTITIONS: u32 = 128;
/// Partitions of a quadrant; quadrants begin at 0, 32, 64 and 96. Source: header book, AWS, KLR, compiler book.
pub const QUADRANT_PARTITIONS: u32 = 32;

/// Bytes from one SBUF partition to the next, backed or not. Source: compiler book, header book.
pub const SBUF_STRIDE: u32 = 0x4_0000;
/// One past the last SBUF address; the region begins at 0. Source: compiler book, header book.
pub const SBUF_REGION_SIZE: u32 = PARTITIONS * SBUF_STRIDE;

/// First PSUM address. Source: compiler book, header book, runtime book.
pub const PSUM_BASE: u32 = 0x200_0000;
/// Bytes from one PSUM partition to the next; the upper half is pad. Source: compiler book, header book.
pub const PSUM_STRIDE: u32 = 0x8000;
/// Size of the PSUM window. Source: compiler book, header book, runtime book.
pub const PSUM_REGION_SIZE: u32 = PARTITIONS * PSUM_STRIDE;
/// Backed bytes of a PSUM partition. Source: compiler book, header book, AWS.
pub const PSUM_ACTIVE: u32 = PSUM_BANKS * PSUM_BANK_SIZE;
/// PSUM banks of a partition. The header book's gen2 page says 16 banks of 1024 bytes; 8 is adopted everywhere.
pub const PSUM_BANKS: u32 = 8;
/// Bytes of a PSUM bank in one partition (512 fp32 values). Source: compiler book, header book, AWS.
pub const PSUM_BANK_SIZE: u32 = 0x800;

/// What a generation's memories look like, as far as a source tells.
///
/// gen1 is here for explaining compiler messages only; it has no address words in this library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Geometry {
    /// `gen1` to `gen4`.
    pub name: &'static str,
    /// SBUF partitions.
    pub sbuf_partitions: u32,
    /// Backed bytes of an SBUF partition.
    pub sbuf_active: u32,
    /// Bytes from one SBUF partition to the next.
    pub sbuf_stride: u32,
    /// Bytes of each SBUF partition that the compiler keeps for itself. Source: compiler book alone.
    pub sbuf_compiler_reserved: u32,
    /// PSUM partitions.
    pub psum_partitions: u32,
    /// PSUM banks of a partition.
    pub psum_banks: u32,
    /// Bytes of a PSUM bank in one partition.
    pub psum_bank_size: u32,
    /// Bytes from one PSUM partition to the next; unknown for gen1.
    pub psum_stride: Option<u32>,
    /// Rows and columns of the PE array.
    pub pe_array: (u32, u32),
    /// HBM of one core in GiB. Source: compiler book alone.
    pub hbm_gib_per_core: u32,
}

impl Geometry {
    /// gen1 (Inferentia 1): compiler book alone; the address encoding is unknown.
    pub const GEN1: Self = Self {
        name: "gen1",
        sbuf_partitions: 128,
        sbuf_active: 0x1_8000,
        sbuf_stride: 0x2_0000,
        sbuf_compiler_reserved: 0x4000,
        psum_partitions: 64,
        psum_banks: 4,
        psum_bank_size: 2048,
        psum_stride: None,
        pe_array: (128, 64),
        hbm_gib_per_core: 16,
    };

    /// gen2 (Trainium 1, Inferentia 2).
    pub const GEN2: Self = Self {
        name: "gen2",
        sbuf_partitions: PARTITIONS,
        sbuf_active: 0x3_0000,
        sbuf_stride: SBUF_STRIDE,
        sbuf_compiler_reserved: 0x4000,
        psum_partitions: PARTITIONS,
        psum_banks: PSUM_BANKS,
        psum_bank_size: PSUM_BANK_SIZE,
        psum_stride: Some(PSUM_STRIDE),
        pe_array: (128, 128),
        hbm_gib_per_core: 16,
    };

    /// gen3 (Trainium 2).
    pub const GEN3: Self = Self {
        name: "gen3",
        sbuf_active: 0x3_8000,
        sbuf_compiler_reserved: 0x4008,
        hbm_gib_per_core: 24,
        ..Self::GEN2
    };

    /// gen4 (Trainium 3).
    pub const GEN4: Self = Self {
        name: "gen4",
        sbuf_active: 0x4_0000,
        sbuf_compiler_reserved: 0x4008,
        hbm_gib_per_core: 36,
        ..Self::GEN2
    };

    /// The geometry of a generation.
    #[must_use]
    #[inline]
    pub const fn of(generation: Generation) -> &'static Self {
        match generation {
            Generation::Gen2 => &Self::GEN2,
            Generation::Gen3 => &Self::GEN3,
            Generation::Gen4 => &Self::GEN4,
        }
    }

    /// Backed bytes of a PSUM partition.
    #[must_use]
    pub const fn psum_active(&self) -> u32 {
        self.psum_banks.saturating_mul(self.psum_bank_size)
    }

    /// Backed SBUF bytes of a whole core.
    #[must_use]
    pub const fn sbuf_total(&self) -> u32 {
        self.sbuf_partitions.saturating_mul(self.sbuf_active)
    }
}

/// The partitions at which an access to `count` partitions may start.
///
/// More than 64: only 0; 33 to 64: 0 or 64; 1 to 32: 0, 32, 64 or 96; outside 1..=128: none.
/// Source: AWS documentation; KLR allows the same four bases.
#[must_use]
pub const fn legal_start_partitions(count: i64) -> &'static [u32] {
    match count {
        1..=32 => &[0, 32, 64, 96],
        33..=64 => &[0, 64],
        65..=128 => &[0],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_are_those_that_aws_documents() {
        const MIB: u32 = 1 << 20;
        assert_eq!(Geometry::GEN1.sbuf_total(), 12 * MIB);
        assert_eq!(Geometry::of(Generation::Gen2).sbuf_total(), 24 * MIB);
        assert_eq!(Geometry::of(Generation::Gen3).sbuf_total(), 28 * MIB);
        assert_eq!(Geometry::of(Generation::Gen4).sbuf_total(), 32 * MIB);
        assert_eq!(Geometry::GEN1.psum_active(), 8 << 10);
        assert_eq!(PSUM_ACTIVE, 16 << 10);
    }

    #[test]
    fn regions_touch_and_do_not_overlap() {
        assert_eq!(SBUF_REGION_SIZE, PSUM_BASE);
        assert_eq!(PSUM_REGION_SIZE, 0x40_0000);
    }

    #[test]
    fn start_partitions_at_every_boundary() {
        assert!(legal_start_partitions(0).is_empty());
        assert_eq!(legal_start_partitions(1), [0, 32, 64, 96]);
        assert_eq!(legal_start_partitions(32), [0, 32, 64, 96]);
        assert_eq!(legal_start_partitions(33), [0, 64]);
        assert_eq!(legal_start_partitions(64), [0, 64]);
        assert_eq!(legal_start_partitions(65), [0]);
        assert_eq!(legal_start_partitions(128), [0]);
        assert!(legal_start_partitions(129).is_empty());
        assert!(legal_start_partitions(i64::MIN).is_empty());
    }
}
