//! A descriptor in plain words: its verdict on each generation, its loops as one would write them, and what they touch.

mod because;
mod body;

use alloc::{format, string::String, string::ToString, vec::Vec};

pub(super) use self::because::because;
use self::because::reach_because;
use super::addr4::{LintView, describe};
use super::text::{Line, Lines, Role, groups_of};
use crate::access::{Pattern, ReachLint, Reason, SlotType, Word, reach_lints, validate, word_access};
use crate::addr4::{Access, Addr4, lints};
use crate::arch::Generation;
use crate::check::Severity;
use crate::columns::aligned;
use crate::table::{Field, byte_position};

/// Everything that can be said about one descriptor.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PatternExplanation<'a> {
    /// The slot.
    pub slot: SlotType,
    /// What it holds.
    pub pattern: Pattern<'a>,
    /// What it is, in one phrase.
    pub summary: String,
    /// Bytes of an element, if known: as given, or else those of the first dtype that tells.
    pub elem_size: Option<u32>,
    /// Active partitions, if known.
    pub channels: Option<u8>,
    /// Its verdict and lints on each generation that was asked for, oldest first.
    pub views: Vec<PatternView>,
}

/// A descriptor as one generation sees it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PatternView {
    /// The generation.
    pub generation: Generation,
    /// The access that was asked about.
    pub access: Access,
    /// What the library's validator says.
    pub verdict: Result<(), Reason>,
    /// Why, with the numbers at hand.
    pub because: String,
    /// Our lints on its words.
    pub words: Vec<PatternWordView>,
    /// Our lints on its reach; `None` where it is not known, and for all that is no tensor.
    pub reach: Option<Vec<ReachLintView>>,
}

/// One word of a descriptor.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PatternWordView {
    /// Which.
    pub which: Word,
    /// The word.
    pub word: Addr4,
    /// The lints that apply to it.
    pub lints: Vec<LintView>,
}

/// One lint that applies to a reach.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReachLintView {
    /// Which.
    pub lint: ReachLint,
    /// Why, with the numbers at hand.
    pub because: String,
}

/// A lint on one generation, as it is printed.
struct Note {
    generation: Generation,
    severity: Severity,
    code: String,
    details: Vec<String>,
}

impl<'a> PatternExplanation<'a> {
    /// Explains a descriptor for an access, which may differ by generation since a dtype name may have another tag there.
    #[must_use]
    pub fn new(
        slot: SlotType,
        pattern: Pattern<'a>,
        generations: &[Generation],
        access: impl Fn(Generation) -> Access,
        elem_size: Option<u32>,
        channels: Option<u8>,
    ) -> Self {
        let of_dtype = |&generation: &Generation| access(generation).dtype.facts()?.size_bytes;
        let elem_size = elem_size.or_else(|| generations.iter().find_map(of_dtype));
        let view = |&generation: &Generation| {
            PatternView::new(generation, slot, &pattern, access(generation), elem_size, channels)
        };
        let views = generations.iter().map(view).collect();
        Self { slot, pattern, summary: body::summary(&pattern), elem_size, channels, views }
    }

    /// The explanation as text. With `sources`, the evidence for each field is listed too.
    #[must_use]
    pub fn lines(&self, sources: bool) -> Vec<Line> {
        let mut lines = Lines::default();
        self.push_title(&mut lines);
        self.push_verdicts(&mut lines);
        self.push_lints(&mut lines);
        self.push_body(&mut lines, sources);
        lines.into_inner()
    }

    /// The explanation without verdicts and lints, which a bundle tells itself.
    pub(super) fn body_lines(&self, sources: bool) -> Vec<Line> {
        let mut lines = Lines::default();
        self.push_title(&mut lines);
        self.push_body(&mut lines, sources);
        lines.into_inner()
    }

    fn push_title(&self, lines: &mut Lines) {
        lines.push(Role::Title, format_args!("{}  {}", self.slot, self.summary));
    }

    fn push_body(&self, lines: &mut Lines, sources: bool) {
        body::push(lines, &self.pattern, self.elem_size);
        if let (true, Some(layout)) = (sources, self.pattern.layout(self.slot)) {
            lines.blank();
            for row in aligned(&layout.fields.iter().map(field_source).collect::<Vec<_>>()) {
                lines.push(Role::Plain, format_args!("  {row}"));
            }
        }
    }

    /// One paragraph for each verdict; generations that agree share one.
    fn push_verdicts(&self, lines: &mut Lines) {
        let views: Vec<&PatternView> = self.views.iter().collect();
        let alike =
            |one: &PatternView, other: &PatternView| one.verdict == other.verdict && one.because == other.because;
        for group in groups_of(&views, alike) {
            let Some(view) = group.first() else { continue };
            let on = names(group.iter().map(|view| view.generation));
            match view.verdict {
                Ok(()) => lines.push(Role::Good, format_args!("validator: accepted on {on}")),
                Err(reason) => lines.push(Role::Bad, format_args!("validator: rejected on {on}: {reason}")),
            }
            lines.push(Role::Plain, format_args!("  {}", view.because));
        }
    }

    fn push_lints(&self, lines: &mut Lines) {
        let notes: Vec<Note> = self.views.iter().flat_map(PatternView::notes).collect();
        let alike = |one: &Note, other: &Note| one.code == other.code && one.details == other.details;
        for group in groups_of(&notes.iter().collect::<Vec<_>>(), alike) {
            let Some(note) = group.first() else { continue };
            let role = if note.severity == Severity::Error { Role::Bad } else { Role::Warning };
            let on = names(group.iter().map(|note| note.generation));
            lines.push(role, format_args!("lint: {} on {on}: {}", note.severity, note.code));
            for detail in &note.details {
                lines.push(Role::Plain, format_args!("  {detail}"));
            }
        }
        let is_unknown =
            matches!(self.pattern, Pattern::Tensor(_)) && self.views.iter().any(|view| view.reach.is_none());
        let has_size = self.elem_size.is_some() || !matches!(self.pattern, Pattern::Tensor(_));
        if is_unknown || !has_size {
            lines.push(Role::Plain, format_args!("lint: reach not judged, since its place or its size is not known"));
        } else if notes.is_empty() {
            lines.push(Role::Good, format_args!("lint: none"));
        }
    }
}

impl PatternView {
    fn new(
        generation: Generation,
        slot: SlotType,
        pattern: &Pattern<'_>,
        access: Access,
        elem_size: Option<u32>,
        channels: Option<u8>,
    ) -> Self {
        let verdict = validate(generation, slot, pattern, access);
        let word_view = |(which, word)| {
            let access = word_access(pattern, which, access);
            let lints = lints(generation, word).iter();
            PatternWordView {
                which,
                word,
                lints: lints.map(|lint| LintView::new(generation, word, access, lint)).collect(),
            }
        };
        let set = match pattern {
            // Where the size is not known, 0 leaves the partitions to be judged.
            Pattern::Tensor(tensor) => reach_lints(generation, tensor, elem_size.unwrap_or_default(), channels),
            _ => None,
        };
        let start = pattern.first_word();
        let reach_view = |lint| ReachLintView {
            lint,
            because: reach_because(generation, start, channels, lint, set.unwrap_or_default()),
        };
        Self {
            generation,
            access,
            verdict,
            because: because(generation, slot, pattern, access, verdict),
            words: pattern.named_words().map(word_view).collect(),
            reach: set.map(|set| set.iter().map(reach_view).collect()),
        }
    }

    fn notes(&self) -> impl Iterator<Item = Note> {
        let generation = self.generation;
        let of_words = self.words.iter().flat_map(|view| view.lints.iter().map(move |lint| (view, lint)));
        let word_note = move |(view, found): (&PatternWordView, &LintView)| {
            let without = found.without.map(|word| format!("nearest without it: {word}, {}", describe(word)));
            Note {
                generation,
                severity: found.lint.severity(),
                code: format!("{}{}", view.which.prefix(), found.lint),
                details: core::iter::once(found.because.clone()).chain(without).collect(),
            }
        };
        let reach_note = move |found: &ReachLintView| Note {
            generation,
            severity: found.lint.severity(),
            code: found.lint.to_string(),
            details: alloc::vec![found.because.clone()],
        };
        of_words.map(word_note).chain(self.reach.iter().flatten().map(reach_note))
    }
}

fn names(generations: impl Iterator<Item = Generation>) -> String {
    generations.map(Generation::name).collect::<Vec<_>>().join(", ")
}

fn field_source(field: &Field) -> [String; 4] {
    [byte_position(field), field.name.to_string(), field.meaning.to_string(), field.evidence.to_string()]
}
