//! Formats of the binary words and records of AWS Trainium and Inferentia.
#![no_std]
#![cfg_attr(test, allow(clippy::arithmetic_side_effects, clippy::as_conversions))]

extern crate alloc;

pub mod arch;
pub mod geometry;
pub mod message;
