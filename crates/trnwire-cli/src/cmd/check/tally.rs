//! Counting ids.

use std::collections::BTreeMap;

use trnwire::check::Severity;

use super::FIRST;
use super::report::{Judge, Occurred};

/// How often an id occurred, and on which items first.
pub(super) struct Tally<Id>(BTreeMap<Id, (u64, Vec<u64>)>);

impl<Id> Default for Tally<Id> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<Id: Ord> Tally<Id> {
    /// Counts an id of the item at this offset; items come in ascending order.
    pub(super) fn add(&mut self, id: Id, offset: u64) {
        let (count, first) = self.0.entry(id).or_default();
        *count = count.saturating_add(1);
        if first.len() < FIRST && first.last() != Some(&offset) {
            first.push(offset);
        }
    }

    pub(super) fn occurred(
        self,
        judge: Judge,
        describe: impl Fn(&Id) -> (Severity, String),
    ) -> impl Iterator<Item = Occurred> {
        self.0.into_iter().map(move |(id, (count, first))| {
            let (severity, id) = describe(&id);
            Occurred { judge, severity, id, count, first }
        })
    }
}
