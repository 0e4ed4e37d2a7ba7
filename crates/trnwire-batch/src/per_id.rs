//! One value for each reason and each lint.

use trnwire::addr4::{Lint, Reason};

/// One value for each [`Reason`] and each [`Lint`]. The accessors destructure, so that no index can be wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PerId<T> {
    reasons: [T; 8],
    lints: [T; 4],
}

impl<T> PerId<T> {
    pub(crate) fn new(mut value: impl FnMut() -> T) -> Self {
        Self { reasons: core::array::from_fn(|_| value()), lints: core::array::from_fn(|_| value()) }
    }

    pub(crate) const fn reason(&self, reason: Reason) -> &T {
        let [reserved, id, no_alignment, misaligned, psum, psum_write, off_chip, sbuf] = &self.reasons;
        match reason {
            Reason::RegReservedBits => reserved,
            Reason::RegIdRange => id,
            Reason::NoAlignmentForDtype => no_alignment,
            Reason::Misaligned => misaligned,
            Reason::PsumNotAllowed => psum,
            Reason::PsumWriteDtype => psum_write,
            Reason::NotOnChip => off_chip,
            Reason::SbufNotAllowed => sbuf,
        }
    }

    pub(crate) const fn reason_mut(&mut self, reason: Reason) -> &mut T {
        let [reserved, id, no_alignment, misaligned, psum, psum_write, off_chip, sbuf] = &mut self.reasons;
        match reason {
            Reason::RegReservedBits => reserved,
            Reason::RegIdRange => id,
            Reason::NoAlignmentForDtype => no_alignment,
            Reason::Misaligned => misaligned,
            Reason::PsumNotAllowed => psum,
            Reason::PsumWriteDtype => psum_write,
            Reason::NotOnChip => off_chip,
            Reason::SbufNotAllowed => sbuf,
        }
    }

    pub(crate) const fn lint(&self, lint: Lint) -> &T {
        let [dead, unbacked, pad, noncanonical] = &self.lints;
        match lint {
            Lint::DeadMode => dead,
            Lint::UnbackedSbuf => unbacked,
            Lint::PsumPad => pad,
            Lint::NoncanonicalRegister => noncanonical,
        }
    }

    pub(crate) const fn lint_mut(&mut self, lint: Lint) -> &mut T {
        let [dead, unbacked, pad, noncanonical] = &mut self.lints;
        match lint {
            Lint::DeadMode => dead,
            Lint::UnbackedSbuf => unbacked,
            Lint::PsumPad => pad,
            Lint::NoncanonicalRegister => noncanonical,
        }
    }

    /// The values of the reasons.
    pub(crate) fn reasons(&self) -> impl Iterator<Item = &T> {
        self.reasons.iter()
    }

    /// All values, in an order that is the same for every `PerId`.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.reasons.iter().chain(&self.lints)
    }

    /// All values, in the order of [`PerId::iter`].
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.reasons.iter_mut().chain(&mut self.lints)
    }
}
