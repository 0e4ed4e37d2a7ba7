//! Which bundles have nothing to say about their slots, told from a few words of each.
//!
//! The plan is made by asking the scalar functions: which addresses they accept for each use of an operand and each
//! dtype, and what they find in each header. It says yes to static tensors and ordered MX records that the validator
//! accepts and that have no lint.

use trnwire::access::SlotType;
use trnwire::addr4::Addr4;
use trnwire::arch::Generation;
use trnwire::bundle::{Bundle, Family, Opcode};
use trnwire::check::Severity;
use trnwire::geometry::{PSUM_BASE, PSUM_REGION_SIZE, QUADRANT_PARTITIONS, SBUF_REGION_SIZE, SBUF_STRIDE};
use zerocopy::little_endian::U32;
use zerocopy::{FromBytes, FromZeros, IntoBytes};

use super::rule::{Class, Rule, Rules, Test, dtype_byte};
use super::shape::{Holds, LOUD, MOST_SLOTS, SHAPES, Shape, SlotShape, shape_of};
use super::tally::Kinds;
use crate::plan::{SBUF_FIXED, unbacked_bits};

/// A bundle as sixteen words.
pub(super) type Words = [U32; 16];

/// What is known in advance for one generation. Every table has a place for each value of its index, so that none is
/// checked.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) generation: Generation,
    opcodes: Box<[OpcodePlan; 256]>,
    /// The place of each rule, by row and by the byte that tells the dtype.
    places: Box<[u8; 1 << 16]>,
    rules: Box<[Rule; 256]>,
    /// What each header says, by its key.
    headers: Box<[Header; HEADERS]>,
    /// The bits of the key for each byte of the header that has some.
    lengths: Box<[u16; 256]>,
    waits: Box<[u16; 256]>,
    updates: Box<[u16; 256]>,
    /// The class of a word, by its upper bits.
    classes: Box<[Class; CLASSES]>,
    /// The words in SBUF that lie beyond the memory.
    pub(super) unbacked: Test,
    warnings: Kinds,
    errors: Kinds,
}

/// Keys of headers: the opcode, and whether its length, its wait mode and its update mode are odd.
pub(super) const HEADERS: usize = 256 << 4;
const BAD_LENGTH: u16 = 1 << 8;
const DISPUTED_LENGTH: u16 = 1 << 9;
const BAD_WAIT: u16 = 1 << 10;
const BAD_UPDATE: u16 = 1 << 11;

/// What a header says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header {
    /// Its findings, and how bad they are.
    pub(super) findings: Kinds,
    /// Address words of the slots, where these are quiet.
    pub(super) words: u8,
}

impl Header {
    const EMPTY: Self = Self { findings: Kinds::NONE, words: 0 };
}

/// Words that agree in their upper ten bits are of one class.
const CLASSES: usize = 1 << 10;
const CLASS_SHIFT: u32 = 22;
const _: () = assert!(PSUM_REGION_SIZE == 1 << CLASS_SHIFT && SBUF_REGION_SIZE.is_multiple_of(PSUM_REGION_SIZE));

/// How to find the rules of an opcode's slots.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpcodePlan {
    shape: u8,
    pub(super) slots: [SlotPlan; MOST_SLOTS],
}

/// How to find the rule of a slot.
#[derive(Clone, Copy, Debug)]
pub(super) struct SlotPlan {
    /// The row of its rules.
    row: u8,
    /// The byte of the bundle that tells the dtype; any where that is not known.
    byte: u8,
    /// A gather is legal there, and its index and data must share a quadrant.
    pub(super) has_quadrant_check: bool,
}

impl Plan {
    pub(super) fn new(generation: Generation) -> Self {
        let mut rules = Rules::default();
        let opcodes = (0..=u8::MAX).map(|opcode| OpcodePlan::new(generation, opcode, &mut rules)).collect();
        let places: Vec<_> = rules.rows.into_iter().flatten().collect();
        let keys = |bit: u16, set: fn(&mut Bundle, u8), is_known: fn(&Bundle) -> bool| {
            let key = |value| {
                let mut bundle = Bundle::new_zeroed();
                set(&mut bundle, value);
                if is_known(&bundle) { 0 } else { bit }
            };
            fixed((0..=u8::MAX).map(key).collect(), 0)
        };
        let length = |value| match value {
            GOOD_LENGTH => 0,
            SATURATED_LENGTH => DISPUTED_LENGTH,
            _ => BAD_LENGTH,
        };
        let unbacked = match unbacked_bits(generation) {
            0 => Test::NEVER,
            bits => Test::new(SBUF_FIXED | bits, bits),
        };
        let mut plan = Self {
            generation,
            opcodes: fixed(opcodes, OpcodePlan::LOUD),
            places: fixed(places, 0),
            rules: fixed(rules.rules, Rule::NONE),
            headers: fixed(Vec::new(), Header::EMPTY),
            lengths: fixed((0..=u8::MAX).map(length).collect(), 0),
            waits: keys(BAD_WAIT, |bundle, value| bundle.wait_mode = value, |bundle| bundle.wait().is_some()),
            updates: keys(BAD_UPDATE, |bundle, value| bundle.update_mode = value, |bundle| bundle.update().is_some()),
            classes: fixed(
                (0..).take(CLASSES).map(|upper| Class::of(Addr4::from_bits(upper << CLASS_SHIFT))).collect(),
                Class::ELSEWHERE,
            ),
            unbacked,
            warnings: Kinds::all_of(Severity::Warning),
            errors: Kinds::all_of(Severity::Error),
        };
        plan.headers = fixed((0..).take(HEADERS).map(|key| plan.header_of(key)).collect(), Header::EMPTY);
        plan
    }

    /// What the header with this key says, asked of a bundle that has it.
    fn header_of(&self, key: u16) -> Header {
        let value = |keys: &[u16; 256], bits: u16| {
            (0..=u8::MAX).zip(keys).find(|(_, found)| **found == key & bits).map_or(0, |(value, _)| value)
        };
        let mut bundle = Bundle::new_zeroed();
        bundle.opcode = key.to_le_bytes()[0];
        bundle.inst_word_len = value(&self.lengths, BAD_LENGTH | DISPUTED_LENGTH);
        bundle.wait_mode = value(&self.waits, BAD_WAIT);
        bundle.update_mode = value(&self.updates, BAD_UPDATE);
        let mut found = Kinds::NONE;
        bundle.judge_header(self.generation, |finding| found = found | Kinds::of(finding.id));
        // A zeroed slot has the words of a quiet one.
        let words = u8::try_from(super::summary::words_of(self.generation, &bundle)).unwrap_or_default();
        Header { findings: found | self.worst(found), words }
    }

    /// How bad the worst of these is.
    #[inline(always)]
    pub(super) fn worst(&self, found: Kinds) -> Kinds {
        let is_error = found.has_any_of(self.errors | Kinds::ERROR);
        let is_warning = !is_error & found.has_any_of(self.warnings | Kinds::WARNING);
        Kinds::ERROR.only_if(is_error) | Kinds::WARNING.only_if(is_warning)
    }

    #[inline(always)]
    pub(super) fn header(&self, key: u16) -> Header {
        self.headers.get(usize::from(key) % HEADERS).copied().unwrap_or(Header::EMPTY)
    }

    /// The key of a header.
    #[inline(always)]
    pub(super) fn key(&self, bundle: &Bundle) -> u16 {
        let bits = |keys: &[u16; 256], value: u8| keys.get(usize::from(value)).copied().unwrap_or_default();
        u16::from(bundle.opcode)
            | bits(&self.lengths, bundle.inst_word_len)
            | bits(&self.waits, bundle.wait_mode)
            | bits(&self.updates, bundle.update_mode)
    }

    #[inline(always)]
    fn opcode(&self, opcode: u8) -> &OpcodePlan {
        const LOUD_PLAN: &OpcodePlan = &OpcodePlan::LOUD;
        self.opcodes.get(usize::from(opcode)).unwrap_or(LOUD_PLAN)
    }

    /// The shape of an opcode's body.
    #[inline(always)]
    pub(super) fn shape(&self, opcode: u8) -> usize {
        usize::from(self.opcode(opcode).shape) % SHAPES
    }

    /// How to find the rules of the slots of a bundle, and its words.
    #[inline(always)]
    pub(super) fn slots<'a>(&self, bundle: &'a Bundle) -> (&[SlotPlan; MOST_SLOTS], &'a Words) {
        const NO_WORDS: &Words = &[U32::ZERO; 16];
        (&self.opcode(bundle.opcode).slots, Words::ref_from_bytes(bundle.as_bytes()).unwrap_or(NO_WORDS))
    }

    /// Whether there is nothing to say about the slots of a bundle of this shape.
    #[inline(always)]
    pub(super) fn is_quiet<S: Shape>(&self, bundle: &Bundle) -> bool {
        let (plans, words) = self.slots(bundle);
        let ([first, second, third, fourth], [for_first, for_second, for_third, for_fourth]) = (S::SLOTS, plans);
        self.slot_is_quiet(first, for_first, words)
            & self.slot_is_quiet(second, for_second, words)
            & self.slot_is_quiet(third, for_third, words)
            & self.slot_is_quiet(fourth, for_fourth, words)
            & (!S::IS_TENSOR_TENSOR | sources_are_quiet(word_at(words, first.word), word_at(words, second.word)))
    }

    #[inline(always)]
    fn slot_is_quiet(&self, slot: SlotShape, plan: &SlotPlan, words: &Words) -> bool {
        let word = word_at(words, slot.word);
        let is_good =
            |rule: &Rule| (rule.in_sbuf.passes(word) & !self.unbacked.passes(word)) | rule.in_psum.passes(word);
        match slot.holds {
            Holds::Nothing => true,
            Holds::Gather => false,
            Holds::Unjudged(_) => is_good(&Rule::UNJUDGED),
            Holds::Mx => is_good(self.rule(plan, words)) & Self::mx_is_quiet(slot, words),
            Holds::Loops(_) => is_good(self.rule(plan, words)) & !has_zero_half(counts_of(slot, words)),
        }
    }

    /// Whether there is nothing to say about an ordered MX record but for its data word.
    #[inline(always)]
    fn mx_is_quiet(slot: SlotShape, words: &Words) -> bool {
        let [extent_low, extent_high, direction, partition] = word_at(words, slot.word.wrapping_add(2)).to_le_bytes();
        let scale = word_at(words, slot.word.wrapping_add(1));
        // The generations that have such records back all of SBUF.
        (scale < SBUF_REGION_SIZE)
            & (extent_low | extent_high != 0)
            & (direction == 1 || direction == 0xFF)
            & (partition & !0b1100 == 0)
    }

    #[inline(always)]
    pub(super) fn class(&self, word: u32) -> Class {
        let upper = usize::try_from(word >> CLASS_SHIFT).unwrap_or_default();
        self.classes.get(upper % CLASSES).copied().unwrap_or(Class::ELSEWHERE)
    }

    #[inline(always)]
    pub(super) fn rule(&self, plan: &SlotPlan, words: &Words) -> &Rule {
        const NONE: &Rule = &Rule::NONE;
        let byte = words.as_bytes().get(usize::from(plan.byte % 64)).copied().unwrap_or_default();
        let place = self.places.get(usize::from(u16::from_le_bytes([byte, plan.row]))).copied().unwrap_or_default();
        self.rules.get(usize::from(place)).unwrap_or(NONE)
    }
}

/// The counts of a slot's loops in four halves, those that it does not have all ones.
#[inline(always)]
pub(super) fn counts_of(slot: SlotShape, words: &Words) -> u64 {
    let at = |behind: u8| u64::from(word_at(words, slot.word.wrapping_add(behind)));
    // Counts stand behind as many steps, and the first may begin in the middle of a word.
    match slot.holds {
        Holds::Loops(1) => at(1) | 0xFFFF_FFFF_0000_FFFF,
        Holds::Loops(2) => at(2) | 0xFFFF_FFFF_0000_0000,
        Holds::Loops(3) => at(2) | at(3) << 32 | 0xFFFF,
        Holds::Loops(_) | Holds::Gather => at(3) | at(4) << 32,
        Holds::Nothing | Holds::Unjudged(_) | Holds::Mx => u64::MAX,
    }
}

const GOOD_LENGTH: u8 = 0x10;
const SATURATED_LENGTH: u8 = 0x11;

/// Whether one of two static sources lies in PSUM and one in SBUF, or both in the first partition of one quadrant.
#[inline(always)]
fn sources_are_quiet(first: u32, second: u32) -> bool {
    let in_sbuf = |word| word < SBUF_REGION_SIZE;
    let in_psum = |word: u32| word.wrapping_sub(PSUM_BASE) < PSUM_REGION_SIZE;
    let share_quadrant = (first / SBUF_STRIDE == second / SBUF_STRIDE)
        & (first / SBUF_STRIDE).is_multiple_of(QUADRANT_PARTITIONS)
        & in_sbuf(first);
    share_quadrant | (in_sbuf(first) & in_psum(second)) | (in_psum(first) & in_sbuf(second))
}

#[inline(always)]
pub(super) fn word_at(words: &Words, index: u8) -> u32 {
    words.get(usize::from(index % 16)).map_or(0, |word| word.get())
}

/// Whether one of the four halves is zero.
#[inline(always)]
pub(super) const fn has_zero_half(halves: u64) -> bool {
    const LOW: u64 = 0x0001_0001_0001_0001;
    const HIGH: u64 = LOW << 15;
    halves.wrapping_sub(LOW) & !halves & HIGH != 0
}

/// A boxed array of these values, filled up or cut off.
fn fixed<T: Clone, const LENGTH: usize>(mut values: Vec<T>, fill: T) -> Box<[T; LENGTH]> {
    values.resize(LENGTH, fill.clone());
    values.into_boxed_slice().try_into().unwrap_or_else(|_| Box::new(core::array::from_fn(|_| fill.clone())))
}

impl OpcodePlan {
    const LOUD: Self = Self { shape: LOUD, slots: [SlotPlan::NONE; MOST_SLOTS] };

    fn new(generation: Generation, opcode: u8, rules: &mut Rules) -> Self {
        let facts = Family::of(generation, Opcode::new(opcode)).map_or(&[][..], |family| family.slots);
        let mut plan = Self { shape: shape_of(generation, opcode, facts), ..Self::LOUD };
        for (slot, facts) in plan.slots.iter_mut().zip(facts) {
            let Some(row) = rules.row_of(generation, facts) else { return Self::LOUD };
            let is_union = facts.slot_type(generation).is_some_and(SlotType::is_mem_pattern);
            *slot = SlotPlan {
                row,
                byte: dtype_byte(generation, facts).unwrap_or_default(),
                has_quadrant_check: is_union && generation == Generation::Gen4,
            };
        }
        plan
    }
}

impl SlotPlan {
    const NONE: Self = Self { row: 0, byte: 0, has_quadrant_check: false };
}
