//! What came out of many bundles.

use trnwire::arch::Generation;
use trnwire::bundle::{Bundle, FindingId};
use trnwire::check::Severity;

use super::plan::{HEADERS, Plan};
use super::tally::{BlockTally, ERROR, KINDS, Kinds, WARNING};

/// Positions that are kept per id.
const FIRST: usize = 8;

/// How often something occurred, and on which bundles first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Tally {
    count: u64,
    first: Vec<u64>,
}

impl Tally {
    /// Keeps the position of a bundle if it is among the first ones; a bundle may come again, but none before it.
    fn see(&mut self, position: u64) {
        if self.lacks() && self.first.last() != Some(&position) {
            self.first.push(position);
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
    /// By the place of the kind, among them how bad bundles are.
    kinds: Vec<Tally>,
    /// Headers by their key: not yet part of the counts above.
    headers: Box<[u64; HEADERS]>,
    /// Kinds that lack positions, or lately did.
    wanted: Kinds,
}

impl BundleSummary {
    pub(super) fn new() -> Self {
        Self {
            items: 0,
            words: 0,
            opcodes: vec![0; 256],
            kinds: vec![Tally::default(); KINDS],
            headers: Box::new([0; HEADERS]),
            wanted: Kinds(u64::MAX),
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
    pub fn worst(&self, severity: Severity) -> u64 {
        let count = |place| self.tally(place).map_or(0, |tally| tally.count);
        match worst_place(severity) {
            None => self.items.wrapping_sub(count(WARNING)).wrapping_sub(count(ERROR)),
            Some(place) => count(place),
        }
    }

    /// Where the first of these stand; nothing for [`Severity::Note`].
    #[must_use]
    pub fn first_worst(&self, severity: Severity) -> &[u64] {
        worst_place(severity).and_then(|place| self.tally(place)).map_or(&[], |tally| &tally.first)
    }

    /// How often this was found.
    #[must_use]
    pub fn count(&self, id: FindingId) -> u64 {
        self.tally(id.index()).map_or(0, |tally| tally.count)
    }

    /// On which bundles it was found first.
    #[must_use]
    pub fn first(&self, id: FindingId) -> &[u64] {
        self.tally(id.index()).map_or(&[], |tally| &tally.first)
    }

    fn tally(&self, place: usize) -> Option<&Tally> {
        self.kinds.get(place)
    }

    /// How many bundles have this opcode.
    #[must_use]
    pub fn opcode(&self, opcode: u8) -> u64 {
        self.opcodes.get(usize::from(opcode)).copied().unwrap_or_default()
    }

    /// Counts the header of a bundle of the current block.
    #[inline(always)]
    pub(super) fn push_header(&mut self, key: u16) {
        if let Some(count) = self.headers.get_mut(usize::from(key) % HEADERS) {
            *count = count.wrapping_add(1);
        }
    }

    pub(super) const fn wanted(&self) -> Kinds {
        self.wanted
    }

    /// Appends a block whose headers are pushed. Bundles that promise positions which are not yet known are looked at once
    /// more.
    pub(super) fn push_block(&mut self, plan: &Plan, verdicts_only: bool, block: &[Bundle], tally: &BlockTally) {
        tally.promising.for_each(|position| {
            if let Some(bundle) = block.get(position) {
                let position = self.items.wrapping_add(u64::try_from(position).unwrap_or_default());
                judge(plan.generation, verdicts_only, bundle, |place| self.see(place, position));
                let lacking = (0..KINDS).zip(&self.kinds).filter(|(_, tally)| tally.lacks());
                self.wanted = lacking.fold(Kinds::NONE, |kinds, (place, _)| kinds | Kinds::at(place));
            }
        });
        for (total, count) in self.kinds.iter_mut().zip(tally.counts()) {
            total.count = total.count.wrapping_add(count);
        }
        self.words = self.words.wrapping_add(tally.more_words);
        self.items = self.items.wrapping_add(u64::try_from(block.len()).unwrap_or_default());
    }

    /// Appends a bundle as the scalar functions judge it.
    pub(super) fn push_scalar(&mut self, generation: Generation, verdicts_only: bool, bundle: &Bundle) {
        let position = self.items;
        judge(generation, verdicts_only, bundle, |place| {
            self.see(place, position);
            self.add(place, 1);
        });
        self.words = self.words.wrapping_add(words_of(generation, bundle));
        if let Some(count) = self.opcodes.get_mut(usize::from(bundle.opcode)) {
            *count = count.wrapping_add(1);
        }
        self.items = position.wrapping_add(1);
    }

    fn see(&mut self, place: usize, position: u64) {
        if let Some(tally) = self.kinds.get_mut(place) {
            tally.see(position);
        }
    }

    fn add(&mut self, place: usize, count: u64) {
        if let Some(tally) = self.kinds.get_mut(place) {
            tally.count = tally.count.wrapping_add(count);
        }
    }

    /// Adds what the keys of headers stand for to the counts.
    pub(super) fn settle(&mut self, plan: &Plan, verdicts_only: bool) {
        for key in 0..=u16::MAX {
            let Some(headers) = self.headers.get_mut(usize::from(key)) else { break };
            let (count, header) = (core::mem::take(headers), plan.header(key));
            if count == 0 {
                continue;
            }
            if !verdicts_only {
                header.findings.places().for_each(|place| self.add(place, count));
            }
            self.words = self.words.wrapping_add(count.wrapping_mul(header.words.into()));
            if let Some(total) = self.opcodes.get_mut(usize::from(key.to_le_bytes()[0])) {
                *total = total.wrapping_add(count);
            }
        }
    }
}

/// Asks the scalar functions; reports the place of each finding, and of how bad the bundle is.
fn judge(generation: Generation, verdicts_only: bool, bundle: &Bundle, mut report: impl FnMut(usize)) {
    let mut worst = Severity::Note;
    bundle.judge(generation, |finding| {
        if !verdicts_only || matches!(finding.id, FindingId::Slot(_)) {
            worst = worst.max(finding.id.severity());
            report(finding.id.index());
        }
    });
    if !verdicts_only && let Some(place) = worst_place(worst) {
        report(place);
    }
}

/// The place of bundles whose worst finding has this severity.
const fn worst_place(severity: Severity) -> Option<usize> {
    match severity {
        Severity::Note => None,
        Severity::Warning => Some(WARNING),
        Severity::Error => Some(ERROR),
    }
}

/// How many address words the slots of a bundle have.
pub(super) fn words_of(generation: Generation, bundle: &Bundle) -> u64 {
    u64::try_from(bundle.slots(generation).map(|slot| slot.word_count()).sum::<usize>()).unwrap_or_default()
}
