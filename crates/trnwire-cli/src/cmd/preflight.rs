//! `trnwire preflight`.

use std::ffi::OsString;

use anyhow::Result;
use clap::Args;
use trnwire_fabric::groups::read_module;
use trnwire_fabric::preflight::{Job, Op, Verdict, Version, ops_of_module, preflight};
use trnwire_fabric::report::sarif;

use crate::Outcome;
use crate::fabric::{NamedTopology, Report, explain, print, read_groups, read_pairs, read_text};

/// Say whether groups of ranks can work on a platform, before anything is compiled or loaded.
///
/// Legal is what a source lists; illegal what a stated rule refuses; everything else is unknown and said to be so. Exit
/// code 1 when something is illegal.
///
/// Example: trnwire preflight --platform trn1.32xlarge --cores 24
#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    topology: NamedTopology,
    /// How many logical cores the job asks for, such as its tensor-parallel degree. Default: the ranks of its groups.
    #[arg(long, value_name = "COUNT")]
    cores: Option<u32>,
    /// Replica groups of ranks: [[0,1],[2,3]], {{0,1},{2,3}}, [2,2]<=[4], mesh['a'=2,'b'=2] {'a'}, or a file with one of
    /// these. {} is all ranks in one group.
    #[arg(long, value_name = "GROUPS|FILE")]
    groups: Option<OsString>,
    /// Pairs of ranks, from and to, of a permute: {{0,1},{1,0}} or [[0,1],[1,0]], or a file.
    #[arg(long, value_name = "PAIRS|FILE")]
    pairs: Option<OsString>,
    /// A compiled program as HLO or StableHLO text: every collective in it is judged.
    #[arg(long, value_name = "FILE")]
    hlo: Option<OsString>,
    /// Replicas of the program, where it does not say so.
    #[arg(long, value_name = "COUNT", requires = "hlo")]
    replicas: Option<u32>,
    /// Partitions of the program, where it does not say so.
    #[arg(long, value_name = "COUNT", requires = "hlo")]
    partitions: Option<u32>,
    /// The SDK that the job is for, such as 2.32: limits differ.
    #[arg(long, value_name = "VERSION", value_parser = version)]
    sdk: Option<Version>,
    /// The runtime that the job is for, such as 2.23.110.
    #[arg(long, value_name = "VERSION", value_parser = version)]
    runtime: Option<Version>,
    /// Say what an id means, such as TRN1-CORES or GROUP-ORDER.
    #[arg(long, value_name = "ID")]
    explain: Option<String>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    format: Report,
}

impl Options {
    pub(crate) fn run(self) -> Result<Outcome> {
        if let Some(id) = &self.explain {
            return explain(id, self.format);
        }
        let topology = self.topology.read()?;
        let mut ops = Vec::new();
        let mut missing = Vec::new();
        if let Some(argument) = &self.groups {
            ops.push(Op { groups: read_groups(argument, topology.cores.len())?, ..Op::default() });
        }
        if let Some(argument) = &self.pairs {
            ops.push(Op { pairs: read_pairs(argument)?, ..Op::default() });
        }
        if let Some(argument) = &self.hlo {
            let (_, text) = read_text(argument)?;
            let (of_module, not_read) = ops_of_module(&read_module(&text), self.replicas, self.partitions);
            ops.extend(of_module);
            missing.extend(not_read);
        }
        let job = Job { topology: &topology, ops, cores: self.cores, sdk: self.sdk, runtime: self.runtime };
        let mut report = preflight(&job);
        report.not_checked.extend(missing);
        match self.format {
            Report::Sarif => print(&[], &sarif(&report.findings, ""), true)?,
            format => print(&report.lines(&job), &report.json(&topology), format == Report::Json)?,
        }
        Ok(if report.verdict == Verdict::Illegal { Outcome::Findings } else { Outcome::Clean })
    }
}

fn version(text: &str) -> Result<Version, String> {
    Version::parse(text).ok_or_else(|| "a version is numbers with points between, such as 2.32".to_owned())
}
