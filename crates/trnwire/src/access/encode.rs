//! From a request to the bytes of a descriptor.

use alloc::vec::Vec;
use core::fmt;
use core::num::NonZeroU8;

use zerocopy::little_endian::{I16, U16};
use zerocopy::{Immutable, IntoBytes};

use super::indirect::{Indirect12, Indirect16, Indirect20};
use super::mx::{MxIndirect16, MxTensor1d};
use super::slot::{MAX_SLOT_BYTES, SlotType};
use super::tensor::{Loop, Tensor1d, Tensor2d, Tensor3d, Tensor4d};
use super::validate::Word;
use crate::addr4::{self, Addr4, Mode, Resolver, WordRequest, stamp_indirect};
use crate::arch::Generation;
use crate::dtype::BirDtype;
use crate::geometry::{ADDRESS_MASK, PARTITIONS};
use crate::table::Reserved;

/// What to encode. Numbers are as wide as callers have them, so that one out of range is an error and not a wrap.
#[derive(Clone, Debug)]
pub enum Request {
    /// Loops over elements.
    Tensor {
        /// Where the first element lies.
        addr: WordRequest,
        /// The loops, outermost first. The partition axis is not among them: it is part of the address.
        free_dims: Vec<FreeDim>,
    },
    /// A gather.
    Gather {
        /// Where the indices lie.
        index: WordRequest,
        /// Where the gathered data begins.
        data: WordRequest,
        /// Number of indices, 1..=65535.
        num: i64,
    },
    /// Microscaled data.
    Mx(MxRequest),
}

/// One loop as the compiler states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FreeDim {
    /// Elements from one round to the next, -32768..=32767.
    pub step: i64,
    /// Rounds, 1..=65535.
    pub num: i64,
}

/// Microscaled data to encode.
#[derive(Clone, Copy, Debug)]
pub struct MxRequest {
    /// How the data is walked.
    pub walk: MxWalk,
    /// Where the packed data begins.
    pub data: WordRequest,
    /// Where the scales begin.
    pub scale: WordRequest,
    /// Type of the data; the extent of the three packed types counts four times.
    pub dtype: &'static BirDtype,
    /// Elements per partition, or number of indices.
    pub count: i64,
    /// First partition of the scales, 0..=127.
    pub scale_base_partition: i64,
    /// What the scale partition is reduced by.
    pub modulus: ScaleModulus,
}

/// How microscaled data is walked.
#[derive(Clone, Copy, Debug)]
pub enum MxWalk {
    /// In order; backward when the innermost step is negative.
    Static {
        /// Step of the innermost loop.
        innermost_step: i64,
    },
    /// Through indices.
    Gather {
        /// Where the indices lie.
        index: WordRequest,
    },
}

/// The modulus that turns the first partition of the scales into the byte of the record.
///
/// Disputed: one page of the compiler book says 128, another that the constant was not read. 32 is adopted: the validator
/// allows only 0, 4, 8 and 12, and the header book calls the byte an index in the quadrant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScaleModulus(pub NonZeroU8);

impl Default for ScaleModulus {
    fn default() -> Self {
        const QUADRANT: NonZeroU8 = NonZeroU8::new(32).unwrap();
        Self(QUADRANT)
    }
}

/// Why a request has no descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EncodeError {
    /// A slot of this type cannot hold what was asked for.
    WrongSlot(SlotType),
    /// Microscaled data exists on gen4 only.
    UnsupportedOnArch(Generation),
    /// One of the words cannot be encoded.
    Word(Word, addr4::EncodeError),
    /// The bytes would decode as a gather, or a gather is asked for in a slot for tensors.
    IndirectInTensor,
    /// A word of a gather must be a plain address, and this one has bits 31:29 set.
    DynamicAddressInIndirect(Word, Addr4),
    /// A step outside -32768..=32767.
    StepOverflow {
        /// Which of the free dims, outermost first, from 0.
        dim: usize,
        /// The step.
        value: i64,
    },
    /// A num, count or extent of zero.
    ZeroNum(Count),
    /// A num, count or extent outside 1..=65535.
    NumOverflow(Count, i64),
    /// More loops of several rounds than the slot has room for.
    TooManyDims {
        /// Loops of several rounds.
        needed: usize,
        /// Loops of the slot.
        room: usize,
    },
    /// The first partition of the scales is outside 0..=127 (adopted).
    ScalePartitionRange(i64),
}

/// The number that an [`EncodeError`] is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// The rounds of a free dim, outermost first, from 0.
    Rounds(usize),
    /// The indices of a gather.
    Indices,
    /// The extent of microscaled data: the count, times 4 for packed types.
    Extent,
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rounds(dim) => write!(f, "free_dims[{dim}]: num"),
            Self::Indices => f.write_str("num"),
            Self::Extent => f.write_str("extent (count, times 4 for packed types)"),
        }
    }
}

impl EncodeError {
    /// The name in JSON and text.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::WrongSlot(_) => "wrong_slot",
            Self::UnsupportedOnArch(_) => "unsupported_on_arch",
            Self::Word(_, error) => error.code(),
            Self::IndirectInTensor => "indirect_in_tensor",
            Self::DynamicAddressInIndirect(..) => "dynamic_address_in_indirect",
            Self::StepOverflow { .. } => "step_overflow",
            Self::ZeroNum(_) => "zero_num",
            Self::NumOverflow(..) => "num_overflow",
            Self::TooManyDims { .. } => "too_many_dims",
            Self::ScalePartitionRange(_) => "partition_range",
        }
    }
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WrongSlot(slot) => write!(f, "a {slot} cannot hold this"),
            Self::UnsupportedOnArch(generation) => write!(f, "{generation} has no microscaled data, only gen4 has"),
            Self::Word(word, error) => write!(f, "{}: {error}", word),
            Self::IndirectInTensor => f.write_str("a tensor cannot have a gather index as its start"),
            Self::DynamicAddressInIndirect(word, bits) => {
                write!(f, "{}: {bits} is no plain address: bits 31:29 must be zero in a gather", word)
            }
            Self::StepOverflow { dim, value } => {
                write!(f, "free_dims[{dim}]: step {value} is outside {}..={}", i16::MIN, i16::MAX)
            }
            Self::ZeroNum(count) => write!(f, "{count} is 0, and 1..={} is legal", u16::MAX),
            Self::NumOverflow(count, value) => write!(f, "{count} {value} is outside 1..={}", u16::MAX),
            Self::TooManyDims { needed, room } => {
                write!(f, "{needed} free dims have more than one round, and the slot has room for {room}")
            }
            Self::ScalePartitionRange(value) => {
                write!(f, "scale_base_partition {value} is outside 0..={}", PARTITIONS.saturating_sub(1))
            }
        }
    }
}

impl core::error::Error for EncodeError {}

/// The bytes of a descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Descriptor {
    bytes: [u8; MAX_SLOT_BYTES],
    length: usize,
}

impl Descriptor {
    fn of(record: &(impl IntoBytes + Immutable)) -> Self {
        let mut descriptor = Self { bytes: [0; MAX_SLOT_BYTES], length: size_of_val(record) };
        for (slot, &byte) in descriptor.bytes.iter_mut().zip(record.as_bytes()) {
            *slot = byte;
        }
        descriptor
    }
}

impl AsRef<[u8]> for Descriptor {
    fn as_ref(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }
}

/// Builds the descriptor of a request. The slot decides how each word is resolved, whatever its request says.
///
/// The validator is not run.
///
/// # Errors
/// The first that applies: what the generation or the slot does not have; the words' own errors, in the order of the
/// fields; words in the wrong mode; the counts, outermost first; too many loops or a scale partition out of range.
pub fn encode(generation: Generation, slot: SlotType, request: &Request) -> Result<Descriptor, EncodeError> {
    match request {
        Request::Tensor { addr, free_dims } if slot != SlotType::MxMemPattern1d => tensor(slot, *addr, free_dims),
        Request::Gather { index, data, num } if slot != SlotType::MxMemPattern1d => gather(slot, *index, *data, *num),
        Request::Mx(request) if slot == SlotType::MxMemPattern1d => mx(generation, request),
        _ => Err(EncodeError::WrongSlot(slot)),
    }
}

fn word(which: Word, request: WordRequest) -> Result<Addr4, EncodeError> {
    let resolver = if which == Word::Scale { Resolver::Scale } else { Resolver::Data };
    request.resolved_by(resolver).encode().map_err(|error| EncodeError::Word(which, error))
}

/// Refuses the words of a gather that are not plain addresses.
fn plain<const COUNT: usize>(words: [(Word, Addr4); COUNT]) -> Result<(), EncodeError> {
    match words.iter().find(|(_, word)| word.bits() & !ADDRESS_MASK != 0) {
        Some(&(which, word)) => Err(EncodeError::DynamicAddressInIndirect(which, word)),
        None => Ok(()),
    }
}

fn stamped(index: Addr4) -> Result<Addr4, EncodeError> {
    stamp_indirect(index).map_err(|error| EncodeError::Word(Word::Index, error))
}

fn count(which: Count, value: i64) -> Result<u16, EncodeError> {
    match u16::try_from(value) {
        Ok(0) => Err(EncodeError::ZeroNum(which)),
        Ok(count) => Ok(count),
        Err(_) => Err(EncodeError::NumOverflow(which, value)),
    }
}

const UNIT_LOOP: Loop = Loop { step: 1, num: 1 };

fn tensor(slot: SlotType, addr: WordRequest, free_dims: &[FreeDim]) -> Result<Descriptor, EncodeError> {
    let addr4 = word(Word::Start, addr)?;
    if addr4.mode() == Mode::Indirect {
        return Err(EncodeError::IndirectInTensor);
    }
    // Every dim is checked, those of one round, which are left out, too.
    for (dim, &FreeDim { step, num }) in free_dims.iter().enumerate() {
        i16::try_from(step).map_err(|_| EncodeError::StepOverflow { dim, value: step })?;
        count(Count::Rounds(dim), num)?;
    }
    let to_loop = |dim: &FreeDim| Some(Loop { step: dim.step.try_into().ok()?, num: dim.num.try_into().ok()? });
    let mut innermost_first = free_dims.iter().rev().filter_map(to_loop).filter(|free| free.num != 1);
    let (needed, room) = (innermost_first.clone().count(), slot.loops());
    if needed > room {
        return Err(EncodeError::TooManyDims { needed, room });
    }
    let loops: [Loop; 4] = core::array::from_fn(|_| innermost_first.next().unwrap_or(UNIT_LOOP));
    let addr4 = addr4.into();
    Ok(match room {
        1 => Descriptor::of(&Tensor1d { addr4, steps: steps(&loops), nums: nums(&loops) }),
        2 => Descriptor::of(&Tensor2d { addr4, steps: steps(&loops), nums: nums(&loops) }),
        3 => Descriptor::of(&Tensor3d { addr4, steps: steps(&loops), nums: nums(&loops) }),
        _ => Descriptor::of(&Tensor4d { addr4, steps: steps(&loops), nums: nums(&loops) }),
    })
}

fn steps<const LOOPS: usize>(loops: &[Loop; 4]) -> [I16; LOOPS] {
    core::array::from_fn(|index| I16::new(loops.get(index).unwrap_or(&UNIT_LOOP).step))
}

fn nums<const LOOPS: usize>(loops: &[Loop; 4]) -> [U16; LOOPS] {
    core::array::from_fn(|index| U16::new(loops.get(index).unwrap_or(&UNIT_LOOP).num))
}

fn gather(slot: SlotType, index: WordRequest, data: WordRequest, num: i64) -> Result<Descriptor, EncodeError> {
    let (index, data) = (word(Word::Index, index)?, word(Word::Data, data)?);
    if !slot.is_mem_pattern() {
        return Err(EncodeError::IndirectInTensor);
    }
    plain([(Word::Index, index), (Word::Data, data)])?;
    let num = U16::new(count(Count::Indices, num)?);
    let (index, data) = (stamped(index)?.into(), data.into());
    Ok(match slot.loops() {
        2 => Descriptor::of(&Indirect12 { index, data, num, tail: Reserved([0; 2]) }),
        3 => Descriptor::of(&Indirect16 { index, data, num, tail: Reserved([0; 6]) }),
        _ => Descriptor::of(&Indirect20 { index, data, num, tail: Reserved([0; 10]) }),
    })
}

fn mx(generation: Generation, request: &MxRequest) -> Result<Descriptor, EncodeError> {
    if generation < Generation::Gen4 {
        return Err(EncodeError::UnsupportedOnArch(generation));
    }
    let index = match request.walk {
        MxWalk::Static { .. } => None,
        MxWalk::Gather { index } => Some(word(Word::Index, index)?),
    };
    let (data, scale) = (word(Word::Data, request.data)?, word(Word::Scale, request.scale)?);
    match index {
        Some(index) => plain([(Word::Index, index), (Word::Data, data), (Word::Scale, scale)])?,
        None if data.mode() == Mode::Indirect => return Err(EncodeError::IndirectInTensor),
        None => {}
    }
    let k_extent =
        U16::new(count(Count::Extent, request.count.saturating_mul(request.dtype.packed_elements().into()))?);
    let base = request.scale_base_partition;
    let base = u8::try_from(base).ok().filter(|&base| u32::from(base) < PARTITIONS);
    let base = base.ok_or(EncodeError::ScalePartitionRange(request.scale_base_partition))?;
    let scale_part = base % request.modulus.0;
    let (data, scale) = (data.into(), scale.into());
    Ok(match (index, request.walk) {
        (Some(index), _) => {
            let index = stamped(index)?.into();
            Descriptor::of(&MxIndirect16 { index, data, scale, k_extent, spare: 0, scale_part })
        }
        (None, MxWalk::Static { innermost_step: ..=-1 }) => {
            Descriptor::of(&MxTensor1d { data, scale, k_extent, step_dir: -1, scale_part, reserved: Reserved([0; 4]) })
        }
        (None, _) => {
            Descriptor::of(&MxTensor1d { data, scale, k_extent, step_dir: 1, scale_part, reserved: Reserved([0; 4]) })
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::addr4::Place;

    fn sbuf(partition: i64, offset: i64) -> WordRequest {
        WordRequest::from(addr4::Request::Place(Place::Sbuf { partition, offset }, Resolver::Data))
    }

    fn tensor_bytes(slot: SlotType, dims: &[(i64, i64)]) -> Result<Descriptor, EncodeError> {
        let free_dims = dims.iter().map(|&(step, num)| FreeDim { step, num }).collect();
        encode(Generation::Gen2, slot, &Request::Tensor { addr: sbuf(0, 256), free_dims })
    }

    #[test]
    fn loops_turn_around_and_unit_loops_are_left_out() {
        let found = tensor_bytes(SlotType::Tensor3d, &[(7, 1), (406, 36), (1, 1), (-1, 203)]).unwrap();
        assert_eq!(
            found.as_ref(),
            [0, 1, 0, 0, 0xFF, 0xFF, 0x96, 0x01, 1, 0, 203, 0, 36, 0, 1, 0],
            "innermost first, the rest filled up with 1 and 1"
        );
    }

    #[test]
    fn the_first_error_wins_and_a_dim_that_would_be_left_out_is_checked() {
        let error = |dims: &[(i64, i64)]| tensor_bytes(SlotType::Tensor1d, dims).unwrap_err();
        assert_eq!(error(&[(0x8000, 0), (0, 0)]), EncodeError::StepOverflow { dim: 0, value: 0x8000 });
        assert_eq!(error(&[(1, 2), (-0x8001, 1)]), EncodeError::StepOverflow { dim: 1, value: -0x8001 });
        assert_eq!(error(&[(1, 0), (1, 65536)]), EncodeError::ZeroNum(Count::Rounds(0)));
        assert_eq!(error(&[(1, 2), (1, 65536)]), EncodeError::NumOverflow(Count::Rounds(1), 65536));
        assert_eq!(error(&[(1, 2), (1, -1)]), EncodeError::NumOverflow(Count::Rounds(1), -1));
        assert_eq!(error(&[(1, 2), (1, 2)]), EncodeError::TooManyDims { needed: 2, room: 1 });
        assert!(tensor_bytes(SlotType::Tensor1d, &[(1, 1), (-32768, 65535)]).is_ok());
    }

    #[test]
    fn the_modulus_of_the_scale_partition_is_a_parameter() {
        let request = |modulus| MxRequest {
            walk: MxWalk::Static { innermost_step: 0 },
            data: sbuf(0, 0),
            scale: sbuf(40, 0),
            dtype: BirDtype::by_name("float8_e4m3fn_x4").unwrap(),
            count: 16383,
            scale_base_partition: 40,
            modulus,
        };
        let byte = |modulus| {
            let request = Request::Mx(request(modulus));
            encode(Generation::Gen4, SlotType::MxMemPattern1d, &request).unwrap().as_ref()[11]
        };
        assert_eq!(byte(ScaleModulus::default()), 8);
        assert_eq!(byte(ScaleModulus(NonZeroU8::new(128).unwrap())), 40);
    }

    #[test]
    fn a_slot_takes_only_what_it_can_hold() {
        let gather = Request::Gather { index: sbuf(0, 0), data: sbuf(0, 0), num: 1 };
        let in_slot = |slot| encode(Generation::Gen4, slot, &gather).map(|descriptor| descriptor.as_ref().len());
        assert_eq!(in_slot(SlotType::Tensor4d), Err(EncodeError::IndirectInTensor));
        assert_eq!(in_slot(SlotType::MxMemPattern1d), Err(EncodeError::WrongSlot(SlotType::MxMemPattern1d)));
        assert_eq!(in_slot(SlotType::MemPattern4d), Ok(20));
    }
}
