//! What came out of many bundles.

use trnwire::access::{Reason, Word};
use trnwire::addr4;
use trnwire::arch::Generation;
use trnwire::bundle::{Bundle, FindingId};
use trnwire::check::Severity;

use super::plan::{HEADERS, Plan, rank};
use super::rule::Code;
use super::verdict::Found;

/// Positions that are kept per id.
const FIRST: usize = 8;

/// How often something occurred, and on which bundles first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Tally {
    count: u64,
    first: Vec<u64>,
}

impl Tally {
    /// Keeps a position if it is among the first ones. Within a block they need not come in order.
    #[inline]
    fn see(&mut self, position: u64) {
        if self.first.len() < FIRST || self.first.last().is_some_and(|&last| position < last) {
            self.keep(position);
        }
    }

    #[cold]
    fn keep(&mut self, position: u64) {
        if let Err(place) = self.first.binary_search(&position) {
            self.first.insert(place, position);
            self.first.truncate(FIRST);
        }
    }

    const fn lacks(&self) -> bool {
        self.first.len() < FIRST
    }
}

/// Counts per finding, per opcode and per severity, and where the first of each stand.
///
/// Positions are those of bundles, counted from the first one that went into the summary.
#[derive(Clone, Debug)]
pub struct BundleSummary {
    items: u64,
    words: u64,
    opcodes: Vec<u64>,
    findings: Vec<Tally>,
    warning: Tally,
    error: Tally,
    /// Headers by their key: not yet part of the counts above.
    headers: Vec<u64>,
    /// Header findings that lack positions, each at the place of its index.
    wanted: u16,
    /// Verdicts by their code: not yet part of the counts above.
    codes: [u64; CODES],
    /// Codes that lacked positions when the block began.
    codes_wanted: u64,
}

/// More codes than there are.
const CODES: usize = 64;
const _: () = assert!(Reason::COUNT < CODES);

/// The place of the first verdict among the findings.
const FIRST_SLOT: usize = FindingId::Slot(Reason::Word(Word::Start, addr4::Reason::RegReservedBits)).index();

impl BundleSummary {
    pub(super) fn new() -> Self {
        Self {
            items: 0,
            words: 0,
            opcodes: vec![0; 256],
            findings: vec![Tally::default(); FindingId::COUNT],
            warning: Tally::default(),
            error: Tally::default(),
            headers: vec![0; HEADERS],
            wanted: u16::MAX,
            codes: [0; CODES],
            codes_wanted: !1,
        }
    }

    /// How many bundles were judged.
    #[must_use]
    pub const fn items(&self) -> u64 {
        self.items
    }

    /// How many address words were found.
    #[must_use]
    pub const fn words(&self) -> u64 {
        self.words
    }

    /// How many bundles have a finding of this severity and none above; [`Severity::Note`] stands for those with none above
    /// it.
    #[must_use]
    pub const fn worst(&self, severity: Severity) -> u64 {
        match severity {
            Severity::Note => self.items.wrapping_sub(self.warning.count).wrapping_sub(self.error.count),
            Severity::Warning => self.warning.count,
            Severity::Error => self.error.count,
        }
    }

    /// Where the first of these stand; nothing for [`Severity::Note`].
    #[must_use]
    pub fn first_worst(&self, severity: Severity) -> &[u64] {
        match severity {
            Severity::Note => &[],
            Severity::Warning => &self.warning.first,
            Severity::Error => &self.error.first,
        }
    }

    /// How often this was found.
    #[must_use]
    pub fn count(&self, id: FindingId) -> u64 {
        self.findings.get(id.index()).map_or(0, |tally| tally.count)
    }

    /// On which bundles it was found first.
    #[must_use]
    pub fn first(&self, id: FindingId) -> &[u64] {
        self.findings.get(id.index()).map_or(&[], |tally| &tally.first)
    }

    /// How many bundles have this opcode.
    #[must_use]
    pub fn opcode(&self, opcode: u8) -> u64 {
        self.opcodes.get(usize::from(opcode)).copied().unwrap_or_default()
    }

    /// Counts the header of a bundle of the current block.
    #[inline(always)]
    pub(super) fn push_header(&mut self, key: u16) {
        if let Some(count) = self.headers.get_mut(usize::from(key)) {
            *count = count.wrapping_add(1);
        }
    }

    /// Keeps the position of header findings of which some are wanted.
    #[inline(always)]
    pub(super) fn look_at_header(&mut self, position: u16, findings: u16) {
        if findings & self.wanted != 0 {
            self.keep_header(position, findings);
        }
    }

    #[cold]
    fn keep_header(&mut self, position: u16, findings: u16) {
        let position = self.items.wrapping_add(position.into());
        let mut wanted = 0;
        for (bit, tally) in self.findings.iter_mut().take(16).enumerate() {
            if findings >> bit & 1 != 0 {
                tally.see(position);
            }
            wanted |= u16::from(tally.lacks()) << bit;
        }
        self.wanted = wanted;
    }

    /// Counts the findings on the slots of a bundle of the current block, or their verdicts alone; gives the worst. Its
    /// words are counted as those of a quiet one when [`BundleSummary::settle`] comes, and here what they differ by.
    #[inline(always)]
    pub(super) fn push_slots<const VERDICTS_ONLY: bool>(
        &mut self,
        generation: Generation,
        position: u16,
        bundle: &Bundle,
        quiet_words: u8,
    ) -> Severity {
        let position = self.items.wrapping_add(position.into());
        let mut worst = Severity::Note;
        let mut words = 0_usize;
        for slot in bundle.slots(generation) {
            words = slot.word_count().saturating_add(words);
            if !VERDICTS_ONLY {
                slot.judge(generation, |finding| {
                    worst = worst.max(finding.id.severity());
                    self.push_finding(finding.id, position);
                });
            } else if let Some(Err(reason)) = slot.verdict(generation) {
                self.push_finding(FindingId::Slot(reason), position);
            }
        }
        if !VERDICTS_ONLY {
            bundle.judge_sources(generation, |finding| {
                worst = worst.max(finding.id.severity());
                self.push_finding(finding.id, position);
            });
        }
        self.words = self.words.wrapping_add(u64::try_from(words).unwrap_or_default()).wrapping_sub(quiet_words.into());
        worst
    }

    /// Counts the verdicts on the slots of a bundle of the current block.
    #[inline(always)]
    pub(super) fn push_verdicts(&mut self, position: u16, found: Found) {
        self.words = self.words.wrapping_add(found.more_words.into());
        for Code(code) in found.verdicts {
            if let Some(count) = self.codes.get_mut(usize::from(code) % CODES) {
                *count = count.wrapping_add(1);
            }
            if self.codes_wanted >> (code % 64) & 1 != 0 {
                self.keep_code(position, Code(code));
            }
        }
    }

    #[cold]
    fn keep_code(&mut self, position: u16, code: Code) {
        let position = self.items.wrapping_add(position.into());
        let place = code.index().map(|index| FIRST_SLOT.saturating_add(index));
        if let Some(tally) = place.and_then(|place| self.findings.get_mut(place)) {
            tally.see(position);
        }
    }

    #[inline]
    fn push_finding(&mut self, id: FindingId, position: u64) {
        if let Some(tally) = self.findings.get_mut(id.index()) {
            tally.count = tally.count.wrapping_add(1);
            tally.see(position);
        }
    }

    /// Counts the rank of the worst finding of each bundle of the current block.
    pub(super) fn push_worst(&mut self, worst: &[u8]) {
        for (tally, severity) in [(&mut self.warning, Severity::Warning), (&mut self.error, Severity::Error)] {
            let rank = rank(severity);
            let count = worst.iter().map(|&worst| u64::from(worst == rank)).sum::<u64>();
            tally.count = tally.count.wrapping_add(count);
            if count > 0 && tally.lacks() {
                let positions = (self.items..).zip(worst).filter(|(_, worst)| **worst == rank);
                positions.for_each(|(position, _)| tally.see(position));
            }
        }
    }

    /// Ends a block of so many bundles.
    pub(super) fn end_block(&mut self, bundles: usize) {
        self.items = self.items.wrapping_add(u64::try_from(bundles).unwrap_or_default());
        let verdicts = self.findings.iter().skip(FIRST_SLOT).take(Reason::COUNT).map(Tally::lacks);
        self.codes_wanted = (1..).zip(verdicts).fold(0, |wanted, (code, lacks)| wanted | u64::from(lacks) << code);
    }

    /// Appends a bundle as the scalar functions judge it.
    pub(super) fn push_scalar(&mut self, generation: Generation, verdicts_only: bool, bundle: &Bundle) {
        let position = self.items;
        let mut worst = Severity::Note;
        bundle.judge(generation, |finding| {
            if verdicts_only && !matches!(finding.id, FindingId::Slot(_)) {
                return;
            }
            if !verdicts_only {
                worst = worst.max(finding.id.severity());
            }
            self.push_finding(finding.id, position);
        });
        self.words = self.words.wrapping_add(words_of(generation, bundle));
        if let Some(count) = self.opcodes.get_mut(usize::from(bundle.opcode)) {
            *count = count.wrapping_add(1);
        }
        self.push_worst(&[rank(worst)]);
        self.items = position.wrapping_add(1);
    }

    /// Adds what the keys of headers stand for to the counts.
    pub(super) fn settle(&mut self, plan: &Plan, verdicts_only: bool) {
        let verdicts = self.findings.iter_mut().skip(FIRST_SLOT);
        for (tally, count) in verdicts.zip(self.codes.iter_mut().skip(1)).take(Reason::COUNT) {
            tally.count = tally.count.wrapping_add(core::mem::take(count));
        }
        for (key, headers) in (0..).zip(&mut self.headers).filter(|(_, headers)| **headers != 0) {
            let (count, header) = (core::mem::take(headers), plan.header(key));
            for (bit, tally) in self.findings.iter_mut().take(16).enumerate() {
                if !verdicts_only && header.findings >> bit & 1 != 0 {
                    tally.count = tally.count.wrapping_add(count);
                }
            }
            self.words = self.words.wrapping_add(count.wrapping_mul(header.words.into()));
            if let Some(total) = self.opcodes.get_mut(usize::from(key.to_le_bytes()[0])) {
                *total = total.wrapping_add(count);
            }
        }
    }
}

/// How many address words the slots of a bundle have.
pub(super) fn words_of(generation: Generation, bundle: &Bundle) -> u64 {
    u64::try_from(bundle.slots(generation).map(|slot| slot.word_count()).sum::<usize>()).unwrap_or_default()
}
