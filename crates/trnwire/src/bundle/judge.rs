//! Everything that can be found wrong or odd in a bundle. All findings are reported, those of the bundle first.

use core::fmt;

use super::family::SlotCheck;
use super::header::Bundle;
use super::slot::{Operand, Slot};
use crate::access::{Reason, indirect_quadrant, tt_placement};
use crate::addr4::{Lint, lints};
use crate::arch::Generation;
use crate::check::Severity;

/// What is wrong or odd. Displayed as its id: `unknown_opcode`, `slot:misaligned`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FindingId {
    /// The opcode is not assigned.
    UnknownOpcode,
    /// The opcode is assigned on another generation.
    OpcodeNotOnArch,
    /// A single source names the opcode and does not say on which generations.
    OpcodeOneSource,
    /// The opcode is lowered before the device sees it.
    PseudoOpcode,
    /// The length is not that of a bundle.
    InstWordLen,
    /// A length that one source has for saturation and another refuses.
    InstWordLenDisputed,
    /// The wait mode is not known.
    UnknownWaitMode,
    /// The update mode is not known.
    UnknownUpdateMode,
    /// The place of some slots is not known.
    SlotsUnknown,
    /// The validator rejects a slot.
    Slot(Reason),
    /// A slot that must hold a gather does not.
    MustBeIndirect,
    /// Index and data of a gather do not lie in one quadrant.
    IndirectQuadrant,
    /// A lint of an address word.
    Lint(Lint),
    /// The sources of a tensor-tensor instruction may not lie where they do.
    TtPlacement,
}

impl FindingId {
    /// The findings that stand for themselves, in the order of the enum, before and after those of slots and words.
    const BEFORE_SLOTS: [Self; 9] = [
        Self::UnknownOpcode,
        Self::OpcodeNotOnArch,
        Self::OpcodeOneSource,
        Self::PseudoOpcode,
        Self::InstWordLen,
        Self::InstWordLenDisputed,
        Self::UnknownWaitMode,
        Self::UnknownUpdateMode,
        Self::SlotsUnknown,
    ];

    /// How many there are.
    pub const COUNT: usize = Self::BEFORE_SLOTS.len() + Reason::COUNT + 2 + Lint::ALL.len() + 1;

    /// Every id, in ascending order.
    pub fn all() -> impl Iterator<Item = Self> {
        let before = Self::BEFORE_SLOTS.into_iter().chain(Reason::all().map(Self::Slot));
        let after = [Self::MustBeIndirect, Self::IndirectQuadrant].into_iter();
        before.chain(after).chain(Lint::ALL.iter().copied().map(Self::Lint)).chain([Self::TtPlacement])
    }

    /// Its place in [`FindingId::all`].
    #[must_use]
    pub const fn index(self) -> usize {
        const SLOT: usize = FindingId::BEFORE_SLOTS.len();
        const LINT: usize = SLOT + Reason::COUNT + 2;
        const AFTER_LINTS: usize = LINT + Lint::ALL.len();
        match self {
            Self::UnknownOpcode => 0,
            Self::OpcodeNotOnArch => 1,
            Self::OpcodeOneSource => 2,
            Self::PseudoOpcode => 3,
            Self::InstWordLen => 4,
            Self::InstWordLenDisputed => 5,
            Self::UnknownWaitMode => 6,
            Self::UnknownUpdateMode => 7,
            Self::SlotsUnknown => 8,
            Self::Slot(reason) => SLOT.saturating_add(reason.index()),
            Self::MustBeIndirect => SLOT + Reason::COUNT,
            Self::IndirectQuadrant => SLOT + Reason::COUNT + 1,
            Self::Lint(lint) => LINT.saturating_add(lint.index()),
            Self::TtPlacement => AFTER_LINTS,
        }
    }

    /// How bad it is.
    #[must_use]
    pub const fn severity(self) -> Severity {
        match self {
            Self::OpcodeOneSource | Self::PseudoOpcode | Self::InstWordLenDisputed | Self::SlotsUnknown => {
                Severity::Note
            }
            Self::UnknownWaitMode | Self::UnknownUpdateMode => Severity::Warning,
            Self::Lint(lint) => lint.severity(),
            Self::UnknownOpcode
            | Self::OpcodeNotOnArch
            | Self::InstWordLen
            | Self::Slot(_)
            | Self::MustBeIndirect
            | Self::IndirectQuadrant
            | Self::TtPlacement => Severity::Error,
        }
    }

    /// The id in three pieces, for writing it without formatting.
    pub(super) const fn pieces(self) -> [&'static str; 3] {
        let name = match self {
            Self::Slot(Reason::Word(word, reason)) => return ["slot:", word.prefix(), reason.code()],
            Self::Slot(reason) => return ["slot:", "", reason.bare_code()],
            Self::UnknownOpcode => "unknown_opcode",
            Self::OpcodeNotOnArch => "opcode_not_on_arch",
            Self::OpcodeOneSource => "opcode_one_source",
            Self::PseudoOpcode => "pseudo_opcode",
            Self::InstWordLen => "inst_word_len",
            Self::InstWordLenDisputed => "inst_word_len_disputed",
            Self::UnknownWaitMode => "unknown_wait_mode",
            Self::UnknownUpdateMode => "unknown_update_mode",
            Self::SlotsUnknown => "slots_unknown",
            Self::MustBeIndirect => "must_be_indirect",
            Self::IndirectQuadrant => "indirect_quadrant",
            Self::Lint(lint) => lint.code(),
            Self::TtPlacement => "tt_placement",
        };
        [name, "", ""]
    }
}

impl fmt::Display for FindingId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pieces().into_iter().try_for_each(|piece| f.write_str(piece))
    }
}

/// Something wrong or odd, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What.
    pub id: FindingId,
    /// Byte in the bundle.
    pub offset: u8,
}

const INST_WORD_LEN: u8 = 0x10;
const INST_WORD_LEN_SATURATED: u8 = 0x11;
const QUANTIZE_MX: u8 = 0xE3;
const TENSOR_TENSOR: [u8; 2] = [0x41, 0x51];

impl Bundle {
    /// Reports every finding: those of the header, then slot by slot, each in the order of [`FindingId`].
    pub fn judge(&self, generation: Generation, mut report: impl FnMut(Finding)) {
        self.judge_header(generation, &mut report);
        self.judge_slots(generation, &mut report);
    }

    /// Reports the findings of slots, and at the end that of the sources of a tensor-tensor instruction.
    pub fn judge_slots(&self, generation: Generation, mut report: impl FnMut(Finding)) {
        for slot in self.slots(generation) {
            slot.judge(generation, &mut report);
        }
        self.judge_sources(generation, report);
    }

    /// Reports the finding about where the two sources of a tensor-tensor instruction lie.
    #[inline]
    pub fn judge_sources(&self, generation: Generation, mut report: impl FnMut(Finding)) {
        if !TENSOR_TENSOR.contains(&self.opcode) {
            return;
        }
        if let Some(offset) = self.misplaced_sources(generation) {
            report(Finding { id: FindingId::TtPlacement, offset });
        }
    }

    /// Reports the findings of the header. What the header says decides them, and nothing in the body.
    pub fn judge_header(&self, generation: Generation, mut report: impl FnMut(Finding)) {
        let mut report = |id, offset| report(Finding { id, offset });
        let facts = self.opcode().facts();
        let is_known = self.opcode().is_on(generation);
        let family = self.family(generation);
        match (facts, is_known) {
            (None, _) => report(FindingId::UnknownOpcode, 0),
            (Some(_), Some(false)) => report(FindingId::OpcodeNotOnArch, 0),
            (Some(_), None) => report(FindingId::OpcodeOneSource, 0),
            (Some(_), Some(true)) => {}
        }
        if facts.is_some() && self.opcode().is_pseudo() {
            report(FindingId::PseudoOpcode, 0);
        }
        match self.inst_word_len {
            INST_WORD_LEN => {}
            INST_WORD_LEN_SATURATED if family.is_some() && self.opcode == QUANTIZE_MX => {
                report(FindingId::InstWordLenDisputed, 1);
            }
            _ => report(FindingId::InstWordLen, 1),
        }
        if self.wait().is_none() {
            report(FindingId::UnknownWaitMode, 4);
        }
        if self.update().is_none() {
            report(FindingId::UnknownUpdateMode, 6);
        }
        if is_known == Some(true) && family.is_none_or(|family| !family.unknown.is_empty()) {
            report(FindingId::SlotsUnknown, 12);
        }
    }

    /// The place of the first source of a tensor-tensor instruction whose sources may not lie where they do.
    fn misplaced_sources(&self, generation: Generation) -> Option<u8> {
        let mut slots = self.slots(generation);
        let (first, second) = (slots.next()?, slots.next()?);
        let is_plain = !first.is_indirect() && !second.is_indirect();
        let is_misplaced = tt_placement(generation, first.first_word(), second.first_word()).is_err();
        (is_plain && is_misplaced).then_some(first.facts.offset)
    }
}

impl Slot<'_> {
    /// Reports the findings of this slot, in the order of [`FindingId`].
    #[inline(always)]
    pub fn judge(&self, generation: Generation, mut report: impl FnMut(Finding)) {
        let mut report = |id, offset| report(Finding { id, offset });
        let offset = self.facts.offset;
        if let Some(Err(reason)) = self.verdict(generation) {
            report(FindingId::Slot(reason), offset);
        }
        if self.facts.check == SlotCheck::MustBeIndirect && !self.is_indirect() {
            report(FindingId::MustBeIndirect, offset);
        }
        let crosses_quadrants = match &self.operand {
            Operand::Descriptor(slot, pattern) if slot.is_mem_pattern() && generation == Generation::Gen4 => {
                indirect_quadrant(generation, pattern).is_err()
            }
            _ => false,
        };
        if crosses_quadrants {
            report(FindingId::IndirectQuadrant, offset);
        }
        for (offset, word) in self.words() {
            let lints = lints(generation, word);
            // Most words have none.
            if !lints.is_empty() {
                lints.iter().for_each(|lint| report(FindingId::Lint(lint), offset));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_finding_has_a_place_of_its_own() {
        let all: alloc::vec::Vec<_> = FindingId::all().collect();
        assert_eq!(all.len(), FindingId::COUNT);
        assert!(all.is_sorted());
        for (index, id) in all.iter().enumerate() {
            assert_eq!(id.index(), index, "{id}");
        }
    }
}
