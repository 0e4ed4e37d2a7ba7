//! The word decoded as two well-known parser crates would have it, then judged. Decoding is what is compared: the
//! rules that follow are the same for both.

mod bundle;
mod dump;

use std::io::Cursor;

use binrw::BinRead;
use deku::prelude::*;

/// What is asked about a word; the same structure as in the C peer.
#[repr(C)]
pub struct Access {
    pub generation: u32,
    /// 0 where the type has no alignment.
    pub alignment: u32,
    pub write: bool,
    pub accumulator: bool,
    pub allow_psum: bool,
    pub allow_sbuf: bool,
}

/// The fields of a word as deku reads them: bit by bit, lowest first.
#[derive(DekuRead)]
#[deku(endian = "little", bit_order = "lsb")]
struct DekuWord {
    #[deku(bits = 8)]
    low: u32,
    #[deku(bits = 16)]
    middle: u32,
    #[deku(bits = 5)]
    high: u32,
    #[deku(bits = 1)]
    _indirect: u8,
    #[deku(bits = 1)]
    _active: u8,
    #[deku(bits = 1)]
    register: u8,
}

/// The fields of a word as binrw reads them: one integer, mapped to a structure.
#[derive(BinRead)]
#[br(little, map = BinrwWord::from_bits)]
struct BinrwWord {
    register: bool,
    mode: u32,
    address: u32,
}

impl BinrwWord {
    fn from_bits(bits: u32) -> Self {
        Self { register: bits >> 31 != 0, mode: bits >> 29 & 3, address: bits & 0x1FFF_FFFF }
    }
}

/// Counts per verdict: 0 is ok, the others are numbered as in validate.c.
fn judge(access: &Access, register: bool, mode: u32, address: u32) -> usize {
    if register {
        let reserved = match access.generation {
            2 => mode != 0 || address & 0x1FFF_FF00 != 0,
            _ => address & 0x00FF_FF00 != 0,
        };
        return if reserved {
            1
        } else if address & 0xFF > 63 {
            2
        } else {
            0
        };
    }
    if access.alignment == 0 {
        return 3;
    }
    if address & (access.alignment - 1) != 0 {
        return 4;
    }
    match address {
        0x0000_0000..=0x01FF_FFFF => {
            if access.allow_sbuf {
                0
            } else {
                8
            }
        }
        0x0200_0000..=0x023F_FFFF if !access.allow_psum => 5,
        0x0200_0000..=0x023F_FFFF if access.write && !access.accumulator => 6,
        0x0200_0000..=0x023F_FFFF => 0,
        _ => 7,
    }
}

/// # Safety
/// `bytes` points at `length` readable bytes; `access` and `counts` are valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn peer_deku(access: &Access, bytes: *const u8, length: usize, counts: &mut [u64; 9]) {
    // SAFETY: the caller says so.
    let bytes = unsafe { std::slice::from_raw_parts(bytes, length) };
    let mut cursor = Cursor::new(bytes);
    let mut reader = Reader::new(&mut cursor);
    for _ in 0..length / 4 {
        let word = DekuWord::from_reader_with_ctx(&mut reader, ()).unwrap();
        let mode = u32::from(word._indirect) | u32::from(word._active) << 1;
        let address = word.high << 24 | word.middle << 8 | word.low;
        counts[judge(access, word.register != 0, mode, address)] += 1;
    }
}

/// # Safety
/// `bytes` points at `length` readable bytes; `access` and `counts` are valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn peer_binrw(access: &Access, bytes: *const u8, length: usize, counts: &mut [u64; 9]) {
    // SAFETY: the caller says so.
    let bytes = unsafe { std::slice::from_raw_parts(bytes, length) };
    let mut cursor = Cursor::new(bytes);
    for _ in 0..length / 4 {
        let word = BinrwWord::read(&mut cursor).unwrap();
        counts[judge(access, word.register, word.mode, word.address)] += 1;
    }
}
