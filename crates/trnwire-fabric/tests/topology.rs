//! Listings as people posted them, and what is read from them.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test may fail so")]
#![allow(clippy::arithmetic_side_effects, clippy::as_conversions, reason = "small numbers")]

use std::fs;
use std::path::PathBuf;

use trnwire_fabric::rule::{Finding, Severity};
use trnwire_fabric::topology::recognise::FitKind;
use trnwire_fabric::topology::{Facts, Links, Listing, Options, Source, Topology, platform};

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/inputs/neuron-ls").join(name)
}

fn text(name: &str) -> String {
    fs::read_to_string(path(name)).unwrap()
}

fn of_text(text: &str, options: &Options) -> Topology {
    Topology::new(&[Source::Listing("x".to_owned(), Listing::parse(text).unwrap())], options).unwrap()
}

fn of_file(name: &str) -> Topology {
    of_text(&text(name), &Options::default())
}

fn ids(findings: &[Finding]) -> Vec<&'static str> {
    findings.iter().map(|finding| finding.rule.id).collect()
}

fn candidates(topology: &Topology) -> Vec<&'static str> {
    topology.instances[0].recognised.candidates.iter().map(|platform| platform.name.as_str()).collect()
}

/// What all that rests on a topology looks at.
#[derive(Debug, PartialEq)]
struct Model<'a> {
    devices: Vec<(u32, u32, Option<u64>)>,
    links: &'a Links,
    lnc: u32,
    top_sps: Vec<&'a [u32]>,
}

fn model(topology: &Topology) -> Model<'_> {
    Model {
        devices: topology.devices.iter().map(|device| (device.id, device.cores, device.memory_bytes)).collect(),
        links: &topology.links,
        lnc: topology.lnc,
        top_sps: topology.cores.iter().map(|core| core.top_sps.as_slice()).collect(),
    }
}

#[test]
fn every_listing_is_read_and_only_noted() {
    let mut seen = 0;
    for entry in fs::read_dir(path("")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let topology = of_file(&name);
        seen += 1;
        for finding in &topology.findings {
            // The capture of all processes is the head of a longer one: its links go to devices that it does not show.
            assert_eq!(finding.rule.severity, Severity::Note, "{name}: {}", finding.message);
        }
        assert!(!candidates(&topology).is_empty(), "{name}");
    }
    assert_eq!(seen, 13);
}

#[test]
fn tables_and_json_of_one_instance_type_give_the_same_model() {
    for (json, table) in [
        ("trn1.32xlarge.json", "trn1.32xlarge.table.txt"),
        ("inf2.48xlarge.json", "inf2.48xlarge.table.txt"),
        ("trn2.48xlarge.json", "trn2.48xlarge.table.txt"),
        ("trn2n.48xlarge.shortbdf.json", "trn2n.48xlarge.topology.txt"),
        ("trn2.48xlarge.json", "trn2.48xlarge.seng-order.json"),
    ] {
        let (json, table) = (of_file(json), of_file(table));
        assert_eq!(model(&json), model(&table));
        // A name decides; without one the tie has it.
        assert!(
            candidates(&json).contains(&candidates(&table)[0]) || candidates(&table).contains(&candidates(&json)[0])
        );
        let built = Topology::new(&[Source::Platform(platform(candidates(&table)[0]).unwrap())], &Options::default());
        assert_eq!(model(&built.unwrap()), model(&table));
    }
}

#[test]
fn platforms_that_look_alike_are_a_tie_and_a_name_breaks_it() {
    assert_eq!(candidates(&of_file("trn1.32xlarge.json")), ["trn1.32xlarge", "trn1n.32xlarge"]);
    assert_eq!(candidates(&of_file("trn2.48xlarge.json")), ["trn2.48xlarge", "trn2n.48xlarge", "trn2u.48xlarge"]);
    assert_eq!(candidates(&of_file("trn2.3xlarge.capture.json")), ["trn2.3xlarge"]);
    assert_eq!(candidates(&of_file("inf2.24xlarge.driver-chain.json")), ["inf2.24xlarge"]);
    assert_eq!(candidates(&of_file("trn2.48xlarge.seng-order.json")), ["trn2.48xlarge"]);
    let small = of_file("trn1.2xlarge.capture.json");
    assert_eq!(candidates(&small), ["trn1.2xlarge", "inf2.xlarge", "inf2.8xlarge"]);
    assert_eq!(small.instances[0].recognised.hint.unwrap().name, "trn1.2xlarge");
    assert!(small.findings.iter().any(|finding| finding.message.ends_with("8 CPUs speak for trn1.2xlarge")));
    let options = Options { platform: Some(platform("TRN1.2xlarge").unwrap()), ..Options::default() };
    let named = of_text(&text("trn1.2xlarge.capture.json"), &options);
    assert_eq!(candidates(&named), ["trn1.2xlarge"]);
    assert!(!ids(&named.findings).contains(&"TOPO-TIE"));
}

#[test]
fn each_trap_gives_its_note() {
    let notes = |name| ids(&of_file(name).findings);
    assert!(notes("trn1.2xlarge.capture.json").contains(&"TOPO-NUMA"));
    assert!(!notes("trn1.32xlarge.json").contains(&"TOPO-NUMA"));
    assert!(notes("trn2.3xlarge.capture.json").contains(&"TOPO-NO-LINKS"));
    assert!(!notes("trn2.48xlarge.json").contains(&"TOPO-NO-LINKS"));
    assert!(notes("trn2n.48xlarge.shortbdf.json").contains(&"TOPO-BDF"));
    assert!(!notes("trn2.48xlarge.json").contains(&"TOPO-BDF"));
    assert!(notes("inf2.48xlarge.table.txt").contains(&"TOPO-MEMORY"));
    assert!(!notes("inf2.48xlarge.json").contains(&"TOPO-MEMORY"));
    assert!(notes("trn1.32xlarge.json").contains(&"TOPO-LNC") && notes("trn2.48xlarge.json").contains(&"TOPO-LNC"));
    assert!(notes("trn2.48xlarge.seng-order.json").contains(&"TOPO-INSTANCE-TYPE"));
    assert!(!notes("trn2.48xlarge.json").contains(&"TOPO-INSTANCE-TYPE"));
    assert!(notes("trn2.48xlarge.seng-order.json").contains(&"TOPO-ORDER"));
    assert!(!notes("trn2.48xlarge.json").contains(&"TOPO-ORDER"));
    assert!(notes("trn1.32xlarge.json").contains(&"TOPO-BDF-ORDER"));
    assert!(!notes("inf2.24xlarge.driver-chain.json").contains(&"TOPO-BDF-ORDER"));
}

/// Some devices of a listing, under new numbers from zero on.
fn container(name: &str, devices: &[usize], renumber: bool) -> String {
    let mut listing: serde_json::Value = serde_json::from_str(&text(name)).unwrap();
    let all = listing.as_array_mut().unwrap();
    let mut chosen: Vec<_> = devices.iter().map(|&device| all[device].clone()).collect();
    if renumber {
        for (number, device) in chosen.iter_mut().enumerate() {
            device["neuron_device"] = number.into();
        }
    }
    serde_json::Value::Array(chosen).to_string()
}

#[test]
fn a_part_of_a_host_is_placed_by_its_neighbours() {
    let part = of_text(&container("trn2.48xlarge.json", &[4, 5, 6, 7], false), &Options::default());
    assert!(ids(&part.findings).contains(&"TOPO-PART") && !ids(&part.findings).contains(&"TOPO-RENUMBERED"));
    let renumbered = of_text(&container("trn2.48xlarge.json", &[4, 5, 6, 7], true), &Options::default());
    assert!(ids(&renumbered.findings).contains(&"TOPO-RENUMBERED"));
    assert_eq!(renumbered.instances[0].recognised.fit.as_ref().unwrap().kind, FitKind::Renumbered);
    assert_eq!(model(&part), model(&renumbered));
    assert_eq!(renumbered.devices[2].id, 6);
    assert_eq!(renumbered.devices[2].listed_id, 2);
    // A row of the torus is a ring of four.
    let Links::Direct(links) = &renumbered.links else { panic!() };
    assert_eq!(links.len(), 4);
}

#[test]
fn two_tori_in_one_host_are_two_tori() {
    let mut listing: Vec<serde_json::Value> = serde_json::from_str(&text("trn2.48xlarge.json")).unwrap();
    let mut second = listing.clone();
    for device in &mut second {
        device["neuron_device"] = (device["neuron_device"].as_u64().unwrap() + 16).into();
        for neighbour in device["connected_to"].as_array_mut().unwrap() {
            *neighbour = (neighbour.as_u64().unwrap() + 16).into();
        }
    }
    listing.extend(second);
    let topology = of_text(&serde_json::Value::Array(listing).to_string(), &Options::default());
    assert!(ids(&topology.findings).contains(&"TOPO-TWO-TORI"));
    assert!(topology.findings.iter().all(|finding| finding.rule.severity == Severity::Note));
    let Links::Direct(links) = &topology.links else { panic!() };
    assert_eq!(links.len(), 64);
    assert!(links.iter().all(|link| (link.a < 16) == (link.b < 16)));
    assert!(topology.cores.iter().all(|core| core.top_sps.len() == 4));
}

#[test]
fn what_was_edited_is_warned_about() {
    let edit = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut listing: serde_json::Value = serde_json::from_str(&text("trn2.48xlarge.seng-order.json")).unwrap();
        change(&mut listing);
        ids(&of_text(&listing.to_string(), &Options::default()).findings)
    };
    assert!(!edit(&|_| {}).contains(&"TOPO-MISMATCH"));
    let cut = edit(&|listing| listing[3]["connected_to"] = serde_json::json!([2, 7, 0]));
    assert!(cut.contains(&"TOPO-MISMATCH") && cut.contains(&"TOPO-ONE-SIDED"));
    let unnamed = edit(&|listing| {
        for device in listing.as_array_mut().unwrap() {
            device["instance_type"] = "trn9.48xlarge".into();
            device["memory_size"] = 1.into();
        }
    });
    assert!(unnamed.contains(&"TOPO-UNKNOWN"));
}

#[test]
fn nodes_of_an_ultraserver_are_joined_by_equal_devices() {
    let listing = || Source::Listing("x".to_owned(), Listing::parse(&text("trn2.48xlarge.json")).unwrap());
    let options = Options { ultraserver: true, ..Options::default() };
    let of = |count: usize| Topology::new(&vec![listing(); count], &options);
    let four = of(4).unwrap();
    let Links::Direct(links) = &four.links else { panic!() };
    assert_eq!(links.len(), 4 * 32 + 64);
    let adjacency = four.adjacency();
    assert!(adjacency[5].contains(&21) && adjacency[5].contains(&53) && !adjacency[5].contains(&37));
    assert_eq!(four.cores.len(), 256);
    // The dies of odd nodes are flipped.
    assert_eq!(four.cores[0].top_sps, [8, 9, 10, 11]);
    assert_eq!(four.cores[64].top_sps, [0, 1, 2, 3]);
    assert!(four.same_pod(0, 3));
    let Links::Direct(links) = &of(2).unwrap().links else { panic!() };
    assert_eq!(links.len(), 2 * 32 + 16);
    assert!(of(3).unwrap_err().to_string().starts_with("3 nodes: a job on an UltraServer has 4, 2 or 1"));
    let trn1 = Source::Listing("y".to_owned(), Listing::parse(&text("trn1.32xlarge.json")).unwrap());
    assert!(Topology::new(&[trn1], &options).unwrap_err().to_string().contains("no node of an UltraServer"));
    let apart = Topology::new(&[listing(), listing()], &Options::default()).unwrap();
    assert!(!apart.same_pod(0, 1));
}

#[test]
fn every_platform_has_a_model() {
    for platform in &Facts::get().platforms {
        for &lnc in &platform.lnc {
            let options = Options { lnc: Some(lnc), ..Options::default() };
            let topology = Topology::new(&[Source::Platform(platform)], &options).unwrap();
            let cores = platform.cores_per_instance(lnc) * platform.instances;
            assert_eq!(topology.cores.len(), cores as usize, "{}", platform.name);
            assert_eq!(topology.links == Links::Switched, platform.neighbours.is_none());
            for (rank, core) in (0..).zip(&topology.cores) {
                assert_eq!(topology.rank_at(core.device, core.index), Some(rank));
                assert_eq!(core.physical.len(), lnc as usize);
            }
        }
    }
}

#[test]
fn errors_name_the_place_and_the_value() {
    let error = |text: &str| Listing::parse(text).unwrap_err().to_string();
    assert_eq!(error(""), "neither JSON nor a table of neuron-ls");
    assert_eq!(error("[]"), "no device is listed");
    assert_eq!(error("{}"), "neuron-ls -j prints a list of devices, and this is no list");
    assert_eq!(error("[{\"nc_count\":2}]"), "/0: key \"neuron_device\" is missing");
    let device = |keys: &str| format!("[{{\"neuron_device\":0,\"nc_count\":2,{keys}}}]");
    assert_eq!(error(&device("\"bdf\":7")), "/0/bdf: expected a string, found 7");
    assert_eq!(
        error(&device("\"connected_to\":[1,-1]")),
        "/0/connected_to: expected a list of numbers or null, found [1,-1]"
    );
    assert_eq!(
        error(&device("\"numa_node\":\"x\"")),
        "/0/numa_node: expected a number from -1 on, or such a string, found \"x\""
    );
    let own = Listing::parse(&device("\"connected_to\":[0]")).unwrap();
    let refused = Topology::new(&[Source::Listing("x".to_owned(), own)], &Options::default()).unwrap_err();
    assert_eq!(refused.to_string(), "x: device 0 is linked with itself");
    assert!(error(&device("\"nc_count\":3")).starts_with("key \"nc_count\" occurs twice"));
    assert_eq!(
        error("[{\"neuron_device\":0,\"nc_count\":2},{\"neuron_device\":0,\"nc_count\":2}]"),
        "device 0 is listed twice"
    );
    let table = text("trn1.32xlarge.table.txt");
    assert_eq!(error(&table.replacen("| 3      |", "| x      |", 1)), "line 10: \"x\" is no number");
    assert_eq!(error(&table.replacen("32 GB", "32 XB", 1)), "line 7: \"32 XB\" is no memory such as 96 GB");
    assert_eq!(
        error(&table.replace("| CORES  |", "| CURES  |")),
        "line 6: no columns DEVICE and CORES above this line"
    );
}
