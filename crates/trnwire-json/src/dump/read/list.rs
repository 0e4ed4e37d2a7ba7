//! Lists: of values one behind the other, of mesh events, and of index words.

use core::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, SeqAccess, Visitor};
use trnwire::block::View;
use trnwire::mesh::MeshEvent;
use trnwire::ring::NEIGHBOR_FOLDS;

use super::leaf::Address;
use super::value::Value;
use super::{Reader, Step};
use crate::dump::shape::{Node, Part};

pub(super) struct Array<'a> {
    pub(super) reader: &'a mut Reader,
    pub(super) element: &'static Node,
    pub(super) count: usize,
    pub(super) stride: usize,
    pub(super) part: Part,
    pub(super) offset: usize,
}

impl<'de> Visitor<'de> for Array<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list of {}", self.count)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        for position in 0..self.count {
            let offset = self.offset.saturating_add(position.saturating_mul(self.stride));
            let reader = &mut *self.reader;
            let seed = Value { reader, node: self.element, part: self.part, offset, position };
            match items.next_element_seed(seed) {
                Ok(Some(())) => {}
                Ok(None) => return Err(A::Error::invalid_length(position, &self)),
                Err(error) => {
                    self.reader.path.push(Step::Index(position));
                    return Err(error);
                }
            }
        }
        match items.next_element::<IgnoredAny>()? {
            None => Ok(()),
            Some(_) => Err(A::Error::custom(format_args!("more than {} elements", self.count))),
        }
    }
}

/// Mesh events, whose number tells the view.
pub(super) struct Events<'a> {
    pub(super) reader: &'a mut Reader,
    pub(super) element: &'static Node,
}

impl<'de> Visitor<'de> for Events<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of 50, 108 or 200 mesh events")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        const STRIDE: usize = size_of::<MeshEvent>();
        let most = View::Host.event_count();
        self.reader.part(Part::Events).clear();
        for position in 0_usize.. {
            let offset = position.saturating_mul(STRIDE);
            let is_beyond = position == most;
            if !is_beyond {
                self.reader.part(Part::Events).resize(offset.saturating_add(STRIDE), 0);
            }
            let reader = &mut *self.reader;
            let seed = Value { reader, node: self.element, part: Part::Events, offset, position };
            match items.next_element_seed(seed) {
                Ok(Some(())) if is_beyond => return Err(A::Error::custom("more than 200 mesh events")),
                Ok(Some(())) => {}
                Ok(None) => {
                    self.reader.part(Part::Events).truncate(offset);
                    break;
                }
                Err(error) => {
                    self.reader.path.push(Step::Index(position));
                    return Err(error);
                }
            }
        }
        Ok(())
    }
}

/// The index words of a neighbour, until all of it is read.
#[derive(Default)]
pub(super) struct IndexWords {
    pub(super) live: List,
    pub(super) tail: List,
}

#[derive(Default)]
pub(super) struct List {
    pub(super) words: [u64; NEIGHBOR_FOLDS],
    pub(super) length: usize,
    pub(super) is_given: bool,
}

impl List {
    pub(super) fn as_slice(&self) -> &[u64] {
        self.words.get(..self.length).unwrap_or_default()
    }
}

pub(super) struct AddressList;

impl<'de> DeserializeSeed<'de> for AddressList {
    type Value = List;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<List, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for AddressList {
    type Value = List;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of at most 3 addresses")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<List, A::Error> {
        let mut list = List { is_given: true, ..List::default() };
        while let Some(address) = items.next_element_seed(AddressSeed)? {
            let Some(place) = list.words.get_mut(list.length) else {
                return Err(A::Error::invalid_length(list.length.saturating_add(1), &self));
            };
            *place = address;
            list.length = list.length.saturating_add(1);
        }
        Ok(list)
    }
}

struct AddressSeed;

impl<'de> DeserializeSeed<'de> for AddressSeed {
    type Value = u64;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<u64, D::Error> {
        deserializer.deserialize_str(Address)
    }
}
