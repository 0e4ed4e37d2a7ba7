//! Arguments that several commands share.

use std::ffi::OsString;

use clap::{Args, Parser, ValueEnum};
use trnwire::Kind;
use trnwire::addr4::Access;
use trnwire::arch::{CollectiveArch, Generation};
use trnwire::block::View;
use trnwire::dtype::{Dtype, WireTag};
use trnwire::explain::Resolver;
use trnwire::message::Chip;
use trnwire::ring::{DEFAULT_SLOT_LIMIT, Place};
use trnwire::soc::{RouteView, SocAddress};

use crate::cmd::Command;
use crate::input::Reading;
use crate::spelling::unknown;
use crate::talk::say;

/// Reads, writes, checks and explains the binary words of AWS Trainium and Inferentia.
///
/// INPUT is a file, - for standard input, or a literal: 0x02008004 is a word, hex:04 80 00 02 are bytes in memory
/// order. Exit code: 0 nothing wrong, 1 something wrong with the input's content, 2 could not run.
#[derive(Parser)]
#[command(name = "trnwire", version, propagate_version = true, max_term_width = 100, arg_required_else_help = true)]
pub(crate) struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// How results are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people.
    #[default]
    Text,
    /// One JSON document: an object for one result, an array for several.
    Json,
    /// One JSON object per line.
    Ndjson,
}

/// Where bytes come from.
#[derive(Args)]
pub(crate) struct Inputs {
    /// Files, - for standard input, words (0x02008004) or bytes in memory order (hex:04800002). Default: -
    #[arg(value_name = "INPUT", default_value = "-", hide_default_value = true)]
    pub(crate) inputs: Vec<OsString>,
    /// What the bytes are; `trnwire kinds` lists the kinds.
    #[arg(long = "as", value_name = "KIND", default_value = "addr4", value_parser = kind)]
    pub(crate) kind: Kind,
    /// Files hold hex text, bytes in memory order, instead of binary.
    #[arg(long)]
    pub(crate) hex: bool,
    /// Whose bytes an algo-block is: host, sunda or cayman. Default: its length tells.
    #[arg(long, value_name = "VIEW", value_parser = view)]
    pub(crate) view: Option<View>,
}

impl Inputs {
    /// How its bytes are read.
    pub(crate) const fn reading(&self) -> Reading {
        Reading { kind: self.kind, view: self.view, hex: self.hex }
    }
}

/// The generation that a question is about.
#[derive(Args)]
pub(crate) struct Arch {
    /// Chip generation, by any usual name: gen2 (trn1, inf2), gen3 (trn2), gen4 (trn3).
    ///
    /// Collectives on gen4 come in two, mariana (also meant by all other names) and mariana_plus.
    #[arg(long, value_name = "ARCH", value_parser = arch)]
    pub(crate) arch: Option<CollectiveArch>,
}

impl Arch {
    /// The generation of the cores.
    pub(crate) fn generation(&self) -> Option<Generation> {
        self.arch.map(CollectiveArch::generation)
    }
}

/// How the upper bits of addresses are read.
#[derive(Args)]
pub(crate) struct RouteArguments {
    /// Read the upper bits of addresses, which say which device is meant: chip-id or neighbor, CAYMAN's two readings of
    /// the same bits. Nothing in an address says which applies. Default: the route is a number.
    #[arg(long, value_name = "VIEW", value_parser = route_view, requires = "arch")]
    route_view: Option<RouteView>,
    /// Read the upper bits on gen4 as those on gen3; no source says what they are.
    #[arg(long, requires = "route_view")]
    assume_cayman: bool,
}

impl RouteArguments {
    /// What says what addresses mean.
    ///
    /// # Errors
    /// The architecture has no such reading of the upper bits.
    pub(crate) fn resolver(&self, arch: Option<CollectiveArch>) -> Result<Resolver, anyhow::Error> {
        let Self { route_view: route, assume_cayman } = *self;
        if let (Some(view), Some(arch)) = (route, arch) {
            let hint = if arch == CollectiveArch::Sunda { "" } else { " (--assume-cayman)" };
            let known = view.split(arch, SocAddress::default(), assume_cayman);
            known.map_err(|error| anyhow::anyhow!("--route-view {}: {error}{hint}", view.name()))?;
        }
        Ok(Resolver { arch, route, assume_cayman })
    }

    /// Refuses the options where they say nothing.
    pub(crate) fn only_for_records(&self, kind: Kind) -> Result<(), anyhow::Error> {
        if self.route_view.is_some() && kind.is_of_core() {
            anyhow::bail!("--route-view is about records of collectives, and --as is {kind}");
        }
        Ok(())
    }
}

/// Where a record of collectives stands.
#[derive(Args)]
pub(crate) struct RecordArguments {
    /// Row of the first record, 0..=31, which a ring channel's number should equal. Default: 0, and nothing is said
    /// about the row of a record that is alone.
    #[arg(long, value_name = "ROW", value_parser = clap::value_parser!(u8).range(0..=31))]
    pub(crate) row: Option<u8>,
    /// Slots on a scratchpad, 6 as far as known.
    #[arg(long, value_name = "COUNT", default_value_t = DEFAULT_SLOT_LIMIT)]
    pub(crate) slot_limit: u8,
}

impl RecordArguments {
    /// The row of the record with this index.
    pub(crate) fn row_of(&self, index: u64) -> u8 {
        let index = u8::try_from(index % ROWS).unwrap_or_default();
        self.row.unwrap_or_default().saturating_add(index) % 32
    }

    /// The place of the record with this index; one that is alone stands in no row unless that is said.
    pub(crate) fn place(&self, index: u64, is_alone: bool) -> Place {
        let row = (self.row.is_some() || !is_alone).then(|| self.row_of(index));
        Place { row, slot_limit: self.slot_limit }
    }

    /// Refuses the options where they say nothing.
    pub(crate) fn only_for_rows(&self, kind: Kind) -> Result<(), anyhow::Error> {
        if self.row.is_some() && !matches!(kind, Kind::RingChannel | Kind::RuntimeRow) {
            anyhow::bail!("--row is about ring-channel and runtime-row, and --as is {kind}");
        }
        Ok(())
    }
}

/// Rows of a block.
const ROWS: u64 = 32;

/// How an operand is used.
#[derive(Args)]
pub(crate) struct AccessArguments {
    /// Type of the elements: a wire tag (0..=255) or a name (fp32, bf16, float8_e4m3fn). Default: 3, uint8, with
    /// which nothing is misaligned.
    #[arg(long, value_name = "TAG|NAME", value_parser = dtype)]
    dtype: Option<Dtype>,
    /// The operand is written. Default: it is read.
    #[arg(long)]
    write: bool,
    /// The operand may not lie in PSUM.
    #[arg(long)]
    no_psum: bool,
    /// The operand may not lie in SBUF.
    #[arg(long)]
    no_sbuf: bool,
}

impl AccessArguments {
    /// The access on a generation, whose tag for a dtype name may be its own.
    pub(crate) fn on(&self, generation: Generation) -> Access {
        Access {
            dtype: self.dtype.unwrap_or(Dtype::Tag(WireTag::UINT8)).wire_tag(generation),
            write: self.write,
            allow_psum: !self.no_psum,
            allow_sbuf: !self.no_sbuf,
        }
    }

    /// The size of an element, where the dtype has one.
    pub(crate) fn element_bytes(&self) -> Option<u32> {
        self.dtype.unwrap_or(Dtype::Tag(WireTag::UINT8)).size_bytes()
    }

    /// Refuses the options where the bytes themselves say it, or nothing is an operand.
    pub(crate) fn only_for_operands(&self, kind: Kind) -> Result<(), anyhow::Error> {
        let is_given = self.dtype.is_some() || self.write || self.no_psum || self.no_sbuf;
        match kind {
            Kind::Addr4 | Kind::Slot(_) => {}
            _ if !is_given => {}
            Kind::Bundle => anyhow::bail!(
                "a bundle says itself how its operands are used; leave --dtype, --write, --no-psum and --no-sbuf out"
            ),
            _ => anyhow::bail!("--dtype, --write, --no-psum and --no-sbuf are about operands, and --as is {kind}"),
        }
        Ok(())
    }

    /// Says what the default dtype means for results, when there were any.
    pub(crate) fn note_unchecked_alignment(&self, kind: Kind, answered: bool) {
        let reach = match kind {
            Kind::Addr4 => "",
            Kind::Slot(_) => ", so that reach is counted in elements of 1 byte",
            _ => return,
        };
        if answered && self.dtype.is_none() {
            say(&format!("note: alignment not checked, since no --dtype is given; dtype 3 (UINT8) assumed{reach}"));
        }
    }
}

/// What is known about the use of a descriptor, besides the access.
#[derive(Args)]
pub(crate) struct Channels {
    /// Active channels of the instruction, 1..=128: also judge whether they fit above the start partition of a descriptor.
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u8).range(1..=128))]
    pub(crate) channels: Option<u8>,
}

impl Channels {
    /// Refuses the option where it says nothing.
    pub(crate) fn only_for_descriptors(&self, kind: Kind) -> Result<(), anyhow::Error> {
        match (self.channels, kind) {
            (None, _) | (_, Kind::Slot(_)) => Ok(()),
            _ => anyhow::bail!("--channels is about descriptors, and --as is {kind}"),
        }
    }
}

/// The access in words: `read of dtype 10 (FP32), PSUM and SBUF allowed`.
pub(crate) fn access_in_words(access: Access) -> String {
    let regions = match (access.allow_psum, access.allow_sbuf) {
        (true, true) => "PSUM and SBUF allowed",
        (true, false) => "only PSUM allowed",
        (false, true) => "only SBUF allowed",
        (false, false) => "neither PSUM nor SBUF allowed",
    };
    format!("{} of dtype {}, {regions}", if access.write { "write" } else { "read" }, access.dtype)
}

pub(crate) fn kind(text: &str) -> Result<Kind, String> {
    Kind::parse(text).ok_or_else(|| unknown("kind", text, Kind::ALL.iter().map(|kind| kind.name())))
}

pub(crate) fn arch(text: &str) -> Result<CollectiveArch, String> {
    if let Some(Chip::Gen1) = Chip::parse(text) {
        return Err("gen1 has no ADDR4 words; only `trnwire message` knows it".to_owned());
    }
    CollectiveArch::parse(text).ok_or_else(|| unknown("generation", text, Generation::names()))
}

pub(crate) fn view(text: &str) -> Result<View, String> {
    View::by_name(text).ok_or_else(|| unknown("view", text, View::ALL.map(View::name).into_iter()))
}

fn route_view(text: &str) -> Result<RouteView, String> {
    let found = RouteView::ALL.into_iter().find(|view| view.name() == text);
    found.ok_or_else(|| unknown("view", text, RouteView::ALL.map(RouteView::name).into_iter()))
}

fn dtype(text: &str) -> Result<Dtype, String> {
    const UNTAGGED: [&str; 3] = ["float8e4m3", "fp8e4m3", "f8e4m3"];
    let letters: String = text.to_lowercase().chars().filter(|letter| !"-_ ".contains(*letter)).collect();
    if UNTAGGED.contains(&letters.as_str()) {
        return Err("no source gives this type a wire tag; if float8_e4m3fn (14) is meant, say so".to_owned());
    }
    Dtype::parse(text).ok_or_else(|| unknown("dtype", text, Dtype::names()))
}
