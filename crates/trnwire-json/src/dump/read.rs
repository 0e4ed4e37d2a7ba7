//! Reading a dump back to bytes.
//!
//! The reader walks the tree that the writer walks, with `serde_json` for the syntax. Everything is checked by type; keys may
//! come in any order, and none may be missing, unknown or there twice.

use core::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Unexpected, Visitor};
use trnwire::arch::CollectiveArch;
use trnwire::block::View;
use trnwire::context::{self, smallest_context};
use trnwire::mesh::MeshEvent;
use trnwire::ring::{NEIGHBOR_FOLDS, Neighbor, RING_ROWS, RingChannel};
use zerocopy::FromBytes;

use super::Parts;
use super::replay::replay;
use super::shape::{
    ANY_BLOCK, BARRIER_FLAG, BARRIER_ON_DEVICE, BARRIER_ON_HOST, CONTEXT, Check, Member, Node, Part, WIRE_CHANNEL_ID,
    When,
};

/// What a dump was made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A block in this view.
    Block(View),
    /// A context, whose bytes lie as in this view.
    Context(View),
}

/// A dump as bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    /// The bytes: the smallest that hold everything.
    pub bytes: Vec<u8>,
    /// What they are.
    pub source: Source,
    /// The name of the model, which no byte holds; only a context has one.
    pub model_name: Option<String>,
    /// What the dump does not say and what is zero, therefore.
    pub zeroed: Vec<&'static str>,
}

/// Why a dump cannot be read: what is wrong, the path to it, line and column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackError {
    /// Path to the value, as a JSON pointer; empty for the whole.
    pub pointer: String,
    message: String,
}

impl fmt::Display for PackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.pointer.is_empty() {
            write!(f, "{}: ", self.pointer)?;
        }
        f.write_str(&self.message)
    }
}

impl core::error::Error for PackError {}

/// Reads the dump of a block or a context.
///
/// # Errors
/// The first thing that no dump has.
pub fn pack(text: &[u8]) -> Result<Packed, PackError> {
    replay(text).map_or_else(|| pack_slowly(text), Ok)
}

/// [`pack`] for any text that is a dump, however it is written.
pub(super) fn pack_slowly(text: &[u8]) -> Result<Packed, PackError> {
    let mut reader = Reader::new();
    let mut json = serde_json::Deserializer::from_slice(text);
    let read = Root(&mut reader).deserialize(&mut json).and_then(|()| json.end());
    let result = read.map_err(|error| error.to_string()).and_then(|()| reader.packed());
    result.map_err(|message| PackError { pointer: reader.pointer(), message })
}

/// What has been read, in parts.
pub(super) struct Reader {
    parts: [Vec<u8>; Part::COUNT],
    pub(super) model_name: Option<String>,
    pub(super) is_context: bool,
    pub(super) has_stub: bool,
    /// Groups of members that the dump has.
    pub(super) has_wire: bool,
    /// Parts whose less certain members it has.
    pub(super) has_full: bool,
    pub(super) lacks_full: bool,
    /// The path to an error, innermost first.
    path: Vec<Step>,
}

enum Step {
    Key(&'static str),
    Index(usize),
}

impl Reader {
    pub(super) fn new() -> Self {
        let mut parts: [Vec<u8>; Part::COUNT] = Default::default();
        let mut set = |part: Part, size: usize| {
            if let Some(place) = parts.get_mut(part.index()) {
                *place = vec![0; size];
            }
        };
        set(Part::Rows, size_of::<[RingChannel; RING_ROWS]>());
        set(Part::Stub, size_of::<u64>());
        set(Part::Neff, size_of::<context::NeffConfig>());
        set(Part::Device, size_of::<context::DeviceConfig>());
        set(Part::NeffState, size_of::<context::NeffState>());
        set(Part::AlgoState, size_of::<context::AlgoState>());
        Self {
            parts,
            model_name: None,
            is_context: false,
            has_stub: false,
            has_wire: false,
            has_full: false,
            lacks_full: false,
            path: Vec::new(),
        }
    }

    fn pointer(&self) -> String {
        use fmt::Write as _;
        let mut pointer = String::new();
        for step in self.path.iter().rev() {
            let _ = match step {
                Step::Key(key) => write!(pointer, "/{key}"),
                Step::Index(index) => write!(pointer, "/{index}"),
            };
        }
        pointer
    }

    pub(super) fn part(&mut self, part: Part) -> &mut Vec<u8> {
        // Every part has an index below their count.
        let [first, rest @ ..] = &mut self.parts;
        match part.index().checked_sub(1) {
            None => first,
            Some(index) => rest.get_mut(index).unwrap_or(first),
        }
    }

    /// All parts, for a writer.
    pub(super) fn parts(&self) -> Parts<'_> {
        let mut parts = Parts { model_name: self.model_name.as_deref().unwrap_or_default(), ..Parts::default() };
        for (place, bytes) in parts.parts.iter_mut().zip(&self.parts) {
            *place = bytes;
        }
        parts
    }

    /// The bytes of a part from an offset on.
    fn place(&mut self, part: Part, offset: usize) -> &mut [u8] {
        self.part(part).get_mut(offset..).unwrap_or_default()
    }

    fn write(&mut self, part: Part, offset: usize, bytes: &[u8]) {
        self.place(part, offset).iter_mut().zip(bytes).for_each(|(place, byte)| *place = *byte);
    }

    /// The parts, one behind the other.
    pub(super) fn packed(&mut self) -> Result<Packed, String> {
        const EVENT: usize = size_of::<MeshEvent>();
        let events = self.part(Part::Events).len() / EVENT;
        let view = match (events, self.has_stub) {
            (200, false) => View::Host,
            (50, true) => View::Sunda,
            (108, true) => View::Cayman,
            _ => {
                let stub = if self.has_stub { "with" } else { "without" };
                return Err(format!(
                    "{events} mesh events {stub} a hierarchical part: there are 200 without, or 50 or 108 with"
                ));
            }
        };
        if self.is_context && view == View::Host {
            return Err("a context has 50 or 108 mesh events".to_owned());
        }
        let mut bytes = Vec::new();
        let parts: &[Part] = match (self.is_context, view) {
            (false, View::Host) => &[Part::Rows, Part::Events],
            (false, _) => &[Part::Rows, Part::Events, Part::Stub],
            (true, _) => {
                &[Part::Rows, Part::Events, Part::Stub, Part::Neff, Part::Device, Part::NeffState, Part::AlgoState]
            }
        };
        for part in parts {
            bytes.append(self.part(*part));
        }
        let source = if self.is_context { Source::Context(view) } else { Source::Block(view) };
        debug_assert_eq!(bytes.len(), source.size_bytes());
        Ok(Packed { bytes, source, model_name: self.model_name.take(), zeroed: self.zeroed() })
    }

    fn zeroed(&self) -> Vec<&'static str> {
        let not_wire: &[_] = match (self.has_wire, self.is_context) {
            (true, _) => &[],
            (false, false) => &["reserved bytes and index words behind the live ones (dumped with --wire)"],
            (false, true) => {
                &["reserved bytes, gaps of live rows and index words behind the live ones (dumped with --wire)"]
            }
        };
        let not_full: &[_] = match (self.is_context, self.lacks_full, self.has_full) {
            (true, true, _) => &["configs.neff, configs.dev or neff, which are {} (dumped with --full)"],
            _ => &[],
        };
        let never: &[_] = match (self.is_context, self.has_full) {
            (true, true) => &["desc_count, the other reading of the barrier, and bytes that no source names"],
            _ => &[],
        };
        let behind: &[_] = if self.is_context { &["what lies behind the smallest context"] } else { &[] };
        [not_wire, not_full, never, behind].concat()
    }
}

impl Source {
    /// How many bytes there are.
    #[must_use]
    pub const fn size_bytes(self) -> usize {
        match self {
            Self::Block(view) => view.size_bytes(),
            Self::Context(View::Sunda) => smallest_context(CollectiveArch::Sunda),
            Self::Context(_) => smallest_context(CollectiveArch::Cayman),
        }
    }
}

/// The whole text: which tree it is told by its first key.
struct Root<'a>(&'a mut Reader);

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

/// Finds the key of either tree: whether it is the first one's, and which key.
struct FirstKey([&'static [Member]; 2]);

impl<'de> DeserializeSeed<'de> for FirstKey {
    type Value = (bool, usize);

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(bool, usize), D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for FirstKey {
    type Value = (bool, usize);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<(bool, usize), E> {
        let find = |members: &[Member]| members.iter().position(|member| member.key == key);
        let [of_context, of_block] = self.0;
        let found = find(of_context).map(|index| (true, index)).or(find(of_block).map(|index| (false, index)));
        found.ok_or_else(|| unknown_key(key))
    }
}

#[cold]
fn unknown_key<E: Error>(key: &str) -> E {
    E::custom(format_args!("key {:?} is not expected here", brief(key)))
}

/// Text as an error shows it: whole when short, its start otherwise.
fn brief(text: &str) -> &str {
    const MOST_CHARS: usize = 40;
    text.char_indices().nth(MOST_CHARS).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

/// Finds a key of an object, most likely the one behind the last.
struct Key {
    members: &'static [Member],
    likely: usize,
}

impl<'de> DeserializeSeed<'de> for Key {
    type Value = usize;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<usize, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Key {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<usize, E> {
        if self.members.get(self.likely).is_some_and(|member| member.key == key) {
            return Ok(self.likely);
        }
        self.members.iter().position(|member| member.key == key).ok_or_else(|| unknown_key(key))
    }
}

/// A value, and where it goes.
struct Value<'a> {
    reader: &'a mut Reader,
    node: &'static Node,
    part: Part,
    offset: usize,
    position: usize,
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

/// The index words of a neighbour, until all of it is read.
#[derive(Default)]
struct IndexWords {
    live: List,
    tail: List,
}

#[derive(Default)]
struct List {
    words: [u64; NEIGHBOR_FOLDS],
    length: usize,
    is_given: bool,
}

impl List {
    fn as_slice(&self) -> &[u64] {
        self.words.get(..self.length).unwrap_or_default()
    }
}

struct AddressList;

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

struct Array<'a> {
    reader: &'a mut Reader,
    element: &'static Node,
    count: usize,
    stride: usize,
    part: Part,
    offset: usize,
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
struct Events<'a> {
    reader: &'a mut Reader,
    element: &'static Node,
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

/// The union of barriers: the flag, and the reading that it selects.
struct Barrier<'a> {
    reader: &'a mut Reader,
    part: Part,
    offset: usize,
}

impl<'de> Visitor<'de> for Barrier<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with device_barrier and the barrier")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let (Node::Object([_, device], _), Node::Object([_, host], _)) = (BARRIER_ON_DEVICE, BARRIER_ON_HOST) else {
            return Ok(());
        };
        let members: [&Member; 3] = [&BARRIER_FLAG, device, host];
        let (part, mut seen) = (self.part, [false; 3]);
        while let Some(key) = map.next_key_seed(AnyKey(members))? {
            let Some((member, seen)) = members.get(key).zip(seen.get_mut(key)) else { continue };
            if core::mem::replace(seen, true) {
                return Err(A::Error::custom(format_args!("key {:?} occurs twice", member.key)));
            }
            let offset = self.offset.saturating_add(member.offset);
            let reader = &mut *self.reader;
            if let Err(error) = map.next_value_seed(Value { reader, node: &member.node, part, offset, position: 0 }) {
                self.reader.path.push(Step::Key(member.key));
                return Err(error);
            }
        }
        let [flag, on_device, on_host] = seen;
        let union = self.offset.saturating_add(BARRIER_FLAG.offset);
        let is_device = self.reader.place(part, union).first().is_some_and(|byte| byte & 1 == 1);
        match (flag, on_device, on_host) {
            (false, ..) => Err(A::Error::custom(format_args!("key {:?} is missing", BARRIER_FLAG.key))),
            (true, true, false) if is_device => Ok(()),
            (true, false, true) if !is_device => Ok(()),
            _ if is_device => Err(A::Error::custom("device_barrier is 1: \"device\" and nothing else goes with it")),
            _ => Err(A::Error::custom("device_barrier is 0: \"host\" and nothing else goes with it")),
        }
    }
}

/// Finds one of these keys.
struct AnyKey([&'static Member; 3]);

impl<'de> DeserializeSeed<'de> for AnyKey {
    type Value = usize;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<usize, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for AnyKey {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<usize, E> {
        self.0.iter().position(|member| member.key == key).ok_or_else(|| unknown_key(key))
    }
}

struct Address;

impl Visitor<'_> for Address {
    type Value = u64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an address (0x and 16 upper-case hex digits)")
    }

    #[inline]
    fn visit_str<E: Error>(self, text: &str) -> Result<u64, E> {
        address(text).ok_or_else(|| E::invalid_value(Unexpected::Str(brief(text)), &self))
    }
}

/// The value of each upper-case hex digit; 0x80 for what is none.
const DIGIT_VALUES: [u8; 256] = {
    let mut values = [0x80; 256];
    let mut digit = 0_u8;
    while digit < 16 {
        let character = if digit < 10 { b'0'.wrapping_add(digit) } else { b'A'.wrapping_add(digit).wrapping_sub(10) };
        let (_, rest) = values.split_at_mut(widen(character));
        if let [place, ..] = rest {
            *place = digit;
        }
        digit = digit.wrapping_add(1);
    }
    values
};

#[expect(clippy::as_conversions, reason = "no conversion trait is const, and this one only widens")]
const fn widen(byte: u8) -> usize {
    byte as usize
}

/// `0x` and exactly 16 upper-case digits.
#[inline]
fn address(text: &str) -> Option<u64> {
    text.strip_prefix("0x")?.as_bytes().try_into().ok().and_then(hex_number)
}

/// The number that 16 upper-case digits are.
#[inline]
pub(super) fn hex_number(digits: &[u8; 16]) -> Option<u64> {
    let mut all = 0;
    let value = digits.iter().fold(0_u64, |value, &digit| {
        let digit = DIGIT_VALUES.get(usize::from(digit)).copied().unwrap_or(0x80);
        all |= digit;
        value << 4 | u64::from(digit)
    });
    (all & 0x80 == 0).then_some(value)
}

struct Integer {
    most: u64,
}

impl Visitor<'_> for Integer {
    type Value = u64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an integer in 0..={}", self.most)
    }

    #[inline]
    fn visit_u64<E: Error>(self, value: u64) -> Result<u64, E> {
        if value <= self.most { Ok(value) } else { Err(E::invalid_value(Unexpected::Unsigned(value), &self)) }
    }
}

/// Bytes as lower-case hex, without space.
struct Hex<'a>(&'a mut [u8]);

impl Visitor<'_> for Hex<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes as lower-case hex", self.0.len())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        let is_lower = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        match crate::hex::bytes(text).filter(|bytes| is_lower && bytes.len() == self.0.len()) {
            None => Err(E::invalid_value(Unexpected::Str(brief(text)), &self)),
            Some(bytes) => {
                self.0.copy_from_slice(&bytes);
                Ok(())
            }
        }
    }
}

struct Name;

impl Visitor<'_> for Name {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<String, E> {
        Ok(text.to_owned())
    }
}
