//! Which bundles have nothing to say about their slots, told from a few words of each.
//!
//! The plan is made by asking the scalar functions: which addresses they accept for each use of an operand and each
//! dtype, and what they find in each header. It says yes to static tensors and ordered MX records that the validator
//! accepts and that have no lint. All else is left to the truth.

use trnwire::access::{MxTensor1d, Pattern, SlotType, Tensor};
use trnwire::addr4::Addr4;
use trnwire::arch::Generation;
use trnwire::bundle::{Bundle, DtypePlace, Family, Opcode, Operand, Slot, SlotCheck, SlotFacts};
use trnwire::check::Severity;
use trnwire::dtype::WireTag;
use trnwire::geometry::{
    ADDRESS_MASK, Geometry, PSUM_ACTIVE, PSUM_BASE, PSUM_REGION_SIZE, QUADRANT_PARTITIONS, SBUF_REGION_SIZE,
    SBUF_STRIDE,
};
use trnwire::table::Reserved;
use zerocopy::little_endian::{I16, U16, U32};
use zerocopy::{FromBytes, FromZeros, IntoBytes};

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
    /// Bytes of an SBUF partition that are memory.
    sbuf_active: u32,
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

/// Rows of rules, each for one way to use an operand.
const ROWS: usize = 16;
const RULES: usize = ROWS << 8;

/// Which static words are good for a use and a dtype.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Rule {
    /// The bits of an address that must be zero.
    unaligned: u8,
    in_sbuf: bool,
    in_psum: bool,
    elsewhere: bool,
}

/// Most slots of an opcode that can be quiet.
const MOST_SLOTS: usize = 3;

#[derive(Clone, Copy, Debug)]
struct OpcodePlan {
    slots: [SlotPlan; MOST_SLOTS],
    has_slots: bool,
    /// One of the next two is true, or a slot holds an MX record.
    is_special: bool,
    /// Never quiet: more slots than are planned for, or one that must hold a gather.
    is_loud: bool,
    /// The two sources must not lie just anywhere.
    is_tensor_tensor: bool,
}

/// How to look at one slot. The unused ones look at nothing and are quiet.
#[derive(Clone, Copy, Debug)]
struct SlotPlan {
    /// Index of its first word.
    word: u8,
    /// Index of the first of the two words that hold the counts.
    counts: u8,
    /// Bits to set in these before looking for a zero half: those that are no count.
    no_count: u64,
    dtype_word: u8,
    dtype_shift: u8,
    dtype_mask: u8,
    /// Row of rules.
    row: u8,
    is_mx: bool,
    is_used: bool,
}

const UNUSED: SlotPlan = SlotPlan {
    word: 0,
    counts: 0,
    no_count: u64::MAX,
    dtype_word: 0,
    dtype_shift: 0,
    dtype_mask: 0,
    row: 0,
    is_mx: false,
    is_used: false,
};

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
            sbuf_active: Geometry::of(generation).sbuf_active,
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
        header.words = bundle.slots(self.generation).map(|slot| slot.word_count()).sum();
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

    /// Whether an opcode has slots whose place is known.
    #[inline(always)]
    pub(super) fn has_slots(&self, opcode: u8) -> bool {
        self.opcodes.get(usize::from(opcode)).is_some_and(|plan| plan.has_slots)
    }

    /// Whether there is nothing to say about the slots of a bundle.
    #[inline(always)]
    pub(super) fn slots_are_quiet(&self, bundle: &Bundle) -> bool {
        let Ok(words) = Words::ref_from_bytes(bundle.as_bytes()) else { return false };
        let Some(plan) = self.opcodes.get(usize::from(bundle.opcode)) else { return false };
        let [first, second, third] = &plan.slots;
        if plan.is_special {
            let is_quiet = |slot: &SlotPlan| {
                if slot.is_mx { self.mx_is_quiet(slot, words) } else { self.is_quiet(slot, words) }
            };
            return !plan.is_loud
                && plan.slots.iter().all(is_quiet)
                && (!plan.is_tensor_tensor || sources_are_quiet(&plan.slots, words));
        }
        // Without a branch: which slot is bad cannot be predicted, and three are done before a guess is mended.
        self.is_quiet(first, words) & self.is_quiet(second, words) & self.is_quiet(third, words)
    }

    /// Whether a slot holds a static tensor that is accepted and has no lint.
    #[inline(always)]
    fn is_quiet(&self, slot: &SlotPlan, words: &Words) -> bool {
        let counts =
            u64::from(word_at(words, slot.counts)) | u64::from(word_at(words, slot.counts.wrapping_add(1))) << 32;
        !slot.is_used
            | (self.is_good(self.rule(slot, words), word_at(words, slot.word)) & !has_zero_half(counts | slot.no_count))
    }

    fn mx_is_quiet(&self, slot: &SlotPlan, words: &Words) -> bool {
        let scale = word_at(words, slot.word.wrapping_add(1));
        let [extent_low, extent_high, direction, partition] = word_at(words, slot.word.wrapping_add(2)).to_le_bytes();
        self.is_good(self.rule(slot, words), word_at(words, slot.word))
            && self.is_good(Rule { in_sbuf: true, ..Rule::default() }, scale)
            && (extent_low | extent_high) != 0
            && matches!(direction, 1 | 0xFF)
            && matches!(partition, 0 | 4 | 8 | 12)
    }

    #[inline(always)]
    fn rule(&self, slot: &SlotPlan, words: &Words) -> Rule {
        let tag =
            word_at(words, slot.dtype_word).wrapping_shr(slot.dtype_shift.into()).to_le_bytes()[0] & slot.dtype_mask;
        let place = u16::from(slot.row) << 8 | u16::from(tag);
        self.rules.get(usize::from(place) % RULES).copied().unwrap_or_default()
    }

    /// Whether a word is static, in a place that the rule allows, and memory.
    #[inline(always)]
    fn is_good(&self, rule: Rule, word: u32) -> bool {
        let is_sbuf = word < SBUF_REGION_SIZE;
        let is_psum = word.wrapping_sub(PSUM_BASE) < PSUM_REGION_SIZE;
        let is_elsewhere = !is_sbuf & !is_psum & (word <= ADDRESS_MASK);
        let in_sbuf = rule.in_sbuf & is_sbuf & (word % SBUF_STRIDE < self.sbuf_active);
        let in_psum = rule.in_psum & is_psum & (word & PSUM_ACTIVE == 0);
        (in_sbuf | in_psum | (rule.elsewhere & is_elsewhere)) & (word & u32::from(rule.unaligned) == 0)
    }
}

const GOOD_LENGTH: u8 = 0x10;
const SATURATED_LENGTH: u8 = 0x11;

/// Whether one of two static sources lies in PSUM and one in SBUF, or both in the first partition of one quadrant.
#[inline]
fn sources_are_quiet([first, second, _]: &[SlotPlan; MOST_SLOTS], words: &Words) -> bool {
    let (first, second) = (word_at(words, first.word), word_at(words, second.word));
    let in_sbuf = |word| word < SBUF_REGION_SIZE;
    let in_psum = |word: u32| word.wrapping_sub(PSUM_BASE) < PSUM_REGION_SIZE;
    let is_first_of_quadrant = |word: u32| (word / SBUF_STRIDE).is_multiple_of(QUADRANT_PARTITIONS);
    match (in_sbuf(first), in_sbuf(second)) {
        (true, true) => first / SBUF_STRIDE == second / SBUF_STRIDE && is_first_of_quadrant(first),
        (true, false) => in_psum(second),
        (false, true) => in_psum(first),
        (false, false) => false,
    }
}

#[inline(always)]
fn word_at(words: &Words, index: u8) -> u32 {
    words.get(usize::from(index % 16)).map_or(0, |word| word.get())
}

/// Whether one of the four halves is zero.
#[inline(always)]
const fn has_zero_half(halves: u64) -> bool {
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
    const LOUD: Self =
        Self { slots: [UNUSED; MOST_SLOTS], has_slots: true, is_special: true, is_loud: true, is_tensor_tensor: false };

    fn new(generation: Generation, opcode: u8, rows: &mut Vec<[Rule; 256]>) -> Self {
        let facts = Family::of(generation, Opcode::new(opcode)).map_or(&[][..], |family| family.slots);
        let mut plan = Self {
            has_slots: !facts.is_empty(),
            is_loud: facts.len() > MOST_SLOTS || facts.iter().any(|slot| slot.check == SlotCheck::MustBeIndirect),
            is_tensor_tensor: matches!(opcode, 0x41 | 0x51),
            ..Self::LOUD
        };
        for (slot, facts) in plan.slots.iter_mut().zip(facts) {
            *slot = SlotPlan::new(generation, facts, row_of(generation, facts, rows));
        }
        plan.is_special = plan.is_loud || plan.is_tensor_tensor || plan.slots.iter().any(|slot| slot.is_mx);
        plan
    }
}

/// The row of a slot's rules, which is made unless there is one like it.
fn row_of(generation: Generation, facts: &'static SlotFacts, rows: &mut Vec<[Rule; 256]>) -> u8 {
    let mut tags = 0..=u8::MAX;
    let row = core::array::from_fn(|_| Rule::new(generation, facts, tags.next().unwrap_or_default()));
    let position = rows.iter().position(|known| *known == row).unwrap_or_else(|| {
        rows.push(row);
        rows.len().saturating_sub(1)
    });
    u8::try_from(position).unwrap_or(u8::MAX)
}

impl Rule {
    /// Asks the validator of a slot about a few addresses.
    fn new(generation: Generation, facts: &'static SlotFacts, tag: u8) -> Self {
        let dtype = (facts.dtype != DtypePlace::Unknown).then(|| WireTag::new(tag));
        let (steps, nums) = ([I16::new(1); 4], [U16::new(1); 4]);
        let verdict = |address| {
            let word = Addr4::from_bits(address);
            let mx = MxTensor1d {
                data: word.into(),
                scale: Addr4::default().into(),
                k_extent: U16::new(1),
                step_dir: 1,
                scale_part: 0,
                reserved: Reserved([0; 4]),
            };
            let operand = match facts.slot_type(generation) {
                None => Operand::Word(word),
                Some(slot @ SlotType::MxMemPattern1d) => Operand::Descriptor(slot, Pattern::MxStatic(&mx)),
                Some(slot) => Operand::Descriptor(slot, Pattern::Tensor(Tensor::new(word, &steps, &nums))),
            };
            Slot { facts, operand, dtype }.verdict(generation)
        };
        if verdict(0).is_none() {
            return Self { unaligned: 0, in_sbuf: true, in_psum: true, elsewhere: true };
        }
        let accepts = |address| verdict(address) == Some(Ok(()));
        let (in_sbuf, in_psum) = (accepts(0), accepts(PSUM_BASE));
        let base = if in_sbuf { 0 } else { PSUM_BASE };
        let bits = [1_u8, 2, 4].into_iter().filter(|&bit| !accepts(base | u32::from(bit)));
        Self { unaligned: bits.fold(0, |bits, bit| bits | bit), in_sbuf, in_psum, elsewhere: false }
    }
}

impl SlotPlan {
    fn new(generation: Generation, facts: &SlotFacts, row: u8) -> Self {
        let (byte, shift, dtype_mask) = match facts.dtype {
            DtypePlace::Byte(byte) => (byte, 0, 0xFF),
            DtypePlace::ByteSince(first, byte) if generation >= first => (byte, 0, 0xFF),
            DtypePlace::LowNibble(byte) => (byte, 0, 0x0F),
            DtypePlace::HighNibble(byte) => (byte, 4, 0x0F),
            DtypePlace::Unknown | DtypePlace::ByteSince(..) => (0, 0, 0),
        };
        let slot_type = facts.slot_type(generation);
        let is_judged = facts.flags.is_some() && dtype_mask != 0;
        // Counts stand behind as many steps, and the first may begin in the middle of a word.
        let (counts, no_count) = match slot_type.map_or(0, SlotType::loops) {
            _ if !is_judged => (0, u64::MAX),
            1 => (1, 0xFFFF_FFFF_0000_FFFF),
            2 => (2, 0xFFFF_FFFF_0000_0000),
            3 => (2, 0x0000_0000_0000_FFFF),
            4 => (3, 0),
            _ => (0, u64::MAX),
        };
        let word = facts.offset / 4;
        Self {
            word,
            counts: word.saturating_add(counts),
            no_count,
            dtype_word: byte / 4,
            dtype_shift: (byte % 4).saturating_mul(8).saturating_add(shift),
            dtype_mask,
            row,
            is_mx: slot_type == Some(SlotType::MxMemPattern1d),
            is_used: true,
        }
    }
}
