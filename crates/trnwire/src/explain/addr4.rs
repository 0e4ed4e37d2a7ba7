//! An ADDR4 word in plain words, with its bits drawn and its verdict on each generation.

use alloc::{format, string::String, string::ToString, vec, vec::Vec};

use super::text::{Line, Lines, Role, groups_of};
use crate::addr4::{
    Access, Addr4, Lint, Mode, Reason, Target, lints, nearest_backed, nearest_legal, tensor_start_addr_valid,
    without_lint,
};
use crate::arch::Generation;
use crate::check::Severity;
use crate::columns::aligned;
use crate::geometry::{ADDRESS_REGISTERS, Geometry, PSUM_ACTIVE, PSUM_BANK_SIZE, PSUM_BASE, PSUM_REGION_SIZE};
use crate::table::Shape;

/// Everything that can be said about one word.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct WordExplanation {
    /// The word.
    pub word: Addr4,
    /// What it is, in one phrase.
    pub summary: String,
    /// Its verdict and lints on each generation that was asked for, oldest first.
    pub views: Vec<View>,
}

/// A word as one generation sees it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct View {
    /// The generation.
    pub generation: Generation,
    /// The access that was asked about; a dtype name becomes this generation's tag.
    pub access: Access,
    /// What the library's validator says.
    pub verdict: Result<(), Reason>,
    /// The rule that decides, numbered as in docs/addr4.md.
    pub rule: &'static str,
    /// Why, with the numbers at hand.
    pub because: String,
    /// The nearest word that is accepted, if there is any; the word itself when it is.
    pub nearest: Option<Addr4>,
    /// The nearest word that is accepted and has memory behind it, if there is any.
    pub nearest_backed: Option<Addr4>,
    /// Our own lints.
    pub lints: Vec<LintView>,
}

/// One lint that applies to a word.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LintView {
    /// Which.
    pub lint: Lint,
    /// Why, with the numbers at hand.
    pub because: String,
    /// The word with the least change on which it does not fire, if this access has one.
    pub without: Option<Addr4>,
}

impl WordExplanation {
    /// Explains a word for an access, which may differ by generation since a dtype name may have another tag there.
    #[must_use]
    pub fn new(word: Addr4, generations: &[Generation], access: impl Fn(Generation) -> Access) -> Self {
        let view = |&generation: &Generation| View::new(generation, word, access(generation));
        Self { word, summary: describe(word), views: generations.iter().map(view).collect() }
    }

    /// The explanation as text. With `sources`, the evidence for each field is listed too.
    #[must_use]
    pub fn lines(&self, sources: bool) -> Vec<Line> {
        let mut lines = Lines::default();
        lines.push(Role::Title, format_args!("{}  {}", self.word, self.summary));
        self.push_verdicts(&mut lines);
        self.push_lints(&mut lines);
        lines.blank();
        for row in aligned(&bit_picture(self.word)) {
            lines.push(Role::Plain, format_args!("  {row}"));
        }
        if sources {
            lines.blank();
            for row in aligned(&field_sources(self.word)) {
                lines.push(Role::Plain, format_args!("  {row}"));
            }
        }
        lines.into_inner()
    }

    /// One paragraph for each verdict; generations that agree share one.
    fn push_verdicts(&self, lines: &mut Lines) {
        for group in groups(&self.views, View::same_verdict) {
            let (Some(view), on) = (group.first(), names(&group)) else { continue };
            match view.verdict {
                Ok(()) => lines.push(Role::Good, format_args!("validator: accepted on {on} (rule {})", view.rule)),
                Err(reason) => {
                    lines.push(Role::Bad, format_args!("validator: rejected on {on}: {reason} (rule {})", view.rule));
                }
            }
            lines.push(Role::Plain, format_args!("  {}", view.because));
            if view.verdict.is_ok() {
                continue;
            }
            let Some(nearest) = view.nearest else {
                lines.push(Role::Plain, format_args!("  no address is legal for this access"));
                continue;
            };
            lines.push(Role::Plain, format_args!("  nearest legal: {nearest}, {}", describe(nearest)));
            for alike in groups_of(&group, |first, second| first.nearest_backed == second.nearest_backed) {
                let backed = alike.first().and_then(|view| view.nearest_backed);
                if let Some(backed) = backed.filter(|&backed| backed != nearest) {
                    let on = names(&alike);
                    lines.push(
                        Role::Plain,
                        format_args!("  with memory behind it on {on}: {backed}, {}", describe(backed)),
                    );
                }
            }
        }
    }

    fn push_lints(&self, lines: &mut Lines) {
        let mut any = false;
        for lint in Lint::ALL {
            let having: Vec<&View> = self.views.iter().filter(|view| view.lint(*lint).is_some()).collect();
            for group in groups_of(&having, |first, second| first.lint(*lint) == second.lint(*lint)) {
                let Some(found) = group.first().and_then(|view| view.lint(*lint)) else { continue };
                any = true;
                let role = if lint.severity() == Severity::Error { Role::Bad } else { Role::Warning };
                lines.push(role, format_args!("lint: {} on {}: {lint}", lint.severity(), names(&group)));
                lines.push(Role::Plain, format_args!("  {}", found.because));
                if let Some(without) = found.without {
                    lines.push(Role::Plain, format_args!("  nearest without it: {without}, {}", describe(without)));
                }
            }
        }
        if !any {
            lines.push(Role::Good, format_args!("lint: none"));
        }
    }
}

impl View {
    fn new(generation: Generation, word: Addr4, access: Access) -> Self {
        let verdict = tensor_start_addr_valid(generation, word, access);
        Self {
            generation,
            access,
            verdict,
            rule: verdict.map_or_else(Reason::rule, |()| accepting_rule(word)),
            because: because(generation, word, access, verdict),
            nearest: nearest_legal(generation, word, access),
            nearest_backed: nearest_backed(generation, word, access),
            lints: lints(generation, word).iter().map(|lint| LintView::new(generation, word, access, lint)).collect(),
        }
    }

    fn lint(&self, lint: Lint) -> Option<&LintView> {
        self.lints.iter().find(|view| view.lint == lint)
    }

    fn same_verdict(&self, other: &Self) -> bool {
        self.verdict == other.verdict && self.because == other.because && self.nearest == other.nearest
    }
}

impl LintView {
    pub(super) fn new(generation: Generation, word: Addr4, access: Access, lint: Lint) -> Self {
        let because = match (lint, word.target()) {
            (Lint::UnbackedSbuf, Target::Sbuf { offset, .. }) => past_end(offset, Geometry::of(generation).sbuf_active),
            (Lint::PsumPad, Target::Psum { offset, .. }) => past_end(offset, PSUM_ACTIVE),
            (Lint::NoncanonicalRegister, _) => {
                let bits = Addr4::RESERVED_HIGH.get(word.bits());
                format!("bits 28:24 of a register word are {bits:#X}; no encoder sets them")
            }
            _ => "mode 0b11: nothing emits such a word, and descriptor validators reject it".to_string(),
        };
        Self { lint, because, without: without_lint(generation, word, access, lint) }
    }
}

fn past_end(offset: u32, active: u32) -> String {
    let last = active.saturating_sub(1);
    format!("byte {offset:#X} of the partition is {} past its last backed byte {last:#X}", offset.saturating_sub(last))
}

/// What a word is, in one phrase: `PSUM partition 1, bank 0, byte 4`.
#[must_use]
pub fn describe(word: Addr4) -> String {
    let target = match word.target() {
        Target::Register { id } => format!("address register {id}"),
        Target::Sbuf { partition, offset } => format!("SBUF partition {partition}, byte {offset:#X} ({offset})"),
        Target::Psum { partition, offset, bank: Some(bank) } => {
            let in_bank = offset.wrapping_rem(PSUM_BANK_SIZE);
            format!("PSUM partition {partition}, bank {bank}, byte {in_bank:#X} ({in_bank})")
        }
        Target::Psum { partition, offset, bank: None } => {
            format!("PSUM partition {partition}, byte {offset:#X} ({offset}): in the pad, no bank")
        }
        Target::OffChip => {
            format!("address {:#010X}, in neither SBUF nor PSUM", word.address().unwrap_or_default())
        }
    };
    match word.mode() {
        Mode::Static => target,
        Mode::Indirect => format!("gather index: {target}"),
        Mode::Active => format!("shape from a register: {target}"),
        Mode::Dead => format!("dead mode: {target}"),
    }
}

/// The fields of the word, highest bit first: positions, bits, names, values.
fn bit_picture(word: Addr4) -> Vec<Vec<String>> {
    let mut rows = vec![Vec::new(); 4];
    for field in word.layout().fields.iter().rev() {
        let value = field.get(word.bits());
        let width = usize::try_from(field.bits.width()).unwrap_or_default();
        let shown = match field.shape {
            Shape::Flag => if value == 0 { "no" } else { "yes" }.to_string(),
            _ => value.to_string(),
        };
        let cells = [field.bits.to_string(), format!("{value:0width$b}"), field.name.to_string(), shown];
        for (row, cell) in rows.iter_mut().zip(cells) {
            row.push(cell);
        }
    }
    rows
}

fn field_sources(word: Addr4) -> Vec<Vec<String>> {
    let row = |field: &crate::table::Field| {
        vec![field.bits.to_string(), field.name.to_string(), field.meaning.to_string(), field.evidence.to_string()]
    };
    word.layout().fields.iter().rev().map(row).collect()
}

const fn accepting_rule(word: Addr4) -> &'static str {
    match word.target() {
        Target::Register { .. } => "1.3",
        Target::Psum { .. } => "4.3",
        Target::Sbuf { .. } | Target::OffChip => "5.3",
    }
}

/// Why the verdict is what it is, with the numbers at hand.
pub(super) fn because(generation: Generation, word: Addr4, access: Access, verdict: Result<(), Reason>) -> String {
    let address = word.address().unwrap_or_default();
    let dtype = access.dtype;
    match verdict {
        Ok(()) => match word.target() {
            Target::Register { .. } => {
                "a register word is accepted whatever the dtype and the allowed regions".to_string()
            }
            Target::Psum { .. } if access.write => format!("dtype {dtype} can be written to PSUM, and PSUM is allowed"),
            Target::Psum { .. } => "the address is in PSUM, and PSUM is allowed".to_string(),
            Target::Sbuf { .. } | Target::OffChip => "the address is in SBUF, and SBUF is allowed".to_string(),
        },
        Err(Reason::RegReservedBits) => {
            let bits = if generation == Generation::Gen2 { "30:8" } else { "23:8" };
            format!("bits {bits} of a register word must be zero")
        }
        Err(Reason::RegIdRange) => {
            let id = Addr4::REGISTER_ID.get(word.bits());
            format!("register {id} does not exist; the last one is {}", ADDRESS_REGISTERS.saturating_sub(1))
        }
        Err(Reason::NoAlignmentForDtype) => {
            format!("dtype {dtype} has no alignment on {generation}, so no address passes")
        }
        Err(Reason::Misaligned) => {
            let alignment = dtype.alignment(generation).unwrap_or(1);
            let beyond = address & alignment.wrapping_sub(1);
            format!("address {address:#010X} is {beyond} past a multiple of {alignment}, as dtype {dtype} needs")
        }
        Err(Reason::PsumNotAllowed) => "the address is in PSUM, where this operand may not be".to_string(),
        Err(Reason::PsumWriteDtype) => {
            format!("dtype {dtype} cannot be written to PSUM; only the 4-byte dtypes 8 to 11 can")
        }
        Err(Reason::NotOnChip) => {
            let end = PSUM_BASE.saturating_add(PSUM_REGION_SIZE).saturating_sub(1);
            format!("address {address:#010X} is beyond the last byte of PSUM, {end:#010X}")
        }
        Err(Reason::SbufNotAllowed) => "the address is in SBUF, where this operand may not be".to_string(),
    }
}

/// Views that are alike, in the order in which the first of each group came.
fn groups(views: &[View], alike: impl Fn(&View, &View) -> bool) -> Vec<Vec<&View>> {
    groups_of(&views.iter().collect::<Vec<_>>(), alike)
}

fn names(views: &[&View]) -> String {
    views.iter().map(|view| view.generation.name()).collect::<Vec<_>>().join(", ")
}
