//! Keys of objects, found without keeping their text.

use core::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, Visitor};

use super::leaf::brief;
use crate::dump::shape::Member;

/// Finds the key of either tree: whether it is the first one's, and which key.
pub(super) struct FirstKey(pub(super) [&'static [Member]; 2]);

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
pub(super) fn unknown_key<E: Error>(key: &str) -> E {
    E::custom(format_args!("key {:?} is not expected here", brief(key)))
}

/// Finds a key of an object, most likely the one behind the last.
pub(super) struct Key {
    pub(super) members: &'static [Member],
    pub(super) likely: usize,
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

/// Finds one of these keys.
pub(super) struct AnyKey(pub(super) [&'static Member; 3]);

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
