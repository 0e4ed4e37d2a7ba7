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
use super::classes::{Class, every_start, legal_starts, most_from, rule_in_words};
use super::table::{PARTITION_COUNT, START_PARTITION};
use super::{Judge, partitions_of};
use crate::geometry::{PARTITIONS, QUADRANT_PARTITIONS, legal_start_partitions};

/// How many facts before and behind a start are looked at for another start on its line.
const NEARBY: usize = 8;

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
    pub(super) fn start_alone(&mut self, fact: usize, number: Number, space: Option<Space>, message: &[Fact]) {
        let space = space.unwrap_or(Space::Sbuf);
        self.start_outside(fact, number, space);
        let Some(partition) = number.exact().filter(|&partition| partition >= 0) else {
            return;
        };
        let count_in = |facts: &mut dyn Iterator<Item = &Fact>| {
            only(facts.filter_map(|fact| match &fact.kind {
                FactKind::PartitionCount { count, .. } => count.exact(),
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
            (None, Some(allowed)) => self.start_against_message(fact, partition, space, allowed),
            _ => self.start(&Start { fact, partition, count, derivation: "", space, note: "", counted: false }),
        }
    }

    /// A start partition of which the text gives no number.
    pub(super) fn start_unknown(&mut self, fact: usize, text: &str, is_name: bool, denied: bool) {
        let line = self.facts.get(fact).map(|fact| fact.line);
        // Of several starts on the line, one that is no multiple is the one that the line means.
        let culprit = |other: &Fact| {
            Some(other.line) == line
                && matches!(other.kind, FactKind::StartPartition { value: StartValue::Number(Number::Exact(start)), .. }
                    if !every_start().contains(&start))
        };
        let broken = denied && !self.facts.iter().skip(fact.saturating_sub(NEARBY)).take(2 * NEARBY).any(culprit);
        let verdict = if broken { Verdict::Breaks } else { Verdict::CannotTell };
        let mut finding = Finding::new(&START_PARTITION, fact, verdict);
        finding.legal_values = every_start();
        let rule = format!("a start partition must be a multiple of {QUADRANT_PARTITIONS}");
        let what = if is_name { "is a name, not a number (a loop variable, for one)" } else { "is computed" };
        if broken {
            finding.arithmetic = format!("{rule}, which the text denies; `{text}` {what}");
            let starts = legal_start_partitions(1);
            finding.advice = format!("{}, known when the kernel is compiled", or_list(starts));
        } else {
            finding.note = format!("{rule}; `{text}` {what}, and the values that it takes would decide");
        }
        self.every_target(finding);
    }

    fn start_outside(&mut self, fact: usize, number: Number, space: Space) {
        self.each_target(|chip| {
            let partitions = partitions_of(space, chip)?;
            if number.is_negative() {
                return Some(below(&START_PARTITION, fact, number, 0, "start partition"));
            }
            let last = partitions.saturating_sub(1);
            if !number.exceeds(last) {
                return None;
            }
            let mut finding = above(&START_PARTITION, fact, number, last, "start partition");
            finding.nearest_legal = every_start().into_iter().rfind(|start| start <= &last);
            if let Some(start) = finding.nearest_legal {
                let most = most_from(start).map_or(0, i128::from).min(partitions.saturating_sub(start));
                finding.advice = format!("{start} for at most {}", plural(most, "partition"));
            }
            Some(finding)
        });
    }

    /// Adds a finding for the generations whose memory has the partition; the others have one already.
    fn where_it_exists(&mut self, space: Space, partition: i128, finding: &Finding) {
        self.each_target(|chip| {
            partitions_of(space, chip).filter(|&partitions| partition < partitions).map(|_| finding.clone())
        });
    }

    /// The message lists starts but no number of partitions.
    fn start_against_message(&mut self, fact: usize, partition: i128, space: Space, allowed: &[Number]) {
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
        finding.note = match Class::with_starts(&finding.legal_values) {
            Some(class) => format!("this is the list for {} to {} partitions", class.fewest, class.most),
            None => format!("the message's list is none that is known: {}", rule_in_words()),
        };
        self.where_it_exists(space, partition, &finding);
    }

    /// The message lists the starts that it allows, and not the one that it met.
    pub(super) fn allowed_starts_alone(&mut self, fact: usize, allowed: &[Number], message: &[Fact]) {
        let met = message
            .iter()
            .any(|fact| matches!(fact.kind, FactKind::StartPartition { .. } | FactKind::AccessPattern { .. }));
        if met {
            return self.used.push(fact);
        }
        let mut finding = Finding::new(&START_PARTITION, fact, Verdict::CannotTell);
        finding.legal_values = allowed.iter().filter_map(|start| start.exact()).collect();
        finding.note = "the start partition and the number of partitions of the access would decide".to_string();
        self.every_target(finding);
    }

    /// A location says where memory lies, not how it is accessed; still a start inside a quadrant is worth a word.
    pub(super) fn start_of_location(&mut self, fact: usize, space: Space, first: i128, count: i128) {
        let legal = legal_starts(count);
        if first == 0 || legal.is_empty() || legal.contains(&first) || !(0..i128::from(PARTITIONS)).contains(&first) {
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
            self.each_target(|chip| {
                let limit = partitions_of(start.space, chip)?;
                let count = Number::Exact(count);
                Some(if count.falls_below(1) {
                    below(&PARTITION_COUNT, fact, count, 1, "number of partitions")
                } else {
                    above(&PARTITION_COUNT, fact, count, limit, "number of partitions")
                })
            });
            return;
        }
        let Some(class) = Class::of(count) else { return };
        let list = or_list(class.starts);
        let counts = plural(count, "partition");
        let holds = legal.contains(&partition);
        let verdict = if holds { Verdict::Holds } else { Verdict::Breaks };
        let mut finding = Finding::new(&START_PARTITION, fact, verdict);
        finding.value = Some(partition);
        finding.arithmetic = if holds {
            format!("{derivation}{counts} may start at {list}; {partition} is legal")
        } else {
            format!(
                "{derivation}{counts} ({}..{}) may start only at {list}, not at {partition}",
                class.fewest, class.most
            )
        };
        if !holds {
            nearest(&mut finding, partition, &legal);
        }
        finding.legal_values = legal;
        if !holds {
            finding.note = start.note.to_string();
        }
        self.where_it_exists(start.space, partition, &finding);
        if start.counted {
            return;
        }
        self.each_target(|chip| {
            let limit = partitions_of(start.space, chip)?;
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
        let (verdict, text) = match most_from(partition) {
            Some(PARTITIONS) => (Verdict::Holds, format!("any number of partitions may start at {partition}")),
            Some(most) => {
                (Verdict::CannotTell, format!("1 to {most} partitions may start at {partition}, more may not"))
            }
            None => (
                Verdict::Breaks,
                format!("no number of partitions may start here: only multiples of {QUADRANT_PARTITIONS} are legal"),
            ),
        };
        let mut finding = Finding::new(&START_PARTITION, start.fact, verdict);
        finding.value = Some(partition);
        finding.arithmetic = format!("{}start {partition}: {text}", start.derivation);
        finding.legal_values = every_start();
        finding.note = start.note.to_string();
        if verdict == Verdict::Breaks {
            let legal = finding.legal_values.clone();
            nearest(&mut finding, partition, &legal);
        } else if verdict == Verdict::CannotTell {
            finding.add_note("the number of partitions would decide");
        }
        self.where_it_exists(start.space, partition, &finding);
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

/// The only item, if there is exactly one.
fn only<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    let first = items.next()?;
    items.next().is_none().then_some(first)
}
