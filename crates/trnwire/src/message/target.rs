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
pub enum Target {
    /// NeuronCore v1: Inferentia 1.
    Gen1,
    /// A generation with address words.
    Later(Generation),
}

impl Target {
    /// Every target, oldest first.
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

    /// Finds a target by any name that [`Generation::parse`] knows, or by a name of gen1.
    ///
    /// Case, `-`, `_` and spaces do not count.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        if GEN1_NAMES.iter().any(|known| same_name(known, name)) {
            return Some(Self::Gen1);
        }
        Generation::parse(name).map(Self::Later)
    }

    /// All names that [`Target::parse`] knows, for help texts and spelling hints.
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

impl From<Generation> for Target {
    fn from(generation: Generation) -> Self {
        Self::Later(generation)
    }
}

impl fmt::Display for Target {
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
            assert_eq!(Target::parse(name), Some(Target::Gen1), "{name}");
        }
        for name in Target::names() {
            assert!(Target::parse(name).is_some(), "{name}");
        }
        assert_eq!(Target::parse("trn1"), Some(Target::Later(Generation::Gen2)));
        assert_eq!(Target::parse("gen5"), None);
        assert_eq!(Target::parse(""), None);
    }

    #[test]
    fn each_target_has_its_own_geometry() {
        let sizes = Target::ALL.map(|target| target.geometry().sbuf_active);
        assert_eq!(sizes, [98_304, 196_608, 229_376, 262_144]);
        for target in Target::ALL {
            assert_eq!(target.geometry().name, target.name());
        }
    }
}
