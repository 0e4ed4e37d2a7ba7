//! Where a fact comes from and how sure we are.

use core::fmt;

/// A place that a fact was read in. What it is worth stands with each fact as a [`Confidence`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Source {
    /// Analysis of the compiler's library. All its pages count as one source.
    CompilerBook,
    /// The C headers that ship with the tools.
    HeaderBook,
    /// Analysis of the runtime library.
    RuntimeBook,
    /// The page on the ring channel descriptor: the runtime's populator, its debug types and its dumper.
    RingDescriptorPage,
    /// Analysis of the sync cores' firmware, a reading of its own of the same libraries as the runtime book.
    FirmwareBook,
    /// The public kernel driver.
    KernelDriver,
    /// The runtime's public header for collectives, of an older release.
    NecHeader,
    /// Public AWS documentation.
    AwsDocumentation,
}

impl Source {
    /// The name that people see.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::CompilerBook => "compiler book",
            Self::HeaderBook => "header book",
            Self::RuntimeBook => "runtime book",
            Self::RingDescriptorPage => "ring-descriptor page",
            Self::FirmwareBook => "firmware book",
            Self::KernelDriver => "kernel driver",
            Self::NecHeader => "NEC header",
            Self::AwsDocumentation => "AWS documentation",
        }
    }
}

/// How well a fact is supported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Confidence {
    /// Two or more independent sources say the same.
    Agreed,
    /// One source says it.
    Single,
    /// Sources are silent or at odds, and this project chose.
    Adopted,
    /// This project's own reasoning from what the sources say.
    Inferred,
}

impl Confidence {
    /// The name that people see.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Agreed => "agreed",
            Self::Single => "single source",
            Self::Adopted => "adopted",
            Self::Inferred => "inferred",
        }
    }
}

/// The sources of one fact and what they amount to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Evidence {
    /// How well the fact is supported.
    pub confidence: Confidence,
    /// The sources that state it.
    pub sources: &'static [Source],
}

impl Evidence {
    /// Facts that these sources state. Two or more make it [`Confidence::Agreed`], one [`Confidence::Single`],
    /// none [`Confidence::Adopted`].
    #[must_use]
    pub const fn stated(sources: &'static [Source]) -> Self {
        let confidence = match sources.len() {
            0 => Confidence::Adopted,
            1 => Confidence::Single,
            _ => Confidence::Agreed,
        };
        Self { confidence, sources }
    }

    /// The same sources, which for a reason of their own do not amount to what their number says.
    #[must_use]
    pub const fn but(self, confidence: Confidence) -> Self {
        Self { confidence, ..self }
    }
}

/// `agreed: compiler book, header book`.
impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.confidence.name())?;
        for (index, source) in self.sources.iter().enumerate() {
            f.write_str(if index == 0 { ": " } else { ", " })?;
            f.write_str(source.name())?;
        }
        Ok(())
    }
}
