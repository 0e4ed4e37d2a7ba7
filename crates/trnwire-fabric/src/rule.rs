//! What is checked, and what was found.
//!
//! A rule is one row of a table: its id, what it asks, why that matters, what to change, and where it comes from. Findings
//! point to their rule, and `--explain` prints it.

use core::fmt;

use serde::Deserialize;

pub use trnwire::check::Severity;

/// How well a statement about the fabric is supported. The firmware is closed, so that much is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Basis {
    /// A source says it.
    Stated,
    /// It follows from several sources; likely, not proven.
    Inferred,
    /// It is this project's model or definition.
    Model,
    /// No source says it.
    Unknown,
}

impl Basis {
    /// The word in output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stated => "stated",
            Self::Inferred => "inferred",
            Self::Model => "model",
            Self::Unknown => "unknown",
        }
    }
}

impl fmt::Display for Basis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Something that is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its name, which never changes.
    pub id: &'static str,
    /// How bad it is when it does not hold.
    pub severity: Severity,
    /// What must hold, in one sentence.
    pub says: &'static str,
    /// Why that matters.
    pub why: &'static str,
    /// What to change when it does not hold.
    pub change: &'static str,
    /// How well it is supported.
    pub basis: Basis,
    /// Where it comes from.
    pub source: &'static str,
}

/// Declares rules: `NAME = "ID" severity basis, "source": "says" "why" "change";`, and the list of all of them.
macro_rules! rules {
    ($( $NAME:ident = $id:literal $severity:ident $basis:ident, $source:literal: $says:literal $why:literal $change:literal; )*) => {
        $(
            #[doc = $says]
            pub static $NAME: $crate::rule::Rule = $crate::rule::Rule {
                id: $id,
                severity: $crate::rule::Severity::$severity,
                says: $says,
                why: $why,
                change: $change,
                basis: $crate::rule::Basis::$basis,
                source: $source,
            };
        )*
        /// All of them.
        pub static ALL: &[&$crate::rule::Rule] = &[$( &$NAME ),*];
    };
}
pub(crate) use rules;

/// A rule that does not hold, or a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule.
    pub rule: &'static Rule,
    /// What was found, with values, in one sentence.
    pub message: String,
    /// Where: a path in an input (`/devices/3/route`), a file of a snapshot, a group. Empty for the whole.
    pub place: String,
    /// The parties, the first of which is the one to look at.
    pub ends: Vec<End>,
}

impl Finding {
    /// A finding without parties.
    pub fn new(rule: &'static Rule, place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { rule, message: message.into(), place: place.into(), ends: Vec::new() }
    }
}

/// One party of a finding: a rank, and what one of its registers or fields says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct End {
    /// The rank.
    pub rank: Option<u32>,
    /// The instance on which it runs.
    pub instance: Option<u32>,
    /// The device, as the host numbers it.
    pub device: Option<u32>,
    /// The logical top-SP.
    pub top_sp: Option<u32>,
    /// The channel, which is the row in the block.
    pub channel: Option<u8>,
    /// The field, as the tables name it.
    pub field: String,
    /// What it holds, as it stands.
    pub raw: String,
    /// What that means.
    pub decoded: String,
}

/// `rank 3 (instance 0, device 1, top-SP 3, channel 0): bump_data = 0x... (...)`.
impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.rank {
            Some(rank) => write!(f, "rank {rank}")?,
            None => f.write_str("no rank")?,
        }
        let numbers = [("instance", self.instance), ("device", self.device), ("top-SP", self.top_sp)];
        let channel = ("channel", self.channel.map(u32::from));
        let mut separator = " (";
        for (name, number) in numbers.into_iter().chain([channel]) {
            if let Some(number) = number {
                write!(f, "{separator}{name} {number}")?;
                separator = ", ";
            }
        }
        if separator == ", " {
            f.write_str(")")?;
        }
        if !self.field.is_empty() {
            write!(f, ": {}", self.field)?;
        }
        if !self.raw.is_empty() {
            write!(f, " = {}", self.raw)?;
        }
        if !self.decoded.is_empty() {
            write!(f, " ({})", self.decoded)?;
        }
        Ok(())
    }
}

/// The worst of some findings.
#[must_use]
pub fn worst(findings: &[Finding]) -> Option<Severity> {
    findings.iter().map(|finding| finding.rule.severity).max()
}
