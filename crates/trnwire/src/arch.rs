//! Which chip a word or record was made for: the generation of its cores, and the architecture of its collectives.

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
const NAMES: [(&str, Generation); 28] = [
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
    (CollectiveArch::MarianaPlus.name(), Generation::Gen4),
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

/// An architecture that the runtime's collectives know. Every generation has one, and gen4 two.
///
/// Source: runtime book, firmware book. What differs between architectures stands with the formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CollectiveArch {
    /// Trainium 1 and Inferentia 2.
    Sunda,
    /// Trainium 2.
    Cayman,
    /// Trainium 3.
    Mariana,
    /// Trainium 3, the second variant. It shares the host code of MARIANA (inferred).
    MarianaPlus,
}

impl CollectiveArch {
    /// Every architecture, oldest first.
    pub const ALL: [Self; 4] = [Self::Sunda, Self::Cayman, Self::Mariana, Self::MarianaPlus];

    /// `sunda`, `cayman`, `mariana` or `mariana_plus`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sunda => "sunda",
            Self::Cayman => "cayman",
            Self::Mariana => "mariana",
            Self::MarianaPlus => "mariana_plus",
        }
    }

    /// The number that the runtime gives to its context dumper: 0x05, 0x0C, 0x14 or 0x1C. Source: runtime book, firmware
    /// book.
    #[must_use]
    pub const fn id(self) -> u32 {
        match self {
            Self::Sunda => 0x05,
            Self::Cayman => 0x0C,
            Self::Mariana => 0x14,
            Self::MarianaPlus => 0x1C,
        }
    }

    /// The architecture with this number.
    #[must_use]
    pub fn from_id(id: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|arch| arch.id() == id)
    }

    /// The generation of its cores.
    #[must_use]
    pub const fn generation(self) -> Generation {
        match self {
            Self::Sunda => Generation::Gen2,
            Self::Cayman => Generation::Gen3,
            Self::Mariana | Self::MarianaPlus => Generation::Gen4,
        }
    }

    /// Finds an architecture by any name of its generation; a name of gen4 that does not say which is MARIANA.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        if same_name(Self::MarianaPlus.name(), name) {
            return Some(Self::MarianaPlus);
        }
        Generation::parse(name).map(Self::of)
    }

    /// The architecture of a generation: the first one.
    #[must_use]
    pub const fn of(generation: Generation) -> Self {
        match generation {
            Generation::Gen2 => Self::Sunda,
            Generation::Gen3 => Self::Cayman,
            Generation::Gen4 => Self::Mariana,
        }
    }
}

impl fmt::Display for CollectiveArch {
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
    fn every_name_of_a_generation_is_one_of_its_architecture() {
        for arch in CollectiveArch::ALL {
            assert_eq!(CollectiveArch::parse(arch.name()), Some(arch));
            assert_eq!(CollectiveArch::from_id(arch.id()), Some(arch));
            assert_eq!(Generation::parse(arch.name()), Some(arch.generation()));
        }
        assert_eq!(CollectiveArch::parse("trn3"), Some(CollectiveArch::Mariana));
        assert_eq!(CollectiveArch::parse("Mariana-Plus"), Some(CollectiveArch::MarianaPlus));
        assert_eq!(CollectiveArch::parse("gen1"), None);
        assert_eq!(CollectiveArch::from_id(4), None);
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
