//! Data types: the tag that stands on the wire, and the compiler's (BIR) names for them.

use alloc::{format, string::String, string::ToString};
use core::fmt;

use crate::arch::{Generation, same_name};

/// The dtype byte of an instruction. Any of the 256 values can occur; not every one has a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct WireTag(u8);

/// What is known about one wire tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WireTagFacts {
    /// The tag.
    pub tag: u8,
    /// Name in the header book.
    pub name: &'static str,
    /// Bytes of one element; for `FP4_EXP2` of the container of four. `None` where no source tells.
    pub size_bytes: Option<u32>,
    /// The first generation that has it.
    pub first_generation: Generation,
}

const fn tag(tag: u8, name: &'static str, size_bytes: u32) -> WireTagFacts {
    WireTagFacts {
        tag,
        name,
        size_bytes: if size_bytes == 0 { None } else { Some(size_bytes) },
        first_generation: if tag < 16 { Generation::Gen2 } else { Generation::Gen4 },
    }
}

/// Tags 1 to 15: compiler book and header book; 16: both, gen4 only; 25 to 31: header book alone.
const WIRE_TAGS: [WireTagFacts; 24] = [
    tag(0, "INVALID", 0),
    tag(1, "UINT64", 8),
    tag(2, "INT8", 1),
    tag(3, "UINT8", 1),
    tag(4, "INT16", 2),
    tag(5, "UINT16", 2),
    tag(6, "BFLOAT16", 2),
    tag(7, "FP16", 2),
    tag(8, "INT32", 4),
    tag(9, "UINT32", 4),
    tag(10, "FP32", 4),
    tag(11, "FP32R", 4),
    tag(12, "INT64", 8),
    tag(13, "FP8_EXP3", 1),
    tag(14, "FP8_EXP4", 1),
    tag(15, "FP8_EXP5", 1),
    tag(16, "FP4_EXP2", 2),
    tag(25, "CPTC1", 0),
    tag(26, "CPTC2", 0),
    tag(27, "CPTC3", 0),
    tag(28, "CPTC4", 0),
    tag(29, "CPTC5", 0),
    tag(30, "CPTC6", 0),
    tag(31, "CPTC7", 0),
];

impl WireTag {
    /// The byte dtype: alignment 1, so that nothing is misaligned.
    pub const UINT8: Self = Self(3);

    /// The tag with this value.
    #[must_use]
    #[inline]
    pub const fn new(tag: u8) -> Self {
        Self(tag)
    }

    /// The value.
    #[must_use]
    pub const fn get(self) -> u8 {
        self.0
    }

    /// What is known about the tag; `None` for an unassigned one.
    #[must_use]
    pub fn facts(self) -> Option<&'static WireTagFacts> {
        WIRE_TAGS.iter().find(|facts| facts.tag == self.0)
    }

    /// The byte multiple at which an operand of this type must start, or `None` where the validator rejects the
    /// tag whatever the address.
    ///
    /// Source: compiler book; the classes 1, 2, 4 and 8 also header book and runtime book. Alignment is not
    /// element size: tag 16 has a 2-byte container and alignment 1, on gen4 only.
    #[must_use]
    #[inline]
    pub const fn alignment(self, generation: Generation) -> Option<u32> {
        match (self.0, generation) {
            (2 | 3 | 13 | 14 | 15, _) | (16, Generation::Gen4) => Some(1),
            (4..=7, _) => Some(2),
            (8..=11, _) => Some(4),
            (1 | 12, _) => Some(8),
            _ => None,
        }
    }

    /// Whether the PSUM accumulators hold this type: the four 4-byte types, tags 8 to 11. Only these may be written to
    /// PSUM. Source: compiler book, header book.
    #[must_use]
    #[inline]
    pub const fn is_psum_accumulator(self) -> bool {
        matches!(self.0, 8..=11)
    }
}

/// `10 (FP32)`; an unassigned tag is the number alone.
impl fmt::Display for WireTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.facts() {
            Some(facts) => write!(f, "{} ({})", self.0, facts.name),
            None => write!(f, "{}", self.0),
        }
    }
}

/// A data type as the compiler names it. Several share one wire tag, so a tag does not tell which it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BirDtype {
    name: &'static str,
    tag: u8,
    container_bytes: u32,
    /// Spellings that people use; case and separators do not count.
    spellings: &'static [&'static str],
}

const fn bir(name: &'static str, tag: u8, container_bytes: u32, spellings: &'static [&'static str]) -> BirDtype {
    BirDtype { name, tag, container_bytes, spellings }
}

/// In BIR order. Source: compiler book, whole table; container sizes agree with KLR where it has the type.
const BIR_DTYPES: [BirDtype; 20] = [
    bir("uint8", 3, 1, &["uint8", "u8", "ui8", "byte"]),
    bir("int8", 2, 1, &["int8", "i8", "s8"]),
    bir("float4_e2m1fn_x4", 16, 2, &["float4e2m1fnx4", "float4e2m1x4", "fp4e2m1x4", "f4e2m1fnx4", "fp4x4", "mxfp4"]),
    bir("float8e3", 13, 1, &["float8e3", "fp8e3", "f8e3", "float8e3m4", "fp8e3m4", "f8e3m4", "fp8exp3"]),
    bir("float8e4", 14, 1, &["float8e4", "fp8e4", "f8e4", "fp8exp4"]),
    bir("float8_e4m3fn", 14, 1, &["float8e4m3fn", "fp8e4m3fn", "f8e4m3fn"]),
    bir(
        "float8_e8m0fnu",
        3,
        1,
        &["float8e8m0fnu", "fp8e8m0fnu", "f8e8m0fnu", "float8e8m0", "fp8e8m0", "f8e8m0", "e8m0"],
    ),
    bir("float8e5", 15, 1, &["float8e5", "fp8e5", "f8e5", "float8e5m2", "fp8e5m2", "f8e5m2", "fp8exp5"]),
    bir("float8_e4m3fn_x4", 14, 4, &["float8e4m3fnx4", "float8e4m3x4", "fp8e4m3fnx4", "fp8e4m3x4", "f8e4m3fnx4"]),
    bir("float8_e5m2_x4", 15, 4, &["float8e5m2x4", "fp8e5m2x4", "f8e5m2x4"]),
    bir("uint16", 5, 2, &["uint16", "u16", "ui16"]),
    bir("int16", 4, 2, &["int16", "i16", "s16"]),
    bir("bfloat16", 6, 2, &["bfloat16", "bf16"]),
    bir("float16", 7, 2, &["float16", "fp16", "f16", "half"]),
    bir("uint32", 9, 4, &["uint32", "u32", "ui32"]),
    bir("int32", 8, 4, &["int32", "i32", "s32"]),
    bir("float32", 10, 4, &["float32", "fp32", "f32", "float"]),
    bir("float32r", 11, 4, &["float32r", "fp32r", "f32r"]),
    bir("uint64", 1, 8, &["uint64", "u64", "ui64"]),
    bir("int64", 12, 8, &["int64", "i64", "s64"]),
];

impl BirDtype {
    /// All twenty, in the compiler's order.
    #[must_use]
    pub const fn all() -> &'static [Self] {
        &BIR_DTYPES
    }

    /// The compiler's name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The type with exactly this BIR name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<&'static Self> {
        BIR_DTYPES.iter().find(|dtype| dtype.name == name)
    }

    /// The tag that the compiler writes on this generation. Only `float4_e2m1fn_x4` differs: tag 5 before gen4.
    #[must_use]
    pub const fn wire_tag(&self, generation: Generation) -> WireTag {
        match (self.tag, generation) {
            (16, Generation::Gen2 | Generation::Gen3) => WireTag(5),
            (tag, _) => WireTag(tag),
        }
    }

    /// Elements of one container: 4 for the three `_x4` types, 1 for all others. Source: compiler book.
    #[must_use]
    pub fn packed_elements(&self) -> u8 {
        if self.name.ends_with("_x4") { 4 } else { 1 }
    }

    /// Bytes of one container: an element, or four packed ones of an `_x4` type.
    #[must_use]
    pub const fn container_bytes(&self) -> u32 {
        self.container_bytes
    }
}

/// A data type as somebody typed it: a wire tag, or a name that becomes one on a given generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dtype {
    /// A wire tag by number or by its header name.
    Tag(WireTag),
    /// A compiler type.
    Bir(&'static BirDtype),
}

impl Dtype {
    /// Understands a tag number (`10`, `0x0A`), a header name (`FP32`, `FP8_EXP4`), a BIR name (`float8_e4m3fn`) and
    /// the usual short forms (`bf16`, `fp8e4`, `i32`). Case, `-`, `_` and spaces do not count.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let number = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
            Some(digits) if !digits.starts_with('+') => u8::from_str_radix(digits, 16),
            _ => text.parse(),
        };
        if let Ok(number) = number {
            return Some(Self::Tag(WireTag(number)));
        }
        if let Some(dtype) =
            BIR_DTYPES.iter().find(|dtype| dtype.spellings.iter().any(|spelling| same_name(spelling, text)))
        {
            return Some(Self::Bir(dtype));
        }
        WIRE_TAGS.iter().find(|facts| same_name(facts.name, text)).map(|facts| Self::Tag(WireTag(facts.tag)))
    }

    /// Bytes of one element: the container of a compiler type, the size of a tag. `None` where no source tells.
    #[must_use]
    pub fn size_bytes(self) -> Option<u32> {
        match self {
            Self::Tag(tag) => tag.facts()?.size_bytes,
            Self::Bir(dtype) => Some(dtype.container_bytes()),
        }
    }

    /// The tag on the wire.
    #[must_use]
    pub const fn wire_tag(self, generation: Generation) -> WireTag {
        match self {
            Self::Tag(tag) => tag,
            Self::Bir(dtype) => dtype.wire_tag(generation),
        }
    }

    /// Names to offer when a spelling is not known.
    pub fn names() -> impl Iterator<Item = &'static str> {
        let short = BIR_DTYPES.iter().flat_map(|dtype| dtype.spellings.iter().copied());
        let full = BIR_DTYPES.iter().map(|dtype| dtype.name);
        full.chain(short).chain(WIRE_TAGS.iter().map(|facts| facts.name))
    }
}

/// The dtypes as a Markdown page: wire tags with their alignment, and the names that stand for them.
#[must_use]
pub fn markdown() -> String {
    let mut out = String::from(
        "# dtypes\n\nGenerated from the table in the source; do not edit. `--dtype` takes a tag, a header name, a compiler name or \
         a spelling; case, `-` and `_` do not count. Alignment is that of the validator; - is none, so that no address \
         passes.\n\n## Wire tags\n\n| tag | header name | bytes | alignment gen2 | gen3 | gen4 |\n|---|---|---|---|---|---|\n",
    );
    let or_dash = |number: Option<u32>| number.map_or_else(|| "-".to_string(), |number| number.to_string());
    for facts in &WIRE_TAGS {
        let alignments = Generation::ALL.map(|generation| or_dash(WireTag(facts.tag).alignment(generation)));
        let (tag, name, bytes) = (facts.tag, facts.name, or_dash(facts.size_bytes));
        out.push_str(&format!("| {tag} | {name} | {bytes} | {} |\n", alignments.join(" | ")));
    }
    out.push_str(
        "\nNo other tag has a meaning or an alignment.\n\n## Compiler types\n\n| name | tag before gen4 | tag on gen4 | container \
         bytes | spellings |\n|---|---|---|---|---|\n",
    );
    for dtype in &BIR_DTYPES {
        let (name, bytes, spellings) = (dtype.name, dtype.container_bytes, dtype.spellings.join(", "));
        let [old, new] = [Generation::Gen3, Generation::Gen4].map(|generation| dtype.wire_tag(generation).get());
        out.push_str(&format!("| {name} | {old} | {new} | {bytes} | {spellings} |\n"));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wire_tags_are_the_compilers_own_tables() {
        let gen4 = [
            0x03, 0x02, 0x10, 0x0d, 0x0e, 0x0e, 0x03, 0x0f, 0x0e, 0x0f, 0x05, 0x04, 0x06, 0x07, 0x09, 0x08, 0x0a, 0x0b,
            0x01, 0x0c,
        ];
        let mut older = gen4;
        older[2] = 0x05;
        for (generation, table) in [(Generation::Gen2, older), (Generation::Gen3, older), (Generation::Gen4, gen4)] {
            let ours: alloc::vec::Vec<u8> =
                BirDtype::all().iter().map(|dtype| dtype.wire_tag(generation).get()).collect();
            assert_eq!(ours, table);
        }
    }

    #[test]
    fn no_spelling_stands_for_two_types_and_each_parses_to_its_own() {
        for dtype in BirDtype::all() {
            assert_eq!(Dtype::parse(dtype.name), Some(Dtype::Bir(dtype)), "{}", dtype.name);
            for spelling in dtype.spellings {
                assert_eq!(Dtype::parse(spelling), Some(Dtype::Bir(dtype)), "{spelling}");
                assert_eq!(Dtype::parse(&spelling.to_uppercase()), Some(Dtype::Bir(dtype)), "{spelling}");
            }
        }
    }

    #[test]
    fn a_header_name_means_the_tag_that_it_names() {
        for facts in WIRE_TAGS {
            let parsed = Dtype::parse(facts.name).unwrap();
            for generation in Generation::ALL {
                assert_eq!(parsed.wire_tag(generation).get(), facts.tag, "{}", facts.name);
            }
        }
    }

    #[test]
    fn numbers_are_tags_and_must_fit_a_byte() {
        assert_eq!(Dtype::parse("10"), Some(Dtype::Tag(WireTag(10))));
        assert_eq!(Dtype::parse("0xfF"), Some(Dtype::Tag(WireTag(255))));
        assert_eq!(Dtype::parse("256"), None);
        assert_eq!(Dtype::parse("0x"), None);
        assert_eq!(Dtype::parse("0x+1"), None);
        assert_eq!(Dtype::parse(""), None);
        // KLR lists it, but no source gives its tag.
        assert_eq!(Dtype::parse("float8_e4m3"), None);
    }

    #[test]
    fn sizes_of_known_tags_agree_with_the_types_that_use_them() {
        for dtype in BirDtype::all().iter().filter(|dtype| !dtype.name.ends_with("_x4")) {
            let facts = dtype.wire_tag(Generation::Gen4).facts().unwrap();
            assert_eq!(facts.size_bytes, Some(dtype.container_bytes()), "{}", dtype.name);
        }
    }
}
