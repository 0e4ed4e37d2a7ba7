//! Every 32-bit word, against a second account of the rules that was written on its own.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may stop at a broken assumption, and its numbers are known to fit"
)]

mod model;
