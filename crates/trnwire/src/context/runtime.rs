//! The live state that a sync core keeps, and that the host only reads.

use core::mem::offset_of;

use zerocopy::little_endian::U16;

use crate::ring::RING_ROWS;
use crate::table::Legal::{Any, Depends};
use crate::table::{Reserved, record};

record! {
    /// The live state of a ring channel. It has no number: the row is the channel.
    pub struct RuntimeRow[16] = "runtime-row": "the live state of a ring channel on its sync core";

    // offset, field  type         unit   legal    sources
    0 recv_cnt:       U16,         Count, Any,     [RingDescriptorPage, FirmwareBook, RuntimeBook],
        "items received";
    2 send_credit:    U16,         Count, Any,     [RingDescriptorPage, FirmwareBook, RuntimeBook],
        "credit to send";
    4 repeat_cnt:     U16,         Count, Any,     [RingDescriptorPage, FirmwareBook, RuntimeBook],
        "repeats of the current step";
    6 m2s_val:        U16,         None,  Any,     [RingDescriptorPage, FirmwareBook, RuntimeBook],
        "value for the memory-to-stream tail";
    8 s2m_val:        U16,         None,  Any,     [RingDescriptorPage, FirmwareBook, RuntimeBook],
        "value for the stream-to-memory tail";
    10 gap:           Reserved<4>, None,  Depends, [RingDescriptorPage, FirmwareBook],
        "never printed by the runtime's dumper; meaning unknown";
    14 slot_idx:      u8,          Slot,  Any,     [RingDescriptorPage, FirmwareBook, RuntimeBook],
        "slot on the scratchpad";
    15 run_state:     u8,          None,  Any,     [RingDescriptorPage, FirmwareBook, RuntimeBook],
        "state of the channel; the values are unknown";
}

record! {
    /// The live state of all algorithms on a sync core.
    pub struct AlgoState[518] = "algo-state": "the live state of all algorithms on a sync core";

    // offset, field      type                     unit  legal  sources
    0 ring:               [RuntimeRow; RING_ROWS], None, Any,   [FirmwareBook, RuntimeBook],
        "ring channels";
    512 hier_run_state:   u8,                      None, Any,   [FirmwareBook, RuntimeBook],
        "state of the hierarchical part; the values are unknown";
    513 hier_reserved:    Reserved<3>,             None, Depends, [FirmwareBook],
        "not read by the runtime's dumper; meaning unknown";
    516 mesh_event_index: U16,                     None, Any,   [FirmwareBook, RuntimeBook],
        "the mesh event that is next";
}

const _: () = assert!(offset_of!(AlgoState, hier_run_state) == size_of::<[RuntimeRow; RING_ROWS]>());
