//! How bad a finding is, and the findings about records of collectives.

use core::fmt;

/// How bad a finding is. Findings of every kind share this scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Odd but legal.
    Note,
    /// Worth a look; never makes a thing invalid.
    Warning,
    /// Makes a thing invalid.
    Error,
}

impl Severity {
    /// `note`, `warning` or `error`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Declares the rules: name, code, severity, what they ask for.
macro_rules! rules {
    ($( $Rule:ident = $code:literal, $severity:ident, $asks:literal; )*) => {
        /// A rule that a stored record of collectives keeps or breaks. All of them are this project's lints, made from
        /// what the runtime writes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Rule {
            $( #[doc = $asks] $Rule, )*
        }

        impl Rule {
            /// Every rule, in the order in which a record's findings come.
            pub const ALL: &[Self] = &[$( Self::$Rule ),*];

            /// The name in vectors and JSON.
            #[must_use]
            pub const fn code(self) -> &'static str {
                match self { $( Self::$Rule => $code, )* }
            }

            /// What a break of it makes of the record.
            #[must_use]
            pub const fn severity(self) -> Severity {
                match self { $( Self::$Rule => Severity::$severity, )* }
            }

            /// What it asks for, in one line.
            #[must_use]
            pub const fn asks(self) -> &'static str {
                match self { $( Self::$Rule => $asks, )* }
            }
        }
    };
}

rules! {
    NeighFoldCapacity  = "neigh_fold_capacity",   Error,   "a neighbour holds at most 3 index words";
    NeighTypeRange     = "neigh_type_range",      Error,   "the type of a neighbour is 0, 1 or 2";
    PodFold            = "pod_fold",              Error,   "a neighbour of type 2 (pod) has exactly 1 index word";
    KangPrimaryRange   = "kang_primary_range",    Error,   "kangaring_is_primary is 0 or 1";
    KangNumPeers       = "kang_num_peers",        Error,   "kangaring_num_peers is 0, 1 or 3";
    KangRingFlags      = "kang_ring_flags",       Error,   "a plain ring (0 peers) has no primary";
    KangPeerBlock      = "kang_peer_block",       Error,   "semaphores of peers stand for as many peers as there are";
    SpadSlot           = "spad_slot",             Error,   "the slot on the scratchpad is below the limit";
    ChannelId          = "channel_id",            Error,   "a channel is 0..=31";
    NeighTailNonzero   = "neigh_tail_nonzero",    Warning, "index words behind the live ones are zero";
    ReservedNonzero    = "reserved_nonzero",      Warning, "reserved bits are zero";
    ChannelIdRow       = "channel_id_row",        Warning, "a channel stands in the row with its number";
    ChanFold           = "chan_fold",             Warning, "a channel in use has 1 to 4 folds";
    FlagRange          = "flag_range",            Error,   "a flag is 0 or 1";
    WaitWithoutSema    = "wait_without_sema",     Warning, "an event that waits has a semaphore to wait for";
    TriggerWithoutSema = "trigger_without_sema",  Warning, "an event that triggers has a semaphore to signal";
    AlgoInvalid        = "algo_invalid",          Error,   "the pattern is not 2, which means invalid";
    AlgoUnknown        = "algo_unknown",          Warning, "the pattern is 0 (ring) or 1 (mesh)";
    DisabledWithPayload = "disabled_with_payload", Warning, "a slot without an operation is zero";
}

/// The code of bytes that have another length than their record; they are not judged further.
pub const WRONG_LENGTH_CODE: &str = "len";

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.code())
    }
}

/// A rule that a record breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The rule.
    pub rule: Rule,
    /// The part of the record that the code names in front of the rule's, if it does.
    pub within: Option<&'static str>,
    /// The first byte of the field, counted from the record's.
    pub offset: usize,
    /// What stands there: a number, or the first eight bytes as one.
    pub value: u64,
    /// What the value is held against, where that is not a constant of the rule: the row of a channel, the limit of slots.
    pub limit: u64,
}

impl Finding {
    pub(crate) fn new(rule: Rule, offset: usize, value: impl Into<u64>) -> Self {
        Self { rule, within: None, offset, value: value.into(), limit: 0 }
    }

    pub(crate) const fn within(self, part: &'static str) -> Self {
        Self { within: Some(part), ..self }
    }

    /// The same, of a part that begins so many bytes behind the record.
    pub(crate) const fn behind(self, base: usize) -> Self {
        Self { offset: self.offset.saturating_add(base), ..self }
    }

    pub(crate) fn against(self, limit: impl Into<u64>) -> Self {
        Self { limit: limit.into(), ..self }
    }

    /// Why, with the numbers at hand.
    #[must_use]
    pub fn because(&self) -> alloc::string::String {
        let Self { rule, value, limit, .. } = self;
        match rule {
            Rule::SpadSlot => alloc::format!("slot {value} is not below the limit of {limit}"),
            Rule::ChannelIdRow => alloc::format!("channel {value} stands in row {limit}"),
            Rule::NeighTailNonzero | Rule::KangPeerBlock | Rule::ReservedNonzero | Rule::DisabledWithPayload => {
                alloc::format!("{}; found {value:#x}", rule.asks())
            }
            _ => alloc::format!("{}; found {value}", rule.asks()),
        }
    }
}

/// The code as vectors and JSON have it: `next_neigh:pod_fold`.
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(part) = self.within {
            write!(f, "{part}:")?;
        }
        f.write_str(self.rule.code())
    }
}
