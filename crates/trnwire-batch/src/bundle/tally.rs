//! What is counted of one block.

use core::ops::BitOr;

use trnwire::addr4::Lint;
use trnwire::bundle::FindingId;
use trnwire::check::Severity;

use super::BLOCK;

/// Places in tables by kind: more than there are findings.
pub(super) const KINDS: usize = 64;

/// Kinds of findings, each at the place of its index, and behind them how bad a bundle is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Kinds(pub(super) u64);

/// The places of bundles with warnings and of bundles with errors.
pub(super) const WARNING: usize = FindingId::COUNT + 1;
pub(super) const ERROR: usize = FindingId::COUNT + 2;
const _: () = assert!(ERROR < KINDS);

impl Kinds {
    pub(super) const NONE: Self = Self(0);
    /// That a bundle has a warning, or an error.
    pub(super) const WARNING: Self = Self::at(WARNING);
    pub(super) const ERROR: Self = Self::at(ERROR);

    #[inline(always)]
    pub(super) fn of(id: FindingId) -> Self {
        Self::at(id.index())
    }

    #[inline(always)]
    pub(super) const fn at(place: usize) -> Self {
        Self(1 << (place % KINDS))
    }

    /// All of a severity.
    pub(super) fn all_of(severity: Severity) -> Self {
        FindingId::all().filter(|id| id.severity() == severity).fold(Self::NONE, |kinds, id| kinds | Self::of(id))
    }

    /// These, if so.
    #[inline(always)]
    pub(super) fn only_if(self, is_so: bool) -> Self {
        Self(self.0 & u64::from(is_so).wrapping_neg())
    }

    /// The places of all.
    pub(super) fn places(self) -> impl Iterator<Item = usize> {
        places(self.0)
    }

    #[inline(always)]
    pub(super) const fn has_any_of(self, others: Self) -> bool {
        self.0 & others.0 != 0
    }
}

impl BitOr for Kinds {
    type Output = Self;

    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// Lints of a word, each at the place of its index.
#[derive(Clone, Copy, Debug)]
pub(super) struct LintBits(u8);

const LINT_SETS: usize = 1 << Lint::ALL.len();

impl LintBits {
    pub(super) const NONE: Self = Self(0);

    #[inline(always)]
    pub(super) fn if_so(lint: Lint, is_so: bool) -> Self {
        Self(u8::from(is_so) << lint.index())
    }
}

impl BitOr for LintBits {
    type Output = Self;

    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// Counts of a block, in the form in which they are made.
#[derive(Clone, Debug)]
pub(super) struct BlockTally {
    /// By the place of the kind. What headers have is counted elsewhere; where the slots make a bundle worse, these are
    /// differences and may wrap.
    kinds: [u64; KINDS],
    /// Words by their lints.
    lints: [u64; LINT_SETS],
    /// Address words beyond those of quiet bundles.
    pub(super) more_words: u64,
    /// Kinds that lack positions.
    pub(super) wanted: Kinds,
    /// Bundles that may have such.
    pub(super) promising: Set,
}

impl BlockTally {
    pub(super) const fn new(wanted: Kinds) -> Self {
        Self { kinds: [0; KINDS], lints: [0; LINT_SETS], more_words: 0, wanted, promising: Set([0; BLOCK / 64]) }
    }

    #[inline(always)]
    fn add(&mut self, place: usize, count: u64) {
        if let Some(total) = self.kinds.get_mut(place % KINDS) {
            *total = total.wrapping_add(count);
        }
    }

    /// Counts a finding, or nothing found at the place of none.
    #[inline(always)]
    pub(super) fn find(&mut self, place: usize) -> Kinds {
        self.add(place, 1);
        Kinds(Kinds::at(place).0 & !Kinds::at(FindingId::COUNT).0)
    }

    /// Counts the lints of a word.
    #[inline(always)]
    pub(super) fn find_lints(&mut self, lints: LintBits) -> Kinds {
        const FIRST: usize = FindingId::Lint(Lint::DeadMode).index();
        if let Some(count) = self.lints.get_mut(usize::from(lints.0) % LINT_SETS) {
            *count = count.wrapping_add(1);
        }
        Kinds(u64::from(lints.0) << FIRST)
    }

    /// Counts how bad a bundle is of which only the header was known.
    #[inline(always)]
    pub(super) fn replace_worst(&mut self, before: Kinds, now: Kinds) {
        for (place, kind) in [(WARNING, Kinds::WARNING), (ERROR, Kinds::ERROR)] {
            let count = |kinds: Kinds| u64::from(kinds.has_any_of(kind));
            self.add(place, count(now).wrapping_sub(count(before)));
        }
    }

    /// Notes that a bundle has these.
    #[inline(always)]
    pub(super) fn note(&mut self, position: u16, found: Kinds) {
        if found.has_any_of(self.wanted) {
            self.promising.insert(position);
        }
    }

    /// The counts by place, lints among them.
    pub(super) fn counts(&self) -> [u64; KINDS] {
        let mut counts = self.kinds;
        for lint in Lint::ALL {
            if let Some(total) = counts.get_mut(FindingId::Lint(*lint).index()) {
                let with = (0_usize..).zip(self.lints).filter(|(set, _)| set >> lint.index() & 1 != 0);
                *total = with.fold(*total, |sum, (_, count)| sum.wrapping_add(count));
            }
        }
        counts
    }
}

/// Positions of a block.
#[derive(Clone, Debug)]
pub(super) struct Set([u64; BLOCK / 64]);

impl Set {
    #[cold]
    fn insert(&mut self, position: u16) {
        if let Some(bits) = self.0.get_mut(usize::from(position / 64)) {
            *bits |= 1 << (position % 64);
        }
    }

    /// Visits them in ascending order.
    pub(super) fn for_each(&self, mut visit: impl FnMut(usize)) {
        for (base, bits) in (0_usize..).step_by(64).zip(self.0) {
            places(bits).for_each(|place| visit(base.wrapping_add(place)));
        }
    }
}

/// The places of the bits that are set, ascending.
fn places(mut bits: u64) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        let place = usize::try_from(bits.trailing_zeros()).ok().filter(|&place| place < 64);
        bits &= bits.wrapping_sub(1);
        place
    })
}
