//! The shapes that bodies of bundles have, known when the code is compiled, so that a loop over bundles of one shape loads
//! from fixed places. An opcode whose slots lie otherwise is left to the scalar functions.

use trnwire::access::SlotType;
use trnwire::arch::Generation;
use trnwire::bundle::{SlotCheck, SlotFacts};

use super::rule::dtype_byte;

/// Most slots of a shape.
pub(super) const MOST_SLOTS: usize = 4;

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
    /// A tensor of so many loops.
    Loops(usize),
    /// A tensor of so many loops, or with none a word, on which no verdict is known.
    Unjudged(usize),
    /// A gather in place of four loops, which must be one. Such a bundle is never quiet.
    Gather,
    /// An MX record.
    Mx,
}

/// A shape.
pub(super) trait Shape {
    const SLOTS: [SlotShape; MOST_SLOTS];
    /// The first two slots must not lie just anywhere.
    const IS_TENSOR_TENSOR: bool;
    /// A slot holds an MX record.
    const HAS_MX: bool = {
        let [first, second, ..] = Self::SLOTS;
        matches!(first.holds, Holds::Mx) || matches!(second.holds, Holds::Mx)
    };
}

const NOTHING: SlotShape = SlotShape { word: 0, holds: Holds::Nothing };

/// These slots and no more.
const fn only(slots: &[SlotShape]) -> [SlotShape; MOST_SLOTS] {
    match *slots {
        [first] => [first, NOTHING, NOTHING, NOTHING],
        [first, second] => [first, second, NOTHING, NOTHING],
        [first, second, third] => [first, second, third, NOTHING],
        [first, second, third, fourth] => [first, second, third, fourth],
        _ => [NOTHING; MOST_SLOTS],
    }
}

const fn loops(offset: u8, loops: usize) -> SlotShape {
    SlotShape { word: offset / 4, holds: Holds::Loops(loops) }
}

const fn unjudged(offset: u8, loops: usize) -> SlotShape {
    SlotShape { word: offset / 4, holds: Holds::Unjudged(loops) }
}

const fn gather(offset: u8) -> SlotShape {
    SlotShape { word: offset / 4, holds: Holds::Gather }
}

const fn mx(offset: u8) -> SlotShape {
    SlotShape { word: offset / 4, holds: Holds::Mx }
}

/// Not quiet before it is looked at.
pub(super) const LOUD: u8 = 0;
/// No slots, and nothing to look at.
pub(super) const EMPTY: u8 = 1;

/// Declares the shapes, their numbers, and the calls of something for each.
macro_rules! shapes {
    ($( $Shape:ident = $number:literal: [$($slot:expr),*], $tensor_tensor:literal; )*) => {
        $(
            pub(super) struct $Shape;
            impl Shape for $Shape {
                const SLOTS: [SlotShape; MOST_SLOTS] = only(&[$($slot),*]);
                const IS_TENSOR_TENSOR: bool = $tensor_tensor;
            }
        )*

        /// Room for all shapes.
        pub(super) const SHAPES: usize = [LOUD, EMPTY $(, $number)*].len().next_power_of_two();

        /// Slots, whether the first two must not lie just anywhere, and the number of each shape.
        const ALL: &[([SlotShape; MOST_SLOTS], bool, u8)] =
            &[$( ($Shape::SLOTS, $tensor_tensor, $number) ),*];

        /// Calls `$visit!(Shape, number)` for each shape.
        macro_rules! for_each_shape {
            ($visit:ident) => { $( $visit!($Shape, $number); )* };
        }
    };
}

shapes! {
    Fours = 2: [loops(12, 4), loops(44, 4)], false;
    FoursUnjudgedLast = 3: [loops(12, 4), unjudged(44, 4)], false;
    FoursUnjudged = 4: [unjudged(12, 4), unjudged(44, 4)], false;
    LastFour = 5: [unjudged(44, 4)], false;
    FourTwo = 6: [unjudged(12, 4), unjudged(48, 2)], false;
    Threes = 7: [loops(16, 3), loops(48, 3)], false;
    ThreesUnjudgedFirst = 8: [unjudged(16, 3), loops(48, 3)], false;
    ThreesUnjudgedLast = 9: [loops(16, 3), unjudged(48, 3)], false;
    ThreesShifted = 10: [loops(12, 3), loops(44, 3)], false;
    FirstThree = 11: [loops(16, 3)], false;
    FirstThreeUnjudged = 12: [unjudged(16, 3)], false;
    LastThree = 13: [unjudged(48, 3)], false;
    ThreeThrees = 14: [unjudged(16, 3), unjudged(32, 3), unjudged(48, 3)], false;
    TensorTensor = 15: [unjudged(16, 3), unjudged(32, 3), unjudged(48, 3)], true;
    MxThree = 16: [mx(16), loops(48, 3)], false;
    Mx = 17: [mx(16)], false;
    ThreeMx = 18: [loops(16, 3), mx(48)], false;
    LastOne = 19: [unjudged(44, 1)], false;
    TwoWords = 20: [unjudged(48, 0), unjudged(52, 0)], false;
    Word = 21: [unjudged(36, 0)], false;
    Gathered = 22: [gather(12), unjudged(44, 4)], false;
    Embedding = 23: [unjudged(16, 1), unjudged(24, 2), unjudged(36, 1), unjudged(56, 0)], false;
}

/// The number of the shape of an opcode.
pub(super) fn shape_of(generation: Generation, opcode: u8, facts: &[SlotFacts]) -> u8 {
    const TENSOR_TENSOR: [u8; 2] = [0x41, 0x51];
    match facts.len() {
        0 => return EMPTY,
        1..=MOST_SLOTS => {}
        _ => return LOUD,
    }
    let mut slots = [NOTHING; MOST_SLOTS];
    for (slot, facts) in slots.iter_mut().zip(facts) {
        let is_judged = facts.flags.is_some() && dtype_byte(generation, facts).is_some();
        let holds = match facts.slot_type(generation) {
            Some(SlotType::MxMemPattern1d) => Holds::Mx,
            Some(SlotType::MemPattern4d) if is_judged && facts.check == SlotCheck::MustBeIndirect => Holds::Gather,
            _ if facts.check == SlotCheck::MustBeIndirect => return LOUD,
            Some(slot_type) if is_judged => Holds::Loops(slot_type.loops()),
            None if is_judged => return LOUD,
            slot_type => Holds::Unjudged(slot_type.map_or(0, SlotType::loops)),
        };
        *slot = SlotShape { word: facts.offset / 4, holds };
    }
    let is_tensor_tensor = TENSOR_TENSOR.contains(&opcode);
    let alike = ALL.iter().find(|(known, tensor_tensor, _)| *known == slots && *tensor_tensor == is_tensor_tensor);
    alike.map_or(LOUD, |(.., number)| *number)
}
