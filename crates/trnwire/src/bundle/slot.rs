//! The slots of one bundle on one generation, and what their validators say.

use zerocopy::IntoBytes;

use super::family::{DtypePlace, Family, Flags, SlotCheck, SlotFacts};
use super::header::Bundle;
use super::opcode::Opcode;
use crate::access::{Pattern, Reason, SlotType, Word, mm_dst_nc, validate};
use crate::addr4::{Access, Addr4, Mode, tensor_start_addr_valid};
use crate::arch::Generation;
use crate::dtype::WireTag;

/// One slot of a bundle.
#[derive(Clone, Copy, Debug)]
pub struct Slot<'a> {
    /// What the family says of it.
    pub facts: &'static SlotFacts,
    /// What it holds.
    pub operand: Operand<'a>,
    /// Type of its elements, where its place is known.
    pub dtype: Option<WireTag>,
}

/// What a slot holds.
#[derive(Clone, Copy, Debug)]
pub enum Operand<'a> {
    /// An address word and nothing behind it.
    Word(Addr4),
    /// A descriptor, in a slot of this type.
    Descriptor(SlotType, Pattern<'a>),
}

/// What the validator of a slot says; `None`, unknown, where the slot's flags or its dtype are.
pub type Verdict = Option<Result<(), Reason>>;

impl Bundle {
    /// The first byte.
    #[must_use]
    #[inline]
    pub const fn opcode(&self) -> Opcode {
        Opcode::new(self.opcode)
    }

    /// What is known of its layout on a generation.
    #[must_use]
    #[inline]
    pub fn family(&self, generation: Generation) -> Option<&'static Family> {
        Family::of(generation, self.opcode())
    }

    /// The slots whose place is known, in ascending order.
    #[inline]
    pub fn slots(&self, generation: Generation) -> Slots<'_> {
        let facts = self.family(generation).map_or(&[][..], |family| family.slots);
        Slots { bundle: self, generation, facts: facts.iter() }
    }

    /// One slot. Every slot of the table lies in the bundle, so that there is always one.
    #[inline(always)]
    fn slot(&self, generation: Generation, facts: &'static SlotFacts) -> Option<Slot<'_>> {
        let bytes = self.as_bytes().get(usize::from(facts.offset)..)?;
        let operand = match facts.slot_type(generation) {
            None => Operand::Word(Addr4::from_wire(*bytes.first_chunk()?)),
            Some(slot) => Operand::Descriptor(slot, Pattern::decode(slot, bytes.get(..slot.size_bytes())?).ok()?),
        };
        Some(Slot { facts, operand, dtype: self.dtype(generation, facts.dtype) })
    }

    #[inline(always)]
    fn dtype(&self, generation: Generation, place: DtypePlace) -> Option<WireTag> {
        let byte = |offset: u8| self.as_bytes().get(usize::from(offset)).copied();
        let tag = match place {
            DtypePlace::Unknown => None,
            DtypePlace::Byte(offset) => byte(offset),
            DtypePlace::ByteSince(first, offset) => byte(offset).filter(|_| generation >= first),
            DtypePlace::LowNibble(offset) => byte(offset).map(|byte| byte & 0xF),
            DtypePlace::HighNibble(offset) => byte(offset).map(|byte| byte >> 4),
        };
        tag.map(WireTag::new)
    }
}

/// The slots of a bundle, in ascending order.
#[derive(Clone, Debug)]
pub struct Slots<'a> {
    bundle: &'a Bundle,
    generation: Generation,
    facts: core::slice::Iter<'static, SlotFacts>,
}

impl<'a> Iterator for Slots<'a> {
    type Item = Slot<'a>;

    // A slot is large, and is taken apart where it is used.
    #[inline(always)]
    fn next(&mut self) -> Option<Slot<'a>> {
        self.bundle.slot(self.generation, self.facts.next()?)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.facts.size_hint()
    }
}

impl Slot<'_> {
    /// Its address words, each with its offset in the bundle.
    #[inline]
    pub fn words(&self) -> impl Iterator<Item = (u8, Addr4)> + use<> {
        let (words, count) = self.word_array();
        (self.facts.offset..).step_by(4).zip(words.into_iter().take(count))
    }

    #[inline(always)]
    const fn word_array(&self) -> ([Addr4; 3], usize) {
        match &self.operand {
            Operand::Word(word) => ([*word; 3], 1),
            Operand::Descriptor(_, pattern) => pattern.word_array(),
        }
    }

    /// How many address words it has.
    #[must_use]
    #[inline]
    pub const fn word_count(&self) -> usize {
        self.word_array().1
    }

    /// The word at its first byte.
    #[must_use]
    #[inline]
    pub const fn first_word(&self) -> Addr4 {
        match &self.operand {
            Operand::Word(word) => *word,
            Operand::Descriptor(_, pattern) => pattern.first_word(),
        }
    }

    /// Whether its first word is in mode indirect.
    #[must_use]
    #[inline]
    pub const fn is_indirect(&self) -> bool {
        matches!(self.first_word().mode(), Mode::Indirect)
    }

    /// How its operand is used, where dtype and flags are known.
    #[must_use]
    #[inline]
    pub fn access(&self) -> Option<Access> {
        let Flags { write, allow_psum, allow_sbuf, .. } = self.facts.flags?;
        Some(Access { dtype: self.dtype?, write, allow_psum, allow_sbuf })
    }

    /// What its validator says.
    #[must_use]
    #[inline]
    pub fn verdict(&self, generation: Generation) -> Verdict {
        let access = self.access()?;
        match &self.operand {
            Operand::Word(word) => Some(
                tensor_start_addr_valid(generation, *word, access).map_err(|reason| Reason::Word(Word::Start, reason)),
            ),
            Operand::Descriptor(_, pattern) if self.is_bf16_matmul_destination(generation, access.dtype) => {
                mm_dst_nc(generation, pattern, access.dtype)
            }
            Operand::Descriptor(slot, pattern) => Some(validate(generation, *slot, pattern, access)),
        }
    }

    fn is_bf16_matmul_destination(&self, generation: Generation, dtype: WireTag) -> bool {
        const BFLOAT16: WireTag = WireTag::new(6);
        self.facts.check == SlotCheck::MatmulDestination && generation == Generation::Gen4 && dtype == BFLOAT16
    }
}
