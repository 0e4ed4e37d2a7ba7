//! The binary words and records of AWS Trainium and Inferentia: reading, writing, checking and explaining them.
//!
//! Start with [`addr4::Addr4`], the 32-bit address word, and with [`message::explain`] for what compilers say.
//!
//! ```
//! use trnwire::addr4::{Access, Addr4, Reason, tensor_start_addr_valid};
//! use trnwire::{arch::Generation, dtype::WireTag};
//!
//! let word = Addr4::from_bits(0x0200_8004);
//! let bf16_write = Access { write: true, ..Access::read(WireTag::new(6)) };
//! assert_eq!(
//!     tensor_start_addr_valid(Generation::Gen3, word, bf16_write),
//!     Err(Reason::PsumWriteDtype),
//! );
//! assert_eq!(trnwire::explain::describe(word), "PSUM partition 1, bank 0, byte 0x4 (4)");
//! ```
//!
//! # Principles
//!
//! * A position is written once, in a [`table`]; everything else reads it there.
//! * Decoding never fails for a whole word or record and never loses a bit. Judging is separate.
//! * What the vendor library's validator says ([`addr4::Reason`]) and what we say ([`addr4::Lint`]) are never mixed.
//!
//! # Features, `no_std` and panics
//!
//! There are no Cargo features. The crate is `no_std` and needs `alloc`, for explanations and messages. Nothing here
//! panics, whatever the input; an undocumented panic is a bug.
#![no_std]
#![cfg_attr(test, allow(clippy::arithmetic_side_effects, clippy::as_conversions))]

extern crate alloc;

pub mod access;
pub mod addr4;
pub mod arch;
pub mod block;
pub mod bundle;
pub mod cc_op;
pub mod check;
pub mod columns;
pub mod context;
pub mod diff;
pub mod dtype;
pub mod explain;
pub mod geometry;
mod kind;
pub mod mesh;
pub mod message;
pub mod ring;
pub mod soc;
pub mod table;

pub use kind::{Kind, WrongLength};
