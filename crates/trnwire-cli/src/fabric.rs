//! What the commands about the fabric share.

use std::ffi::OsString;
use std::io::Read;

use anyhow::{Context, Result, anyhow, bail};
use clap::{Args, ValueEnum};
use serde_json::Value;
use trnwire::explain::Line;
use trnwire_fabric::explain::{Topic, topic};
use trnwire_fabric::groups;
use trnwire_fabric::rule::{Finding, Severity, worst};
use trnwire_fabric::topology::{CoreMap, Facts, Listing, Options, Platform, Source, Topology, platform};

use crate::Outcome;
use crate::input::open_stream;
use crate::output::Printer;
use crate::spelling::unknown;

/// The longest listing, group or plan that is read.
const MAX_TEXT_BYTES: u64 = 64 << 20;

/// How a report is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Report {
    /// For people.
    #[default]
    Text,
    /// One JSON document.
    Json,
    /// Findings for code hosts, in SARIF 2.1.0.
    Sarif,
}

/// Which instances, devices and cores there are.
#[derive(Args)]
pub(crate) struct TopologyArguments {
    /// The platform, such as trn2.48xlarge: of every listing, where it does not say it, or instead of one.
    #[arg(long, value_name = "NAME", value_parser = platform_name)]
    platform: Option<&'static Platform>,
    /// So many instances of the platform, where no listing is given.
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=512))]
    instances: u16,
    /// Physical cores of a logical one, where no listing says it. Default: the platform's.
    #[arg(long, value_name = "1|2")]
    lnc: Option<u32>,
    /// How logical cores lie on physical ones: v0, the driver's table (that ranks follow it is inferred), or identity.
    #[arg(long, value_name = "MAP", default_value = "v0", value_parser = core_map)]
    core_map: CoreMap,
    /// The listings are the nodes of a trn2u UltraServer, in the order of their node ids: equal devices of nodes next to
    /// each other are linked.
    #[arg(long)]
    ultraserver: bool,
}

impl TopologyArguments {
    /// The model of these listings, or of so many of the platform where there are none.
    pub(crate) fn read(&self, listings: &[OsString]) -> Result<Topology> {
        let mut sources = Vec::new();
        for argument in listings {
            let (name, text) = read_text(argument)?;
            let listing = Listing::parse(&text).map_err(|error| anyhow!("{name}: {error}"))?;
            sources.push(Source::Listing(name, listing));
        }
        match (self.platform, sources.is_empty()) {
            (Some(platform), true) => sources.resize(usize::from(self.instances), Source::Platform(platform)),
            (None, true) => bail!("no listing of neuron-ls and no --platform is given"),
            _ => {}
        }
        let options =
            Options { platform: self.platform, lnc: self.lnc, core_map: self.core_map, ultraserver: self.ultraserver };
        Ok(Topology::new(&sources, &options)?)
    }
}

/// The topology of a command that has other inputs, too.
#[derive(Args)]
pub(crate) struct NamedTopology {
    /// A listing of neuron-ls, once for each instance, in their order; - for standard input.
    #[arg(long = "topology", value_name = "FILE")]
    listings: Vec<OsString>,
    #[command(flatten)]
    arguments: TopologyArguments,
}

impl NamedTopology {
    pub(crate) fn read(&self) -> Result<Topology> {
        self.arguments.read(&self.listings)
    }
}

/// Reads groups or pairs: the text itself, where it begins like one, else a file.
pub(crate) fn read_groups(argument: &OsString, ranks: usize) -> Result<Vec<Vec<u32>>> {
    let as_text = argument.to_string_lossy();
    let is_text = ["[", "{", "mesh", "dense<"].iter().any(|start| as_text.trim_start().starts_with(start));
    let (name, text) = if is_text { ("groups".to_owned(), as_text.into_owned()) } else { read_text(argument)? };
    let written = groups::parse(&text).map_err(|error| anyhow!("{name}: {error}"))?;
    let groups = written.groups().to_vecs();
    // None are one group of all.
    let all = (0_u32..).take(ranks).collect();
    Ok(if groups.is_empty() { vec![all] } else { groups })
}

/// Reads pairs of ranks.
pub(crate) fn read_pairs(argument: &OsString) -> Result<Vec<(u32, u32)>> {
    let pair = |(number, group): (usize, Vec<u32>)| match group.as_slice() {
        [from, to] => Ok((*from, *to)),
        other => Err(anyhow!("pair {number} has {} ranks", other.len())),
    };
    read_groups(argument, 0)?.into_iter().enumerate().map(pair).collect()
}

/// Reads a file or standard input as text.
pub(crate) fn read_text(argument: &OsString) -> Result<(String, String)> {
    let (name, reader) = open_stream(argument)?;
    let mut bytes = Vec::new();
    reader.take(MAX_TEXT_BYTES.saturating_add(1)).read_to_end(&mut bytes).with_context(|| name.clone())?;
    if u64::try_from(bytes.len())? > MAX_TEXT_BYTES {
        bail!("{name}: longer than {MAX_TEXT_BYTES} bytes");
    }
    // Tables have been seen that were cut within a character of their drawing.
    Ok((name, String::from_utf8_lossy(&bytes).into_owned()))
}

/// Prints what an id means.
pub(crate) fn explain(id: &str, format: Report) -> Result<Outcome> {
    let Topic { lines, document, .. } =
        topic(id).ok_or_else(|| anyhow!("{}", unknown("id", id, trnwire_fabric::explain::ids().into_iter())))?;
    print(&lines, &document, format == Report::Json)?;
    Ok(Outcome::Clean)
}

/// Prints a report for people or for programs.
pub(crate) fn print(lines: &[Line], document: &Value, as_json: bool) -> Result<()> {
    use std::io::Write;
    let mut printer = Printer::new();
    if as_json {
        writeln!(printer, "{}", serde_json::to_string_pretty(document)?)?;
    } else {
        printer.lines(lines)?;
    }
    printer.finish()?;
    Ok(())
}

/// Findings make the exit code when one is an error.
pub(crate) fn outcome(findings: &[Finding]) -> Outcome {
    if worst(findings) == Some(Severity::Error) { Outcome::Findings } else { Outcome::Clean }
}

fn platform_name(text: &str) -> Result<&'static Platform, String> {
    platform(text)
        .map_err(|_| unknown("platform", text, Facts::get().platforms.iter().map(|platform| platform.name.as_str())))
}

fn core_map(text: &str) -> Result<CoreMap, String> {
    let found = CoreMap::ALL.into_iter().find(|map| map.name() == text);
    found.ok_or_else(|| unknown("core map", text, CoreMap::ALL.map(CoreMap::name).into_iter()))
}
