//! The rules by name, with what each rests on.

use super::super::chip::Chip;

/// A rule that a message can break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Stable identifier, in snake case.
    pub id: &'static str,
    /// The rule in plain words, on every generation with address words; see [`Rule::name_on`].
    pub name: &'static str,
    /// Where the rule comes from, and how sure that is.
    pub source: &'static str,
}

impl Rule {
    /// The rule in plain words, as it is on a generation: gen1 has fewer PSUM banks.
    #[must_use]
    pub fn name_on(&self, chip: Chip) -> &'static str {
        if chip == Chip::Gen1 && self.id == PSUM_BANKS.id {
            return "PSUM has 4 banks of 2 KiB per partition";
        }
        self.name
    }
}

macro_rules! rules {
    ($($(#[$doc:meta])* $constant:ident: $id:literal, $name:literal, $source:literal;)+) => {
        $($(#[$doc])* pub(super) static $constant: Rule = Rule { id: $id, name: $name, source: $source };)+

        /// Every rule that [`explain`](crate::message::explain) applies.
        pub static RULES: &[&Rule] = &[$(&$constant),+];
    };
}

rules! {
    /// First partition plus count stays inside the memory.
    PARTITION_COUNT: "partition_count", "partition count",
        "compiler book, header book, AWS, KLR; gen1: compiler book alone";
    /// Offset plus size stays inside an SBUF partition.
    SBUF_BYTES: "sbuf_bytes", "SBUF bytes per partition",
        "compiler book, header book, AWS; gen1: compiler book alone";
    /// A total stays inside SBUF.
    SBUF_TOTAL: "sbuf_total", "SBUF bytes in all partitions",
        "compiler book, header book, AWS; gen1: compiler book alone";
    /// Offset plus size stays inside a PSUM partition.
    PSUM_BYTES: "psum_bytes", "PSUM bytes per partition",
        "compiler book, header book, AWS; gen1: compiler book alone";
    /// A total stays inside PSUM.
    PSUM_TOTAL: "psum_total", "PSUM bytes in all partitions",
        "compiler book, header book, AWS; gen1: compiler book alone";
    /// A bank exists.
    PSUM_BANKS: "psum_banks", "PSUM has 8 banks of 2 KiB per partition",
        "compiler book, header book, AWS; gen1 has 4 banks by the compiler book alone; the header book's gen2 page says 16 x 1 KiB";
    /// An access starts at a base that its number of partitions allows.
    START_PARTITION: "start_partition", "start partition",
        "AWS; KLR allows the same four bases; adopted for gen1, of which an inf1 compiler message shows a part";
    /// A matmul writes PSUM.
    MATMUL_DESTINATION: "matmul_destination", "matmul destination in PSUM",
        "compiler message, AWS";
    /// A matmul reads partitions that are allowed for its sources.
    MATMUL_SOURCE_PARTITION: "matmul_source_partition", "matmul source start partition",
        "compiler message; the body of the check is in no source, the rule is that of AWS for start partitions";
    /// A step fits its field.
    STEP_FIELD: "step_field", "step is a signed 16-bit field",
        "compiler book, header book, AWS; gen1: compiler message";
    /// A num fits its field.
    NUM_FIELD: "num_field", "num is an unsigned 16-bit field",
        "compiler book, header book, AWS; gen1: inferred";
    /// A dimension takes at least one round.
    ZERO_NUM: "zero_num", "num is at least 1",
        "compiler book, header book; gen1: inferred";
    /// The partitions of an access follow one another.
    PARTITION_STEP: "partition_step", "partitions one after the other",
        "AWS; the compiler book refuses negative steps; gen1: inferred";
    /// A descriptor holds few dimensions.
    FREE_DIMENSIONS: "free_dimensions", "at most 4 free dimensions",
        "compiler book, header book, AWS; gen1: inferred";
    /// All elements lie inside the tensor.
    PATTERN_IN_TENSOR: "pattern_in_tensor", "pattern inside its tensor",
        "compiler message; the arithmetic is inferred";
    /// Indices are checked by the machine.
    GATHER_INDEX: "gather_index", "gather index in bounds, checked at run time",
        "runtime message";
    /// Numbers of one message fit together.
    MESSAGE_ARITHMETIC: "message_arithmetic", "the message's own arithmetic",
        "arithmetic";
    /// Memory outside the chip has other limits.
    OFF_CHIP: "off_chip", "no on-chip rule",
        "no source tells limits of DRAM locations";
    /// Not a matter of addresses.
    NO_ADDRESS_RULE: "no_address_rule", "no address rule",
        "the message was a compiler bug that was fixed later";
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;

    #[test]
    fn names_hold_the_numbers_of_their_generation() {
        for chip in Chip::ALL {
            let geometry = chip.geometry();
            let size = super::super::super::words::binary_size(geometry.psum_bank_size.into()).unwrap();
            let expected = alloc::format!("PSUM has {} banks of {size} per partition", geometry.psum_banks);
            assert_eq!(PSUM_BANKS.name_on(chip), expected);
            assert_eq!(SBUF_BYTES.name_on(chip), SBUF_BYTES.name);
        }
        assert!(FREE_DIMENSIONS.name.contains(&alloc::format!(" {} ", super::super::fields::MOST_FREE_DIMENSIONS)));
    }

    #[test]
    fn identifiers_are_unique_and_in_snake_case() {
        let ids: BTreeSet<_> = RULES.iter().map(|rule| rule.id).collect();
        assert_eq!(ids.len(), RULES.len());
        for id in ids {
            assert!(id.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{id}");
        }
    }
}
