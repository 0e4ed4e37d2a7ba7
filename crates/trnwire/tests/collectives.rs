//! Rules about records of collectives, each with a case that breaks it and its twin that keeps it; the gate of populating;
//! blocks in their views.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail so")]
#![allow(clippy::arithmetic_side_effects, clippy::as_conversions, reason = "small numbers")]

use trnwire::arch::CollectiveArch;
use trnwire::block::{Block, MeshCapacity, View};
use trnwire::cc_op::CcOp;
use trnwire::check::{Finding, Rule, Severity};
use trnwire::mesh::MeshEvent;
use trnwire::ring::{
    ApbBroadcast, Broadcast, ChannelDescription, NeighborDescription, PeerDescription, Place, PopulateError, Populated,
    Populator, RingChannel, Topology,
};
use trnwire::soc::{SocAddress, Window};
use zerocopy::{FromBytes, IntoBytes};

const ARCH: CollectiveArch = CollectiveArch::Cayman;

fn ring() -> ChannelDescription {
    let neighbor = |port, address| NeighborDescription { port, fold_n: 1, net_idx_addrs: vec![SocAddress(address)] };
    ChannelDescription {
        channel_abs_index: 2,
        id: 2,
        channel_n: 4,
        sp_idx: 3,
        sp_slot_idx: 1,
        fold_n: 2,
        topology: Topology::Ring,
        recv_sema_ids: vec![70],
        send_sema_id: 71,
        post_sema_ids: vec![72],
        compl_sema_id: 73,
        next: neighbor(1, 0x82_8000_1100),
        prev: neighbor(-1, 0x4000_0000_1000),
        qbundles: vec![0],
        broadcast: Broadcast::Ready(ApbBroadcast::default()),
    }
}

fn kangaring() -> ChannelDescription {
    let peer = |sp_idx, sema_id| PeerDescription { sp_idx, sema_id, window: Window::Read, route_mask: 0 };
    let topology = Topology::Kangaring {
        is_primary: true,
        peer_selector: 1,
        peer_sema_id: 80,
        peers: vec![peer(4, 81), peer(5, 82), peer(6, 83)],
    };
    ChannelDescription { topology, ..ring() }
}

fn record(description: &ChannelDescription) -> RingChannel {
    description.record(ARCH, 6).unwrap().1
}

fn findings(record: &RingChannel) -> Vec<String> {
    let mut found = Vec::new();
    record.judge(Place { row: Some(2), slot_limit: 6 }, |finding| found.push(finding.to_string()));
    found
}

/// Changes one thing of a record.
type Change = fn(&mut RingChannel);

#[test]
fn each_rule_of_a_ring_channel_is_broken_by_one_change_and_kept_by_its_twin() {
    let none: Change = |_| {};
    let cases: [(&str, bool, Change, Change); 24] = [
        ("next_neigh:neigh_fold_capacity", false, |row| row.next_neigh.fold_n = 4, |row| row.next_neigh.fold_n = 3),
        ("prev_neigh:neigh_fold_capacity", false, |row| row.prev_neigh.fold_n = 255, |row| row.prev_neigh.fold_n = 2),
        (
            "next_neigh:neigh_type_range",
            false,
            |row| row.next_neigh.neighbor_type = 3,
            |row| row.next_neigh.neighbor_type = 2,
        ),
        (
            "prev_neigh:neigh_type_range",
            false,
            |row| row.prev_neigh.neighbor_type = 255,
            |row| row.prev_neigh.neighbor_type = 0,
        ),
        (
            "next_neigh:pod_fold",
            false,
            |row| (row.next_neigh.neighbor_type, row.next_neigh.fold_n) = (2, 2),
            |row| (row.next_neigh.neighbor_type, row.next_neigh.fold_n) = (2, 1),
        ),
        (
            "prev_neigh:pod_fold",
            false,
            |row| (row.prev_neigh.neighbor_type, row.prev_neigh.fold_n) = (2, 3),
            |row| (row.prev_neigh.neighbor_type, row.prev_neigh.fold_n) = (1, 3),
        ),
        ("kang_primary_range", true, |row| row.kangaring_is_primary = 2, |row| row.kangaring_is_primary = 0),
        ("kang_num_peers", true, |row| row.kangaring_num_peers = 2, |row| row.kangaring_num_peers = 3),
        ("kang_num_peers", true, |row| row.kangaring_num_peers = 4, none),
        ("kang_ring_flags", false, |row| row.kangaring_is_primary = 1, |row| row.kangaring_is_primary = 0),
        ("kang_peer_block", false, |row| row.kring_peer_semas.mine = SocAddress(1).into(), none),
        ("kang_peer_block", false, |row| row.kring_peer_semas.peers[0] = SocAddress(1).into(), none),
        (
            "kang_peer_block",
            true,
            |row| row.kangaring_num_peers = 1,
            |row| {
                row.kangaring_num_peers = 1;
                row.kring_peer_semas.peers[1] = SocAddress(0).into();
                row.kring_peer_semas.peers[2] = SocAddress(0).into();
            },
        ),
        ("spad_slot", false, |row| row.spad_slot_idx = 6, |row| row.spad_slot_idx = 5),
        ("channel_id", false, |row| row.channel_id = 32, none),
        ("next_neigh:neigh_tail_nonzero", false, |row| row.next_neigh.fold_n = 0, |row| row.next_neigh.fold_n = 1),
        (
            "prev_neigh:neigh_tail_nonzero",
            false,
            |row| row.prev_neigh.net_idx_addrs[2] = SocAddress(1).into(),
            |row| row.prev_neigh.net_idx_addrs[0] = SocAddress(1).into(),
        ),
        ("next_neigh:reserved_nonzero", false, |row| row.next_neigh.reserved.0 = [0, 1], none),
        ("prev_neigh:reserved_nonzero", false, |row| row.prev_neigh.reserved.0 = [1, 0], none),
        ("channel_id_row", false, |row| row.channel_id = 3, |row| row.channel_id = 2),
        ("chan_fold", false, |row| row.fold_n = 0, |row| row.fold_n = 1),
        ("chan_fold", false, |row| row.fold_n = 5, |row| row.fold_n = 4),
        ("reserved_nonzero", false, |row| row.reserved.0 = [0, 0, 1], none),
        ("reserved_nonzero", true, |row| row.reserved.0 = [1, 0, 0], none),
    ];
    for (code, is_kangaring, breaks, keeps) in cases {
        let good = record(&if is_kangaring { kangaring() } else { ring() });
        assert_eq!(findings(&good), [""; 0], "the good one");
        let (mut broken, mut kept) = (good, good);
        breaks(&mut broken);
        keeps(&mut kept);
        assert_eq!(findings(&broken), [code]);
        assert_eq!(findings(&kept), [""; 0], "the twin of {code}");
    }
}

#[test]
fn an_unused_row_has_no_findings_wherever_it_stands() {
    for row in 0..32 {
        let mut found = 0;
        RingChannel::default().judge(Place { row: Some(row), slot_limit: 6 }, |_| found += 1);
        assert_eq!(found, 0);
    }
    // One that stands alone is in no row.
    let mut found = Vec::new();
    RingChannel { channel_id: 9, fold_n: 1, ..RingChannel::default() }
        .judge(Place::default(), |finding| found.push(finding));
    assert_eq!(found, []);
}

#[test]
fn findings_name_field_value_and_limit() {
    let mut row = record(&ring());
    (row.spad_slot_idx, row.channel_id, row.next_neigh.fold_n) = (9, 7, 200);
    let mut told = Vec::new();
    row.judge(Place { row: Some(2), slot_limit: 6 }, |finding| told.push((finding.offset, finding.because())));
    let told: Vec<_> = told.iter().map(|(offset, because)| (*offset, because.as_str())).collect();
    assert_eq!(
        told,
        [
            (24, "a neighbour holds at most 3 index words; found 200"),
            (141, "slot 9 is not below the limit of 6"),
            (140, "channel 7 stands in row 2"),
        ]
    );
}

#[test]
fn each_rule_of_a_mesh_event_is_broken_by_one_change_and_kept_by_its_twin() {
    let found = |change: fn(&mut MeshEvent)| {
        let mut event = MeshEvent::default();
        change(&mut event);
        let mut codes = Vec::new();
        event.judge(|finding| codes.push(finding.to_string()));
        codes
    };
    assert_eq!(found(|_| {}), [""; 0]);
    assert_eq!(found(|event| event.dma_trigger = 2), ["dma_trigger:flag_range"]);
    assert_eq!(found(|event| event.dma_trigger = 1), [""; 0]);
    assert_eq!(found(|event| event.direct_trigger = 3), ["direct_trigger:flag_range"]);
    assert_eq!(found(|event| event.direct_trigger = 1), ["trigger_without_sema"]);
    for index in 0..3 {
        let mut event = MeshEvent { direct_trigger: 1, ..MeshEvent::default() };
        event.direct_trigger_sema[index] = SocAddress(1).into();
        event.judge(|finding| panic!("{finding}"));
    }
    assert_eq!(found(|event| event.wait_event = 255), ["wait_event:flag_range"]);
    assert_eq!(found(|event| event.wait_event = 1), ["wait_without_sema"]);
    assert_eq!(found(|event| (event.wait_event, event.event_wait_sema) = (1, SocAddress(4).into())), [""; 0]);
}

#[test]
fn each_rule_of_a_control_slot_is_broken_by_one_value_and_kept_by_its_twin() {
    let found = |bits: u64| {
        let mut codes = Vec::new();
        CcOp::from_bits(bits).judge(|finding| codes.push(finding.rule));
        codes
    };
    assert_eq!(found(0x0000_0021_0001_0001), []);
    assert_eq!(found(0x0201), [Rule::AlgoInvalid]);
    assert_eq!(found(0x0101), []);
    assert_eq!(found(0x0301), [Rule::AlgoUnknown]);
    assert_eq!(found(0x1_0000_0000), [Rule::DisabledWithPayload]);
    assert_eq!(found(0x1_0000_0001), []);
    for reserved in [0x02, 0x80, 0x20_0000, 0x80_0000, 0x100_0000, 0x8000_0000_u64] {
        assert_eq!(found(reserved | 1), [Rule::ReservedNonzero], "{reserved:#x}");
    }
}

#[test]
fn severities_keep_to_their_meaning() {
    let errors = Rule::ALL.iter().filter(|rule| rule.severity() == Severity::Error).count();
    assert_eq!((errors, Rule::ALL.len()), (11, 19));
}

#[test]
fn populating_happens_once_and_a_failure_leaves_everything_as_it_was() {
    let mut rows = [RingChannel::default(); 32];
    rows[2].channel_id = 77;
    let before = rows;
    let mut populator = Populator::new(ARCH, 6);
    let bad = ChannelDescription { send_sema_id: 255, channel_abs_index: 3, ..ring() };
    let error = populator.populate(&[ring(), bad], &mut rows).unwrap_err();
    assert_eq!((error.0, error.1.code()), (1, "sema_unset"));
    assert_eq!((rows == before, populator.is_done()), (true, false));

    assert_eq!(populator.populate(&[ring()], &mut rows), Ok(Populated::Written(Vec::new())));
    assert_eq!(rows[2], record(&ring()));
    assert!(populator.is_done());
    let after = rows;
    let bad = ChannelDescription { channel_abs_index: 99, ..ring() };
    assert_eq!(populator.populate(&[kangaring(), bad], &mut rows), Ok(Populated::AlreadyDone));
    assert_eq!(rows, after);
}

#[test]
fn what_is_populated_has_no_findings_and_other_rows_stay() {
    for description in [ring(), kangaring()] {
        let mut rows = [RingChannel { fold_n: 9, ..RingChannel::default() }; 32];
        Populator::new(ARCH, 6).populate(&[description], &mut rows).unwrap();
        let mut found = Vec::new();
        rows[2].judge(Place { row: Some(2), slot_limit: 6 }, |finding: Finding| found.push(finding));
        assert_eq!(found, []);
        assert!(rows.iter().enumerate().all(|(index, row)| index == 2 || row.fold_n == 9));
    }
}

#[test]
fn errors_of_populating_name_field_value_and_limit() {
    type Damage = fn(&mut ChannelDescription);
    let told = |change: Damage| {
        let mut description = kangaring();
        change(&mut description);
        let error: PopulateError = description.record(ARCH, 6).unwrap_err();
        format!("{}: {error}", error.code())
    };
    let cases: [(Damage, &str); 13] = [
        (|it| it.channel_abs_index = 32, "channel_index: channel_abs_index: row 32 does not exist: a block has 0..=31"),
        (|it| it.id = 4, "channel_id: id: channel 4 does not exist: the ring has 4"),
        (|it| it.channel_n = 33, "channel_id: channel_n: 33 channels, and a ring has at most 32"),
        (|it| it.sp_slot_idx = 6, "spad_slot: sp_slot_idx: slot 6 is not below the limit of 6"),
        (|it| it.fold_n = 5, "chan_fold: fold_n: 5 folds, and a channel has at most 4"),
        (|it| it.sp_idx = 16, "sp_idx: recv_sema_ids: top-SP 16 does not exist: a device has 0..=15"),
        (|it| it.recv_sema_ids.clear(), "sema_unset: recv_sema_ids: not set (-1, 255, 65535 or missing)"),
        (|it| it.compl_sema_id = 256, "sema_range: compl_sema_id: semaphore 256 does not exist: a top-SP has 0..=255"),
        (
            |it| it.next.fold_n = 4,
            "neigh_fold_capacity: next.fold_n: 4 index words (1 given), and a neighbour holds 0..=3",
        ),
        (|it| it.prev.fold_n = 2, "neigh_fold_capacity: prev.net_idx_addrs: 1 addresses, and fold_n is 2"),
        (
            |it| (it.next.port, it.next.fold_n, it.next.net_idx_addrs) = (-2, 0, Vec::new()),
            "pod_fold: next.fold_n: 0 index words, and a neighbour in the pod (port -2) has exactly 1",
        ),
        (|it| it.qbundles.push(8), "qbundle: qbundles: queue bundle 8 does not exist: there are 0..=7"),
        (
            |it| it.broadcast = Broadcast::Derived { tpb: 8, allocated_dma_mask: [0; 8], m2s_register: 0xE0 },
            "tpb: tpb: core 8 does not exist: a device has 0..=7",
        ),
    ];
    for (change, expected) in cases {
        assert_eq!(told(change), expected);
    }
    let Topology::Kangaring { peers, .. } = kangaring().topology else { panic!() };
    let mut description = kangaring();
    let masked = PeerDescription { route_mask: 1 << 47, ..peers[1] };
    description.topology = Topology::Kangaring {
        is_primary: false,
        peer_selector: 1,
        peer_sema_id: 80,
        peers: vec![peers[0], masked, peers[2]],
    };
    assert_eq!(
        description.record(ARCH, 6).unwrap_err().to_string(),
        "peers[1]: route mask 0x0000800000000000 has a bit below bit 48, in the local part"
    );
}

#[test]
fn blocks_change_their_view_through_the_hosts() {
    let mut bytes = vec![0; View::Host.size_bytes()];
    bytes[..148].copy_from_slice(record(&ring()).as_bytes());
    bytes[4736 + 49 * 80] = 1;
    let host = Block::of_length(&bytes).unwrap();
    let sunda = host.convert(View::Sunda, SocAddress(5)).unwrap();
    assert_eq!((sunda.bytes.len(), sunda.stub_lost), (8744, None));
    let device = Block::of_length(&sunda.bytes).unwrap();
    assert_eq!(device.hier_stub, Some(SocAddress(5)));
    let back = device.convert(View::Host, SocAddress(7)).unwrap();
    assert!(back.bytes == bytes);
    assert_eq!(back.stub_lost, Some(SocAddress(5)));
    // From a view to itself nothing changes, whatever the stub shall be.
    let same = device.convert(View::Sunda, SocAddress(9)).unwrap();
    assert_eq!((same.bytes == sunda.bytes, same.stub_lost), (true, None));

    let mut cayman = host.convert(View::Cayman, SocAddress(0)).unwrap().bytes;
    cayman[4736 + 50 * 80 + 79] = 1;
    let error = Block::of_length(&cayman).unwrap().convert(View::Sunda, SocAddress(0)).unwrap_err();
    assert_eq!(error, MeshCapacity { event: 50, view: View::Sunda });
    assert_eq!(error.to_string(), "mesh event 50 is in use, and the sunda view has 50 events");
}

#[test]
fn a_block_of_any_other_length_is_none() {
    for view in View::ALL {
        for length in [0, view.size_bytes() - 1, view.size_bytes() + 1] {
            assert_eq!(Block::new(view, &vec![0; length]), None);
        }
    }
    assert!(RingChannel::ref_from_bytes(&[0; 147]).is_err());
    assert!(RingChannel::ref_from_bytes(&[0; 149]).is_err());
}
