//! JSON for the formats of `trnwire`: decoded objects out, requests in, explanations, and golden vectors.
//!
//! Input is strict: a duplicate, unknown or missing key is an error that names it, and so is a value of another
//! type. Nesting is bounded by `serde_json`.
#![cfg_attr(test, allow(clippy::arithmetic_side_effects, clippy::as_conversions))]

pub mod access;
pub mod addr4;
pub mod bundle;
pub mod collective;
pub mod describe;
pub mod dump;
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

use serde_json::{Value, json};
use trnwire::addr4::Addr4;
use trnwire::{Kind, WrongLength};

/// The object of one item of any kind, which [`encode::Request::parse`] reads back.
///
/// # Errors
/// Bytes of another length than the kind's. A context and the address of a semaphore need an architecture:
/// [`collective::decoded`].
pub fn decoded(kind: Kind, bytes: &[u8]) -> Result<Value, WrongLength> {
    match kind {
        _ if !kind.is_of_core() => {
            collective::decoded(kind, None, bytes).map_err(|_| WrongLength { kind, length: bytes.len() })
        }
        Kind::Slot(slot) => access::decoded(slot, bytes).map(Value::Object),
        Kind::Bundle => bundle::view(bytes).map(|bundle| Value::Object(bundle::decoded(bundle))),
        _ => match bytes.try_into() {
            Ok(word) => Ok(json!(addr4::DecodedWord::of(Addr4::from_wire(word)))),
            Err(_) => Err(WrongLength { kind, length: bytes.len() }),
        },
    }
}
