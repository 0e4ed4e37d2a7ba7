//! Instruction bundles: 64 bytes that hold an opcode, what to wait for and what to signal, and a few descriptors.
//!
//! * [`Bundle`] is a view of the bytes; [`Opcode`] and [`Family`] are what is known about their first one.
//! * [`Bundle::slots`] finds every address word whose place is known, and [`Slot::verdict`] is the validator's word on it.
//! * [`Bundle::judge`] reports everything that is wrong or odd.
//! * [`Bundle::disassemble`] writes a bundle as a line of text.

mod disassemble;
mod family;
mod header;
mod judge;
mod markdown;
mod opcode;
mod slot;

pub use family::{Declared, Dispute, DtypePlace, Family, Flags, SlotCheck, SlotFacts};
pub use header::{Bundle, ModeFacts, ModeOperand, UPDATE_MODES, WAIT_MODES};
pub use judge::{Finding, FindingId};
pub use markdown::markdown;
pub use opcode::{Availability, Opcode, OpcodeFacts};
pub use slot::{Operand, Slot, Slots, Verdict};
