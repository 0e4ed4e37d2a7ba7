//! The generations that a message can be about, gen1 included.

use core::fmt;

use crate::arch::{Generation, same_name};
use crate::geometry::Geometry;

/// Every usual name of gen1, lower case, without `-`, `_` and spaces.
const GEN1_NAMES: [&str; 8] = ["gen1", "inf1", "inferentia", "inferentia1", "tonga", "v1", "corev1", "neuroncorev1"];

/// A generation that a message may come from.
///
/// Compiler messages of gen1 (Inferentia 1) still turn up, so it is known here although it has no
/// address words in this library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Chip {
    /// NeuronCore v1: Inferentia 1.
    Gen1,
    /// A generation with address words.
    Later(Generation),
}

impl Chip {
    /// Every chip, oldest first.
    pub const ALL: [Self; 4] =
        [Self::Gen1, Self::Later(Generation::Gen2), Self::Later(Generation::Gen3), Self::Later(Generation::Gen4)];

    /// `gen1` to `gen4`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gen1 => "gen1",
            Self::Later(generation) => generation.name(),
        }
    }

    /// Finds a chip by any name that [`Generation::parse`] knows, or by a name of gen1.
    ///
    /// Case, `-`, `_` and spaces do not count.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        if GEN1_NAMES.iter().any(|known| same_name(known, name)) {
            return Some(Self::Gen1);
        }
        Generation::parse(name).map(Self::Later)
    }

    /// All names that [`Chip::parse`] knows, for help texts and spelling hints.
    pub fn names() -> impl Iterator<Item = &'static str> {
        GEN1_NAMES.into_iter().chain(Generation::names())
    }

    /// Sizes of the on-chip memories.
    #[must_use]
    pub const fn geometry(self) -> &'static Geometry {
        match self {
            Self::Gen1 => &Geometry::GEN1,
            Self::Later(generation) => Geometry::of(generation),
        }
    }
}

impl From<Generation> for Chip {
    fn from(generation: Generation) -> Self {
        Self::Later(generation)
    }
}

impl fmt::Display for Chip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_gen1_and_of_the_later_generations_parse() {
        for name in ["gen1", "inf1", "Inferentia", "inferentia1", "tonga", "V1", "core_v1"] {
            assert_eq!(Chip::parse(name), Some(Chip::Gen1), "{name}");
        }
        for name in Chip::names() {
            assert!(Chip::parse(name).is_some(), "{name}");
        }
        assert_eq!(Chip::parse("trn1"), Some(Chip::Later(Generation::Gen2)));
        assert_eq!(Chip::parse("gen5"), None);
        assert_eq!(Chip::parse(""), None);
    }

    #[test]
    fn each_target_has_its_own_geometry() {
        let sizes = Chip::ALL.map(|chip| chip.geometry().sbuf_active);
        assert_eq!(sizes, [98_304, 196_608, 229_376, 262_144]);
        for chip in Chip::ALL {
            assert_eq!(chip.geometry().name, chip.name());
        }
    }
}
