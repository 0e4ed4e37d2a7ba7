//! The shape of the dump: which keys stand in which order, and what each is made from.
//!
//! Writer, reader and schema all walk these trees. Places come from the tables of the records, by the name of the field; a
//! name that no field has does not compile.

use trnwire::cc_op::CcOp;
use trnwire::context::{
    AlgoState, BarrierFlags, BarrierStep, BasicBlock, BasicBlockConfig, BasicBlockState, DeviceBarrier, DeviceConfig,
    DeviceIds, DmaAllocation, HostBarrier, NeffConfig, NeffFlags, NeffState, OpState, RuntimeRow, TpbIds,
};
use trnwire::mesh::MeshEvent;
use trnwire::ring::{ApbBroadcast, Neighbor, PeerSemaphores, RING_ROWS, RingChannel};
use trnwire::table::{Field, Shape};

/// A stretch of bytes that a tree reads. Where the parts of a context lie depends on its architecture; within a part
/// nothing does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// A record on its own, or the ring rows of a block.
    Rows,
    Events,
    Stub,
    Neff,
    Device,
    NeffState,
    AlgoState,
}

impl Part {
    pub(crate) const COUNT: usize = 7;

    pub(crate) const fn index(self) -> usize {
        match self {
            Self::Rows => 0,
            Self::Events => 1,
            Self::Stub => 2,
            Self::Neff => 3,
            Self::Device => 4,
            Self::NeffState => 5,
            Self::AlgoState => 6,
        }
    }
}

/// A value, and what it is made from. Offsets count from where the value above it begins.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Node {
    /// Members, in order.
    Object(&'static [Member], Check),
    /// So many elements, so many bytes apart.
    Array(&'static Self, usize, usize),
    /// As many elements as the part has room for.
    Events(&'static Self),
    /// What lies in another part.
    Of(Part, &'static Self),
    /// An address as a string.
    Address,
    /// An integer of so many bytes.
    Integer(u32),
    /// An integer of so many bits, behind so many of a byte.
    Bits { shift: u32, width: u32 },
    /// Bytes as hex.
    Hex(u32),
    /// The position in the array above, which no byte holds.
    Position,
    /// The index words that are live.
    Live,
    /// The index words behind them.
    Tail,
    /// The name of the model, which no byte holds.
    ModelName,
    /// One of two readings of a union, as a flag in it says.
    Barrier,
}

/// What must hold between the members of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Check {
    Nothing,
    /// There are as many index words as its fold_n says.
    Neighbor,
    /// The row's position is its channel, unless the row is unused.
    Row,
    /// The two views of the union agree.
    Union,
}

/// A key of an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    pub(crate) key: &'static str,
    pub(crate) offset: usize,
    pub(crate) node: Node,
    pub(crate) when: When,
}

/// When a member is printed. Members of an object that have the same answer are there all or not at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    Always,
    /// With `--full`.
    Full,
    /// With `--wire`.
    Wire,
    /// With both.
    FullAndWire,
    /// As the view of a block has it.
    Optional,
}

const fn is_same(one: &[u8], other: &[u8]) -> bool {
    match (one, other) {
        ([], []) => true,
        ([a, one @ ..], [b, other @ ..]) => *a == *b && is_same(one, other),
        _ => false,
    }
}

#[expect(clippy::panic, reason = "evaluated by the compiler only")]
const fn field(fields: &'static [Field], name: &str) -> &'static Field {
    match fields {
        [field, ..] if is_same(field.name.as_bytes(), name.as_bytes()) => field,
        [_, rest @ ..] => field(rest, name),
        [] => panic!("no field has this name"),
    }
}

#[expect(clippy::as_conversions, reason = "no conversion is const; offsets are small")]
const fn first_byte(field: &Field) -> usize {
    field.bits.first_byte() as usize
}

/// An address and its key.
const ADDRESS_OBJECT: Node =
    Node::Object(&[Member { key: "soc_addr", offset: 0, node: Node::Address, when: When::Always }], Check::Nothing);
/// The address of a semaphore, one object deeper.
const SEMAPHORE_OBJECT: Node =
    Node::Object(&[Member { key: "addr", offset: 0, node: ADDRESS_OBJECT, when: When::Always }], Check::Nothing);

/// What a field that is no record or array prints as.
#[expect(clippy::panic, reason = "evaluated by the compiler only")]
const fn plain(field: &Field) -> Node {
    match field.shape {
        Shape::Address => ADDRESS_OBJECT,
        Shape::SemaphoreAddress => SEMAPHORE_OBJECT,
        Shape::Reserved if field.bits.width().is_multiple_of(8) && field.bits.low.is_multiple_of(8) => {
            Node::Hex(field.bits.width() / 8)
        }
        Shape::Unsigned if field.bits.width().is_multiple_of(8) && field.bits.low.is_multiple_of(8) => {
            Node::Integer(field.bits.width() / 8)
        }
        Shape::Unsigned | Shape::Flag | Shape::Reserved => {
            Node::Bits { shift: field.bits.low % 8, width: field.bits.width() }
        }
        _ => panic!("say what the field prints as"),
    }
}

impl Member {
    /// A field that prints as its type does, under its own name.
    const fn of(fields: &'static [Field], name: &'static str) -> Self {
        let field = field(fields, name);
        Self { key: name, offset: first_byte(field), node: plain(field), when: When::Always }
    }

    /// A field that prints as this.
    const fn as_node(fields: &'static [Field], name: &'static str, node: Node) -> Self {
        Self { key: name, offset: first_byte(field(fields, name)), node, when: When::Always }
    }

    /// An element of a field that is an array, under a key of its own.
    const fn nth(
        fields: &'static [Field],
        name: &str,
        index: usize,
        size: usize,
        key: &'static str,
        node: Node,
    ) -> Self {
        let offset = first_byte(field(fields, name)).saturating_add(index.saturating_mul(size));
        Self { key, offset, node, when: When::Always }
    }

    /// A value at the place of the object itself.
    const fn here(key: &'static str, node: Node) -> Self {
        Self { key, offset: 0, node, when: When::Always }
    }

    const fn key(self, key: &'static str) -> Self {
        Self { key, ..self }
    }

    const fn wire(self) -> Self {
        let when = match self.when {
            When::Full => When::FullAndWire,
            _ => When::Wire,
        };
        Self { when, ..self }
    }

    const fn full(self) -> Self {
        Self { when: When::Full, ..self }
    }
}

const fn array<T, const LENGTH: usize>(element: &'static Node) -> Node {
    Node::Array(element, LENGTH, size_of::<T>())
}

const ADDRESS_SIZE: usize = 8;

/// An object whose members are fields that print as their types do.
macro_rules! plain_object {
    ($Record:ident: $($name:literal)*) => {
        Node::Object(&[$( Member::of($Record::FIELDS, $name) ),*], Check::Nothing)
    };
}

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

const BROADCAST: Node = plain_object!(ApbBroadcast: "m2s_tail_ptr" "s2m_tail_ptr" "mask");

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

const NEFF_CONFIG: Node = Node::Object(
    &[
        full_as("dma_alloc_bitmap", array::<DmaAllocation, 8>(&DMA_ALLOCATION)),
        full_as("barrier_configs", Node::Barrier),
        full_as("basic_block_configs", BASIC_BLOCKS),
        slot_base(0, "slot_spad_base_0"),
        slot_base(1, "slot_spad_base_1"),
        slot_base(2, "slot_spad_base_2"),
        slot_base(3, "slot_spad_base_3"),
        slot_base(4, "slot_spad_base_4"),
        slot_base(5, "slot_spad_base_5"),
        Member::of(NeffConfig::FIELDS, "ctrl_spad_base").full(),
        Member::of(NeffConfig::FIELDS, "trigger").full(),
        Member::of(NeffConfig::FIELDS, "trigger_next").full(),
        Member::of(NeffConfig::FIELDS, "complete").full(),
        Member::of(NeffConfig::FIELDS, "complete_prev").full(),
        Member::of(NeffConfig::FIELDS, "tpb_stop_sema").full(),
        Member::of(NeffConfig::FIELDS, "op_num").full(),
        flag("leader").full(),
        Member::of(NeffConfig::FIELDS, "tpb_compl_addr_num").full(),
        Member::of(NeffConfig::FIELDS, "function_n").full().wire(),
        flag("dbg_cc_nop").full().wire(),
        flag("host_cc").full().wire(),
    ],
    Check::Nothing,
);

const fn full_as(name: &'static str, node: Node) -> Member {
    Member::as_node(NeffConfig::FIELDS, name, node).full()
}

const fn slot_base(index: usize, key: &'static str) -> Member {
    Member::nth(NeffConfig::FIELDS, "slot_spad_base", index, ADDRESS_SIZE, key, ADDRESS_OBJECT).full()
}

/// A bit of a byte that is cut into bits.
const fn bits_in(fields: &'static [Field], byte: &str, bits: &'static [Field], name: &'static str) -> Member {
    let member = Member::of(bits, name);
    Member { offset: first_byte(field(fields, byte)), ..member }
}

const fn flag(name: &'static str) -> Member {
    bits_in(NeffConfig::FIELDS, "flags", NeffFlags::BYTE.fields, name)
}

const DMA_ALLOCATION: Node = plain_object!(DmaAllocation: "queue_id" "dma_engines_bitmap");
const BASIC_BLOCK: Node = plain_object!(BasicBlock: "desc_count" "reset_section_desc_count");
const BASIC_BLOCKS: Node = Node::Object(
    &[
        Member::as_node(BasicBlockConfig::FIELDS, "table", array::<BasicBlock, 256>(&BASIC_BLOCK)),
        Member::of(BasicBlockConfig::FIELDS, "switch_completed"),
        Member::of(BasicBlockConfig::FIELDS, "pring_base"),
        Member::of(BasicBlockConfig::FIELDS, "pring_total"),
    ],
    Check::Nothing,
);

/// Which barrier a union holds.
pub(crate) const BARRIER_FLAG: Member =
    bits_in(DeviceBarrier::FIELDS, "flags", BarrierFlags::BYTE.fields, "device_barrier");
/// The union when the flag is 1.
pub(crate) const BARRIER_ON_DEVICE: Node =
    Node::Object(&[BARRIER_FLAG, Member::here("device", DEVICE_BARRIER)], Check::Nothing);
/// The union when it is 0.
pub(crate) const BARRIER_ON_HOST: Node =
    Node::Object(&[BARRIER_FLAG, Member::here("host", HOST_BARRIER)], Check::Nothing);

const HOST_BARRIER: Node = plain_object!(HostBarrier: "barrier_start" "barrier_done");
const BARRIER_STEP: Node = Node::Object(
    &[
        Member::of(BarrierStep::FIELDS, "m2s"),
        Member::of(BarrierStep::FIELDS, "s2m"),
        Member::as_node(BarrierStep::FIELDS, "sema", Node::Array(&ADDRESS_OBJECT, 4, ADDRESS_SIZE)),
        Member::as_node(BarrierStep::FIELDS, "target", Node::Array(&Node::Integer(4), 4, 4)),
    ],
    Check::Nothing,
);
const DEVICE_BARRIER: Node = Node::Object(
    &[
        Member::as_node(DeviceBarrier::FIELDS, "steps", array::<BarrierStep, 4>(&BARRIER_STEP)),
        Member::as_node(DeviceBarrier::FIELDS, "dma_sync_sema", Node::Array(&ADDRESS_OBJECT, 4, ADDRESS_SIZE)),
        Member::as_node(DeviceBarrier::FIELDS, "dma_apb_bcast", BROADCAST),
        Member::of(DeviceBarrier::FIELDS, "start_network_proxy"),
        Member::of(DeviceBarrier::FIELDS, "dma_sync_sema_value"),
        Member::of(DeviceBarrier::FIELDS, "tdrbp_low"),
        Member::of(DeviceBarrier::FIELDS, "tdrbp_high"),
        Member::of(DeviceBarrier::FIELDS, "desc_count"),
        Member::of(DeviceBarrier::FIELDS, "total"),
        Member::of(DeviceBarrier::FIELDS, "dma_engines_bitmap"),
        Member::of(DeviceBarrier::FIELDS, "queue_id"),
    ],
    Check::Nothing,
);

const DEVICE_CONFIG: Node = Node::Object(
    &[
        Member::here(
            "tsync",
            plain_object!(DeviceConfig:
                "dma_apb_rsvd_addr" "eng_tpb" "timestamp_local" "timestamp_tpb" "timestamp_tpb_val"),
        )
        .full(),
        bits_in(DeviceConfig::FIELDS, "tpb", TpbIds::BYTE.fields, "tpb_id").full(),
        bits_in(DeviceConfig::FIELDS, "tpb", TpbIds::BYTE.fields, "seng_id").full(),
        bits_in(DeviceConfig::FIELDS, "device", DeviceIds::BYTE.fields, "dev_id").full(),
        Member::of(DeviceConfig::FIELDS, "tpb_ctrl_ack").full(),
    ],
    Check::Nothing,
);

const fn slot_address(index: usize, key: &'static str) -> Member {
    Member::nth(BasicBlockState::FIELDS, "slot_spad_addr", index, ADDRESS_SIZE, key, ADDRESS_OBJECT)
}

const OP_STATE: Node = Node::Object(
    &[
        Member::as_node(OpState::FIELDS, "ctrl_entry", CC_OP),
        Member::as_node(OpState::FIELDS, "tpb_compl", Node::Array(&ADDRESS_OBJECT, 2, ADDRESS_SIZE)),
        Member::of(OpState::FIELDS, "id"),
        Member::of(OpState::FIELDS, "reporter"),
    ],
    Check::Nothing,
);
const BASIC_BLOCK_STATE: Node = Node::Object(
    &[
        Member::of(BasicBlockState::FIELDS, "curr_id"),
        Member::of(BasicBlockState::FIELDS, "ctrl_spad_addr"),
        slot_address(0, "slot_spad_addr_0"),
        slot_address(1, "slot_spad_addr_1"),
        slot_address(2, "slot_spad_addr_2"),
        slot_address(3, "slot_spad_addr_3"),
        slot_address(4, "slot_spad_addr_4"),
        slot_address(5, "slot_spad_addr_5"),
    ],
    Check::Nothing,
);
const NEFF_STATE: Node = Node::Object(
    &[
        Member::of(NeffState::FIELDS, "barrier_completed").full(),
        Member::as_node(NeffState::FIELDS, "op", OP_STATE).full(),
        Member::as_node(NeffState::FIELDS, "basic_block", BASIC_BLOCK_STATE).full(),
    ],
    Check::Nothing,
);

/// The live state of all algorithms.
pub(crate) const ALGO_STATE: Node = Node::Object(
    &[
        Member::as_node(
            AlgoState::FIELDS,
            "ring",
            Node::Object(&[Member::here("channels", array::<RuntimeRow, RING_ROWS>(&RUNTIME_ROW))], Check::Nothing),
        ),
        Member::here(
            "hierarchical",
            Node::Object(
                &[
                    Member::of(AlgoState::FIELDS, "hier_run_state").key("run_state"),
                    Member::of(AlgoState::FIELDS, "hier_reserved").key("reserved").wire(),
                ],
                Check::Nothing,
            ),
        ),
        Member::here(
            "mesh",
            Node::Object(&[Member::of(AlgoState::FIELDS, "mesh_event_index").key("event_index")], Check::Nothing),
        ),
    ],
    Check::Nothing,
);

/// A whole context.
pub(crate) const CONTEXT: Node = Node::Object(
    &[
        Member::here("model_name", Node::ModelName),
        Member::here(
            "ncfw_ctx_top_sp",
            Node::Object(
                &[
                    Member::here(
                        "configs",
                        Node::Object(
                            &[
                                Member::here("algo", DEVICE_BLOCK),
                                Member::here("neff", Node::Of(Part::Neff, &NEFF_CONFIG)),
                                Member::here("dev", Node::Of(Part::Device, &DEVICE_CONFIG)),
                            ],
                            Check::Nothing,
                        ),
                    ),
                    Member::here("neff", Node::Of(Part::NeffState, &NEFF_STATE)),
                    Member::here("algo", Node::Of(Part::AlgoState, &ALGO_STATE)),
                ],
                Check::Nothing,
            ),
        ),
    ],
    Check::Nothing,
);
