//! The fabric of AWS Trainium and Inferentia: which devices are linked, which replica groups can work, the rings that run
//! over them, and snapshots of what every sync core holds.
//!
//! What no source tells is an option with a stated default, or `unknown`; see [`rule::Basis`].

pub mod build;
pub mod explain;
pub mod groups;
pub mod lint;
pub mod load;
pub mod plan;
pub mod preflight;
pub mod report;
pub mod route;
pub mod rule;
pub mod snapshot;
pub mod topology;
