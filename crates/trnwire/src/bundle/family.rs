//! Families of opcodes that share a layout: where the slots of their bodies lie.
//!
//! The header book's families switch their slots from TENSORnD to MEM_PATTERNnD at gen4, but for a few that never do.

use super::opcode::Opcode;
use crate::access::SlotType;
use crate::arch::Generation;
use crate::table::{Confidence, Evidence, Source};
use Declared::{Four, Three, Word};
use DtypePlace::{Byte, ByteSince, HighNibble, LowNibble};

/// Opcodes that share a layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Family {
    /// Its name in the sources.
    pub name: &'static str,
    /// Its opcodes, in the order of the sources.
    pub opcodes: &'static [u8],
    /// The first generation on which its layout is known.
    pub since: Generation,
    /// The slots whose place is known, in ascending order.
    pub slots: &'static [SlotFacts],
    /// What is not known of its slots, in words; empty when every place is known.
    pub unknown: &'static str,
    /// Bytes that sources read in two ways.
    pub disputes: &'static [Dispute],
    /// Who states the places of the slots.
    pub evidence: Evidence,
}

/// What is known about one slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotFacts {
    /// First byte in the bundle.
    pub offset: u8,
    /// Its type.
    pub declared: Declared,
    /// What the operand is to the instruction, where that is known.
    pub role: Option<&'static str>,
    /// How the operand may be placed, where that is known.
    pub flags: Option<Flags>,
    /// Where the type of its elements stands.
    pub dtype: DtypePlace,
    /// What is asked of the slot besides.
    pub check: SlotCheck,
}

/// The type of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Declared {
    /// TENSOR3D; MEM_PATTERN3D from gen4 on.
    Three,
    /// TENSOR4D; MEM_PATTERN4D from gen4 on.
    Four,
    /// The same on every generation.
    Always(SlotType),
    /// An address word and nothing behind it.
    Word,
}

/// How an operand may be placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flags {
    /// It is written.
    pub write: bool,
    /// It may lie in PSUM.
    pub allow_psum: bool,
    /// It may lie in SBUF.
    pub allow_sbuf: bool,
    /// This project's own reasoning, not a source's.
    pub inferred: bool,
}

/// Where the wire tag of a slot's elements stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DtypePlace {
    /// Not known.
    Unknown,
    /// A byte of the bundle.
    Byte(u8),
    /// A byte of the bundle, from a generation on; not known before.
    ByteSince(Generation, u8),
    /// The low four bits of a byte (inferred: the first name of a pair is the low nibble).
    LowNibble(u8),
    /// The high four bits of a byte.
    HighNibble(u8),
}

/// What is asked of a slot besides its validator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotCheck {
    /// Nothing.
    None,
    /// It must hold a gather.
    MustBeIndirect,
    /// It is the destination of a matmul: on gen4 with dtype 6 another validator judges it.
    MatmulDestination,
}

/// A byte that two sources read differently. Nothing is decided by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dispute {
    /// The byte in the bundle.
    pub offset: u8,
    /// Both readings, in words.
    pub readings: &'static str,
    /// The last generation on which it is disputed.
    pub until: Generation,
}

impl Family {
    /// Every family.
    #[must_use]
    pub const fn all() -> &'static [Self] {
        &FAMILIES
    }

    /// The family of an opcode on a generation. An opcode that the generation does not have has none.
    #[must_use]
    #[inline]
    pub fn of(generation: Generation, opcode: Opcode) -> Option<&'static Self> {
        let [gen2, gen3, gen4] = &INDEX;
        let index = match generation {
            Generation::Gen2 => gen2,
            Generation::Gen3 => gen3,
            Generation::Gen4 => gen4,
        };
        FAMILIES.get(usize::from(*index.get(usize::from(opcode.get()))?))
    }

    /// The disputed bytes on a generation, ascending.
    pub fn disputes(&self, generation: Generation) -> impl Iterator<Item = &'static Dispute> {
        self.disputes.iter().filter(move |dispute| generation <= dispute.until)
    }
}

impl SlotFacts {
    /// The type of the slot on a generation; `None` for a bare address word.
    #[must_use]
    #[inline]
    pub const fn slot_type(&self, generation: Generation) -> Option<SlotType> {
        match (self.declared, generation) {
            (Three, Generation::Gen4) => Some(SlotType::MemPattern3d),
            (Four, Generation::Gen4) => Some(SlotType::MemPattern4d),
            (Three, _) => Some(SlotType::Tensor3d),
            (Four, _) => Some(SlotType::Tensor4d),
            (Declared::Always(slot), _) => Some(slot),
            (Word, _) => None,
        }
    }
}

const MX: Declared = Declared::Always(SlotType::MxMemPattern1d);
const TENSOR1D: Declared = Declared::Always(SlotType::Tensor1d);
const TENSOR2D: Declared = Declared::Always(SlotType::Tensor2d);
const TENSOR4D: Declared = Declared::Always(SlotType::Tensor4d);
const MEM_PATTERN4D: Declared = Declared::Always(SlotType::MemPattern4d);

const fn slot(offset: u8, declared: Declared, role: &'static str) -> SlotFacts {
    let role = if role.is_empty() { None } else { Some(role) };
    SlotFacts { offset, declared, role, flags: None, dtype: DtypePlace::Unknown, check: SlotCheck::None }
}

impl SlotFacts {
    const fn reads(self, allow_psum: u8, allow_sbuf: u8) -> Self {
        self.placed(false, allow_psum, allow_sbuf)
    }

    const fn writes(self, allow_psum: u8, allow_sbuf: u8) -> Self {
        self.placed(true, allow_psum, allow_sbuf)
    }

    const fn placed(self, write: bool, allow_psum: u8, allow_sbuf: u8) -> Self {
        let (allow_psum, allow_sbuf) = (allow_psum != 0, allow_sbuf != 0);
        Self { flags: Some(Flags { write, allow_psum, allow_sbuf, inferred: false }), ..self }
    }

    /// The flags are this project's own reasoning.
    const fn inferred(self) -> Self {
        match self.flags {
            Some(flags) => Self { flags: Some(Flags { inferred: true, ..flags }), ..self },
            None => self,
        }
    }

    const fn of(self, dtype: DtypePlace) -> Self {
        Self { dtype, ..self }
    }

    const fn but(self, check: SlotCheck) -> Self {
        Self { check, ..self }
    }
}

const NOTHING: Evidence = Evidence::stated(&[]);
const BOTH: Evidence = Evidence::stated(&[Source::CompilerBook, Source::HeaderBook]);
const HEADER: Evidence = Evidence::stated(&[Source::HeaderBook]);
const COMPILER: Evidence = Evidence::stated(&[Source::CompilerBook]);

const BLANK: Family = Family {
    name: "",
    opcodes: &[],
    since: Generation::Gen2,
    slots: &[],
    unknown: "",
    disputes: &[],
    evidence: NOTHING,
};

const fn disputed(offset: u8, readings: &'static str) -> Dispute {
    Dispute { offset, readings, until: Generation::Gen4 }
}

const MATMUL_DISPUTES: [Dispute; 3] = [
    disputed(33, "header book: fp32_mode; compiler book: perf selector"),
    Dispute {
        until: Generation::Gen3,
        ..disputed(35, "header book: perf_opt; compiler book: dtype of the destination")
    },
    disputed(43, "accumulate flags; header book: 0 to 3 are legal; compiler book: 4 and 6, too"),
];

const TENSOR_TENSOR_DISPUTES: [Dispute; 3] = [
    disputed(16, "role of the slot; header book: src0; compiler book: dst"),
    disputed(32, "role of the slot; header book: src1; compiler book: in0"),
    disputed(48, "role of the slot; header book: dst; compiler book: in1"),
];

/// Every family. Slots of an `offset, type, role`; `reads` and `writes` say whether PSUM and SBUF are allowed.
#[rustfmt::skip]
const FAMILIES: [Family; 38] = [
    Family { name: "S4D4_TR", opcodes: &[0x42, 0x52, 0x83, 0x84, 0x4E, 0x5E, 0x46, 0x47, 0x48, 0x6A, 0x6B], evidence: BOTH, slots: &[
        slot(12, Four, "src").reads(1, 1).of(Byte(32)),
        slot(44, Four, "dst").writes(1, 1).of(Byte(33)),
    ], ..BLANK },
    Family { name: "S4D4_PL", opcodes: &[0x45, 0x58], evidence: BOTH, slots: &[
        slot(12, TENSOR4D, "src").reads(1, 1).of(Byte(32)),
        slot(44, TENSOR4D, "dst").of(Byte(33)),
    ], ..BLANK },
    Family { name: "S4D4_CR", opcodes: &[0x7C, 0x7D], evidence: HEADER, slots: &[
        slot(12, TENSOR4D, "src").reads(0, 1).of(Byte(32)),
        slot(44, TENSOR4D, "dst").writes(0, 1).of(Byte(33)),
    ], ..BLANK },
    Family { name: "S4D4_GT", opcodes: &[0x68], evidence: HEADER, slots: &[
        slot(12, Four, "index").of(Byte(32)),
        slot(44, Four, "dst").of(Byte(33)),
    ], ..BLANK },
    Family { name: "S4D4_IC", opcodes: &[0xE7], evidence: HEADER, slots: &[
        slot(12, MEM_PATTERN4D, "src").reads(0, 1).inferred().of(Byte(32)).but(SlotCheck::MustBeIndirect),
        slot(44, MEM_PATTERN4D, "dst").of(Byte(33)),
    ], ..BLANK },
    Family { name: "S4D4_TSM", opcodes: &[0x4F, 0x5F, 0x87, 0x88], unknown: "two 4-D slots, presumably at 12 and 44", evidence: NOTHING.but(Confidence::Inferred), ..BLANK },
    Family { name: "S3D3_MM", opcodes: &[0x02], evidence: BOTH, disputes: &MATMUL_DISPUTES, slots: &[
        slot(16, Three, "moving").reads(0, 1).of(Byte(32)),
        slot(48, Three, "dst").writes(1, 0).of(ByteSince(Generation::Gen3, 40)).but(SlotCheck::MatmulDestination),
    ], ..BLANK },
    Family { name: "S3_LW", opcodes: &[0x01], evidence: BOTH, slots: &[
        slot(16, Three, "weights").reads(0, 1).of(Byte(32)),
    ], ..BLANK },
    Family { name: "SMX1D3_MM", opcodes: &[0x0A], evidence: BOTH, slots: &[
        slot(16, MX, "src").reads(0, 1).inferred().of(Byte(32)),
        slot(48, Three, "dst").writes(1, 0).inferred().of(Byte(40)).but(SlotCheck::MatmulDestination),
    ], ..BLANK },
    Family { name: "SMX1_LW", opcodes: &[0x09], evidence: BOTH, slots: &[
        slot(16, MX, "src").reads(0, 1).inferred().of(Byte(32)),
    ], ..BLANK },
    Family { name: "S3DMX1_QUANT", opcodes: &[0xE3], evidence: BOTH,
        disputes: &[disputed(1, "compiler book: 0x11 with saturation; runtime book: 0x10 only")], slots: &[
        slot(16, Three, "src").reads(0, 1).of(Byte(34)),
        slot(48, MX, "dst").writes(0, 1).inferred().of(Byte(35)),
    ], ..BLANK },
    Family { name: "S4D3_MM", opcodes: &[0x07], unknown: "a 4-D source and a 3-D destination", evidence: HEADER, ..BLANK },
    Family { name: "S3D3_AC", opcodes: &[0x21], evidence: BOTH, slots: &[
        slot(16, Three, "src").reads(1, 1).of(LowNibble(32)),
        slot(48, Three, "dst").writes(1, 1).of(Byte(33)),
    ], ..BLANK },
    Family { name: "S3D3_AQ", opcodes: &[0x22], evidence: HEADER, slots: &[
        slot(16, Three, "src").of(LowNibble(32)),
        slot(48, Three, "dst").writes(1, 1).of(Byte(33)),
    ], ..BLANK },
    Family { name: "S3D3_TS", opcodes: &[0x43, 0x53, 0x44, 0x54, 0x93, 0x9A, 0xE6, 0x30], evidence: BOTH, slots: &[
        slot(16, Three, "src").reads(1, 1).of(Byte(32)),
        slot(48, Three, "dst").writes(1, 1).of(Byte(33)),
    ], ..BLANK },
    Family { name: "S3S3D3_TT", opcodes: &[0x41, 0x51, 0x72, 0x99], evidence: BOTH, disputes: &TENSOR_TENSOR_DISPUTES, slots: &[
        slot(16, Three, "src0").of(LowNibble(12)),
        slot(32, Three, "src1").of(HighNibble(12)),
        slot(48, Three, "dst").of(Byte(13)),
    ], ..BLANK },
    Family { name: "S3D3_COLLECTIVE", opcodes: &[0xBF], evidence: HEADER, slots: &[
        slot(16, Three, "src").reads(0, 1).of(Byte(12)),
        slot(48, Three, "dst").writes(0, 1).of(Byte(13)),
    ], ..BLANK },
    // gen2 declares the opcode without a body.
    Family { name: "S3D3_TENS_DEQUANT", opcodes: &[0x7B], since: Generation::Gen3, evidence: HEADER, slots: &[
        slot(12, Three, "src").reads(0, 1).of(Byte(32)),
        slot(44, Three, "dst").writes(0, 1).of(Byte(33)),
    ], ..BLANK },
    Family { name: "D3_RAND", opcodes: &[0xE2], evidence: COMPILER, slots: &[slot(48, Three, "dst")], ..BLANK },
    Family { name: "BN_STATS", opcodes: &[0x61, 0x82], evidence: COMPILER, slots: &[
        slot(12, Four, "in"),
        slot(48, TENSOR2D, "out"),
    ], ..BLANK },
    Family { name: "IOTA", opcodes: &[0x7E], evidence: COMPILER, slots: &[slot(44, Four, "dst").writes(1, 1)], ..BLANK },
    Family { name: "MEMSET", opcodes: &[0x49], evidence: COMPILER, slots: &[slot(44, TENSOR1D, "dst")], ..BLANK },
    Family { name: "SPARSITY_COMPRESS", opcodes: &[0xE0], unknown: "other slots than the destination", evidence: COMPILER, slots: &[
        slot(16, Three, "dst").of(Byte(12)),
    ], ..BLANK },
    Family { name: "DMA_INDIRECT1D", opcodes: &[0xBB], evidence: HEADER, slots: &[
        slot(48, Word, "src_index"),
        slot(52, Word, "dst_index"),
    ], ..BLANK },
    Family { name: "DMA_GATHER_XPOSE", opcodes: &[0xF1], evidence: HEADER, slots: &[slot(36, Word, "index")], ..BLANK },
    // Only 8-byte addresses, which are no slots.
    Family { name: "DMA_DIRECT2D", opcodes: &[0xB8, 0xD4], evidence: HEADER, ..BLANK },
    Family { name: "EMBEDDING_UPDATE", opcodes: &[0xCA], evidence: HEADER, slots: &[
        slot(16, TENSOR1D, ""),
        slot(24, TENSOR2D, ""),
        slot(36, TENSOR1D, ""),
        slot(56, Word, ""),
    ], ..BLANK },
    Family { name: "CTRL_NO", opcodes: &[0x23, 0xA1, 0xA2, 0xA3, 0xA4, 0xA6], evidence: HEADER, ..BLANK },
    Family { name: "SP", opcodes: &[0xA0, 0xA9], evidence: COMPILER, ..BLANK },
    Family { name: "D1_RD", opcodes: &[0x24, 0x9B], unknown: "a 1-D destination", evidence: HEADER, ..BLANK },
    Family { name: "S2D2_AC", opcodes: &[0x25], unknown: "a 2-D source and destination", evidence: HEADER, ..BLANK },
    Family { name: "S2S2D2_STT", opcodes: &[0x9D, 0x9E, 0xE5, 0xEA], unknown: "three 2-D slots", evidence: HEADER, ..BLANK },
    Family { name: "S2D2_RS", opcodes: &[0xBC], unknown: "a 2-D source and destination", evidence: HEADER, ..BLANK },
    Family { name: "S2D2_TS_AS", opcodes: &[0x92], unknown: "a 2-D source and destination", evidence: HEADER, ..BLANK },
    Family { name: "S3S3D1_BN", opcodes: &[0x63], unknown: "two 3-D slots and a 1-D one", evidence: HEADER, ..BLANK },
    Family { name: "S3S3D1_BN2", opcodes: &[0x94], unknown: "two 3-D slots and a 1-D one", evidence: HEADER, ..BLANK },
    Family { name: "S2_BN", opcodes: &[0x64, 0x6D, 0x70, 0x71], unknown: "a 2-D source", evidence: HEADER, ..BLANK },
    Family { name: "S3D3_CP_PRED_SCALAR", opcodes: &[0xE8], unknown: "a 3-D predicate and destination", evidence: HEADER, ..BLANK },
];

/// Marks an opcode that has no family.
const NONE: u8 = u8::MAX;

/// Where the family of each opcode stands in [`FAMILIES`], on each generation.
const INDEX: [[u8; 256]; 3] = [index_on(Generation::Gen2), index_on(Generation::Gen3), index_on(Generation::Gen4)];

const fn index_on(generation: Generation) -> [u8; 256] {
    let mut index = [NONE; 256];
    let mut rest: &[Family] = &FAMILIES;
    let mut position = 0_u8;
    while let [family, tail @ ..] = rest {
        let mut opcodes = family.opcodes;
        while let [opcode, more @ ..] = opcodes {
            let has_layout = generation.arch_level() >= family.since.arch_level();
            if has_layout && matches!(Opcode::new(*opcode).is_on(generation), Some(true)) {
                #[expect(clippy::indexing_slicing, clippy::as_conversions, reason = "a constant; 8 bits are below 256")]
                {
                    assert!(index[*opcode as usize] == NONE, "an opcode has two families");
                    index[*opcode as usize] = position;
                }
            }
            opcodes = more;
        }
        position = position.saturating_add(1);
        rest = tail;
    }
    index
}
