//! The control slot on a scratchpad: which operation a top-SP is to run, on which channels.

use core::fmt;

use zerocopy::little_endian::U64;

use crate::check::{Finding, Rule};
use crate::table::Legal::{Any, Depends, Range};
use crate::table::{Field, Shape, Wire, bitword};

bitword! {
    /// A control slot, as a number (on the wire it is eight bytes, little-endian).
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
    pub struct CcOp(u64) = "cc-op": "the control slot that names the operation of a top-SP and its channels";

    fields {
        // constant           name                  bits     type      unit       legal         sources
        HEADER_CC_OP          "header_cc_op"        [0:0]    Flag,     None,      Any,          [RuntimeBook, FirmwareBook],
            "the slot holds an operation";
        HEADER_RESERVED       "header_reserved"     [7:1]    Reserved, None,      Range(0, 0),  [RuntimeBook, FirmwareBook],
            "zero in a fresh slot; kept when a slot is used again";
        ALGO_TYPE             "algo_type"           [11:8]   Unsigned, None,      Range(0, 1),  [RuntimeBook, RingDescriptorPage, NecHeader],
            "pattern: 0 ring, 1 mesh, 2 invalid, others unassigned (one source reads a finer list of algorithms here)";
        ALGO_SUB_TYPE         "algo_sub_type"       [14:12]  Unsigned, None,      Any,          [RuntimeBook, FirmwareBook],
            "variant of the pattern; opaque";
        TRIGGER_NEXT          "trigger_next"        [15:15]  Flag,     None,      Any,          [RuntimeBook, FirmwareBook],
            "start the next operation";
        REPORTER              "reporter"            [16:16]  Flag,     None,      Depends,      [RuntimeBook, FirmwareBook],
            "this top-SP reports completion; one with channel 0 must";
        RING_WAIT_COMPLETE    "ring_wait_complete"  [17:17]  Flag,     None,      Any,          [RuntimeBook, FirmwareBook],
            "wait for a top-SP with a lower number (one page swaps this bit with the next)";
        RING_SEND_COMPLETE    "ring_send_complete"  [18:18]  Flag,     None,      Any,          [RuntimeBook, FirmwareBook],
            "tell a top-SP with a higher number";
        SAFE_MODE             "safe_mode"           [19:19]  Flag,     None,      Any,          [RuntimeBook, FirmwareBook],
            "from the context's flag for chains of permutes";
        UNIQUE_TENSORS        "unique_tensors"      [20:20]  Flag,     None,      Any,          [RuntimeBook, FirmwareBook],
            "from the context";
        FLAGS_RESERVED        "flags_reserved"      [23:21]  Reserved, None,      Range(0, 0),  [RuntimeBook, FirmwareBook],
            "zero in a fresh slot; kept when a slot is used again";
        RESERVED              "reserved"            [31:24]  Reserved, None,      Range(0, 0),  [RuntimeBook, FirmwareBook],
            "zero in a fresh slot; kept when a slot is used again";
        CHANNEL_LIST          "channel_list"        [63:32]  Unsigned, Channel,   Any,          [RuntimeBook, FirmwareBook],
            "the channels that take part, a bit each";
        SEMA_SHIFT_OFFSET     "sema_shift_offset"   [47:32]  Unsigned, Semaphore, Any,          [RuntimeBook, FirmwareBook],
            "offset of the semaphores of this operation";
        SEMA_MASK             "sema_mask"           [63:48]  Unsigned, Semaphore, Any,          [RuntimeBook, FirmwareBook],
            "mask of the semaphores of this operation";
    }

    layouts {
        RING "ring" when "algo_type is not 1":
            [HEADER_CC_OP, HEADER_RESERVED, ALGO_TYPE, ALGO_SUB_TYPE, TRIGGER_NEXT, REPORTER, RING_WAIT_COMPLETE,
             RING_SEND_COMPLETE, SAFE_MODE, UNIQUE_TENSORS, FLAGS_RESERVED, RESERVED, CHANNEL_LIST];
        MESH "mesh" when "algo_type is 1":
            [HEADER_CC_OP, HEADER_RESERVED, ALGO_TYPE, ALGO_SUB_TYPE, TRIGGER_NEXT, REPORTER, RING_WAIT_COMPLETE,
             RING_SEND_COMPLETE, SAFE_MODE, UNIQUE_TENSORS, FLAGS_RESERVED, RESERVED, SEMA_SHIFT_OFFSET, SEMA_MASK];
    }
}

/// A control slot as it stands in memory: eight bytes, little-endian, at any alignment.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    zerocopy::FromBytes,
    zerocopy::IntoBytes,
    zerocopy::KnownLayout,
    zerocopy::Immutable,
    zerocopy::Unaligned,
)]
#[repr(transparent)]
pub struct CcOpWire(U64);

impl CcOpWire {
    /// The slot as a number.
    #[must_use]
    #[inline]
    pub const fn get(self) -> CcOp {
        CcOp::from_bits(self.0.get())
    }
}

impl From<CcOp> for CcOpWire {
    fn from(slot: CcOp) -> Self {
        Self(U64::new(slot.bits()))
    }
}

impl Wire for CcOpWire {
    const SHAPE: Shape = Shape::Record(CcOp::TABLE.kind, CcOp::FIELDS);
}

/// What algo_type says: the pattern of the operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// 0: the union holds the channels.
    Ring,
    /// 1: the union holds the semaphores.
    Mesh,
    /// 2.
    Invalid,
    /// 3 and above.
    Unassigned(u8),
}

impl CcOp {
    /// Every field of both readings: the union is there in both of its views.
    pub const FIELDS: &'static [Field] = &[
        Self::HEADER_CC_OP,
        Self::HEADER_RESERVED,
        Self::ALGO_TYPE,
        Self::ALGO_SUB_TYPE,
        Self::TRIGGER_NEXT,
        Self::REPORTER,
        Self::RING_WAIT_COMPLETE,
        Self::RING_SEND_COMPLETE,
        Self::SAFE_MODE,
        Self::UNIQUE_TENSORS,
        Self::FLAGS_RESERVED,
        Self::RESERVED,
        Self::CHANNEL_LIST,
        Self::SEMA_SHIFT_OFFSET,
        Self::SEMA_MASK,
    ];

    /// The slot in these bytes.
    #[must_use]
    pub const fn from_wire(bytes: [u8; 8]) -> Self {
        Self::from_bits(u64::from_le_bytes(bytes))
    }

    /// Its bytes in memory.
    #[must_use]
    pub const fn to_wire(self) -> [u8; 8] {
        self.bits().to_le_bytes()
    }

    /// Reads a field.
    #[must_use]
    pub const fn get(self, field: &Field) -> u64 {
        field.bits.wide_get(self.bits())
    }

    /// The slot with another value in a field; bits that do not fit are dropped.
    #[must_use]
    pub const fn with(self, field: &Field, value: u64) -> Self {
        Self::from_bits(self.bits() & !field.bits.wide_mask() | field.bits.wide_place(value))
    }

    /// The pattern of the operation.
    #[must_use]
    pub const fn pattern(self) -> Pattern {
        match self.get(&Self::ALGO_TYPE) {
            0 => Pattern::Ring,
            1 => Pattern::Mesh,
            2 => Pattern::Invalid,
            other => Pattern::Unassigned(other.to_le_bytes()[0]),
        }
    }

    /// The bits that packing over a used slot keeps.
    const KEPT: u64 = Self::HEADER_RESERVED.bits.wide_mask()
        | Self::FLAGS_RESERVED.bits.wide_mask()
        | Self::RESERVED.bits.wide_mask();

    /// This slot packed over a used one: reserved bits of the old one stay, the operation is set. Nothing is checked.
    #[must_use]
    pub const fn merge_over(self, old: Self) -> Self {
        Self::from_bits(old.bits() & Self::KEPT | self.bits() & !Self::KEPT).with(&Self::HEADER_CC_OP, 1)
    }

    /// Reports all that is wrong, then all that is odd, each in the order of the rules.
    pub fn judge(self, mut report: impl FnMut(Finding)) {
        let found = |rule, field: &Field| {
            let offset = usize::try_from(field.bits.first_byte()).unwrap_or_default();
            Finding::new(rule, offset, self.get(field))
        };
        match self.pattern() {
            Pattern::Ring | Pattern::Mesh => {}
            Pattern::Invalid => report(found(Rule::AlgoInvalid, &Self::ALGO_TYPE)),
            Pattern::Unassigned(_) => report(found(Rule::AlgoUnknown, &Self::ALGO_TYPE)),
        }
        if self.get(&Self::HEADER_CC_OP) == 0 && self.bits() >> 8 != 0 {
            report(Finding::new(Rule::DisabledWithPayload, 1, self.bits() >> 8));
        }
        let reserved = [Self::HEADER_RESERVED, Self::FLAGS_RESERVED, Self::RESERVED];
        if let Some(field) = reserved.iter().find(|field| self.get(field) != 0) {
            report(found(Rule::ReservedNonzero, field));
        }
    }
}

/// Channels of a top-SP, to be packed into its control slot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChannelSet<'a> {
    /// The runtime's number of this top-SP.
    pub sp_idx: i64,
    /// Variant of the pattern, below 8.
    pub algo_sub_type: i64,
    /// Start the next operation.
    pub trigger_next: bool,
    /// The context runs a chain of permutes.
    pub safe_mode: bool,
    /// From the context.
    pub unique_tensors: bool,
    /// The slot that is used again, if one is.
    pub old: Option<CcOp>,
    /// All channels, also those of other top-SPs.
    pub channels: &'a [Channel],
}

/// A channel as the host knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    /// Its number in its ring.
    pub id: i64,
    /// Its number on the top-SP.
    pub abs_id: i64,
    /// It takes part.
    pub active: bool,
    /// The top-SP that runs it.
    pub sp_idx: i64,
    /// It reports completion.
    pub reporter: bool,
    /// The top-SPs of its neighbours.
    pub neighbor_sp_idx: alloc::vec::Vec<i64>,
}

/// Why channels are not packed: the variant, then the first one in the order of the channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PackError {
    /// The variant does not fit its bits.
    SubType(i64),
    /// A channel beyond the 32 bits of the list.
    ChannelId {
        /// Its position among the channels.
        position: usize,
        /// Its number.
        abs_id: i64,
    },
    /// Channel 0 of a ring does not report.
    Reporter {
        /// Its position among the channels.
        position: usize,
    },
}

impl PackError {
    /// The name in vectors and JSON.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::SubType(_) => "field_range",
            Self::ChannelId { .. } => "channel_id",
            Self::Reporter { .. } => "reporter",
        }
    }
}

impl fmt::Display for PackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SubType(sub_type) => write!(f, "algo_sub_type: {sub_type} is outside 0..=7"),
            Self::ChannelId { position, abs_id } => {
                write!(f, "channels[{position}].abs_id: {abs_id} is outside 0..=31")
            }
            Self::Reporter { position } => {
                write!(f, "channels[{position}].reporter: the channel with id 0 must report, and does not")
            }
        }
    }
}

impl core::error::Error for PackError {}

impl ChannelSet<'_> {
    /// The control slot for the active channels of this top-SP.
    ///
    /// # Errors
    /// The first of [`PackError`].
    pub fn pack(&self) -> Result<CcOp, PackError> {
        let sub_type = u64::try_from(self.algo_sub_type).ok().filter(|&sub_type| sub_type < 8);
        let sub_type = sub_type.ok_or(PackError::SubType(self.algo_sub_type))?;
        let (mut list, mut reporter, mut wait, mut send) = (0_u64, false, false, false);
        for (position, channel) in self.channels.iter().enumerate() {
            if !channel.active || channel.sp_idx != self.sp_idx {
                continue;
            }
            let bit = u32::try_from(channel.abs_id).ok().filter(|&bit| bit < 32);
            let bit = bit.ok_or(PackError::ChannelId { position, abs_id: channel.abs_id })?;
            if channel.id == 0 && !channel.reporter {
                return Err(PackError::Reporter { position });
            }
            list |= 1_u64.wrapping_shl(bit);
            reporter |= channel.reporter;
            wait |= channel.neighbor_sp_idx.iter().any(|&other| other < self.sp_idx);
            send |= channel.neighbor_sp_idx.iter().any(|&other| other > self.sp_idx);
        }
        let fields = [
            (CcOp::ALGO_SUB_TYPE, sub_type),
            (CcOp::TRIGGER_NEXT, self.trigger_next.into()),
            (CcOp::REPORTER, reporter.into()),
            (CcOp::RING_WAIT_COMPLETE, wait.into()),
            (CcOp::RING_SEND_COMPLETE, send.into()),
            (CcOp::SAFE_MODE, self.safe_mode.into()),
            (CcOp::UNIQUE_TENSORS, self.unique_tensors.into()),
            (CcOp::CHANNEL_LIST, list),
        ];
        let new = fields.iter().fold(CcOp::default(), |slot, (field, value)| slot.with(field, *value));
        Ok(new.merge_over(self.old.unwrap_or_default()))
    }
}
