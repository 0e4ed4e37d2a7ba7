//! What ids mean: those of rules, and those of statements about platforms.

use serde_json::{Value, json};
use trnwire::explain::{Line, Role};

use crate::lint;
use crate::preflight;
use crate::report::{line, rule_json, rule_lines};
use crate::rule::Rule;
use crate::snapshot;
use crate::topology;
use crate::topology::facts::{Facts, PlatformRule};

/// What an id means.
#[derive(Clone, Debug)]
pub struct Topic {
    /// The id.
    pub id: String,
    /// For people.
    pub lines: Vec<Line>,
    /// For programs.
    pub document: Value,
}

/// Every rule of this crate.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    [topology::rules::ALL, preflight::rules::ALL, snapshot::rules::ALL, lint::rules::ALL].into_iter().flatten().copied()
}

/// Every id, each once.
#[must_use]
pub fn ids() -> Vec<&'static str> {
    let mut ids: Vec<&str> = rules().map(|rule| rule.id).collect();
    for rule in platform_rules().map(|(_, rule)| rule) {
        if !ids.contains(&rule.id.as_str()) {
            ids.push(&rule.id);
        }
    }
    ids
}

fn platform_rules() -> impl Iterator<Item = (&'static str, &'static PlatformRule)> {
    let of = |platform: &'static topology::Platform| {
        platform.rules.iter().chain(&platform.multi_instance).map(|rule| (platform.name.as_str(), rule))
    };
    Facts::get().platforms.iter().flat_map(of)
}

/// What an id means, in any case of its letters.
#[must_use]
pub fn topic(id: &str) -> Option<Topic> {
    let is_asked = |other: &str| other.eq_ignore_ascii_case(id);
    if let Some(rule) = rules().find(|rule| is_asked(rule.id)) {
        return Some(Topic { id: rule.id.to_owned(), lines: rule_lines(rule), document: rule_json(rule) });
    }
    let all: Vec<_> = platform_rules().filter(|(_, rule)| is_asked(&rule.id)).collect();
    let (_, first) = *all.first()?;
    let mut lines = vec![line(Role::Title, format!("{}  a statement about platforms", first.id))];
    let mut statements = Vec::new();
    // Sizes of one family say nearly the same: each wording once, with the platforms that it is about.
    let mut wordings: Vec<(&PlatformRule, Vec<&str>)> = Vec::new();
    for (platform, rule) in all {
        match wordings.iter_mut().find(|(known, _)| known.says == rule.says && known.detail == rule.detail) {
            Some((_, platforms)) => platforms.push(platform),
            None => wordings.push((rule, vec![platform])),
        }
    }
    for (rule, platforms) in &wordings {
        lines.push(line(Role::Plain, format!("{}: {}", platforms.join(", "), rule.says)));
        let detail = if rule.detail.is_empty() { String::new() } else { format!("; {}", rule.detail) };
        let sources: Vec<&str> = rule.source.iter().map(|name| source(name)).collect();
        let sources = if sources.is_empty() { "none".to_owned() } else { sources.join("; ") };
        lines.push(line(Role::Plain, format!("  confidence: {}{detail}", rule.confidence)));
        lines.push(line(Role::Plain, format!("  source:     {sources}")));
        statements.push(json!({
            "platforms": platforms,
            "says": rule.says,
            "confidence": rule.confidence.name(),
            "detail": rule.detail,
            "sources": rule.source.iter().map(|name| source(name)).collect::<Vec<_>>(),
        }));
    }
    let document = json!({ "trnwire": trnwire_json::VERSION, "id": first.id, "statements": statements });
    Some(Topic { id: first.id.clone(), lines, document })
}

/// What the short name of a source stands for.
fn source(name: &str) -> &str {
    Facts::get().sources.get(name).map_or(name, String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_is_there_once_and_can_be_explained() {
        let ids = ids();
        for (index, id) in ids.iter().enumerate() {
            assert!(!ids[..index].contains(id), "{id}");
            assert_eq!(topic(&id.to_lowercase()).unwrap().id, *id);
        }
        assert!(ids.contains(&"TRN1-2XL-ONE") && ids.contains(&"US-FLIP"));
        assert!(topic("no such id").is_none());
    }

    #[test]
    fn rules_say_all_that_there_is_to_say() {
        for rule in rules() {
            for text in [rule.says, rule.why, rule.change] {
                assert!(text.ends_with('.') && text.len() > 6, "{}: {text}", rule.id);
            }
            assert!(!rule.source.is_empty(), "{}", rule.id);
        }
    }
}
