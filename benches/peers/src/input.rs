//! The three inputs.

use trnwire::addr4::Addr4;

/// What the buffer holds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Input {
    AllOk,
    Random,
    OnePercentBad,
}

impl Input {
    pub const ALL: [Self; 3] = [Self::AllOk, Self::Random, Self::OnePercentBad];

    pub const fn name(self) -> &'static str {
        match self {
            Self::AllOk => "all ok",
            Self::Random => "random",
            Self::OnePercentBad => "1 % bad",
        }
    }

    /// Writes every word, so that every page is there before anything is timed.
    pub fn fill(self, words: &mut [Addr4]) {
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        for word in words {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let low = state as u32;
            let high = (state >> 32) as u32;
            *word = Addr4::from_bits(match self {
                Self::Random => low ^ high,
                Self::AllOk => ok(low, high),
                Self::OnePercentBad if high.is_multiple_of(100) => bad(low, high / 100),
                Self::OnePercentBad => ok(low, high / 100),
            });
        }
    }
}

/// Twelve of sixteen in SBUF, three in PSUM, one in a register; no lint, aligned for four bytes.
const fn ok(low: u32, choice: u32) -> u32 {
    match choice % 16 {
        // Offsets up to 128 KiB are backed everywhere.
        0..12 => low & 0x01FD_FFFC,
        12..15 => 0x0200_0000 | low & 0x003F_BFFC,
        _ => 0x8000_0000 | low & 0x3F,
    }
}

/// Misaligned, off chip, reserved bits, register out of range.
const fn bad(low: u32, choice: u32) -> u32 {
    match choice % 4 {
        0 => low & 0x01FD_FFFC | 1,
        1 => 0x0400_0000 | low & 0x0FFF_FFFC,
        2 => 0x8000_0100 | low & 0x00FF_FFFF,
        _ => 0x8000_0040 | low & 0xFF,
    }
}
