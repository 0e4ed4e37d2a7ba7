//! ADDR4, the 32-bit on-chip address word that opens every memory operand of gen2, gen3 and gen4.
//!
//! * [`Addr4`] is the word and its table; every one of the 2^32 values decodes.
//! * [`tensor_start_addr_valid`] is the vendor library's own verdict, [`lints`] are ours; they are never mixed.
//! * [`encode`] builds words, [`nearest_legal`] repairs them.

mod encode;
mod lint;
mod nearest;
mod predicate;
mod validate;
mod word;

pub use encode::{EncodeError, Place, Register, Request, Resolver, WordRequest, encode, stamp_indirect};
pub use lint::{Lint, LintSet, lints};
pub use nearest::{nearest_backed, nearest_legal, without_lint};
pub use predicate::{in_sbuf_partition, same_sbuf_quadrant, start_partition_legal};
pub(crate) use validate::codes;
pub use validate::{
    Access, Reason, addr_aligned_dtype, register_must_be_zero, register_word_valid, tensor_start_addr_valid,
};
pub use word::{Addr4, Addr4Wire, Mode, Region, Target};
