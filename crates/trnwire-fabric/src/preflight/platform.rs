//! What the facts about the platform say about a job and its groups.

use std::collections::BTreeSet;

use super::groups::is_from;
use super::legal::{Members, is_contiguous, listed_counts, nearest};
use super::{Job, Judged, Report, Verdict, rules};
use crate::rule::{Basis, Finding};
use crate::topology::facts::{LegalGroup, Shape};
use crate::topology::{Platform, spans};

pub(super) fn judge(job: &Job<'_>, report: &mut Report) {
    let Some(platform) = job.topology.instances.iter().find_map(|instance| instance.platform()) else {
        return report.not_checked("which groups are legal: the platform is not known", "--platform NAME");
    };
    let judge = Judge { job, platform };
    judge.job(report);
    let mut groups: Vec<(Judged, Vec<String>)> = Vec::new();
    let mut needs_runtime = false;
    for op in &job.ops {
        for (number, group) in op.groups.iter().enumerate() {
            let (judged, depends_on_runtime) = judge.group(group);
            needs_runtime |= depends_on_runtime;
            let name =
                if op.name.is_empty() { format!("group {number}") } else { format!("{} group {number}", op.name) };
            match groups.iter_mut().find(|(known, _)| *known == judged) {
                Some((_, names)) => names.push(name),
                None => groups.push((judged, vec![name])),
            }
        }
    }
    for (judged, names) in groups {
        let what = match names.as_slice() {
            [name] => format!("{name}: {}", judged.what),
            [first, .., last] => format!("{} groups, {first} to {last}: {}", names.len(), judged.what),
            [] => judged.what.clone(),
        };
        if judged.verdict != Verdict::Legal {
            let rule = if judged.verdict == Verdict::Illegal { &rules::LEGAL } else { &rules::UNKNOWN };
            report.findings.push(Finding::new(rule, what.clone(), judged.why.clone()));
        }
        report.judged.push(Judged { what, ..judged });
    }
    if needs_runtime {
        report.not_checked("whether the runtime is new enough for groups of 4 (TRN1-4)", "--runtime VERSION");
    }
    if job.ops.is_empty() && job.cores.is_none() {
        let stated = platform.rules.iter().filter(|rule| rule.confidence == Basis::Stated);
        report.known = stated.map(|rule| format!("{}: {} [{}]", platform.name, rule.says, rule.id)).collect();
        report.not_checked(
            "anything about a job: it is not said how many cores it asks for",
            "--cores COUNT, --groups GROUPS, --pairs PAIRS or --hlo FILE",
        );
    }
}

struct Judge<'a> {
    job: &'a Job<'a>,
    platform: &'a Platform,
}

impl Judge<'_> {
    /// The number of cores that the job asks for.
    fn job(&self, report: &mut Report) {
        let topology = self.job.topology;
        let have = u32::try_from(topology.cores.len()).unwrap_or(u32::MAX);
        // Pairs may well leave most ranks of a job out.
        let members: BTreeSet<u32> = self.job.ops.iter().flat_map(|op| &op.groups).flatten().copied().collect();
        let asked = self.job.cores.or_else(|| u32::try_from(members.len()).ok().filter(|count| *count > 0));
        let instances = u32::try_from(topology.instances.len()).unwrap_or(u32::MAX);
        if let Some(refusal) = self.several_instances(instances) {
            report.findings.push(Finding::new(
                &rules::LEGAL,
                format!("job on {instances} instances"),
                refusal.why.clone(),
            ));
            report.judged.push(refusal);
        }
        let Some(asked) = asked else { return };
        let what = format!("job of {asked} cores");
        let name = &self.platform.name;
        let counts = listed_counts(self.platform, topology.lnc, instances);
        if asked > have {
            let rule = self.platform.rules.iter().find(|rule| rule.id.ends_with("-CORES-HAVE"));
            let legal: Vec<u32> = counts.iter().copied().filter(|count| *count <= have).collect();
            let devices = topology.devices.len();
            let judged = Judged {
                why: format!("{asked} exceeds the {have} logical cores of {devices} devices ({name})"),
                rule: rule.map_or(rules::CORES.id, |rule| rule.id.as_str()).to_owned(),
                verdict: Verdict::Illegal,
                nearest: legal.last().copied().into_iter().collect(),
                instead: format!("listed for {name}: {}", numbers(&legal)),
                what,
            };
            report.findings.push(Finding::new(&rules::CORES, judged.what.clone(), judged.why.clone()));
            report.judged.push(judged);
            return;
        }
        if let Some(rule) = self.platform.rule("TRN1-CORES") {
            let is_legal = matches!(asked, 1 | 2 | 8 | 16) || asked % 32 == 0;
            // The rule's own numbers, and groups of four, which came later.
            let legal = [1, 2, 8, 16].into_iter().chain((1..=have.div_ceil(32)).map(|times| times.saturating_mul(32)));
            let legal: Vec<u32> = legal.collect();
            let judged = Judged {
                verdict: if is_legal { Verdict::Legal } else { Verdict::Illegal },
                why: match is_legal {
                    true => format!("{asked} is one of 1, 2, 8, 16 or a multiple of 32"),
                    false => format!("{asked} is not 1, 2, 8, 16 or a multiple of 32: the runtime refuses the load"),
                },
                rule: rule.id.clone(),
                nearest: if is_legal { Vec::new() } else { nearest(&legal, asked) },
                instead: String::new(),
                what,
            };
            if !is_legal {
                report.findings.push(Finding::new(&rules::LEGAL, judged.what.clone(), judged.why.clone()));
            }
            report.judged.push(judged);
        } else if self.job.ops.is_empty() {
            let is_listed = counts.contains(&asked);
            report.judged.push(Judged {
                verdict: if is_listed { Verdict::Legal } else { Verdict::Unknown },
                why: match is_listed {
                    true => format!(
                        "{asked} cores break no known rule of {name}, and a group of so many is listed for some cores"
                    ),
                    false => {
                        format!("{asked} cores break no known rule of {name}, and no source lists a group of so many")
                    }
                },
                rule: String::new(),
                nearest: if is_listed { Vec::new() } else { nearest(&counts, asked) },
                instead: String::new(),
                what,
            });
        }
    }

    /// Whether the platform can be one of several.
    fn several_instances(&self, instances: u32) -> Option<Judged> {
        let rule = self.platform.multi_instance.as_ref().filter(|_| instances > 1)?;
        let verdict = match (rule.id.as_str(), rule.confidence) {
            ("TRN1-2XL-ONE", _) => Verdict::Illegal,
            (_, Basis::Unknown) => Verdict::Unknown,
            _ => return None,
        };
        let name = &self.platform.name;
        Some(Judged {
            what: format!("job on {instances} instances"),
            verdict,
            why: match verdict {
                Verdict::Illegal => {
                    format!("{name} cannot take part in collectives over several instances: {}", rule.says)
                }
                _ => format!("{}: no source says whether that works", rule.says),
            },
            rule: rule.id.clone(),
            nearest: Vec::new(),
            instead: if verdict == Verdict::Illegal {
                "one instance, or a size with EFA".to_owned()
            } else {
                String::new()
            },
        })
    }

    /// A group, and whether its verdict depends on the version of the runtime.
    fn group(&self, group: &[u32]) -> (Judged, bool) {
        let mut ranks = group.to_vec();
        ranks.sort_unstable();
        ranks.dedup();
        let members = Members { topology: self.job.topology, platform: self.platform, ranks: &ranks };
        let judged = |verdict, why: String, rule: &str| Judged {
            what: format!("{} cores", ranks.len()),
            verdict,
            why,
            rule: rule.to_owned(),
            nearest: Vec::new(),
            instead: String::new(),
        };
        if let Some(legal) = members.listed() {
            let is_known = self.job.runtime.is_some();
            let newer =
                legal.since_runtime.as_deref().filter(|since| is_known && !is_from(self.job.runtime.as_ref(), since));
            if let Some(since) = newer {
                let why = format!("groups of {} need runtime {since} or later", ranks.len());
                return (judged(Verdict::Illegal, why, "TRN1-4"), false);
            }
            let depends = legal.since_runtime.is_some() && self.job.runtime.is_none();
            let why = format!(
                "listed for {}: {} ({})",
                self.platform.name,
                shape(legal, members.ranks.len()),
                legal.confidence
            );
            return (judged(Verdict::Legal, why, ""), depends);
        }
        if let Some(rule) = self.platform.rule("INF2-CONTIG") {
            let devices = members.devices();
            let ids: Vec<u32> = devices
                .iter()
                .filter_map(|device| self.job.topology.devices.get(*device))
                .map(|device| device.id)
                .collect();
            let ring = self.platform.graph.starts_with("ring").then_some(self.platform.devices_per_instance);
            if !is_contiguous(&ids, ring) {
                let why = format!("devices {} do not follow each other: {}", spans(&ids), rule.says);
                let mut refused = judged(Verdict::Illegal, why, &rule.id);
                refused.instead = format!("{} devices in a row", ids.len());
                return (refused, false);
            }
        }
        let counts = listed_counts(
            self.platform,
            self.job.topology.lnc,
            u32::try_from(self.job.topology.instances.len()).unwrap_or(1),
        );
        let count = u32::try_from(ranks.len()).unwrap_or(u32::MAX);
        let same: Vec<String> = self
            .platform
            .legal_groups
            .iter()
            .filter(|legal| legal.lnc.is_empty() || legal.lnc.contains(&self.job.topology.lnc))
            .filter(|legal| matches!(&legal.cores, crate::topology::facts::Counts::Listed(listed) if listed.contains(&count)))
            .map(|legal| shape(legal, ranks.len()))
            .collect();
        let why = match same.is_empty() {
            true => format!(
                "no source lists groups of {count} cores for {} with LNC {}",
                self.platform.name, self.job.topology.lnc
            ),
            false => {
                format!("groups of {count} cores are listed for {}, and this is none of these", self.platform.name)
            }
        };
        let mut unknown = judged(Verdict::Unknown, why, "");
        if same.is_empty() {
            unknown.nearest = nearest(&counts, count);
        } else {
            unknown.instead = same.join("; or ");
        }
        (unknown, false)
    }
}

/// The shape of a listed group of so many cores, in words.
fn shape(legal: &LegalGroup, count: usize) -> String {
    match &legal.shape {
        Shape::Any => format!("any {count}"),
        Shape::Device => "all cores of one device".to_owned(),
        Shape::WithinDevice => format!("{count} cores of one device"),
        Shape::AdjacentCores => format!("{count} cores in a row, from a multiple of {count} on"),
        Shape::DeviceSets(sets) => {
            let sets: Vec<String> = sets.iter().map(|set| spans(set)).collect();
            format!("all cores of devices {}", sets.join(" or "))
        }
        Shape::ContiguousDevices { .. } => "all cores of devices in a row".to_owned(),
        Shape::OnePerDevice => "one core of every device, all with one index".to_owned(),
        Shape::Whole => "all cores of the instance".to_owned(),
        Shape::Instances => "all cores of the instances".to_owned(),
    }
}

/// `1 and even numbers up to 12` where they are that, else all of them.
fn numbers(counts: &[u32]) -> String {
    let even: Vec<u32> = counts.iter().copied().filter(|count| count % 2 == 0).collect();
    let is_even_row =
        even.len() > 3 && even.iter().zip(1_u32..).all(|(count, times)| *count == times.saturating_mul(2));
    match even.last() {
        Some(last) if is_even_row && counts.len() == even.len().saturating_add(1) => {
            format!("1 and even numbers up to {last}")
        }
        _ => counts.iter().map(u32::to_string).collect::<Vec<_>>().join(", "),
    }
}
