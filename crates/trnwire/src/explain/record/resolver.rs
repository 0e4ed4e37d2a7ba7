//! What the addresses in records mean.

use alloc::{format, string::String, string::ToString, vec::Vec};

use crate::arch::CollectiveArch;
use crate::soc::{AddressError, RouteFields, RouteView, Semaphore, SemaphoreRef, SocAddress, hardware_top_sp};

/// Says what addresses mean.
#[derive(Clone, Copy, Debug, Default)]
pub struct Resolver {
    /// The architecture whose addresses these are; without it every one is tried.
    pub arch: Option<CollectiveArch>,
    /// How the upper bits are read; without it a route is a number.
    pub route: Option<RouteView>,
    /// The upper bits on MARIANA and MARIANA_PLUS are read as those on CAYMAN.
    pub assume_cayman: bool,
}

impl Resolver {
    /// The semaphore at an address, and the first architecture on which there is one.
    ///
    /// # Errors
    /// Why there is none: on the architecture that was asked for, or on the last one.
    pub fn semaphore(self, address: SocAddress) -> Result<(CollectiveArch, Semaphore), AddressError> {
        let mut last = Err(AddressError::NotTopSp);
        for arch in CollectiveArch::ALL.into_iter().filter(|arch| self.arch.is_none_or(|asked| asked == *arch)) {
            match Semaphore::decode(arch, address) {
                Ok(found) => return Ok((arch, found)),
                Err(error) if last == Err(AddressError::NotTopSp) => last = Err(error),
                Err(_) => {}
            }
        }
        last
    }

    /// The fields of the upper bits, where they shall be read and can be.
    #[must_use]
    pub fn route_fields(self, arch: CollectiveArch, address: SocAddress) -> Option<RouteFields> {
        let (_, fields) = self.route?.split(arch, address, self.assume_cayman).ok()?;
        Some(fields)
    }

    /// An address and what it means.
    #[must_use]
    pub fn describe(self, address: SocAddress, is_semaphore: bool) -> String {
        if address.0 == 0 {
            return "none".to_string();
        }
        match self.semaphore(address) {
            Ok((arch, Semaphore { register, window })) => {
                let SemaphoreRef { route, top_sp, id } = register;
                let hardware = match hardware_top_sp(arch, top_sp) {
                    same if same == top_sp => String::new(),
                    other => format!(", hardware top-SP {other}"),
                };
                let device = match self.route_fields(arch, address) {
                    _ if route == 0 => String::new(),
                    None => format!(" of another device, route {route:#x}"),
                    Some(fields) => {
                        let set = fields.iter().filter(|(name, value)| *value != 0 && *name != "die");
                        let set: Vec<_> = set.map(|(name, value)| format!("{name} {value}")).collect();
                        format!(" of another device, route {route:#x} ({})", set.join(", "))
                    }
                };
                let die = Semaphore { register, window }.die(arch);
                format!("{address}  semaphore {id} of top-SP {top_sp}{device} (die {die}{hardware}, window {window})")
            }
            Err(error) if is_semaphore => format!("{address}  no semaphore: {error}"),
            Err(_) => address.to_string(),
        }
    }

    /// The semaphore as a sentence names it.
    pub(super) fn brief(self, address: SocAddress, own_top_sp: Option<u32>) -> String {
        match self.semaphore(address) {
            _ if address.0 == 0 => "nothing".to_string(),
            Err(_) => address.to_string(),
            Ok((_, found)) if Some(found.register.top_sp) == own_top_sp && found.register.route == 0 => {
                format!("semaphore {}", found.register.id)
            }
            Ok((_, found)) => found.to_string(),
        }
    }
}
