//! The table of a record that is cut into whole bytes.

use zerocopy::little_endian::{I16, U16, U32};

use super::Shape;

/// A type that stands in a record: its size on the wire is its size in memory, its alignment is 1.
pub(crate) trait Wire: zerocopy::Unaligned {
    /// How its bytes are read.
    const SHAPE: Shape;
}

macro_rules! wire {
    ($($Type:ty: $shape:ident),*) => { $( impl Wire for $Type { const SHAPE: Shape = Shape::$shape; } )* };
}

wire!(u8: Unsigned, U16: Unsigned, U32: Unsigned, i8: Signed, I16: Signed);

impl<T: Wire, const LENGTH: usize> Wire for [T; LENGTH] {
    const SHAPE: Shape = Shape::Array(&T::SHAPE, length_of(LENGTH));
}

macro_rules! opaque {
    ($(#[$doc:meta])* $Type:ident: $shape:ident) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq,
            zerocopy::FromBytes, zerocopy::IntoBytes, zerocopy::KnownLayout, zerocopy::Immutable, zerocopy::Unaligned,
        )]
        #[repr(transparent)]
        pub struct $Type<const LENGTH: usize>(pub [u8; LENGTH]);

        impl<const LENGTH: usize> Wire for $Type<LENGTH> {
            const SHAPE: Shape = Shape::$shape;
        }
    };
}

opaque! {
    /// Bytes without a known meaning: kept on a round trip, reported when not zero.
    Reserved: Reserved
}

opaque! {
    /// Bytes that other tables read.
    Bytes: Bytes
}

/// `usize` to `u32` in a constant; the record proof rejects what would not fit.
#[must_use]
#[expect(
    clippy::as_conversions,
    reason = "no conversion trait is const; lengths are small and proven by the record's size"
)]
pub(crate) const fn length_of(length: usize) -> u32 {
    length as u32
}

/// Declares a zero-copy record from a table of its fields.
///
/// Each row says the byte offset, name, type, unit, legal range, sources and meaning of a field; the name is also its key
/// in JSON. Compiling it proves that the stated offsets are the real ones and that the fields cover every byte.
macro_rules! record {
    (
        $(#[$attribute:meta])*
        pub struct $Record:ident[$size:literal];
        $( $offset:literal $field:ident: $type:ty, $unit:ident, $legal:expr,
           [$($source:ident),* $(; $confidence:ident)?], $meaning:literal; )*
    ) => {
        $(#[$attribute])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq,
            zerocopy::FromBytes, zerocopy::IntoBytes, zerocopy::KnownLayout, zerocopy::Immutable, zerocopy::Unaligned,
        )]
        #[repr(C)]
        pub struct $Record {
            $(
                #[doc = $meaning]
                #[doc = concat!("\n\nByte ", $offset, ".")]
                pub $field: $type,
            )*
        }

        impl $Record {
            /// Every field, in ascending order of offset.
            pub const FIELDS: &'static [$crate::table::Field] = &[$( $crate::table::Field {
                name: stringify!($field),
                bits: $crate::table::BitRange::bytes(
                    $offset,
                    $crate::table::length_of(core::mem::size_of::<$type>()),
                ),
                shape: <$type as $crate::table::Wire>::SHAPE,
                unit: $crate::table::Unit::$unit,
                legal: $legal,
                meaning: $meaning,
                evidence: $crate::table::Evidence::stated(&[$($crate::table::Source::$source),*])
                    $( .but($crate::table::Confidence::$confidence) )?,
            } ),*];
        }

        const _: () = {
            assert!(core::mem::size_of::<$Record>() == $size, concat!(stringify!($Record), ": size differs from its table"));
            $( assert!(
                core::mem::offset_of!($Record, $field) == $offset,
                concat!(stringify!($Record), ".", stringify!($field), ": offset differs from its table"),
            ); )*
            assert!(
                $crate::table::record_covers($Record::FIELDS, $size),
                concat!(stringify!($Record), ": fields do not cover each byte once"),
            );
        };
    };
}

pub(crate) use record;
