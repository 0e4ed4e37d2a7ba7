//! Which chip generation a word was made for.

use core::fmt;

/// A NeuronCore generation that uses the ADDR4 address word.
///
/// gen1 (Inferentia) has another instruction set and gen5 changes markers and strides; neither is a
/// `Generation`. Source: address-word page, compiler book.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Generation {
    /// NeuronCore v2: Trainium 1 and Inferentia 2 (code name sunda, ArchLevel 20).
    Gen2,
    /// NeuronCore v3: Trainium 2 (code name cayman, ArchLevel 30).
    Gen3,
    /// NeuronCore v4: Trainium 3 (code name mariana, ArchLevel 40).
    Gen4,
}

/// Every usual name; the first of a generation is its own.
const NAMES: [(&str, Generation); 27] = [
    ("gen2", Generation::Gen2),
    ("v2", Generation::Gen2),
    ("core_v2", Generation::Gen2),
    ("NeuronCore-v2", Generation::Gen2),
    ("sunda", Generation::Gen2),
    ("trn1", Generation::Gen2),
    ("trn1n", Generation::Gen2),
    ("trainium", Generation::Gen2),
    ("trainium1", Generation::Gen2),
    ("inf2", Generation::Gen2),
    ("inferentia2", Generation::Gen2),
    ("gen3", Generation::Gen3),
    ("v3", Generation::Gen3),
    ("core_v3", Generation::Gen3),
    ("NeuronCore-v3", Generation::Gen3),
    ("cayman", Generation::Gen3),
    ("trn2", Generation::Gen3),
    ("trn2n", Generation::Gen3),
    ("trn2u", Generation::Gen3),
    ("trainium2", Generation::Gen3),
    ("gen4", Generation::Gen4),
    ("v4", Generation::Gen4),
    ("core_v4", Generation::Gen4),
    ("NeuronCore-v4", Generation::Gen4),
    ("mariana", Generation::Gen4),
    ("trn3", Generation::Gen4),
    ("trainium3", Generation::Gen4),
];

impl Generation {
    /// Every generation, oldest first.
    pub const ALL: [Self; 3] = [Self::Gen2, Self::Gen3, Self::Gen4];

    /// `gen2`, `gen3` or `gen4`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gen2 => "gen2",
            Self::Gen3 => "gen3",
            Self::Gen4 => "gen4",
        }
    }

    /// The compiler's ArchLevel: 20, 30 or 40.
    #[must_use]
    pub const fn arch_level(self) -> u32 {
        match self {
            Self::Gen2 => 20,
            Self::Gen3 => 30,
            Self::Gen4 => 40,
        }
    }

    /// Finds a generation by any common name: `gen3`, `trn2`, `cayman`, `core_v3`, `NeuronCore-v3`.
    ///
    /// Case, `-`, `_` and spaces do not count. `None` when no generation has this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        NAMES.iter().find(|(known, _)| same_name(known, name)).map(|&(_, generation)| generation)
    }

    /// All names that [`Generation::parse`] knows, for help texts and spelling hints.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMES.iter().map(|&(name, _)| name)
    }
}

impl fmt::Display for Generation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Whether two names agree, leaving case, `-`, `_` and spaces aside.
pub(crate) fn same_name(known: &str, typed: &str) -> bool {
    fn letters(text: &str) -> impl Iterator<Item = u8> + '_ {
        text.bytes().filter(|byte| !matches!(byte, b'-' | b'_' | b' ')).map(|byte| byte.to_ascii_lowercase())
    }
    letters(known).eq(letters(typed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_name_parses_and_its_own_name_comes_first() {
        for generation in Generation::ALL {
            assert_eq!(Generation::parse(generation.name()), Some(generation));
        }
        for (name, generation) in NAMES {
            assert_eq!(Generation::parse(name), Some(generation));
        }
    }

    #[test]
    fn case_and_separators_do_not_count_but_letters_do() {
        assert_eq!(Generation::parse("Core_V3"), Some(Generation::Gen3));
        assert_eq!(Generation::parse("NeuronCore-v2"), Some(Generation::Gen2));
        assert_eq!(Generation::parse("gen1"), None);
        assert_eq!(Generation::parse("gen"), None);
        assert_eq!(Generation::parse(""), None);
    }
}
