//! Findings for people, for programs and for code hosts.

use serde_json::{Value, json};
use trnwire::explain::{Line, Role};

use crate::rule::{End, Finding, Rule, Severity};

/// A line of text with a role that says how it is coloured.
#[must_use]
pub fn line(role: Role, text: impl Into<String>) -> Line {
    Line { role, text: text.into() }
}

/// How findings of this severity are coloured.
const fn role(severity: Severity) -> Role {
    match severity {
        Severity::Error => Role::Bad,
        Severity::Warning => Role::Warning,
        Severity::Note => Role::Plain,
    }
}

/// Findings as text, the worst first; a line each, the parties below it.
#[must_use]
pub fn lines(findings: &[Finding]) -> Vec<Line> {
    let mut sorted: Vec<&Finding> = findings.iter().collect();
    sorted.sort_by_key(|finding| core::cmp::Reverse(finding.rule.severity));
    let mut lines = Vec::new();
    for finding in sorted {
        let Rule { id, severity, .. } = finding.rule;
        let place = if finding.place.is_empty() { String::new() } else { format!("{}: ", finding.place) };
        lines.push(line(role(*severity), format!("{severity}: {place}{} [{id}]", finding.message)));
        lines.extend(finding.ends.iter().map(|end| line(Role::Plain, format!("  {end}"))));
    }
    lines
}

/// Findings as JSON, in their order.
#[must_use]
pub fn findings_json(findings: &[Finding]) -> Value {
    let finding = |finding: &Finding| {
        json!({
            "id": finding.rule.id,
            "severity": finding.rule.severity.name(),
            "place": finding.place,
            "message": finding.message,
            "ends": finding.ends.iter().map(end).collect::<Vec<_>>(),
        })
    };
    Value::Array(findings.iter().map(finding).collect())
}

fn end(end: &End) -> Value {
    json!({
        "rank": end.rank,
        "instance": end.instance,
        "device": end.device,
        "top_sp": end.top_sp,
        "channel": end.channel,
        "field": end.field,
        "raw": end.raw,
        "decoded": end.decoded,
    })
}

/// A rule as JSON.
#[must_use]
pub fn rule_json(rule: &Rule) -> Value {
    json!({
        "trnwire": trnwire_json::VERSION,
        "id": rule.id,
        "severity": rule.severity.name(),
        "says": rule.says,
        "why": rule.why,
        "change": rule.change,
        "confidence": rule.basis.name(),
        "source": rule.source,
    })
}

/// What a rule means, for people.
#[must_use]
pub fn rule_lines(rule: &Rule) -> Vec<Line> {
    let Rule { id, severity, says, why, change, basis, source } = rule;
    vec![
        line(Role::Title, format!("{id}  {says}")),
        line(role(*severity), format!("severity: {severity}")),
        line(Role::Plain, format!("why:      {why}")),
        line(Role::Plain, format!("change:   {change}")),
        line(Role::Plain, format!("source:   {source} ({basis})")),
    ]
}

/// Findings in the Static Analysis Results Interchange Format, 2.1.0. `artifact` is the input.
#[must_use]
pub fn sarif(findings: &[Finding], artifact: &str) -> Value {
    let mut rules: Vec<&Rule> = Vec::new();
    let mut results = Vec::new();
    for finding in findings {
        let rule = finding.rule;
        let index = rules.iter().position(|known| known.id == rule.id).unwrap_or_else(|| {
            rules.push(rule);
            rules.len().saturating_sub(1)
        });
        let logical = finding.ends.iter().map(|end| json!({ "fullyQualifiedName": end.to_string() }));
        let place = json!({ "fullyQualifiedName": finding.place });
        let logical: Vec<Value> = [place].into_iter().filter(|_| !finding.place.is_empty()).chain(logical).collect();
        results.push(json!({
            "ruleId": rule.id,
            "ruleIndex": index,
            "level": rule.severity.name(),
            "message": { "text": finding.message },
            "locations": [{
                "physicalLocation": { "artifactLocation": { "uri": uri(artifact) } },
                "logicalLocations": logical,
            }],
        }));
    }
    let rule = |rule: &&Rule| {
        json!({
            "id": rule.id,
            "shortDescription": { "text": rule.says },
            "fullDescription": { "text": rule.why },
            "help": { "text": format!("{} Source: {} ({}).", rule.change, rule.source, rule.basis) },
            "defaultConfiguration": { "level": rule.severity.name() },
        })
    };
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "trnwire",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules.iter().map(rule).collect::<Vec<_>>(),
            } },
            "results": results,
        }],
    })
}

/// A path as a relative reference: everything but unreserved characters and slashes is escaped.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => uri.push(char::from(byte)),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::rules::{PART, UNKNOWN};

    fn findings() -> Vec<Finding> {
        let mut second = Finding::new(&UNKNOWN, "", "no platform");
        second.ends.push(End {
            rank: Some(3),
            channel: Some(0),
            field: "fold_n".to_owned(),
            raw: "9".to_owned(),
            ..End::default()
        });
        vec![Finding::new(&PART, "a b", "4 of 16"), second, Finding::new(&PART, "", "again")]
    }

    #[test]
    fn the_worst_comes_first_and_ties_keep_their_order() {
        let text: Vec<String> = lines(&findings()).into_iter().map(|line| line.text).collect();
        assert_eq!(
            text,
            [
                "warning: no platform [TOPO-UNKNOWN]",
                "  rank 3 (channel 0): fold_n = 9",
                "note: a b: 4 of 16 [TOPO-PART]",
                "note: again [TOPO-PART]",
            ]
        );
    }

    #[test]
    fn sarif_names_each_rule_once() {
        let document = sarif(&findings(), "dir/my file");
        let run = &document["runs"][0];
        assert_eq!(run["tool"]["driver"]["rules"].as_array().unwrap().len(), 2);
        let indices: Vec<_> = run["results"].as_array().unwrap().iter().map(|result| &result["ruleIndex"]).collect();
        assert_eq!(indices, [0, 1, 0]);
        assert_eq!(run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "dir/my%20file");
    }
}
