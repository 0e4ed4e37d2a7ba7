//! TENSOR1D to TENSOR4D: a start address and one to four nested loops over elements.
//!
//! Steps and nums are two arrays, one after the other. Slot 0 is the innermost loop. (One table of the compiler book
//! labels slot 0 "outer"; its own packer contradicts it.)

use zerocopy::little_endian::{I16, U16};

use crate::addr4::{Addr4, Addr4Wire};
use crate::table::Legal::{Any, Depends};
use crate::table::record;

macro_rules! tensor {
    ($Tensor:ident[$size:literal], $loops:literal loops: steps at 4, nums at $nums:literal) => {
        record! {
            #[doc = concat!("A start address and ", stringify!($loops), " loops over elements, innermost first.")]
            pub struct $Tensor[$size];

            // offset, field   type             unit      legal    sources
            0 addr4:           Addr4Wire,       Bytes,    Depends, [CompilerBook, HeaderBook],
                "where the first element lies; its mode says how the rest is read";
            4 steps:           [I16; $loops],   Elements, Any,     [CompilerBook, HeaderBook, AwsDocumentation],
                "elements from one round of a loop to the next, innermost loop first; 0 repeats, negative walks back";
            $nums nums:        [U16; $loops],   None,     Depends, [CompilerBook, HeaderBook, AwsDocumentation],
                "rounds of each loop, innermost loop first; zero is legal only in mode active, where a register holds the shape";
        }
    };
}

tensor!(Tensor1d[8], 1 loops: steps at 4, nums at 6);
tensor!(Tensor2d[12], 2 loops: steps at 4, nums at 8);
tensor!(Tensor3d[16], 3 loops: steps at 4, nums at 10);
tensor!(Tensor4d[20], 4 loops: steps at 4, nums at 12);

/// One loop of a tensor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Loop {
    /// Elements from one round to the next; 0 repeats, negative walks back.
    pub step: i16,
    /// Rounds.
    pub num: u16,
}

/// A view of a TENSORnD, whatever its number of loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tensor<'a> {
    /// Where the first element lies.
    pub addr4: Addr4,
    steps: &'a [I16],
    nums: &'a [U16],
}

impl<'a> Tensor<'a> {
    /// A tensor of one to four loops, innermost first. Where the two slices differ in length, the shorter one counts.
    #[must_use]
    pub const fn new(addr4: Addr4, steps: &'a [I16], nums: &'a [U16]) -> Self {
        Self { addr4, steps, nums }
    }

    /// The loops, innermost first.
    #[inline]
    pub fn loops(&self) -> impl DoubleEndedIterator<Item = Loop> + ExactSizeIterator + use<'a> {
        self.steps.iter().zip(self.nums).map(|(step, num)| Loop { step: step.get(), num: num.get() })
    }

    /// Whether a loop has no round.
    #[must_use]
    #[inline]
    pub fn has_zero_num(&self) -> bool {
        self.nums.iter().any(|num| num.get() == 0)
    }
}

macro_rules! view {
    ($($Tensor:ident),*) => { $(
        impl<'a> From<&'a $Tensor> for Tensor<'a> {
            #[inline]
            fn from(record: &'a $Tensor) -> Self {
                Self { addr4: record.addr4.get(), steps: &record.steps, nums: &record.nums }
            }
        }
    )* };
}

view!(Tensor1d, Tensor2d, Tensor3d, Tensor4d);

#[cfg(test)]
mod tests {
    use super::*;
    use zerocopy::{FromBytes, IntoBytes};

    #[test]
    fn steps_and_nums_are_two_arrays_with_the_innermost_loop_first() {
        let bytes = [0x20, 0x01, 0x14, 0x00, 0xFE, 0xFF, 0x03, 0x00, 0x00, 0x02, 0x07, 0x00];
        let record = Tensor2d::ref_from_bytes(&bytes).unwrap();
        let tensor = Tensor::from(record);
        assert_eq!(tensor.addr4.bits(), 0x0014_0120);
        assert!(tensor.loops().eq([Loop { step: -2, num: 512 }, Loop { step: 3, num: 7 }]));
        assert_eq!(record.as_bytes(), bytes);
    }

    #[test]
    fn any_other_length_is_refused() {
        assert!(Tensor1d::ref_from_bytes(&[0; 7]).is_err());
        assert!(Tensor1d::ref_from_bytes(&[0; 9]).is_err());
    }
}
