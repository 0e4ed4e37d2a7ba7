//! The whole state of collectives on a sync core: what is configured, and what it keeps while it runs.

mod neff;
mod runtime;

use core::fmt;

use zerocopy::FromBytes;

pub use neff::{
    BarrierFlags, BarrierStep, BasicBlock, BasicBlockConfig, BasicBlockState, DeviceBarrier, DeviceConfig, DeviceIds,
    DmaAllocation, HostBarrier, NeffConfig, NeffFlags, NeffState, OpState, TpbIds,
};
pub use runtime::{AlgoState, RuntimeRow};

use crate::arch::CollectiveArch;
use crate::block::{Block, CaymanBlock, SundaBlock};
use crate::table::Legal::Any;
use crate::table::{Layout, Table, record};

macro_rules! context {
    ($(
        $(#[$doc:meta])*
        $Context:ident[$size:literal] = $Block:ident: $neff:literal, $dev:literal, $state:literal, $algo_state:literal;
    )*) => { $(
        record! {
            $(#[$doc])*
            pub struct $Context[$size];

            0 algo:                 $Block,       None, Any, [FirmwareBook, RuntimeBook], "algorithm config block";
            $neff neff:             NeffConfig,   None, Any, [FirmwareBook, RuntimeBook], "what the program configures";
            $dev dev:               DeviceConfig, None, Any, [FirmwareBook, RuntimeBook], "what the device configures";
            $state neff_state:      NeffState,    None, Any, [FirmwareBook, RuntimeBook], "what is kept of the program that runs";
            $algo_state algo_state: AlgoState,    None, Any, [FirmwareBook, RuntimeBook], "live state of the algorithms";
        }

        impl<'a> From<&'a $Context> for Context<'a> {
            fn from(context: &'a $Context) -> Self {
                let $Context { algo, neff, dev, neff_state, algo_state } = context;
                Self { algo: algo.into(), neff, dev, neff_state, algo_state, state_offset: $state }
            }
        }
    )* };
}

context! {
    /// The context of a SUNDA sync core.
    SundaContext[12998] = SundaBlock: 8744, 12336, 12384, 12480;
    /// The context of a CAYMAN, MARIANA or MARIANA_PLUS sync core.
    CaymanContext[17638] = CaymanBlock: 13384, 16976, 17024, 17120;
}

/// The format in both of its sizes.
pub const TABLE: Table = Table {
    kind: "context",
    title: "the whole state of collectives on a sync core (12998 bytes on sunda; more may follow)",
    size_bytes: crate::table::length_of(size_of::<CaymanContext>()),
    is_word: false,
    layouts: &[
        Layout { name: "sunda", when: "the architecture is sunda (12998 bytes or more)", fields: SundaContext::FIELDS },
        Layout {
            name: "cayman",
            when: "the architecture is cayman, mariana or mariana_plus (17638 bytes or more)",
            fields: CaymanContext::FIELDS,
        },
    ],
};

/// A context, without a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Context<'a> {
    /// Ring channels and mesh events.
    pub algo: Block<'a>,
    /// What the program configures.
    pub neff: &'a NeffConfig,
    /// What the device configures.
    pub dev: &'a DeviceConfig,
    /// What is kept of the program that runs.
    pub neff_state: &'a NeffState,
    /// Live state of the algorithms.
    pub algo_state: &'a AlgoState,
    /// Where what is kept of the program begins.
    state_offset: usize,
}

/// Bytes that end before the context does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShortContext {
    /// The architecture.
    pub arch: CollectiveArch,
    /// How many bytes there are.
    pub length: usize,
}

impl ShortContext {
    /// The name in vectors and JSON.
    pub const CODE: &'static str = "short_context";
}

impl fmt::Display for ShortContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { arch, length } = self;
        write!(f, "a context of {arch} has at least {} bytes, found {length}", smallest_context(*arch))
    }
}

impl core::error::Error for ShortContext {}

/// Bytes of the smallest context that holds everything.
#[must_use]
pub const fn smallest_context(arch: CollectiveArch) -> usize {
    match arch {
        CollectiveArch::Sunda => size_of::<SundaContext>(),
        CollectiveArch::Cayman | CollectiveArch::Mariana | CollectiveArch::MarianaPlus => size_of::<CaymanContext>(),
    }
}

impl<'a> Context<'a> {
    /// Where the control slot of the operation that runs lies, in bytes from the beginning.
    #[must_use]
    pub const fn slot_offset(&self) -> usize {
        core::mem::offset_of!(NeffState, op.ctrl_entry).saturating_add(self.state_offset)
    }

    /// A context of this architecture; what lies behind it is given back, too.
    ///
    /// # Errors
    /// Fewer bytes than [`smallest_context`].
    pub fn new(arch: CollectiveArch, bytes: &'a [u8]) -> Result<(Self, &'a [u8]), ShortContext> {
        let short = ShortContext { arch, length: bytes.len() };
        match arch {
            CollectiveArch::Sunda => {
                let (context, rest) = SundaContext::ref_from_prefix(bytes).map_err(|_| short)?;
                Ok((context.into(), rest))
            }
            CollectiveArch::Cayman | CollectiveArch::Mariana | CollectiveArch::MarianaPlus => {
                let (context, rest) = CaymanContext::ref_from_prefix(bytes).map_err(|_| short)?;
                Ok((context.into(), rest))
            }
        }
    }
}

/// The barrier of a program, as its flag says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Barrier<'a> {
    /// The device runs it.
    Device(&'a DeviceBarrier),
    /// The host runs it.
    Host(&'a HostBarrier),
}

impl NeffConfig {
    /// The barrier.
    #[must_use]
    pub fn barrier(&self) -> Barrier<'_> {
        let bytes = &self.barrier_configs.0;
        let (device, host): (&DeviceBarrier, &HostBarrier) =
            (zerocopy::transmute_ref!(bytes), zerocopy::transmute_ref!(bytes));
        if BarrierFlags::DEVICE_BARRIER.get(device.flags.bits().into()) != 0 {
            Barrier::Device(device)
        } else {
            Barrier::Host(host)
        }
    }
}
