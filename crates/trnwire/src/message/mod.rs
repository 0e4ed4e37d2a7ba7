//! Explains what compilers and runtimes say about on-chip memory.
//!
//! [`explain`] looks through a text for locations such as `SB<0,185856>(756257x10376)`, access
//! patterns, start partitions, sizes and a few sentences that name a rule. It holds them against the
//! rules of each generation asked for, and says which number breaks which rule, by how much, and
//! what the nearest legal value is. What no source tells stays unknown: such a finding says what
//! would decide.
//!
//! ```
//! use trnwire::message::{Chip, explain};
//!
//! let text = "Allocated memory out of bound {x}@SB<0,185856>(756257x10376)";
//! let report = explain(text, &Chip::parse("trn1").into_iter().collect::<Vec<_>>());
//! assert!(report.has_violation());
//! let answer = report.render_text();
//! assert!(answer.contains("756257 > 128, over by 756129; nearest legal: 128 partitions"));
//! assert!(answer.contains("185856 + 10376 = 196232 <= 196608 (192 KiB on gen2): the bytes fit"));
//! ```
//!
//! Any text may be given: it is read once, in linear time. Repeats are counted rather than kept, and of the rest at
//! most [`MAX_FACTS`] are judged; [`Report::is_complete`] tells whether that was all.

mod chip;
mod cursor;
mod fact;
mod fact_fields;
mod finding;
mod number;
mod render;
mod rules;
mod scan;
#[cfg(test)]
mod tests;
mod words;

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

pub use chip::Chip;
pub use fact::{
    Claim, DescriptorField, Dimension, Fact, FactKind, FactValue, Location, Operand, Phrase, Space, StartValue, Tensor,
};
pub use finding::{Finding, Verdict};
pub use number::Number;
pub use rules::{RULES, Rule};
pub use scan::{MAX_DIMENSIONS, MAX_FACTS, MAX_MESSAGE_LINES, MAX_QUOTE};

/// What a text says about on-chip memory, and what the rules say to it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// Generations that were asked for, oldest first.
    pub targets: Vec<Chip>,
    /// What was found in the text, in order.
    pub facts: Vec<Fact>,
    /// What the rules say; those of a message stand together.
    pub findings: Vec<Finding>,
    /// Facts beyond [`MAX_FACTS`], which were not judged.
    pub facts_dropped: usize,
}

impl Report {
    /// Whether anything about on-chip memory was found, be there a rule for it or not.
    #[must_use]
    pub fn understood_anything(&self) -> bool {
        !self.facts.is_empty()
    }

    /// Whether all facts of the text were judged. If not, a violation may hide among those that were not.
    #[must_use]
    pub const fn is_complete(&self) -> bool {
        self.facts_dropped == 0
    }

    /// Whether the text breaks a limit that it states itself, or a rule on every generation asked for, not necessarily
    /// the same rule on each.
    ///
    /// A text that breaks a rule on some of them only, such as a location that fits the larger SBUF of a later
    /// generation, is no violation as long as nobody says that it is meant for the others; see
    /// [`Report::has_violation_on`] for one generation.
    #[must_use]
    pub fn has_violation(&self) -> bool {
        self.breaks_stated_limit() || self.targets.iter().all(|&chip| self.has_violation_on(chip))
    }

    fn breaks_stated_limit(&self) -> bool {
        self.findings.iter().any(|finding| finding.verdict == Verdict::Breaks && finding.limit_is_stated)
    }

    /// Whether a rule is broken on this generation.
    #[must_use]
    pub fn has_violation_on(&self, chip: Chip) -> bool {
        self.findings.iter().any(|finding| finding.verdict == Verdict::Breaks && finding.targets.contains(&chip))
    }

    /// The fact that a finding is about.
    #[must_use]
    pub fn subject(&self, finding: &Finding) -> Option<&Fact> {
        self.facts.get(finding.fact)
    }

    /// The report as plain text: the answer in a sentence, then the evidence.
    #[must_use]
    pub fn render_text(&self) -> String {
        render::report(self)
    }
}

/// Explains a text for some generations; none means all.
#[must_use]
pub fn explain(text: &str, targets: &[Chip]) -> Report {
    let mut targets = if targets.is_empty() { Chip::ALL.to_vec() } else { targets.to_vec() };
    targets.sort_unstable();
    targets.dedup();
    let scan::Scan { mut facts, facts_dropped } = scan::scan(text);
    let (findings, judged) = rules::judge(&facts, &targets);
    for index in judged {
        if let Some(fact) = facts.get_mut(index) {
            fact.judged = true;
        }
    }
    let findings = without_repeats(&facts, findings);
    Report { targets, facts, findings, facts_dropped }
}

/// Logs repeat themselves: of equal findings about equal text, the first is kept and the others counted.
fn without_repeats(facts: &[Fact], findings: Vec<Finding>) -> Vec<Finding> {
    let mut kept: Vec<Finding> = Vec::new();
    let mut seen: BTreeMap<(String, &'static str, String, Vec<Chip>), usize> = BTreeMap::new();
    for mut finding in findings {
        let (text, repeats) =
            facts.get(finding.fact).map_or((String::new(), 0), |fact| (fact.text.clone(), fact.repeats));
        finding.repeats = repeats;
        let key = (text, finding.rule, finding.arithmetic.clone(), finding.targets.clone());
        let first = *seen.entry(key).or_insert(kept.len());
        match kept.get_mut(first) {
            Some(known) => known.repeats = known.repeats.saturating_add(1).saturating_add(repeats),
            None => kept.push(finding),
        }
    }
    kept
}

/// What [`explain`] looks for: a kind of text and an example of it.
const WHAT_IT_LOOKS_FOR: &[(&str, &str)] = &[
    ("a location: memory, first partition, byte offset, partitions x bytes per partition", "SB<0,185856>(128x10376)"),
    ("a tensor with its memory", "float32 <128 x 420> in SB"),
    ("an access pattern with its element offset", "Access Pattern: [[406,36],[1,1],[1,203]] Offset: 19488"),
    (
        "the element type and the extent of a tensor, beside a pattern",
        "AP: float32 [[406,36],[1,203]] Offset: 19488, shape [84, 406], or tensor size: 34104 elements",
    ),
    ("indices and the size of their dimension", "index range [0, 511] exceed dimension size of 500"),
    ("a start partition", "Starts at partition 48, or dst start_partition(ii)"),
    ("a number of partitions", "36 partitions in SBUF"),
    ("bytes per partition of operands", "x: 888 Bytes per Partition and total of: 113664 Bytes in SB"),
    ("a sum or a limit of bytes per partition", "Total SB Partition Size: 196608"),
    ("a size of a memory", "25 MiB in SBUF"),
    ("a step or num with its bound", "Step=-48528 < Min=-32768"),
    ("PSUM banks", "PSUM banks 0-3, or 16 PSUM banks"),
    (
        "the destination or the source partitions of a matmul",
        "Matmult dst tensor is not psum, or s3d3_mm_valid_src_partition",
    ),
    ("something out of bound", "Access pattern out of bound, or scatter/gather out-of-bound access"),
];

/// The answer to a text in which nothing was found: what was looked for, with an example of each.
#[must_use]
pub fn what_it_looked_for() -> String {
    render::looked_for()
}
