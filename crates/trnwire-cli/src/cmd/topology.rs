//! `trnwire topology`.

use std::ffi::OsString;

use anyhow::Result;
use clap::Args;

use crate::Outcome;
use crate::fabric::{Report, TopologyArguments, explain, outcome, print};

/// Show which devices, links and cores an instance has, and what is odd about its listing.
///
/// Reads `neuron-ls -j` or any table of neuron-ls; several files are several instances. Without a file, --platform shows
/// what is known about a platform. What is legal but odd is a note.
///
/// Example: neuron-ls -j | trnwire topology -
#[derive(Args)]
pub(crate) struct Options {
    /// Listings of neuron-ls, one for each instance, in their order; - for standard input.
    #[arg(value_name = "FILE")]
    listings: Vec<OsString>,
    #[command(flatten)]
    topology: TopologyArguments,
    /// Say what an id means, such as TOPO-TIE or TRN1-CORES.
    #[arg(long, value_name = "ID", conflicts_with = "listings")]
    explain: Option<String>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// How a topology is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For people.
    #[default]
    Text,
    /// One JSON document.
    Json,
}

impl Options {
    pub(crate) fn run(self) -> Result<Outcome> {
        let as_json = self.format == Format::Json;
        if let Some(id) = &self.explain {
            return explain(id, if as_json { Report::Json } else { Report::Text });
        }
        let topology = self.topology.read(&self.listings)?;
        print(&topology.lines(), &topology.json(), as_json)?;
        Ok(outcome(&topology.findings))
    }
}
