//! Which facts of a message belong to which of its access patterns.

use alloc::vec::Vec;

use super::super::fact::{Fact, FactKind, StartValue};

/// An access pattern with what the message says about it. Numbers are indices of facts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Access {
    pub(super) pattern: usize,
    line: usize,
    parts: Parts,
}

/// A fact and its line.
#[derive(Clone, Copy, Debug)]
struct Place {
    fact: usize,
    line: usize,
}

/// What stands around a pattern, each at most once.
#[derive(Clone, Copy, Debug, Default)]
struct Parts {
    start: Option<Place>,
    offset: Option<Place>,
    location: Option<Place>,
    debug_shape: Option<Place>,
    tensor: Option<Place>,
    element: Option<Place>,
    size: Option<Place>,
}

impl Parts {
    const fn slots(&mut self) -> [&mut Option<Place>; 7] {
        [
            &mut self.start,
            &mut self.offset,
            &mut self.location,
            &mut self.debug_shape,
            &mut self.tensor,
            &mut self.element,
            &mut self.size,
        ]
    }

    const fn slot_of(&mut self, kind: &FactKind) -> Option<&mut Option<Place>> {
        Some(match kind {
            FactKind::StartPartition { value: StartValue::Number(_), .. } => &mut self.start,
            FactKind::ElementOffset(_) | FactKind::ByteOffset(_) => &mut self.offset,
            FactKind::Location(_) => &mut self.location,
            FactKind::DebugShape(_) => &mut self.debug_shape,
            FactKind::Tensor(_) => &mut self.tensor,
            FactKind::ElementType { .. } => &mut self.element,
            FactKind::TensorSize { .. } => &mut self.size,
            _ => return None,
        })
    }

    /// Moves the facts of a line, or all, to where they are missing.
    fn give(&mut self, to: &mut Self, line: Option<usize>) {
        for (mine, theirs) in self.slots().into_iter().zip(to.slots()) {
            if theirs.is_none() && mine.is_some_and(|place| line.is_none_or(|line| place.line == line)) {
                *theirs = mine.take();
            }
        }
    }
}

impl Access {
    pub(super) fn start(&self) -> Option<usize> {
        self.parts.start.map(|place| place.fact)
    }

    pub(super) fn offset(&self) -> Option<usize> {
        self.parts.offset.map(|place| place.fact)
    }

    pub(super) fn location(&self) -> Option<usize> {
        self.parts.location.map(|place| place.fact)
    }

    /// The tensor's shape; debug information describes the very location.
    pub(super) fn shape(&self) -> Option<usize> {
        self.parts.debug_shape.or(self.parts.tensor).map(|place| place.fact)
    }

    pub(super) fn element(&self) -> Option<usize> {
        self.parts.element.map(|place| place.fact)
    }

    pub(super) fn size(&self) -> Option<usize> {
        self.parts.size.map(|place| place.fact)
    }

    /// All facts around the pattern.
    pub(super) fn facts(&self) -> impl Iterator<Item = usize> + use<> {
        let mut parts = self.parts;
        parts.slots().map(|place| place.map(|place| place.fact)).into_iter().flatten()
    }

    /// Whether a fact is judged with this access and not by itself.
    pub(super) fn uses(&self, fact: usize) -> bool {
        self.pattern == fact || [self.start(), self.location()].contains(&Some(fact))
    }
}

/// The accesses of a message whose first fact has the given index.
///
/// What stands on the line of a pattern belongs to it, be it in front or behind. Anything else belongs to the last
/// pattern before it; if there is none, a start belongs to the first one, and the rest to the only one.
pub(super) fn accesses(first: usize, message: &[Fact]) -> Vec<Access> {
    let mut accesses: Vec<Access> = Vec::new();
    let mut before = Parts::default();
    let mut pending = Parts::default();
    for (index, fact) in (first..).zip(message) {
        if matches!(fact.kind, FactKind::AccessPattern { .. }) {
            let mut access = Access { pattern: index, line: fact.line, ..Access::default() };
            pending.give(&mut access.parts, Some(fact.line));
            match accesses.last_mut() {
                Some(last) => pending.give(&mut last.parts, None),
                None => before = pending,
            }
            pending = Parts::default();
            accesses.push(access);
            continue;
        }
        let Some(slot) = pending.slot_of(&fact.kind) else {
            continue;
        };
        let place = Place { fact: index, line: fact.line };
        if let Some(last) = accesses.last_mut() {
            if let Some(gap) = last.parts.slot_of(&fact.kind).filter(|gap| gap.is_none()) {
                if last.line == fact.line {
                    *gap = Some(place);
                    continue;
                }
                // The first behind a pattern counts, once it is clear that no other pattern follows on its line.
                *gap = slot.take_if(|earlier| earlier.line != fact.line);
            }
        }
        if slot.is_none_or(|earlier| earlier.line != fact.line) {
            *slot = Some(place);
        }
    }
    if let Some(last) = accesses.last_mut() {
        pending.give(&mut last.parts, None);
    }
    if let [access] = accesses.as_mut_slice() {
        before.give(&mut access.parts, None);
    } else if let Some(access) = accesses.first_mut() {
        access.parts.start = access.parts.start.or(before.start);
    }
    accesses
}
