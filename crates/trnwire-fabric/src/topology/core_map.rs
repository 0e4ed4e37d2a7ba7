//! Which physical cores a logical core has, and which top-SPs serve it.

use trnwire::arch::CollectiveArch;

use super::facts::{Facts, Platform};
use crate::rule::Basis;

/// How logical cores lie on physical ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CoreMap {
    /// The driver's table, by device. That the numbering of ranks follows it is inferred.
    #[default]
    V0,
    /// Logical core L has the physical cores from `L * LNC` on.
    Identity,
}

impl CoreMap {
    /// Both.
    pub const ALL: [Self; 2] = [Self::V0, Self::Identity];

    /// Its name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::V0 => "v0",
            Self::Identity => "identity",
        }
    }

    /// The map that applies on a platform, and how well that is supported: the driver's table is CAYMAN's.
    #[must_use]
    pub fn on(self, platform: &Platform) -> (Self, Basis) {
        match (self, platform.arch) {
            (Self::V0, CollectiveArch::Cayman) => (Self::V0, Basis::Inferred),
            (Self::Identity, _) => (Self::Identity, Basis::Model),
            (Self::V0, CollectiveArch::Sunda) => (Self::Identity, Basis::Stated),
            (Self::V0, _) => (Self::Identity, Basis::Model),
        }
    }

    /// Physical cores of logical core `index` of a device. `flipped`: the index is that of the other die first, as on nodes 1
    /// and 3 of an UltraServer.
    #[must_use]
    pub fn physical(self, device: u32, index: u32, lnc: u32, flipped: bool) -> Vec<u32> {
        let entry = |entry: u32| match self {
            Self::Identity => Some(entry),
            Self::V0 => {
                let entry = if flipped { entry ^ FLIP } else { entry };
                // A host with two tori has the table twice.
                let rows = &Facts::get().core_map;
                let row = rows.get(usize::try_from(device).ok()?.checked_rem(rows.len())?)?;
                row.get(usize::try_from(entry).ok()?).copied()
            }
        };
        let first = index.saturating_mul(lnc);
        (first..first.saturating_add(lnc)).filter_map(entry).collect()
    }
}

/// The other die has the entries whose bits 1 and 2 differ.
const FLIP: u32 = 6;

/// Top-SPs of a logical core. Where no source says which, a device's top-SPs are shared out in order.
#[must_use]
pub fn top_sps(platform: &Platform, physical: &[u32]) -> Vec<u32> {
    let each = platform
        .top_sps_per_core
        .unwrap_or_else(|| platform.top_sps.checked_div(platform.physical_cores).unwrap_or_default());
    let of_core = |core: &u32| {
        let first = core.saturating_mul(each);
        first..first.saturating_add(each)
    };
    let mut all: Vec<u32> = physical.iter().flat_map(of_core).collect();
    all.sort_unstable();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn top_sps_follow_the_sources_examples() {
        let facts = Facts::get();
        let of = |name: &str, device, index, lnc, flipped| {
            let platform = facts.platform(name).unwrap();
            let (map, _) = CoreMap::V0.on(platform);
            top_sps(platform, &map.physical(device, index, lnc, flipped))
        };
        assert_eq!(of("trn1.32xlarge", 5, 1, 1, false), [3, 4, 5]);
        // LNC 2: four top-SPs from 4s on, s being the first physical core halved.
        assert_eq!(of("trn2.48xlarge", 0, 0, 2, false), [8, 9, 10, 11]);
        assert_eq!(of("trn2.48xlarge", 4, 3, 2, false), [8, 9, 10, 11]);
        assert_eq!(of("trn2.48xlarge", 0, 7, 1, false), [2, 3]);
        // Index 0 of a flipped node is entry 6.
        assert_eq!(of("trn2u.48xlarge", 0, 0, 1, true), of("trn2u.48xlarge", 0, 6, 1, false));
        assert_eq!(of("trn3.gen1-ultraserver", 0, 1, 2, false), [4, 5, 6, 7]);
    }

    #[test]
    fn every_device_shares_out_all_its_top_sps() {
        for platform in &Facts::get().platforms {
            for &lnc in &platform.lnc {
                for device in 0..platform.devices_per_instance {
                    let (map, _) = CoreMap::V0.on(platform);
                    let cores = 0..platform.cores_per_device(lnc);
                    let mut all: Vec<u32> =
                        cores.flat_map(|core| top_sps(platform, &map.physical(device, core, lnc, true))).collect();
                    all.sort_unstable();
                    assert_eq!(all, (0..platform.top_sps).collect::<Vec<_>>(), "{} {device}", platform.name);
                }
            }
        }
    }
}
