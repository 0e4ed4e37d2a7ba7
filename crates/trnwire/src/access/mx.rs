//! MXMEM_PATTERN1D, gen4 only: packed data and a stream of E8M0 scales, walked in order or gathered.
//!
//! The block size (32 elements for a scale) and the strides from block to block are not on the wire. The addresses count
//! packed containers, the extent unpacked elements.

use zerocopy::little_endian::U16;

use crate::addr4::Addr4Wire;
use crate::table::Legal::{Depends, Range};
use crate::table::{Reserved, record};

record! {
    /// Data and scales walked in order.
    pub struct MxTensor1d[16];

    // offset, field  type         unit       legal            sources
    0 data:           Addr4Wire,   Bytes,     Depends,         [CompilerBook, HeaderBook],
        "where the packed data begins";
    4 scale:          Addr4Wire,   Bytes,     Depends,         [CompilerBook, HeaderBook],
        "where the scales begin; names the first partition of a quadrant";
    8 k_extent:       U16,         Elements,  Range(1, 65535), [CompilerBook, HeaderBook],
        "unpacked elements per partition; zero only where a register holds the shape";
    10 step_dir:      i8,          None,      Depends,         [CompilerBook, HeaderBook],
        "direction: 1 forward, -1 backward";
    11 scale_part:    u8,          Partition, Depends,         [CompilerBook, HeaderBook],
        "partition of the scales in their quadrant: 0, 4, 8 or 12";
    12 reserved:      Reserved<4>, None,      Range(0, 0),     [CompilerBook, HeaderBook],
        "zero";
}

record! {
    /// Data and scales gathered through indices.
    pub struct MxIndirect16[16];

    // offset, field  type         unit       legal            sources
    0 index:          Addr4Wire,   Bytes,     Depends,         [CompilerBook],
        "where the indices lie; mode indirect";
    4 data:           Addr4Wire,   Bytes,     Depends,         [CompilerBook; Adopted],
        "where the packed data begins (the listing labels data and scale the other way round)";
    8 scale:          Addr4Wire,   Bytes,     Depends,         [CompilerBook; Adopted],
        "where the scales begin; names the first partition of a quadrant";
    12 k_extent:      U16,         None,      Range(1, 65535), [CompilerBook],
        "number of indices, times 4 for packed types";
    14 spare:         u8,          None,      Range(0, 0),     [CompilerBook; Inferred],
        "zero";
    15 scale_part:    u8,          Partition, Depends,         [CompilerBook],
        "partition of the scales in their quadrant: 0, 4, 8 or 12";
}
