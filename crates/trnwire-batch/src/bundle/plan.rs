//! Which bundles have nothing to say about their slots, told from a few words of each.
//!
//! The plan is made by asking the scalar functions: which addresses they accept for each use of an operand and each
//! dtype, and what they find in each header. It says yes to static tensors and ordered MX records that the validator
//! accepts and that have no lint. All else is left to the truth.

use trnwire::addr4::Region;
use trnwire::arch::Generation;
use trnwire::bundle::{Bundle, Family, Opcode};
use trnwire::check::Severity;
use trnwire::geometry::{
    ADDRESS_MASK, Geometry, PSUM_ACTIVE, PSUM_BASE, PSUM_REGION_SIZE, PSUM_STRIDE, QUADRANT_PARTITIONS,
    SBUF_REGION_SIZE, SBUF_STRIDE,
};
use zerocopy::little_endian::U32;
use zerocopy::{FromBytes, FromZeros, IntoBytes};

use super::rule::{Code, DtypePlan, RULES, Rule, row_of};
use super::shape::{Holds, LOUD, MOST_SLOTS, Shape, SlotShape, shape_of};

/// A bundle as sixteen words.
pub(super) type Words = [U32; 16];

/// What is known in advance for one generation.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) generation: Generation,
    opcodes: Box<[OpcodePlan; 256]>,
    rules: Box<[Rule; RULES]>,
    /// What each header says, by its key.
    headers: Box<[Header; HEADERS]>,
    /// The bits of the key for each byte of the header that has some.
    lengths: Box<[u16; 256]>,
    waits: Box<[u16; 256]>,
    updates: Box<[u16; 256]>,
    /// The class of a word, by its upper bits.
    classes: Box<[Class; CLASSES]>,
}

/// Keys of headers: the opcode, and whether its length, its wait mode and its update mode are odd.
pub(super) const HEADERS: usize = 256 << 4;
const BAD_LENGTH: u16 = 1 << 8;
const DISPUTED_LENGTH: u16 = 1 << 9;
const BAD_WAIT: u16 = 1 << 10;
const BAD_UPDATE: u16 = 1 << 11;

/// What a header says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Header {
    /// Findings, each at the place of its index.
    pub(super) findings: u16,
    /// The worst severity among them, as [`rank`] gives it.
    pub(super) worst: u8,
    /// Address words of the slots, where these are quiet.
    pub(super) words: u8,
}

/// Notes and nothing at all are 0, warnings 1, errors 2.
pub(super) const fn rank(severity: Severity) -> u8 {
    match severity {
        Severity::Note => 0,
        Severity::Warning => 1,
        Severity::Error => 2,
    }
}

/// Words that agree in their upper ten bits lie in one region.
const CLASSES: usize = 1 << 10;
const CLASS_SHIFT: u32 = 22;
const _: () = assert!(PSUM_REGION_SIZE == 1 << CLASS_SHIFT && SBUF_REGION_SIZE.is_multiple_of(PSUM_REGION_SIZE));

/// How to find the rules of an opcode's slots.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpcodePlan {
    shape: u8,
    pub(super) dtypes: [DtypePlan; MOST_SLOTS],
}

/// Where the words of a class are good.
#[derive(Clone, Copy, Debug, Default)]
struct Class {
    /// Its place in [`Rule::regions`].
    region: u8,
    /// The bits of a word that say where in its partition it lies.
    mask: u32,
    /// Where in the partition memory ends.
    end: u32,
}

impl Plan {
    pub(super) fn new(generation: Generation) -> Self {
        let mut rows: Vec<[Rule; 256]> = Vec::new();
        let opcodes = (0..=u8::MAX).map(|opcode| OpcodePlan::new(generation, opcode, &mut rows)).collect();
        let rules = rows.into_iter().flatten().collect();
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
        let mut plan = Self {
            generation,
            opcodes: fixed(opcodes, OpcodePlan::LOUD),
            rules: fixed(rules, Rule::default()),
            headers: fixed(Vec::new(), Header::default()),
            lengths: fixed((0..=u8::MAX).map(length).collect(), 0),
            waits: keys(BAD_WAIT, |bundle, value| bundle.wait_mode = value, |bundle| bundle.wait().is_some()),
            updates: keys(BAD_UPDATE, |bundle, value| bundle.update_mode = value, |bundle| bundle.update().is_some()),
            classes: fixed((0..).take(CLASSES).map(|upper| Class::new(generation, upper)).collect(), Class::default()),
        };
        plan.headers = fixed((0..).take(HEADERS).map(|key| plan.header_of(key)).collect(), Header::default());
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
        let mut header = Header::default();
        bundle.judge_header(self.generation, |finding| {
            let bit = u32::try_from(finding.id.index()).ok().and_then(|index| 1_u16.checked_shl(index));
            header.findings |= bit.unwrap_or_default();
            header.worst = header.worst.max(rank(finding.id.severity()));
        });
        // A zeroed slot has the words of a quiet one.
        header.words = u8::try_from(super::summary::words_of(self.generation, &bundle)).unwrap_or_default();
        header
    }

    #[inline]
    pub(super) fn header(&self, key: u16) -> Header {
        self.headers.get(usize::from(key) % HEADERS).copied().unwrap_or_default()
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
    pub(super) fn opcode(&self, opcode: u8) -> Option<&OpcodePlan> {
        self.opcodes.get(usize::from(opcode))
    }

    /// The shape of an opcode's body.
    #[inline(always)]
    pub(super) fn shape(&self, opcode: u8) -> usize {
        self.opcode(opcode).map_or(LOUD, |plan| usize::from(plan.shape))
    }

    /// Whether there is nothing to say about the slots of a bundle of this shape.
    #[inline(always)]
    pub(super) fn is_quiet<S: Shape>(&self, bundle: &Bundle) -> bool {
        let Ok(words) = Words::ref_from_bytes(bundle.as_bytes()) else { return false };
        let Some(plan) = self.opcode(bundle.opcode) else { return false };
        let [first, second, third] = &plan.dtypes;
        self.slot_is_quiet(S::FIRST, first, words)
            & self.slot_is_quiet(S::SECOND, second, words)
            & self.slot_is_quiet(S::THIRD, third, words)
            & (!S::IS_TENSOR_TENSOR | sources_are_quiet(word_at(words, S::FIRST.word), word_at(words, S::SECOND.word)))
    }

    #[inline(always)]
    fn slot_is_quiet(&self, slot: SlotShape, dtype: &DtypePlan, words: &Words) -> bool {
        let word = word_at(words, slot.word);
        let counts = match slot.holds {
            Holds::Nothing => return true,
            Holds::Mx => return self.mx_is_quiet(slot, dtype, words),
            Holds::Word | Holds::Loops(_) => counts_of(slot, words),
        };
        let rule = self.rule(dtype, words);
        self.is_good(rule, word) & (rule.is_unknown | !has_zero_half(counts))
    }

    #[inline(always)]
    fn mx_is_quiet(&self, slot: SlotShape, dtype: &DtypePlan, words: &Words) -> bool {
        let [extent_low, extent_high, direction, partition] = word_at(words, slot.word.wrapping_add(2)).to_le_bytes();
        let (data, scale) = (word_at(words, slot.word), word_at(words, slot.word.wrapping_add(1)));
        self.is_good(self.rule(dtype, words), data)
            & self.is_good(Rule::default(), scale)
            & (scale < SBUF_REGION_SIZE)
            & (extent_low | extent_high != 0)
            & (direction == 1 || direction == 0xFF)
            & (partition & !0b1100 == 0)
    }

    #[inline(always)]
    pub(super) fn rule(&self, dtype: &DtypePlan, words: &Words) -> Rule {
        let tag = word_at(words, dtype.word).wrapping_shr(dtype.shift.into()).to_le_bytes()[0] & dtype.mask;
        let place = u16::from(dtype.row) << 8 | u16::from(tag);
        self.rules.get(usize::from(place) % RULES).copied().unwrap_or_default()
    }

    /// Whether a word is static, in a place that the rule allows, and memory.
    #[inline(always)]
    fn is_good(&self, rule: Rule, word: u32) -> bool {
        let upper = (word >> CLASS_SHIFT).to_le_bytes();
        let class = self.classes.get(usize::from(u16::from_le_bytes([upper[0], upper[1]])) % CLASSES);
        let class = class.copied().unwrap_or_default();
        let verdict = rule.regions.get(usize::from(class.region)).copied().unwrap_or_default();
        (verdict == Code::GOOD) & (word & class.mask < class.end) & (word & u32::from(rule.unaligned) == 0)
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
        Holds::Loops(_) => at(3) | at(4) << 32,
        Holds::Nothing | Holds::Word | Holds::Mx => u64::MAX,
    }
}

impl Class {
    /// The class of the words with these upper bits, of which only static ones are good.
    fn new(generation: Generation, upper: u32) -> Self {
        let word = upper << CLASS_SHIFT;
        match Region::of_address(word) {
            _ if word > ADDRESS_MASK => Self::default(),
            Some(Region::Sbuf) => {
                Self { region: 0, mask: SBUF_STRIDE.wrapping_sub(1), end: Geometry::of(generation).sbuf_active }
            }
            Some(Region::Psum) => Self { region: 1, mask: PSUM_STRIDE.wrapping_sub(1), end: PSUM_ACTIVE },
            None => Self { region: 2, mask: 0, end: 1 },
        }
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
    const LOUD: Self = Self { shape: 0, dtypes: [DtypePlan { word: 0, shift: 0, mask: 0, row: 0 }; MOST_SLOTS] };

    fn new(generation: Generation, opcode: u8, rows: &mut Vec<[Rule; 256]>) -> Self {
        let facts = Family::of(generation, Opcode::new(opcode)).map_or(&[][..], |family| family.slots);
        let mut plan = Self { shape: shape_of(generation, opcode, facts), ..Self::LOUD };
        for (dtype, facts) in plan.dtypes.iter_mut().zip(facts) {
            let Some(row) = row_of(generation, facts, rows) else { return Self::LOUD };
            *dtype = DtypePlan::new(generation, facts.dtype, row);
        }
        plan
    }
}
