//! What a rule says about a fact.

use alloc::string::String;
use alloc::vec::Vec;

use super::chip::Chip;
use super::rules::Rule;

/// The outcome of holding a fact against a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// A number of the text breaks the rule.
    Breaks,
    /// The text does not give the numbers that decide; the note says which ones would.
    CannotTell,
    /// The message is not about an address.
    NotAnAddressFault,
    /// The rule holds.
    Holds,
}

impl Verdict {
    /// A stable name: `breaks`, `cannot_tell`, `not_an_address_fault` or `holds`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Breaks => "breaks",
            Self::CannotTell => "cannot_tell",
            Self::NotAnAddressFault => "not_an_address_fault",
            Self::Holds => "holds",
        }
    }
}

/// One rule, one fact, and the generations for which the outcome is the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Stable identifier of the rule; see [`RULES`](super::RULES).
    pub rule: &'static str,
    /// The rule in plain words.
    pub rule_name: &'static str,
    /// The outcome.
    pub verdict: Verdict,
    /// Generations to which it applies, oldest first.
    pub targets: Vec<Chip>,
    /// Index of the fact in [`Report::facts`](super::Report::facts).
    pub fact: usize,
    /// The value that was judged.
    pub value: Option<i128>,
    /// The limit, if it is the same for all targets.
    pub limit: Option<i128>,
    /// The limit of each target, if they differ.
    pub limits: Vec<(Chip, i128)>,
    /// Whether the limit is one that the text itself states: then breaking it is what the text is about.
    pub limit_is_stated: bool,
    /// How far the value is on the wrong side of the limit, or from the nearest legal value.
    pub over_by: Option<i128>,
    /// The nearest legal value of the number that one would change.
    pub nearest_legal: Option<i128>,
    /// All legal values, where they are few.
    pub legal_values: Vec<i128>,
    /// The arithmetic, ready to be read.
    pub arithmetic: String,
    /// What would be legal, in words.
    pub advice: String,
    /// Anything else: what would decide, what does not agree, what it means.
    pub note: String,
    /// How often the same finding occurred again in the text.
    pub repeats: usize,
}

impl Finding {
    pub(super) fn new(rule: &'static Rule, fact: usize, verdict: Verdict) -> Self {
        Self {
            rule: rule.id,
            rule_name: rule.name,
            verdict,
            targets: Vec::new(),
            fact,
            value: None,
            limit: None,
            limits: Vec::new(),
            limit_is_stated: false,
            over_by: None,
            nearest_legal: None,
            legal_values: Vec::new(),
            arithmetic: String::new(),
            advice: String::new(),
            note: String::new(),
            repeats: 0,
        }
    }

    /// Adds a sentence to the note.
    pub(super) fn add_note(&mut self, sentence: &str) {
        if !self.note.is_empty() && !sentence.is_empty() {
            self.note.push_str("; ");
        }
        self.note.push_str(sentence);
    }
}
