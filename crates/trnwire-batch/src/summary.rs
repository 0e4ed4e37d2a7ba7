//! What came out: counts, and where the first of each kind stand.

use trnwire::addr4::{Access, Lint, LintSet, Reason, lints, tensor_start_addr_valid};
use trnwire::arch::Generation;

use crate::per_id::PerId;
use crate::word::Word;

/// The positions of the first words that an id hit.
#[derive(Clone, Debug, PartialEq, Eq)]
struct First {
    positions: Vec<u64>,
    /// How many more are wanted.
    room: usize,
}

impl First {
    fn push(&mut self, position: u64) {
        if let Some(room) = self.room.checked_sub(1) {
            self.room = room;
            self.positions.push(position);
        }
    }
}

/// Counts per reason and per lint, and the positions of the first of each, over all words seen so far.
///
/// Positions are item indices counted from the first word that went into the summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    items: u64,
    counts: PerId<u64>,
    first: PerId<First>,
}

impl Summary {
    /// An empty summary that will keep up to `first_limit` positions per id.
    #[must_use]
    pub fn new(first_limit: usize) -> Self {
        Self {
            items: 0,
            counts: PerId::default(),
            first: PerId::new(|| First { positions: Vec::new(), room: first_limit }),
        }
    }

    /// How many words were judged.
    #[must_use]
    pub const fn items(&self) -> u64 {
        self.items
    }

    /// How many words the validator accepts. With the counts of all reasons it adds up to [`Summary::items`].
    #[must_use]
    pub fn ok(&self) -> u64 {
        self.counts.reasons().fold(self.items, |left, count| left.wrapping_sub(*count))
    }

    /// How many words were rejected for this reason.
    #[must_use]
    pub const fn count(&self, reason: Reason) -> u64 {
        *self.counts.reason(reason)
    }

    /// How many words have this lint.
    #[must_use]
    pub const fn lint_count(&self, lint: Lint) -> u64 {
        *self.counts.lint(lint)
    }

    /// Where the first words rejected for this reason stand, ascending.
    #[must_use]
    pub fn first(&self, reason: Reason) -> &[u64] {
        &self.first.reason(reason).positions
    }

    /// Where the first words with this lint stand, ascending.
    #[must_use]
    pub fn first_lint(&self, lint: Lint) -> &[u64] {
        &self.first.lint(lint).positions
    }

    /// Appends the summary of the words that follow; its positions are moved behind the words of this one.
    ///
    /// A list of first positions never has a hole: where `later` kept fewer than it counted, this list ends with
    /// them, even below its limit.
    pub fn merge(&mut self, later: &Self) {
        let base = self.items;
        let counts = self.counts.iter_mut().zip(later.counts.iter());
        for ((count, later_count), (first, later_first)) in counts.zip(self.first.iter_mut().zip(later.first.iter())) {
            *count = count.wrapping_add(*later_count);
            for &position in &later_first.positions {
                first.push(base.wrapping_add(position));
            }
            if u64::try_from(later_first.positions.len()) != Ok(*later_count) {
                first.room = 0;
            }
        }
        self.items = base.wrapping_add(later.items);
    }

    /// An empty summary for words that will be appended to this one: it looks for no more than this one lacks.
    #[cfg(feature = "rayon")]
    pub(crate) fn successor(&self) -> Self {
        let mut successor = Self::new(0);
        for (new, old) in successor.first.iter_mut().zip(self.first.iter()) {
            new.room = old.room;
        }
        successor
    }

    /// Appends one judged word.
    pub(crate) fn push(&mut self, verdict: Result<(), Reason>, lints: LintSet) {
        let position = self.items;
        if let Err(reason) = verdict {
            let count = self.counts.reason_mut(reason);
            *count = count.wrapping_add(1);
            self.first.reason_mut(reason).push(position);
        }
        for lint in lints.iter() {
            let count = self.counts.lint_mut(lint);
            *count = count.wrapping_add(1);
            self.first.lint_mut(lint).push(position);
        }
        self.items = position.wrapping_add(1);
    }

    /// Whether these counts promise a position that is still wanted.
    pub(crate) fn wants(&self, counts: &PerId<u32>) -> bool {
        counts.iter().zip(self.first.iter()).any(|(&count, first)| count != 0 && first.room != 0)
    }

    /// Appends words by their counts alone.
    pub(crate) fn push_counts(&mut self, counts: &PerId<u32>, words: usize) {
        for (total, &count) in self.counts.iter_mut().zip(counts.iter()) {
            *total = total.wrapping_add(u64::from(count));
        }
        self.items = self.items.wrapping_add(u64::try_from(words).unwrap_or(u64::MAX));
    }

    /// Appends words whose counts are known, and looks for the positions that the counts promise. Each look makes a
    /// list grow, so a summary pays for a bounded number of them.
    pub(crate) fn push_run<W: Word>(
        &mut self,
        generation: Generation,
        access: Access,
        counts: &PerId<u32>,
        words: &[W],
    ) {
        if self.wants(counts) {
            for (position, word) in (self.items..).zip(words) {
                let word = word.addr4();
                if let Err(reason) = tensor_start_addr_valid(generation, word, access) {
                    self.first.reason_mut(reason).push(position);
                }
                for lint in lints(generation, word).iter() {
                    self.first.lint_mut(lint).push(position);
                }
            }
        }
        self.push_counts(counts, words.len());
    }
}
