//! A record of collectives in plain words: a sentence, its findings, then its fields as a tree with addresses resolved.

mod findings;
mod resolver;
mod sentence;
mod tree;

use alloc::{string::String, vec::Vec};

use super::text::{Line, Lines, Role};
use crate::Kind;
use crate::arch::CollectiveArch;
use crate::check::{Finding, Severity};
use crate::columns::aligned;
use crate::ring::Place;
use crate::soc::{AddressError, SocAddress};
use crate::table::Field;
use findings::findings_of;
pub use resolver::Resolver;
use sentence::sentence;
use tree::{Tree, addresses_in, number};

/// Everything that can be said about one record of collectives.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RecordExplanation<'a> {
    /// What it is.
    pub kind: Kind,
    /// What it says, in a sentence.
    pub summary: String,
    /// What is wrong or odd, each with the first byte of the record in which it is found.
    pub findings: Vec<(usize, Finding)>,
    /// Why the address of a semaphore is none.
    pub refused: Option<AddressError>,
    fields: &'a [Field],
    bytes: &'a [u8],
    resolver: Resolver,
}

impl<'a> RecordExplanation<'a> {
    /// Explains the bytes of a record of this kind, which has these fields.
    #[must_use]
    pub fn new(kind: Kind, fields: &'a [Field], bytes: &'a [u8], place: Place, resolver: Resolver) -> Self {
        let findings = findings_of(kind, fields, bytes, place);
        let address = SocAddress(number(bytes));
        let refused = match kind {
            Kind::SemaphoreAddress if address.0 != 0 => resolver.semaphore(address).err(),
            _ => None,
        };
        let summary = sentence(kind, fields, bytes, resolver);
        Self { kind, summary, findings, refused, fields, bytes, resolver }
    }

    /// Whether something makes the record invalid.
    #[must_use]
    pub fn is_wrong(&self) -> bool {
        self.refused.is_some() || self.findings.iter().any(|(_, finding)| finding.rule.severity() == Severity::Error)
    }

    /// The explanation as text. With `sources`, the meaning and the evidence of every field are listed too.
    #[must_use]
    pub fn lines(&self, sources: bool) -> Vec<Line> {
        let mut lines = Lines::default();
        lines.push(Role::Title, format_args!("{}  {}", self.kind.name().to_uppercase(), self.summary));
        if let Some(error) = self.refused {
            lines.push(Role::Bad, format_args!("error: {}", error.code()));
        } else if self.findings.is_empty() {
            lines.push(Role::Good, format_args!("nothing wrong found"));
        }
        for (base, finding) in &self.findings {
            let severity = finding.rule.severity();
            let role = if severity == Severity::Error { Role::Bad } else { Role::Warning };
            let at = base.saturating_add(finding.offset);
            lines.push(role, format_args!("{severity} at byte {at}: {finding}"));
            lines.push(Role::Plain, format_args!("  {}", finding.because()));
        }
        if let (None, Some(family)) = (self.resolver.arch, self.family()) {
            lines.push(Role::Plain, format_args!("addresses read as those of {family}, since no --arch is given"));
        }
        lines.blank();
        for line in aligned(&Tree::new(self.resolver, sources).rows(self.fields, self.bytes)) {
            lines.push(Role::Plain, format_args!("  {line}"));
        }
        lines.into_inner()
    }

    /// Whose addresses the record has, as the first one that is a semaphore tells.
    fn family(&self) -> Option<&'static str> {
        let mut found = self.semaphores().into_iter().filter_map(|(_, address)| self.resolver.semaphore(address).ok());
        found.next().map(|(arch, _)| match arch {
            CollectiveArch::Sunda => "sunda",
            _ => "cayman, which are mariana's as well",
        })
    }

    /// Says what addresses mean.
    #[must_use]
    pub const fn resolver(&self) -> Resolver {
        self.resolver
    }

    /// Every address of a semaphore that is set, by its path.
    #[must_use]
    pub fn semaphores(&self) -> Vec<(String, SocAddress)> {
        let mut found = Vec::new();
        addresses_in("", self.fields, self.bytes, &mut found);
        found
    }
}
