//! The parts of a whole context.

use trnwire::context::{
    AlgoState, BarrierFlags, BarrierStep, BasicBlock, BasicBlockConfig, BasicBlockState, DeviceBarrier, DeviceConfig,
    DeviceIds, DmaAllocation, HostBarrier, NeffConfig, NeffFlags, NeffState, OpState, RuntimeRow, TpbIds,
};
use trnwire::ring::RING_ROWS;
use trnwire::table::Field;

use super::record::{BROADCAST, CC_OP, DEVICE_BLOCK, RUNTIME_ROW};
use super::{ADDRESS_OBJECT, ADDRESS_SIZE, Check, Member, Node, Part, array, field, first_byte, plain_object};

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
