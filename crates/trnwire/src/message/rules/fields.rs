//! Whether steps, nums and dimensions fit a descriptor.

use alloc::format;

use super::super::fact::{DescriptorField, Dimension};
use super::super::finding::{Finding, Verdict};
use super::super::number::Number;
use super::Judge;
use super::capacity::{above, below};
use super::table::{FREE_DIMENSIONS, NUM_FIELD, Rule, STEP_FIELD};

/// Dimensions inside a partition that a descriptor holds.
pub(super) const MOST_FREE_DIMENSIONS: u8 = 4;

impl Judge<'_> {
    /// A field that the message names, with the bound that it states.
    pub(super) fn field(&mut self, fact: usize, field: DescriptorField, value: Number, stated_bound: Option<Number>) {
        let (rule, least, greatest) = bounds(field);
        let name = field.name();
        let mut finding = field_finding(rule, fact, name, value, least, greatest);
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
        if free.len() > usize::from(MOST_FREE_DIMENSIONS) {
            let count = i128::try_from(free.len()).unwrap_or(i128::MAX);
            let most = i128::from(MOST_FREE_DIMENSIONS);
            let finding = above(&FREE_DIMENSIONS, fact, Number::Exact(count), most, "number of free dimensions");
            self.every_target(finding);
        }
        for dimension in free {
            for (field, value) in [(DescriptorField::Step, dimension.step), (DescriptorField::Num, dimension.num)] {
                let (rule, least, greatest) = bounds(field);
                let finding = field_finding(rule, fact, field.name(), value, least, greatest);
                if finding.verdict == Verdict::Breaks {
                    self.every_target(finding);
                }
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

fn field_finding(rule: &'static Rule, fact: usize, name: &str, value: Number, least: i128, greatest: i128) -> Finding {
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
