//! The lines of the disassembler are those that `write!` makes.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail so")]
#![allow(clippy::arithmetic_side_effects, clippy::as_conversions, reason = "a generator of test bytes")]

mod oracle;

use trnwire::arch::Generation;
use trnwire::bundle::Bundle;
use zerocopy::FromBytes;

/// Deterministic bytes (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }

    /// A bundle whose bytes are few values, so that known opcodes, modes and small numbers come up often.
    fn bundle(&mut self) -> [u8; 64] {
        let mut bytes = [0; 64];
        for byte in &mut bytes {
            *byte = match self.next() % 4 {
                0 => self.next() as u8,
                1 => [0x10, 0x20, 0x40, 0x60, 0x80, 0xA0, 0x02, 0xFF][self.next() as usize % 8],
                _ => self.next() as u8 % 3,
            };
        }
        bytes[0] = self.next() as u8;
        bytes
    }
}

fn line(bundle: &Bundle, generation: Generation, offset: u64) -> String {
    let mut line = Vec::new();
    bundle.disassemble(generation, offset, &mut line);
    String::from_utf8(line).unwrap()
}

#[test]
fn lines_are_those_that_write_makes() {
    let mut random = Random(1);
    for round in 0..300_000_u64 {
        let bytes = random.bundle();
        let bundle = Bundle::ref_from_bytes(&bytes).unwrap();
        let generation = Generation::ALL[round as usize % 3];
        // Offsets of every length.
        let offset = random.next() >> (random.next() % 64);
        let mut expected = String::new();
        oracle::disassemble(bundle, generation, offset, &mut expected).unwrap();
        assert_eq!(line(bundle, generation, offset), expected, "{bytes:02x?}");
    }
}

/// The whole format at a glance.
#[test]
fn lines_read_as_people_want_them() {
    let mut bytes = [0; 64];
    bytes[..12].copy_from_slice(&[0x02, 0x10, 0, 0, 0x05, 5, 0x13, 7, 12, 0, 0, 0]);
    bytes[16..32].copy_from_slice(&[0x20, 1, 0x14, 0, 1, 0, 0x96, 1, 1, 0, 203, 0, 36, 0, 1, 0]);
    bytes[32] = 10;
    bytes[40] = 10;
    bytes[48..64].copy_from_slice(&[4, 8, 1, 2, 1, 0, 1, 0, 1, 0, 0, 2, 1, 0, 1, 0]);
    let bundle = Bundle::ref_from_bytes(&bytes).unwrap();
    assert_eq!(
        line(bundle, Generation::Gen3, 0x40),
        "0x00000040  MATMUL moving=sbuf[5+0x120][[406,36],[1,203]]:FP32 dst=psum[2.1+0x4][[1,512]]:FP32  \
         wait sem5>=12  on done sem7+=1"
    );
    let odd = line(Bundle::ref_from_bytes(&[0xA4; 64]).unwrap(), Generation::Gen2, 1 << 36);
    assert!(odd.starts_with("0x1000000000  NOP  wait mode 0xa4 sem164 value 2762253476  update mode 0xa4"), "{odd}");
}
