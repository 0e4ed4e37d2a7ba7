//! What a sync core knows of the program that is loaded, and what it keeps while it runs one.
//!
//! Of these parts the sources know offsets and names, seldom more.

use zerocopy::little_endian::{U16, U32, U64};

use crate::cc_op::CcOpWire;
use crate::ring::ApbBroadcast;
use crate::soc::Address;
use crate::table::Legal::{Any, Depends};
use crate::table::{Bytes, Reserved, Shape, Wire, bitword, record};

record! {
    /// What the program configures.
    pub struct NeffConfig[3592];

    // offset, field          type                   unit        legal    sources
    0 dma_alloc_bitmap:       [DmaAllocation; 8],    None,       Any,     [FirmwareBook, RuntimeBook],
        "DMA queue and engines of each queue bundle";
    64 desc_count:            Bytes<2080>,           None,       Depends, [FirmwareBook, RuntimeBook],
        "counts of descriptors; layout unknown";
    2144 slot_spad_base:      [Address; 6],          None,       Any,     [FirmwareBook, RuntimeBook],
        "scratchpads of slots";
    2192 ctrl_spad_base:      Address,               None,       Any,     [FirmwareBook, RuntimeBook],
        "scratchpad of control slots";
    2200 barrier_configs:     Bytes<296>,            None,       Depends, [FirmwareBook, RuntimeBook],
        "barrier: on the device or the host, which bit 0 of its byte 292 tells";
    2496 basic_block_configs: BasicBlockConfig,      None,       Any,     [FirmwareBook, RuntimeBook],
        "basic blocks";
    3544 trigger:             Address,               None,       Any,     [FirmwareBook, RuntimeBook],
        "starts an operation";
    3552 trigger_next:        Address,               None,       Any,     [FirmwareBook, RuntimeBook],
        "starts the next operation";
    3560 complete:            Address,               None,       Any,     [FirmwareBook, RuntimeBook],
        "tells that an operation is complete";
    3568 complete_prev:       Address,               None,       Any,     [FirmwareBook, RuntimeBook],
        "tells that the operation before is complete";
    3576 tpb_stop_sema:       Address,               None,       Any,     [FirmwareBook, RuntimeBook],
        "stops the core";
    3584 op_num:              U32,                   Count,      Any,     [FirmwareBook, RuntimeBook],
        "operations";
    3588 function_n:          U16,                   Count,      Any,     [FirmwareBook, RuntimeBook],
        "functions";
    3590 tpb_compl_addr_num:  u8,                    Count,      Any,     [FirmwareBook, RuntimeBook],
        "addresses that are told of completion";
    3591 flags:               NeffFlags,             None,       Any,     [FirmwareBook, RuntimeBook],
        "flags";
}

record! {
    /// DMA queue and engines of a queue bundle.
    pub struct DmaAllocation[8];

    // offset, field          type  unit  legal  sources
    0 queue_id:               U32,  None, Any,   [RuntimeBook],
        "the DMA queue (the firmware book has the two words the other way round)";
    4 dma_engines_bitmap:     U32,  None, Any,   [RuntimeBook],
        "DMA engines, a bit each";
}

record! {
    /// Basic blocks of the program.
    pub struct BasicBlockConfig[1048];

    // offset, field     type               unit        legal    sources
    0 table:             [BasicBlock; 256], None,       Any,     [FirmwareBook, RuntimeBook],
        "basic blocks";
    1024 switch_completed: Address,         None,       Any,     [FirmwareBook, RuntimeBook],
        "tells that the block has changed";
    1032 pring_base:     Address,           None,       Any,     [FirmwareBook, RuntimeBook],
        "ring of descriptors";
    1040 pring_total:    U32,               Descriptor, Any,     [FirmwareBook, RuntimeBook],
        "its length";
    1044 reserved:       Reserved<4>,       None,       Depends, [],
        "no source names it";
}

record! {
    /// A basic block.
    pub struct BasicBlock[4];

    // offset, field             type         unit        legal    sources
    0 desc_count:                U16,         Descriptor, Any,     [FirmwareBook, RuntimeBook],
        "descriptors of the block";
    2 reset_section_desc_count:  u8,          Descriptor, Any,     [FirmwareBook, RuntimeBook],
        "descriptors of its reset section";
    3 reserved:                  Reserved<1>, None,       Depends, [],
        "no source names it";
}

record! {
    /// A barrier that the device runs.
    pub struct DeviceBarrier[296];

    // offset, field        type             unit       legal    sources
    0 steps:                [BarrierStep; 4], None,     Any,     [FirmwareBook, RuntimeBook],
        "its steps";
    208 dma_sync_sema:      [Address; 4],    Semaphore, Any,     [FirmwareBook, RuntimeBook; Inferred],
        "semaphores of DMA (their number is inferred from the 32 bytes)";
    240 dma_apb_bcast:      ApbBroadcast,    None,      Any,     [FirmwareBook, RuntimeBook],
        "how its DMA rings are started";
    260 start_network_proxy: Address,        None,      Any,     [FirmwareBook, RuntimeBook],
        "starts the network proxy";
    268 dma_sync_sema_value: U32,            None,      Any,     [FirmwareBook, RuntimeBook],
        "value of the DMA semaphores";
    272 tdrbp_low:          U32,             None,      Any,     [FirmwareBook, RuntimeBook],
        "ring base pointer, low half";
    276 tdrbp_high:         U32,             None,      Any,     [FirmwareBook, RuntimeBook],
        "ring base pointer, high half";
    280 desc_count:         U32,             Descriptor, Any,    [FirmwareBook, RuntimeBook],
        "descriptors";
    284 total:              U32,             None,      Any,     [FirmwareBook, RuntimeBook],
        "total";
    288 dma_engines_bitmap: U16,             None,      Any,     [FirmwareBook, RuntimeBook],
        "DMA engines, a bit each";
    290 queue_id:           u8,              None,      Any,     [FirmwareBook, RuntimeBook],
        "DMA queue";
    291 reserved_291:       Reserved<1>,     None,      Depends, [],
        "no source names it";
    292 flags:              BarrierFlags,    None,      Any,     [FirmwareBook, RuntimeBook],
        "which barrier it is";
    293 reserved_293:       Reserved<3>,     None,      Depends, [],
        "no source names it";
}

record! {
    /// A step of a barrier.
    pub struct BarrierStep[52];

    // offset, field  type         unit       legal  sources
    0 m2s:            U16,         None,      Any,   [FirmwareBook, RuntimeBook],
        "memory-to-stream tail";
    2 s2m:            U16,         None,      Any,   [FirmwareBook, RuntimeBook],
        "stream-to-memory tail";
    4 sema:           [Address; 4], Semaphore, Any,  [FirmwareBook, RuntimeBook],
        "semaphores";
    36 target:        [U32; 4],    None,      Any,   [FirmwareBook, RuntimeBook],
        "their values";
}

record! {
    /// A barrier that the host runs.
    pub struct HostBarrier[296];

    // offset, field   type           unit       legal    sources
    0 barrier_start:   Address,       Semaphore, Any,     [FirmwareBook, RuntimeBook],
        "begins it";
    8 barrier_done:    Address,       Semaphore, Any,     [FirmwareBook, RuntimeBook],
        "ends it";
    16 reserved_16:    Reserved<276>, None,      Depends, [],
        "the rest of the union";
    292 flags:         BarrierFlags,  None,      Any,     [FirmwareBook, RuntimeBook],
        "which barrier it is";
    293 reserved_293:  Reserved<3>,   None,      Depends, [],
        "no source names it";
}

const _: () = assert!(size_of::<Bytes<296>>() == size_of::<DeviceBarrier>());
const _: () = assert!(size_of::<Bytes<296>>() == size_of::<HostBarrier>());

record! {
    /// What the device configures.
    pub struct DeviceConfig[48];

    // offset, field       type         unit  legal    sources
    0 dma_apb_rsvd_addr:   Address,     None, Any,     [FirmwareBook, RuntimeBook],
        "reserved address for broadcasts";
    8 eng_tpb:             Address,     None, Any,     [FirmwareBook, RuntimeBook],
        "the core";
    16 timestamp_local:    Address,     None, Any,     [FirmwareBook, RuntimeBook],
        "clock of the sync core";
    24 timestamp_tpb:      Address,     None, Any,     [FirmwareBook, RuntimeBook],
        "clock of the core";
    32 timestamp_tpb_val:  U32,         None, Any,     [FirmwareBook, RuntimeBook],
        "value for that clock";
    36 tpb_ctrl_ack:       U64,         None, Any,     [FirmwareBook, RuntimeBook],
        "acknowledges control";
    44 tpb:                TpbIds,      None, Any,     [FirmwareBook, RuntimeBook],
        "numbers of the core";
    45 device:             DeviceIds,   None, Any,     [FirmwareBook, RuntimeBook],
        "number of the device";
    46 reserved:           Reserved<2>, None, Depends, [],
        "no source names it";
}

record! {
    /// What a sync core keeps of the program that runs.
    pub struct NeffState[96];

    // offset, field         type            unit  legal    sources
    0 op:                    OpState,         None, Any,     [FirmwareBook, RuntimeBook],
        "the operation that runs";
    32 basic_block:          BasicBlockState, None, Any,     [FirmwareBook, RuntimeBook],
        "the basic block that runs";
    92 barrier_completed:    u8,              None, Any,     [FirmwareBook, RuntimeBook],
        "the barrier is complete";
    93 reserved:             Reserved<3>,     None, Depends, [],
        "no source names it";
}

record! {
    /// The operation that runs.
    pub struct OpState[32];

    // offset, field  type          unit  legal    sources
    0 ctrl_entry:     CcOpWire,     None, Any,     [FirmwareBook, RuntimeBook],
        "its control slot";
    8 tpb_compl:      [Address; 2], None, Any,     [FirmwareBook, RuntimeBook; Inferred],
        "addresses that are told of completion (one source has them 16 bytes apart, which overlaps id)";
    24 id:            U32,          None, Any,     [RuntimeBook],
        "number of the operation";
    28 reporter:      u8,           None, Any,     [RuntimeBook],
        "it reports completion";
    29 reserved:      Reserved<3>,  None, Depends, [],
        "no source names it";
}

record! {
    /// The basic block that runs.
    pub struct BasicBlockState[60];

    // offset, field    type          unit  legal  sources
    0 slot_spad_addr:   [Address; 6], None, Any,   [RingDescriptorPage; Inferred],
        "scratchpads of slots";
    48 ctrl_spad_addr:  Address,      None, Any,   [RuntimeBook, RingDescriptorPage],
        "scratchpad of control slots";
    56 curr_id:         U32,          None, Any,   [RuntimeBook],
        "number of the block";
}

macro_rules! flag_byte {
    ($(
        $(#[$doc:meta])* $Byte:ident = $kind:literal, $title:literal: {
            $( $FIELD:ident $name:literal [$high:literal : $low:literal] $shape:ident, $sources:tt, $meaning:literal; )*
        }
        [$($member:ident),*]
    )*) => { $(
        bitword! {
            $(#[$doc])*
            #[derive(
                Clone, Copy, Debug, Default, PartialEq, Eq,
                zerocopy::FromBytes, zerocopy::IntoBytes, zerocopy::KnownLayout, zerocopy::Immutable, zerocopy::Unaligned,
            )]
            #[repr(transparent)]
            pub struct $Byte(u8) = $kind: $title;
            fields { $( $FIELD $name [$high : $low] $shape, None, Any, $sources, $meaning; )* }
            layouts { BYTE $kind when "always": [$($member),*]; }
        }

        impl Wire for $Byte {
            const SHAPE: Shape = Shape::Record($kind, Self::BYTE.fields);
        }
    )* };
}

flag_byte! {
    /// Flags of a program.
    NeffFlags = "neff-flags", "flags of a program": {
        LEADER       "leader"     [0:0] Flag,     [FirmwareBook, RuntimeBook], "the sync core leads the others";
        DBG_CC_NOP   "dbg_cc_nop" [1:1] Flag,     [FirmwareBook, RuntimeBook], "collectives do nothing, for debugging";
        HOST_CC      "host_cc"    [2:2] Flag,     [FirmwareBook, RuntimeBook], "the host runs collectives";
        RESERVED     "reserved"   [7:3] Reserved, [],                          "no source names it";
    }
    [LEADER, DBG_CC_NOP, HOST_CC, RESERVED]

    /// Which barrier a union holds.
    BarrierFlags = "barrier-flags", "which barrier a union holds": {
        DEVICE_BARRIER "device_barrier" [0:0] Flag,     [FirmwareBook, RuntimeBook], "the device runs it; 0: the host does";
        RESERVED       "reserved"       [7:1] Reserved, [],                          "no source names it";
    }
    [DEVICE_BARRIER, RESERVED]

    /// Numbers of a core.
    TpbIds = "tpb-ids", "numbers of a core": {
        TPB_ID  "tpb_id"  [3:0] Unsigned, [FirmwareBook, RuntimeBook], "the core";
        SENG_ID "seng_id" [7:4] Unsigned, [FirmwareBook, RuntimeBook], "the sequencer engine";
    }
    [TPB_ID, SENG_ID]

    /// Number of a device.
    DeviceIds = "device-ids", "number of a device": {
        DEV_ID   "dev_id"   [3:0] Unsigned, [FirmwareBook, RuntimeBook], "the device";
        RESERVED "reserved" [7:4] Reserved, [],                          "no source names it";
    }
    [DEV_ID, RESERVED]
}
