//! The table of a record that is cut into whole bytes.

use zerocopy::little_endian::{I16, U16, U32, U64};

use super::Shape;

/// A type that stands in a record: its size on the wire is its size in memory, its alignment is 1.
pub(crate) trait Wire: zerocopy::Unaligned {
    /// How its bytes are read.
    const SHAPE: Shape;
}

macro_rules! wire {
    ($($Type:ty: $shape:ident),*) => { $( impl Wire for $Type { const SHAPE: Shape = Shape::$shape; } )* };
}

wire!(u8: Unsigned, U16: Unsigned, U32: Unsigned, U64: Unsigned, i8: Signed, I16: Signed);

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
/// Each row says the byte offset, name, type, unit, legal range, sources and meaning of a field; the name, or what follows
/// `as`, is also its key in JSON. Compiling it proves that the stated offsets are the real ones and that the fields cover
/// every byte. With a name and a title behind its size the record is a format of its own and gets a `TABLE`.
macro_rules! record {
    (@table $Record:ident $size:literal) => {
        impl $Record {
            /// What tables call the record.
            pub(crate) const NAME: &'static str = stringify!($Record);
        }
    };
    (@table $Record:ident $size:literal $kind:literal $title:literal) => {
        impl $Record {
            /// What tables call the record.
            pub(crate) const NAME: &'static str = $kind;
            /// The whole format.
            pub const TABLE: $crate::table::Table = $crate::table::Table {
                kind: $kind,
                title: $title,
                size_bytes: $size,
                is_word: false,
                layouts: &[$crate::table::Layout { name: $kind, when: "always", fields: $Record::FIELDS }],
            };
        }
    };
    (@key $field:ident) => { stringify!($field) };
    (@key $field:ident $key:literal) => { $key };
    (
        $(#[$attribute:meta])*
        pub struct $Record:ident[$size:literal] $(= $kind:literal: $title:literal)?;
        $( $offset:literal $field:ident $(as $key:literal)?: $type:ty, $unit:ident, $legal:expr,
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

        /// All bytes zero.
        impl Default for $Record {
            fn default() -> Self {
                zerocopy::FromZeros::new_zeroed()
            }
        }

        impl $Record {
            /// Every field, in ascending order of offset.
            pub const FIELDS: &'static [$crate::table::Field] = &[$( $crate::table::Field {
                name: $crate::table::record!(@key $field $($key)?),
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

        $crate::table::record!(@table $Record $size $($kind $title)?);

        impl $crate::table::Wire for $Record {
            const SHAPE: $crate::table::Shape = $crate::table::Shape::Record($Record::NAME, $Record::FIELDS);
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
