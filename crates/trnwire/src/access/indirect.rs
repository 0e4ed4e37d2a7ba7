//! INDIRECT12B, 16B and 20B: a gather. It stands where a TENSORnD of its size could, and the mode of the first word
//! tells which of the two it is.
//!
//! One page of the compiler book swaps index and data in the 20-byte form; all other pages agree on the index at 0.

use zerocopy::little_endian::U16;

use crate::addr4::{Addr4, Addr4Wire};
use crate::table::Legal::{Depends, Range};
use crate::table::{Reserved, record};

macro_rules! indirect {
    ($Indirect:ident[$size:literal], tail of $tail:literal, $($source:ident),*) => {
        record! {
            #[doc = concat!("A gather in ", stringify!($size), " bytes.")]
            pub struct $Indirect[$size];

            // offset, field  type             unit   legal            sources
            0 index:          Addr4Wire,       Bytes, Depends,         [$($source),*],
                "where the indices lie, in SBUF; mode indirect";
            4 data:           Addr4Wire,       Bytes, Depends,         [$($source),*],
                "where the gathered data begins; bits 31:29 are zero";
            8 num:            U16,             None,  Range(1, 65535), [$($source),*],
                "number of indices (compiler book) or elements per partition (header book): the opcode decides";
            10 tail:          Reserved<$tail>, None,  Range(0, 0),     [$($source),*],
                "zero";
        }
    };
}

indirect!(Indirect12[12], tail of 2, HeaderBook);
indirect!(Indirect16[16], tail of 6, CompilerBook, HeaderBook);
indirect!(Indirect20[20], tail of 10, CompilerBook, HeaderBook);

/// A view of a gather, whatever its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Indirect<'a> {
    /// Where the indices lie.
    pub index: Addr4,
    /// Where the gathered data begins.
    pub data: Addr4,
    /// Number of indices or of elements per partition: the opcode decides.
    pub num: u16,
    /// The bytes after `num`; zero, as far as anybody emits them.
    pub tail: &'a [u8],
}

macro_rules! view {
    ($($Indirect:ident),*) => { $(
        impl<'a> From<&'a $Indirect> for Indirect<'a> {
            #[inline]
            fn from(record: &'a $Indirect) -> Self {
                let $Indirect { index, data, num, tail } = record;
                Self { index: index.get(), data: data.get(), num: num.get(), tail: &tail.0 }
            }
        }
    )* };
}

view!(Indirect12, Indirect16, Indirect20);
