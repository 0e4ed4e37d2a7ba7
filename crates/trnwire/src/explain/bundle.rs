//! An instruction bundle in plain words: its findings, what it waits for and signals, and its slots, each a tree of its own.

use alloc::{format, string::String, string::ToString, vec::Vec};

use super::PatternExplanation;
use super::access::because as slot_because;
use super::addr4::{LintView, describe};
use super::text::{Line, Lines, Role, groups_of};
use crate::access::{Reason, tt_placement};
use crate::addr4::{Access, Addr4};
use crate::arch::Generation;
use crate::bundle::{
    Availability, Bundle, DtypePlace, Family, Finding, FindingId, ModeFacts, ModeOperand, Operand, Slot,
};
use crate::check::Severity;
use crate::dtype::WireTag;

/// Everything that can be said about one bundle.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BundleExplanation<'a> {
    /// The bundle.
    pub bundle: &'a Bundle,
    /// What it is, in one phrase.
    pub summary: String,
    /// What is found on each generation that was asked for, oldest first.
    pub views: Vec<BundleView>,
}

/// A bundle as one generation sees it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BundleView {
    /// The generation.
    pub generation: Generation,
    /// Everything that is wrong or odd.
    pub findings: Vec<FindingView>,
}

/// One finding, with its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FindingView {
    /// What, and where.
    pub finding: Finding,
    /// Why, with the numbers at hand.
    pub because: String,
}

impl<'a> BundleExplanation<'a> {
    /// Explains a bundle.
    #[must_use]
    pub fn new(bundle: &'a Bundle, generations: &[Generation]) -> Self {
        let view = |&generation: &Generation| {
            let mut findings = Vec::new();
            bundle.judge(generation, |finding| {
                findings.push(FindingView { finding, because: because(generation, bundle, finding) });
            });
            BundleView { generation, findings }
        };
        let summary = match bundle.opcode().facts() {
            Some(facts) if bundle.opcode().is_pseudo() => {
                format!("{} (pseudo opcode {:#04x})", facts.name, bundle.opcode)
            }
            Some(facts) => format!("{} (opcode {:#04x})", facts.name, bundle.opcode),
            None => format!("opcode {:#04x}, which none of gen2 to gen4 has", bundle.opcode),
        };
        Self { bundle, summary, views: generations.iter().map(view).collect() }
    }

    /// The explanation as text. With `sources`, the evidence for each field and each layout is listed too.
    #[must_use]
    pub fn lines(&self, sources: bool) -> Vec<Line> {
        let mut lines = Lines::default();
        lines.push(Role::Title, format_args!("BUNDLE  {}", self.summary));
        let told: Vec<(Generation, Vec<Line>)> =
            self.views.iter().map(|view| (view.generation, self.lines_on(view, sources))).collect();
        let groups = groups_of(&told.iter().collect::<Vec<_>>(), |one, other| one.1 == other.1);
        for (position, group) in groups.iter().enumerate() {
            let Some((_, told)) = group.first() else { continue };
            let names: Vec<_> = group.iter().map(|(generation, _)| generation.name()).collect();
            if position > 0 {
                lines.blank();
            }
            lines.push(Role::Title, format_args!("on {}:", names.join(", ")));
            for line in told {
                lines.push(line.role, format_args!("{}", line.text));
            }
        }
        lines.into_inner()
    }

    /// What one generation says, without its name.
    fn lines_on(&self, view: &BundleView, sources: bool) -> Vec<Line> {
        let mut lines = Lines::default();
        push_findings(&mut lines, &view.findings);
        self.push_header(&mut lines);
        let family = self.bundle.family(view.generation);
        push_family(&mut lines, family, sources);
        for slot in self.bundle.slots(view.generation) {
            push_slot(&mut lines, view.generation, &slot, sources);
        }
        let body = &self.bundle.body.0;
        if family.is_none_or(|family| !family.unknown.is_empty()) {
            lines.blank();
            lines.push(Role::Plain, format_args!("body, since places of operands are not known:"));
            for (offset, row) in (12_usize..).step_by(16).zip(body.chunks(16)) {
                let bytes: Vec<_> = row.iter().map(|byte| format!("{byte:02x}")).collect();
                lines.push(Role::Plain, format_args!("  {offset:>2}  {}", bytes.join(" ")));
            }
        }
        self.push_disputes(&mut lines, view.generation, family);
        lines.blank();
        lines.push(Role::Plain, format_args!("{NOT_CHECKED}"));
        lines.into_inner()
    }

    fn push_header(&self, lines: &mut Lines) {
        let bundle = self.bundle;
        let wait = match bundle.wait() {
            None => Some(format!("mode {:#04x} (unknown) on semaphore {}", bundle.wait_mode, bundle.wait_idx)),
            Some(facts) => operation(facts, bundle.wait_idx, bundle).map(|wait| format!("until {wait}")),
        };
        let update = match bundle.update() {
            None => Some(format!("mode {:#04x} (unknown) on semaphore {}", bundle.update_mode, bundle.update_idx)),
            Some(facts) => operation(facts, bundle.update_idx, bundle).map(|update| format!("{update} {}", facts.when)),
        };
        lines.push(Role::Plain, format_args!("waits: {}", wait.as_deref().unwrap_or("for nothing")));
        lines.push(Role::Plain, format_args!("signals: {}", update.as_deref().unwrap_or("nothing")));
        if (bundle.debug_cmd, bundle.debug_hint) != (0, 0) {
            lines.push(
                Role::Plain,
                format_args!("debug: command {:#04x}, hint {:#04x}", bundle.debug_cmd, bundle.debug_hint),
            );
        }
    }

    fn push_disputes(&self, lines: &mut Lines, generation: Generation, family: Option<&'static Family>) {
        let disputes: Vec<_> = family.into_iter().flat_map(|family| family.disputes(generation)).collect();
        if disputes.is_empty() {
            return;
        }
        lines.blank();
        lines.push(Role::Plain, format_args!("read in two ways, and nothing is decided by it:"));
        for dispute in disputes {
            let byte = zerocopy::IntoBytes::as_bytes(self.bundle).get(usize::from(dispute.offset));
            let value = byte.copied().unwrap_or_default();
            lines.push(Role::Plain, format_args!("  byte {} = {value:#04x}: {}", dispute.offset, dispute.readings));
        }
    }
}

/// Stands for the access of a slot whose flags or dtype are not known: no size, no alignment.
const UNKNOWN_ACCESS: Access = Access::read(WireTag::new(0));

const NOT_CHECKED: &str = "not checked, since the places of fields are not known: reserved bytes, number of active \
                           channels and its start partition, element counts of source and destination, FP32R inputs";

fn push_findings(lines: &mut Lines, findings: &[FindingView]) {
    if findings.iter().all(|view| view.finding.id.severity() == Severity::Note) {
        lines.push(Role::Good, format_args!("nothing wrong found"));
    }
    for FindingView { finding, because } in findings {
        let role = match finding.id.severity() {
            Severity::Error => Role::Bad,
            Severity::Warning => Role::Warning,
            Severity::Note => Role::Plain,
        };
        let severity = finding.id.severity();
        lines.push(role, format_args!("{severity} at byte {}: {}", finding.offset, finding.id));
        lines.push(Role::Plain, format_args!("  {because}"));
    }
}

fn push_family(lines: &mut Lines, family: Option<&'static Family>, sources: bool) {
    let Some(family) = family else {
        lines.push(Role::Plain, format_args!("layout: not known"));
        return;
    };
    let evidence = if sources { format!(" ({})", family.evidence) } else { String::new() };
    let unknown = if family.unknown.is_empty() { String::new() } else { format!("; not known: {}", family.unknown) };
    lines.push(Role::Plain, format_args!("layout: {}{evidence}{unknown}", family.name));
}

fn push_slot(lines: &mut Lines, generation: Generation, slot: &Slot<'_>, sources: bool) {
    lines.blank();
    let facts = slot.facts;
    let dtype = match (slot.dtype, facts.dtype) {
        (None, _) => "dtype not known".to_string(),
        (Some(dtype), place) => format!("dtype {dtype} {}", place_of_dtype(place)),
    };
    let usage = match facts.flags {
        None => "how it may be placed is not known".to_string(),
        Some(flags) => {
            let verb = if flags.write { "written" } else { "read" };
            let regions = match (flags.allow_psum, flags.allow_sbuf) {
                (true, true) => "in SBUF or PSUM",
                (true, false) => "in PSUM only",
                (false, true) => "in SBUF only",
                (false, false) => "in no memory",
            };
            format!("{verb} {regions}{}", if flags.inferred { " (inferred)" } else { "" })
        }
    };
    let role = facts.role.unwrap_or("an operand of unknown role");
    lines.push(Role::Title, format_args!("byte {}, {role}: {usage}, {dtype}", facts.offset));
    match &slot.operand {
        Operand::Word(word) => lines.push(Role::Plain, format_args!("  {word}  {}", describe(*word))),
        Operand::Descriptor(slot_type, pattern) => {
            let elem_size = slot.dtype.and_then(WireTag::facts).and_then(|facts| facts.size_bytes);
            // Its verdict stands below: here only what it touches is told.
            let asked = slot.access().unwrap_or(UNKNOWN_ACCESS);
            let told = PatternExplanation::new(*slot_type, *pattern, &[generation], |_| asked, elem_size, None);
            for line in told.body_lines(sources) {
                let indent = if line.text.is_empty() { "" } else { "  " };
                lines.push(line.role, format_args!("{indent}{}", line.text));
            }
        }
    }
    match slot.verdict(generation) {
        None => lines.push(Role::Plain, format_args!("  validator: unknown, since {}", what_is_missing(slot))),
        Some(Ok(())) => lines.push(Role::Good, format_args!("  validator: accepted")),
        Some(Err(reason)) => lines.push(Role::Bad, format_args!("  validator: rejected: {reason}")),
    }
}

fn place_of_dtype(place: DtypePlace) -> String {
    match place {
        DtypePlace::Unknown => String::new(),
        DtypePlace::Byte(byte) | DtypePlace::ByteSince(_, byte) => format!("(byte {byte})"),
        DtypePlace::LowNibble(byte) => format!("(low half of byte {byte})"),
        DtypePlace::HighNibble(byte) => format!("(high half of byte {byte})"),
    }
}

fn what_is_missing(slot: &Slot<'_>) -> &'static str {
    match (slot.facts.flags, slot.dtype) {
        (None, None) => "neither dtype nor allowed places are known",
        (None, Some(_)) => "no source tells where the operand may lie",
        (Some(_), None) => "no source tells where the dtype stands",
        (Some(_), Some(_)) => "the validator of this destination is only partly known for gathers",
    }
}

/// `semaphore 5 >= 12`, or nothing.
fn operation(facts: &ModeFacts, semaphore: u8, bundle: &Bundle) -> Option<String> {
    let value = bundle.semaphore_value.get();
    let operand = match facts.operand {
        ModeOperand::None => return None,
        ModeOperand::One => "1".to_string(),
        ModeOperand::Immediate => value.to_string(),
        ModeOperand::Register => format!("register {value}"),
    };
    Some(format!("semaphore {semaphore} {} {operand}", facts.operator))
}

/// Why something is found.
fn because(generation: Generation, bundle: &Bundle, finding: Finding) -> String {
    let slot = || bundle.slots(generation).find(|slot| slot.facts.offset == finding.offset);
    match finding.id {
        FindingId::UnknownOpcode => format!("{:#04x} is assigned on none of gen2, gen3 and gen4", bundle.opcode),
        FindingId::OpcodeNotOnArch => match bundle.opcode().facts().map(|facts| facts.on) {
            Some(Availability::Gen2Only) => format!("only gen2 has it, not {generation}"),
            Some(Availability::From(first)) => format!("{first} is the first to have it, {generation} has not"),
            _ => format!("{generation} has it not"),
        },
        FindingId::OpcodeOneSource => "one source names it, and does not say which generations have it".to_string(),
        FindingId::PseudoOpcode => "it is lowered to other instructions before the device sees it".to_string(),
        FindingId::InstWordLen => {
            format!("the length is {:#04x} words of 4 bytes; every bundle has 0x10", bundle.inst_word_len)
        }
        FindingId::InstWordLenDisputed => {
            "0x11 stands for saturation in one source, and is refused in another".to_string()
        }
        FindingId::UnknownWaitMode => format!("wait mode {:#04x} is not among the known ones", bundle.wait_mode),
        FindingId::UnknownUpdateMode => format!("update mode {:#04x} is not among the known ones", bundle.update_mode),
        FindingId::SlotsUnknown => match bundle.family(generation) {
            Some(family) => format!("where these lie is not known: {}", family.unknown),
            None => "no source describes the body of this opcode".to_string(),
        },
        FindingId::Slot(reason) => {
            slot().map_or_else(|| reason.to_string(), |slot| rejected(generation, &slot, reason))
        }
        FindingId::MustBeIndirect => "the source of this instruction is a gather, and this slot holds none".to_string(),
        FindingId::IndirectQuadrant => {
            "index and data of a gather must share the first partition of a quadrant: 0, 32, 64 or 96".to_string()
        }
        FindingId::Lint(lint) => {
            let mut words = bundle.slots(generation).flat_map(|slot| slot.words().map(move |word| (slot, word)));
            let found = words.find(|(_, (offset, _))| *offset == finding.offset);
            found.map_or_else(
                || lint.to_string(),
                |(slot, (_, word))| {
                    let access = slot.access().unwrap_or(UNKNOWN_ACCESS);
                    LintView::new(generation, word, access, lint).because
                },
            )
        }
        FindingId::TtPlacement => {
            let words: Vec<Addr4> = bundle.slots(generation).take(2).map(|slot| slot.first_word()).collect();
            let [first, second] = words[..] else { return finding.id.to_string() };
            let why = match tt_placement(generation, first, second) {
                Err(Reason::NotOnChip) => "one of the two sources is in neither memory",
                Err(Reason::BothPsum) => "both sources are in PSUM; one may be",
                _ => "both sources are in SBUF, and not in the first partition of one quadrant",
            };
            format!("{why}: {}; {}", describe(first), describe(second))
        }
    }
}

fn rejected(generation: Generation, slot: &Slot<'_>, reason: Reason) -> String {
    let role = slot.facts.role.unwrap_or("operand");
    match (&slot.operand, slot.access()) {
        (Operand::Descriptor(slot_type, pattern), Some(access)) => {
            format!("{role}: {}", slot_because(generation, *slot_type, pattern, access, Err(reason)))
        }
        _ => format!("{role}: {reason}"),
    }
}
