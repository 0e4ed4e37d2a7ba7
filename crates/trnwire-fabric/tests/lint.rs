//! Good snapshots have nothing to say about; each kind of damage is found by its rule.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test may fail so")]
#![allow(clippy::arithmetic_side_effects, clippy::as_conversions, reason = "small numbers")]

use std::collections::BTreeSet;
use std::path::PathBuf;

use trnwire::soc::SocAddress;
use trnwire_fabric::build::{Built, build};
use trnwire_fabric::lint::{lint, rules};
use trnwire_fabric::plan::{Algorithm, Request, plan};
use trnwire_fabric::snapshot::{Limits, Snapshot};
use trnwire_fabric::topology::{Facts, Options, Source, Topology, platform};

fn topology(name: &str, lnc: u32) -> Topology {
    Topology::new(&[Source::Platform(platform(name).unwrap())], &Options { lnc: Some(lnc), ..Options::default() })
        .unwrap()
}

fn built(topology: &Topology, groups: Vec<Vec<u32>>, algorithm: Algorithm, channels: u32) -> Built {
    let request = Request { groups, algorithm: Some(algorithm), channels, ..Request::default() };
    build(&plan(topology, &request).unwrap().plan).unwrap()
}

fn ids(built: Built) -> BTreeSet<&'static str> {
    let snapshot = Snapshot::new(built.manifest, built.contents, Vec::new());
    lint(&snapshot).findings.iter().map(|finding| finding.rule.id).collect()
}

#[test]
fn what_was_planned_and_built_has_no_finding() {
    for platform in &Facts::get().platforms {
        for &lnc in &platform.lnc {
            let topology = topology(&platform.name, lnc);
            let whole: Vec<u32> = (0..topology.cores.len() as u32).collect();
            for channels in [1, 4, 32] {
                let found = ids(built(&topology, vec![whole.clone()], Algorithm::Ring, channels));
                assert!(found.is_empty(), "{} LNC {lnc}, {channels} channels: {found:?}", platform.name);
            }
        }
    }
    let kangarings = [
        ("trn2.48xlarge", 1, 128),
        ("trn2.48xlarge", 2, 64),
        ("trn2u.48xlarge-ultraserver", 1, 256),
        ("trn2u.48xlarge-ultraserver", 2, 256),
    ];
    for (name, lnc, ranks) in kangarings {
        let found = ids(built(&topology(name, lnc), vec![(0..ranks).collect()], Algorithm::Kangaring, 8));
        assert!(found.is_empty(), "{name} LNC {lnc}: {found:?}");
    }
}

#[test]
fn the_examples_have_sound_records() {
    for name in ["ring4-stopped", "ring6-misrouted", "kangaring8-partial.tar.zst"] {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/inputs/snapshots").join(name);
        let snapshot = Snapshot::open(&path, Limits::default()).unwrap();
        let found = lint(&snapshot);
        let own = found.findings.iter().filter(|finding| !finding.rule.id.starts_with("SNAP-"));
        assert_eq!(own.count(), 0, "{name}");
        assert_eq!(found.not_checked.len(), snapshot.missing.len());
    }
}

/// Changes the record of a rank on channel 0, and nothing else.
fn record(built: &mut Built, rank: u32, change: &dyn Fn(&mut [u8])) {
    let entry = built.manifest.channels.iter().find(|entry| entry.rank == rank && entry.channel == 0).unwrap();
    let place = built.manifest.ranks.iter().find(|entry| entry.rank == rank).unwrap();
    let owner = (Some(place.instance), Some(place.device), Some(entry.top_sp));
    let file = built
        .manifest
        .files
        .iter()
        .position(|file| (file.instance.0, file.device.0, file.top_sp.0) == owner && file.path.ends_with(".block"));
    change(&mut built.contents[file.unwrap()].as_mut().unwrap()[..148]);
}

#[test]
fn each_rule_finds_its_damage() {
    let topology = topology("trn2.48xlarge", 2);
    let ring = || built(&topology, vec![(0..64).collect()], Algorithm::Ring, 1);
    let kangaring = || built(&topology, vec![(0..64).collect()], Algorithm::Kangaring, 1);
    // What stands where in a record: the windows differ in bits 10 and 11, the number in bits 2 to 9.
    type Change = Box<dyn Fn(&mut Built)>;
    let at = |rank: u32, change: fn(&mut [u8])| -> Change { Box::new(move |built| record(built, rank, &change)) };
    let cases: Vec<(&str, bool, Change)> = vec![
        ("RING-RECIP", false, Box::new(|built| built.manifest.channels[3].prev = Some(9))),
        (
            "RING-CLOSE",
            false,
            Box::new(|built| {
                let next = built.manifest.channels[0].next;
                built.manifest.channels[2].next = next;
            }),
        ),
        (
            "RING-EDGE",
            false,
            Box::new(|built| {
                let bump = built.manifest.channels[0].bump_data.as_mut().unwrap();
                *bump = SocAddress(bump.0 ^ 4);
            }),
        ),
        (
            "RING-EDGE",
            false,
            at(5, |row| {
                let (recv, send) = (row[56..64].to_vec(), row[64..72].to_vec());
                row[56..64].copy_from_slice(&send);
                row[64..72].copy_from_slice(&recv);
            }),
        ),
        ("RING-SEMA-WINDOW", false, at(5, |row| row[57] ^= 8)),
        (
            "RING-SEMA-WINDOW",
            false,
            Box::new(|built| {
                let bump = built.manifest.channels[0].bump_credit.as_mut().unwrap();
                *bump = SocAddress(bump.0 ^ 0x800);
            }),
        ),
        (
            "RING-SEMA-DISTINCT",
            false,
            at(5, |row| {
                let recv = row[56..64].to_vec();
                row[72..80].copy_from_slice(&recv);
            }),
        ),
        ("RING-SEMA-HOME", false, at(5, |row| row[59] ^= 0x40)),
        ("RING-SEMA-UNSET", false, at(5, |row| row[80..88].fill(0))),
        ("RING-ID", false, at(5, |row| row[140] = 7)),
        ("RING-FOLD", false, at(5, |row| (row[0], row[24]) = (8, 1))),
        (
            "RING-SLOTS",
            false,
            Box::new(|built| {
                built.manifest.channels.iter_mut().for_each(|entry| entry.slots = entry.slots.map(|_| 2));
            }),
        ),
        (
            "SNAP-ROUTE",
            false,
            Box::new(|built| {
                let entry = built
                    .manifest
                    .channels
                    .iter_mut()
                    .find(|entry| entry.bump_data.is_some_and(|bump| bump.0 >> 48 != 0));
                let bump = entry.unwrap().bump_data.as_mut().unwrap();
                *bump = SocAddress(bump.0 | 0x20 << 48);
            }),
        ),
        ("KANGA-PEERS", true, at(5, |row| row[144] = 3)),
        ("KANGA-PRIMARY", true, at(5, |row| row[143] ^= 1)),
        ("RING-EDGE", true, at(5, |row| row[96] ^= 4)),
        ("RING-SEMA-WINDOW", true, at(5, |row| row[97] ^= 4)),
    ];
    assert!(ids(ring()).is_empty() && ids(kangaring()).is_empty());
    let mut seen = BTreeSet::new();
    for (index, (id, is_kangaring, change)) in cases.iter().enumerate() {
        let mut damaged = if *is_kangaring { kangaring() } else { ring() };
        change(&mut damaged);
        let found = ids(damaged);
        assert!(found.contains(id), "case {index}, {id}: {found:?}");
        seen.insert(*id);
    }
    for rule in rules::ALL.iter().filter(|rule| !matches!(rule.id, "RING-RECORD" | "KANGA-SIZE")) {
        assert!(seen.contains(rule.id), "{} has no case", rule.id);
    }
}

#[test]
fn findings_name_both_ends_with_raw_and_decoded_values() {
    let topology = topology("trn1.32xlarge", 1);
    let mut damaged = built(&topology, vec![(0..32).collect()], Algorithm::Ring, 1);
    let bump = damaged.manifest.channels[0].bump_data.as_mut().unwrap();
    *bump = SocAddress(bump.0 ^ 4);
    let snapshot = Snapshot::new(damaged.manifest, damaged.contents, Vec::new());
    let found = lint(&snapshot).findings;
    let ends: Vec<String> = found[0].ends.iter().map(ToString::to_string).collect();
    assert_eq!(found[0].message, "rank 0 signals another register than recv_sema of rank 1: it is its send_sema");
    assert!(ends[0].starts_with("rank 0 (instance 0, device 0, top-SP 0, channel 0): bump_data = 0x"), "{}", ends[0]);
    assert!(ends[0].ends_with("(semaphore 9 of top-SP 3 on device 0 of instance 0, window inc)"), "{}", ends[0]);
    assert!(ends[1].ends_with("(semaphore 8 of top-SP 3 on device 0 of instance 0, window read)"), "{}", ends[1]);
}

#[test]
fn sixty_four_ranks_on_thirty_two_channels_are_quick() {
    let topology = topology("trn2.48xlarge", 2);
    let built = built(&topology, vec![(0..64).collect()], Algorithm::Ring, 32);
    let snapshot = Snapshot::new(built.manifest, built.contents, Vec::new());
    let start = std::time::Instant::now();
    assert!(lint(&snapshot).findings.is_empty());
    println!("lint of 64 ranks x 32 channels: {:?}", start.elapsed());
}
