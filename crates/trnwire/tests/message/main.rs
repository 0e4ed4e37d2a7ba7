//! Real messages, other wordings of them, and what must not be taken for a message.

mod access;
mod any_text;
mod recorded;
mod rules;
mod wordings;

use trnwire::message::{Chip, Finding, Report, Verdict, explain};

const CASES: &str = include_str!("../../../../tests/inputs/addr/cases.jsonl");
const GEN1: &[Chip] = &[Chip::Gen1];
const EVERY: &[Chip] = &[];

/// The value of a string member of a JSON object on one line.
fn member(line: &str, name: &str) -> Option<String> {
    let (_, rest) = line.split_once(&format!("\"{name}\": \""))?;
    let mut value = String::new();
    let mut characters = rest.chars();
    loop {
        match characters.next()? {
            '"' => return Some(value),
            '\\' => value.push(match characters.next()? {
                'n' => '\n',
                't' => '\t',
                other => other,
            }),
            other => value.push(other),
        }
    }
}

/// The text of a case of the recorded messages, and the rule that it must name.
fn case(id: &str) -> (String, String) {
    let mut found = CASES
        .lines()
        .filter(|line| member(line, "id").as_deref() == Some(id))
        .filter_map(|line| Some((member(line, "text")?, member(line, "rule")?)));
    found.next().unwrap_or_default()
}

fn of_rule<'a>(report: &'a Report, rule: &str) -> Vec<&'a Finding> {
    report.findings.iter().filter(|finding| finding.rule == rule || finding.rule_name == rule).collect()
}

fn assert_says(text: &str, report: &Report, expected: &[&str]) {
    let rendered = report.render_text();
    for part in expected {
        assert!(rendered.contains(part), "{part:?} is missing for {text:?}:\n{rendered}");
    }
}

/// The findings of a rule that break it, by generation.
fn breaks(text: &str, rule: &str) -> Vec<&'static str> {
    let report = explain(text, EVERY);
    let broken = of_rule(&report, rule).into_iter().filter(|finding| finding.verdict == Verdict::Breaks);
    broken.flat_map(|finding| finding.targets.iter().map(|chip| chip.name()).collect::<Vec<_>>()).collect()
}

const ALL_NAMES: [&str; 4] = ["gen1", "gen2", "gen3", "gen4"];
