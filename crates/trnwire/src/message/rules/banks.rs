//! Which PSUM banks exist, and in which one an offset lies.

use alloc::format;
use alloc::string::String;

use super::super::chip::Chip;
use super::super::fact::Location;
use super::super::finding::{Finding, Verdict};
use super::super::number::Number;
use super::super::words::binary_size;
use super::Judge;
use super::capacity::{above, below};
use super::table::PSUM_BANKS;

impl Judge<'_> {
    pub(super) fn psum_banks(&mut self, fact: usize, first: Number, last: Number) {
        if first.is_negative() {
            self.each_target(|chip| Some(named(chip, below(&PSUM_BANKS, fact, first, 0, "bank"))));
        }
        self.each_target(|chip| {
            let (banks, size) = shape(chip);
            let greatest = banks.saturating_sub(1);
            let finding = if last.exceeds(greatest) {
                let mut finding = above(&PSUM_BANKS, fact, last, greatest, "bank");
                finding.advice = format!("bank {greatest}");
                finding.note = banks_in_words(chip);
                finding
            } else {
                let (low, high) = (first.exact().filter(|&low| low >= 0)?, last.exact()?);
                let begin = low.checked_mul(size)?;
                let end = high.checked_add(1)?.checked_mul(size)?.checked_sub(1)?;
                let mut finding = Finding::new(&PSUM_BANKS, fact, Verdict::Holds);
                finding.value = Some(high);
                finding.limit = Some(greatest);
                finding.arithmetic = if low == high {
                    format!("bank {low} <= {greatest}; it is bytes {begin} to {end} of each partition")
                } else {
                    format!(
                        "bank {high} <= {greatest}; banks {low} to {high} are bytes {begin} to {end} of each partition"
                    )
                };
                finding.note = format!("{}; bank of a byte offset = offset / {size}", banks_in_words(chip));
                finding
            };
            Some(named(chip, finding))
        });
    }

    pub(super) fn psum_bank_count(&mut self, fact: usize, count: Number) {
        self.each_target(|chip| {
            let (banks, _) = shape(chip);
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
            finding.note = banks_in_words(chip);
            Some(named(chip, finding))
        });
    }

    /// The banks that a PSUM location covers.
    pub(super) fn location_banks(&mut self, fact: usize, location: &Location) {
        self.each_target(|chip| {
            let (banks, size) = shape(chip);
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
            Some(named(chip, finding))
        });
    }
}

fn shape(chip: Chip) -> (i128, i128) {
    let geometry = chip.geometry();
    (geometry.psum_banks.into(), geometry.psum_bank_size.into())
}

fn banks_in_words(chip: Chip) -> String {
    let (banks, size) = shape(chip);
    let in_units = binary_size(size).map_or(String::new(), |size| format!(" ({size})"));
    format!("a partition has {banks} banks x {size} bytes{in_units}")
}

/// A finding under the name that the rule has on a generation.
fn named(chip: Chip, mut finding: Finding) -> Finding {
    finding.rule_name = PSUM_BANKS.name_on(chip);
    finding
}
