//! JSON for the formats of `trnwire`: decoded objects out, requests in, explanations, and golden vectors.
//!
//! Input is strict: a duplicate, unknown or missing key is an error that names it, and so is a value of another
//! type. Nesting is bounded by `serde_json`.
#![cfg_attr(test, allow(clippy::arithmetic_side_effects, clippy::as_conversions))]

pub mod access;
pub mod addr4;
pub mod encode;
pub mod explain;
mod hex;
mod input;
pub mod kinds;
pub mod message;
mod record;
mod strict;
pub mod vectors;

pub use hex::{HexBytes, HexWord};
pub use input::InputError;
pub use strict::{MAX_VALUE_BYTES, parse, parse_stream};

/// The version that every JSON document of the command line carries under the key `trnwire`.
pub const VERSION: u32 = 1;
