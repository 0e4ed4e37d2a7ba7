//! What the validators say of a slot, for every use of an operand and every dtype: asked once, of a few addresses.

use trnwire::access::{Indirect, MxTensor1d, Pattern, Reason, SlotType, Tensor, Word};
use trnwire::addr4::{self, Addr4, Mode, Region};
use trnwire::arch::Generation;
use trnwire::bundle::{DtypePlace, FindingId, Operand, Slot, SlotFacts, Verdict};
use trnwire::dtype::WireTag;
use trnwire::geometry::{PSUM_BASE, PSUM_REGION_SIZE};
use trnwire::table::Reserved;
use zerocopy::little_endian::{I16, U16};

use crate::plan::{DEAD, PSUM_FIXED, SBUF_FIXED};

/// What the validator says of a slot for one use and one dtype.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rule {
    /// The static addresses in SBUF that are accepted.
    pub(super) in_sbuf: Test,
    /// The static addresses in PSUM that are accepted and backed.
    pub(super) in_psum: Test,
    /// The bits of an address that must be zero.
    pub(super) unaligned: u8,
    /// The verdict on each class of words, aligned ones and good registers.
    pub(super) codes: [Code; 8],
    /// A gather is neither refused nor unknown.
    pub(super) judges_gather: bool,
}

/// What the upper bits of a word say about it; its place among a rule's codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Class(pub(super) u8);

impl Class {
    const SBUF: Self = Self(0);
    const PSUM: Self = Self(1);
    pub(super) const ELSEWHERE: Self = Self(2);
    pub(super) const REGISTER: Self = Self(3);
    const DEAD: Self = Self(4);
    pub(super) const INDIRECT: Self = Self(5);

    pub(super) fn of(word: Addr4) -> Self {
        match (word.mode(), word.address().map(Region::of_address)) {
            (Mode::Dead, _) => Self::DEAD,
            (Mode::Indirect, _) => Self::INDIRECT,
            (_, None) => Self::REGISTER,
            (_, Some(Some(Region::Sbuf))) => Self::SBUF,
            (_, Some(Some(Region::Psum))) => Self::PSUM,
            (_, Some(None)) => Self::ELSEWHERE,
        }
    }
}

/// Do the bits of a word under a mask have this value?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Test {
    mask: u32,
    value: u32,
}

impl Test {
    /// No word passes.
    pub(super) const NEVER: Self = Self { mask: 0, value: 1 };

    pub(super) const fn new(mask: u32, value: u32) -> Self {
        Self { mask, value }
    }

    #[inline(always)]
    pub(super) const fn passes(self, word: u32) -> bool {
        word & self.mask == self.value
    }
}

/// Nothing wrong, or a reason: the place of its finding among all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Code(pub(super) u8);

impl Code {
    /// The place of none.
    #[expect(clippy::as_conversions, reason = "there are fewer than 64 findings")]
    pub(super) const GOOD: Self = Self(FindingId::COUNT as u8);

    #[expect(clippy::as_conversions, reason = "there are fewer than 64 findings")]
    pub(super) const fn of(reason: Reason) -> Self {
        Self(FindingId::Slot(reason).index() as u8)
    }

    /// That a start address is wrong.
    pub(super) const fn start(reason: addr4::Reason) -> Self {
        Self::of(Reason::Word(Word::Start, reason))
    }

    /// What is wrong with a start address, said of another word.
    pub(super) const fn about(self, word: Word) -> Self {
        const REASONS: usize = addr4::Reason::ALL.len();
        #[expect(clippy::as_conversions, reason = "as in `of`")]
        Self(self.0.wrapping_add(word.index().wrapping_mul(REASONS) as u8))
    }
}

/// All rules that differ, and where each stands.
#[derive(Default)]
pub(super) struct Rules {
    pub(super) rules: Vec<Rule>,
    /// For each use of an operand, the place of the rule for each value of the byte that tells the dtype.
    pub(super) rows: Vec<[u8; 256]>,
}

impl Rules {
    /// The row of a slot's rules, which is made unless there is one like it; `None` when there is no room for another.
    pub(super) fn row_of(&mut self, generation: Generation, facts: &'static SlotFacts) -> Option<u8> {
        let mut row = [0; 256];
        for (place, byte) in row.iter_mut().zip(0..=u8::MAX) {
            let rule = Rule::new(generation, facts, byte);
            *place = place_of(&mut self.rules, rule)?;
        }
        place_of(&mut self.rows, row)
    }
}

/// The place of a value, which is added unless it is there.
fn place_of<T: PartialEq>(values: &mut Vec<T>, value: T) -> Option<u8> {
    let place = values.iter().position(|known| *known == value).unwrap_or_else(|| {
        values.push(value);
        values.len().saturating_sub(1)
    });
    u8::try_from(place).ok()
}

/// The byte of a bundle that tells the dtype of a slot, if it is known.
pub(super) fn dtype_byte(generation: Generation, facts: &SlotFacts) -> Option<u8> {
    match facts.dtype {
        DtypePlace::Byte(byte) | DtypePlace::LowNibble(byte) | DtypePlace::HighNibble(byte) => Some(byte),
        DtypePlace::ByteSince(first, byte) if generation >= first => Some(byte),
        DtypePlace::Unknown | DtypePlace::ByteSince(..) => None,
    }
}

impl Rule {
    /// Where no verdict is known.
    pub(super) const UNJUDGED: Self = Self {
        in_sbuf: Test::new(DEAD | SBUF_FIXED, 0),
        in_psum: Test::new(DEAD | PSUM_FIXED | Addr4::PSUM_PAD.mask(), PSUM_BASE),
        ..Self::NONE
    };

    /// No word is quiet, and nothing wrong.
    pub(super) const NONE: Self =
        Self { in_sbuf: Test::NEVER, in_psum: Test::NEVER, unaligned: 0, codes: [Code::GOOD; 8], judges_gather: false };

    /// Asks the validator of a slot about a few addresses; the byte tells the dtype.
    fn new(generation: Generation, facts: &'static SlotFacts, byte: u8) -> Self {
        let dtype = match facts.dtype {
            DtypePlace::Unknown => None,
            DtypePlace::ByteSince(first, _) if generation < first => None,
            DtypePlace::Byte(_) | DtypePlace::ByteSince(..) => Some(WireTag::new(byte)),
            DtypePlace::LowNibble(_) => Some(WireTag::new(byte & 0x0F)),
            DtypePlace::HighNibble(_) => Some(WireTag::new(byte >> 4)),
        };
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
        let index = Addr4::from_bits(Addr4::INDIRECT.mask());
        let gather = Indirect { index, data: Addr4::default(), num: 1, tail: &[] };
        let gather = match facts.slot_type(generation) {
            Some(slot) if slot.loops() > 1 => {
                Slot { facts, operand: Operand::Descriptor(slot, Pattern::Indirect(gather)), dtype }.verdict(generation)
            }
            _ => Some(Err(Reason::IndirectInTensor)),
        };
        let code = |verdict: Verdict| verdict.and_then(Result::err).map_or(Code::GOOD, Code::of);
        // An MX record names its data word.
        let misaligned = [Word::Start, Word::Data].map(|word| Some(Err(Reason::Word(word, addr4::Reason::Misaligned))));
        let unaligned = [1_u8, 2, 4].into_iter().filter(|&bit| misaligned.contains(&verdict(bit.into()))).sum();
        let [in_sbuf, in_psum, elsewhere] =
            [0, PSUM_BASE, PSUM_BASE + PSUM_REGION_SIZE].map(|address| code(verdict(address)));
        let test = |region, fixed, value| match region {
            Code::GOOD => Test::new(DEAD | fixed | u32::from(unaligned), value),
            _ => Test::NEVER,
        };
        let (dead, indirect) = (Code::of(Reason::DeadMode), code(gather));
        Self {
            in_sbuf: test(in_sbuf, SBUF_FIXED, 0),
            in_psum: test(in_psum, PSUM_FIXED | Addr4::PSUM_PAD.mask(), PSUM_BASE),
            unaligned,
            codes: [in_sbuf, in_psum, elsewhere, Code::GOOD, dead, indirect, Code::GOOD, Code::GOOD],
            judges_gather: !matches!(gather, None | Some(Err(Reason::IndirectInTensor))),
        }
    }
}
