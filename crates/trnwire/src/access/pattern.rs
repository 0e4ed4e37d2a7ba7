//! A descriptor in its slot: the mode of the first word selects what it is.

use zerocopy::{FromBytes, Immutable, KnownLayout, Unaligned};

use super::indirect::{Indirect, Indirect12, Indirect16, Indirect20};
use super::mx::{MxIndirect16, MxTensor1d};
use super::slot::SlotType;
use super::tensor::{Tensor, Tensor1d, Tensor2d, Tensor3d, Tensor4d};
use super::validate::Word;
use crate::addr4::{Addr4, Mode};
use crate::kind::{Kind, WrongLength};
use crate::table::Layout;

/// What a slot holds, as a view of its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern<'a> {
    /// Loops over elements.
    Tensor(Tensor<'a>),
    /// A gather.
    Indirect(Indirect<'a>),
    /// Microscaled data walked in order.
    MxStatic(&'a MxTensor1d),
    /// Microscaled data gathered through indices.
    MxIndirect(&'a MxIndirect16),
}

impl<'a> Pattern<'a> {
    /// Decodes a slot. The mode of the first word selects the variant, on every generation alike. TENSOR1D is never a
    /// gather, since no gather of 8 bytes exists.
    ///
    /// # Errors
    /// Bytes of another length than the slot's; nothing else.
    #[inline]
    pub fn decode(slot: SlotType, bytes: &'a [u8]) -> Result<Self, WrongLength> {
        let is_gather = bytes.first_chunk().is_some_and(|&word| Addr4::from_wire(word).mode() == Mode::Indirect);
        let pattern = match (slot, is_gather) {
            (SlotType::Tensor1d, _) => view::<Tensor1d>(bytes).map(|record| Self::Tensor(record.into())),
            (SlotType::Tensor2d | SlotType::MemPattern2d, false) => {
                view::<Tensor2d>(bytes).map(|record| Self::Tensor(record.into()))
            }
            (SlotType::Tensor3d | SlotType::MemPattern3d, false) => {
                view::<Tensor3d>(bytes).map(|record| Self::Tensor(record.into()))
            }
            (SlotType::Tensor4d | SlotType::MemPattern4d, false) => {
                view::<Tensor4d>(bytes).map(|record| Self::Tensor(record.into()))
            }
            (SlotType::Tensor2d | SlotType::MemPattern2d, true) => {
                view::<Indirect12>(bytes).map(|record| Self::Indirect(record.into()))
            }
            (SlotType::Tensor3d | SlotType::MemPattern3d, true) => {
                view::<Indirect16>(bytes).map(|record| Self::Indirect(record.into()))
            }
            (SlotType::Tensor4d | SlotType::MemPattern4d, true) => {
                view::<Indirect20>(bytes).map(|record| Self::Indirect(record.into()))
            }
            (SlotType::MxMemPattern1d, false) => view(bytes).map(Self::MxStatic),
            (SlotType::MxMemPattern1d, true) => view(bytes).map(Self::MxIndirect),
        };
        pattern.ok_or(WrongLength { kind: Kind::Slot(slot), length: bytes.len() })
    }

    /// The reading of the slot's bytes that applies; its name is the variant's name in JSON.
    #[must_use]
    pub fn layout(&self, slot: SlotType) -> Option<&'static Layout> {
        let name = self.variant();
        slot.table().layouts.iter().find(|layout| layout.name == name)
    }

    /// `tensor`, `indirect`, `mx_static` or `mx_indirect`.
    #[must_use]
    pub const fn variant(&self) -> &'static str {
        match self {
            Self::Tensor(_) => "tensor",
            Self::Indirect(_) => "indirect",
            Self::MxStatic(_) => "mx_static",
            Self::MxIndirect(_) => "mx_indirect",
        }
    }

    /// The word at 0.
    #[must_use]
    #[inline]
    pub const fn first_word(&self) -> Addr4 {
        match self {
            Self::Tensor(tensor) => tensor.addr4,
            Self::Indirect(gather) => gather.index,
            Self::MxStatic(record) => record.data.get(),
            Self::MxIndirect(record) => record.index.get(),
        }
    }

    /// Every address word, in the order of their place: byte 0, then 4, then 8.
    #[inline]
    pub fn words(&self) -> impl Iterator<Item = Addr4> + use<> {
        let (words, count) = self.word_array();
        words.into_iter().take(count)
    }

    /// The words and how many there are.
    #[inline(always)]
    pub(crate) const fn word_array(&self) -> ([Addr4; 3], usize) {
        const NONE: Addr4 = Addr4::from_bits(0);
        match self {
            Self::Tensor(tensor) => ([tensor.addr4, NONE, NONE], 1),
            Self::Indirect(gather) => ([gather.index, gather.data, NONE], 2),
            Self::MxStatic(record) => ([record.data.get(), record.scale.get(), NONE], 2),
            Self::MxIndirect(record) => ([record.index.get(), record.data.get(), record.scale.get()], 3),
        }
    }

    /// [`Pattern::words`] with their names.
    pub fn named_words(&self) -> impl Iterator<Item = (Word, Addr4)> + use<> {
        let names: &[Word] = match self {
            Self::Tensor(_) => &[Word::Start],
            Self::Indirect(_) => &[Word::Index, Word::Data],
            Self::MxStatic(_) => &[Word::Data, Word::Scale],
            Self::MxIndirect(_) => &[Word::Index, Word::Data, Word::Scale],
        };
        names.iter().copied().zip(self.words())
    }
}

#[inline]
fn view<T: FromBytes + Immutable + KnownLayout + Unaligned>(bytes: &[u8]) -> Option<&T> {
    T::ref_from_bytes(bytes).ok()
}
