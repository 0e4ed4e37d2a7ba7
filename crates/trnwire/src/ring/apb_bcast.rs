//! How the DMA rings of a channel are started: one write per direction that a bus spreads over DMA engines.

use alloc::vec::Vec;
use core::fmt;

use zerocopy::little_endian::U32;

use crate::arch::CollectiveArch;
use crate::soc::{Address, SocAddress};
use crate::table::Legal::Any;
use crate::table::record;

record! {
    /// A broadcast of tail pointers to DMA engines.
    pub struct ApbBroadcast[20] = "apb-bcast": "a broadcast of tail pointers to DMA engines";

    // offset, field  type     unit  legal  sources
    0 m2s_tail_ptr:   Address, None, Any,   [RingDescriptorPage, FirmwareBook],
        "tail register of the memory-to-stream rings";
    8 s2m_tail_ptr:   Address, None, Any,   [RingDescriptorPage, FirmwareBook],
        "tail register of the stream-to-memory rings";
    16 mask:          U32,     None, Any,   [RingDescriptorPage, FirmwareBook],
        "DMA engines that take part, a bit each";
}

/// Queue bundles of a device.
pub const QUEUE_BUNDLES: usize = 8;
/// Cores of a device, each with a window for broadcasts.
pub const BROADCAST_REGIONS: usize = 8;

/// A queue bundle, as the runtime's tables allocate it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueBundle {
    /// The DMA queue. Source: runtime book for the record, firmware book for the numbers; assumed equal on SUNDA.
    pub queue_id: u32,
    /// The DMA engines that may serve it, a bit each. Source: firmware book.
    pub dma_engines: u32,
}

impl QueueBundle {
    /// The bundle with this number, which is below [`QUEUE_BUNDLES`].
    #[must_use]
    pub fn of(arch: CollectiveArch, bundle: usize) -> Option<Self> {
        const QUEUES: [u32; QUEUE_BUNDLES] = [11, 12, 13, 15, 11, 12, 13, 15];
        let queue_id = *QUEUES.get(bundle)?;
        let dma_engines = match (arch, bundle) {
            (CollectiveArch::Sunda, _) if bundle % 2 == 0 => 0xFF00,
            (CollectiveArch::Sunda, _) => 0x3F,
            (_, 0..=LAST_LOW_BUNDLE) => 0xFFFF,
            _ => 0xFFFF_0000,
        };
        Some(Self { queue_id, dma_engines })
    }
}

/// The last bundle whose engines are in the low half of the mask.
const LAST_LOW_BUNDLE: usize = 3;

/// What a broadcast is derived from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Derivation {
    /// Physical core on the device, 0..=7.
    pub tpb: i64,
    /// The queue bundles in use, each 0..=7. The lowest counts.
    pub queue_bundles: Vec<i64>,
    /// The DMA engines that each bundle has got.
    pub allocated_dma_mask: [u32; QUEUE_BUNDLES],
    /// Offset of the memory-to-stream tail register. Sources differ between 0xE0 and 0x38.
    pub m2s_register: u64,
}

impl Derivation {
    /// The offset that one firmware page describes, and another contests: the tail increment for data.
    pub const M2S_REGISTER: u64 = 0xE0;
}

/// A derived broadcast.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Derived {
    /// The bundle that counted.
    pub queue_bundle: usize,
    /// Its DMA queue.
    pub queue_id: u32,
    /// The broadcast.
    pub broadcast: ApbBroadcast,
    /// What is odd about it.
    pub warnings: Vec<DeriveWarning>,
}

/// Something odd about a derived broadcast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DeriveWarning {
    /// Several bundles are used. How the runtime chooses is unknown; the lowest was taken.
    SeveralBundles,
    /// The bundle uses the high half of its mask, and the low half is not zero.
    MaskLowBits,
}

impl DeriveWarning {
    /// The name in vectors and JSON.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::SeveralBundles => "several_bundles",
            Self::MaskLowBits => "mask_low_bits",
        }
    }
}

impl fmt::Display for DeriveWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SeveralBundles => {
                "several queue bundles are used; how the runtime chooses is unknown, the lowest was taken"
            }
            Self::MaskLowBits => "the queue bundle uses the high half of its mask, and the low half is not zero",
        })
    }
}

/// Why a broadcast is not derived. Errors are looked for in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DeriveError {
    /// No source tells the addresses on this architecture.
    UnsupportedArch(CollectiveArch),
    /// A queue bundle beyond 7.
    QueueBundle(i64),
    /// A core beyond 7.
    Tpb(i64),
    /// No queue bundle is used.
    NoBundle,
}

impl DeriveError {
    /// The name in vectors and JSON.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::UnsupportedArch(_) => "unsupported_arch",
            Self::QueueBundle(_) => "qbundle",
            Self::Tpb(_) => "tpb",
            Self::NoBundle => "no_bundle",
        }
    }
}

impl fmt::Display for DeriveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnsupportedArch(arch) => {
                write!(f, "no source tells the broadcast addresses of {arch}; give dma_apb_bcast ready-made")
            }
            Self::QueueBundle(bundle) => write!(f, "qbundles: queue bundle {bundle} does not exist: there are 0..=7"),
            Self::Tpb(tpb) => write!(f, "tpb: core {tpb} does not exist: a device has 0..=7"),
            Self::NoBundle => f.write_str("qbundles: no queue bundle is used, and a derived broadcast needs one"),
        }
    }
}

impl core::error::Error for DeriveError {}

/// The window of each core; those of the last four are on the second die. Source: firmware book.
const REGIONS: [u64; BROADCAST_REGIONS] = {
    const FIRST: [u64; 4] = [0x10_0208_0000, 0x10_0308_0000, 0x50_0408_0000, 0x50_0508_0000];
    const DIE_BIT: u64 = 1 << 47;
    let [a, b, c, d] = FIRST;
    [a, b, c, d, a | DIE_BIT, b | DIE_BIT, c | DIE_BIT, d | DIE_BIT]
};
/// From the memory-to-stream registers to those of the other direction, and the tail register there.
const S2M_BLOCK: u64 = 0x2_0000;
const S2M_REGISTER: u64 = 0x38;
const QUEUE_STRIDE: u64 = 1 << 12;

impl Derivation {
    /// The index of a queue bundle that exists.
    pub(super) fn bundle(number: i64) -> Result<usize, DeriveError> {
        let index = usize::try_from(number).ok().filter(|&index| index < QUEUE_BUNDLES);
        index.ok_or(DeriveError::QueueBundle(number))
    }

    /// Derives the broadcast. Source: firmware book; the architectures behind CAYMAN are taken as it (inferred).
    ///
    /// # Errors
    /// The first of [`DeriveError`].
    pub fn derive(&self, arch: CollectiveArch) -> Result<Derived, DeriveError> {
        if arch == CollectiveArch::Sunda {
            return Err(DeriveError::UnsupportedArch(arch));
        }
        let mut used = [false; QUEUE_BUNDLES];
        for &number in &self.queue_bundles {
            if let Some(used) = used.get_mut(Self::bundle(number)?) {
                *used = true;
            }
        }
        let region = usize::try_from(self.tpb).ok().and_then(|tpb| REGIONS.get(tpb));
        let region = region.ok_or(DeriveError::Tpb(self.tpb))?;
        let lowest = used.iter().position(|&used| used);
        let bundle = lowest.and_then(|lowest| Some((lowest, QueueBundle::of(arch, lowest)?)));
        let (queue_bundle, QueueBundle { queue_id, .. }) = bundle.ok_or(DeriveError::NoBundle)?;
        let queue = u64::from(queue_id).wrapping_add(1).wrapping_mul(QUEUE_STRIDE);
        let base = region.wrapping_add(queue);
        let allocated = self.allocated_dma_mask.get(queue_bundle).copied().unwrap_or_default();
        let is_high = queue_bundle > LAST_LOW_BUNDLE;
        let several = used.iter().filter(|&&used| used).count() > 1;
        let warnings = [
            several.then_some(DeriveWarning::SeveralBundles),
            (is_high && allocated & 0xFFFF != 0).then_some(DeriveWarning::MaskLowBits),
        ];
        let broadcast = ApbBroadcast {
            m2s_tail_ptr: SocAddress(base.wrapping_add(self.m2s_register)).into(),
            s2m_tail_ptr: SocAddress(base.wrapping_add(S2M_BLOCK).wrapping_add(S2M_REGISTER)).into(),
            mask: U32::new(if is_high { allocated >> 16 } else { allocated & 0xFFFF }),
        };
        Ok(Derived { queue_bundle, queue_id, broadcast, warnings: warnings.into_iter().flatten().collect() })
    }
}
