//! Descriptors of memory operands. Each opens with an [`Addr4`](crate::addr4::Addr4).
//!
//! * A [`SlotType`] and bytes give a [`Pattern`]: loops over elements, a gather, or microscaled data.
//! * [`validate`] is the vendor library's own verdict on it; [`indirect_quadrant`], [`mm_dst_nc`] and [`tt_placement`] are
//!   checks that instructions make besides.
//! * [`encode`] builds descriptors.
//! * [`Tensor::reach`] says how far loops go from their start, and [`reach_lints`] whether that is too far.
//! * [`Tensor::walk`] goes through the elements in the order of access, [`Tensor::coverage`] through the touched bytes, and
//!   [`overlap`] tells whether two tensors share any.

mod coverage;
mod encode;
mod indirect;
mod mx;
mod overlap;
mod pattern;
mod reach;
mod slot;
mod tensor;
mod validate;
mod walk;

pub use coverage::{Coverage, Footprint, Repeats, Runs};
pub use encode::{Count, Descriptor, EncodeError, FreeDim, MxRequest, MxWalk, Request, ScaleModulus, encode};
pub use indirect::{Indirect, Indirect12, Indirect16, Indirect20};
pub use mx::{MxIndirect16, MxTensor1d};
pub use overlap::{Operand, Overlap, Unknown, overlap};
pub use pattern::Pattern;
pub(crate) use reach::Start;
pub use reach::{Reach, ReachLint, ReachLintSet, reach_lints};
pub use slot::{MAX_SLOT_BYTES, SlotType};
pub use tensor::{Loop, Tensor, Tensor1d, Tensor2d, Tensor3d, Tensor4d};
pub(crate) use validate::word_access;
pub use validate::{Reason, Word, indirect_quadrant, mm_dst_nc, tt_placement, validate};
pub use walk::{Walk, WalkRuns};
