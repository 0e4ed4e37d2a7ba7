//! Plans over every platform.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test may fail so")]
#![allow(clippy::arithmetic_side_effects, clippy::as_conversions, reason = "small numbers")]

use std::collections::{BTreeMap, BTreeSet};

use trnwire_fabric::plan::graph::Graph;
use trnwire_fabric::plan::{Algorithm, Given, Plan, PlanError, Planned, Request, plan};
use trnwire_fabric::topology::{Facts, Options, Source, Topology, platform};

fn topology(name: &str, lnc: Option<u32>) -> Topology {
    let options = Options { lnc, ..Options::default() };
    Topology::new(&[Source::Platform(platform(name).unwrap())], &options).unwrap()
}

fn whole(topology: &Topology) -> Vec<u32> {
    (0..topology.cores.len() as u32).collect()
}

fn of(topology: &Topology, group: Vec<u32>, algorithm: Option<Algorithm>, channels: u32) -> Planned {
    plan(topology, &Request { groups: vec![group], algorithm, channels, ..Request::default() }).unwrap()
}

/// Everything that must hold between the rows of a plan.
fn assert_sound(plan: &Plan) {
    let mut places = BTreeSet::new();
    let mut semaphores = BTreeSet::new();
    let rows: BTreeMap<_, _> = plan.rows.iter().map(|row| ((row.op, row.channel, row.rank), row)).collect();
    assert_eq!(rows.len(), plan.rows.len());
    for row in &plan.rows {
        let rank = plan.rank(row.rank).unwrap();
        assert!(rank.top_sps.contains(&row.top_sp));
        let top_sp = (rank.instance, rank.device, row.top_sp);
        assert!(places.insert((top_sp, row.channel)), "a row is given out twice");
        let ids = [row.recv_sema, row.send_sema, row.post_sema, row.dma_compl_sema];
        for id in ids.into_iter().chain(row.peer_sema) {
            assert!((8..255).contains(&id) && semaphores.insert((top_sp, id)), "a semaphore is given out twice");
        }
    }
    for op in &plan.ops {
        for &channel in &op.channels {
            let of_channel: Vec<_> = plan.rows.iter().filter(|row| row.op == op.id && row.channel == channel).collect();
            assert_eq!(of_channel.len(), op.ranks.len());
            let walking = of_channel.iter().filter(|row| row.next.is_some()).count();
            assert_eq!(walking, op.ranks.len() / op.group_size as usize);
            // The ring closes after each of those that walk it.
            let start = of_channel.iter().find(|row| row.next.is_some()).unwrap().rank;
            let (mut here, mut steps) = (start, 0);
            loop {
                let next = rows[&(op.id, channel, here)].next.unwrap();
                assert_eq!(rows[&(op.id, channel, next)].prev, Some(here));
                steps += 1;
                here = next;
                if here == start {
                    break;
                }
            }
            assert_eq!(steps, walking);
            for row in of_channel {
                match op.algorithm {
                    Algorithm::Ring => {
                        assert!(row.primary.is_none() && row.peers.is_empty() && row.peer_sema.is_none())
                    }
                    Algorithm::Kangaring => {
                        assert_eq!(row.peers.len() + 1, op.group_size as usize);
                        assert_eq!(row.next.is_some(), row.primary == Some(row.rank));
                        for peer in &row.peers {
                            let peer = rows[&(op.id, channel, *peer)];
                            assert!(peer.primary == row.primary && peer.peers.contains(&row.rank));
                            assert_eq!(plan.rank(peer.rank).unwrap().device, plan.rank(row.rank).unwrap().device);
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn every_platform_can_be_planned_whole() {
    for platform in &Facts::get().platforms {
        for &lnc in &platform.lnc {
            let topology = topology(&platform.name, Some(lnc));
            for channels in [1, 3, 32] {
                assert_sound(&of(&topology, whole(&topology), Some(Algorithm::Ring), channels).plan);
            }
        }
    }
}

#[test]
fn kangarings_pair_the_cores_that_the_facts_name() {
    let two = topology("trn2.48xlarge", Some(2));
    let planned = of(&two, whole(&two), None, 4);
    assert_eq!((planned.plan.ops[0].algorithm, planned.plan.ops[0].group_size), (Algorithm::Kangaring, 2));
    assert_sound(&planned.plan);
    let groups = |plan: &Plan, rank: u32| {
        let row = plan.rows.iter().find(|row| row.rank == rank && row.channel == 0).unwrap();
        let mut group: Vec<u32> = row.peers.iter().copied().chain([rank]).collect();
        group.sort_unstable();
        group
    };
    // Logical cores {0,3} and {1,2} of every device.
    for device in 0..16 {
        assert_eq!(groups(&planned.plan, 4 * device), [4 * device, 4 * device + 3]);
        assert_eq!(groups(&planned.plan, 4 * device + 1), [4 * device + 1, 4 * device + 2]);
    }
    // Both members are primaries on some channel.
    let primaries: BTreeSet<u32> = planned.plan.rows.iter().filter_map(|row| row.primary).collect();
    assert_eq!(primaries.len(), 64);
    let one = topology("trn2.48xlarge", Some(1));
    let planned = of(&one, whole(&one), None, 8);
    assert_sound(&planned.plan);
    for device in 0..16 {
        let named = |cores: [u32; 4]| cores.map(|core| 8 * device + core).to_vec();
        assert_eq!(groups(&planned.plan, 8 * device), named([0, 1, 6, 7]));
        assert_eq!(groups(&planned.plan, 8 * device + 2), named([2, 3, 4, 5]));
    }
    // 256 ranks are the most: 64 devices at LNC 2.
    let server = topology("trn2u.48xlarge-ultraserver", Some(2));
    assert_sound(&of(&server, whole(&server), Some(Algorithm::Kangaring), 2).plan);
    let server = topology("trn2u.48xlarge-ultraserver", Some(1));
    let half: Vec<u32> = (0..256).collect();
    assert_sound(&of(&server, half, Some(Algorithm::Kangaring), 2).plan);
    let request = Request { groups: vec![whole(&server)], algorithm: Some(Algorithm::Kangaring), ..Request::default() };
    let error = plan(&server, &request).unwrap_err().to_string();
    assert_eq!(error, "group 0: no kangaring: it has at most 256 ranks, and these are 512");
}

#[test]
fn rings_over_a_torus_use_links_only_and_share_none() {
    let topology = topology("trn2.48xlarge", None);
    let planned = of(&topology, whole(&topology), Some(Algorithm::Ring), 4);
    let graph = Graph::of(&topology);
    assert!(planned.rings[0].iter().all(|ring| ring.indirect_hops == 0 && ring.network_hops == 0));
    // Four channels go over the two cycles both ways, and no two of them use one link in one direction.
    let mut used = BTreeSet::new();
    for channel in 0..4 {
        for row in planned.plan.rows.iter().filter(|row| row.channel == channel) {
            let device = |rank| topology.core(rank).unwrap().device;
            let (from, to) = (device(row.rank), device(row.next.unwrap()));
            if from != to {
                assert!(graph.is_linked(from, to) && used.insert((from, to)));
            }
        }
    }
    assert_eq!(used.len(), 64);
}

#[test]
fn parts_without_a_cycle_say_which_hops_are_not_direct() {
    let chain = topology("inf2.24xlarge", None);
    let planned = of(&chain, whole(&chain), None, 1);
    assert_sound(&planned.plan);
    assert_eq!(planned.rings[0][0].indirect_hops, 4);
    let network = Topology::new(
        &[Source::Platform(platform("trn1.32xlarge").unwrap()), Source::Platform(platform("trn1.32xlarge").unwrap())],
        &Options::default(),
    )
    .unwrap();
    let planned = of(&network, whole(&network), None, 4);
    assert_sound(&planned.plan);
    assert!(planned.rings[0].iter().all(|ring| ring.network_hops == 2 && ring.indirect_hops == 0));
    assert_eq!(planned.plan.instances[1].pod, 1);
}

#[test]
fn several_groups_share_top_sps_without_meeting() {
    let topology = topology("trn2.48xlarge", None);
    let groups: Vec<Vec<u32>> = (0..16).map(|device| (4 * device..4 * device + 4).collect()).collect();
    let columns: Vec<Vec<u32>> = (0..4).map(|core| (0..16).map(|device| 4 * device + core).collect()).collect();
    let request = Request { groups: [groups, columns].concat(), channels: 8, ..Request::default() };
    let planned = plan(&topology, &request).unwrap();
    assert_eq!(planned.plan.ops.len(), 20);
    assert_sound(&planned.plan);
    let too_many = Request { channels: 17, ..request };
    assert_eq!(plan(&topology, &too_many).unwrap_err(), PlanError::Channels { group: 16, asked: 17, fit: 15 });
}

#[test]
fn a_given_order_is_taken_as_it_is() {
    let topology = topology("trn1.32xlarge", None);
    let order = vec![0, 2, 4, 6, 7, 5, 3, 1];
    let group: Vec<u32> = (0..8).collect();
    let with = |orders| Request {
        groups: vec![group.clone()],
        order: Given::Ranks(orders),
        channels: 2,
        ..Request::default()
    };
    let planned = plan(&topology, &with(vec![order.clone(), group.clone()])).unwrap().plan;
    assert_sound(&planned);
    let walk = |channel| -> Vec<u32> {
        let next = |rank| planned.rows.iter().find(|row| row.rank == rank && row.channel == channel).unwrap().next;
        let mut walk = vec![0];
        while next(*walk.last().unwrap()) != Some(0) {
            walk.push(next(*walk.last().unwrap()).unwrap());
        }
        walk
    };
    assert_eq!((walk(0), walk(1)), (order, group.clone()));
    let error = |orders| plan(&topology, &with(orders)).unwrap_err().to_string();
    assert_eq!(
        error(vec![vec![0, 1, 2, 3, 4, 5, 6, 9]]),
        "group 0: the given order is no ring: rank 9 is not in the group"
    );
    assert_eq!(
        error(vec![vec![0, 1, 2, 3, 4, 5, 6]]),
        "group 0: the given order is no ring: rank 7 of the group is not in it"
    );
    assert_eq!(error(vec![]), "group 0: the given order is no ring: no order is given");
}

#[test]
fn errors_name_the_group_the_rank_and_the_limit() {
    let topology = topology("inf2.24xlarge", None);
    let error = |request: Request| plan(&topology, &request).unwrap_err().to_string();
    let with = |groups: Vec<Vec<u32>>| Request { groups, ..Request::default() };
    assert_eq!(error(with(vec![vec![0, 12]])), "group 0: rank 12, and there are 12 (0 to 11)");
    assert_eq!(error(with(vec![vec![0, 1], vec![2, 2]])), "group 1: rank 2 occurs twice");
    assert_eq!(error(Request { channels: 33, ..with(vec![vec![0, 1]]) }), "channels: 33 is not in 1..=32");
    assert_eq!(error(Request { halves: 0, ..with(vec![vec![0, 1]]) }), "halves: 0 is not in 1..=32");
    let kangaring = Request { algorithm: Some(Algorithm::Kangaring), ..with(vec![vec![0, 1]]) };
    assert_eq!(error(kangaring), "group 0: no kangaring: trn1 and inf2 have none");
    assert_eq!(plan(&topology, &with(vec![vec![3]])).unwrap().alone, [0]);
}

#[test]
fn the_file_is_read_as_it_was_written_and_newer_ones_are_refused() {
    let topology = topology("trn2.48xlarge", None);
    let planned = of(&topology, whole(&topology), None, 2).plan;
    let text = planned.text();
    assert_eq!(Plan::parse(&text).unwrap(), planned);
    let error = |text: String| Plan::parse(&text).unwrap_err().to_string();
    assert_eq!(
        error(text.replacen("\"trnwire_plan\": 1", "\"trnwire_plan\": 2", 1)),
        "/trnwire_plan: version 2, and this program reads 1"
    );
    assert!(error(text.replacen("\"slots\"", "\"slotz\"", 1)).starts_with("unknown field `slotz`"));
    assert!(
        error(text.replacen("\"recv_sema\":8", "\"recv_sema\":800", 1)).starts_with("invalid value: integer `800`")
    );
    assert!(
        error(text.replacen("\"recv_sema\":8,", "\"recv_sema\":8,\"recv_sema\":8,", 1)).starts_with("duplicate field")
    );
}
