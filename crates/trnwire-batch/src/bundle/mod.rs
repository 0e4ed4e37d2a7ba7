//! Judging many instruction bundles.
//!
//! The scalar functions of [`Bundle`] are the truth, and are asked about few bundles: the findings of a header depend on
//! few bytes, so that headers are counted by a key and explained once at the end; and that there is nothing to say about
//! the slots of a bundle is seen from a few of its words. Three passes over a block that stays in the nearest caches
//! do it, each with no branch that depends on what the bundles hold, but for the loops' own.

mod plan;
mod summary;

use trnwire::arch::Generation;
use trnwire::bundle::Bundle;

use plan::{Plan, rank};
pub use summary::BundleSummary;

/// Bundles of one block: 32 KiB.
const BLOCK: usize = 512;

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
        for block in bundles.chunks(BLOCK) {
            if self.verdicts_only {
                self.run_block::<true>(summary, block);
            } else {
                self.run_block::<false>(summary, block);
            }
        }
        summary.settle(&self.plan, self.verdicts_only);
    }

    /// [`BundleScanner::run_into`] by the scalar functions alone.
    pub fn run_scalar_into(&self, summary: &mut BundleSummary, bundles: &[Bundle]) {
        for bundle in bundles {
            summary.push_scalar(self.plan.generation, bundle);
        }
    }

    fn run_block<const VERDICTS_ONLY: bool>(&self, summary: &mut BundleSummary, block: &[Bundle]) {
        let plan = &self.plan;
        let mut worst = [0_u8; BLOCK];
        let mut with_slots = List::new();
        for ((position, bundle), worst) in (0_u16..).zip(block).zip(&mut worst) {
            if VERDICTS_ONLY {
                summary.push_header(bundle.opcode.into());
            } else {
                let key = plan.key(bundle);
                let header = plan.header(key);
                *worst = header.worst;
                summary.push_header(key);
                summary.look_at_header(position, header.findings);
            }
            with_slots.push_if(plan.has_slots(bundle.opcode), position);
        }
        let mut loud = List::new();
        for &position in with_slots.get() {
            let Some(bundle) = block.get(usize::from(position)) else { continue };
            loud.push_if(!plan.slots_are_quiet(bundle), position);
        }
        for &position in loud.get() {
            let Some((bundle, worst)) = block.get(usize::from(position)).zip(worst.get_mut(usize::from(position)))
            else {
                continue;
            };
            summary.push_words(plan, bundle);
            if VERDICTS_ONLY {
                summary.push_verdicts(plan.generation, position, bundle);
            } else {
                let found = summary.push_slots(plan.generation, position, bundle);
                *worst = (*worst).max(rank(found));
            }
        }
        summary.push_worst(worst.get(..block.len()).unwrap_or_default());
    }
}

/// Positions in a block.
struct List {
    positions: [u16; BLOCK],
    length: usize,
}

impl List {
    const fn new() -> Self {
        Self { positions: [0; BLOCK], length: 0 }
    }

    /// Appends a position without a branch: it is written in any case, and counted if it is to be kept.
    #[inline(always)]
    fn push_if(&mut self, keep: bool, position: u16) {
        if let Some(slot) = self.positions.get_mut(self.length) {
            *slot = position;
        }
        self.length = self.length.wrapping_add(usize::from(keep));
    }

    fn get(&self) -> &[u16] {
        self.positions.get(..self.length).unwrap_or_default()
    }
}
