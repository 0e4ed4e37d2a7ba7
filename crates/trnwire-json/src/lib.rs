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
pub mod schema;
mod strict;
pub mod vectors;

pub use hex::{HexBytes, HexWord};
pub use input::InputError;
pub use strict::{MAX_VALUE_BYTES, parse, parse_stream};

/// The version that every JSON document of the command line carries under the key `trnwire`.
pub const VERSION: u32 = 1;

use serde_json::{Value, json};
use trnwire::addr4::Addr4;
use trnwire::arch::CollectiveArch;
use trnwire::{Kind, WrongLength};

use crate::collective::DecodeError;

/// The object of one item of any kind, which [`encode::Request::parse`] reads back; for kinds of collectives
/// [`collective::encode`] does. Only a context and the address of a semaphore look at the architecture.
///
/// # Errors
/// Bytes of another length than the kind's, or no architecture where one is needed.
pub fn decoded(kind: Kind, arch: Option<CollectiveArch>, bytes: &[u8]) -> Result<Value, DecodeError> {
    match kind {
        Kind::Addr4 => match bytes.try_into() {
            Ok(word) => Ok(json!(addr4::DecodedWord::of(Addr4::from_wire(word)))),
            Err(_) => Err(WrongLength { kind, length: bytes.len() }.into()),
        },
        Kind::Slot(slot) => Ok(Value::Object(access::decoded(slot, bytes)?)),
        Kind::Bundle => Ok(Value::Object(bundle::decoded(bundle::view(bytes)?))),
        _ => collective::decoded(kind, arch, bytes),
    }
}
