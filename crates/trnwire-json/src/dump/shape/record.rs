//! Records and blocks.

use trnwire::cc_op::CcOp;
use trnwire::context::RuntimeRow;
use trnwire::mesh::MeshEvent;
use trnwire::ring::{ApbBroadcast, Neighbor, PeerSemaphores, RING_ROWS, RingChannel};

use super::{
    ADDRESS_OBJECT, ADDRESS_SIZE, Check, Member, Node, Part, SEMAPHORE_OBJECT, When, array, field, first_byte,
    plain_object,
};

const NEIGHBOR: Node = Node::Object(
    &[
        Member::of(Neighbor::FIELDS, "fold_n"),
        Member::of(Neighbor::FIELDS, "type"),
        Member::as_node(Neighbor::FIELDS, "net_idx_addrs", Node::Live),
        Member::as_node(Neighbor::FIELDS, "net_idx_addrs", Node::Tail).key("net_idx_tail").wire(),
        Member::of(Neighbor::FIELDS, "reserved").wire(),
    ],
    Check::Neighbor,
);

const PEER: Node =
    Node::Object(&[Member::here("peer_id", Node::Position), Member::here("addr", ADDRESS_OBJECT)], Check::Nothing);
const PEER_SEMAPHORES: Node = Node::Object(
    &[
        Member::of(PeerSemaphores::FIELDS, "mine"),
        Member::as_node(PeerSemaphores::FIELDS, "peers", Node::Array(&PEER, trnwire::ring::MAX_PEERS, ADDRESS_SIZE)),
    ],
    Check::Nothing,
);

pub(super) const BROADCAST: Node = plain_object!(ApbBroadcast: "m2s_tail_ptr" "s2m_tail_ptr" "mask");

/// The member of a ring record that is byte 140 as it stands.
pub(crate) const WIRE_CHANNEL_ID: &str = "wire_channel_id";

pub(crate) const RING_CHANNEL: Node = Node::Object(
    &[
        Member::as_node(RingChannel::FIELDS, "next_neigh", NEIGHBOR),
        Member::as_node(RingChannel::FIELDS, "prev_neigh", NEIGHBOR),
        Member::of(RingChannel::FIELDS, "recv_sema"),
        Member::of(RingChannel::FIELDS, "send_sema"),
        Member::of(RingChannel::FIELDS, "post_sema"),
        Member::of(RingChannel::FIELDS, "dma_compl_sema"),
        Member::as_node(RingChannel::FIELDS, "kring_peer_semas", PEER_SEMAPHORES),
        Member::as_node(RingChannel::FIELDS, "dma_apb_bcast", BROADCAST),
        Member::as_node(RingChannel::FIELDS, "channel_id", Node::Position),
        Member::of(RingChannel::FIELDS, "spad_slot_idx"),
        Member::of(RingChannel::FIELDS, "fold_n"),
        Member::of(RingChannel::FIELDS, "kangaring_is_primary"),
        Member::of(RingChannel::FIELDS, "kangaring_num_peers"),
        Member::of(RingChannel::FIELDS, "channel_id").key(WIRE_CHANNEL_ID).wire(),
        Member::of(RingChannel::FIELDS, "reserved").wire(),
    ],
    Check::Row,
);

const fn leg(index: usize, key: &'static str) -> Member {
    Member::nth(MeshEvent::FIELDS, "dma_apb_bcast", index, size_of::<ApbBroadcast>(), key, BROADCAST)
}

const fn trigger(index: usize, key: &'static str) -> Member {
    Member::nth(MeshEvent::FIELDS, "direct_trigger_sema", index, ADDRESS_SIZE, key, SEMAPHORE_OBJECT)
}

pub(crate) const MESH_EVENT: Node = Node::Object(
    &[
        leg(0, "dma_apb_bcast_0"),
        leg(1, "dma_apb_bcast_1"),
        trigger(0, "direct_trigger_sema_0"),
        trigger(1, "direct_trigger_sema_1"),
        trigger(2, "direct_trigger_sema_2"),
        Member::of(MeshEvent::FIELDS, "event_wait_sema"),
        Member::of(MeshEvent::FIELDS, "wait_val"),
        Member::of(MeshEvent::FIELDS, "event_type"),
        Member::of(MeshEvent::FIELDS, "dma_trigger"),
        Member::of(MeshEvent::FIELDS, "direct_trigger"),
        Member::of(MeshEvent::FIELDS, "wait_event"),
    ],
    Check::Nothing,
);

pub(crate) const RUNTIME_ROW: Node = Node::Object(
    &[
        Member::here("channel_id", Node::Position),
        Member::of(RuntimeRow::FIELDS, "recv_cnt"),
        Member::of(RuntimeRow::FIELDS, "send_credit"),
        Member::of(RuntimeRow::FIELDS, "repeat_cnt"),
        Member::of(RuntimeRow::FIELDS, "m2s_val"),
        Member::of(RuntimeRow::FIELDS, "s2m_val"),
        Member::of(RuntimeRow::FIELDS, "slot_idx"),
        Member::of(RuntimeRow::FIELDS, "run_state"),
        Member::of(RuntimeRow::FIELDS, "gap").wire(),
    ],
    Check::Nothing,
);

/// An integer of a control slot, also where a reserved field has whole bytes.
const fn slot_bits(name: &'static str) -> Member {
    let field = field(CcOp::FIELDS, name);
    let node = Node::Bits { shift: field.bits.low % 8, width: field.bits.width() };
    Member { key: name, offset: first_byte(field), node, when: When::Always }
}

pub(crate) const CC_OP: Node = Node::Object(
    &[
        Member::here(
            "header",
            Node::Object(
                &[slot_bits("header_cc_op").key("cc_op"), slot_bits("header_reserved").key("reserved").wire()],
                Check::Nothing,
            ),
        ),
        Member::here(
            "cc_op",
            Node::Object(
                &[
                    slot_bits("algo_type"),
                    slot_bits("algo_sub_type"),
                    slot_bits("trigger_next"),
                    slot_bits("reporter"),
                    slot_bits("ring_wait_complete"),
                    slot_bits("ring_send_complete"),
                    Member::here("ring", Node::Object(&[slot_bits("channel_list")], Check::Nothing)),
                    Member::here(
                        "mesh",
                        Node::Object(&[slot_bits("sema_shift_offset"), slot_bits("sema_mask")], Check::Nothing),
                    ),
                    slot_bits("safe_mode").wire(),
                    slot_bits("unique_tensors").wire(),
                    slot_bits("flags_reserved").wire(),
                    slot_bits("reserved").wire(),
                ],
                Check::Union,
            ),
        ),
    ],
    Check::Nothing,
);

const STUB: Node = Node::Of(Part::Stub, &Node::Object(&[Member::here("__stub", Node::Address)], Check::Nothing));
const HIERARCHICAL: Member = Member::here("hierarchical", STUB);
const RINGS: Member = Member::here("ring", Node::Of(Part::Rows, &Node::Object(&[CHANNELS], Check::Nothing)));
const CHANNELS: Member = Member::here("channels", array::<RingChannel, RING_ROWS>(&RING_CHANNEL));
const EVENTS: Member = Member::here("mesh", Node::Of(Part::Events, &Node::Object(&[EVENT_LIST], Check::Nothing)));
const EVENT_LIST: Member = Member::here("events", Node::Events(&MESH_EVENT));

/// A block in the host's view.
pub(crate) const HOST_BLOCK: Node = Node::Object(&[RINGS, EVENTS], Check::Nothing);
/// A block in a device's view.
pub(crate) const DEVICE_BLOCK: Node = Node::Object(&[RINGS, EVENTS, HIERARCHICAL], Check::Nothing);
/// A block in any view, as it is read.
pub(crate) const ANY_BLOCK: Node =
    Node::Object(&[RINGS, EVENTS, Member { when: When::Optional, ..HIERARCHICAL }], Check::Nothing);
