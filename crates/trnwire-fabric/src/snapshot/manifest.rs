//! The manifest: where ranks sit, what they do, and which files hold their records.

use serde_json::{Map, Value};
use trnwire::arch::CollectiveArch;
use trnwire::soc::SocAddress;

use super::entry::{
    Entry, Fault, Key, Maybe, Route, Stored, default_of, entries, is_required, range_of, rest, take, words,
};

/// The version that is read and written.
pub const VERSION: u32 = 1;

words! {
    /// How data goes round.
    Algorithm {
        /// A ring.
        Ring = "ring",
        /// A kangaring.
        Kangaring = "kangaring",
        /// A mesh.
        Mesh = "mesh",
    }

    /// How semaphores count.
    SemaStyle {
        /// Arrived and not yet used.
        Consuming = "consuming",
        /// Arrived since the last reset.
        Cumulative = "cumulative",
    }

    /// What a half-satisfied op holds.
    Hold {
        /// Nothing.
        None = "none",
        /// The item.
        Recv = "recv",
        /// The credit.
        Credit = "credit",
    }

    /// How a wait compares.
    WaitCompare {
        /// At least.
        AtLeast = "ge",
        /// Greater.
        Greater = "gt",
    }

    /// Since when counters count.
    CounterReset {
        /// The chunk group.
        Group = "group",
        /// The op.
        Op = "op",
    }

    /// Which way `repeat_cnt` counts.
    RepeatDirection {
        /// Groups done.
        Up = "up",
        /// Groups left.
        Down = "down",
    }

    /// What `dma_compl_sema` is.
    DmaCompletion {
        /// Completions since the reset.
        Cumulative = "cumulative",
        /// Not known.
        Unknown = "unknown",
    }

    /// How much a mesh signal adds.
    MeshIncrement {
        /// One.
        One = "one",
        /// One, shifted by the op.
        Shifted = "shifted",
    }

    /// Who states a hang.
    StatedBy {
        /// The runtime.
        Runtime = "runtime",
        /// A log.
        Log = "log",
        /// The user.
        User = "user",
        /// The simulator.
        Simulator = "simulator",
    }

    /// A side of an edge.
    Side {
        /// The sender's.
        Send = "send",
        /// The receiver's.
        Recv = "recv",
    }

    /// What a file holds.
    FileKind {
        /// The config block of a top-SP.
        AlgoBlock = "algo-block",
        /// Its live state.
        AlgoState = "algo-state",
        /// Its 256 semaphores.
        Semaphores = "semaphores",
        /// Its whole context, which stands for block and state.
        Context = "context",
        /// Text.
        Log = "log",
    }

    /// Whose bytes a block is.
    BlockView {
        /// The host's.
        Host = "host",
        /// A sunda device's.
        Sunda = "sunda",
        /// A cayman device's, or a later one's.
        Cayman = "cayman",
    }
}

entries! {
    /// An instance; its index is its number.
    InstanceEntry {
        /// Instance id.
        name: Option<String> = (None);
        /// A platform name, such as trn2.48xlarge.
        platform: Option<String> = (None);
        /// Physical cores of a logical one.
        lnc: u32 = (1) in 1, 2;
        /// Instances of one pod reach each other by address; others only over the network. By default its own index.
        pod: Maybe<u32> = (Maybe(None));
    }

    /// A device.
    DeviceEntry {
        /// The number of its instance.
        instance: u32 = required;
        /// The host's number.
        device: u32 = required;
        /// What addresses carry above the local part to name it. Unique in a pod.
        route: Option<Route> = (None);
    }

    /// A rank.
    RankEntry {
        /// The global rank, unique.
        rank: u32 = required;
        /// The number of its instance.
        instance: u32 = required;
        /// The host's number of its device.
        device: u32 = required;
        /// The logical core on the device.
        core: u32 = required;
        /// Its top-SPs, by the runtime's numbers.
        top_sps: Vec<u32> = required in 0, 15;
        /// The op that it is in; smaller than the op's op_index: not started.
        op_index: Option<u64> = (None);
    }

    /// A replica group and an operation in progress.
    OpEntry {
        /// Unique.
        id: u32 = required;
        /// How data goes round.
        algorithm: Algorithm = required;
        /// all_gather, reduce_scatter or all_reduce; for mesh any name.
        collective: String = required;
        /// Members in group order.
        ranks: Vec<u32> = required;
        /// Channel numbers.
        channels: Vec<u8> = (Vec::new()) in 0, 31;
        /// Pieces of a chunk, H.
        halves: u32 = (2) in 1, 32;
        /// Chunk groups.
        groups: u32 = (1) in 1, 4294967295;
        /// Ranks of a kangaring group, G; 1 for a ring.
        group_size: u32 = (1) in 1, 4;
        /// Both tails advance by so much per DMA op, d.
        descriptors_per_item: u32 = (1) in 1, 65535;
        /// dma_compl_sema rises by so much per DMA op, F.
        completions_per_item: u32 = (1) in 1, 4;
        /// The op's index.
        op_index: Option<u64> = (None);
        /// Of so many.
        op_count: Option<u64> = (None);
        /// Events on the tape of a mesh; null: up to the first event with no flag.
        tape_events: Option<u32> = (None);
    }

    /// What a rank recorded about a channel of an op.
    ChannelEntry {
        /// The op.
        op: u32 = required;
        /// The rank.
        rank: u32 = required;
        /// The channel, which is the row on the top-SP.
        channel: u8 = required in 0, 31;
        /// One of the rank's top-SPs.
        top_sp: u32 = required in 0, 15;
        /// The rank that data goes to; null at a kangaring secondary.
        next: Option<u32> = required;
        /// The rank that data comes from.
        prev: Option<u32> = required;
        /// The primary of its kangaring group, its own rank for a primary.
        primary: Option<u32> = (None);
        /// Slots of the edge to next; null: unknown, then L2 is not checked.
        slots: Option<u32> = (None) in 1, 65535;
        /// The INC address that this rank bumps at next; null: network edge, or unknown.
        bump_data: Option<SocAddress> = required;
        /// The INC address that this rank bumps at prev; null likewise.
        bump_credit: Option<SocAddress> = required;
        /// Extra count in this rank's send_sema and in next's recv_sema.
        handshake_extra: u32 = (0) in 0, 1;
        /// Row values when the op began; null: a DMA in flight and used credits are not known.
        initial_tails: Option<Tails> = (None);
    }

    /// Facts that the firmware's model needs.
    ModelEntry {
        /// How semaphores count; null: readers try both, sim takes consuming.
        sema_style: Option<SemaStyle> = (None);
        /// What a half-satisfied op holds; null: readers need none, sim takes none.
        hold: Option<Hold> = (None);
        /// How waits compare.
        wait_cmp: WaitCompare = (WaitCompare::AtLeast);
        /// Since when counters count.
        counter_reset: CounterReset = (CounterReset::Group);
        /// Which way repeat_cnt counts.
        repeat_dir: RepeatDirection = (RepeatDirection::Up);
        /// What dma_compl_sema is; unknown: no completed count, so no law verdict.
        dma_compl: DmaCompletion = (DmaCompletion::Cumulative);
        /// How much a mesh signal adds.
        mesh_inc: MeshIncrement = (MeshIncrement::One);
    }

    /// A hang that somebody states.
    HangEntry {
        /// Who.
        by: StatedBy = required;
        /// In which words.
        note: String = (String::new());
    }

    /// When and how the files were taken.
    StateEntry {
        /// All files show one instant.
        same_instant: bool = (false);
        /// Somebody states that nothing moves any more.
        hang: Option<HangEntry> = (None);
        /// RFC 3339; needed to compare two snapshots.
        taken: Option<String> = (None);
        /// Two snapshots of one job carry one name.
        job: Option<String> = (None);
    }

    /// A host index word of a network edge: shown, never a verdict's ground.
    HostWordEntry {
        /// The rank.
        rank: u32 = required;
        /// The channel.
        channel: u8 = required in 0, 31;
        /// Whose side.
        side: Side = required;
        /// The fold.
        fold: u32 = required in 0, 15;
        /// Where it is.
        address: SocAddress = required;
        /// What it holds.
        value: Option<i64> = (None);
    }

    /// A file.
    FileEntry {
        /// Relative, with / between parts.
        path: String = required;
        /// What it holds.
        kind: FileKind = required;
        /// The owner's instance, for device kinds.
        instance: Maybe<u32> = (Maybe(None));
        /// The owner's device.
        device: Maybe<u32> = (Maybe(None));
        /// The owner's top-SP.
        top_sp: Maybe<u32> = (Maybe(None)) in 0, 15;
        /// Whose bytes a block is.
        view: Maybe<BlockView> = (Maybe(None));
        /// Size.
        bytes: u64 = required;
        /// 64 lower-case hex digits; null: not hashed.
        sha256: Option<Sha256> = required;
    }
}

/// Tails of a row, 16 bits each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tails {
    /// Memory to stream.
    pub m2s: u16,
    /// Stream to memory.
    pub s2m: u16,
}

impl Stored for Tails {
    const KIND: &'static str = "an object with m2s and s2m";
    fn read(value: &Value, _: Option<(i64, i64)>) -> Option<Self> {
        let map = value.as_object().filter(|map| map.len() == 2)?;
        let number = |key: &str| u16::read(map.get(key)?, None);
        Some(Self { m2s: number("m2s")?, s2m: number("s2m")? })
    }
    fn write(&self) -> Option<Value> {
        Some(serde_json::json!({ "m2s": self.m2s, "s2m": self.s2m }))
    }
    fn schema(_: Option<(i64, i64)>) -> Value {
        let number = u16::schema(None);
        serde_json::json!({
            "type": "object",
            "properties": { "m2s": number, "s2m": number },
            "required": ["m2s", "s2m"],
            "additionalProperties": false,
        })
    }
}

/// A hash, as lower-case hex.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sha256(pub String);

impl Stored for Sha256 {
    const KIND: &'static str = "64 lower-case hex digits";
    fn read(value: &Value, _: Option<(i64, i64)>) -> Option<Self> {
        let text = value.as_str()?;
        let is_lower = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        (text.len() == 64 && is_lower).then(|| Self(text.to_owned()))
    }
    fn write(&self) -> Option<Value> {
        Some(self.0.as_str().into())
    }
    fn schema(_: Option<(i64, i64)>) -> Value {
        serde_json::json!({ "type": "string", "pattern": "^[0-9a-f]{64}$" })
    }
}

/// An object within an object. Its own unknown keys are kept without a note.
impl Stored for HangEntry {
    const KIND: &'static str = "an object with by (runtime, log, user or simulator) and note";
    fn read(value: &Value, _: Option<(i64, i64)>) -> Option<Self> {
        <Self as Entry>::read(value.as_object()?.clone(), "", &mut |_| {}).ok()
    }
    fn write(&self) -> Option<Value> {
        Some(Value::Object(Entry::write(self)))
    }
    fn schema(_: Option<(i64, i64)>) -> Value {
        super::schema::object(Self::KEYS)
    }
}

/// The manifest.
#[derive(Clone, Debug, PartialEq)]
pub struct Manifest {
    /// Program and version.
    pub written_by: String,
    /// The architecture.
    pub arch: CollectiveArch,
    /// Instances.
    pub instances: Vec<InstanceEntry>,
    /// Devices.
    pub devices: Vec<DeviceEntry>,
    /// Ranks.
    pub ranks: Vec<RankEntry>,
    /// Groups and operations.
    pub ops: Vec<OpEntry>,
    /// Edges, as ranks recorded them.
    pub channels: Vec<ChannelEntry>,
    /// Facts for the model.
    pub model: ModelEntry,
    /// When and how.
    pub state: StateEntry,
    /// Host index words.
    pub host_words: Vec<HostWordEntry>,
    /// Files.
    pub files: Vec<FileEntry>,
    /// Keys that this program does not know.
    pub extra: Map<String, Value>,
}

impl Default for ModelEntry {
    fn default() -> Self {
        Self {
            sema_style: None,
            hold: None,
            wait_cmp: WaitCompare::AtLeast,
            counter_reset: CounterReset::Group,
            repeat_dir: RepeatDirection::Up,
            dma_compl: DmaCompletion::Cumulative,
            mesh_inc: MeshIncrement::One,
            extra: Map::new(),
        }
    }
}

impl Default for StateEntry {
    fn default() -> Self {
        Self { same_instant: false, hang: None, taken: None, job: None, extra: Map::new() }
    }
}

impl InstanceEntry {
    /// The pod of the instance with this number.
    #[must_use]
    pub fn pod(&self, number: usize) -> u32 {
        self.pod.0.unwrap_or_else(|| u32::try_from(number).unwrap_or(u32::MAX))
    }
}
