//! A bundle decoded into structures with deku, then judged. The same counts as c/bundle.c.

use std::io::Cursor;

use deku::prelude::*;

/// Verdicts as numbered in peer.h.
const DEAD_MODE: usize = 34;
const INDIRECT_IN_TENSOR: usize = 35;
const ZERO_NUM: usize = 36;
const DATA_FLAGS: usize = 37;
const STEP_DIRECTION: usize = 38;
const SCALE_PARTITION: usize = 39;
const NOT_PSUM: usize = 41;
const WORDS: usize = 45;
pub const COUNTS: usize = 46;

#[derive(DekuRead)]
#[deku(endian = "little", ctx = "generation: u32")]
struct Bundle {
    opcode: u8,
    _inst_word_len: u8,
    _debug: [u8; 2],
    _wait: [u8; 2],
    _update: [u8; 2],
    _semaphore_value: u32,
    #[deku(ctx = "shape_of(generation, *opcode)")]
    body: Body,
}

/// Where the slots of a body lie.
mod shape {
    pub const RAW: u8 = 0;
    pub const FOUR_FOUR: u8 = 1;
    pub const THREE_THREE: u8 = 2;
    pub const THREE: u8 = 3;
    pub const THREE_THREE_THREE: u8 = 4;
    pub const THREE_THREE_SHIFTED: u8 = 5;
    pub const MX_THREE: u8 = 6;
    pub const MX: u8 = 7;
    pub const THREE_MX: u8 = 8;
    pub const FOUR_TWO: u8 = 9;
    pub const LAST_FOUR: u8 = 10;
    pub const LAST_THREE: u8 = 11;
    pub const LAST_ONE: u8 = 12;
    pub const TWO_WORDS: u8 = 13;
    pub const ONE_WORD: u8 = 14;
    pub const EMBEDDING: u8 = 15;
}

fn shape_of(generation: u32, opcode: u8) -> u8 {
    match opcode {
        0x42 | 0x52 | 0x83 | 0x84 | 0x4E | 0x5E | 0x46 | 0x47 | 0x48 | 0x6A | 0x6B | 0x45 | 0x58 | 0x7C | 0x7D
        | 0x68 | 0xE7 => shape::FOUR_FOUR,
        0x02 | 0x21 | 0x22 | 0x43 | 0x53 | 0x44 | 0x54 | 0x93 | 0x9A | 0xE6 | 0x30 => shape::THREE_THREE,
        0xBF if generation >= 3 => shape::THREE_THREE,
        0x01 => shape::THREE,
        0xE0 if generation == 4 => shape::THREE,
        0x41 | 0x51 | 0x72 | 0x99 => shape::THREE_THREE_THREE,
        0x7B if generation >= 3 => shape::THREE_THREE_SHIFTED,
        0x0A if generation == 4 => shape::MX_THREE,
        0x09 if generation == 4 => shape::MX,
        0xE3 if generation == 4 => shape::THREE_MX,
        0x61 | 0x82 => shape::FOUR_TWO,
        0x7E => shape::LAST_FOUR,
        0xE2 if generation == 4 => shape::LAST_THREE,
        0x49 => shape::LAST_ONE,
        0xBB => shape::TWO_WORDS,
        0xF1 if generation >= 3 => shape::ONE_WORD,
        0xCA => shape::EMBEDDING,
        _ => shape::RAW,
    }
}

#[derive(DekuRead)]
#[deku(endian = "endian", ctx = "endian: deku::ctx::Endian, shape: u8", id = "shape")]
enum Body {
    #[deku(id = "shape::FOUR_FOUR")]
    FourFour { src: Four, control: [u8; 12], dst: Four },
    #[deku(id = "shape::THREE_THREE")]
    ThreeThree { first: [u8; 4], src: Three, control: [u8; 16], dst: Three },
    #[deku(id = "shape::THREE")]
    Three { _first: [u8; 4], src: Three, control: [u8; 32] },
    #[deku(id = "shape::THREE_THREE_THREE")]
    ThreeThreeThree { _first: [u8; 4], slots: [Three; 3] },
    #[deku(id = "shape::THREE_THREE_SHIFTED")]
    ThreeThreeShifted { src: Three, control: [u8; 16], dst: Three, _last: [u8; 4] },
    #[deku(id = "shape::MX_THREE")]
    MxThree { _first: [u8; 4], src: Mx, control: [u8; 16], dst: Three },
    #[deku(id = "shape::MX")]
    Mx { _first: [u8; 4], src: Mx, control: [u8; 32] },
    #[deku(id = "shape::THREE_MX")]
    ThreeMx { _first: [u8; 4], src: Three, control: [u8; 16], dst: Mx },
    #[deku(id = "shape::FOUR_TWO")]
    FourTwo { src: Four, _control: [u8; 16], dst: Two, _last: [u8; 4] },
    #[deku(id = "shape::LAST_FOUR")]
    LastFour { _control: [u8; 32], dst: Four },
    #[deku(id = "shape::LAST_THREE")]
    LastThree { _control: [u8; 36], dst: Three },
    #[deku(id = "shape::LAST_ONE")]
    LastOne { _control: [u8; 32], _dst: One, _last: [u8; 12] },
    #[deku(id = "shape::TWO_WORDS")]
    TwoWords { _control: [u8; 36], _words: [u32; 2], _last: [u8; 8] },
    #[deku(id = "shape::ONE_WORD")]
    OneWord { _control: [u8; 24], _word: u32, _last: [u8; 24] },
    #[deku(id = "shape::EMBEDDING")]
    Embedding { _first: [u8; 4], _one: One, two: Two, _other: One, _control: [u8; 12], _word: u32, _last: [u8; 4] },
    #[deku(id_pat = "_")]
    Raw { _bytes: [u8; 52] },
}

#[derive(DekuRead)]
#[deku(endian = "endian", ctx = "endian: deku::ctx::Endian")]
struct One {
    _word: u32,
    _steps: [i16; 1],
    _nums: [u16; 1],
}

macro_rules! slot {
    ($Slot:ident, $Rest:ident, $loops:literal, $tail:literal) => {
        #[derive(DekuRead)]
        #[deku(endian = "endian", ctx = "endian: deku::ctx::Endian")]
        struct $Slot {
            word: u32,
            #[deku(ctx = "*word >> 29 & 3")]
            rest: $Rest,
        }

        #[derive(DekuRead)]
        #[deku(endian = "endian", ctx = "endian: deku::ctx::Endian, mode: u32", id = "mode")]
        enum $Rest {
            #[deku(id = "1")]
            Gather { data: u32, num: u16, _tail: [u8; $tail] },
            #[deku(id_pat = "_")]
            Tensor { _steps: [i16; $loops], nums: [u16; $loops] },
        }

        impl Slot for $Slot {
            fn word(&self) -> u32 {
                self.word
            }

            fn gather(&self) -> Option<(u32, u16)> {
                match self.rest {
                    $Rest::Gather { data, num, .. } => Some((data, num)),
                    $Rest::Tensor { .. } => None,
                }
            }

            fn nums(&self) -> &[u16] {
                match &self.rest {
                    $Rest::Gather { .. } => &[],
                    $Rest::Tensor { nums, .. } => nums,
                }
            }
        }
    };
}

slot!(Two, RestOfTwo, 2, 2);
slot!(Three, RestOfThree, 3, 6);
slot!(Four, RestOfFour, 4, 10);

#[derive(DekuRead)]
#[deku(endian = "endian", ctx = "endian: deku::ctx::Endian")]
struct Mx {
    word: u32,
    #[deku(ctx = "*word >> 29 & 3")]
    rest: RestOfMx,
}

#[derive(DekuRead)]
#[deku(endian = "endian", ctx = "endian: deku::ctx::Endian, mode: u32", id = "mode")]
enum RestOfMx {
    #[deku(id = "1")]
    Gather { data: u32, scale: u32, extent: u16, _spare: u8, partition: u8 },
    #[deku(id_pat = "_")]
    Static { scale: u32, extent: u16, direction: i8, partition: u8, _reserved: [u8; 4] },
}

trait Slot {
    fn word(&self) -> u32;
    fn gather(&self) -> Option<(u32, u16)>;
    fn nums(&self) -> &[u16];

    fn words(&self) -> u64 {
        if self.gather().is_some() { 2 } else { 1 }
    }
}

#[derive(Clone, Copy)]
struct Use {
    generation: u32,
    dtype: u8,
    write: bool,
    psum: bool,
    sbuf: bool,
}

fn alignment_of(generation: u32, dtype: u8) -> Option<u32> {
    match dtype {
        2 | 3 | 13..=15 => Some(1),
        16 if generation == 4 => Some(1),
        4..=7 => Some(2),
        8..=11 => Some(4),
        1 | 12 => Some(8),
        _ => None,
    }
}

/// The verdict on one word; `which` is 0 for the start, then index, data, scale.
fn word_verdict(use_: Use, word: u32, which: usize) -> usize {
    let address = word & 0x1FFF_FFFF;
    let verdict = if word >> 31 != 0 {
        let reserved = if use_.generation == 2 { 0x7FFF_FF00 } else { 0x00FF_FF00 };
        if word & reserved != 0 {
            1
        } else if word & 0xFF > 63 {
            2
        } else {
            0
        }
    } else {
        match alignment_of(use_.generation, use_.dtype) {
            None => 3,
            Some(alignment) if address & (alignment - 1) != 0 => 4,
            Some(_) => match address {
                0x0200_0000..=0x023F_FFFF if !use_.psum => 5,
                0x0200_0000..=0x023F_FFFF if use_.write && !matches!(use_.dtype, 8..=11) => 6,
                0x0200_0000..=0x023F_FFFF => 0,
                0x0200_0000.. => 7,
                _ if use_.sbuf => 0,
                _ => 8,
            },
        }
    };
    if verdict == 0 { 0 } else { which * 8 + verdict }
}

fn slot_verdict(use_: Use, is_union: bool, slot: &impl Slot) -> usize {
    let index = Use { dtype: 9, write: false, psum: false, sbuf: true, ..use_ };
    match (slot.gather(), slot.word() >> 29 & 3) {
        (Some(_), _) if !is_union => INDIRECT_IN_TENSOR,
        (Some((_, 0)), _) => ZERO_NUM,
        (Some((data, _)), _) => match word_verdict(index, slot.word(), 1) {
            0 if data & 0xE000_0000 != 0 => DATA_FLAGS,
            0 => word_verdict(use_, data, 2),
            verdict => verdict,
        },
        (None, 3) => DEAD_MODE,
        (None, mode) => match word_verdict(use_, slot.word(), 0) {
            0 if mode != 2 && slot.nums().contains(&0) => ZERO_NUM,
            verdict => verdict,
        },
    }
}

fn mx_verdict(use_: Use, slot: &Mx) -> usize {
    let word = |dtype, word, which| word_verdict(Use { dtype, psum: false, ..use_ }, word, which);
    let partition_verdict = |partition: u8| if partition & !12 == 0 { 0 } else { SCALE_PARTITION };
    let first = |verdicts: &[usize]| verdicts.iter().copied().find(|verdict| *verdict != 0);
    match slot.rest {
        RestOfMx::Gather { extent: 0, .. } => ZERO_NUM,
        RestOfMx::Gather { data, scale, partition, .. } => {
            let words = [word(9, slot.word, 1), word(9, data, 2), word(3, scale, 3)];
            first(&words).unwrap_or_else(|| partition_verdict(partition))
        }
        RestOfMx::Static { .. } if slot.word >> 29 & 3 == 3 => DEAD_MODE,
        RestOfMx::Static { scale, extent, direction, partition, .. } => {
            let data = match word(9, slot.word, 2) {
                0 => 0,
                _ if use_.dtype == 16 && word(5, slot.word, 2) == 0 => 0,
                verdict => verdict,
            };
            let counts = match (extent, direction) {
                _ if slot.word >> 28 & 7 == 4 => 0,
                (0, _) => ZERO_NUM,
                (_, 1 | -1) => 0,
                _ => STEP_DIRECTION,
            };
            let is_register = slot.word & 0xA000_0000 == 0x8000_0000;
            first(&[data, word(3, scale, 3), counts])
                .unwrap_or_else(|| if is_register { 0 } else { partition_verdict(partition) })
        }
    }
}

/// The destination of a matmul to bf16 on gen4. That of a gather is not known, and not counted.
fn matmul_verdict(use_: Use, slot: &Three) -> usize {
    let mode = slot.word >> 29 & 3;
    let verdict = match slot.word {
        _ if mode == 3 => DEAD_MODE,
        _ if mode == 1 => return 0,
        0x8000_0000.. => word_verdict(use_, slot.word, 0),
        word if word & 1 != 0 => 4,
        word if !(0x0200_0000..0x0240_0000).contains(&(word & 0x1FFF_FFFF)) => NOT_PSUM,
        _ => 0,
    };
    if verdict == 0 && mode != 2 && slot.nums().contains(&0) { ZERO_NUM } else { verdict }
}

fn judge(generation: u32, bundle: &Bundle, counts: &mut [u64; COUNTS]) {
    let reads = |dtype, psum| Use { generation, dtype, write: false, psum, sbuf: true };
    let writes = |dtype, psum, sbuf| Use { generation, dtype, write: true, psum, sbuf };
    let is_union = generation == 4;
    let matmul_destination = |dtype, dst: &Three| match (generation, dtype) {
        (4, 6) => matmul_verdict(writes(dtype, true, false), dst),
        _ => slot_verdict(writes(dtype, true, false), is_union, dst),
    };
    let (words, verdicts): (u64, [usize; 2]) = match &bundle.body {
        Body::FourFour { src, control: [dtype, out, ..], dst } => (
            src.words() + dst.words(),
            match bundle.opcode {
                0x68 => [0, 0],
                0x45 | 0x58 => [slot_verdict(reads(*dtype, true), false, src), 0],
                0x7C | 0x7D => [
                    slot_verdict(reads(*dtype, false), false, src),
                    slot_verdict(writes(*out, false, true), false, dst),
                ],
                0xE7 => [slot_verdict(reads(*dtype, false), true, src), 0],
                _ => [
                    slot_verdict(reads(*dtype, true), is_union, src),
                    slot_verdict(writes(*out, true, true), is_union, dst),
                ],
            },
        ),
        Body::ThreeThree { first, src, control, dst } => (
            src.words() + dst.words(),
            match bundle.opcode {
                0x02 => [
                    slot_verdict(reads(control[0], false), is_union, src),
                    if generation == 2 { 0 } else { matmul_destination(control[8], dst) },
                ],
                0x21 => [
                    slot_verdict(reads(control[0] & 15, true), is_union, src),
                    slot_verdict(writes(control[1], true, true), is_union, dst),
                ],
                0x22 => [0, slot_verdict(writes(control[1], true, true), is_union, dst)],
                0xBF => [
                    slot_verdict(reads(first[0], false), is_union, src),
                    slot_verdict(writes(first[1], false, true), is_union, dst),
                ],
                _ => [
                    slot_verdict(reads(control[0], true), is_union, src),
                    slot_verdict(writes(control[1], true, true), is_union, dst),
                ],
            },
        ),
        Body::Three { src, control, .. } => (
            src.words(),
            [if bundle.opcode == 0x01 { slot_verdict(reads(control[0], false), is_union, src) } else { 0 }, 0],
        ),
        Body::ThreeThreeThree { slots, .. } => (slots.iter().map(Slot::words).sum(), [0, 0]),
        Body::ThreeThreeShifted { src, control, dst, .. } => (
            src.words() + dst.words(),
            [
                slot_verdict(reads(control[4], false), is_union, src),
                slot_verdict(writes(control[5], false, true), is_union, dst),
            ],
        ),
        Body::MxThree { src, control, dst, .. } => (
            mx_words(src) + dst.words(),
            [mx_verdict(reads(control[0], false), src), matmul_destination(control[8], dst)],
        ),
        Body::Mx { src, control, .. } => (mx_words(src), [mx_verdict(reads(control[0], false), src), 0]),
        Body::ThreeMx { src, control, dst, .. } => (
            src.words() + mx_words(dst),
            [slot_verdict(reads(control[2], false), is_union, src), mx_verdict(writes(control[3], false, true), dst)],
        ),
        Body::FourTwo { src, dst, .. } => (src.words() + dst.words(), [0, 0]),
        Body::LastFour { dst, .. } => (dst.words(), [0, 0]),
        Body::LastThree { dst, .. } => (dst.words(), [0, 0]),
        Body::LastOne { .. } | Body::OneWord { .. } => (1, [0, 0]),
        Body::TwoWords { .. } => (2, [0, 0]),
        Body::Embedding { two, .. } => (3 + two.words(), [0, 0]),
        Body::Raw { .. } => (0, [0, 0]),
    };
    counts[WORDS] += words;
    for verdict in verdicts {
        counts[verdict] += 1;
    }
}

const fn mx_words(slot: &Mx) -> u64 {
    if matches!(slot.rest, RestOfMx::Gather { .. }) { 3 } else { 2 }
}

/// # Safety
/// `bytes` points at `count` bundles of 64 readable bytes; `counts` is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn peer_bundle_deku(generation: u32, bytes: *const u8, count: usize, counts: &mut [u64; COUNTS]) {
    // SAFETY: the caller says so.
    let bytes = unsafe { std::slice::from_raw_parts(bytes, count * 64) };
    let mut cursor = Cursor::new(bytes);
    let mut reader = Reader::new(&mut cursor);
    for _ in 0..count {
        let bundle = Bundle::from_reader_with_ctx(&mut reader, generation).unwrap();
        judge(generation, &bundle, counts);
    }
}
