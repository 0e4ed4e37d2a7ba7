//! A report as plain text, for a terminal at any hour.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cmp::Reverse;

use super::chip::Chip;
use super::fact::Fact;
use super::finding::{Finding, Verdict};
use super::words::{plural, target_list};
use super::{MAX_FACTS, Report, WHAT_IT_LOOKS_FOR};

/// How many facts are shown with their findings.
const MOST_SHOWN: usize = 100;

pub(super) fn report(report: &Report) -> String {
    if report.facts.is_empty() {
        return looked_for();
    }
    let mut text = answer(report);
    text.push('\n');
    let groups = subjects(report);
    // A violation far down in a long log is worth more than what is in order above it.
    let crowded = groups.len() > MOST_SHOWN;
    let mut shown: usize = 0;
    let mut left_out: usize = 0;
    for (fact, group) in groups {
        let broken = group.iter().any(|finding| finding.verdict == Verdict::Breaks);
        if shown >= MOST_SHOWN || (crowded && !broken) {
            left_out = left_out.saturating_add(1);
            continue;
        }
        shown = shown.saturating_add(1);
        text.push('\n');
        subject(&mut text, report, fact, group);
    }
    if left_out > 0 {
        text.push_str(&format!("\n{} not shown\n", plural(left_out, "further subject")));
    }
    text
}

/// Facts with the findings about each, and those that no rule was held against, in the order of the text.
fn subjects(report: &Report) -> Vec<(&Fact, &[Finding])> {
    let mut groups = report.findings.chunk_by(|left, right| left.fact == right.fact).peekable();
    let mut subjects: Vec<(&Fact, &[Finding])> = Vec::new();
    for (index, fact) in report.facts.iter().enumerate() {
        let own = groups.next_if(|group| group.first().is_some_and(|finding| finding.fact == index));
        match own {
            Some(group) => subjects.push((fact, group)),
            None if !fact.judged => subjects.push((fact, &[])),
            None => {}
        }
    }
    subjects
}

/// The answer in one sentence, or one for each broken rule if there are a few.
fn answer(report: &Report) -> String {
    let verdict = verdict(report);
    if report.is_complete() {
        return verdict;
    }
    format!(
        "Incomplete: {} not judged, as the text holds more than the {MAX_FACTS} different ones that are kept. \
         Of the others:\n{verdict}",
        plural(report.facts_dropped, "further fact")
    )
}

fn verdict(report: &Report) -> String {
    let of = |verdict: Verdict| report.findings.iter().filter(move |finding| finding.verdict == verdict);
    let broken: Vec<&Finding> = of(Verdict::Breaks).collect();
    if !broken.is_empty() {
        return violations(report, broken);
    }
    if let Some(finding) = of(Verdict::NotAnAddressFault).next() {
        return format!("Not an address fault ({}): {}", finding.rule_name, finding.note);
    }
    if let Some(finding) = of(Verdict::CannotTell).next() {
        return format!("Cannot tell from this text ({}): {}", finding.rule_name, reason(finding));
    }
    let mut rules: Vec<String> = Vec::new();
    for finding in of(Verdict::Holds) {
        let rule = if finding.targets == report.targets {
            finding.rule_name.to_string()
        } else {
            format!("{} ({})", finding.rule_name, target_list(&finding.targets))
        };
        if !rules.contains(&rule) {
            rules.push(rule);
        }
    }
    if rules.is_empty() {
        return "Nothing here that a rule can be held against".to_string();
    }
    format!("Nothing here breaks a rule on {}; checked: {}", target_list(&report.targets), rules.join(", "))
}

/// What breaks a limit that the text states comes first, then what is wrong on every generation, then what is wrong on
/// some. Unless the text itself says which limit counts, generations without a violation come before all.
fn violations(report: &Report, mut broken: Vec<&Finding>) -> String {
    const MOST_SENTENCES: usize = 3;
    let rank = |finding: &Finding| (finding.limit_is_stated, finding.targets.len());
    broken.sort_by_key(|finding| Reverse(rank(finding)));
    let highest = broken.first().map_or((false, 0), |finding| rank(finding));
    let mut free: Vec<Chip> = report.targets.iter().copied().filter(|&chip| !report.has_violation_on(chip)).collect();
    if report.breaks_stated_limit() {
        free.clear();
    }
    let mut named: Vec<(usize, &str)> = Vec::new();
    let mut sentences: Vec<String> = Vec::new();
    for finding in broken.iter().filter(|finding| rank(finding) == highest) {
        let about = (finding.fact, finding.rule);
        if sentences.len() < MOST_SENTENCES && !named.contains(&about) {
            named.push(about);
            let verb = if sentences.is_empty() && !free.is_empty() { "breaks" } else { "Breaks" };
            sentences.push(sentence(verb, finding));
        }
    }
    let mut text = String::new();
    if !free.is_empty() {
        let open = report.findings.iter().any(|finding| {
            finding.verdict == Verdict::CannotTell && finding.targets.iter().any(|chip| free.contains(chip))
        });
        text = format!("{} on {}; ", if open { "Cannot tell" } else { "Holds" }, target_list(&free));
    }
    text.push_str(&sentences.join("\n"));
    let more = broken.len().saturating_sub(sentences.len());
    if more > 0 {
        text.push_str(&format!("\n{} below", plural(more, "further violation")));
    }
    text
}

fn sentence(verb: &str, finding: &Finding) -> String {
    let mut text =
        format!("{verb} \"{}\" on {}: {}", finding.rule_name, target_list(&finding.targets), finding.arithmetic);
    text.push_str(&consequence(finding));
    text
}

/// `, over by 756129; nearest legal: 128 partitions`.
fn consequence(finding: &Finding) -> String {
    let mut text = String::new();
    if let (Some(over_by), Some(value), Some(limit)) = (finding.over_by, finding.value, finding.limit) {
        let direction = if value < limit { "under" } else { "over" };
        text.push_str(&format!(", {direction} by {}", over_by.unsigned_abs()));
    }
    if !finding.advice.is_empty() {
        text.push_str(&format!("; nearest legal: {}", finding.advice));
    }
    text
}

fn reason(finding: &Finding) -> String {
    match (finding.arithmetic.is_empty(), finding.note.is_empty()) {
        (true, _) => finding.note.clone(),
        (false, true) => finding.arithmetic.clone(),
        (false, false) => format!("{}; {}", finding.arithmetic, finding.note),
    }
}

fn subject(text: &mut String, report: &Report, fact: &Fact, group: &[Finding]) {
    text.push_str(&format!("line {}: {}\n  {}\n", fact.line, fact.text, fact.describe()));
    if group.is_empty() {
        text.push_str("  no rule to hold it against\n");
    }
    let mut sorted: Vec<&Finding> = group.iter().collect();
    sorted.sort_by_key(|finding| finding.verdict);
    for finding in sorted {
        let word = match finding.verdict {
            Verdict::Breaks => "BREAKS",
            Verdict::CannotTell => "cannot tell",
            Verdict::NotAnAddressFault => "no address fault",
            Verdict::Holds => "holds",
        };
        text.push_str(&format!("  {word}: {}", finding.rule_name));
        if finding.targets != report.targets {
            text.push_str(&format!(", {}", target_list(&finding.targets)));
        }
        text.push('\n');
        if !finding.arithmetic.is_empty() {
            text.push_str(&format!("    {}{}\n", finding.arithmetic, consequence(finding)));
        }
        if !finding.note.is_empty() {
            text.push_str(&format!("    note: {}\n", finding.note));
        }
        if finding.repeats > 0 {
            text.push_str(&format!("    the same {} more\n", plural(finding.repeats, "time")));
        }
    }
}

pub(super) fn looked_for() -> String {
    let mut text = "nothing about on-chip memory was found; looked for:\n".to_string();
    for (kind, example) in WHAT_IT_LOOKS_FOR {
        text.push_str(&format!("  {kind}\n    {example}\n"));
    }
    text
}
