//! What the validators say of a slot, for every use of an operand and every dtype: asked once, of a few addresses.

use trnwire::access::{Indirect, MxTensor1d, Pattern, Reason, SlotType, Tensor, Word};
use trnwire::addr4::{self, Addr4};
use trnwire::arch::Generation;
use trnwire::bundle::{DtypePlace, Operand, Slot, SlotFacts, Verdict};
use trnwire::dtype::WireTag;
use trnwire::geometry::{PSUM_BASE, PSUM_REGION_SIZE};
use trnwire::table::Reserved;
use zerocopy::little_endian::{I16, U16};

/// Rows of rules, each for one way to use an operand.
const ROWS: usize = 16;
pub(super) const RULES: usize = ROWS << 8;

/// What the validator says of a slot for one use and one dtype.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Rule {
    /// The bits of an address that must be zero.
    pub(super) unaligned: u8,
    /// The verdict on an aligned address in SBUF, in PSUM and elsewhere.
    pub(super) regions: [Code; 3],
    /// The verdict is not known, so that nothing is wrong.
    pub(super) is_unknown: bool,
    /// What is said of a gather.
    pub(super) gather: Gather,
}

/// Nothing wrong, or a reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Code(pub(super) u8);

impl Code {
    pub(super) const GOOD: Self = Self(0);

    /// The code of a reason.
    #[expect(clippy::as_conversions, clippy::arithmetic_side_effects, reason = "there are fewer than 255 reasons")]
    pub(super) const fn of(reason: Reason) -> Self {
        Self(reason.index() as u8 + 1)
    }

    /// The place of its reason among all.
    pub(super) fn index(self) -> Option<usize> {
        self.0.checked_sub(1).map(usize::from)
    }
}

/// What the validator does with a gather.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Gather {
    /// It looks at index and data.
    #[default]
    Judged,
    /// It refuses it.
    Refused,
    /// That is not known.
    Unknown,
}

/// Where the rule of a slot stands.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DtypePlan {
    pub(super) word: u8,
    pub(super) shift: u8,
    pub(super) mask: u8,
    pub(super) row: u8,
}

/// The row of a slot's rules, which is made unless there is one like it; `None` when there is no room for another.
pub(super) fn row_of(generation: Generation, facts: &'static SlotFacts, rows: &mut Vec<[Rule; 256]>) -> Option<u8> {
    let mut tags = 0..=u8::MAX;
    let row = core::array::from_fn(|_| Rule::new(generation, facts, tags.next().unwrap_or_default()));
    let position = rows.iter().position(|known| *known == row).unwrap_or_else(|| {
        rows.push(row);
        rows.len().saturating_sub(1)
    });
    u8::try_from(position).ok().filter(|_| position < ROWS)
}

impl Rule {
    /// Asks the validator of a slot about a few addresses.
    fn new(generation: Generation, facts: &'static SlotFacts, tag: u8) -> Self {
        let dtype = match facts.dtype {
            DtypePlace::Unknown => None,
            DtypePlace::ByteSince(first, _) if generation < first => None,
            _ => Some(WireTag::new(tag)),
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
        let gather_bytes = [0_u8; 20];
        let gather = Indirect {
            index: Addr4::from_bits(Addr4::INDIRECT.mask()),
            data: Addr4::default(),
            num: 1,
            tail: gather_bytes.get(10..).unwrap_or_default(),
        };
        let gather = match facts.slot_type(generation) {
            Some(slot) if slot.loops() > 1 => {
                Slot { facts, operand: Operand::Descriptor(slot, Pattern::Indirect(gather)), dtype }.verdict(generation)
            }
            _ => Some(Err(Reason::IndirectInTensor)),
        };
        let gather = match gather {
            None => Gather::Unknown,
            Some(Err(Reason::IndirectInTensor)) => Gather::Refused,
            Some(_) => Gather::Judged,
        };
        let code = |verdict: Verdict| verdict.and_then(Result::err).map_or(Code::GOOD, Code::of);
        let misaligned = Some(Err(Reason::Word(Word::Start, addr4::Reason::Misaligned)));
        // An MX record names its data word.
        let mx_misaligned = Some(Err(Reason::Word(Word::Data, addr4::Reason::Misaligned)));
        let bits = [1_u8, 2, 4].into_iter().filter(|&bit| {
            let verdict = verdict(u32::from(bit));
            verdict == misaligned || verdict == mx_misaligned
        });
        Self {
            unaligned: bits.fold(0, |bits, bit| bits | bit),
            regions: [0, PSUM_BASE, PSUM_BASE + PSUM_REGION_SIZE].map(|address| code(verdict(address))),
            is_unknown: verdict(0).is_none(),
            gather,
        }
    }
}

impl DtypePlan {
    pub(super) fn new(generation: Generation, place: DtypePlace, row: u8) -> Self {
        let (byte, shift, mask) = match place {
            DtypePlace::Byte(byte) => (byte, 0, 0xFF),
            DtypePlace::ByteSince(first, byte) if generation >= first => (byte, 0, 0xFF),
            DtypePlace::LowNibble(byte) => (byte, 0, 0x0F),
            DtypePlace::HighNibble(byte) => (byte, 4, 0x0F),
            DtypePlace::Unknown | DtypePlace::ByteSince(..) => (0, 0, 0),
        };
        Self { word: byte / 4, shift: (byte % 4).saturating_mul(8).saturating_add(shift), mask, row }
    }
}
