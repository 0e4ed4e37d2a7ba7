//! The inner loop of the plain engine, and the bitmaps of all.

use crate::plan::{CANONICAL, DEAD, Hits, LANDMARK, Masks, PSUM_FIXED, Plan, REGISTER, SBUF_FIXED};
use crate::word::Word;
use trnwire::addr4::Addr4;

/// Words per entry of a bitmap.
pub(crate) const BITMAP_WORDS: usize = 64;

/// Counts which words pass which test. `words` must be fewer than 2^32.
///
/// No branch and no store in the loop: ten masked comparisons, each added to a counter in a register.
#[inline(always)]
pub(crate) fn hits<W: Word>(masks: Masks, words: &[W]) -> Hits {
    let mut hits = Hits::default();
    for word in words {
        let word = word.addr4().bits();
        // Differences from three patterns; a test asks whether the difference is zero under its mask.
        let register = word ^ REGISTER;
        let landmark = word ^ LANDMARK;
        let unbacked = word ^ masks.unbacked;
        count(&mut hits.register, register, REGISTER);
        count(&mut hits.register_unreserved, register, masks.reserved);
        count(&mut hits.register_ok, register, masks.register_ok);
        count(&mut hits.register_canonical, register, CANONICAL);
        count(&mut hits.aligned, word, masks.aligned);
        count(&mut hits.sbuf, word, masks.aligned | SBUF_FIXED);
        count(&mut hits.psum, landmark, masks.aligned | PSUM_FIXED);
        count(&mut hits.dead, landmark, DEAD);
        count(&mut hits.unbacked, unbacked, masks.unbacked | SBUF_FIXED);
        count(&mut hits.pad, landmark, PSUM_FIXED | Addr4::PSUM_PAD.mask());
    }
    hits
}

#[inline(always)]
fn count(counter: &mut u32, difference: u32, mask: u32) {
    *counter = counter.wrapping_add(u32::from(difference & mask == 0));
}

/// The three tests of which an accepted word passes one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Accept {
    register: u32,
    sbuf: (u32, u32),
    psum: (u32, u32),
}

impl Accept {
    pub(crate) const fn new(plan: &Plan) -> Self {
        // A memory that is out of bounds asks the register's question once more, which changes nothing.
        let register = (REGISTER, plan.masks.register_ok);
        let (sbuf, psum) = plan.accepts();
        Self {
            register: plan.masks.register_ok,
            sbuf: if sbuf { (0, plan.masks.aligned | SBUF_FIXED) } else { register },
            psum: if psum { (LANDMARK, plan.masks.aligned | PSUM_FIXED) } else { register },
        }
    }

    #[inline(always)]
    const fn accepts(self, word: u32) -> bool {
        ((word ^ REGISTER) & self.register == 0)
            | ((word ^ self.sbuf.0) & self.sbuf.1 == 0)
            | ((word ^ self.psum.0) & self.psum.1 == 0)
    }
}

/// Writes one bit per word, 1 for a rejected one, lowest bit first. `bits` holds one entry per 64 words begun.
#[inline(always)]
pub(crate) fn rejected<W: Word>(accept: Accept, words: &[W], bits: &mut [u64]) {
    let (full, rest) = words.as_chunks::<BITMAP_WORDS>();
    let mut entries = bits.iter_mut();
    // The words come first: when they run out, no entry has been taken for nothing.
    for (chunk, entry) in full.iter().zip(&mut entries) {
        // Bytes first: sixty-four comparisons fill whole vectors, which a shift into a bit would not.
        let mut flags = [0_u8; BITMAP_WORDS];
        for (word, flag) in chunk.iter().zip(&mut flags) {
            *flag = u8::from(!accept.accepts(word.addr4().bits()));
        }
        *entry = gather(&flags);
    }
    if let Some(entry) = entries.next() {
        let mut flags = [0_u8; BITMAP_WORDS];
        for (word, flag) in rest.iter().zip(&mut flags) {
            *flag = u8::from(!accept.accepts(word.addr4().bits()));
        }
        *entry = gather(&flags);
    }
}

/// Sixty-four bytes of 0 or 1 as sixty-four bits.
#[inline(always)]
fn gather(flags: &[u8; BITMAP_WORDS]) -> u64 {
    /// Brings bit 0 of byte k to bit 56 + k; no two of the products meet in a bit, so nothing carries.
    const TO_TOP: u64 = 0x0102_0408_1020_4080;
    let (eights, _) = flags.as_chunks::<8>();
    let mut bytes = [0_u8; 8];
    for (eight, byte) in eights.iter().zip(&mut bytes) {
        let [.., top] = u64::from_le_bytes(*eight).wrapping_mul(TO_TOP).to_le_bytes();
        *byte = top;
    }
    u64::from_le_bytes(bytes)
}
