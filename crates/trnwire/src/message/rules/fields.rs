//! Whether steps, nums and dimensions fit a descriptor.

use alloc::format;

use super::super::fact::{DescriptorField, Dimension};
use super::super::finding::{Finding, Verdict};
use super::super::number::Number;
use super::super::words::plural;
use super::Judge;
use super::capacity::{above, below};
use super::table::{FREE_DIMENSIONS, NUM_FIELD, Rule, STEP_FIELD, ZERO_NUM};

/// Dimensions inside a partition that a descriptor holds.
pub(super) const MOST_FREE_DIMENSIONS: u8 = 4;

impl Judge<'_> {
    /// A field that the message names, with the bound that it states.
    pub(super) fn field(&mut self, fact: usize, field: DescriptorField, value: Number, stated_bound: Option<Number>) {
        let (_, least, greatest) = bounds(field);
        let mut finding = field_finding(fact, field, value);
        if let Some(bound) = stated_bound {
            let agrees = bound == Number::Exact(least) || bound == Number::Exact(greatest);
            if agrees {
                finding.add_note(&format!("the message's bound {bound} is that of the field"));
            } else {
                finding.add_note(&format!(
                    "the message's bound {bound} is not that of the field, which is {least} to {greatest}"
                ));
            }
        }
        self.every_target(finding);
    }

    /// The free dimensions of a pattern; the partition dimension is in no 16-bit field.
    pub(super) fn pattern_fields(&mut self, fact: usize, pattern: &[Dimension]) {
        let free = pattern.get(1..).unwrap_or_default();
        // A dimension of num 1 takes no slot.
        let taken = free.iter().filter(|dimension| dimension.num != Number::Exact(1)).count();
        if taken > usize::from(MOST_FREE_DIMENSIONS) {
            let count = i128::try_from(taken).unwrap_or(i128::MAX);
            let most = i128::from(MOST_FREE_DIMENSIONS);
            let mut finding = above(&FREE_DIMENSIONS, fact, Number::Exact(count), most, "number of free dimensions");
            let skipped = free.len().saturating_sub(taken);
            if skipped > 0 {
                finding.note = format!("{} of num 1 not counted; ", plural(skipped, "dimension"));
            }
            finding.note.push_str("no descriptor has more slots (too_many_dims)");
            self.every_target(finding);
        }
        for dimension in free {
            for (field, value) in [(DescriptorField::Step, dimension.step), (DescriptorField::Num, dimension.num)] {
                let mut finding = field_finding(fact, field, value);
                if finding.verdict != Verdict::Breaks {
                    continue;
                }
                let code = match field {
                    DescriptorField::Step => "step_overflow",
                    DescriptorField::Num if value == Number::Exact(0) => "zero_num",
                    DescriptorField::Num => "num_overflow",
                };
                finding.note = format!("[{},{}] cannot be encoded ({code})", dimension.step, dimension.num);
                if field == DescriptorField::Step && dimension.num == Number::Exact(1) {
                    finding.add_note("as its num is 1, the step is never taken and any other will do");
                }
                self.every_target(finding);
            }
        }
    }
}

fn bounds(field: DescriptorField) -> (&'static Rule, i128, i128) {
    match field {
        DescriptorField::Step => (&STEP_FIELD, i16::MIN.into(), i16::MAX.into()),
        DescriptorField::Num => (&NUM_FIELD, 0, u16::MAX.into()),
    }
}

fn field_finding(fact: usize, field: DescriptorField, value: Number) -> Finding {
    let (rule, least, greatest) = bounds(field);
    let name = field.name();
    if field == DescriptorField::Num && value.falls_below(1) {
        let rule = if value == Number::Exact(0) { &ZERO_NUM } else { rule };
        return below(rule, fact, value, 1, name);
    }
    if value.falls_below(least) {
        return below(rule, fact, value, least, name);
    }
    if value.exceeds(greatest) {
        return above(rule, fact, value, greatest, name);
    }
    let mut finding = Finding::new(rule, fact, Verdict::Holds);
    finding.value = value.exact();
    finding.arithmetic = format!("{least} <= {name} {value} <= {greatest}");
    finding
}
