//! Instances, devices, cores and links: one model, from what `neuron-ls` prints or from the facts about a platform.

pub mod core_map;
pub mod facts;
pub mod listing;
mod model;
mod notes;
mod print;
pub(crate) use print::spans;
pub mod recognise;
pub mod rules;
mod table;

pub use core_map::CoreMap;
pub use facts::{Facts, Platform};
pub use listing::{Listing, ListingError};
pub use model::{Core, Device, Instance, Link, LinkKind, Links, Options, Source, Topology, TopologyError, platform};
