//! Checking records of collectives, many at once.

use anyhow::{Result, anyhow, bail};
use trnwire::Kind;
use trnwire::arch::CollectiveArch;
use trnwire::block::{Block, View};
use trnwire::cc_op::CcOp;
use trnwire::check::{Rule, Severity};
use trnwire::context::Context;
use trnwire::mesh::MeshEvent;
use trnwire::ring::{Neighbor, RingChannel};
use trnwire::soc::{AddressError, Semaphore, SocAddress};
use trnwire_batch::{RecordFinding, RecordSummary, RecordTally};
use zerocopy::FromBytes;

use super::progress_bar;
use super::report::{Judge, Occurred, Report};
use super::tally::Tally;
use crate::args::RecordArguments;
use crate::input::Records;

/// Judges every record. What was read before an error still counts.
pub(super) fn run(
    kind: Kind,
    arch: CollectiveArch,
    record: &RecordArguments,
    records: &mut Records,
) -> (Report, Result<()>) {
    let mut summary = RecordSummary::default();
    let mut refused = Tally::default();
    let bar = progress_bar(records.length());
    let size = records.record_bytes();
    let mut offset = 0_u64;
    let mut index = 0_u64;
    let read = loop {
        let is_alone = records.is_single();
        let block = match records.next_block() {
            Ok(Some(block)) => block,
            Ok(None) => break Ok(()),
            Err(error) => break Err(error),
        };
        let place = record.place(index, is_alone);
        let judged = match kind {
            Kind::RingChannel => <[RingChannel]>::ref_from_bytes(block)
                .map(|rows| summary.ring_channels(offset, place, rows))
                .map_err(|error| anyhow!("{error}")),
            Kind::MeshEvent => <[MeshEvent]>::ref_from_bytes(block)
                .map(|events| summary.mesh_events(offset, events))
                .map_err(|error| anyhow!("{error}")),
            _ => one_by_one(kind, arch, record.slot_limit, block, size, offset, &mut summary, &mut refused),
        };
        if judged.is_err() {
            break judged;
        }
        offset = offset.saturating_add(u64::try_from(block.len()).unwrap_or_default());
        index =
            index.saturating_add(u64::try_from(block.len().checked_div(size).unwrap_or_default()).unwrap_or_default());
        bar.set_position(offset);
    };
    bar.finish_and_clear();
    (report(kind, arch, summary, refused), read)
}

/// Judges records that differ in more than their bytes.
#[expect(clippy::too_many_arguments, reason = "what is asked and what is counted")]
fn one_by_one(
    kind: Kind,
    arch: CollectiveArch,
    slot_limit: u8,
    block: &[u8],
    size: usize,
    mut offset: u64,
    summary: &mut RecordSummary,
    refused: &mut Tally<AddressError>,
) -> Result<()> {
    for bytes in block.chunks_exact(size) {
        match kind {
            Kind::CcOp => summary.cc_op(offset, CcOp::from_wire(bytes.try_into()?)),
            Kind::AlgoBlock => {
                let view = View::of_length(size).ok_or_else(|| anyhow!("{size} bytes are no block"))?;
                let block = Block::new(view, bytes).ok_or_else(|| anyhow!("{size} bytes are no block"))?;
                summary.block(offset, slot_limit, &block);
            }
            Kind::Context => {
                let (context, _) = Context::new(arch, bytes)?;
                summary.context(offset, slot_limit, &context);
            }
            Kind::SemaphoreAddress => {
                let address = SocAddress(u64::from_le_bytes(bytes.try_into()?));
                // Zero is no address, which is legal.
                if let (true, Err(error)) = (address.0 != 0, Semaphore::decode(arch, address)) {
                    refused.add(error, offset);
                }
                summary.count_item();
            }
            Kind::Neighbor => {
                let neighbor = Neighbor::ref_from_bytes(bytes).map_err(|error| anyhow!("{error}"))?;
                summary.neighbor(offset, neighbor);
            }
            // Every value of these is legal, as far as known; what they are part of is judged as a whole.
            Kind::PeerSemaphores | Kind::ApbBroadcast | Kind::RuntimeRow | Kind::AlgoState => {
                summary.count_item();
            }
            _ => bail!("{kind} is no record of collectives"),
        }
        offset = offset.saturating_add(u64::try_from(size)?);
    }
    Ok(())
}

fn report(kind: Kind, arch: CollectiveArch, summary: RecordSummary, refused: Tally<AddressError>) -> Report {
    let worst = |severity: Severity, tally: RecordTally| {
        Occurred::of_tally(Judge::Worst, severity, severity.name().to_owned(), tally)
    };
    let finding = |((rule, within), tally): (RecordFinding, RecordTally)| {
        Occurred::of_tally(Judge::Finding, rule.severity(), name(rule, within), tally)
    };
    let worst = [worst(Severity::Warning, summary.warnings), worst(Severity::Error, summary.errors)];
    let refused = refused.occurred(Judge::Decoder, |error| (Severity::Error, error.code().to_owned()));
    Report {
        kind,
        arch: arch.name(),
        items: summary.items,
        verdicts: worst.into_iter().filter(|occurred| occurred.count > 0).chain(refused).collect(),
        lints: summary.findings.into_iter().map(finding).collect(),
        opcodes: None,
    }
}

fn name(rule: Rule, within: Option<&'static str>) -> String {
    within.map_or_else(|| rule.code().to_owned(), |part| format!("{part}:{rule}"))
}
