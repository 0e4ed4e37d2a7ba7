//! Jobs that can and that cannot work, those of public reports among them.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test may fail so")]
#![allow(clippy::arithmetic_side_effects, clippy::as_conversions, reason = "small numbers")]

use trnwire_fabric::groups::{CollectiveOp, parse, read_module};
use trnwire_fabric::preflight::{Job, Op, Report, Verdict, Version, ops_of_module, preflight};
use trnwire_fabric::topology::facts::{Counts, Shape};
use trnwire_fabric::topology::{Facts, Options, Source, Topology, platform};

fn topology(name: &str, instances: usize, lnc: Option<u32>) -> Topology {
    let sources = vec![Source::Platform(platform(name).unwrap()); instances];
    Topology::new(&sources, &Options { lnc, ..Options::default() }).unwrap()
}

fn groups(text: &str) -> Vec<Vec<u32>> {
    parse(text).unwrap().groups().to_vecs()
}

/// A question about one platform.
#[derive(Default)]
struct Ask<'a> {
    name: &'a str,
    instances: usize,
    lnc: Option<u32>,
    cores: Option<u32>,
    groups: &'a [&'a str],
    kind: Option<CollectiveOp>,
    pairs: &'a str,
    sdk: &'a str,
    runtime: &'a str,
}

impl Ask<'_> {
    fn report(&self) -> Report {
        let topology = topology(self.name, self.instances.max(1), self.lnc);
        let of = |text: &&str| Op { groups: groups(text), kind: self.kind, ..Op::default() };
        let mut ops: Vec<Op> = self.groups.iter().map(of).collect();
        if !self.pairs.is_empty() {
            let pairs = groups(self.pairs).into_iter().map(|pair| (pair[0], pair[1])).collect();
            ops.push(Op { pairs, ..Op::default() });
        }
        let (sdk, runtime) = (Version::parse(self.sdk), Version::parse(self.runtime));
        preflight(&Job { topology: &topology, ops, cores: self.cores, sdk, runtime })
    }
}

fn ids(report: &Report) -> Vec<&str> {
    report.findings.iter().map(|finding| finding.rule.id).collect()
}

#[test]
fn public_reports_get_their_answers() {
    // 742: several of a size without EFA.
    let report = Ask { name: "trn1.2xlarge", instances: 2, ..Ask::default() }.report();
    assert_eq!((report.verdict, report.judged[0].rule.as_str()), (Verdict::Illegal, "TRN1-2XL-ONE"));
    assert!(report.judged[0].why.contains("reports the NEFF as invalid"));
    // 619: 24 cores on trn1.
    let report = Ask { name: "trn1.32xlarge", cores: Some(24), ..Ask::default() }.report();
    assert_eq!((report.verdict, report.judged[0].rule.as_str()), (Verdict::Illegal, "TRN1-CORES"));
    assert_eq!(report.judged[0].nearest, [16, 32]);
    let without = Ask { name: "trn1.32xlarge", ..Ask::default() }.report();
    assert!(without.judged.is_empty() && without.known[0].contains("1, 2, 8, 16 or a multiple of 32"));
    assert!(without.not_checked[0].needs.starts_with("--cores COUNT"));
    // 749: more than there are.
    let report = Ask { name: "inf2.24xlarge", cores: Some(24), ..Ask::default() }.report();
    assert_eq!((report.verdict, report.judged[0].rule.as_str()), (Verdict::Illegal, "INF2-CORES-HAVE"));
    assert!(report.judged[0].why.starts_with("24 exceeds the 12 logical cores"));
    assert!(report.judged[0].instead.ends_with("1 and even numbers up to 12"));
    // 96 of the samples: nothing is known to refuse it.
    let report = Ask { name: "inf2.24xlarge", cores: Some(8), ..Ask::default() }.report();
    assert!(report.verdict == Verdict::Legal && report.judged[0].why.contains("break no known rule"));
    // 998: hops and link loads; 1352: logical to physical.
    let report = Ask { name: "trn1.32xlarge", pairs: "{{0,2},{2,10},{10,0}}", ..Ask::default() }.report();
    let load = report.load.unwrap();
    assert_eq!(load.pairs.iter().map(|pair| pair.hops).collect::<Vec<_>>(), [Some(1), Some(1), Some(2)]);
    assert_eq!((load.pairs[2].path.as_slice(), load.worst().unwrap().0), ([5, 1, 0].as_slice(), 1));
    assert_eq!(report.verdict, Verdict::Unknown);
}

#[test]
fn permutes_on_trn2_are_rings_over_links() {
    let ask = |pairs| Ask { name: "trn2.48xlarge", pairs, ..Ask::default() }.report();
    assert_eq!(ask("{{0,4},{4,20},{20,16},{16,0}}").verdict, Verdict::Legal);
    for (pairs, why) in [
        ("{{0,4},{4,20}}", "the pairs are no ring: rank 0 sends and does not receive"),
        ("{{0,4},{0,20}}", "rank 0 sends twice"),
        ("{{0,4},{1,4}}", "rank 4 receives twice"),
        ("{{0,20},{20,0}}", "rank 0 sends to 20, whose devices are not linked: they are 2 hops apart"),
    ] {
        let report = ask(pairs);
        assert_eq!((report.verdict, report.judged[0].why.as_str()), (Verdict::Illegal, why));
        assert_eq!(report.judged[0].rule, "TRN2-PERMUTE");
    }
}

#[test]
fn rules_about_groups_have_a_case_that_breaks_them_and_its_twin() {
    let ask = |groups: &[&str], kind| Ask { name: "trn1.32xlarge", groups, kind, ..Ask::default() }.report();
    let has = |groups: &[&str], kind, id: &str| ids(&ask(groups, kind)).contains(&id);
    for (id, bad, good, kind) in [
        ("GROUP-TWICE", "{{0,1},{1,2}}", "{{0,1},{2,3}}", None),
        ("GROUP-TWICE", "{{0,1,0}}", "{{0,1,2}}", None),
        ("GROUP-RANGE", "{{0,32}}", "{{0,31}}", None),
        ("GROUP-ABSENT", "[15,2]<=[30]", "[16,2]<=[32]", None),
        ("GROUP-EQUAL", "{{0,1},{2,3,4}}", "{{0,1},{2,3}}", Some(CollectiveOp::AllGather)),
        ("GROUP-EQUAL", "{{0,1},{2,3,4}}", "{{0,1},{2,3}}", Some(CollectiveOp::AllToAll)),
        ("GROUP-UNKNOWN", "{{0,2}}", "{{0,1}}", None),
        ("GROUP-HOPS", "{{0,10,20}}", "{{0,2,10,8}}", None),
        ("GROUP-SHARED", "{{0,4},{2,6}}", "{{0,2},{4,6}}", None),
    ] {
        assert!(has(&[bad], kind, id), "{id} {bad}");
        assert!(!has(&[good], kind, id), "{id} {good}");
    }
    assert!(!has(&["{{0,1},{2,3,4}}"], Some(CollectiveOp::AllReduce), "GROUP-EQUAL"));
    assert!(has(&["{{0,1}}", "{{1,0}}"], None, "GROUP-ORDER") && !has(&["{{0,1}}", "{{0,1}}"], None, "GROUP-ORDER"));
    let newer = Ask { name: "trn1.32xlarge", groups: &["{{0,1}}", "{{1,0}}"], sdk: "2.32.0", ..Ask::default() };
    assert!(!ids(&newer.report()).contains(&"GROUP-ORDER"));
    let network = Ask { name: "trn1.32xlarge", instances: 2, groups: &["[1,64]<=[64]"], ..Ask::default() }.report();
    assert!(ids(&network).contains(&"GROUP-NETWORK") && network.verdict == Verdict::Legal);
    let kangaring = |groups| {
        ids(&Ask { name: "trn2.48xlarge", groups: &[groups], ..Ask::default() }.report()).contains(&"GROUP-KANGARING")
    };
    assert!(kangaring("[4,16]<=[16,4]T(1,0)") && !kangaring("[16,4]<=[64]"));
}

#[test]
fn communicators_are_limited_by_the_sdk() {
    // Rank 0 is in as many groups as there are ops.
    let ops: Vec<String> = (1..=17).map(|other| format!("{{{{0,{other}}}}}")).collect();
    let ask = |count: usize, sdk| {
        let groups: Vec<&str> = ops[..count].iter().map(String::as_str).collect();
        Ask { name: "trn2.48xlarge", groups: &groups, sdk, ..Ask::default() }.report()
    };
    let refused = |count, sdk| ids(&ask(count, sdk)).contains(&"GROUP-COMMUNICATORS");
    assert!(!refused(12, "2.31") && refused(13, "2.31"));
    assert!(!refused(16, "2.32") && refused(17, "2.32.1"));
    assert!(!refused(16, "") && refused(17, ""));
    assert!(ask(13, "").not_checked.iter().any(|missing| missing.needs == "--sdk VERSION"));
    assert!(!ask(12, "").not_checked.iter().any(|missing| missing.needs == "--sdk VERSION"));
}

#[test]
fn groups_of_four_on_trn1_need_a_runtime() {
    let ask = |runtime| Ask { name: "trn1.32xlarge", groups: &["[8,4]<=[32]"], runtime, ..Ask::default() }.report();
    assert_eq!(ask("2.23.110").verdict, Verdict::Legal);
    assert_eq!(ask("2.22").judged[1].rule, "TRN1-4");
    let unsaid = ask("");
    assert!(unsaid.verdict == Verdict::Legal && unsaid.not_checked[0].needs == "--runtime VERSION");
}

#[test]
fn inf2_wants_devices_in_a_row() {
    let ask = |name, groups| Ask { name, groups: &[groups], ..Ask::default() }.report();
    assert_eq!(ask("inf2.48xlarge", "{{0,1,4,5}}").judged[0].rule, "INF2-CONTIG");
    assert_eq!(ask("inf2.48xlarge", "{{2,3,4,5}}").verdict, Verdict::Legal);
    // The ring of twelve closes, the chain of six does not.
    assert_eq!(ask("inf2.48xlarge", "{{0,1,22,23}}").verdict, Verdict::Legal);
    assert_eq!(ask("inf2.24xlarge", "{{0,1,10,11}}").verdict, Verdict::Illegal);
}

/// Every listed group of a platform of one instance: a few of each shape.
fn listed(topology: &Topology, counts: &Counts, shape: &Shape) -> Vec<Vec<u32>> {
    let ranks = topology.cores.len() as u32;
    let device = |device: u32| topology.ranks_of(device as usize).collect::<Vec<u32>>();
    let count = |counts: &Counts| match counts {
        Counts::Listed(listed) => listed.clone(),
        Counts::Multiples { unit, least, most } => {
            (*least..=most.unwrap_or(*least)).map(|times| times * unit).collect()
        }
        Counts::Instances(_) => Vec::new(),
    };
    let devices = topology.devices.len() as u32;
    let mut all = Vec::new();
    for count in count(counts) {
        match shape {
            Shape::Any => all.push(vec![ranks - 1]),
            Shape::Device => all.extend((0..devices).map(device)),
            Shape::WithinDevice => all.push(device(devices - 1)[..count as usize].to_vec()),
            Shape::AdjacentCores => {
                all.extend((0..ranks / count).map(|group| (group * count..(group + 1) * count).collect()))
            }
            Shape::DeviceSets(sets) => {
                all.extend(sets.iter().map(|set| set.iter().copied().flat_map(device).collect()))
            }
            Shape::ContiguousDevices { wraps } => {
                let each = count / topology.devices[0].cores;
                let starts = if *wraps { devices } else { devices - each + 1 };
                all.extend(
                    (0..starts).map(|start| (start..start + each).flat_map(|index| device(index % devices)).collect()),
                );
            }
            Shape::OnePerDevice => {
                let cores = topology.devices[0].cores;
                all.extend((0..cores).map(|core| (0..devices).map(|device| device * cores + core).collect()));
            }
            Shape::Whole => all.push((0..ranks).collect()),
            Shape::Instances => {}
        }
    }
    all
}

#[test]
fn every_listed_group_is_legal() {
    let mut judged = 0;
    for platform in Facts::get().platforms.iter().filter(|platform| platform.instances == 1) {
        for &lnc in &platform.lnc {
            let topology = topology(&platform.name, 1, Some(lnc));
            let apply = platform.legal_groups.iter().filter(|legal| legal.lnc.is_empty() || legal.lnc.contains(&lnc));
            for legal in apply {
                for group in listed(&topology, &legal.cores, &legal.shape) {
                    let op = Op { groups: vec![group.clone()], ..Op::default() };
                    let cores = Some(topology.cores.len() as u32);
                    let job = Job { topology: &topology, ops: vec![op], cores, sdk: None, runtime: None };
                    let report = preflight(&job);
                    let of_group = report.judged.iter().find(|judged| judged.what.starts_with("group 0")).unwrap();
                    assert_eq!(of_group.verdict, Verdict::Legal, "{} {group:?}: {}", platform.name, of_group.why);
                    judged += 1;
                }
            }
        }
    }
    assert!(judged > 250, "{judged}");
}

#[test]
fn modules_are_judged_op_by_op_and_missing_counts_are_named() {
    let text = "HloModule m, replica_count=2\n\
        ENTRY e {\n\
        %a = f32[8] all-reduce(%p), replica_groups={{0,1},{2,3}}, channel_id=1, use_global_device_ids=true, to_apply=%add\n\
        %b = f32[8] all-gather(%p), replica_groups={{0},{1}}, channel_id=2, dimensions={0}\n\
        %c = f32[8] collective-permute(%p), source_target_pairs={{0,1},{1,0}}, channel_id=3\n}\n";
    let module = read_module(text);
    let (ops, missing) = ops_of_module(&module, None, None);
    assert_eq!(ops.len(), 1);
    assert_eq!(ops[0].mode, "flattened_id");
    assert!(missing.iter().all(|missing| missing.needs == "--partitions COUNT") && missing.len() == 2);
    let (ops, missing) = ops_of_module(&module, None, Some(16));
    assert!(missing.is_empty());
    assert_eq!(ops[1].groups[1], (16..32).collect::<Vec<u32>>());
    assert_eq!(ops[2].pairs[..3], [(0, 1), (16, 17), (1, 0)]);
}
