//! Whether partitions and bytes exist: locations, tensors, totals.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::super::chip::Chip;
use super::super::fact::{Location, Space, Tensor};
use super::super::finding::{Finding, Verdict};
use super::super::number::Number;
use super::super::words::{binary_size, plural, target_list};
use super::table::{OFF_CHIP, PARTITION_COUNT, PSUM_BYTES, PSUM_TOTAL, Rule, SBUF_BYTES, SBUF_TOTAL};
use super::{Judge, partition_bytes, partitions_of};

/// A sum that must not exceed a limit of each chip.
pub(super) struct Capacity<'a> {
    pub(super) rule: &'static Rule,
    pub(super) fact: usize,
    pub(super) sum: Number,
    /// How the sum came about: `185856 + 10376 = 196232`.
    pub(super) arithmetic: &'a str,
    pub(super) fits: &'a str,
}

impl Judge<'_> {
    pub(super) fn location(&mut self, fact: usize, location: &Location, accessed: bool) {
        let space = location.space;
        if space == Space::Dram {
            self.off_chip(fact);
            return;
        }
        self.location_partitions(fact, location);
        self.location_bytes(fact, location);
        if space == Space::Psum {
            self.location_banks(fact, location);
        }
        if accessed {
            return;
        }
        if let (Some(first), Some(count)) =
            (location.first_partition.exact(), location.partitions.and_then(Number::exact))
        {
            self.start_of_location(fact, space, first, count);
        }
    }

    pub(super) fn off_chip(&mut self, fact: usize) {
        let mut finding = Finding::new(&OFF_CHIP, fact, Verdict::CannotTell);
        finding.note =
            "DRAM is not on chip: no partition or byte rule applies, and no source tells its limits".to_string();
        self.every_target(finding);
    }

    fn location_partitions(&mut self, fact: usize, location: &Location) {
        let first = location.first_partition;
        self.each_target(|chip| {
            let limit = partitions_of(location.space, chip)?;
            let last = limit.saturating_sub(1);
            if first.is_negative() {
                return Some(below(&PARTITION_COUNT, fact, first, 0, "first partition"));
            }
            if first.exceeds(last) {
                return Some(above(&PARTITION_COUNT, fact, first, last, "partition"));
            }
            let Some(count) = location.partitions else {
                let mut finding = Finding::new(&PARTITION_COUNT, fact, Verdict::Holds);
                finding.value = first.exact();
                finding.limit = Some(last);
                finding.arithmetic = format!("partition {first} <= {last}; the number of partitions is not given");
                return Some(finding);
            };
            Some(partitions(fact, first, count, limit))
        });
    }

    fn location_bytes(&mut self, fact: usize, location: &Location) {
        let rule = bytes_rule(location.space);
        let offset = location.byte_offset;
        let size = location.bytes_per_partition;
        if offset.is_negative() {
            self.every_target(below(rule, fact, offset, 0, "byte offset"));
            return;
        }
        if let Some(size) = size.filter(|size| size.is_negative()) {
            self.every_target(below(rule, fact, size, 0, "size"));
            return;
        }
        // Without a size at least the byte at the offset has to exist.
        let bytes = size.unwrap_or(Number::Exact(1));
        let sum = offset.plus(bytes);
        let (arithmetic, fits) = match size {
            Some(_) => (format!("{offset} + {bytes} = {sum}"), "the bytes fit"),
            None => (format!("{offset} + 1 = {sum}"), "the first byte exists; the size is not given"),
        };
        let capacity = Capacity { rule, fact, sum, arithmetic: &arithmetic, fits };
        self.capacity(
            &capacity,
            |chip| partition_bytes(location.space, chip),
            |finding, limit, targets| {
                let size_text = plural(bytes, "byte");
                let offset_limit = bytes.exact().and_then(|bytes| limit.checked_sub(bytes));
                let size_limit = offset.exact().and_then(|offset| limit.checked_sub(offset));
                finding.nearest_legal = offset_limit.filter(|&limit| limit >= 0);
                finding.advice = match (finding.nearest_legal, size_limit.filter(|&limit| limit > 0)) {
                    (Some(largest_offset), Some(largest_size)) => format!(
                        "byte offset {largest_offset} for {size_text}, or {largest_size} bytes at byte offset {offset}"
                    ),
                    (Some(largest_offset), None) => format!("byte offset {largest_offset} for {size_text}"),
                    (None, Some(largest_size)) => format!("{largest_size} bytes at byte offset {offset}"),
                    (None, None) => format!("{limit} bytes at byte offset 0"),
                };
                if finding.nearest_legal.is_none() {
                    finding.nearest_legal = size_limit.filter(|&limit| limit > 0).or(Some(limit));
                }
                if location.space == Space::Sbuf {
                    note_pad(finding, sum, targets);
                }
            },
        );
    }

    /// Compares a sum with each chip's limit; `explain` adds advice to what breaks.
    pub(super) fn capacity(
        &mut self,
        capacity: &Capacity<'_>,
        limit_of: impl Fn(Chip) -> Option<i128>,
        explain: impl Fn(&mut Finding, i128, &[Chip]),
    ) {
        let mut limits: Vec<(i128, Vec<Chip>)> = Vec::new();
        for &chip in self.targets {
            let Some(limit) = limit_of(chip) else {
                continue;
            };
            match limits.iter_mut().find(|(known, _)| *known == limit) {
                Some((_, targets)) => targets.push(chip),
                None => limits.push((limit, Vec::from([chip]))),
            }
        }
        let (broken, held): (Vec<_>, Vec<_>) = limits.into_iter().partition(|(limit, _)| capacity.sum.exceeds(*limit));
        for (limit, targets) in broken {
            let mut finding = Finding::new(capacity.rule, capacity.fact, Verdict::Breaks);
            finding.value = capacity.sum.exact();
            finding.limit = Some(limit);
            finding.over_by = finding.value.and_then(|value| value.checked_sub(limit));
            finding.arithmetic = format!("{} > {}", capacity.arithmetic, limit_with_size(limit, &targets));
            finding.nearest_legal = Some(limit);
            finding.advice = format!("{limit} bytes");
            explain(&mut finding, limit, &targets);
            finding.targets = targets;
            self.findings.push(finding);
        }
        if held.is_empty() {
            return;
        }
        let mut finding = Finding::new(capacity.rule, capacity.fact, Verdict::Holds);
        finding.value = capacity.sum.exact();
        let mut list = String::new();
        for (limit, targets) in &held {
            if !list.is_empty() {
                list.push_str(", ");
            }
            list.push_str(&limit_with_size(*limit, targets));
        }
        finding.arithmetic = format!("{} <= {list}: {}", capacity.arithmetic, capacity.fits);
        if let [(limit, _)] = held.as_slice() {
            finding.limit = Some(*limit);
        } else {
            for (limit, targets) in &held {
                finding.limits.extend(targets.iter().map(|&chip| (chip, *limit)));
            }
        }
        finding.targets = held.into_iter().flat_map(|(_, targets)| targets).collect();
        finding.targets.sort_unstable();
        self.findings.push(finding);
    }

    pub(super) fn tensor(&mut self, fact: usize, tensor: &Tensor) {
        let Some(space) = tensor.space else { return };
        if space == Space::Dram {
            self.off_chip(fact);
            return;
        }
        if let Some(&count) = tensor.dimensions.first() {
            self.each_target(|chip| Some(partitions(fact, Number::Exact(0), count, partitions_of(space, chip)?)));
        }
        let Some(bytes) = tensor.bytes_per_partition() else {
            return;
        };
        let mut arithmetic = String::new();
        for dimension in tensor.dimensions.iter().skip(1) {
            arithmetic.push_str(&format!("{dimension} x "));
        }
        let size = tensor.element.as_ref().map_or(0, |(_, size)| *size);
        let arithmetic = format!("{arithmetic}{size} = {bytes}");
        let capacity =
            Capacity { rule: bytes_rule(space), fact, sum: bytes, arithmetic: &arithmetic, fits: "the bytes fit" };
        self.capacity(&capacity, |chip| partition_bytes(space, chip), |_, _, _| {});
    }

    pub(super) fn partition_count(&mut self, fact: usize, count: Number, space: Space) {
        self.each_target(|chip| {
            let limit = partitions_of(space, chip)?;
            Some(partitions(fact, Number::Exact(0), count, limit))
        });
    }

    pub(super) fn total_bytes(&mut self, fact: usize, bytes: Number, space: Space) {
        let rule = match space {
            Space::Sbuf => &SBUF_TOTAL,
            Space::Psum => &PSUM_TOTAL,
            Space::Dram => return self.off_chip(fact),
        };
        let capacity = Capacity {
            rule,
            fact,
            sum: bytes,
            arithmetic: &bytes.to_string(),
            fits: "the bytes fit in all partitions together",
        };
        self.capacity(
            &capacity,
            |chip| partition_bytes(space, chip)?.checked_mul(partitions_of(space, chip)?),
            |_, _, _| {},
        );
    }
}

/// The rule for bytes of a partition of a memory.
pub(super) const fn bytes_rule(space: Space) -> &'static Rule {
    match space {
        Space::Psum => &PSUM_BYTES,
        Space::Sbuf | Space::Dram => &SBUF_BYTES,
    }
}

/// `196608 (192 KiB on gen2)`.
pub(super) fn limit_with_size(limit: i128, targets: &[Chip]) -> String {
    let list = target_list(targets);
    match binary_size(limit) {
        Some(size) => format!("{limit} ({size} on {list})"),
        None => format!("{limit} ({list})"),
    }
}

fn partitions(fact: usize, first: Number, count: Number, limit: i128) -> Finding {
    if count.falls_below(1) {
        return below(&PARTITION_COUNT, fact, count, 1, "number of partitions");
    }
    let sum = first.plus(count);
    let arithmetic = if first == Number::Exact(0) { sum.to_string() } else { format!("{first} + {count} = {sum}") };
    let broken = sum.exceeds(limit);
    let verdict = if broken { Verdict::Breaks } else { Verdict::Holds };
    let mut finding = Finding::new(&PARTITION_COUNT, fact, verdict);
    finding.value = sum.exact();
    finding.limit = Some(limit);
    if broken {
        finding.arithmetic = format!("{arithmetic} > {limit}");
        finding.over_by = finding.value.and_then(|value| value.checked_sub(limit));
        finding.nearest_legal = first.exact().and_then(|first| limit.checked_sub(first));
        finding.advice = finding.nearest_legal.map_or(String::new(), |nearest| plural(nearest, "partition"));
        if first != Number::Exact(0) {
            finding.advice.push_str(&format!(" from partition {first}"));
        }
    } else {
        finding.arithmetic = format!("{arithmetic} <= {limit}: the partitions exist");
    }
    finding
}

/// A number that is less than the least legal one.
pub(super) fn below(rule: &'static Rule, fact: usize, number: Number, least: i128, what: &str) -> Finding {
    let mut finding = Finding::new(rule, fact, Verdict::Breaks);
    finding.value = number.exact();
    finding.limit = Some(least);
    finding.over_by = finding.value.and_then(|value| least.checked_sub(value));
    finding.nearest_legal = Some(least);
    finding.arithmetic = format!("{what} {number} < {least}");
    finding.advice = least.to_string();
    finding
}

/// A number that is greater than the greatest legal one.
pub(super) fn above(rule: &'static Rule, fact: usize, number: Number, greatest: i128, what: &str) -> Finding {
    let mut finding = Finding::new(rule, fact, Verdict::Breaks);
    finding.value = number.exact();
    finding.limit = Some(greatest);
    finding.over_by = finding.value.and_then(|value| value.checked_sub(greatest));
    finding.nearest_legal = Some(greatest);
    finding.arithmetic = format!("{what} {number} > {greatest}");
    finding.advice = greatest.to_string();
    finding
}

/// Bytes between the backed size and the stride have addresses, but no memory.
fn note_pad(finding: &mut Finding, sum: Number, targets: &[Chip]) {
    let in_pad = targets.iter().all(|&chip| chip != Chip::Gen1 && !sum.exceeds(chip.geometry().sbuf_stride.into()));
    if in_pad && !targets.is_empty() {
        finding.add_note("the bytes beyond have addresses, but no memory behind them");
    }
}
