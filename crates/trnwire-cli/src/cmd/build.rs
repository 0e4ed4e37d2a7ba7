//! `trnwire build`.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{Result, anyhow};
use clap::Args;
use trnwire_fabric::build::build;
use trnwire_fabric::plan::Plan;
use trnwire_fabric::snapshot::write;

use crate::Outcome;
use crate::fabric::read_text;
use crate::talk::say;

/// Make the records of every top-SP from plan.json, as a snapshot in which nothing has moved yet.
///
/// Addresses of other devices carry the routes that the plan gives them: chip ids as a model, since the runtime's routing
/// bits are not public. Index words of network edges stand at addresses of a model, too.
///
/// Example: trnwire build plan.json -o snapshot
#[derive(Args)]
pub(crate) struct Options {
    /// The plan; - for standard input.
    #[arg(value_name = "PLAN")]
    plan: OsString,
    /// Where to write: a directory, or an archive when the name ends in .tar or .tar.zst.
    #[arg(short, long, value_name = "PLACE")]
    output: PathBuf,
    /// Overwrite an output that is there.
    #[arg(long)]
    force: bool,
}

impl Options {
    pub(crate) fn run(self) -> Result<Outcome> {
        let (name, text) = read_text(&self.plan)?;
        let plan = Plan::parse(&text).map_err(|error| anyhow!("{name}: {error}"))?;
        let built = build(&plan).map_err(|error| anyhow!("{name}: {error}"))?;
        write(&self.output, &built.manifest, &built.contents, self.force)?;
        let routes = built.manifest.devices.iter().filter(|device| device.route.is_some()).count();
        say(&format!(
            "{} rows on {} top-SPs; routes of {routes} devices are a model",
            built.manifest.channels.len(),
            built.manifest.files.len() / 3
        ));
        Ok(Outcome::Clean)
    }
}
