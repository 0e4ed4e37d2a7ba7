//! Replica groups: the forms in which they are written, the modules they stand in, and the devices they mean.
//!
//! [`parse`] reads one list of groups in any form; [`read_module`] finds every collective op of an HLO text or a StableHLO
//! file; [`expand`] turns what an op says into groups of devices. Reading keeps what stands there: a form that needs no
//! list (iota, mesh axes) is kept as it is until somebody asks for its ids.
//!
//! What an id means is not told by the groups: it depends on the op and two of its attributes. See [`GroupMode`].

mod attributes;
mod brackets;
mod cursor;
mod dense;
mod error;
mod expand;
mod expand_error;
mod grid;
mod hlo;
mod iota;
mod list;
mod mesh;
mod mode;
mod module;
mod nested;
mod op;
mod stablehlo;
#[cfg(test)]
mod tests;
mod written;

pub use error::{ParseError, Problem};
pub use expand::{Devices, Expansion, expand, expand_groups, expand_pairs};
pub use expand_error::ExpandError;
pub use iota::Iota;
pub use list::Groups;
pub use mesh::{Axis, AxisPart, MeshAxes};
pub use mode::{GroupMode, ModeError};
pub use module::{Language, Module, read_module};
pub use op::{Collective, CollectiveOp};
pub use written::{Form, Written, parse};

/// The most ids that one list of groups may have, written or expanded. It is far beyond what one job has devices, and
/// keeps a short text (`[1048576,1]<=[1048576]`) from asking for a lot of memory.
pub const MOST_IDS: usize = 1 << 20;
