//! Formats of the binary words and records of AWS Trainium and Inferentia.
#![no_std]
#![cfg_attr(test, allow(clippy::arithmetic_side_effects, clippy::as_conversions))]

extern crate alloc;

pub mod access;
pub mod addr4;
pub mod arch;
pub mod check;
pub mod dtype;
pub mod explain;
pub mod geometry;
pub mod message;
pub mod table;

use table::Table;

/// Every format, in the order in which `trnwire kinds` lists them.
pub const TABLES: &[Table] = &[addr4::Addr4::TABLE, access::Tensor1d::TABLE];
