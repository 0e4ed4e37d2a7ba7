//! `trnwire lint`.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use serde_json::json;
use trnwire_fabric::lint::{errors, lint};
use trnwire_fabric::report::{findings_json, line, lines, sarif};
use trnwire_fabric::snapshot::{Limits, Snapshot};

use crate::Outcome;
use crate::fabric::{Report, explain, outcome, print};

/// Hold both ends of every ring and kangaring of a snapshot against each other.
///
/// Reads a directory, a .tar or a .tar.zst. Addresses are compared as registers. Files may be missing: what could not be
/// checked is said, with the file that would allow it. Exit code 1 when something is an error.
///
/// Example: trnwire lint snapshot
#[derive(Args)]
pub(crate) struct Options {
    /// The snapshot.
    #[arg(value_name = "SNAPSHOT", required_unless_present = "explain")]
    snapshot: Option<PathBuf>,
    /// Say what an id means, such as RING-EDGE or SNAP-HASH.
    #[arg(long, value_name = "ID")]
    explain: Option<String>,
    /// Bytes of snapshot.json at most.
    #[arg(long, value_name = "BYTES", default_value_t = Limits::default().manifest_bytes)]
    max_manifest: u64,
    /// Files and directories at most.
    #[arg(long, value_name = "COUNT", default_value_t = Limits::default().entries)]
    max_entries: u64,
    /// Bytes of a file at most.
    #[arg(long, value_name = "BYTES", default_value_t = Limits::default().file_bytes)]
    max_file: u64,
    /// Bytes of all files at most.
    #[arg(long, value_name = "BYTES", default_value_t = Limits::default().total_bytes)]
    max_total: u64,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    format: Report,
}

impl Options {
    pub(crate) fn run(self) -> Result<Outcome> {
        if let Some(id) = &self.explain {
            return explain(id, self.format);
        }
        let limits = Limits {
            manifest_bytes: self.max_manifest,
            entries: self.max_entries,
            file_bytes: self.max_file,
            total_bytes: self.max_total,
        };
        let place = self.snapshot.unwrap_or_default();
        let snapshot = Snapshot::open(&place, limits)?;
        let found = lint(&snapshot);
        let count = errors(&found.findings);
        let channels = snapshot.manifest.channels.len();
        let (role, headline) = match count {
            0 => (trnwire::explain::Role::Good, format!("no error in {channels} rows")),
            1 => (trnwire::explain::Role::Bad, format!("1 error in {channels} rows")),
            _ => (trnwire::explain::Role::Bad, format!("{count} errors in {channels} rows")),
        };
        let mut text = vec![line(role, headline)];
        text.extend(lines(&found.findings));
        text.extend(
            found.not_checked.iter().map(|what| line(trnwire::explain::Role::Plain, format!("not checked: {what}"))),
        );
        let document = json!({
            "trnwire": trnwire_json::VERSION,
            "rows": channels,
            "errors": count,
            "findings": findings_json(&found.findings),
            "not_checked": found.not_checked,
        });
        match self.format {
            Report::Sarif => print(&[], &sarif(&found.findings, &place.to_string_lossy()), true)?,
            format => print(&text, &document, format == Report::Json)?,
        }
        Ok(outcome(&found.findings))
    }
}
