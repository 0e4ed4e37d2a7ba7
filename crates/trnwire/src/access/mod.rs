//! Descriptors of memory operands. Each opens with an [`Addr4`](crate::addr4::Addr4).

mod tensor;

pub use tensor::Tensor1d;
