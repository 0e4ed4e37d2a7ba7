//! Which PSUM banks exist, and in which one an offset lies.

use alloc::format;

use super::super::fact::Location;
use super::super::finding::{Finding, Verdict};
use super::super::number::Number;
use super::super::target::Target;
use super::Judge;
use super::capacity::{above, below};
use super::table::PSUM_BANKS;

impl Judge<'_> {
    pub(super) fn psum_banks(&mut self, fact: usize, first: Number, last: Number) {
        self.each_target(|target| {
            let (banks, size) = shape(target);
            let greatest = banks.saturating_sub(1);
            if first.is_negative() {
                return Some(below(&PSUM_BANKS, fact, first, 0, "bank"));
            }
            let mut finding = if last.exceeds(greatest) {
                let mut finding = above(&PSUM_BANKS, fact, last, greatest, "bank");
                finding.advice = format!("bank {greatest}");
                finding
            } else {
                Finding::new(&PSUM_BANKS, fact, Verdict::Holds)
            };
            finding.add_note(&format!("a partition has {banks} banks x {size} bytes (2 KiB)"));
            if finding.verdict == Verdict::Holds {
                let (low, high) = (first.exact()?, last.exact()?);
                let begin = low.checked_mul(size)?;
                let end = high.checked_add(1)?.checked_mul(size)?.checked_sub(1)?;
                finding.value = Some(high);
                finding.limit = Some(greatest);
                finding.arithmetic = if low == high {
                    format!("bank {low} <= {greatest}; it is bytes {begin} to {end} of each partition")
                } else {
                    format!(
                        "bank {high} <= {greatest}; banks {low} to {high} are bytes {begin} to {end} of each partition"
                    )
                };
                finding.add_note("bank of a byte offset = offset / 2048");
            }
            Some(finding)
        });
    }

    pub(super) fn psum_bank_count(&mut self, fact: usize, count: Number) {
        self.each_target(|target| {
            let (banks, size) = shape(target);
            let mut finding = if count.exceeds(banks) {
                let mut finding = above(&PSUM_BANKS, fact, count, banks, "number of banks");
                finding.advice = format!("{banks} banks");
                finding
            } else if count.is_negative() {
                below(&PSUM_BANKS, fact, count, 0, "number of banks")
            } else {
                let mut finding = Finding::new(&PSUM_BANKS, fact, Verdict::Holds);
                finding.value = count.exact();
                finding.limit = Some(banks);
                finding.arithmetic = format!("{count} <= {banks} banks");
                finding
            };
            finding.add_note(&format!("a partition has {banks} banks x {size} bytes (2 KiB)"));
            Some(finding)
        });
    }

    /// The banks that a PSUM location covers.
    pub(super) fn location_banks(&mut self, fact: usize, location: &Location) {
        self.each_target(|target| {
            let (banks, size) = shape(target);
            let offset = location.byte_offset.exact().filter(|&offset| offset >= 0)?;
            let bytes = location.bytes_per_partition.and_then(Number::exact).unwrap_or(1).max(1);
            let last_byte = offset.checked_add(bytes)?.checked_sub(1)?;
            let first = offset.checked_div(size)?;
            let last = last_byte.checked_div(size)?;
            let greatest = banks.saturating_sub(1);
            let verdict = if last > greatest { Verdict::Breaks } else { Verdict::Holds };
            let mut finding = Finding::new(&PSUM_BANKS, fact, verdict);
            finding.value = Some(last);
            finding.limit = Some(greatest);
            let place = if first == last {
                format!("{offset} / {size} = {first}: all in bank {first}")
            } else {
                format!("{offset} / {size} = {first}, {last_byte} / {size} = {last}: banks {first} to {last}")
            };
            if last > greatest {
                finding.arithmetic = format!("{place}, but bank {last} > {greatest}");
                finding.over_by = last.checked_sub(greatest);
                finding.nearest_legal = Some(greatest);
                finding.advice = format!("bank {greatest}");
            } else {
                finding.arithmetic = format!("{place} of 0 to {greatest}");
            }
            Some(finding)
        });
    }
}

fn shape(target: Target) -> (i128, i128) {
    let geometry = target.geometry();
    (geometry.psum_banks.into(), geometry.psum_bank_size.into())
}
