//! The shapes that bodies of bundles have, known when the code is compiled, so that a loop over bundles of one shape loads
//! from fixed places. An opcode whose slots lie otherwise is left to the scalar functions.

use trnwire::access::SlotType;
use trnwire::arch::Generation;
use trnwire::bundle::{SlotCheck, SlotFacts};

/// Most slots of a shape.
pub(super) const MOST_SLOTS: usize = 3;

/// A slot of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SlotShape {
    /// Index of its first word.
    pub(super) word: u8,
    pub(super) holds: Holds,
}

/// What a slot holds when it is quiet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holds {
    /// There is no slot.
    Nothing,
    /// An address word.
    Word,
    /// A tensor of so many loops.
    Loops(usize),
    /// An MX record.
    Mx,
}

/// A shape.
pub(super) trait Shape {
    const FIRST: SlotShape;
    const SECOND: SlotShape = NOTHING;
    const THIRD: SlotShape = NOTHING;
    /// The first two slots must not lie just anywhere.
    const IS_TENSOR_TENSOR: bool = false;
    /// A slot holds an MX record.
    const HAS_MX: bool = matches!(Self::FIRST.holds, Holds::Mx) || matches!(Self::SECOND.holds, Holds::Mx);
}

const NOTHING: SlotShape = SlotShape { word: 0, holds: Holds::Nothing };

const fn loops(offset: u8, loops: usize) -> SlotShape {
    SlotShape { word: offset / 4, holds: Holds::Loops(loops) }
}

const fn mx(offset: u8) -> SlotShape {
    SlotShape { word: offset / 4, holds: Holds::Mx }
}

/// Not quiet before it is looked at.
pub(super) const LOUD: usize = 0;
/// No slots, and nothing to look at.
pub(super) const EMPTY: usize = 1;

/// Declares the shapes, their numbers, and the calls of something for each.
macro_rules! shapes {
    ($( $Shape:ident = $number:literal: $first:expr $(, $second:expr $(, $third:expr $(, $tensor_tensor:literal)?)?)?; )*) => {
        $(
            pub(super) struct $Shape;
            impl Shape for $Shape {
                const FIRST: SlotShape = $first;
                $( const SECOND: SlotShape = $second;
                $( const THIRD: SlotShape = $third;
                $( const IS_TENSOR_TENSOR: bool = $tensor_tensor; )? )? )?
            }
        )*

        /// How many shapes there are.
        pub(super) const SHAPES: usize = [LOUD, EMPTY $(, $number)*].len();

        /// Slots, whether the first two must not lie just anywhere, and the number of each shape.
        const ALL: &[([SlotShape; MOST_SLOTS], bool, u8)] =
            &[$( ([$Shape::FIRST, $Shape::SECOND, $Shape::THIRD], $Shape::IS_TENSOR_TENSOR, $number) ),*];

        /// Calls `$visit!(Shape, number)` for each shape.
        macro_rules! for_each_shape {
            ($visit:ident) => { $( $visit!($Shape, $number); )* };
        }

        /// Calls `$visit!(Shape)` for the shape of this number, if there is one.
        macro_rules! for_shape {
            ($shape:expr, $visit:ident) => { match $shape { $( $number => $visit!($Shape), )* _ => {} } };
        }
    };
}

shapes! {
    FourFour = 2: loops(12, 4), loops(44, 4);
    ThreeThree = 3: loops(16, 3), loops(48, 3);
    Three = 4: loops(16, 3);
    ThreeThreeThree = 5: loops(16, 3), loops(32, 3), loops(48, 3);
    TensorTensor = 6: loops(16, 3), loops(32, 3), loops(48, 3), true;
    ThreeThreeShifted = 7: loops(12, 3), loops(44, 3);
    MxThree = 8: mx(16), loops(48, 3);
    Mx = 9: mx(16);
    ThreeMx = 10: loops(16, 3), mx(48);
    FourTwo = 11: loops(12, 4), loops(48, 2);
    LastFour = 12: loops(44, 4);
    LastThree = 13: loops(48, 3);
    LastOne = 14: loops(44, 1);
}

/// The number of the shape of an opcode.
pub(super) fn shape_of(generation: Generation, opcode: u8, facts: &[SlotFacts]) -> u8 {
    const TENSOR_TENSOR: [u8; 2] = [0x41, 0x51];
    if facts.is_empty() {
        return 1;
    }
    let mut slots = [NOTHING; MOST_SLOTS];
    for (slot, facts) in slots.iter_mut().zip(facts) {
        let holds = match facts.slot_type(generation) {
            None => Holds::Word,
            Some(SlotType::MxMemPattern1d) => Holds::Mx,
            Some(slot_type) => Holds::Loops(slot_type.loops()),
        };
        *slot = SlotShape { word: facts.offset / 4, holds };
    }
    let is_loud = facts.len() > MOST_SLOTS || facts.iter().any(|facts| facts.check == SlotCheck::MustBeIndirect);
    let is_tensor_tensor = TENSOR_TENSOR.contains(&opcode);
    let alike = ALL.iter().find(|(known, tensor_tensor, _)| *known == slots && *tensor_tensor == is_tensor_tensor);
    alike.filter(|_| !is_loud).map_or(0, |(.., number)| *number)
}
