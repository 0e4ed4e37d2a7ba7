//! What is built from plans says the same at both ends.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test may fail so")]
#![allow(clippy::arithmetic_side_effects, clippy::as_conversions, reason = "small numbers")]

use trnwire::ring::{Place, RingChannel};
use trnwire::soc::Window;
use trnwire_fabric::build::{Built, build};
use trnwire_fabric::plan::{Algorithm, Request, plan};
use trnwire_fabric::snapshot::{Manifest, Snapshot};
use trnwire_fabric::topology::{Facts, Options, Source, Topology, platform};

fn built(topology: &Topology, groups: Vec<Vec<u32>>, algorithm: Algorithm, channels: u32) -> Built {
    let request = Request { groups, algorithm: Some(algorithm), channels, ..Request::default() };
    build(&plan(topology, &request).unwrap().plan).unwrap()
}

/// Every record is sound, and every address means the register that its owner waits on.
fn assert_sound(built: Built) {
    assert_eq!(Manifest::parse(&built.manifest.text()).unwrap(), (built.manifest.clone(), Vec::new()));
    let snapshot = Snapshot::new(built.manifest, built.contents, Vec::new());
    assert!(snapshot.missing.is_empty());
    for entry in &snapshot.manifest.channels {
        let row: &RingChannel = snapshot.row(entry).unwrap();
        let mut found = Vec::new();
        row.judge(Place { row: Some(entry.channel), slot_limit: 6 }, |finding| found.push(finding));
        assert!(found.is_empty(), "{found:?}");
        let rank = snapshot.rank(entry.rank).unwrap();
        let holder = (rank.instance, rank.device);
        for (other, bump, is_data) in [(entry.next, entry.bump_data, true), (entry.prev, entry.bump_credit, false)] {
            let Some(other) = other.map(|other| snapshot.entry(entry.op, other, entry.channel).unwrap()) else {
                assert!(bump.is_none());
                continue;
            };
            let place = snapshot.rank(other.rank).unwrap();
            let Some(bump) = bump else {
                assert!(!snapshot.same_pod(rank.instance, place.instance));
                let neighbor = if is_data { &row.next_neigh } else { &row.prev_neigh };
                assert_eq!(neighbor.live().len(), 1);
                continue;
            };
            let (register, window) = snapshot.resolve(holder, bump).unwrap();
            let theirs = snapshot.row(other).unwrap();
            let waits = if is_data { theirs.recv_sema } else { theirs.send_sema };
            let expected = snapshot.resolve((place.instance, place.device), waits.get()).unwrap();
            assert_eq!((register, window, expected.1), (expected.0, Window::Inc, Window::Read));
        }
        if let Some(slots) = entry.slots {
            let (register, _) = snapshot.resolve(holder, row.send_sema.get()).unwrap();
            assert_eq!(snapshot.semaphore(register), i32::try_from(slots).ok());
        }
    }
}

#[test]
fn every_platform_is_built_whole() {
    for platform in &Facts::get().platforms {
        for &lnc in &platform.lnc {
            let topology =
                Topology::new(&[Source::Platform(platform)], &Options { lnc: Some(lnc), ..Options::default() })
                    .unwrap();
            let whole: Vec<u32> = (0..topology.cores.len() as u32).collect();
            for channels in [1, 5] {
                assert_sound(built(&topology, vec![whole.clone()], Algorithm::Ring, channels));
            }
        }
    }
}

#[test]
fn kangarings_instances_and_many_groups_are_built() {
    for lnc in [1, 2] {
        let options = Options { lnc: Some(lnc), ..Options::default() };
        let topology = Topology::new(&[Source::Platform(platform("trn2.48xlarge").unwrap())], &options).unwrap();
        let ranks = topology.cores.len() as u32;
        assert_sound(built(&topology, vec![(0..ranks).collect()], Algorithm::Kangaring, 32));
        let each = ranks / 16;
        let groups = (0..16).map(|device| (device * each..(device + 1) * each).collect()).collect();
        assert_sound(built(&topology, groups, Algorithm::Ring, 8));
    }
    let two = vec![Source::Platform(platform("trn1.32xlarge").unwrap()); 2];
    let topology = Topology::new(&two, &Options::default()).unwrap();
    assert_sound(built(&topology, vec![(0..64).collect()], Algorithm::Ring, 4));
}

#[test]
fn an_edited_plan_is_refused_where_it_is_wrong() {
    let topology = Topology::new(&[Source::Platform(platform("trn2.3xlarge").unwrap())], &Options::default()).unwrap();
    let request = Request { groups: vec![vec![0, 1, 2, 3]], algorithm: Some(Algorithm::Ring), ..Request::default() };
    let good = plan(&topology, &request).unwrap().plan;
    let error = |change: &dyn Fn(&mut trnwire_fabric::plan::Plan)| {
        let mut plan = good.clone();
        change(&mut plan);
        build(&plan).err().unwrap().to_string()
    };
    assert_eq!(error(&|plan| plan.arch = "x".to_owned()), "/arch: \"x\" is no architecture");
    assert_eq!(error(&|plan| plan.rows[1].next = Some(9)), "/rows/1/next: rank 9 is not listed");
    assert_eq!(error(&|plan| plan.rows[0].op = 4), "/rows/0/op: op 4 is not listed");
    assert_eq!(error(&|plan| plan.rows[1].op = 4), "/rows/0/next: rank 1 has no row for op 0, channel 0");
    assert_eq!(
        error(&|plan| plan.rows[1].recv_sema = 255),
        "/rows/1: sema_unset: recv_sema_ids: not set (-1, 255, 65535 or missing)"
    );
    assert_eq!(
        error(&|plan| plan.rows[1].spad_slot = 6),
        "/rows/1: spad_slot: sp_slot_idx: slot 6 is not below the limit of 6"
    );
    assert!(error(&|plan| plan.rows[1].top_sp = 0).starts_with("/channels/1/top_sp: top-SP 0 is none of rank 1's"));
    assert!(
        error(&|plan| plan.devices[0].route = Some("0x0".to_owned()))
            .starts_with("/devices/0/route: \"0x0\" is no route")
    );
}
