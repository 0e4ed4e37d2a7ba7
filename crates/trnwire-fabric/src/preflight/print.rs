//! The report for people and for programs.

use serde_json::{Value, json};
use trnwire::explain::{Line, Role};

use super::{Job, Report, Verdict};
use crate::report::{findings_json, line, lines};
use crate::rule::Severity;
use crate::topology::Topology;

impl Report {
    /// For people: the verdict, the reason for each group, then what was found and what could not be checked.
    #[must_use]
    pub fn lines(&self, job: &Job<'_>) -> Vec<Line> {
        let mut text = vec![line(role(self.verdict), self.headline())];
        for judged in &self.judged {
            let rule = if judged.rule.is_empty() { String::new() } else { format!(" [{}]", judged.rule) };
            text.push(line(
                role(judged.verdict),
                format!("{}: {}: {}{rule}", judged.verdict.name(), judged.what, judged.why),
            ));
            if !judged.nearest.is_empty() {
                let nearest: Vec<String> = judged.nearest.iter().map(u32::to_string).collect();
                text.push(line(Role::Plain, format!("  nearest listed: {} cores", nearest.join(" and "))));
            }
            if !judged.instead.is_empty() {
                text.push(line(Role::Plain, format!("  legal instead: {}", judged.instead)));
            }
        }
        text.extend(self.known.iter().map(|known| line(Role::Plain, known.clone())));
        for op in job.ops.iter().filter(|op| !op.mode.is_empty()) {
            text.push(line(Role::Plain, format!("{}: ids are {}", op.name, op.mode)));
        }
        // What was judged above is not said again.
        let said = |place: &str| self.judged.iter().any(|judged| judged.what == place);
        let others: Vec<_> = self.findings.iter().filter(|finding| !said(&finding.place)).cloned().collect();
        text.extend(lines(&others));
        if let Some(load) = &self.load {
            text.push(line(Role::Plain, ""));
            text.extend(load.lines(job.topology));
        }
        if !self.not_checked.is_empty() {
            text.push(line(Role::Plain, ""));
        }
        for missing in &self.not_checked {
            text.push(line(Role::Plain, format!("not checked: {} (needs {})", missing.what, missing.needs)));
        }
        text
    }

    fn headline(&self) -> String {
        let errors = self.findings.iter().filter(|finding| finding.rule.severity == Severity::Error).count();
        match self.verdict {
            Verdict::Illegal => format!("ILLEGAL: {errors} reason{}", if errors == 1 { "" } else { "s" }),
            Verdict::Unknown if self.judged.is_empty() => "NOTHING TO JUDGE".to_owned(),
            Verdict::Unknown => "UNKNOWN: no rule refuses it, and no source lists all of it".to_owned(),
            Verdict::Legal => "LEGAL".to_owned(),
        }
    }

    /// For programs.
    #[must_use]
    pub fn json(&self, topology: &Topology) -> Value {
        let judged = self.judged.iter().map(|judged| {
            json!({
                "what": judged.what,
                "verdict": judged.verdict.name(),
                "why": judged.why,
                "rule": judged.rule,
                "nearest": judged.nearest,
                "instead": judged.instead,
            })
        });
        let missing = self.not_checked.iter().map(|missing| json!({ "what": missing.what, "needs": missing.needs }));
        json!({
            "trnwire": trnwire_json::VERSION,
            "verdict": self.verdict.name(),
            "judged": judged.collect::<Vec<_>>(),
            "findings": findings_json(&self.findings),
            "known": self.known,
            "not_checked": missing.collect::<Vec<_>>(),
            "load": self.load.as_ref().map(|load| load.json(topology)),
        })
    }
}

const fn role(verdict: Verdict) -> Role {
    match verdict {
        Verdict::Legal => Role::Good,
        Verdict::Unknown => Role::Warning,
        Verdict::Illegal => Role::Bad,
    }
}
