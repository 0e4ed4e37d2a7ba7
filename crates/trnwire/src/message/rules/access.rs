//! Brings an access pattern together with its offset, its location, its element type and its stated start.

use alloc::format;
use alloc::string::String;

use super::super::fact::{Dimension, FactKind, Location, Space, StartValue};
use super::super::finding::{Finding, Verdict};
use super::super::number::Number;
use super::Judge;
use super::capacity::below;
use super::classes::legal_starts;
use super::gather::Access;
use super::start::Start;
use super::table::{MESSAGE_ARITHMETIC, PARTITION_STEP};

/// An access with its numbers, as far as they can be computed with.
pub(super) struct Numbers<'a> {
    pub(super) pattern: &'a [Dimension],
    /// Partitions.
    pub(super) count: i128,
    /// In elements.
    pub(super) offset: Option<i128>,
    stated_start: Option<i128>,
    pub(super) location: Option<&'a Location>,
    /// Partitions of the tensor.
    pub(super) partitions: Option<i128>,
    /// How many elements the text says that the tensor has.
    pub(super) tensor_size: Option<i128>,
    /// How many elements of the tensor are in each partition.
    pub(super) row_size: Option<i128>,
    pub(super) space: Space,
    /// Whether the text, or anything in it, tells the memory.
    pub(super) space_is_known: bool,
    /// Bytes.
    pub(super) element_size: Option<i128>,
    /// Elements from a partition to the next.
    pub(super) pitch: Option<i128>,
}

impl Numbers<'_> {
    /// The row that the first element lies in, counted from the first one of the tensor, and its place there.
    pub(super) fn first_element(&self) -> Option<(i128, i128)> {
        let (offset, pitch) = (self.offset?, self.pitch?);
        Some((offset.checked_div_euclid(pitch)?, offset.checked_rem_euclid(pitch)?))
    }

    /// Partitions from one row of the access to the next.
    pub(super) fn row_step(&self) -> Option<i128> {
        if self.count <= 1 {
            return Some(0);
        }
        whole_part(self.pattern.first()?.step.exact()?, self.pitch?)
    }
}

impl<'a> Judge<'a> {
    pub(super) fn access(&mut self, access: &Access) {
        let Some(FactKind::AccessPattern { dimensions, space: named }) = self.kind(Some(access.pattern)) else {
            return;
        };
        let location = match self.kind(access.location()) {
            Some(FactKind::Location(location)) => Some(location),
            _ => None,
        };
        let space = location.map(|location| location.space).or(*named).or_else(|| match self.kind(access.start()) {
            Some(FactKind::StartPartition { space, .. }) => *space,
            _ => None,
        });
        if space == Some(Space::Dram) {
            self.used.extend(access.facts());
            if location.is_none() {
                self.off_chip(access.pattern);
            }
            return;
        }
        let Some(first) = dimensions.first() else { return };
        self.used.extend(access.facts());
        self.partition_count(access.pattern, first.num, space.unwrap_or(Space::Sbuf));
        self.pattern_fields(access.pattern, dimensions);
        if first.step.is_negative() {
            self.every_target(below(&PARTITION_STEP, access.pattern, first.step, 0, "step of the partition dimension"));
            return;
        }
        let (Some(step), Some(count)) = (first.step.exact(), first.num.exact()) else {
            return;
        };
        let element_size = self.element_size(access);
        let shape = match self.kind(access.shape()) {
            Some(FactKind::DebugShape(shape) | FactKind::Tensor(shape)) => Some(shape),
            _ => None,
        };
        let (mut tensor_size, mut row_size) = match self.kind(access.size()) {
            Some(FactKind::TensorSize { elements, per_partition: true }) => (None, elements.exact()),
            Some(FactKind::TensorSize { elements, per_partition: false }) => (elements.exact(), None),
            _ => (None, None),
        };
        let bytes = location.and_then(|location| location.bytes_per_partition?.exact());
        if let (Some(bytes), Some(size)) = (bytes, element_size) {
            self.pitch_agrees(access.pattern, step, size, bytes);
        }
        let mut partitions = location.and_then(|location| location.partitions?.exact());
        let by_bytes = bytes.zip(element_size).and_then(|(bytes, size)| whole_part(bytes, size));
        // A pitch of which the step is no multiple is that of another view of the tensor.
        let mut pitch = by_bytes.filter(|&pitch| count <= 1 || step.checked_rem(pitch) == Some(0));
        row_size = row_size.or(pitch);
        match shape.map(|shape| shape.dimensions.as_slice()) {
            Some([only]) if count <= 1 => tensor_size = tensor_size.or(only.exact()),
            Some([outermost, row @ ..]) if pitch.is_none() => {
                // Its first dimension need not be that of the partitions.
                pitch = elements_of(row).filter(|pitch| [*pitch, 0].contains(&step) || (count <= 1 && step == 1));
                if pitch.is_some() {
                    row_size = row_size.or(pitch);
                    partitions = partitions.or(outermost.exact());
                }
            }
            _ => {}
        }
        if pitch.is_none() {
            // Of a single partition the step is never taken.
            pitch = if count > 1 { Some(step) } else { row_size };
            // Off the chip the first dimension is not that of the partitions.
            row_size = row_size.or(pitch.filter(|_| location.is_some() && by_bytes.is_none()));
        }
        let numbers = Numbers {
            pattern: dimensions,
            count,
            offset: self.element_offset(access, element_size),
            stated_start: match self.kind(access.start()) {
                Some(FactKind::StartPartition { value: StartValue::Number(start), .. }) => start.exact(),
                _ => None,
            },
            location,
            partitions,
            tensor_size,
            row_size,
            space: space.unwrap_or(Space::Sbuf),
            space_is_known: space.is_some(),
            element_size,
            pitch: pitch.filter(|&pitch| pitch > 0),
        };
        self.partition_step(access.pattern, &numbers);
        self.access_start(access, &numbers);
        self.access_reach(access, &numbers);
    }

    /// The kind of a fact, if there is one.
    pub(super) fn kind(&self, fact: Option<usize>) -> Option<&'a FactKind> {
        fact.and_then(|index| self.facts.get(index)).map(|fact| &fact.kind)
    }

    /// What stands beside the pattern is closer to the access than what describes the whole tensor.
    fn element_size(&self, access: &Access) -> Option<i128> {
        let beside = match self.kind(access.element()) {
            Some(FactKind::ElementType { size, .. }) => Some(*size),
            _ => None,
        };
        let size = beside.or_else(|| match self.kind(access.shape()) {
            Some(FactKind::DebugShape(shape) | FactKind::Tensor(shape)) => {
                shape.element.as_ref().map(|(_, size)| *size)
            }
            _ => None,
        });
        size.map(i128::from)
    }

    fn element_offset(&self, access: &Access, element_size: Option<i128>) -> Option<i128> {
        match self.kind(access.offset()) {
            Some(FactKind::ElementOffset(offset)) => offset.exact(),
            Some(FactKind::ByteOffset(offset)) => whole_part(offset.exact()?, element_size?),
            _ => None,
        }
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

    /// A descriptor has no step from partition to partition: they follow one another.
    fn partition_step(&mut self, fact: usize, numbers: &Numbers<'_>) {
        let (Some(pitch), Some(partitions)) = (numbers.pitch, numbers.row_step()) else {
            return;
        };
        if partitions <= 1 {
            return;
        }
        let step = pitch.saturating_mul(partitions);
        let mut finding = Finding::new(&PARTITION_STEP, fact, Verdict::Breaks);
        finding.value = Some(step);
        finding.limit = Some(pitch);
        finding.over_by = step.checked_sub(pitch);
        finding.nearest_legal = Some(pitch);
        finding.arithmetic =
            format!("step {step} of the partition dimension = {partitions} partitions of {pitch} elements");
        finding.advice = format!("step {pitch}, with which one partition follows the other");
        self.every_target(finding);
    }

    fn access_start(&mut self, access: &Access, numbers: &Numbers<'_>) {
        let first_partition = numbers.location.and_then(|location| location.first_partition.exact()).unwrap_or(0);
        let derived = numbers.first_element().filter(|&(row, _)| row >= 0).and_then(|(row, rest)| {
            Some((numbers.offset?, numbers.pitch?, row, rest, first_partition.checked_add(row)?))
        });
        let mut derivation = String::new();
        if let Some((offset, pitch, row, rest, start)) = derived {
            derivation = format!("{offset} / {pitch} = {row}");
            if rest != 0 {
                derivation.push_str(&format!(", rest {rest}"));
            }
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
        let Some(partition) = numbers.stated_start.or(derived.map(|(.., start)| start)) else {
            return;
        };
        let note = self.note_about_room(numbers, partition);
        self.start(&Start {
            fact: access.start().unwrap_or(access.pattern),
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
}

/// A quotient without a rest.
pub(super) fn whole_part(number: i128, divisor: i128) -> Option<i128> {
    number.checked_div(divisor).filter(|_| number.checked_rem(divisor) == Some(0))
}

/// The product of dimensions.
fn elements_of(dimensions: &[Number]) -> Option<i128> {
    dimensions.iter().try_fold(1_i128, |product, dimension| product.checked_mul(dimension.exact()?))
}
