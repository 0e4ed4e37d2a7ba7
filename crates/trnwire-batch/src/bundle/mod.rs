//! Judging many instruction bundles.
//!
//! [`Bundle::judge`] is the truth. A bundle with nothing to say about its slots is the rule, and that it is one is seen
//! from a few of its words, without a branch for most. Of such a bundle one counter is raised, that of its header. All
//! others go to the truth.

mod plan;
mod summary;

use trnwire::arch::Generation;
use trnwire::bundle::Bundle;

use plan::Plan;
pub use summary::BundleSummary;

/// Judges bundles for one generation.
#[derive(Clone, Debug)]
pub struct BundleScanner {
    plan: Plan,
}

impl BundleScanner {
    /// A scanner for this generation.
    #[must_use]
    pub fn new(generation: Generation) -> Self {
        Self { plan: Plan::new(generation) }
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
        for bundle in bundles {
            match self.plan.quiet_header(bundle) {
                Some(key) => summary.push_quiet(key, self.plan.header(key)),
                None => summary.push_judged(self.plan.generation, bundle),
            }
        }
        summary.settle(&self.plan);
    }

    /// [`BundleScanner::run_into`] by the scalar functions alone.
    pub fn run_scalar_into(&self, summary: &mut BundleSummary, bundles: &[Bundle]) {
        bundles.iter().for_each(|bundle| summary.push_judged(self.plan.generation, bundle));
    }
}
