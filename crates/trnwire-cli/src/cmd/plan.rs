//! `trnwire plan`.

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use trnwire_fabric::plan::{Algorithm, Collective, Given, Request, plan};

use crate::Outcome;
use crate::fabric::{NamedTopology, read_groups};
use crate::new_file::NewFile;
use crate::output::Printer;
use crate::spelling::unknown;
use crate::talk::say;

/// Lay rings over the links for groups of ranks, and choose channels, top-SPs and semaphores.
///
/// Prints plan.json, which people may edit and `trnwire build` makes records of. On a torus the rings follow cycles that
/// share no link, each in both directions; where there is no cycle, a ring with as few hops as can be. What was chosen is
/// said on standard error.
///
/// Example: trnwire plan --platform trn2.48xlarge --groups '{}' --channels 4 -o plan.json
#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    topology: NamedTopology,
    /// Replica groups of ranks: [[0,1],[2,3]], {{0,1},{2,3}}, [2,2]<=[4], mesh['a'=2,'b'=2] {'a'}, or a file with one of
    /// these. {} is all ranks in one group. Each group becomes an op.
    #[arg(long, value_name = "GROUPS|FILE")]
    groups: OsString,
    /// ring or kangaring. Default: a kangaring for groups of whole chips on platforms that have it, else a ring.
    #[arg(long, value_name = "NAME", value_parser = algorithm)]
    algorithm: Option<Algorithm>,
    /// all_gather, reduce_scatter or all_reduce.
    #[arg(long, value_name = "NAME", default_value = "all_reduce", value_parser = collective)]
    collective: Collective,
    /// Channels of each group, 1..=32.
    #[arg(long, value_name = "COUNT", default_value_t = 1)]
    channels: u32,
    /// Pieces that a chunk is sent in, 1..=32.
    #[arg(long, value_name = "COUNT", default_value_t = 2)]
    halves: u32,
    /// Passes over the schedule.
    #[arg(long, value_name = "COUNT", default_value_t = 1)]
    chunk_groups: u32,
    /// Slots of every edge. Default: two more than pieces, which keeps every ring alive.
    #[arg(long, value_name = "COUNT")]
    slots: Option<u32>,
    /// Take the ranks in this order, once for each ring, instead of following links: [[0,2,1,3]].
    #[arg(long, value_name = "ORDERS|FILE")]
    order: Option<OsString>,
    /// Choose other cycles: any number. 0 goes by device numbers.
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    seed: u64,
    /// Write to this file instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Overwrite an output that is there.
    #[arg(long, requires = "output")]
    force: bool,
}

impl Options {
    pub(crate) fn run(self) -> Result<Outcome> {
        let topology = self.topology.read()?;
        let order = match &self.order {
            Some(argument) => Given::Ranks(read_groups(argument, topology.cores.len())?),
            None => Given::Links,
        };
        let request = Request {
            groups: read_groups(&self.groups, topology.cores.len())?,
            algorithm: self.algorithm,
            collective: self.collective,
            channels: self.channels,
            halves: self.halves,
            chunk_groups: self.chunk_groups,
            slots: self.slots,
            order,
            seed: self.seed,
        };
        let planned = plan(&topology, &request)?;
        if planned.plan.ops.is_empty() {
            bail!("no group has two ranks: there is nothing to plan");
        }
        for line in planned.notes(&topology) {
            say(&line);
        }
        let text = planned.plan.text();
        match &self.output {
            Some(path) => {
                let mut file = NewFile::create(path, self.force)?;
                file.write_all(text.as_bytes())?;
                file.finish()?;
            }
            None => {
                let mut printer = Printer::new();
                printer.write_all(text.as_bytes())?;
                printer.finish()?;
            }
        }
        Ok(Outcome::Clean)
    }
}

fn algorithm(text: &str) -> Result<Algorithm, String> {
    const ALL: [Algorithm; 2] = [Algorithm::Ring, Algorithm::Kangaring];
    ALL.into_iter()
        .find(|all| all.name() == text)
        .ok_or_else(|| unknown("algorithm", text, ALL.map(Algorithm::name).into_iter()))
}

fn collective(text: &str) -> Result<Collective, String> {
    let all = Collective::ALL;
    all.into_iter()
        .find(|all| all.name() == text)
        .ok_or_else(|| unknown("collective", text, all.map(Collective::name).into_iter()))
}
