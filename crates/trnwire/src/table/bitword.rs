//! The table of a word that is cut into bits.

/// Declares a word type from a table of its bit-fields.
///
/// The `fields` block says once where each field lies and what it means; the `layouts` block names the readings
/// of the word, each a list of fields that must cover all of its bits. Every field becomes an associated constant
/// [`Field`](crate::table::Field), and the type gets `TABLE`, `from_bits` and `bits`.
macro_rules! bitword {
    (
        $(#[$attribute:meta])*
        pub struct $Word:ident($int:ty) = $kind:literal: $title:literal;
        fields {
            $( $FIELD:ident $name:literal [$high:literal : $low:literal] $shape:ident, $unit:ident, $legal:expr,
               [$($source:ident),* $(; $confidence:ident)?], $meaning:literal; )*
        }
        layouts {
            $( $LAYOUT:ident $layout:literal when $when:literal: [$($member:ident),* $(,)?]; )*
        }
    ) => {
        $(#[$attribute])*
        pub struct $Word($int);

        impl $Word {
            $(
                #[doc = $meaning]
                #[doc = concat!("\n\nBits ", $high, ":", $low, ".")]
                pub const $FIELD: $crate::table::Field = $crate::table::Field {
                    name: $name,
                    bits: $crate::table::BitRange { low: $low, high: $high },
                    shape: $crate::table::Shape::$shape,
                    unit: $crate::table::Unit::$unit,
                    legal: $legal,
                    meaning: $meaning,
                    evidence: $crate::table::Evidence::stated(&[$($crate::table::Source::$source),*])
                        $( .but($crate::table::Confidence::$confidence) )?,
                };
            )*
            $(
                #[doc = concat!("How the word is read when ", $when, ".")]
                pub const $LAYOUT: $crate::table::Layout = $crate::table::Layout {
                    name: $layout,
                    when: $when,
                    fields: &[$(Self::$member),*],
                };
            )*
            /// The whole format: every reading and every field.
            pub const TABLE: $crate::table::Table = $crate::table::Table {
                kind: $kind,
                title: $title,
                size_bytes: $crate::table::length_of(size_of::<$int>()),
                is_word: true,
                layouts: &[$(Self::$LAYOUT),*],
            };

            /// The word with these bits. Every value is a word.
            #[must_use]
            #[inline]
            pub const fn from_bits(bits: $int) -> Self {
                Self(bits)
            }

            /// The bits of the word.
            #[must_use]
            #[inline]
            pub const fn bits(self) -> $int {
                self.0
            }
        }

        $( const _: () = assert!(
            $crate::table::layout_covers($Word::$LAYOUT.fields, <$int>::BITS),
            concat!("layout ", $layout, " does not cover each bit of the word once"),
        ); )*
    };
}

pub(crate) use bitword;
