//! Whether an access may start at a partition.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::super::fact::{Fact, FactKind, Space, StartValue};
use super::super::fact_fields::join_numbers;
use super::super::finding::{Finding, Verdict};
use super::super::number::Number;
use super::super::words::{or_list, plural};
use super::capacity::{above, below};
use super::table::{PARTITION_COUNT, START_PARTITION};
use super::{Judge, partitions_of};
use crate::geometry::{QUADRANT_PARTITIONS, legal_start_partitions};

/// The start of an access, as far as it is known.
pub(super) struct Start<'a> {
    pub(super) fact: usize,
    pub(super) partition: i128,
    pub(super) count: Option<i128>,
    /// How the start came about, if it was computed.
    pub(super) derivation: &'a str,
    pub(super) space: Space,
    pub(super) note: &'a str,
    /// Whether the partitions were judged already.
    pub(super) counted: bool,
}

impl Judge<'_> {
    /// A start partition that belongs to no access pattern.
    pub(super) fn start_alone(&mut self, fact: usize, value: &StartValue, message: &[Fact]) {
        let number = match value {
            StartValue::Number(number) => *number,
            StartValue::Variable(name) => {
                let mut finding = Finding::new(&START_PARTITION, fact, Verdict::Breaks);
                finding.legal_values = Vec::from([0, 32, 64, 96]);
                finding.arithmetic = format!(
                    "a start partition must be a multiple of {QUADRANT_PARTITIONS}; `{name}` is a loop variable, \
                     not a constant multiple of {QUADRANT_PARTITIONS}"
                );
                finding.advice = "0, 32, 64 or 96, known when the kernel is compiled".to_string();
                self.every_target(finding);
                return;
            }
            StartValue::Expression(expression) => {
                let mut finding = Finding::new(&START_PARTITION, fact, Verdict::CannotTell);
                finding.legal_values = Vec::from([0, 32, 64, 96]);
                finding.note = format!(
                    "a start partition must be a multiple of {QUADRANT_PARTITIONS}; \
                     the values that `{expression}` takes would decide"
                );
                self.every_target(finding);
                return;
            }
        };
        if self.start_outside(fact, number) {
            return;
        }
        let Some(partition) = number.exact() else {
            return;
        };
        let count_in = |facts: &mut dyn Iterator<Item = &Fact>| {
            only(facts.filter_map(|fact| match &fact.kind {
                FactKind::PartitionCount(count) => count.exact(),
                _ => None,
            }))
        };
        // Messages without a marked beginning may follow each other: the same line goes first.
        let line = self.facts.get(fact).map(|fact| fact.line);
        let count = count_in(&mut message.iter().filter(|fact| Some(fact.line) == line))
            .or_else(|| count_in(&mut message.iter()));
        let allowed = only(message.iter().filter_map(|fact| match &fact.kind {
            FactKind::AllowedStarts(starts) => Some(starts),
            _ => None,
        }));
        match (count, allowed) {
            (None, Some(allowed)) => self.start_against_message(fact, partition, allowed),
            _ => self.start(&Start {
                fact,
                partition,
                count,
                derivation: "",
                space: Space::Sbuf,
                note: "",
                counted: false,
            }),
        }
    }

    fn start_outside(&mut self, fact: usize, number: Number) -> bool {
        let outside = number.is_negative() || number.exceeds(127);
        if outside {
            self.each_target(|target| {
                let last = partitions_of(Space::Sbuf, target)?.saturating_sub(1);
                Some(if number.is_negative() {
                    below(&START_PARTITION, fact, number, 0, "start partition")
                } else {
                    let mut finding = above(&START_PARTITION, fact, number, last, "start partition");
                    finding.nearest_legal = Some(96);
                    finding.advice = "96 for at most 32 partitions".to_string();
                    finding
                })
            });
        }
        outside
    }

    /// The message lists starts but no number of partitions.
    fn start_against_message(&mut self, fact: usize, partition: i128, allowed: &[Number]) {
        let legal: Vec<i128> = allowed.iter().filter_map(|start| start.exact()).collect();
        let listed = legal.contains(&partition);
        let verdict = if listed { Verdict::Holds } else { Verdict::Breaks };
        let mut finding = Finding::new(&START_PARTITION, fact, verdict);
        finding.value = Some(partition);
        let list = join_numbers(allowed, " or ");
        if listed {
            finding.arithmetic = format!("{partition} is one of the starts that the message allows: {list}");
        } else {
            finding.arithmetic = format!("{partition} is not one of the starts that the message allows: {list}");
            nearest(&mut finding, partition, &legal);
        }
        finding.legal_values = legal;
        finding.note = match finding.legal_values.as_slice() {
            [0] => "this is the list for more than 64 partitions".to_string(),
            [0, 64] => "this is the list for 33 to 64 partitions".to_string(),
            [0, 32, 64, 96] => "this is the list for 1 to 32 partitions".to_string(),
            _ => "the message's list is none that is known: 0; 0 or 64; 0, 32, 64 or 96".to_string(),
        };
        self.every_target(finding);
    }

    /// The message lists the starts that it allows, and not the one that it met.
    pub(super) fn allowed_starts_alone(&mut self, fact: usize, allowed: &[Number], message: &[Fact]) {
        let met = message
            .iter()
            .any(|fact| matches!(fact.kind, FactKind::StartPartition { .. } | FactKind::AccessPattern(_)));
        if met {
            return;
        }
        let mut finding = Finding::new(&START_PARTITION, fact, Verdict::CannotTell);
        finding.legal_values = allowed.iter().filter_map(|start| start.exact()).collect();
        finding.note = "the start partition and the number of partitions of the access would decide".to_string();
        self.every_target(finding);
    }

    /// A location says where memory lies, not how it is accessed; still a start inside a quadrant is worth a word.
    pub(super) fn start_of_location(&mut self, fact: usize, space: Space, first: i128, count: i128) {
        let legal = legal_starts(count);
        if first == 0 || legal.is_empty() || legal.contains(&first) || !(0..=127).contains(&first) {
            return;
        }
        self.start(&Start {
            fact,
            partition: first,
            count: Some(count),
            derivation: "",
            space,
            note: "the rule is about an access: one that takes fewer of these partitions, or starts elsewhere inside, can be legal",
            counted: true,
        });
    }

    /// Judges a start that lies inside the memory.
    pub(super) fn start(&mut self, start: &Start<'_>) {
        let Some(count) = start.count else {
            self.start_without_count(start);
            return;
        };
        let fact = start.fact;
        let partition = start.partition;
        let derivation = start.derivation;
        let legal = legal_starts(count);
        if legal.is_empty() {
            self.each_target(|target| {
                let limit = partitions_of(start.space, target)?;
                let count = Number::Exact(count);
                Some(if count.falls_below(1) {
                    below(&PARTITION_COUNT, fact, count, 1, "number of partitions")
                } else {
                    above(&PARTITION_COUNT, fact, count, limit, "number of partitions")
                })
            });
            return;
        }
        let list = or_list(legal_start_partitions(i64::try_from(count).unwrap_or_default()));
        let counts = plural(count, "partition");
        let holds = legal.contains(&partition);
        let verdict = if holds { Verdict::Holds } else { Verdict::Breaks };
        let mut finding = Finding::new(&START_PARTITION, fact, verdict);
        finding.value = Some(partition);
        finding.arithmetic = if holds {
            format!("{derivation}{counts} may start at {list}; {partition} is legal")
        } else {
            format!("{derivation}{counts} ({}) may start only at {list}, not at {partition}", class_of(count))
        };
        if !holds {
            nearest(&mut finding, partition, &legal);
        }
        finding.legal_values = legal;
        if !holds {
            finding.note = start.note.to_string();
        }
        self.every_target(finding);
        if start.counted {
            return;
        }
        self.each_target(|target| {
            let limit = partitions_of(start.space, target)?;
            let sum = partition.checked_add(count)?;
            if sum <= limit {
                return None;
            }
            let mut finding = Finding::new(&PARTITION_COUNT, fact, Verdict::Breaks);
            finding.value = Some(sum);
            finding.limit = Some(limit);
            finding.over_by = sum.checked_sub(limit);
            finding.nearest_legal = limit.checked_sub(partition);
            finding.arithmetic = format!("{partition} + {count} = {sum} > {limit}");
            finding.advice = finding.nearest_legal.map_or(String::new(), |nearest| {
                format!("{} from partition {partition}", plural(nearest, "partition"))
            });
            Some(finding)
        });
    }

    fn start_without_count(&mut self, start: &Start<'_>) {
        let partition = start.partition;
        let (verdict, text) = match partition {
            0 => (Verdict::Holds, "any number of partitions may start at 0"),
            64 => (Verdict::CannotTell, "1 to 64 partitions may start at 64, more may not"),
            32 | 96 => (Verdict::CannotTell, "1 to 32 partitions may start here, more may not"),
            _ => (Verdict::Breaks, "no number of partitions may start here: only multiples of 32 are legal"),
        };
        let mut finding = Finding::new(&START_PARTITION, start.fact, verdict);
        finding.value = Some(partition);
        finding.arithmetic = format!("{}start {partition}: {text}", start.derivation);
        finding.legal_values = Vec::from([0, 32, 64, 96]);
        finding.note = start.note.to_string();
        if verdict == Verdict::Breaks {
            let legal = finding.legal_values.clone();
            nearest(&mut finding, partition, &legal);
        } else if verdict == Verdict::CannotTell {
            finding.add_note("the number of partitions would decide");
        }
        self.every_target(finding);
    }
}

/// Fills in the nearest of the legal starts; the lower one of two that are as near.
fn nearest(finding: &mut Finding, partition: i128, legal: &[i128]) {
    let by_distance = legal
        .iter()
        .map(|&start| (start.abs_diff(partition), start))
        .min_by_key(|&(distance, start)| (distance, start));
    let Some((distance, start)) = by_distance else {
        return;
    };
    finding.nearest_legal = Some(start);
    finding.over_by = i128::try_from(distance).ok();
    let direction = if start > partition { "above" } else { "below" };
    finding.advice = format!("start partition {start} ({distance} {direction})");
}

fn legal_starts(count: i128) -> Vec<i128> {
    legal_start_partitions(i64::try_from(count).unwrap_or_default()).iter().map(|&start| start.into()).collect()
}

const fn class_of(count: i128) -> &'static str {
    match count {
        1..=32 => "1..32",
        33..=64 => "33..64",
        _ => "65..128",
    }
}

/// The only item, if there is exactly one.
fn only<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    let first = items.next()?;
    items.next().is_none().then_some(first)
}
