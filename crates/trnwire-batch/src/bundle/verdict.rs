//! What is found in the slots of a bundle, from its words and with few branches: on bad streams the scalar functions spend
//! their time on the mistakes of branch predictors.

use core::hint::select_unpredictable as select;

use trnwire::access::{Indirect, Pattern, Reason, Word, indirect_quadrant};
use trnwire::addr4::{self, Addr4, Lint, register_must_be_zero};
use trnwire::bundle::{Bundle, FindingId};
use trnwire::geometry::{ADDRESS_MASK, ADDRESS_REGISTERS};

use super::plan::{Plan, SlotPlan, Words, counts_of, has_zero_half, word_at};
use super::rule::{Class, Code, Rule};
use super::shape::{Holds, Shape, SlotShape};
use super::tally::{BlockTally, Kinds, LintBits};
use crate::plan::{CANONICAL, DEAD, LANDMARK, PSUM_FIXED, REGISTER};

/// How the indices of a gather are read: UINT32 in SBUF.
const INDEX: &Rule = &Rule {
    unaligned: 3,
    codes: {
        const PSUM: Code = Code::start(addr4::Reason::PsumNotAllowed);
        const ELSEWHERE: Code = Code::start(addr4::Reason::NotOnChip);
        const GOOD: Code = Code::GOOD;
        [GOOD, PSUM, ELSEWHERE, GOOD, GOOD, GOOD, GOOD, GOOD]
    },
    ..Rule::NONE
};

impl Plan {
    /// Counts what is found in the slots of a bundle of this shape, which has no MX record.
    #[inline(always)]
    pub(super) fn judge<S: Shape, const VERDICTS_ONLY: bool>(&self, bundle: &Bundle, tally: &mut BlockTally) -> Kinds {
        let (plans, words) = self.slots(bundle);
        let ([first, second, third, fourth], [for_first, for_second, for_third, for_fourth]) = (S::SLOTS, plans);
        let mut found = self.judge_slot::<VERDICTS_ONLY>(first, for_first, words, tally)
            | self.judge_slot::<VERDICTS_ONLY>(second, for_second, words, tally)
            | self.judge_slot::<VERDICTS_ONLY>(third, for_third, words, tally)
            | self.judge_slot::<VERDICTS_ONLY>(fourth, for_fourth, words, tally);
        if S::IS_TENSOR_TENSOR && !VERDICTS_ONLY {
            bundle.judge_sources(self.generation, |finding| found = found | tally.find(finding.id.index()));
        }
        found
    }

    #[inline(always)]
    fn judge_slot<const VERDICTS_ONLY: bool>(
        &self,
        slot: SlotShape,
        plan: &SlotPlan,
        words: &Words,
        tally: &mut BlockTally,
    ) -> Kinds {
        let (loops, is_judged) = match slot.holds {
            Holds::Nothing | Holds::Mx => return Kinds::NONE,
            Holds::Unjudged(loops) => (loops, false),
            Holds::Loops(loops) => (loops, true),
            Holds::Gather => (4, true),
        };
        let (word, behind) = (word_at(words, slot.word), word_at(words, slot.word.wrapping_add(1)));
        let is_indirect = word & DEAD == Addr4::INDIRECT.mask();
        let is_gather = is_indirect & (loops > 1);
        tally.more_words = tally.more_words.wrapping_add(is_gather.into());
        let mut found = Kinds::NONE;
        if is_judged {
            let Code(code) = self.slot_verdict(slot, plan, words);
            found = tally.find(code.into());
        }
        if VERDICTS_ONLY {
            return found;
        }
        if slot.holds == Holds::Gather && !is_indirect {
            found = found | tally.find(FindingId::MustBeIndirect.index());
        }
        found = found | tally.find_lints(self.lints(word));
        found = found | tally.find_lints(select(is_gather, self.lints(behind), LintBits::NONE));
        if is_gather & plan.has_quadrant_check {
            let (index, data) = (Addr4::from_bits(word), Addr4::from_bits(behind));
            let gather = Pattern::Indirect(Indirect { index, data, num: 0, tail: &[] });
            if indirect_quadrant(self.generation, &gather).is_err() {
                found = found | tally.find(FindingId::IndirectQuadrant.index());
            }
        }
        found
    }

    /// The verdict on a slot.
    #[inline(always)]
    fn slot_verdict(&self, slot: SlotShape, plan: &SlotPlan, words: &Words) -> Code {
        const ZERO_NUM: Code = Code::of(Reason::ZeroNum);
        let (word, rule) = (word_at(words, slot.word), self.rule(plan, words));
        let class = self.class(word);
        if rule.judges_gather & (class == Class::INDIRECT) {
            return self.gather_verdict(rule, slot, words);
        }
        let verdict = self.word_verdict(rule, class, word);
        let lacks_round = (word & DEAD == 0) & has_zero_half(counts_of(slot, words));
        select((verdict == Code::GOOD) & lacks_round, ZERO_NUM, verdict)
    }

    #[inline(always)]
    fn gather_verdict(&self, rule: &Rule, slot: SlotShape, words: &Words) -> Code {
        let at = |behind: u8| word_at(words, slot.word.wrapping_add(behind));
        let verdict = |rule, word| self.word_verdict(rule, self.class(word & !DEAD), word);
        let (index, data) = (verdict(INDEX, at(0)), verdict(rule, at(1)));
        let has_flags = at(1) & !ADDRESS_MASK != 0;
        let code = select(data == Code::GOOD, Code::GOOD, data.about(Word::Data));
        let code = select(has_flags, Code::of(Reason::DataFlags), code);
        let code = select(index == Code::GOOD, code, index.about(Word::Index));
        select(at(2) & 0xFFFF == 0, Code::of(Reason::ZeroNum), code)
    }

    /// What a rule says of a word of this class.
    #[inline(always)]
    fn word_verdict(&self, rule: &Rule, class: Class, word: u32) -> Code {
        const MISALIGNED: Code = Code::start(addr4::Reason::Misaligned);
        const RESERVED: Code = Code::start(addr4::Reason::RegReservedBits);
        const REGISTERS: [Code; 4] = [Code::GOOD, Code::start(addr4::Reason::RegIdRange), RESERVED, RESERVED];
        let is_misaligned = (class < Class::REGISTER) & (word & u32::from(rule.unaligned) != 0);
        let verdict = rule.codes.get(usize::from(class.0 % 8)).copied().unwrap_or(Code::GOOD);
        let verdict = select(is_misaligned, MISALIGNED, verdict);
        let has_bad_id = Addr4::REGISTER_ID.get(word) >= ADDRESS_REGISTERS;
        let is_reserved = word & register_must_be_zero(self.generation) != 0;
        let register = REGISTERS.get(usize::from(is_reserved) << 1 | usize::from(has_bad_id));
        select(class == Class::REGISTER, register.copied().unwrap_or(RESERVED), verdict)
    }

    /// All lints of a word.
    #[inline(always)]
    fn lints(&self, word: u32) -> LintBits {
        let landmark = word ^ LANDMARK;
        LintBits::if_so(Lint::DeadMode, landmark & DEAD == 0)
            | LintBits::if_so(Lint::UnbackedSbuf, self.unbacked.passes(word))
            | LintBits::if_so(Lint::PsumPad, landmark & (PSUM_FIXED | Addr4::PSUM_PAD.mask()) == 0)
            | LintBits::if_so(Lint::NoncanonicalRegister, (word & REGISTER != 0) & (word & CANONICAL != REGISTER))
    }
}
