//! Stand-in.
use crate::Outcome;
use anyhow::Result;
use clap::Args;
/// x
#[derive(Args)]
pub(crate) struct Options {}
impl Options {
    pub(crate) fn run(self) -> Result<Outcome> {
        Ok(Outcome::Clean)
    }
}
