//! Judging many instruction bundles.
//!
//! The scalar functions of [`Bundle`] are the truth. The findings of a header depend on few bytes, so that headers are
//! counted by a key and explained once at the end. Bundles of a block are sorted by the shape of their bodies, so that a
//! loop over one shape loads from fixed places. In it most bundles of a good stream are quiet, which a few of their words
//! tell; the rest is judged from words and rules. No pass has a branch that depends on what the bundles hold, but for
//! the loops' own and for gathers.

mod plan;
mod rule;
#[macro_use]
mod shape;
mod summary;
mod tally;
mod verdict;

use trnwire::arch::Generation;
use trnwire::bundle::{Bundle, FindingId};

use crate::ahead::fetch_ahead;
use plan::Plan;
use shape::{EMPTY, LOUD, SHAPES, Shape};
pub use summary::BundleSummary;
use tally::{BlockTally, Kinds};

/// Bundles of one block.
const BLOCK: usize = 512;

/// How far ahead memory is asked for, in bytes: by the first pass, which meets every bundle and has little else to do, one
/// page, beyond which the processor's own prefetcher does not look; by what follows, which meets no new memory, one block.
const PAGE_AHEAD: usize = 4096;
const BLOCK_AHEAD: usize = BLOCK * size_of::<Bundle>();

/// Judges bundles for one generation.
#[derive(Clone, Debug)]
pub struct BundleScanner {
    plan: Plan,
    verdicts_only: bool,
}

impl BundleScanner {
    /// A scanner for this generation.
    #[must_use]
    pub fn new(generation: Generation) -> Self {
        Self { plan: Plan::new(generation), verdicts_only: false }
    }

    /// Only finds the address words and counts what the validators say about the slots: [`FindingId::Slot`]s, opcodes and
    /// words. The summary knows no other findings, and counts no bundle as worse for them.
    #[must_use]
    pub fn verdicts_only(self) -> Self {
        Self { verdicts_only: true, ..self }
    }

    /// An empty summary for [`BundleScanner::run_into`].
    #[must_use]
    pub fn summary(&self) -> BundleSummary {
        BundleSummary::new()
    }

    /// Judges the bundles.
    #[must_use]
    pub fn run(&self, bundles: &[Bundle]) -> BundleSummary {
        let mut summary = self.summary();
        self.run_into(&mut summary, bundles);
        summary
    }

    /// Judges the bundles and appends them to a summary; many short slices give what one long slice gives.
    pub fn run_into(&self, summary: &mut BundleSummary, bundles: &[Bundle]) {
        let mut shaped = Shaped::new();
        // As the last block was, the next one will be: looking for quiet bundles first is worth it, or not.
        let mut mostly_quiet = true;
        for block in bundles.chunks(BLOCK) {
            let mut tally = BlockTally::new(summary.wanted());
            mostly_quiet = if self.verdicts_only {
                self.run_block::<true>(summary, &mut shaped, &mut tally, block, mostly_quiet)
            } else {
                self.run_block::<false>(summary, &mut shaped, &mut tally, block, mostly_quiet)
            };
            summary.push_block(&self.plan, self.verdicts_only, block, &tally);
        }
        summary.settle(&self.plan, self.verdicts_only);
    }

    /// [`BundleScanner::run_into`] by the scalar functions alone.
    pub fn run_scalar_into(&self, summary: &mut BundleSummary, bundles: &[Bundle]) {
        for bundle in bundles {
            summary.push_scalar(self.plan.generation, self.verdicts_only, bundle);
        }
    }

    /// Judges a block; gives whether most of its bundles with slots are quiet.
    fn run_block<const VERDICTS_ONLY: bool>(
        &self,
        summary: &mut BundleSummary,
        shaped: &mut Shaped,
        tally: &mut BlockTally,
        block: &[Bundle],
        mostly_quiet: bool,
    ) -> bool {
        let plan = &self.plan;
        shaped.lengths = [0; SHAPES];
        for (position, bundle) in (0_u16..).zip(block) {
            fetch_ahead(bundle, PAGE_AHEAD);
            if VERDICTS_ONLY {
                summary.push_header(bundle.opcode.into());
            } else {
                let key = plan.key(bundle);
                let header = plan.header(key);
                summary.push_header(key);
                tally.note(position, header.findings);
            }
            shaped.push(plan.shape(bundle.opcode), position);
        }
        for &position in shaped.of(LOUD) {
            self.judge_scalar::<VERDICTS_ONLY>(block, position, tally);
        }
        let (mut buffer, mut loud) = ([0; BLOCK], 0_usize);
        macro_rules! judge_shape {
            ($Shape:ident, $number:literal) => {
                let positions = shaped.of($number);
                loud = loud.wrapping_add(if mostly_quiet || shape::$Shape::HAS_MX {
                    self.judge_quiet::<shape::$Shape, VERDICTS_ONLY>(block, positions, &mut buffer, tally)
                } else {
                    self.judge_all::<shape::$Shape, VERDICTS_ONLY>(block, positions, tally)
                });
            };
        }
        for_each_shape!(judge_shape);
        loud < block.len().wrapping_sub(shaped.of(EMPTY).len()) / 2
    }

    /// Judges the bundles of one shape of which most are quiet; gives how many are not. A function of its own, whose
    /// loop keeps its registers to itself.
    #[inline(never)]
    fn judge_quiet<S: Shape, const VERDICTS_ONLY: bool>(
        &self,
        block: &[Bundle],
        positions: &[u16],
        loud: &mut [u16; BLOCK],
        tally: &mut BlockTally,
    ) -> usize {
        let mut length = 0_usize;
        for &position in positions {
            let Some(bundle) = block.get(usize::from(position)) else { continue };
            fetch_ahead(bundle, BLOCK_AHEAD);
            if let Some(place) = loud.get_mut(length) {
                *place = position;
            }
            length = length.wrapping_add(usize::from(!self.plan.is_quiet::<S>(bundle)));
        }
        let loud = loud.get(..length).unwrap_or_default();
        if S::HAS_MX {
            loud.iter().for_each(|&position| self.judge_scalar::<VERDICTS_ONLY>(block, position, tally));
        } else {
            self.judge_all::<S, VERDICTS_ONLY>(block, loud, tally);
        }
        length
    }

    /// Judges bundles of one shape; gives how many are not quiet.
    #[inline(never)]
    fn judge_all<S: Shape, const VERDICTS_ONLY: bool>(
        &self,
        block: &[Bundle],
        positions: &[u16],
        tally: &mut BlockTally,
    ) -> usize {
        let mut loud = 0_usize;
        for &position in positions {
            let Some(bundle) = block.get(usize::from(position)) else { continue };
            fetch_ahead(bundle, BLOCK_AHEAD);
            let found = self.plan.judge::<S, VERDICTS_ONLY>(bundle, tally);
            loud = loud.wrapping_add(usize::from(found != Kinds::NONE));
            self.note::<VERDICTS_ONLY>(bundle, position, found, tally);
        }
        loud
    }

    /// Asks the scalar functions about the slots of a bundle.
    #[inline(never)]
    fn judge_scalar<const VERDICTS_ONLY: bool>(&self, block: &[Bundle], position: u16, tally: &mut BlockTally) {
        let Some(bundle) = block.get(usize::from(position)) else { return };
        let generation = self.plan.generation;
        let mut found = Kinds::NONE;
        let mut words = 0_usize;
        for slot in bundle.slots(generation) {
            words = words.saturating_add(slot.word_count());
            if !VERDICTS_ONLY {
                slot.judge(generation, |finding| found = found | tally.find(finding.id.index()));
            } else if let Some(Err(reason)) = slot.verdict(generation) {
                found = found | tally.find(FindingId::Slot(reason).index());
            }
        }
        if !VERDICTS_ONLY {
            bundle.judge_sources(generation, |finding| found = found | tally.find(finding.id.index()));
        }
        let quiet_words = self.plan.header(self.plan.key(bundle)).words;
        let words = u64::try_from(words).unwrap_or_default().wrapping_sub(quiet_words.into());
        tally.more_words = tally.more_words.wrapping_add(words);
        self.note::<VERDICTS_ONLY>(bundle, position, found, tally);
    }

    /// Notes what was found in the slots of a bundle whose header is counted.
    #[inline(always)]
    fn note<const VERDICTS_ONLY: bool>(&self, bundle: &Bundle, position: u16, found: Kinds, tally: &mut BlockTally) {
        let header = self.plan.header(self.plan.key(bundle)).findings;
        let worst = self.plan.worst(found | header).only_if(!VERDICTS_ONLY);
        if !VERDICTS_ONLY {
            tally.replace_worst(header, worst);
        }
        tally.note(position, found | worst);
    }
}

/// The positions of a block, by shape and ascending.
struct Shaped {
    positions: [[u16; BLOCK]; SHAPES],
    lengths: [usize; SHAPES],
}

impl Shaped {
    const fn new() -> Self {
        Self { positions: [[0; BLOCK]; SHAPES], lengths: [0; SHAPES] }
    }

    #[inline(always)]
    fn push(&mut self, shape: usize, position: u16) {
        let Some((positions, length)) = self.positions.get_mut(shape).zip(self.lengths.get_mut(shape)) else { return };
        if let Some(place) = positions.get_mut(*length % BLOCK) {
            *place = position;
        }
        *length = length.wrapping_add(1);
    }

    fn of(&self, shape: u8) -> &[u16] {
        let shape = usize::from(shape);
        let length = self.lengths.get(shape).copied().unwrap_or_default();
        self.positions.get(shape).and_then(|positions| positions.get(..length)).unwrap_or_default()
    }
}
