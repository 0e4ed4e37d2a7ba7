//! Which register an address means.

use std::collections::HashMap;

use trnwire::arch::CollectiveArch;
use trnwire::soc::{AddressError, Semaphore, SocAddress, Window};

use super::manifest::Manifest;

/// A device: its instance's number and its own.
pub type Place = (u32, u32);

/// A semaphore of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Register {
    /// Whose it is.
    pub device: Place,
    /// The runtime's number of its top-SP.
    pub top_sp: u32,
    /// Its number.
    pub id: u8,
}

/// Why an address means no register here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unresolved {
    /// It is no semaphore.
    Address(AddressError),
    /// No listed device of the pod has this route.
    Route(u64),
}

impl core::fmt::Display for Unresolved {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Address(error) => error.fmt(f),
            Self::Route(route) => write!(f, "no device of the pod has the route {route:#x}"),
        }
    }
}

/// The devices that routes name.
#[derive(Clone, Debug)]
pub(super) struct Routes {
    arch: CollectiveArch,
    pods: HashMap<u32, u32>,
    by_route: HashMap<(u32, u64), Place>,
    of_device: HashMap<Place, u64>,
}

impl Routes {
    pub(super) fn of(manifest: &Manifest) -> Self {
        let pods: HashMap<u32, u32> = (0_u32..)
            .zip(manifest.instances.iter().enumerate())
            .map(|(number, (index, entry))| (number, entry.pod(index)))
            .collect();
        let mut by_route = HashMap::new();
        let mut of_device = HashMap::new();
        for device in &manifest.devices {
            let place = (device.instance, device.device);
            if let (Some(route), Some(pod)) = (device.route, pods.get(&device.instance)) {
                by_route.insert((*pod, route.0), place);
                of_device.insert(place, route.0);
            }
        }
        Self { arch: manifest.arch, pods, by_route, of_device }
    }

    /// The register that an address means in a record of this device, and through which window.
    pub(super) fn resolve(&self, holder: Place, address: SocAddress) -> Result<(Register, Window), Unresolved> {
        let found = Semaphore::decode(self.arch, address).map_err(Unresolved::Address)?;
        let route = u64::from(found.register.route);
        let device = match route {
            0 => holder,
            _ => {
                let pod = self.pods.get(&holder.0).copied().unwrap_or(u32::MAX);
                *self.by_route.get(&(pod, route)).ok_or(Unresolved::Route(route))?
            }
        };
        Ok((Register { device, top_sp: found.register.top_sp, id: found.register.id }, found.window))
    }

    pub(super) fn pod(&self, instance: u32) -> Option<u32> {
        self.pods.get(&instance).copied()
    }

    pub(super) fn route(&self, device: Place) -> Option<u64> {
        self.of_device.get(&device).copied()
    }
}
