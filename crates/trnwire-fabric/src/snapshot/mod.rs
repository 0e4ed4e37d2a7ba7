//! Snapshots: what every sync core of a job holds, with a manifest that says whose it is.
//!
//! Only the manifest counts; names of files mean nothing. Any file may be missing or damaged, which costs what rests on it.

mod check;
mod compare;
mod container;
mod entry;
mod limits;
pub mod manifest;
mod open;
mod path;
mod resolve;
pub mod rules;
mod schema;
mod text;
mod write;

use std::collections::HashMap;

use trnwire::block::Block;
use trnwire::context::{AlgoState, Context, RuntimeRow};
use trnwire::ring::RingChannel;
use trnwire::soc::{SocAddress, Window};
use zerocopy::{FromBytes, IntoBytes};

pub use compare::{Difference, comparable, unchanged};
pub use entry::{Fault, Key, Maybe, Route};
pub use limits::{Limits, OpenError};
pub use manifest::Manifest;
use manifest::{ChannelEntry, FileKind, OpEntry, RankEntry};
pub use open::hash;
use resolve::Routes;
pub use resolve::{Place, Register, Unresolved};
pub use schema::schema;
pub use text::ManifestError;
pub use write::{WriteError, write};

use crate::rule::Finding;

/// A top-SP: instance, device, and the runtime's number.
pub type TopSp = (u32, u32, u32);

/// A file that is named and cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// What it would hold.
    pub kind: FileKind,
    /// Whose it would be.
    pub owner: TopSp,
    /// Its name.
    pub path: String,
}

/// A manifest with the files that could be read.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The manifest.
    pub manifest: Manifest,
    /// What there is to say about manifest and files.
    pub findings: Vec<Finding>,
    /// Files of top-SPs that are named and cannot be used.
    pub missing: Vec<Missing>,
    contents: Vec<Option<Vec<u8>>>,
    routes: Routes,
    ranks: HashMap<u32, u32>,
    entries: HashMap<(u32, u32, u8), u32>,
    owned: HashMap<(FileKind, TopSp), u32>,
}

/// A place in a list.
fn at<T>(list: &[T], index: u32) -> Option<&T> {
    list.get(usize::try_from(index).ok()?)
}

impl Snapshot {
    /// The entry of a rank.
    #[must_use]
    pub fn rank(&self, rank: u32) -> Option<&RankEntry> {
        at(&self.manifest.ranks, *self.ranks.get(&rank)?)
    }

    /// The entry of an op.
    #[must_use]
    pub fn op(&self, id: u32) -> Option<&OpEntry> {
        self.manifest.ops.iter().find(|op| op.id == id)
    }

    /// The entry of an op, a rank and a channel.
    #[must_use]
    pub fn entry(&self, op: u32, rank: u32, channel: u8) -> Option<&ChannelEntry> {
        at(&self.manifest.channels, *self.entries.get(&(op, rank, channel))?)
    }

    /// The top-SP that an entry is about.
    #[must_use]
    pub fn top_sp_of(&self, entry: &ChannelEntry) -> Option<TopSp> {
        let rank = self.rank(entry.rank)?;
        Some((rank.instance, rank.device, entry.top_sp))
    }

    /// The bytes of a file of a top-SP.
    #[must_use]
    pub fn bytes(&self, kind: FileKind, owner: TopSp) -> Option<&[u8]> {
        at(&self.contents, *self.owned.get(&(kind, owner))?)?.as_deref()
    }

    /// The bytes of the file with this index in the manifest.
    #[must_use]
    pub fn content(&self, file: usize) -> Option<&[u8]> {
        self.contents.get(file)?.as_deref()
    }

    /// Takes the files out, in the order of the manifest.
    #[must_use]
    pub fn into_contents(self) -> (Manifest, Vec<Option<Vec<u8>>>) {
        (self.manifest, self.contents)
    }

    fn context(&self, owner: TopSp) -> Option<Context<'_>> {
        let bytes = self.bytes(FileKind::Context, owner)?;
        Context::new(self.manifest.arch, bytes).ok().map(|(context, _)| context)
    }

    /// The config block of a top-SP: that of its context where there is one.
    #[must_use]
    pub fn block(&self, owner: TopSp) -> Option<Block<'_>> {
        self.context(owner).map(|context| context.algo).or_else(|| self.own_block(owner))
    }

    fn own_block(&self, owner: TopSp) -> Option<Block<'_>> {
        let index = *self.owned.get(&(FileKind::AlgoBlock, owner))?;
        let view = at(&self.manifest.files, index)?.view.0?;
        Block::new(view.view(), at(&self.contents, index)?.as_deref()?)
    }

    /// The live state of a top-SP: that of its context where there is one.
    #[must_use]
    pub fn state(&self, owner: TopSp) -> Option<&AlgoState> {
        self.context(owner).map(|context| context.algo_state).or_else(|| self.own_state(owner))
    }

    fn own_state(&self, owner: TopSp) -> Option<&AlgoState> {
        let bytes = self.bytes(FileKind::AlgoState, owner)?;
        AlgoState::ref_from_prefix(bytes).ok().map(|(state, _)| state)
    }

    /// The ring record of an entry.
    #[must_use]
    pub fn row(&self, entry: &ChannelEntry) -> Option<&RingChannel> {
        let block = self.block(self.top_sp_of(entry)?)?;
        block.rows.get(usize::from(entry.channel))
    }

    /// The live row of an entry.
    #[must_use]
    pub fn live_row(&self, entry: &ChannelEntry) -> Option<&RuntimeRow> {
        self.state(self.top_sp_of(entry)?)?.ring.get(usize::from(entry.channel))
    }

    /// The value of a semaphore.
    #[must_use]
    pub fn semaphore(&self, register: Register) -> Option<i32> {
        let (instance, device) = register.device;
        let bytes = self.bytes(FileKind::Semaphores, (instance, device, register.top_sp))?;
        let (all, _) = bytes.as_chunks::<4>();
        all.get(usize::from(register.id)).map(|bytes| i32::from_le_bytes(*bytes))
    }

    /// The register that an address means in a record or an entry of this device, and through which window.
    ///
    /// # Errors
    /// The address is no semaphore, or its route names no listed device.
    pub fn resolve(&self, holder: Place, address: SocAddress) -> Result<(Register, Window), Unresolved> {
        self.routes.resolve(holder, address)
    }

    /// What an address carries to name a device from another one.
    #[must_use]
    pub fn route(&self, device: Place) -> Option<u64> {
        self.routes.route(device)
    }

    /// Whether two instances reach each other by address.
    #[must_use]
    pub fn same_pod(&self, a: u32, b: u32) -> bool {
        a == b || self.routes.pod(a).is_some_and(|pod| self.routes.pod(b) == Some(pod))
    }

    /// A context that contradicts the block or the state beside it is taken, and said so.
    fn conflicts(&mut self) {
        let owners: Vec<TopSp> =
            self.owned.keys().filter(|(kind, _)| *kind == FileKind::Context).map(|(_, owner)| *owner).collect();
        let mut found = Vec::new();
        for owner in owners {
            let Some(context) = self.context(owner) else { continue };
            let differs = |block: &Block<'_>| {
                let rows = block.rows.as_bytes() != context.algo.rows.as_bytes();
                let shared = block.events.len().min(context.algo.events.len());
                let events = |events: &'_ [trnwire::mesh::MeshEvent]| {
                    events.get(..shared).map(|events| events.as_bytes().to_vec())
                };
                rows || events(block.events) != events(context.algo.events)
            };
            let of_state = |state: &AlgoState| state.as_bytes() != context.algo_state.as_bytes();
            for (what, is_other) in [
                ("algo-block", self.own_block(owner).is_some_and(|block| differs(&block))),
                ("algo-state", self.own_state(owner).is_some_and(of_state)),
            ] {
                if is_other {
                    let (instance, device, top_sp) = owner;
                    let place = format!("instance {instance}, device {device}, top-SP {top_sp}");
                    let message = format!("its context and its {what} differ; the context is taken");
                    found.push(Finding::new(&rules::CONFLICT, place, message));
                }
            }
        }
        found.sort_by(|a, b| a.place.cmp(&b.place));
        self.findings.extend(found);
    }
}
