//! The library's own validators of descriptors, bit for bit. The first rule that fails gives the reason.

use core::fmt;

use super::indirect::Indirect;
use super::mx::{MxIndirect16, MxTensor1d};
use super::pattern::Pattern;
use super::slot::SlotType;
use super::tensor::Tensor;
use crate::addr4::codes;
use crate::addr4::{
    self, Access, Addr4, Mode, Region, addr_aligned_dtype, register_word_valid, same_sbuf_quadrant,
    tensor_start_addr_valid,
};
use crate::arch::Generation;
use crate::dtype::WireTag;
use crate::geometry::ADDRESS_MASK;

codes! {
    /// Which word of a descriptor a [`Reason`] is about. The code is the key of the word in a request.
    pub enum Word {
        /// The only one of a tensor.
        Start = "addr",
        /// The indices of a gather.
        Index = "index",
        /// The data of a gather or an MX record.
        Data = "data",
        /// The scales of an MX record.
        Scale = "scale",
    }
}

impl Word {
    /// What stands before the reason in its code: `index:`, `data:`, `scale:`, nothing for a start address.
    #[must_use]
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Start => "",
            Self::Index => "index:",
            Self::Data => "data:",
            Self::Scale => "scale:",
        }
    }
}

/// Why a validator rejects a descriptor. Displayed as its code: `zero_num`, `data:misaligned`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// One of its words is rejected.
    Word(Word, addr4::Reason),
    /// The descriptor or the check does not exist on this generation.
    UnsupportedOnArch,
    /// Mode 0b11, which nothing emits (adopted).
    DeadMode,
    /// A gather in a slot that is declared as a tensor (adopted).
    IndirectInTensor,
    /// A loop without a round, a gather without an index, or an extent of zero.
    ZeroNum,
    /// The data word of a gather has a set bit among bits 31:29.
    DataFlags,
    /// The direction of an MX record is neither 1 nor -1.
    StepDirection,
    /// The scale partition of an MX record is none of 0, 4, 8 and 12.
    ScalePartition,
    /// Index and data of a gather do not lie in the first partition of one quadrant.
    NotSameQuadrant,
    /// A matmul destination outside PSUM.
    NotPsum,
    /// A matmul destination of a dtype that matmul does not write.
    MatmulDestinationDtype,
    /// An operand in neither memory.
    NotOnChip,
    /// Both sources of a tensor-tensor instruction in PSUM.
    BothPsum,
}

impl Reason {
    /// The reasons that are not about one word, in the order of the enum.
    const OTHERS: [Self; 12] = [
        Self::UnsupportedOnArch,
        Self::DeadMode,
        Self::IndirectInTensor,
        Self::ZeroNum,
        Self::DataFlags,
        Self::StepDirection,
        Self::ScalePartition,
        Self::NotSameQuadrant,
        Self::NotPsum,
        Self::MatmulDestinationDtype,
        Self::NotOnChip,
        Self::BothPsum,
    ];

    /// How many there are.
    pub const COUNT: usize = Word::ALL.len() * addr4::Reason::ALL.len() + Self::OTHERS.len();

    /// Every reason, in ascending order.
    pub fn all() -> impl Iterator<Item = Self> {
        let of_word = |&word: &Word| addr4::Reason::ALL.iter().map(move |&reason| Self::Word(word, reason));
        Word::ALL.iter().flat_map(of_word).chain(Self::OTHERS)
    }

    /// Its place in [`Reason::all`].
    #[must_use]
    pub const fn index(self) -> usize {
        const OTHERS: usize = Word::ALL.len() * addr4::Reason::ALL.len();
        let other: usize = match self {
            Self::Word(word, reason) => {
                return word.index().saturating_mul(addr4::Reason::ALL.len()).saturating_add(reason.index());
            }
            Self::UnsupportedOnArch => 0,
            Self::DeadMode => 1,
            Self::IndirectInTensor => 2,
            Self::ZeroNum => 3,
            Self::DataFlags => 4,
            Self::StepDirection => 5,
            Self::ScalePartition => 6,
            Self::NotSameQuadrant => 7,
            Self::NotPsum => 8,
            Self::MatmulDestinationDtype => 9,
            Self::NotOnChip => 10,
            Self::BothPsum => 11,
        };
        OTHERS.saturating_add(other)
    }

    /// The code without the prefix of the word that it is about.
    #[must_use]
    pub const fn bare_code(self) -> &'static str {
        match self {
            Self::Word(_, reason) => reason.code(),
            Self::UnsupportedOnArch => "unsupported_on_arch",
            Self::DeadMode => "dead_mode",
            Self::IndirectInTensor => "indirect_in_tensor",
            Self::ZeroNum => "zero_num",
            Self::DataFlags => "data_flags",
            Self::StepDirection => "step_dir",
            Self::ScalePartition => "scale_part",
            Self::NotSameQuadrant => "not_same_quadrant",
            Self::NotPsum => "not_psum",
            Self::MatmulDestinationDtype => "mm_dst_dtype",
            Self::NotOnChip => "not_on_chip",
            Self::BothPsum => "both_psum",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Self::Word(word, _) = self {
            f.write_str(word.prefix())?;
        }
        f.write_str(self.bare_code())
    }
}

impl core::error::Error for Reason {}

/// The validator of a slot's type: `tensorNd_valid`, `memNd_valid` or `mxmem1d_valid`.
///
/// # Errors
/// The [`Reason`] of the first rule that fails.
#[inline]
pub fn validate(generation: Generation, slot: SlotType, pattern: &Pattern<'_>, access: Access) -> Result<(), Reason> {
    match pattern {
        Pattern::Tensor(tensor) => tensor_valid(generation, tensor, access),
        Pattern::Indirect(gather) if slot.is_mem_pattern() => gather_valid(generation, gather, access),
        Pattern::Indirect(_) => Err(Reason::IndirectInTensor),
        Pattern::MxStatic(record) => mx_static_valid(generation, record, access),
        Pattern::MxIndirect(record) => mx_gather_valid(generation, record, access),
    }
}

#[inline]
fn word_valid(generation: Generation, word: Addr4, access: Access, which: Word) -> Result<(), Reason> {
    tensor_start_addr_valid(generation, word, access).map_err(|reason| Reason::Word(which, reason))
}

/// Steps are never checked: 0 repeats and negative steps are legal.
#[inline]
fn tensor_valid(generation: Generation, tensor: &Tensor<'_>, access: Access) -> Result<(), Reason> {
    match tensor.addr4.mode() {
        Mode::Dead => return Err(Reason::DeadMode),
        // Only TENSOR1D reads such a word as a tensor.
        Mode::Indirect => return Err(Reason::IndirectInTensor),
        Mode::Static | Mode::Active => {}
    }
    word_valid(generation, tensor.addr4, access, Word::Start)?;
    counts_valid(tensor)
}

/// In mode active a register holds the shape, and the counts are not looked at (adopted: the header book waives them, two
/// pages of the compiler book do not).
fn counts_valid(tensor: &Tensor<'_>) -> Result<(), Reason> {
    if tensor.has_zero_num() && tensor.addr4.mode() != Mode::Active { Err(Reason::ZeroNum) } else { Ok(()) }
}

/// How gather indices are read: 4-byte integers in SBUF (adopted; one page of the compiler book reads the flags as a PSUM
/// destination).
const INDEX_ACCESS: Access = Access { dtype: WireTag::new(9), write: false, allow_psum: false, allow_sbuf: true };

fn gather_valid(generation: Generation, gather: &Indirect<'_>, access: Access) -> Result<(), Reason> {
    if gather.num == 0 {
        return Err(Reason::ZeroNum);
    }
    word_valid(generation, gather.index, INDEX_ACCESS, Word::Index)?;
    if gather.data.bits() & !ADDRESS_MASK != 0 {
        return Err(Reason::DataFlags);
    }
    word_valid(generation, gather.data, access, Word::Data)
}

/// MX data as it is read: packed containers of 4 bytes, never in PSUM.
const fn mx_access(dtype: u8, access: Access) -> Access {
    Access { dtype: WireTag::new(dtype), allow_psum: false, ..access }
}
const MX_DATA: u8 = 9;
/// Packed FP4 is read in containers of 2 bytes, too.
const MX_DATA_FP4: u8 = 5;
const MX_SCALE: u8 = 3;
const FP4: WireTag = WireTag::new(16);

/// How a word of a descriptor is read when the operand is accessed so. (Packed FP4 has a second way.)
pub(crate) const fn word_access(pattern: &Pattern<'_>, which: Word, access: Access) -> Access {
    match (pattern, which) {
        (Pattern::Indirect(_), Word::Index) => INDEX_ACCESS,
        (Pattern::MxStatic(_) | Pattern::MxIndirect(_), Word::Scale) => mx_access(MX_SCALE, access),
        (Pattern::MxStatic(_) | Pattern::MxIndirect(_), _) => mx_access(MX_DATA, access),
        _ => access,
    }
}

const fn since_gen4(generation: Generation) -> Result<(), Reason> {
    match generation {
        Generation::Gen4 => Ok(()),
        Generation::Gen2 | Generation::Gen3 => Err(Reason::UnsupportedOnArch),
    }
}

fn mx_static_valid(generation: Generation, record: &MxTensor1d, access: Access) -> Result<(), Reason> {
    since_gen4(generation)?;
    let data = record.data.get();
    if data.mode() == Mode::Dead {
        return Err(Reason::DeadMode);
    }
    let as_words = word_valid(generation, data, mx_access(MX_DATA, access), Word::Data);
    let as_fp4 = || word_valid(generation, data, mx_access(MX_DATA_FP4, access), Word::Data);
    if as_words.is_err() && (access.dtype != FP4 || as_fp4().is_err()) {
        return as_words;
    }
    word_valid(generation, record.scale.get(), mx_access(MX_SCALE, access), Word::Scale)?;
    // The raw test of the original looks at bit 28, too, which belongs to the address.
    let has_shape_register = data.bits() >> 28 & 0b111 == 0b100;
    if !has_shape_register {
        if record.k_extent.get() == 0 {
            return Err(Reason::ZeroNum);
        }
        if !matches!(record.step_dir, 1 | -1) {
            return Err(Reason::StepDirection);
        }
    }
    // A register word that is no gather index has its scale partition elsewhere.
    let is_register = data.is_register() && data.bits() & Addr4::INDIRECT.mask() == 0;
    if is_register { Ok(()) } else { scale_partition_valid(record.scale_part) }
}

fn mx_gather_valid(generation: Generation, record: &MxIndirect16, access: Access) -> Result<(), Reason> {
    since_gen4(generation)?;
    if record.k_extent.get() == 0 {
        return Err(Reason::ZeroNum);
    }
    word_valid(generation, record.index.get(), mx_access(MX_DATA, access), Word::Index)?;
    word_valid(generation, record.data.get(), mx_access(MX_DATA, access), Word::Data)?;
    word_valid(generation, record.scale.get(), mx_access(MX_SCALE, access), Word::Scale)?;
    scale_partition_valid(record.scale_part)
}

const fn scale_partition_valid(partition: u8) -> Result<(), Reason> {
    if matches!(partition, 0 | 4 | 8 | 12) { Ok(()) } else { Err(Reason::ScalePartition) }
}

/// `indirect_quadrant`, gen4: index and data of a gather must lie in one quadrant, unless the data is in PSUM or either
/// word is a register. What is no gather passes.
///
/// # Errors
/// [`Reason::UnsupportedOnArch`] before gen4, [`Reason::NotSameQuadrant`].
pub fn indirect_quadrant(generation: Generation, pattern: &Pattern<'_>) -> Result<(), Reason> {
    since_gen4(generation)?;
    match pattern {
        Pattern::Indirect(Indirect { index, data, .. })
            if !is_in(*data, Region::Psum) && !same_sbuf_quadrant(generation, *index, *data) =>
        {
            Err(Reason::NotSameQuadrant)
        }
        _ => Ok(()),
    }
}

fn is_in(word: Addr4, region: Region) -> bool {
    word.address().and_then(Region::of_address) == Some(region)
}

/// `mm_dst_mem3d_valid` "nc", gen4: the destination of a matmul whose destination dtype is bf16. It must lie in PSUM, and
/// every dtype from 4 to 11 may be written there. `None`, unknown, for a gather: that arm is only partly read.
///
/// Source: compiler book.
#[must_use]
pub fn mm_dst_nc(generation: Generation, pattern: &Pattern<'_>, dtype: WireTag) -> Option<Result<(), Reason>> {
    if let Err(reason) = since_gen4(generation) {
        return Some(Err(reason));
    }
    match pattern {
        Pattern::Tensor(tensor) if tensor.addr4.mode() != Mode::Indirect => {
            Some(matmul_destination(generation, tensor, dtype))
        }
        _ => None,
    }
}

fn matmul_destination(generation: Generation, tensor: &Tensor<'_>, dtype: WireTag) -> Result<(), Reason> {
    let word_error = |reason| Reason::Word(Word::Start, reason);
    if tensor.addr4.mode() == Mode::Dead {
        return Err(Reason::DeadMode);
    }
    match tensor.addr4.address() {
        None => register_word_valid(generation, tensor.addr4).map_err(word_error)?,
        Some(address) => {
            addr_aligned_dtype(generation, address, dtype).map_err(word_error)?;
            if !is_in(tensor.addr4, Region::Psum) {
                return Err(Reason::NotPsum);
            }
            if !matches!(dtype.get(), 4..=11) {
                return Err(Reason::MatmulDestinationDtype);
            }
        }
    }
    counts_valid(tensor)
}

/// Where the two sources of a tensor-tensor instruction may lie: one in PSUM and one in SBUF, or both in one quadrant of
/// SBUF. Where either is a register word, the question passes. Source: header book.
///
/// # Errors
/// [`Reason::NotOnChip`], [`Reason::BothPsum`], [`Reason::NotSameQuadrant`].
pub fn tt_placement(generation: Generation, src0: Addr4, src1: Addr4) -> Result<(), Reason> {
    let (Some(first), Some(second)) = (src0.address(), src1.address()) else { return Ok(()) };
    match (Region::of_address(first), Region::of_address(second)) {
        (None, _) | (_, None) => Err(Reason::NotOnChip),
        (Some(Region::Psum), Some(Region::Psum)) => Err(Reason::BothPsum),
        (Some(Region::Sbuf), Some(Region::Sbuf)) if !same_sbuf_quadrant(generation, src0, src1) => {
            Err(Reason::NotSameQuadrant)
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_has_a_place_and_a_code_of_its_own() {
        let all: alloc::vec::Vec<_> = Reason::all().collect();
        assert_eq!(all.len(), Reason::COUNT);
        assert!(all.is_sorted());
        for (index, reason) in all.iter().enumerate() {
            assert_eq!(reason.index(), index, "{reason}");
        }
    }
}
