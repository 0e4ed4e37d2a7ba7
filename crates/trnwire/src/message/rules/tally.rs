//! Adds up the bytes that operands take and compares sums, totals and limits.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::super::chip::Chip;
use super::super::fact::{Fact, FactKind, Space};
use super::super::finding::{Finding, Verdict};
use super::super::number::Number;
use super::super::words::target_list;
use super::capacity::{Capacity, below, bytes_rule, limit_with_size};
use super::table::MESSAGE_ARITHMETIC;
use super::{Judge, partition_bytes};
use crate::geometry::PARTITIONS;

/// How many operands a sum spells out.
const MOST_SPELLED_OUT: usize = 12;

/// Operands, and the sum and the limit behind them.
#[derive(Default)]
struct Tally {
    /// Bytes per partition and memory of each operand.
    operands: Vec<(usize, Number, Option<Space>)>,
    sum: Option<(usize, Number)>,
    limit: Option<(usize, Number, Option<Space>)>,
    /// Whether the limit stood in front of the operands.
    limit_first: bool,
}

impl Judge<'_> {
    pub(super) fn tallies(&mut self, first: usize, message: &[Fact]) {
        let mut tally = Tally::default();
        for (index, fact) in (first..).zip(message) {
            match fact.kind {
                FactKind::OperandBytes { per_partition, total, space } => {
                    // A limit may stand in front of its operands.
                    let complete = tally.limit.is_some() && !tally.limit_first;
                    if tally.sum.is_some() || complete {
                        self.tally(&tally);
                        tally = Tally::default();
                    }
                    if let Some(total) = total {
                        self.total_of_operand(index, per_partition, total);
                    }
                    if per_partition.is_negative() {
                        self.every_target(below(
                            bytes_rule(space.unwrap_or(Space::Sbuf)),
                            index,
                            per_partition,
                            0,
                            "size",
                        ));
                        continue;
                    }
                    tally.operands.push((index, per_partition, space));
                }
                FactKind::StatedSum(sum) => {
                    if tally.sum.is_some() {
                        self.tally(&tally);
                        tally = Tally::default();
                    }
                    tally.sum = Some((index, sum));
                }
                FactKind::StatedLimit { bytes, space } => {
                    if tally.limit.is_some() {
                        self.tally(&tally);
                        tally = Tally::default();
                    }
                    tally.limit_first = tally.operands.is_empty() && tally.sum.is_none();
                    tally.limit = Some((index, bytes, space));
                }
                _ => {}
            }
        }
        self.tally(&tally);
    }

    /// A total is a number of partitions times the bytes in each.
    fn total_of_operand(&mut self, fact: usize, per_partition: Number, total: Number) {
        let (Some(bytes), Some(total)) = (per_partition.exact(), total.exact()) else {
            return;
        };
        if bytes < 1 || total < 0 {
            return;
        }
        let partitions = total.checked_div(bytes).unwrap_or(0);
        let agrees = total.checked_rem(bytes) == Some(0) && (1..=i128::from(PARTITIONS)).contains(&partitions);
        let verdict = if agrees { Verdict::Holds } else { Verdict::Breaks };
        let mut finding = Finding::new(&MESSAGE_ARITHMETIC, fact, verdict);
        finding.value = Some(total);
        if agrees {
            finding.arithmetic = format!("{bytes} x {partitions} = {total}: the total agrees");
        } else {
            finding.arithmetic = format!(
                "the text says {total} bytes in total, which is {bytes} times no number of partitions up to {PARTITIONS}"
            );
        }
        self.every_target(finding);
    }

    fn tally(&mut self, tally: &Tally) {
        if !tally.operands.is_empty() || tally.limit.is_some() {
            self.used.extend(tally.operands.iter().map(|&(fact, ..)| fact));
            self.used.extend(tally.sum.map(|(fact, _)| fact));
            self.used.extend(tally.limit.map(|(fact, ..)| fact));
        }
        let operands = tally.operands.iter().fold(Number::Exact(0), |sum, &(_, bytes, _)| sum.plus(bytes));
        let spelled_out = spell_out(tally, operands);
        if let (Some((fact, stated)), false) = (tally.sum, tally.operands.is_empty()) {
            let agrees = stated == operands;
            let verdict = if agrees { Verdict::Holds } else { Verdict::Breaks };
            let mut finding = Finding::new(&MESSAGE_ARITHMETIC, fact, verdict);
            finding.value = stated.exact();
            if agrees {
                finding.arithmetic = format!("{spelled_out}: the stated sum agrees");
            } else {
                finding.limit = operands.exact();
                finding.nearest_legal = operands.exact();
                finding.over_by =
                    stated.exact().zip(operands.exact()).and_then(|(stated, sum)| stated.checked_sub(sum));
                finding.arithmetic = format!("{spelled_out}, but the text says {stated}");
            }
            self.every_target(finding);
        }
        let memories = [Space::Sbuf, Space::Psum];
        for space in memories {
            let of_space = |named: Option<Space>| named.unwrap_or(default_space(tally)) == space;
            let mine: Vec<_> = tally.operands.iter().copied().filter(|&(_, _, named)| of_space(named)).collect();
            let all_mine = mine.len() == tally.operands.len();
            let part = Tally {
                operands: mine,
                sum: tally.sum.filter(|_| all_mine && of_space(None)),
                limit: tally.limit.filter(|&(_, _, named)| of_space(named)),
                limit_first: tally.limit_first,
            };
            self.compare(&part, space);
        }
    }

    fn compare(&mut self, tally: &Tally, space: Space) {
        let operands = tally.operands.iter().fold(Number::Exact(0), |sum, &(_, bytes, _)| sum.plus(bytes));
        let last_operand = tally.operands.last().map(|&(index, _, _)| index);
        let (fact, sum, arithmetic) = match (tally.sum, last_operand) {
            (Some((fact, stated)), Some(_)) if stated == operands => (fact, stated, spell_out(tally, operands)),
            (Some((fact, stated)), _) => (fact, stated, stated.to_string()),
            (None, Some(fact)) => (fact, operands, spell_out(tally, operands)),
            (None, None) => {
                if let Some((fact, limit, _)) = tally.limit {
                    self.limit_alone(fact, limit, space);
                }
                return;
            }
        };
        let mut capacity =
            Capacity { rule: bytes_rule(space), fact, sum, arithmetic: &arithmetic, fits: "the bytes fit" };
        let stated_limit = tally.limit.and_then(|(index, limit, _)| Some((index, limit.exact()?)));
        if let Some((limit_fact, limit)) = stated_limit {
            capacity.fact = limit_fact;
            self.against_stated_limit(&capacity, limit, space);
        }
        let stated = stated_limit.map(|(_, limit)| limit);
        self.capacity(
            &capacity,
            |chip| partition_bytes(space, chip).filter(|&limit| Some(limit) != stated),
            |finding, _, _| finding.advice.push_str(" in all"),
        );
    }

    fn against_stated_limit(&mut self, capacity: &Capacity<'_>, limit: i128, space: Space) {
        let (matching, note) = whose_limit(limit, space);
        let broken = capacity.sum.exceeds(limit);
        let verdict = if broken { Verdict::Breaks } else { Verdict::Holds };
        let mut finding = Finding::new(capacity.rule, capacity.fact, verdict);
        finding.value = capacity.sum.exact();
        finding.limit = Some(limit);
        finding.limit_is_stated = true;
        let asked: Vec<Chip> = self.targets.iter().copied().filter(|chip| matching.contains(chip)).collect();
        let mut shown = limit_with_size(limit, &matching);
        if asked.is_empty() {
            let others = target_list(self.targets);
            shown = if matching.is_empty() {
                format!("{limit} (the message's own limit)")
            } else {
                format!("{shown}, the message's own limit, which is not that of {others}")
            };
        }
        if broken {
            finding.over_by = finding.value.and_then(|value| value.checked_sub(limit));
            finding.nearest_legal = Some(limit);
            finding.advice = format!("{limit} bytes in all");
            finding.arithmetic = format!("{} > {shown}", capacity.arithmetic);
        } else {
            finding.arithmetic = format!("{} <= {shown}: the bytes fit", capacity.arithmetic);
        }
        finding.note = note;
        if asked.is_empty() {
            self.every_target(finding);
        } else {
            finding.targets = asked;
            self.findings.push(finding);
        }
    }

    fn limit_alone(&mut self, fact: usize, limit: Number, space: Space) {
        let mut finding = Finding::new(bytes_rule(space), fact, Verdict::CannotTell);
        finding.value = limit.exact();
        finding.note = match limit.exact() {
            Some(limit) => whose_limit(limit, space).1,
            None => format!("the stated limit is a {limit}"),
        };
        finding.add_note("the bytes that the operands take would decide");
        self.every_target(finding);
    }
}

/// Memory of operands that do not name one: that of the limit, else that of the others, else SBUF.
fn default_space(tally: &Tally) -> Space {
    tally
        .limit
        .and_then(|(_, _, space)| space)
        .or_else(|| tally.operands.iter().find_map(|&(_, _, space)| space))
        .unwrap_or(Space::Sbuf)
}

fn spell_out(tally: &Tally, sum: Number) -> String {
    let mut text = String::new();
    for (index, (_, bytes, _)) in tally.operands.iter().enumerate() {
        if index >= MOST_SPELLED_OUT {
            text.push_str(&format!(" + ... ({} operands)", tally.operands.len()));
            break;
        }
        if index > 0 {
            text.push_str(" + ");
        }
        text.push_str(&bytes.to_string());
    }
    match tally.operands.len() {
        0 | 1 => sum.to_string(),
        _ => format!("{text} = {sum}"),
    }
}

/// The generations that have this limit, and a sentence about it.
fn whose_limit(limit: i128, space: Space) -> (Vec<Chip>, String) {
    let having = |bytes_of: &dyn Fn(Chip) -> Option<i128>| -> Vec<Chip> {
        Chip::ALL.into_iter().filter(|&chip| bytes_of(chip) == Some(limit)).collect()
    };
    let exact = having(&|chip| partition_bytes(space, chip));
    if !exact.is_empty() {
        let note = format!("the message's limit {limit} is the {space} partition of {}", target_list(&exact));
        return (exact, note);
    }
    let reduced = having(&|chip| {
        let reserved = i128::from(chip.geometry().sbuf_compiler_reserved);
        partition_bytes(space, chip)?.checked_sub(reserved)
    });
    if space == Space::Sbuf && !reduced.is_empty() {
        let note = format!(
            "the message's limit {limit} is the SBUF partition of {} less what the compiler keeps for itself",
            target_list(&reduced)
        );
        return (reduced, note);
    }
    (Vec::new(), format!("the message's limit {limit} is the {space} partition of no generation that is known"))
}
