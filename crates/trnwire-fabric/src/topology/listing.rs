//! What `neuron-ls` says about one instance, from its JSON or any of its tables.

use core::fmt;

use serde_json::{Map, Value};

use super::table;

/// The devices of an instance, as they are listed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// `trn2.48xlarge`, where it is printed.
    pub instance_type: Option<String>,
    /// The id of the instance, where it is printed.
    pub instance_id: Option<String>,
    /// Physical cores of a logical one, where it is printed.
    pub lnc: Option<u32>,
    /// In the order of the listing.
    pub devices: Vec<ListedDevice>,
    /// Whether memory was given as text in GB, which are GiB.
    pub memory_is_text: bool,
}

/// A device, as it is listed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListedDevice {
    /// Its number; in a container that sees a part of the host it may not be the host's.
    pub id: u32,
    /// Its address on the PCI bus, with or without a domain.
    pub bdf: Option<String>,
    /// CPUs that are near, such as `0-31,64-95`.
    pub cpu_affinity: Option<String>,
    /// The NUMA node; `None` where it is not known.
    pub numa_node: Option<u32>,
    /// The devices that it is linked with, by the host's numbers; `None` where the listing has no list.
    pub neighbours: Option<Vec<u32>>,
    /// Logical cores.
    pub cores: u32,
    /// Memory in bytes.
    pub memory_bytes: Option<u64>,
    /// The numbers of its logical cores.
    pub core_ids: Option<Vec<u32>>,
}

/// Why a listing cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListingError {
    message: String,
}

impl ListingError {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

impl fmt::Display for ListingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl core::error::Error for ListingError {}

/// More devices than any instance has.
pub const MOST_DEVICES: usize = 1024;

impl Listing {
    /// Reads the output of `neuron-ls`: JSON when it begins like it, a table otherwise.
    ///
    /// # Errors
    /// What is no listing, or one without devices.
    pub fn parse(text: &str) -> Result<Self, ListingError> {
        let text = text.trim_start_matches('\u{feff}');
        let listing =
            if text.trim_start().starts_with(['[', '{']) { Self::from_json(text)? } else { table::read(text)? };
        if listing.devices.is_empty() {
            return Err(ListingError::new("no device is listed"));
        }
        if listing.devices.len() > MOST_DEVICES {
            let count = listing.devices.len();
            return Err(ListingError::new(format!("{count} devices: an instance has at most {MOST_DEVICES}")));
        }
        for (index, device) in listing.devices.iter().enumerate() {
            if listing.devices.iter().take(index).any(|other| other.id == device.id) {
                return Err(ListingError::new(format!("device {} is listed twice", device.id)));
            }
        }
        Ok(listing)
    }

    fn from_json(text: &str) -> Result<Self, ListingError> {
        let value = trnwire_json::parse(text).map_err(|error| ListingError::new(error.to_string()))?;
        let Value::Array(devices) = value else {
            return Err(ListingError::new("neuron-ls -j prints a list of devices, and this is no list"));
        };
        let mut listing = Self::default();
        for (index, device) in devices.iter().enumerate() {
            let Value::Object(keys) = device else {
                return Err(ListingError::new(format!("/{index}: expected an object")));
            };
            Keys { keys, index }.read(&mut listing)?;
        }
        Ok(listing)
    }
}

/// The keys of a device. Those that are not known are none of our business: newer versions have more.
struct Keys<'a> {
    keys: &'a Map<String, Value>,
    index: usize,
}

impl Keys<'_> {
    fn read(&self, listing: &mut Listing) -> Result<(), ListingError> {
        let id = self.number("neuron_device")?.ok_or_else(|| self.missing("neuron_device"))?;
        let cores = self.number("nc_count")?.ok_or_else(|| self.missing("nc_count"))?;
        let device = ListedDevice {
            id,
            bdf: self.text("bdf")?,
            cpu_affinity: self.text("cpu_affinity")?,
            numa_node: self.numa_node()?,
            neighbours: self.numbers("connected_to")?,
            cores,
            memory_bytes: self.wide("memory_size")?,
            core_ids: self.numbers("neuroncore_ids")?,
        };
        same(&mut listing.lnc, self.number("logical_neuroncore_config")?)
            .map_err(|()| self.wrong("logical_neuroncore_config", "the value of the other devices"))?;
        same(&mut listing.instance_type, self.text("instance_type")?)
            .map_err(|()| self.wrong("instance_type", "the value of the other devices"))?;
        same(&mut listing.instance_id, self.text("instance_id")?)
            .map_err(|()| self.wrong("instance_id", "the value of the other devices"))?;
        listing.devices.push(device);
        Ok(())
    }

    /// The value of a key; `None` where it is absent or null.
    fn get(&self, key: &str) -> Option<&Value> {
        self.keys.get(key).filter(|value| !value.is_null())
    }

    fn missing(&self, key: &str) -> ListingError {
        ListingError::new(format!("/{}: key {key:?} is missing", self.index))
    }

    fn wrong(&self, key: &str, expected: &str) -> ListingError {
        let found = self.get(key).unwrap_or(&Value::Null).to_string();
        let found: String = found.chars().take(60).collect();
        ListingError::new(format!("/{}/{key}: expected {expected}, found {found}", self.index))
    }

    fn number(&self, key: &str) -> Result<Option<u32>, ListingError> {
        let wide = self.wide(key)?;
        wide.map(|wide| u32::try_from(wide).map_err(|_| self.wrong(key, "a number below 2^32"))).transpose()
    }

    fn wide(&self, key: &str) -> Result<Option<u64>, ListingError> {
        self.get(key).map(|value| value.as_u64().ok_or_else(|| self.wrong(key, "a number"))).transpose()
    }

    fn text(&self, key: &str) -> Result<Option<String>, ListingError> {
        let text = |value: &Value| value.as_str().map(str::to_owned).ok_or_else(|| self.wrong(key, "a string"));
        self.get(key).map(text).transpose()
    }

    fn numbers(&self, key: &str) -> Result<Option<Vec<u32>>, ListingError> {
        let number = |value: &Value| value.as_u64().and_then(|wide| u32::try_from(wide).ok());
        let list = |value: &Value| value.as_array()?.iter().map(number).collect::<Option<Vec<_>>>();
        let of = |value: &Value| list(value).ok_or_else(|| self.wrong(key, "a list of numbers or null"));
        self.get(key).map(of).transpose()
    }

    /// A string, or a number in other versions; -1 is none.
    fn numa_node(&self) -> Result<Option<u32>, ListingError> {
        let wrong = || self.wrong("numa_node", "a number from -1 on, or such a string");
        let number = match self.get("numa_node") {
            None => return Ok(None),
            Some(Value::String(text)) => text.trim().parse::<i64>().map_err(|_| wrong())?,
            Some(value) => value.as_i64().ok_or_else(wrong)?,
        };
        if number == -1 { Ok(None) } else { u32::try_from(number).map(Some).map_err(|_| wrong()) }
    }
}

/// Keeps the first value; another one is an error.
fn same<T: PartialEq>(kept: &mut Option<T>, next: Option<T>) -> Result<(), ()> {
    match (&kept, next) {
        (_, None) => Ok(()),
        (Some(first), Some(next)) if *first != next => Err(()),
        (_, next) => {
            *kept = next;
            Ok(())
        }
    }
}
