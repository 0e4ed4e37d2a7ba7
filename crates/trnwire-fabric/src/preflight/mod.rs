//! Whether groups of ranks can work, before anything is compiled or loaded.

mod groups;
mod legal;
mod module;
mod platform;
mod print;
mod routes;
pub mod rules;

use crate::groups::CollectiveOp;
use crate::load::Load;
use crate::rule::{Finding, Severity, worst};
use crate::topology::Topology;
pub use module::ops_of_module;

/// A job to judge.
#[derive(Clone, Debug)]
pub struct Job<'a> {
    /// Where it runs.
    pub topology: &'a Topology,
    /// Its collectives.
    pub ops: Vec<Op>,
    /// How many logical cores it asks for; by default as many as ranks occur in its groups.
    pub cores: Option<u32>,
    /// The SDK that it is for.
    pub sdk: Option<Version>,
    /// The runtime that it is for.
    pub runtime: Option<Version>,
}

/// A collective.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Op {
    /// How findings call it; empty when there is only one.
    pub name: String,
    /// What it does, where known.
    pub kind: Option<CollectiveOp>,
    /// What its ids stand for, in the words of the compiler; empty where they are ranks.
    pub mode: String,
    /// Its groups of ranks.
    pub groups: Vec<Vec<u32>>,
    /// Its pairs, from and to, when it is a permute.
    pub pairs: Vec<(u32, u32)>,
}

/// A version, such as 2.23.110.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(Vec<u32>);

impl Version {
    /// Reads `2.32` or `2.23.110.0`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let parts: Result<Vec<u32>, _> = text.trim().split('.').map(str::parse).collect();
        parts.ok().filter(|parts| (1..=6).contains(&parts.len())).map(Self)
    }
}

impl core::fmt::Display for Version {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let parts: Vec<String> = self.0.iter().map(u32::to_string).collect();
        f.write_str(&parts.join("."))
    }
}

/// What came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// The facts list it.
    Legal,
    /// No source says.
    Unknown,
    /// A stated rule refuses it.
    Illegal,
}

impl Verdict {
    /// `legal`, `unknown` or `illegal`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Legal => "legal",
            Self::Unknown => "unknown",
            Self::Illegal => "illegal",
        }
    }
}

/// A job or a group, judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// What is judged: `group 3 of 24 cores`.
    pub what: String,
    /// What came out.
    pub verdict: Verdict,
    /// Why, in one sentence.
    pub why: String,
    /// The statement about the platform that decides, or the entry that lists it.
    pub rule: String,
    /// Numbers of cores, listed by the facts, that are nearest to one that they do not list.
    pub nearest: Vec<u32>,
    /// What would be legal, in words.
    pub instead: String,
}

/// A check that could not be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotChecked {
    /// Which check.
    pub what: String,
    /// What input would allow it.
    pub needs: String,
}

/// Everything about a job.
#[derive(Clone, Debug)]
pub struct Report {
    /// The worst of all.
    pub verdict: Verdict,
    /// The job, then its groups; equal answers of several groups stand together.
    pub judged: Vec<Judged>,
    /// What else there is to say.
    pub findings: Vec<Finding>,
    /// What is known of the platform, where nothing is asked about it.
    pub known: Vec<String>,
    /// What could not be checked.
    pub not_checked: Vec<NotChecked>,
    /// Hops and link loads of the pairs.
    pub load: Option<Load>,
}

/// Judges a job.
#[must_use]
pub fn preflight(job: &Job<'_>) -> Report {
    let mut report = Report {
        verdict: Verdict::Legal,
        judged: Vec::new(),
        findings: job
            .topology
            .findings
            .iter()
            .filter(|finding| finding.rule.severity > Severity::Note)
            .cloned()
            .collect(),
        known: Vec::new(),
        not_checked: Vec::new(),
        load: None,
    };
    groups::check(job, &mut report);
    platform::judge(job, &mut report);
    routes::check(job, &mut report);
    let is_wrong = worst(&report.findings) == Some(Severity::Error);
    let worst = report.judged.iter().map(|judged| judged.verdict).max().unwrap_or(Verdict::Unknown);
    report.verdict = if is_wrong { Verdict::Illegal } else { worst };
    report
}

impl Report {
    fn not_checked(&mut self, what: impl Into<String>, needs: impl Into<String>) {
        self.not_checked.push(NotChecked { what: what.into(), needs: needs.into() });
    }
}
