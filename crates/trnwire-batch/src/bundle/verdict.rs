//! The verdicts on the slots of a bundle from its words, with few branches: for [`BundleScanner::verdicts_only`], which would
//! otherwise spend its time on the mistakes of branch predictors.
//!
//! [`BundleScanner::verdicts_only`]: super::BundleScanner::verdicts_only

use trnwire::access::{Reason, Word};
use trnwire::addr4::{self, Addr4, register_must_be_zero};
use trnwire::bundle::Bundle;
use trnwire::geometry::{ADDRESS_MASK, ADDRESS_REGISTERS, PSUM_BASE, PSUM_REGION_SIZE, SBUF_REGION_SIZE};
use zerocopy::{FromBytes, IntoBytes};

use super::plan::{Plan, Words, counts_of, has_zero_half, word_at};
use super::rule::{Code, DtypePlan, Gather, Rule};
use super::shape::{Holds, Shape, SlotShape};

/// What is found in the slots of one bundle.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Found {
    pub(super) verdicts: [Code; 3],
    /// Address words beyond those that the slots have when they are quiet.
    pub(super) more_words: u8,
}

impl Found {
    #[inline(always)]
    pub(super) fn is_wrong(self) -> bool {
        self.verdicts.iter().any(|verdict| *verdict != Code::GOOD)
    }
}

/// How the indices of a gather are read: UINT32 in SBUF.
const INDEX: Rule = Rule {
    unaligned: 3,
    regions: [Code::GOOD, start(addr4::Reason::PsumNotAllowed), start(addr4::Reason::NotOnChip)],
    is_unknown: false,
    gather: Gather::Refused,
};

const fn start(reason: addr4::Reason) -> Code {
    Code::of(Reason::Word(Word::Start, reason))
}

impl Plan {
    /// The verdicts on a bundle of this shape, which has no MX record.
    #[inline(always)]
    pub(super) fn verdicts<S: Shape>(&self, bundle: &Bundle) -> Found {
        let Ok(words) = Words::ref_from_bytes(bundle.as_bytes()) else { return Found::default() };
        let Some(plan) = self.opcode(bundle.opcode) else { return Found::default() };
        let [first, second, third] = &plan.dtypes;
        let slots = [
            self.slot_verdict(S::FIRST, first, words),
            self.slot_verdict(S::SECOND, second, words),
            self.slot_verdict(S::THIRD, third, words),
        ];
        let more_words = slots.iter().fold(0_u8, |sum, (_, more)| sum.wrapping_add(u8::from(*more)));
        Found { verdicts: slots.map(|(code, _)| code), more_words }
    }

    /// The verdict on a slot, and whether it is a gather.
    #[inline(always)]
    fn slot_verdict(&self, slot: SlotShape, dtype: &DtypePlan, words: &Words) -> (Code, bool) {
        const DEAD: Code = Code::of(Reason::DeadMode);
        const REFUSED: Code = Code::of(Reason::IndirectInTensor);
        const ZERO_NUM: Code = Code::of(Reason::ZeroNum);
        let loops = match slot.holds {
            Holds::Loops(loops) => loops,
            Holds::Nothing | Holds::Word | Holds::Mx => return (Code::GOOD, false),
        };
        let rule = self.rule(dtype, words);
        let word = word_at(words, slot.word);
        let mode = word >> 29 & 0b11;
        let (is_indirect, is_active) = (mode == 0b01, mode == 0b10);
        let mut verdict = self.word_verdict(rule, word);
        if (verdict == Code::GOOD) & !is_active & has_zero_half(counts_of(slot, words)) {
            verdict = ZERO_NUM;
        }
        if mode == 0b11 {
            verdict = DEAD;
        }
        if is_indirect {
            verdict = match rule.gather {
                Gather::Judged => self.gather_verdict(rule, slot, words),
                Gather::Refused => REFUSED,
                Gather::Unknown => Code::GOOD,
            };
        }
        (if rule.is_unknown { Code::GOOD } else { verdict }, is_indirect & (loops > 1))
    }

    fn gather_verdict(&self, rule: Rule, slot: SlotShape, words: &Words) -> Code {
        let at = |behind: u8| word_at(words, slot.word.wrapping_add(behind));
        let (index, data) = (self.word_verdict(INDEX, at(0)), self.word_verdict(rule, at(1)));
        match (index, data) {
            _ if at(2) & 0xFFFF == 0 => Code::of(Reason::ZeroNum),
            (Code::GOOD, _) if at(1) & !ADDRESS_MASK != 0 => Code::of(Reason::DataFlags),
            (Code::GOOD, Code::GOOD) => Code::GOOD,
            (Code::GOOD, data) => of_word(Word::Data, data),
            (index, _) => of_word(Word::Index, index),
        }
    }

    /// `tensor_start_addr_valid`, as a start address.
    #[inline(always)]
    fn word_verdict(&self, rule: Rule, word: u32) -> Code {
        const RESERVED: Code = start(addr4::Reason::RegReservedBits);
        const ID: Code = start(addr4::Reason::RegIdRange);
        const MISALIGNED: Code = start(addr4::Reason::Misaligned);
        let mut register = Code::GOOD;
        if Addr4::REGISTER_ID.get(word) >= ADDRESS_REGISTERS {
            register = ID;
        }
        if word & register_must_be_zero(self.generation) != 0 {
            register = RESERVED;
        }
        let address = word & ADDRESS_MASK;
        let [in_sbuf, in_psum, elsewhere] = rule.regions;
        let mut verdict = if address < SBUF_REGION_SIZE { in_sbuf } else { elsewhere };
        if address.wrapping_sub(PSUM_BASE) < PSUM_REGION_SIZE {
            verdict = in_psum;
        }
        if address & u32::from(rule.unaligned) != 0 {
            verdict = MISALIGNED;
        }
        if word & Addr4::REGISTER.mask() == 0 { verdict } else { register }
    }
}

/// The code of a start address's reason as one of another word.
const fn of_word(word: Word, code: Code) -> Code {
    const REASONS: usize = addr4::Reason::ALL.len();
    #[expect(clippy::as_conversions, clippy::arithmetic_side_effects, reason = "there are fewer than 255 reasons")]
    Code(code.0 + (word.index() * REASONS) as u8)
}
