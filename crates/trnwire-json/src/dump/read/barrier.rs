//! The union of barriers, read by its flag.

use core::fmt;

use serde::de::{Error, MapAccess, Visitor};

use super::key::AnyKey;
use super::value::Value;
use super::{Reader, Step};
use crate::dump::shape::{BARRIER_FLAG, BARRIER_ON_DEVICE, BARRIER_ON_HOST, Member, Node, Part};

/// The union of barriers: the flag, and the reading that it selects.
pub(super) struct Barrier<'a> {
    pub(super) reader: &'a mut Reader,
    pub(super) part: Part,
    pub(super) offset: usize,
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
