//! How addresses name devices. The runtime's routing bits are not public; what is written here is a model that readers take
//! as opaque.

use trnwire::arch::CollectiveArch;

use crate::topology::Topology;

/// Devices that the chip ids of a pod can name.
pub const MOST_CHIP_IDS: usize = 64;

/// The bit that says that a chip id is one, in the part of an address above the local one.
const CHIP_ID_VALID: u64 = 0x40;

/// The pod of every instance. Instances that reach each other by address share one, as long as chip ids can name all of its
/// devices; otherwise each is a pod of its own.
#[must_use]
pub fn pods(topology: &Topology) -> Vec<u32> {
    let mut pods: Vec<u32> = Vec::new();
    for number in 0..topology.instances.len() {
        let together: Vec<usize> =
            (0..topology.instances.len()).filter(|other| topology.same_pod(number, *other)).collect();
        let devices: usize = together
            .iter()
            .filter_map(|other| topology.instances.get(*other))
            .map(|instance| instance.devices.len())
            .sum();
        let own = u32::try_from(number).unwrap_or(u32::MAX);
        let first = together.first().and_then(|first| pods.get(*first)).copied().unwrap_or(own);
        pods.push(if devices > MOST_CHIP_IDS { own } else { first });
    }
    pods
}

/// The route of the device with this index in its pod: a chip id with its valid bit, or on SUNDA, whose bits are not known,
/// any distinct value without the bit that means host memory.
#[must_use]
pub fn of_index(arch: CollectiveArch, index: usize) -> Option<u64> {
    let index = u64::try_from(index).ok()?;
    match arch {
        CollectiveArch::Sunda => index.checked_add(1)?.checked_mul(2).filter(|route| *route < 1 << 20),
        _ => (index < u64::try_from(MOST_CHIP_IDS).ok()?).then_some(CHIP_ID_VALID | index),
    }
}
