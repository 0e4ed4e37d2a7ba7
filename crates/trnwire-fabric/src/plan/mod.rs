//! Rings over real links, and all that a rank needs to walk them.

pub mod cycle;
pub mod graph;
pub mod tour;
