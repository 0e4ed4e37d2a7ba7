//! The attributes of an op that is being read.

use super::cursor::{Cursor, Step};
use super::error::{ParseError, Problem};
use super::op::{Collective, CollectiveOp};
use super::written::Written;

/// Attributes that say who takes part, in HLO's order.
pub(super) const CHANNEL_ID: &str = "channel_id";
pub(super) const CHANNEL_HANDLE: &str = "channel_handle";
pub(super) const GROUPS: &str = "replica_groups";
pub(super) const PAIRS: &str = "source_target_pairs";
pub(super) const GLOBAL_IDS: &str = "use_global_device_ids";

/// All of them.
const NAMES: [&str; 5] = [CHANNEL_ID, CHANNEL_HANDLE, GROUPS, PAIRS, GLOBAL_IDS];

/// Finds an attribute that says who takes part.
pub(super) fn known(name: &str) -> Option<&'static str> {
    NAMES.into_iter().find(|known| *known == name)
}

/// A collective op whose attributes are being read.
pub(super) struct Reading<'text> {
    pub(super) name: &'text str,
    pub(super) opcode: &'text str,
    op: CollectiveOp,
    line: usize,
    channel: Option<Option<i64>>,
    global_ids: Option<bool>,
    written: Option<Written>,
    /// The first thing that is wrong with it.
    refused: Option<ParseError>,
    /// Whether it stands for the op of another computation.
    pub(super) calls: bool,
}

impl<'text> Reading<'text> {
    pub(super) const fn new(name: &'text str, opcode: &'text str, op: CollectiveOp, line: usize) -> Self {
        let (channel, global_ids, written, refused) = (None, None, None, None);
        Self { name, opcode, op, line, channel, global_ids, written, refused, calls: false }
    }

    /// Keeps the first error.
    pub(super) fn refuse(&mut self, error: ParseError) {
        if self.refused.is_none() {
            self.refused = Some(error.of_op(self.name));
        }
    }

    /// A channel, or that there is none.
    pub(super) fn set_channel(&mut self, at: Cursor<'_>, channel: Option<i64>) -> Step<()> {
        once(&mut self.channel, channel, at)
    }

    pub(super) fn set_global_ids(&mut self, at: Cursor<'_>, global_ids: bool) -> Step<()> {
        once(&mut self.global_ids, global_ids, at)
    }

    /// Groups or pairs. Pairs must be of two.
    pub(super) fn set_written(&mut self, at: Cursor<'_>, field: &str, written: Written) -> Step<()> {
        if self.op.takes_pairs() != (field == PAIRS) {
            return Err(at.error(Problem::NotOfThisOp));
        }
        once(&mut self.written, written, at)
    }

    /// The op, or why there is none.
    pub(super) fn finish(self) -> Result<Collective, ParseError> {
        match self.refused {
            Some(error) => Err(error),
            None => Ok(Collective {
                name: self.name.to_owned(),
                line: self.line,
                opcode: self.opcode.to_owned(),
                op: self.op,
                channel_id: self.channel.flatten(),
                use_global_device_ids: self.global_ids,
                written: self.written,
            }),
        }
    }
}

/// Sets what must not be set twice.
fn once<T>(place: &mut Option<T>, value: T, at: Cursor<'_>) -> Step<()> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(at.error(Problem::Repeated)),
    }
}
