//! Opcodes: the first byte of a bundle, and which generations have it.
//!
//! Source: header book; the compiler book's table of names agrees on every shared value. gen5, which is no `Generation`,
//! adds 26, B6, B9, BA, F3 and F4.

use core::fmt;

use crate::arch::Generation;

/// The first byte of a bundle. Any value can occur; not every one has a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Opcode(u8);

/// What is known about one opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpcodeFacts {
    /// The value.
    pub value: u8,
    /// Its name. A pseudo opcode can share it with one of the device; the value tells them apart.
    pub name: &'static str,
    /// The generations that have it.
    pub on: Availability,
}

/// The generations that have an opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Availability {
    /// From this one on.
    From(Generation),
    /// Only gen2.
    Gen2Only,
    /// Not known: a single source names it and does not say.
    Unknown,
}

const fn all(value: u8, name: &'static str) -> OpcodeFacts {
    OpcodeFacts { value, name, on: Availability::From(Generation::Gen2) }
}

const fn from3(value: u8, name: &'static str) -> OpcodeFacts {
    OpcodeFacts { value, name, on: Availability::From(Generation::Gen3) }
}

const fn from4(value: u8, name: &'static str) -> OpcodeFacts {
    OpcodeFacts { value, name, on: Availability::From(Generation::Gen4) }
}

const fn only2(value: u8, name: &'static str) -> OpcodeFacts {
    OpcodeFacts { value, name, on: Availability::Gen2Only }
}

/// The compiler book alone.
const fn one_source(value: u8, name: &'static str) -> OpcodeFacts {
    OpcodeFacts { value, name, on: Availability::Unknown }
}

/// Every opcode, in ascending order.
#[rustfmt::skip]
const OPCODES: [OpcodeFacts; 168] = [
    all(0x01, "LDWEIGHTS"),
    all(0x02, "MATMUL"),
    all(0x03, "PE_REG_WRITE"),
    all(0x04, "WEIGHT_MASK"),
    all(0x05, "WEIGHT_SHIFT"),
    from3(0x06, "LDTAGS"),
    from3(0x07, "MATMUL_SPARSE"),
    from4(0x08, "PE_MANAGE_SEED"),
    from4(0x09, "LDWEIGHTS_MX"),
    from4(0x0A, "MATMUL_MX"),
    all(0x21, "ACTIVATE"),
    all(0x22, "ACTIVATE_QUANTIZE"),
    all(0x23, "ACTIVATION_TABLE_LOAD"),
    all(0x24, "ACTIVATION_READ_ACCUMULATOR"),
    from4(0x25, "ACTIVATE2"),
    all(0x30, "EXPONENTIAL"),
    all(0x41, "TENSOR_TENSOR_ARITH"),
    all(0x42, "TENSOR_REDUCE_ARITH"),
    all(0x43, "TENSOR_SCALAR_ARITH"),
    all(0x44, "TENSOR_SCALAR_PTR_ARITH"),
    all(0x45, "POOL"),
    all(0x46, "COPY"),
    all(0x47, "CAST"),
    all(0x48, "RECIPROCAL"),
    all(0x49, "MEMSET"),
    all(0x4A, "REG_LOAD"),
    all(0x4B, "REG_STORE"),
    all(0x4C, "REG_SHUFFLE"),
    all(0x4D, "RNG"),
    all(0x4E, "TENSOR_CUMULATIVE_ARITH"),
    all(0x4F, "TENSOR_SCALAR_PTR_MULTI_ARITH"),
    all(0x51, "TENSOR_TENSOR_BITVEC"),
    all(0x52, "TENSOR_REDUCE_BITVEC"),
    all(0x53, "TENSOR_SCALAR_BITVEC"),
    all(0x54, "TENSOR_SCALAR_PTR_BITVEC"),
    all(0x58, "MAX_POOL_SELECT"),
    all(0x5E, "TENSOR_CUMULATIVE_BITVEC"),
    all(0x5F, "TENSOR_SCALAR_PTR_MULTI_BITVEC"),
    all(0x60, "BATCH_NORM_STATS"),
    all(0x61, "BATCH_NORM_STATS2"),
    all(0x62, "BATCH_NORM_AGGREGATE"),
    all(0x63, "BATCH_NORM_GRAD_ACCUMULATE"),
    all(0x64, "BATCH_NORM_PARAM_LOAD"),
    all(0x65, "BATCH_NORM_BACK_PROP"),
    all(0x66, "LOAD_PARAMETER_RAM"),
    all(0x67, "POOL_BUFFER_LOAD"),
    all(0x68, "GATHER"),
    all(0x69, "LOAD_MASK_SELECT"),
    all(0x6A, "STREAM_SHUFFLE"),
    all(0x6B, "STREAM_TRANSPOSE"),
    all(0x6C, "MAX8"),
    all(0x6D, "MATCH_VALUE_LOAD"),
    all(0x6E, "FIND_INDEX8"),
    all(0x6F, "MATCH_REPLACE8"),
    all(0x70, "TENSOR_SCALAR_IMM_LD_ARITH"),
    all(0x71, "TENSOR_SCALAR_IMM_LD_BITVEC"),
    all(0x72, "COPY_PREDICATED"),
    all(0x73, "ROI_ALIGN"),
    all(0x74, "TENSOR_SCALAR_ADDR"),
    all(0x76, "RAND"),
    all(0x77, "RAND_GET_STATE"),
    all(0x78, "RAND_SET_STATE"),
    all(0x79, "EMBEDDING_UPDATE"),
    all(0x7A, "LOAD_POOL_ARGUMENT"),
    all(0x7B, "TENSOR_DEQUANTIZE"),
    all(0x7C, "CROSS_LANE_REDUCE_ARITH"),
    all(0x7D, "CROSS_LANE_REDUCE_BITVEC"),
    all(0x7E, "IOTA"),
    all(0x7F, "DROPOUT"),
    from3(0x81, "JPEG_DECODE"),
    all(0x82, "TRANSPOSE_BATCH_NORM_STATS2"),
    all(0x83, "TRANSPOSE_TENSOR_REDUCE_ARITH"),
    all(0x84, "TRANSPOSE_TENSOR_REDUCE_BITVEC"),
    all(0x85, "CUSTOM_OP_HEADER"),
    all(0x86, "CUSTOM_OP_PAYLOAD"),
    only2(0x87, "TENSOR_SCALAR_PTR_MULTI_DUAL_ARITH"),
    only2(0x88, "TENSOR_SCALAR_PTR_MULTI_DUAL_BITVEC"),
    only2(0x8A, "TENSOR_TENSOR_ADD_BF16"),
    only2(0x8B, "TENSOR_TENSOR_MULT_BF16"),
    only2(0x8C, "TENSOR_REDUCE_ADD_BF16"),
    only2(0x8D, "TENSOR_REDUCE_MAX_BF16"),
    all(0x8E, "BATCH_NORM_PARAM_LOAD2"),
    only2(0x8F, "TENSOR_TENSOR_SUB_BF16"),
    all(0x92, "TENSOR_SCALAR_AFFINE_SELECT"),
    all(0x93, "TRANSPOSE_TENSOR_SCALAR_ARITH"),
    all(0x94, "BATCH_NORM_GRAD_ACCUMULATE2"),
    all(0x95, "MODIFY_POOL_CONFIG"),
    all(0x96, "SORT"),
    all(0x98, "TENSOR_SCALAR_SELECT"),
    all(0x99, "CAST_PREDICATED"),
    all(0x9A, "TENSOR_SCALAR_CACHE_REDUCE"),
    all(0x9B, "DVE_READ_ACCUMULATOR"),
    all(0x9C, "TENSOR_REDUCE_RANGE_CHECK"),
    all(0x9D, "SCALAR_TENSOR_TENSOR_ARITH"),
    all(0x9E, "SCALAR_TENSOR_TENSOR_BITVEC"),
    all(0x9F, "ENGINE_NOP"),
    all(0xA0, "EVENT_SEMAPHORE"),
    all(0xA1, "HALT"),
    all(0xA2, "DRAIN"),
    all(0xA3, "INSTRUCTION_FLUSH"),
    all(0xA4, "NOP"),
    all(0xA5, "WRITE"),
    all(0xA6, "NOTIFY"),
    all(0xA7, "MOVE"),
    all(0xA8, "ALU_OP"),
    all(0xA9, "COMPARE_BRANCH"),
    all(0xAA, "TENSOR_LOAD"),
    all(0xAB, "TENSOR_STORE"),
    all(0xB0, "EVENT_SEMAPHORE_RANGE_CLEAR"),
    all(0xB1, "SET_ORDERING_MODE"),
    all(0xB2, "MOVE_SHAPE"),
    all(0xB3, "POLL_SEM"),
    from4(0xB4, "TEST_EVENT_SEM"),
    all(0xB5, "BRANCH_PREFETCH_HINT"),
    one_source(0xB7, "UcodeConfig"),
    all(0xB8, "DMAMEMCPY"),
    all(0xBB, "DMA_INDIRECT"),
    from3(0xBC, "RANGE_SELECT"),
    from3(0xBD, "DMA_TRANSPOSE"),
    from3(0xBE, "GET_SEQUENCE_BOUNDS"),
    from3(0xBF, "SB2SB_COLLECTIVE"),
    all(0xC1, "DMATRIGGER"),
    all(0xC2, "DMAREARM"),
    all(0xC3, "DMABARRIER"),
    all(0xC4, "DMAMEMCPY_FULL_IND"),
    all(0xC5, "SEMAPHORE_SET"),
    all(0xC6, "LOAD_ACT_FUNC_SET"),
    all(0xC7, "TRIGGER_ALL_REDUCE"),
    all(0xC8, "TRIGGER_COLLECTIVE"),
    all(0xC9, "READ_VAR_ADDR"),
    all(0xCA, "EMBEDDING_UPDATE"),
    all(0xCB, "SEND_RECV"),
    all(0xCC, "BRANCH_LABEL"),
    all(0xCD, "TENSOR_STORE"),
    all(0xCE, "TENSOR_LOAD"),
    all(0xCF, "DMASWAP_QUEUE_SET"),
    all(0xD0, "SET_RNG_SEED"),
    all(0xD1, "FUNCTION_BEGIN"),
    all(0xD2, "FUNCTION_RETURN"),
    all(0xD3, "FUNCTION_CALL"),
    all(0xD4, "DMA_DIRECT2D"),
    all(0xD5, "SYNC_BARRIER"),
    all(0xD6, "RANGE_CHECK"),
    from3(0xD7, "JPEG_DECODE"),
    all(0xD8, "CORE_BARRIER"),
    all(0xD9, "TRIGGER_COLLECTIVE2"),
    all(0xDA, "EXTENSION"),
    all(0xDB, "CUR_PROCESSING_RANK_ID"),
    all(0xDC, "GID_LOAD"),
    all(0xDD, "BRANCH_PREFETCH_HINT"),
    all(0xDE, "TENSOR_COMPLETION"),
    all(0xDF, "INST"),
    from4(0xE0, "SPARSITY_COMPRESS"),
    from4(0xE1, "SPARSITY_COMPRESS_TAG"),
    from4(0xE2, "RAND2"),
    from4(0xE3, "QUANTIZE_MX"),
    from3(0xE4, "CONV_LUT_LOAD"),
    all(0xE5, "TENSOR_TENSOR_SCAN_ARITH"),
    all(0xE6, "TENSOR_SCALAR_CACHE_CUMULATIVE"),
    all(0xE7, "INDIRECT_COPY"),
    all(0xE8, "COPY_PREDICATED_SCALAR"),
    from3(0xE9, "DVE_READ_INDICES"),
    all(0xEA, "SELECT_REDUCE"),
    one_source(0xEB, "Hint"),
    all(0xF0, "EXTENDED_INST"),
    from3(0xF1, "DMA_GATHER_TRANSPOSE"),
    from3(0xF2, "NONZERO_WITH_COUNT"),
    all(0xFF, "INVALID"),
];

/// The facts of each value.
const FACTS: [Option<&OpcodeFacts>; 256] = {
    let mut all = [None; 256];
    let mut rest: &'static [OpcodeFacts] = &OPCODES;
    while let [facts, tail @ ..] = rest {
        #[expect(clippy::indexing_slicing, clippy::as_conversions, reason = "a constant; 8 bits are below 256")]
        {
            assert!(all[facts.value as usize].is_none(), "an opcode stands twice in the table");
            all[facts.value as usize] = Some(facts);
        }
        rest = tail;
    }
    all
};

impl Opcode {
    /// The opcode with this value.
    #[must_use]
    #[inline]
    pub const fn new(value: u8) -> Self {
        Self(value)
    }

    /// The value.
    #[must_use]
    #[inline]
    pub const fn get(self) -> u8 {
        self.0
    }

    /// Every opcode that is known, in ascending order.
    #[must_use]
    pub const fn all() -> &'static [OpcodeFacts] {
        &OPCODES
    }

    /// What is known about it; `None` for an unassigned value.
    #[must_use]
    #[inline]
    pub const fn facts(self) -> Option<&'static OpcodeFacts> {
        #[expect(clippy::indexing_slicing, clippy::as_conversions, reason = "8 bits are below 256")]
        FACTS[self.0 as usize]
    }

    /// Whether a generation has it; `None` where that is not known.
    #[must_use]
    #[inline]
    pub const fn is_on(self, generation: Generation) -> Option<bool> {
        match self.facts() {
            Some(facts) => facts.is_on(generation),
            None => Some(false),
        }
    }

    /// Whether it is lowered before the device sees it: C0 to DF.
    #[must_use]
    #[inline]
    pub const fn is_pseudo(self) -> bool {
        self.0 >> 5 == 0b110
    }
}

impl OpcodeFacts {
    /// The first generation that has it, where that is known.
    #[must_use]
    pub const fn first_generation(&self) -> Option<Generation> {
        match self.on {
            Availability::From(generation) => Some(generation),
            Availability::Gen2Only => Some(Generation::Gen2),
            Availability::Unknown => None,
        }
    }

    /// Whether a generation has it; `None` where that is not known.
    #[must_use]
    #[inline]
    pub const fn is_on(&self, generation: Generation) -> Option<bool> {
        match self.on {
            Availability::From(first) => Some(generation.arch_level() >= first.arch_level()),
            Availability::Gen2Only => Some(matches!(generation, Generation::Gen2)),
            Availability::Unknown => None,
        }
    }
}

/// `0x02 (MATMUL)`; an unassigned value is the number alone.
impl fmt::Display for Opcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.facts() {
            Some(facts) => write!(f, "{:#04X} ({})", self.0, facts.name),
            None => write!(f, "{:#04X}", self.0),
        }
    }
}
