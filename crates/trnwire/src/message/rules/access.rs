//! Brings an access pattern together with its offset, its location and its stated start.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::super::fact::{Dimension, Fact, FactKind, Location, Space, StartValue};
use super::super::finding::{Finding, Verdict};
use super::super::number::Number;
use super::super::words::plural;
use super::Judge;
use super::classes::legal_starts;
use super::start::Start;
use super::table::{MESSAGE_ARITHMETIC, PATTERN_IN_TENSOR};

/// An access pattern with what the message says about it. Numbers are indices of facts.
#[derive(Debug, Default)]
pub(super) struct Access {
    pattern: usize,
    start: Option<usize>,
    offset: Option<usize>,
    location: Option<usize>,
    shape: Option<usize>,
}

impl Access {
    /// Whether a fact is part of this access.
    pub(super) fn uses(&self, fact: usize) -> bool {
        self.pattern == fact || [self.start, self.offset, self.location].contains(&Some(fact))
    }

    /// Whether a fact is this access's pattern and its location is not on chip, where no rule of ours holds.
    pub(super) fn is_off_chip(&self, pattern: usize, facts: &[Fact]) -> bool {
        let location = self.location.and_then(|index| facts.get(index));
        self.pattern == pattern
            && location.is_some_and(|fact| matches!(fact.kind, FactKind::Location(Location { space: Space::Dram, .. })))
    }
}

/// The accesses of a message whose first fact has the given index.
///
/// A start may stand before its pattern; everything else belongs to the last pattern before it.
pub(super) fn accesses(first: usize, message: &[Fact]) -> Vec<Access> {
    let mut accesses: Vec<Access> = Vec::new();
    let mut pending_start = None;
    let mut pending_location = None;
    for (index, fact) in (first..).zip(message) {
        if let FactKind::AccessPattern(_) = fact.kind {
            accesses.push(Access { pattern: index, start: pending_start.take(), ..Access::default() });
            continue;
        }
        let slot = match (&fact.kind, accesses.last_mut()) {
            (FactKind::StartPartition { value: StartValue::Number(_), .. }, Some(access)) => &mut access.start,
            (FactKind::StartPartition { value: StartValue::Number(_), .. }, None) => &mut pending_start,
            (FactKind::Location(_), Some(access)) => &mut access.location,
            (FactKind::Location(_), None) => &mut pending_location,
            (FactKind::ElementOffset(_), Some(access)) => &mut access.offset,
            (FactKind::DebugShape(_), Some(access)) => &mut access.shape,
            _ => continue,
        };
        slot.get_or_insert(index);
    }
    // A location in front of the only pattern is that pattern's.
    if let [access] = accesses.as_mut_slice() {
        access.location = access.location.or(pending_location);
    }
    accesses
}

/// An access with its numbers, as far as they can be computed with.
struct Numbers<'a> {
    pattern: &'a [Dimension],
    count: i128,
    offset: Option<i128>,
    stated_start: Option<i128>,
    location: Option<&'a Location>,
    space: Space,
    /// Elements of a partition, and how they are known.
    pitch: i128,
}

impl Judge<'_> {
    pub(super) fn access(&mut self, access: &Access) {
        let facts = self.facts;
        let at = |index: Option<usize>| index.and_then(|index| facts.get(index)).map(|fact| &fact.kind);
        let Some(FactKind::AccessPattern(pattern)) = at(Some(access.pattern)) else {
            return;
        };
        let location = match at(access.location) {
            Some(FactKind::Location(location)) => Some(location),
            _ => None,
        };
        if location.is_some_and(|location| location.space == Space::Dram) {
            return;
        }
        let Some(first) = pattern.first() else { return };
        let space = location.map(|location| location.space).or_else(|| match at(access.start) {
            Some(FactKind::StartPartition { space, .. }) => *space,
            _ => None,
        });
        let space = space.unwrap_or(Space::Sbuf);
        self.used.extend([access.start, access.offset, access.location, access.shape].into_iter().flatten());
        self.partition_count(access.pattern, first.num, space);
        let element_size = match at(access.shape) {
            Some(FactKind::DebugShape(shape)) => shape.element.as_ref().map(|(_, size)| i128::from(*size)),
            _ => None,
        };
        let (Some(step), Some(count)) = (first.step.exact(), first.num.exact()) else {
            return;
        };
        let bytes = location.and_then(|location| location.bytes_per_partition?.exact());
        let pitch = match (bytes, element_size) {
            (Some(bytes), Some(size)) if bytes.checked_rem(size) == Some(0) => bytes.checked_div(size),
            _ => Some(step),
        };
        if let (Some(bytes), Some(size)) = (bytes, element_size) {
            self.pitch_agrees(access.pattern, step, size, bytes);
        }
        let numbers = Numbers {
            pattern,
            count,
            offset: match at(access.offset) {
                Some(FactKind::ElementOffset(offset)) => offset.exact(),
                _ => None,
            },
            stated_start: match at(access.start) {
                Some(FactKind::StartPartition { value: StartValue::Number(start), .. }) => start.exact(),
                _ => None,
            },
            location,
            space,
            pitch: pitch.unwrap_or(0),
        };
        self.access_start(access, &numbers);
        self.access_reach(access, &numbers);
    }

    fn pitch_agrees(&mut self, fact: usize, step: i128, size: i128, bytes: i128) {
        let Some(product) = step.checked_mul(size) else {
            return;
        };
        if product == bytes {
            let mut finding = Finding::new(&MESSAGE_ARITHMETIC, fact, Verdict::Holds);
            finding.arithmetic =
                format!("{step} x {size} = {product} bytes per partition, which agrees with the location");
            self.every_target(finding);
        }
    }

    fn access_start(&mut self, access: &Access, numbers: &Numbers<'_>) {
        let first_partition = numbers.location.and_then(|location| location.first_partition.exact()).unwrap_or(0);
        let pitch = numbers.pitch;
        let derived = numbers.offset.filter(|&offset| offset >= 0 && pitch > 0).and_then(|offset| {
            let row = offset.checked_div(pitch)?;
            Some((offset, row, first_partition.checked_add(row)?))
        });
        let mut derivation = String::new();
        if let Some((offset, row, start)) = derived {
            derivation = match offset.checked_rem(pitch) {
                Some(0) | None => format!("{offset} / {pitch} = {row}"),
                Some(rest) => format!("{offset} / {pitch} = {row}, rest {rest}"),
            };
            if first_partition != 0 {
                derivation.push_str(&format!("; {first_partition} + {row} = {start}"));
            }
            match numbers.stated_start {
                Some(stated) if stated == start => derivation.push_str(", the stated start partition"),
                Some(stated) => {
                    let mut finding = Finding::new(&MESSAGE_ARITHMETIC, access.pattern, Verdict::Breaks);
                    finding.value = Some(stated);
                    finding.arithmetic = format!("{derivation}, but the text says that the access starts at {stated}");
                    self.every_target(finding);
                    derivation.clear();
                }
                None => {}
            }
            if !derivation.is_empty() {
                derivation.push_str("; ");
            }
        }
        let Some(partition) = numbers.stated_start.or(derived.map(|(_, _, start)| start)) else {
            return;
        };
        let note = self.note_about_room(numbers, partition);
        self.start(&Start {
            fact: access.start.unwrap_or(access.pattern),
            partition,
            count: Some(numbers.count),
            derivation: &derivation,
            space: numbers.space,
            note: &note,
            counted: false,
        });
    }

    /// Moving the start up to the next legal one may lead out of the tensor.
    fn note_about_room(&self, numbers: &Numbers<'_>, partition: i128) -> String {
        let room = || {
            let location = numbers.location?;
            let end = location.first_partition.plus(location.partitions?).exact()?;
            let higher = legal_starts(numbers.count).into_iter().find(|&start| start > partition)?;
            let needed = higher.checked_add(numbers.count)?;
            (needed > end).then(|| {
                format!(
                    "from {higher} the access would leave this location, which ends before partition {end} \
                     ({higher} + {} = {needed})",
                    numbers.count
                )
            })
        };
        room().unwrap_or_default()
    }

    /// Whether the pattern stays inside its location, in partitions and in elements.
    fn access_reach(&mut self, access: &Access, numbers: &Numbers<'_>) {
        let Some(outcome) = reach(access.pattern, numbers) else {
            return;
        };
        self.reach_is_broken |= outcome.verdict == Verdict::Breaks;
        self.every_target(outcome);
    }
}

fn reach(fact: usize, numbers: &Numbers<'_>) -> Option<Finding> {
    let pitch = numbers.pitch;
    let offset = numbers.offset?;
    if pitch <= 0 || numbers.count < 1 {
        return None;
    }
    let partitions = numbers.location?.partitions?.exact()?;
    let row = offset.checked_div_euclid(pitch)?;
    let first_element = offset.checked_sub(row.checked_mul(pitch)?)?;
    let step = numbers.pattern.first()?.step.exact()?;
    // A step that is no whole number of partitions is not understood.
    let row_step = step.checked_div(pitch).filter(|_| step.checked_rem(pitch) == Some(0))?;
    let last_row = row.checked_add(numbers.count.checked_sub(1)?.checked_mul(row_step)?)?;
    let mut low = first_element;
    let mut high = first_element;
    for dimension in numbers.pattern.iter().skip(1) {
        let steps = dimension.num.exact()?.checked_sub(1).filter(|&steps| steps >= 0)?;
        let distance = steps.checked_mul(dimension.step.exact()?)?;
        if distance < 0 {
            low = low.checked_add(distance)?;
        } else {
            high = high.checked_add(distance)?;
        }
    }
    let last_partition = partitions.checked_sub(1)?;
    let last_element = pitch.checked_sub(1)?;
    let mut finding = Finding::new(&PATTERN_IN_TENSOR, fact, Verdict::Breaks);
    if row < 0 || low < 0 {
        let value = if row < 0 { row } else { low };
        finding.value = Some(value);
        finding.over_by = 0_i128.checked_sub(value);
        finding.limit = Some(0);
        finding.arithmetic = format!("the access begins {} before its tensor", {
            let what = if row < 0 { "partition" } else { "element" };
            plural(Number::Exact(finding.over_by.unwrap_or(0)), what)
        });
    } else if last_row > last_partition {
        finding.value = Some(last_row);
        finding.limit = Some(last_partition);
        finding.over_by = last_row.checked_sub(last_partition);
        finding.arithmetic =
            format!("last partition of the access {last_row} > {last_partition}, the last of the location");
    } else if high > last_element {
        finding.value = Some(high);
        finding.limit = Some(last_element);
        finding.over_by = high.checked_sub(last_element);
        finding.arithmetic =
            format!("last element {high} > {last_element}, the last of the {pitch} elements of a partition");
    } else {
        finding.verdict = Verdict::Holds;
        finding.value = Some(high);
        finding.limit = Some(last_element);
        finding.arithmetic = format!(
            "partitions {row} to {last_row} of {partitions}, elements {low} to {high} of {pitch}: the pattern stays inside"
        );
    }
    Some(finding)
}
