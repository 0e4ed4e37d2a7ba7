//! Which facts are kept: each once, those of a message together, and no more than [`MAX_FACTS`].

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use super::super::fact::{Fact, FactKind, Space, Tensor};
use super::MAX_FACTS;

/// What two facts that say the same have in common: kind and quote.
type Key = (FactKind, String);

/// The facts of a text, of which those of the current message are still open.
#[derive(Default)]
pub(super) struct Kept {
    facts: Vec<Fact>,
    /// Facts that found no place.
    pub(super) dropped: usize,
    /// Index of the first fact of the current message.
    message_start: usize,
    /// Index of the first fact of the current line.
    line_start: usize,
    message: usize,
    /// Messages that are kept, with the index of their first fact.
    messages: BTreeMap<Vec<Key>, usize>,
    /// Facts of the current line that stand alone, with their index.
    line: BTreeMap<Key, usize>,
    /// Whether the current message has an access pattern, to which locations belong.
    has_pattern: bool,
    /// Kept facts of the current message that mean something only in context.
    in_context: usize,
    /// Facts of the current message that found no place and mean something only if it is about on-chip memory.
    dropped_in_context: usize,
}

impl Kept {
    pub(super) fn into_facts(self) -> Vec<Fact> {
        self.facts
    }

    /// The last fact, if it belongs to the current message.
    pub(super) fn last(&self) -> Option<&Fact> {
        self.message_facts().last()
    }

    pub(super) fn message_facts(&self) -> &[Fact] {
        self.facts.get(self.message_start..).unwrap_or_default()
    }

    pub(super) fn push(&mut self, kind: FactKind, line: usize, start: usize, end: usize, text: String) {
        self.has_pattern |= matches!(kind, FactKind::AccessPattern { .. });
        if self.stands_alone(&kind) {
            let key = (kind.clone(), text.clone());
            if let Some(known) = self.line.get(&key).and_then(|&index| self.facts.get_mut(index)) {
                known.repeats = known.repeats.saturating_add(1);
                return;
            }
            if self.facts.len() < MAX_FACTS {
                self.line.insert(key, self.facts.len());
            }
        }
        if self.facts.len() >= MAX_FACTS {
            if needs_context(&kind) {
                // What would have needed a pattern is not missed where there is none.
                if needs_pattern(&kind) && !self.has_pattern {
                    return;
                }
                self.dropped_in_context = self.dropped_in_context.saturating_add(1);
                return;
            }
            self.make_room();
        }
        if self.facts.len() >= MAX_FACTS {
            self.dropped = self.dropped.saturating_add(1);
            return;
        }
        self.in_context = self.in_context.saturating_add(usize::from(needs_context(&kind)));
        let message = self.message;
        self.facts.push(Fact { line, start, end, text, kind, message, repeats: 0, judged: false });
    }

    /// Whether a second one on the same line adds nothing. Operands add up, and parts of an access belong to the
    /// pattern next to them.
    fn stands_alone(&self, kind: &FactKind) -> bool {
        match kind {
            FactKind::PartitionCount { .. }
            | FactKind::TotalBytes { .. }
            | FactKind::Tensor(_)
            | FactKind::Field { .. }
            | FactKind::PsumBanks { .. }
            | FactKind::PsumBankCount(_) => true,
            FactKind::Location(_) => !self.has_pattern,
            _ => false,
        }
    }

    /// What means something only in context goes first.
    fn make_room(&mut self) {
        // Without the count, each fact beyond the last place would go through all others.
        if self.in_context == 0 {
            return;
        }
        self.retain_in_message(|fact| !needs_context(&fact.kind));
        self.dropped_in_context = self.dropped_in_context.saturating_add(self.in_context);
        self.in_context = 0;
        self.line.clear();
        self.line_start = self.facts.len();
    }

    /// Touches the current message alone: a text may end messages as often as it has bytes.
    fn retain_in_message(&mut self, keep: impl FnMut(&Fact) -> bool) {
        let mut message = self.facts.split_off(self.message_start.min(self.facts.len()));
        count_steps(message.len());
        message.retain(keep);
        self.facts.append(&mut message);
    }

    /// Ends a line, of which is known which memory it names and whether it denies a start.
    pub(super) fn end_line(&mut self, space: Option<Space>, denied_start: bool) {
        for fact in self.facts.get_mut(self.line_start..).unwrap_or_default() {
            name_space(fact, space);
            if let FactKind::StartPartition { denied, .. } = &mut fact.kind {
                *denied |= denied_start;
            }
        }
        self.line_start = self.facts.len();
        self.line.clear();
    }

    /// Ends a message: one that is not about on-chip memory loses what means something only there, and one that
    /// says the same as an earlier one is only counted.
    pub(super) fn end_message(&mut self, on_chip: bool, space: Option<Space>) {
        if on_chip {
            self.dropped = self.dropped.saturating_add(self.dropped_in_context);
            if !self.has_pattern {
                self.retain_in_message(|fact| !needs_pattern(&fact.kind));
            }
        } else {
            self.retain_in_message(|fact| !needs_context(&fact.kind));
        }
        self.dropped_in_context = 0;
        self.in_context = 0;
        self.has_pattern = false;
        if self.facts.len() > self.message_start {
            self.close_message(space);
        }
        self.line_start = self.facts.len();
        self.line.clear();
    }

    fn close_message(&mut self, space: Option<Space>) {
        let message = self.facts.get_mut(self.message_start..).unwrap_or_default();
        count_steps(message.len());
        for fact in &mut *message {
            name_space(fact, space);
        }
        let key: Vec<Key> = message.iter().map(|fact| (fact.kind.clone(), fact.text.clone())).collect();
        let first = *self.messages.entry(key).or_insert(self.message_start);
        if first == self.message_start {
            self.message = self.message.saturating_add(1);
            self.message_start = self.facts.len();
            return;
        }
        let again = self.facts.split_off(self.message_start);
        for (known, again) in self.facts.get_mut(first..).unwrap_or_default().iter_mut().zip(again) {
            known.repeats = known.repeats.saturating_add(1).saturating_add(again.repeats);
        }
    }
}

/// A fact that does not name its memory takes the only one that its line or its message names.
fn name_space(fact: &mut Fact, named: Option<Space>) {
    if let FactKind::AccessPattern { space, .. }
    | FactKind::PartitionCount { space, .. }
    | FactKind::StartPartition { space, .. }
    | FactKind::OperandBytes { space, .. }
    | FactKind::StatedLimit { space, .. } = &mut fact.kind
    {
        *space = space.or(named);
    }
}

const fn needs_context(kind: &FactKind) -> bool {
    matches!(
        kind,
        FactKind::PartitionCount { .. }
            | FactKind::ElementOffset(_)
            | FactKind::DebugShape(_)
            | FactKind::StatedSum(_)
            | FactKind::StatedLimit { space: None, .. }
            | FactKind::Field { stated_bound: None, .. }
            | FactKind::Tensor(Tensor { space: None, .. })
    ) || needs_pattern(kind)
}

/// What means something only beside an access pattern.
const fn needs_pattern(kind: &FactKind) -> bool {
    matches!(
        kind,
        FactKind::ByteOffset(_)
            | FactKind::ElementType { .. }
            | FactKind::TensorSize { .. }
            | FactKind::Tensor(Tensor { element: None, space: None, .. })
    )
}

#[cfg(test)]
use super::super::cursor::count_steps;

#[cfg(not(test))]
const fn count_steps(_: usize) {}
