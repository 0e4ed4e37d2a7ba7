//! What is asked of a word, boiled down to bit masks before the first word is looked at.

use trnwire::addr4::{Access, Addr4, Lint, Reason, register_must_be_zero};
use trnwire::arch::Generation;
use trnwire::geometry::{ADDRESS_REGISTERS, Geometry, PSUM_BASE, SBUF_STRIDE};

use crate::per_id::PerId;

/// Bit 31.
pub(crate) const REGISTER: u32 = Addr4::REGISTER.mask();
/// Both mode bits: the dead mode.
pub(crate) const DEAD: u32 = Addr4::ACTIVE.mask() | Addr4::INDIRECT.mask();
/// The bits that are fixed in a PSUM address, and bit 31.
pub(crate) const PSUM_FIXED: u32 = REGISTER | Addr4::PSUM_WINDOW.mask();
/// The bits that are fixed in an SBUF address, and bit 31.
pub(crate) const SBUF_FIXED: u32 = REGISTER | Addr4::SBUF_REGION.mask();
/// The bits of a register word that [`Lint::NoncanonicalRegister`] looks at, and bit 31.
pub(crate) const CANONICAL: u32 = REGISTER | Addr4::RESERVED_HIGH.mask();
/// A word that is dead, in PSUM and in the pad. A word differs from it in none of the bits in question exactly when
/// it is dead, in PSUM, in the pad: one exclusive-or prepares three tests.
pub(crate) const LANDMARK: u32 = DEAD | PSUM_BASE | Addr4::PSUM_PAD.mask();

/// The masks of the tests that depend on generation and access. Every test has the same form: do the bits under a
/// mask have a given value?
#[derive(Clone, Copy, Debug)]
pub(crate) struct Masks {
    /// Bit 31 and the bits that must be zero in a register word.
    pub(crate) reserved: u32,
    /// The same and the high bits of the register id: what is zero but for bit 31 in a legal register word.
    pub(crate) register_ok: u32,
    /// Bit 31 and the bits that must be zero in an aligned address.
    pub(crate) aligned: u32,
    /// Bits that are all set in an SBUF offset beyond the memory, and only there.
    pub(crate) unbacked: u32,
}

/// How many words of a block passed each test. The tests overlap; [`Plan::tally`] takes them apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hits {
    /// Bit 31 is set.
    pub(crate) register: u32,
    /// ... and no reserved bit.
    pub(crate) register_unreserved: u32,
    /// ... and the id is in range.
    pub(crate) register_ok: u32,
    /// Bit 31 is set and no bit among 28:24.
    pub(crate) register_canonical: u32,
    /// An immediate address that is aligned (or whose dtype has no alignment).
    pub(crate) aligned: u32,
    /// ... in SBUF.
    pub(crate) sbuf: u32,
    /// ... in PSUM.
    pub(crate) psum: u32,
    /// Mode 0b11.
    pub(crate) dead: u32,
    /// An immediate address in SBUF beyond the memory. Without meaning where all of the stride is backed.
    pub(crate) unbacked: u32,
    /// An immediate address in the PSUM pad.
    pub(crate) pad: u32,
}

#[cfg(target_arch = "x86_64")]
impl Hits {
    /// The hits of both.
    #[must_use]
    pub(crate) const fn plus(self, other: Self) -> Self {
        Self {
            register: self.register.wrapping_add(other.register),
            register_unreserved: self.register_unreserved.wrapping_add(other.register_unreserved),
            register_ok: self.register_ok.wrapping_add(other.register_ok),
            register_canonical: self.register_canonical.wrapping_add(other.register_canonical),
            aligned: self.aligned.wrapping_add(other.aligned),
            sbuf: self.sbuf.wrapping_add(other.sbuf),
            psum: self.psum.wrapping_add(other.psum),
            dead: self.dead.wrapping_add(other.dead),
            unbacked: self.unbacked.wrapping_add(other.unbacked),
            pad: self.pad.wrapping_add(other.pad),
        }
    }
}

/// Everything that follows from generation and access.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub(crate) masks: Masks,
    /// Part of the SBUF stride is not backed.
    has_unbacked: bool,
    /// The dtype has an alignment on this generation.
    has_alignment: bool,
    /// Why an aligned PSUM address is rejected, if it is.
    psum: Option<Reason>,
    /// Why an aligned SBUF address is rejected, if it is.
    sbuf: Option<Reason>,
}

impl Plan {
    pub(crate) const fn new(generation: Generation, access: Access) -> Self {
        let must_be_zero = register_must_be_zero(generation);
        let alignment = access.dtype.alignment(generation);
        let psum = if !access.allow_psum {
            Some(Reason::PsumNotAllowed)
        } else if access.write && !access.dtype.is_psum_accumulator() {
            Some(Reason::PsumWriteDtype)
        } else {
            None
        };
        let unbacked = unbacked_bits(generation);
        Self {
            masks: Masks {
                reserved: REGISTER | must_be_zero,
                register_ok: REGISTER | must_be_zero | ID_HIGH,
                aligned: REGISTER
                    | match alignment {
                        Some(alignment) => alignment.wrapping_sub(1),
                        None => 0,
                    },
                unbacked,
            },
            has_unbacked: unbacked != 0,
            has_alignment: alignment.is_some(),
            psum,
            sbuf: if access.allow_sbuf { None } else { Some(Reason::SbufNotAllowed) },
        }
    }

    /// Whether any aligned SBUF address is accepted, and any aligned PSUM address.
    pub(crate) const fn accepts(&self) -> (bool, bool) {
        (self.has_alignment && self.sbuf.is_none(), self.has_alignment && self.psum.is_none())
    }

    /// Counts per id out of the hits among `items` words.
    pub(crate) fn tally(&self, items: u32, hits: Hits) -> PerId<u32> {
        let mut counts = PerId::default();
        let mut reject = |reason, count| *counts.reason_mut(reason) = count;
        let immediate = items.wrapping_sub(hits.register);
        reject(Reason::RegReservedBits, hits.register.wrapping_sub(hits.register_unreserved));
        reject(Reason::RegIdRange, hits.register_unreserved.wrapping_sub(hits.register_ok));
        if self.has_alignment {
            reject(Reason::Misaligned, immediate.wrapping_sub(hits.aligned));
            reject(Reason::NotOnChip, hits.aligned.wrapping_sub(hits.sbuf).wrapping_sub(hits.psum));
            if let Some(reason) = self.psum {
                reject(reason, hits.psum);
            }
            if let Some(reason) = self.sbuf {
                reject(reason, hits.sbuf);
            }
        } else {
            reject(Reason::NoAlignmentForDtype, immediate);
        }
        *counts.lint_mut(Lint::DeadMode) = hits.dead;
        *counts.lint_mut(Lint::UnbackedSbuf) = if self.has_unbacked { hits.unbacked } else { 0 };
        *counts.lint_mut(Lint::PsumPad) = hits.pad;
        *counts.lint_mut(Lint::NoncanonicalRegister) = hits.register.wrapping_sub(hits.register_canonical);
        counts
    }
}

/// The bits of a register id that are zero up to 63.
const ID_HIGH: u32 = Addr4::REGISTER_ID.mask() & !ADDRESS_REGISTERS.wrapping_sub(1);

/// The memory ends a power of two before the stride does, so an offset is beyond it exactly when these bits are all
/// set. Zero where the whole stride is backed.
pub(crate) const fn unbacked_bits(generation: Generation) -> u32 {
    let missing = SBUF_STRIDE.wrapping_sub(Geometry::of(generation).sbuf_active);
    if missing == 0 { 0 } else { Addr4::SBUF_OFFSET.mask() & !missing.wrapping_sub(1) }
}

// What the masks take for granted.
const _: () = {
    assert!(ADDRESS_REGISTERS.is_power_of_two());
    assert!(PSUM_BASE & !Addr4::PSUM_WINDOW.mask() == 0);
    assert!(ends_at_a_power_of_two(Generation::Gen2));
    assert!(ends_at_a_power_of_two(Generation::Gen3));
    assert!(ends_at_a_power_of_two(Generation::Gen4));
};

const fn ends_at_a_power_of_two(generation: Generation) -> bool {
    let missing = SBUF_STRIDE.wrapping_sub(Geometry::of(generation).sbuf_active);
    missing == 0 || missing.is_power_of_two()
}
