//! Streams of bundles: good ones as programs have them, random bytes, and good ones with a few damaged. The speed recorder
//! includes this file, too.

use trnwire::access::SlotType;
use trnwire::arch::Generation;
use trnwire::bundle::{Bundle, DtypePlace, Family, Flags, Opcode, SlotFacts};
use trnwire::check::Severity;

/// Deterministic numbers (splitmix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }

    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}

/// Opcodes as often as a compiled model might have them: matmuls with their weights, elementwise work, copies and
/// reductions, semaphores.
const MIX: [(u8, u64); 19] = [
    (0x02, 24),
    (0x01, 10),
    (0x21, 10),
    (0x43, 8),
    (0x53, 3),
    (0x41, 8),
    (0x51, 2),
    (0x42, 6),
    (0x46, 6),
    (0x47, 3),
    (0x45, 2),
    (0x6B, 2),
    (0x7C, 2),
    (0x49, 2),
    (0xA0, 6),
    (0xA4, 4),
    (0xA2, 2),
    (0x0A, 6),
    (0x09, 4),
];

/// A bundle without an error or a warning.
pub(crate) fn good(random: &mut Random, generation: Generation) -> [u8; 64] {
    loop {
        let mut at = random.below(MIX.iter().map(|(_, weight)| weight).sum());
        let (opcode, _) = MIX
            .into_iter()
            .find(|&(_, weight)| {
                at < weight || {
                    at -= weight;
                    false
                }
            })
            .unwrap();
        if Family::of(generation, Opcode::new(opcode)).is_some() {
            return good_of(random, generation, opcode);
        }
    }
}

/// A bundle with this opcode whose header and slots are good.
pub(crate) fn good_of(random: &mut Random, generation: Generation, opcode: u8) -> [u8; 64] {
    let mut bytes = [0; 64];
    bytes[..2].copy_from_slice(&[opcode, 0x10]);
    if random.below(4) == 0 {
        bytes[4..12].copy_from_slice(&[0x05, random.next() as u8, 0x13, random.next() as u8, 1, 0, 0, 0]);
    }
    let partition = random.pick(&[0_u32, 32, 64, 96]);
    for facts in Family::of(generation, Opcode::new(opcode)).map_or(&[][..], |family| family.slots) {
        fill(random, generation, facts, partition, &mut bytes);
    }
    bytes
}

fn fill(random: &mut Random, generation: Generation, facts: &SlotFacts, partition: u32, bytes: &mut [u8; 64]) {
    let flags = facts.flags.unwrap_or(Flags { write: false, allow_psum: false, allow_sbuf: true, inferred: true });
    let in_psum = flags.allow_psum && (!flags.allow_sbuf || random.below(2) == 0);
    let (tag, size) = if in_psum { (10, 4) } else { random.pick(&[(10_u8, 4_u32), (6, 2), (3, 1)]) };
    let is_mx = facts.slot_type(generation) == Some(SlotType::MxMemPattern1d);
    match facts.dtype {
        DtypePlace::Byte(byte) | DtypePlace::ByteSince(_, byte) => bytes[usize::from(byte)] = tag,
        DtypePlace::LowNibble(byte) => bytes[usize::from(byte)] = bytes[usize::from(byte)] & 0xF0 | tag,
        DtypePlace::HighNibble(byte) => bytes[usize::from(byte)] = bytes[usize::from(byte)] & 0x0F | tag << 4,
        DtypePlace::Unknown => {}
    }
    let size = if is_mx { 4 } else { size };
    let address = if in_psum {
        0x0200_0000 + (partition << 15) + random.below(0x4000 / 4) as u32 * 4
    } else {
        (partition << 18) + random.below(0x3_0000 / u64::from(size)) as u32 * size
    };
    let slot = &mut bytes[usize::from(facts.offset)..];
    slot[..4].copy_from_slice(&address.to_le_bytes());
    if is_mx {
        slot[4..16].copy_from_slice(&[0x40, 0, 0, 0, 128, 0, 1, 4, 0, 0, 0, 0]);
        return;
    }
    let Some(loops) = facts.slot_type(generation).map(SlotType::loops) else { return };
    for at in 0..loops {
        let (step, num) = (random.pick(&[1_i16, 2, 64, 512, -1, 0]), random.pick(&[1_u16, 2, 64, 128, 512]));
        slot[4 + 2 * at..6 + 2 * at].copy_from_slice(&step.to_le_bytes());
        slot[4 + 2 * (loops + at)..6 + 2 * (loops + at)].copy_from_slice(&num.to_le_bytes());
    }
}

/// Damages a good bundle somewhere that matters.
pub(crate) fn damage(random: &mut Random, bytes: &mut [u8; 64]) {
    match random.below(4) {
        0 => bytes[random.below(64) as usize] ^= 1 << random.below(8),
        1 => bytes[random.pick(&[15, 19, 47, 51])] = random.pick(&[0x20, 0x40, 0x60, 0x80, 0xA0, 0x02, 0x01]),
        2 => bytes[random.below(64) as usize] = random.pick(&[0, 1, 0x11, 0xFF]),
        _ => bytes[random.pick(&[12, 13, 32, 33, 40])] = random.next() as u8,
    }
}

/// A good bundle with one damage that is an error.
fn bad(random: &mut Random, generation: Generation) -> [u8; 64] {
    loop {
        let mut bytes = good(random, generation);
        damage(random, &mut bytes);
        let mut is_bad = false;
        let bundle: &Bundle = zerocopy::transmute_ref!(&bytes);
        bundle.judge(generation, |finding| is_bad |= finding.id.severity() == Severity::Error);
        if is_bad {
            return bytes;
        }
    }
}

/// The three kinds of stream that matter.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stream {
    AllOk,
    Random,
    OnePercentBad,
}

impl Stream {
    pub(crate) const ALL: [Self; 3] = [Self::AllOk, Self::Random, Self::OnePercentBad];

    /// So many bundles.
    pub(crate) fn bytes(self, generation: Generation, bundles: usize, seed: u64) -> Vec<u8> {
        let mut random = Random(seed);
        let mut bytes = Vec::with_capacity(bundles * 64);
        for _ in 0..bundles {
            let mut bundle = match self {
                Self::Random => core::array::from_fn(|_| random.next() as u8),
                Self::AllOk | Self::OnePercentBad => good(&mut random, generation),
            };
            if matches!(self, Self::OnePercentBad) && random.below(100) == 0 {
                bundle = bad(&mut random, generation);
            }
            bytes.extend_from_slice(&bundle);
        }
        bytes
    }
}
