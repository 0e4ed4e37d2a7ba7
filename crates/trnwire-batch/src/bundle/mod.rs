//! Judging many instruction bundles.
//!
//! The scalar functions of [`Bundle`] are the truth, and are asked about few bundles: the findings of a header depend on
//! few bytes, so that headers are counted by a key and explained once at the end; and that there is nothing to say about
//! the slots of a bundle is seen from a few of its words. Three passes over a block that stays in the nearest caches
//! do it, each with no branch that depends on what the bundles hold, but for the loops' own.

mod plan;
mod rule;
#[macro_use]
mod shape;
mod summary;
mod verdict;

use trnwire::arch::Generation;
use trnwire::bundle::Bundle;

use crate::ahead::fetch_ahead;
use plan::{Plan, rank};
use shape::{EMPTY, LOUD, SHAPES, Shape};
pub use summary::BundleSummary;

/// Bundles of one block: 64 KiB.
const BLOCK: usize = 1024;

/// How far ahead memory is asked for, in bytes: one block.
const AHEAD: usize = BLOCK * size_of::<Bundle>();

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
    ///
    /// [`FindingId::Slot`]: trnwire::bundle::FindingId::Slot
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
        // As the last block was, the next one will be: passes that look for quiet bundles are worth it, or not.
        let mut mostly_quiet = true;
        for block in bundles.chunks(BLOCK) {
            mostly_quiet = match (self.verdicts_only, mostly_quiet) {
                (false, _) => self.run_block::<false>(summary, block),
                (true, true) => self.run_block::<true>(summary, block),
                (true, false) => self.run_verdicts(summary, block),
            };
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
    fn run_block<const VERDICTS_ONLY: bool>(&self, summary: &mut BundleSummary, block: &[Bundle]) -> bool {
        let plan = &self.plan;
        let mut worst = [0_u8; BLOCK];
        // The length is kept in a register here, while those of the shapes below go through memory.
        let (mut with_slots, mut length) = ([0_u16; BLOCK], 0_usize);
        for ((position, bundle), worst) in (0_u16..).zip(block).zip(&mut worst) {
            // The passes below read nothing new: the next block comes meanwhile.
            fetch_ahead(bundle, AHEAD);
            if VERDICTS_ONLY {
                summary.push_header(bundle.opcode.into());
            } else {
                let key = plan.key(bundle);
                let header = plan.header(key);
                *worst = header.worst;
                summary.push_header(key);
                summary.look_at_header(position, header.findings);
            }
            if let Some(place) = with_slots.get_mut(length) {
                *place = position;
            }
            length = length.wrapping_add(usize::from(plan.shape(bundle.opcode) != EMPTY));
        }
        let mut shaped = Shaped::new();
        for &position in with_slots.get(..length).unwrap_or_default() {
            let shape = block.get(usize::from(position)).map_or(EMPTY, |bundle| plan.shape(bundle.opcode));
            shaped.push(shape, position);
        }
        let mut loud = Set([0; BLOCK / 64]);
        shaped.of(LOUD).iter().for_each(|&position| loud.insert_if(true, position));
        macro_rules! find_loud {
            ($Shape:ident, $number:literal) => {
                self.find_loud::<shape::$Shape>(block, shaped.of($number), &mut loud);
            };
        }
        for_each_shape!(find_loud);
        loud.for_each(|position| {
            let Some((bundle, worst)) = block.get(usize::from(position)).zip(worst.get_mut(usize::from(position)))
            else {
                return;
            };
            let quiet_words = plan.header(bundle.opcode.into()).words;
            let found = summary.push_slots::<VERDICTS_ONLY>(plan.generation, position, bundle, quiet_words);
            *worst = (*worst).max(rank(found));
        });
        let worst = worst.get(..block.len()).unwrap_or_default();
        if !VERDICTS_ONLY {
            summary.push_worst(worst);
        }
        summary.end_block(worst.len());
        loud.count() < length / 2
    }

    /// Judges the slots of a block of which most are not quiet, one bundle after the other; gives whether most of its
    /// bundles with slots have nothing wrong.
    fn run_verdicts(&self, summary: &mut BundleSummary, block: &[Bundle]) -> bool {
        let plan = &self.plan;
        let (mut with_slots, mut wrong) = (0_usize, 0_usize);
        for (position, bundle) in (0_u16..).zip(block) {
            // One page, beyond which the processor's own prefetcher does not look.
            fetch_ahead(bundle, 4096);
            summary.push_header(bundle.opcode.into());
            macro_rules! push {
                ($Shape:ident) => {
                    if shape::$Shape::HAS_MX {
                        if !plan.is_quiet::<shape::$Shape>(bundle) {
                            self.push_loud(summary, position, bundle);
                        }
                    } else {
                        let found = plan.verdicts::<shape::$Shape>(bundle);
                        wrong = wrong.wrapping_add(usize::from(found.is_wrong()));
                        summary.push_verdicts(position, found);
                    }
                };
            }
            match plan.shape(bundle.opcode) {
                EMPTY => continue,
                LOUD => self.push_loud(summary, position, bundle),
                shape => for_shape!(shape, push),
            }
            with_slots = with_slots.wrapping_add(1);
        }
        summary.end_block(block.len());
        wrong < with_slots / 2
    }

    /// Asks the scalar functions about the slots of a bundle.
    #[inline(never)]
    fn push_loud(&self, summary: &mut BundleSummary, position: u16, bundle: &Bundle) {
        let quiet_words = self.plan.header(bundle.opcode.into()).words;
        summary.push_slots::<true>(self.plan.generation, position, bundle, quiet_words);
    }

    /// Adds the bundles of one shape that are not quiet. A loop of its own, which keeps its registers to itself.
    #[inline(never)]
    fn find_loud<S: Shape>(&self, block: &[Bundle], positions: &[u16], loud: &mut Set) {
        for &position in positions {
            let is_quiet = block.get(usize::from(position)).is_some_and(|bundle| self.plan.is_quiet::<S>(bundle));
            loud.insert_if(!is_quiet, position);
        }
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
        if let Some(slot) = positions.get_mut(*length % BLOCK) {
            *slot = position;
        }
        *length = length.wrapping_add(1);
    }

    fn of(&self, shape: usize) -> &[u16] {
        let length = self.lengths.get(shape).copied().unwrap_or_default();
        self.positions.get(shape).and_then(|positions| positions.get(..length)).unwrap_or_default()
    }
}

/// Positions of a block.
struct Set([u64; BLOCK / 64]);

impl Set {
    #[inline(always)]
    fn insert_if(&mut self, insert: bool, position: u16) {
        if let Some(bits) = self.0.get_mut(usize::from(position / 64)) {
            *bits |= u64::from(insert) << (position % 64);
        }
    }

    fn count(&self) -> usize {
        self.0.iter().map(|bits| bits.count_ones()).sum::<u32>().try_into().unwrap_or_default()
    }

    /// Visits them in ascending order.
    fn for_each(&self, mut visit: impl FnMut(u16)) {
        for (base, mut bits) in (0_u16..).step_by(64).zip(self.0) {
            while bits != 0 {
                visit(base.wrapping_add(u16::try_from(bits.trailing_zeros()).unwrap_or_default()));
                bits &= bits.wrapping_sub(1);
            }
        }
    }
}
