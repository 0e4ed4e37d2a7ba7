//! Whether an access stays inside its tensor and inside its memory.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::super::fact::{Dimension, FactKind};
use super::super::finding::{Finding, Verdict};
use super::super::number::Number;
use super::super::words::plural;
use super::access::Numbers;
use super::capacity::{Capacity, above, below, bytes_rule};
use super::gather::Access;
use super::table::PATTERN_IN_TENSOR;
use super::{Judge, partition_bytes};

/// What is known of the reach of an access, from good to bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reach {
    Inside,
    Unknown,
    Broken,
}

/// A place in a row of elements, and how it came about.
struct End {
    element: i128,
    arithmetic: String,
}

impl End {
    /// The lowest or the highest element from a first one on, by the dimensions that walk that way.
    fn of(first: i128, dimensions: &[Dimension], upwards: bool) -> Option<Self> {
        let mut element = first;
        let mut arithmetic = first.to_string();
        for dimension in dimensions {
            let rounds = dimension.num.exact()?.checked_sub(1).filter(|&rounds| rounds >= 0)?;
            let step = dimension.step.exact()?;
            if rounds == 0 || step == 0 || (step > 0) != upwards {
                continue;
            }
            element = element.checked_add(rounds.checked_mul(step)?)?;
            arithmetic.push_str(&format!(" + ({} - 1) x {step}", dimension.num));
        }
        if arithmetic != element.to_string() {
            arithmetic.push_str(&format!(" = {element}"));
        }
        Some(Self { element, arithmetic })
    }
}

impl Judge<'_> {
    /// Holds an access against what the text tells of its tensor, and against the memory where that is not all.
    pub(super) fn access_reach(&mut self, access: &Access, numbers: &Numbers<'_>) {
        let fact = access.pattern;
        let free = numbers.pattern.get(1..).unwrap_or_default();
        // Without a round there is no element.
        let (Some(low), Some(high)) = (End::of(0, free, false), End::of(0, free, true)) else {
            return;
        };
        let mut findings = in_tensor(fact, numbers);
        findings.extend(in_rows(fact, numbers, free).unwrap_or_default());
        let broken = findings.iter().any(|finding| finding.verdict == Verdict::Breaks);
        let reach = match (broken, findings.is_empty()) {
            (true, _) => Reach::Broken,
            (false, true) => Reach::Unknown,
            (false, false) => Reach::Inside,
        };
        if reach == Reach::Unknown {
            findings.push(self.undecided(access, numbers, low.element, high.element));
        }
        self.reach = self.reach.max(Some(reach));
        for finding in findings {
            self.every_target(finding);
        }
        let sized = numbers.location.is_some_and(|location| location.bytes_per_partition.is_some());
        if broken || !sized {
            self.in_memory(fact, numbers, free);
        }
    }

    fn undecided(&self, access: &Access, numbers: &Numbers<'_>, low: i128, high: i128) -> Finding {
        let mut missing: Vec<&str> = Vec::new();
        if numbers.offset.is_none() {
            missing.push(match (self.kind(access.offset()), numbers.element_size) {
                (Some(FactKind::ByteOffset(_)), None) => "the element type, as the offset is in bytes",
                (Some(FactKind::ByteOffset(_)), _) => "an offset of whole elements",
                _ => "the offset, from which the start partition follows",
            });
        }
        if numbers.row_size.is_none() && numbers.tensor_size.is_none() {
            let sized = numbers.location.map(|location| location.bytes_per_partition.is_some());
            missing.push(match (sized, numbers.element_size) {
                (Some(_), None) => "the element type",
                (Some(true), _) => "another element type, as the step to the next partition is none of the location's",
                (Some(false), _) => "the bytes per partition of the location",
                (None, _) => "the shape of the tensor, or its location with the element type",
            });
        }
        if missing.is_empty() {
            missing.push("the elements of a partition");
        }
        let mut finding = Finding::new(&PATTERN_IN_TENSOR, access.pattern, Verdict::CannotTell);
        finding.arithmetic =
            format!("elements {low} to {high} from the first one, in {}", plural(numbers.count, "partition"));
        finding.note = format!("would decide: {}", missing.join("; "));
        finding
    }

    /// Bytes of a partition, for an access of which a tensor that lies inside does not answer that already.
    fn in_memory(&mut self, fact: usize, numbers: &Numbers<'_>, free: &[Dimension]) {
        let Some(size) = numbers.element_size.filter(|_| numbers.space_is_known) else {
            return;
        };
        let rule = bytes_rule(numbers.space);
        let space = numbers.space;
        let place = numbers.location.and_then(|location| location.byte_offset.exact()).zip(numbers.first_element());
        let from = place.map_or(0, |(_, (_, element))| element);
        let (Some(low), Some(high)) = (End::of(from, free, false), End::of(from, free, true)) else {
            return;
        };
        let bytes = |element: i128| element.checked_mul(size);
        let Some((offset, _)) = place else {
            // Wherever it starts, it takes so much.
            let elements = high.element.checked_sub(low.element).and_then(|steps| steps.checked_add(1));
            let Some((elements, sum)) = elements.and_then(|elements| Some((elements, bytes(elements)?))) else {
                return;
            };
            let too_long = |&chip: &_| partition_bytes(space, chip).is_some_and(|limit| sum > limit);
            if self.targets.iter().any(too_long) {
                let arithmetic = format!("from the lowest to the highest element {elements} x {size} = {sum}");
                let fits = "the bytes fit, if the access starts low enough";
                let capacity = Capacity { rule, fact, sum: Number::Exact(sum), arithmetic: &arithmetic, fits };
                self.capacity(&capacity, |chip| partition_bytes(space, chip), |_, _, _| {});
            }
            return;
        };
        if let Some(first) = bytes(low.element).and_then(|bytes| bytes.checked_add(offset)).filter(|&first| first < 0) {
            self.every_target(below(rule, fact, Number::Exact(first), 0, "first byte of the access"));
        }
        let end = high.element.checked_add(1).and_then(bytes).and_then(|bytes| bytes.checked_add(offset));
        if let Some(sum) = end {
            let arithmetic = format!("{offset} + ({} + 1) x {size} = {sum}", high.element);
            let fits = "the bytes of the access exist in each partition";
            let capacity = Capacity { rule, fact, sum: Number::Exact(sum), arithmetic: &arithmetic, fits };
            self.capacity(&capacity, |chip| partition_bytes(space, chip), |_, _, _| {});
        }
    }

    /// The indices of a dimension and its size, both from the text.
    pub(super) fn index_range(&mut self, fact: usize, first: Number, last: Number, size: Number) {
        let mut findings = Vec::new();
        if first.is_negative() {
            findings.push(below(&PATTERN_IN_TENSOR, fact, first, 0, "first index"));
        }
        let greatest = size.exact().and_then(|size| size.checked_sub(1));
        if let Some(greatest) = greatest.filter(|&greatest| last.exceeds(greatest)) {
            findings.push(above(&PATTERN_IN_TENSOR, fact, last, greatest, "last index"));
        }
        let reach = if findings.is_empty() { Reach::Inside } else { Reach::Broken };
        self.reach = self.reach.max(Some(reach));
        if findings.is_empty() {
            let mut finding = Finding::new(&PATTERN_IN_TENSOR, fact, Verdict::Holds);
            finding.arithmetic = format!("indices {first} to {last} of {size}: inside the dimension");
            findings.push(finding);
        }
        for mut finding in findings {
            finding.limit_is_stated = finding.verdict == Verdict::Breaks;
            self.every_target(finding);
        }
    }
}

/// A text may tell how many elements the tensor has, whatever lies in which partition.
fn in_tensor(fact: usize, numbers: &Numbers<'_>) -> Vec<Finding> {
    let ends = || {
        let offset = numbers.offset?;
        let last = numbers.tensor_size?.checked_sub(1)?;
        Some((End::of(offset, numbers.pattern, false)?, End::of(offset, numbers.pattern, true)?, last))
    };
    let Some((low, high, last)) = ends() else {
        return Vec::new();
    };
    let mut findings = Vec::new();
    if low.element < 0 {
        findings.push(before(fact, &low, "element"));
    }
    if high.element > last {
        let whole = "tensor";
        findings.push(behind(fact, &high, last, "element", whole));
    }
    if findings.is_empty() {
        let mut finding = Finding::new(&PATTERN_IN_TENSOR, fact, Verdict::Holds);
        finding.value = Some(high.element);
        finding.limit = Some(last);
        finding.arithmetic = format!(
            "elements {} to {}, {} <= {last}: the pattern stays inside",
            low.element, high.element, high.arithmetic
        );
        findings.push(finding);
    }
    findings
}

/// Whether the pattern stays inside its tensor, in partitions and in the elements of each.
fn in_rows(fact: usize, numbers: &Numbers<'_>, free: &[Dimension]) -> Option<Vec<Finding>> {
    if numbers.count < 1 {
        return None;
    }
    let size = numbers.row_size?;
    let (row, first) = numbers.first_element()?;
    let rows = Dimension { step: Number::Exact(numbers.row_step()?), num: Number::Exact(numbers.count) };
    let last_row = End::of(row, &[rows], true)?;
    let (low, high) = (End::of(first, free, false)?, End::of(first, free, true)?);
    let last_element = size.checked_sub(1)?;
    let mut findings = Vec::new();
    if row < 0 {
        let first_row = End { element: row, arithmetic: row.to_string() };
        findings.push(before(fact, &first_row, "partition"));
    }
    if let Some(last) = numbers.partitions.and_then(|partitions| partitions.checked_sub(1)) {
        if last_row.element > last {
            findings.push(behind(fact, &last_row, last, "partition", "tensor"));
        }
    }
    if low.element < 0 {
        let mut finding = before(fact, &low, "element");
        let offset = numbers.offset.and_then(|offset| offset.checked_sub(low.element));
        let fits = high.element.checked_sub(low.element).is_some_and(|span| span <= last_element);
        advise(&mut finding, offset.filter(|_| fits), fewer(free, &low, 0, false));
        findings.push(finding);
    }
    if high.element > last_element {
        let mut finding = behind(fact, &high, last_element, "element", "partition");
        let over = high.element.saturating_sub(last_element);
        let offset = numbers.offset.and_then(|offset| offset.checked_sub(over));
        let fits = low.element >= over;
        advise(&mut finding, offset.filter(|_| fits), fewer(free, &high, last_element, true));
        findings.push(finding);
    }
    if findings.is_empty() {
        let of = numbers.partitions.map_or(String::new(), |partitions| format!(" of {partitions}"));
        let mut finding = Finding::new(&PATTERN_IN_TENSOR, fact, Verdict::Holds);
        finding.value = Some(high.element);
        finding.limit = Some(last_element);
        finding.arithmetic = format!(
            "partitions {row} to {}{of}, elements {} to {} of {size}: the pattern stays inside",
            last_row.element, low.element, high.element
        );
        findings.push(finding);
    }
    Some(findings)
}

/// An end that lies before the first of its kind.
fn before(fact: usize, end: &End, what: &str) -> Finding {
    let mut finding = Finding::new(&PATTERN_IN_TENSOR, fact, Verdict::Breaks);
    finding.value = Some(end.element);
    finding.limit = Some(0);
    finding.over_by = end.element.checked_neg();
    finding.arithmetic = format!("first {what} of the access {} < 0", end.arithmetic);
    finding
}

/// An end that lies behind the last of its kind.
fn behind(fact: usize, end: &End, last: i128, what: &str, whole: &str) -> Finding {
    let mut finding = Finding::new(&PATTERN_IN_TENSOR, fact, Verdict::Breaks);
    finding.value = Some(end.element);
    finding.limit = Some(last);
    finding.over_by = end.element.checked_sub(last);
    finding.arithmetic = format!("last {what} of the access {} > {last}, the last of the {whole}", end.arithmetic);
    finding
}

/// The outermost dimension that alone can bring an end back to a limit, with the num that does.
fn fewer(dimensions: &[Dimension], end: &End, limit: i128, upwards: bool) -> Option<(Dimension, i128)> {
    let over = end.element.abs_diff(limit);
    dimensions.iter().find_map(|&dimension| {
        let (step, num) = (dimension.step.exact()?, dimension.num.exact()?);
        if (step > 0) != upwards {
            return None;
        }
        let rounds =
            i128::try_from(over.checked_add(step.unsigned_abs())?.checked_sub(1)?.checked_div(step.unsigned_abs())?);
        let left = num.checked_sub(rounds.ok()?)?;
        (left >= 1).then_some((dimension, left))
    })
}

/// Another offset, or a smaller num.
fn advise(finding: &mut Finding, offset: Option<i128>, fewer: Option<(Dimension, i128)>) {
    finding.nearest_legal = offset.or(fewer.map(|(_, num)| num));
    let offset = offset.map(|offset| format!("element offset {offset}"));
    let num = fewer.map(|(dimension, num)| format!("num {num} in [{},{}]", dimension.step, dimension.num));
    finding.advice = [offset, num].into_iter().flatten().collect::<Vec<_>>().join(", or ");
}
