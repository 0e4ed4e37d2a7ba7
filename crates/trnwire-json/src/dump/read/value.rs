//! Values and objects: the walk over the tree.

use core::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use trnwire::ring::{NEIGHBOR_FOLDS, Neighbor, RingChannel};
use zerocopy::FromBytes;

use super::barrier::Barrier;
use super::key::{FirstKey, Key};
use super::leaf::{Address, Hex, Integer, Name};
use super::list::{AddressList, Array, Events, IndexWords};
use super::{Reader, Step};
use crate::dump::shape::{ANY_BLOCK, CONTEXT, Check, Member, Node, Part, WIRE_CHANNEL_ID, When};

/// The whole text: which tree it is told by its first key.
pub(super) struct Root<'a>(pub(super) &'a mut Reader);

impl<'de> DeserializeSeed<'de> for Root<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Root<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the object of a context or a block")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let (Node::Object(of_context, _), Node::Object(of_block, _)) = (CONTEXT, ANY_BLOCK) else {
            return Ok(());
        };
        let Some((is_context, first)) = map.next_key_seed(FirstKey([of_context, of_block]))? else {
            return Err(A::Error::custom("an empty object: no context and no block"));
        };
        self.0.is_context = is_context;
        let members = if is_context { of_context } else { of_block };
        let object =
            Object { reader: self.0, members, check: Check::Nothing, part: Part::Rows, offset: 0, position: 0 };
        object.read(map, Some(first))
    }
}

/// A value, and where it goes.
pub(super) struct Value<'a> {
    pub(super) reader: &'a mut Reader,
    pub(super) node: &'static Node,
    pub(super) part: Part,
    pub(super) offset: usize,
    pub(super) position: usize,
}

impl<'de> DeserializeSeed<'de> for Value<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        let Value { reader, node, part, offset, position } = self;
        match *node {
            Node::Object(members, check) => {
                deserializer.deserialize_map(Object { reader, members, check, part, offset, position })
            }
            Node::Array(element, count, stride) => {
                deserializer.deserialize_seq(Array { reader, element, count, stride, part, offset })
            }
            Node::Events(element) => deserializer.deserialize_seq(Events { reader, element }),
            Node::Of(part, node) => {
                reader.has_stub |= part == Part::Stub;
                Value { reader, node, part, offset: 0, position }.deserialize(deserializer)
            }
            Node::Address => {
                let address = deserializer.deserialize_str(Address)?;
                reader.write(part, offset, &address.to_le_bytes());
                Ok(())
            }
            Node::Integer(bytes) => {
                let most = u64::MAX.wrapping_shr(64_u32.saturating_sub(bytes.saturating_mul(8)));
                let number = deserializer.deserialize_u64(Integer { most })?;
                let length = usize::try_from(bytes).unwrap_or_default();
                reader.write(part, offset, number.to_le_bytes().get(..length).unwrap_or_default());
                Ok(())
            }
            Node::Bits { shift, width } => {
                let most = 1_u64.wrapping_shl(width).wrapping_sub(1);
                let number = deserializer.deserialize_u64(Integer { most })?;
                let bits = number.wrapping_shl(shift).to_le_bytes();
                reader.place(part, offset).iter_mut().zip(bits).for_each(|(place, bits)| *place |= bits);
                Ok(())
            }
            Node::Hex(bytes) => {
                let length = usize::try_from(bytes).unwrap_or_default();
                let place = reader.place(part, offset).get_mut(..length).unwrap_or_default();
                deserializer.deserialize_str(Hex(place))
            }
            Node::Position => {
                let number = deserializer.deserialize_u64(Integer { most: u64::from(u32::MAX) })?;
                if usize::try_from(number) == Ok(position) {
                    return Ok(());
                }
                Err(D::Error::custom(format_args!("{number} stands at position {position}")))
            }
            Node::ModelName => {
                reader.model_name = Some(deserializer.deserialize_str(Name)?);
                Ok(())
            }
            // These are read by the object that holds them.
            Node::Live | Node::Tail => deserializer.deserialize_any(IgnoredAny).map(|_| ()),
            Node::Barrier => deserializer.deserialize_map(Barrier { reader, part, offset }),
        }
    }
}

struct Object<'a> {
    reader: &'a mut Reader,
    members: &'static [Member],
    check: Check,
    part: Part,
    offset: usize,
    position: usize,
}

impl<'de> Visitor<'de> for Object<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        self.read(map, None)
    }
}

impl Object<'_> {
    /// Reads the members; the first key may have been taken.
    fn read<'de, A: MapAccess<'de>>(mut self, mut map: A, first: Option<usize>) -> Result<(), A::Error> {
        let mut seen = 0_u64;
        let mut words = IndexWords::default();
        let mut views = Views::default();
        let mut next = first;
        let mut likely = 0_usize;
        loop {
            let index = match next.take() {
                Some(index) => index,
                None => match map.next_key_seed(Key { members: self.members, likely })? {
                    Some(index) => index,
                    None => break,
                },
            };
            let Some(member) = self.members.get(index) else { continue };
            let bit = 1_u64.wrapping_shl(u32::try_from(index).unwrap_or_default());
            if seen & bit != 0 {
                return Err(A::Error::custom(format_args!("key {:?} occurs twice", member.key)));
            }
            seen |= bit;
            likely = index.saturating_add(1);
            let result = match member.node {
                Node::Live => map.next_value_seed(AddressList).map(|list| words.live = list),
                Node::Tail => map.next_value_seed(AddressList).map(|list| words.tail = list),
                _ => self.read_member(member, &mut map, &mut views),
            };
            if let Err(error) = result {
                self.reader.path.push(Step::Key(member.key));
                return Err(error);
            }
        }
        let has = |when: When| self.has_group(when, seen);
        let groups = [has(When::Always)?, has(When::Full)?, has(When::Wire)?, has(When::FullAndWire)?];
        if let [_, Some(false), _, Some(true)] = groups {
            return Err(A::Error::custom("keys of --full are missing, and those of --full with --wire are there"));
        }
        self.note_groups(groups);
        match self.check {
            Check::Nothing => Ok(()),
            Check::Neighbor => self.write_index_words(&words),
            Check::Row => {
                self.write_channel(groups[2].is_some_and(|has| has));
                Ok(())
            }
            Check::Union => views.agree(),
        }
    }

    /// Reads a member whose value goes to the bytes.
    fn read_member<'de, A: MapAccess<'de>>(
        &mut self,
        member: &'static Member,
        map: &mut A,
        views: &mut Views,
    ) -> Result<(), A::Error> {
        let (part, offset) = (self.part, self.offset.saturating_add(member.offset));
        let position = self.position;
        let is_view = self.check == Check::Union && matches!(member.node, Node::Object(..));
        if is_view {
            // Each view of the union starts from nothing, so that it can be held against the other.
            self.reader.write(part, offset.saturating_add(UNION_OFFSET), &[0; 4]);
        }
        let reader = &mut *self.reader;
        map.next_value_seed(Value { reader, node: &member.node, part, offset, position })?;
        if is_view {
            let union = self.reader.place(part, offset.saturating_add(UNION_OFFSET));
            views.push(union.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes)));
        }
        Ok(())
    }

    /// Whether the object has the members of a group; `None` where there are none. All are there or none, and those that
    /// are always printed are there.
    fn has_group<E: Error>(&self, when: When, seen: u64) -> Result<Option<bool>, E> {
        let group = (0_u32..).zip(self.members).filter(|(_, member)| member.when == when);
        let (mut any, mut missing) = (false, None);
        for (index, member) in group {
            match seen >> index & 1 {
                0 => missing = missing.or(Some(member.key)),
                _ => any = true,
            }
        }
        match missing {
            None => Ok(any.then_some(true)),
            Some(key) if any || when == When::Always => Err(E::custom(format_args!("key {key:?} is missing"))),
            Some(_) => Ok(Some(false)),
        }
    }

    fn note_groups(&mut self, [_, full, wire, both]: [Option<bool>; 4]) {
        self.reader.has_full |= full == Some(true);
        self.reader.lacks_full |= full == Some(false);
        self.reader.has_wire |= wire == Some(true) || both == Some(true);
    }

    /// Live words come first, and fold_n says how many they are.
    fn write_index_words<E: Error>(&mut self, words: &IndexWords) -> Result<(), E> {
        let place = self.reader.place(self.part, self.offset);
        let fold_n = Neighbor::ref_from_prefix(place).map_or(0, |(neighbor, _)| neighbor.live().len());
        let (live, tail) = (words.live.as_slice(), words.tail.as_slice());
        if live.len() != fold_n {
            return Err(E::custom(format_args!(
                "net_idx_addrs has {} addresses, fold_n asks for {fold_n}",
                live.len()
            )));
        }
        if words.tail.is_given && live.len().saturating_add(tail.len()) != NEIGHBOR_FOLDS {
            let expected = NEIGHBOR_FOLDS.saturating_sub(fold_n);
            return Err(E::custom(format_args!("net_idx_tail has {} addresses instead of {expected}", tail.len())));
        }
        for (place, word) in place.chunks_exact_mut(8).zip(live.iter().chain(tail)) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        Ok(())
    }

    /// A row of which something is set has its position as its channel, unless the byte is given as it stands.
    fn write_channel(&mut self, is_given: bool) {
        let Some(member) = self.members.iter().find(|member| member.key == WIRE_CHANNEL_ID) else { return };
        let [position, ..] = self.position.to_le_bytes();
        let row = self.reader.place(self.part, self.offset).get_mut(..size_of::<RingChannel>()).unwrap_or_default();
        if !is_given && row.iter().any(|&byte| byte != 0) {
            row.iter_mut().skip(member.offset).take(1).for_each(|byte| *byte = position);
        }
    }
}

/// Where the union of a control slot begins.
const UNION_OFFSET: usize = 4;

/// The views of the union that were read.
#[derive(Default)]
struct Views {
    first: Option<u32>,
    differ: bool,
}

impl Views {
    fn push(&mut self, view: u32) {
        self.differ |= self.first.replace(view).is_some_and(|first| first != view);
    }

    fn agree<E: Error>(&self) -> Result<(), E> {
        if self.differ { Err(E::custom("ring.channel_list and mesh differ, and are the same bytes")) } else { Ok(()) }
    }
}
