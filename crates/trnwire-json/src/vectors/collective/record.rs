//! Operations on records: decode and judge, encode, populate, pack.

use serde_json::{Value, json};
use trnwire::cc_op::CcOp;
use trnwire::check::{Finding, Severity, WRONG_LENGTH_CODE};
use trnwire::context::RuntimeRow;
use trnwire::mesh::MeshEvent;
use trnwire::ring::{DEFAULT_SLOT_LIMIT, Place, RING_ROWS, RingChannel};
use trnwire::{Kind, WrongLength};
use zerocopy::{FromBytes, IntoBytes};

use super::{Outputs, codes, dense, failed, hex_bytes, index, integer_or, outputs, refused};
use crate::InputError;
use crate::collective::{self, arch_of};
use crate::describe;
use crate::dump::{Dumper, Options, Target};
use crate::input::Object;

/// A record in its row.
struct Located {
    place: Place,
    row: usize,
}

fn slot_limit(line: &mut Object<'_>) -> Result<u8, InputError> {
    let limit = integer_or(line, "slot_limit", DEFAULT_SLOT_LIMIT.into())?;
    index("slot_limit", limit, "a number below 256")
}

pub(super) fn record(line: &mut Object<'_>) -> Result<Outputs, InputError> {
    let kind = kind(line)?;
    let bytes = hex_bytes(line, "hex")?;
    let slot_limit = slot_limit(line)?;
    let row = match line.optional("row") {
        None | Some(Value::Null) => None,
        Some(_) => Some(index::<u8>("row", line.integer("row")?, "a row below 32")?),
    };
    let located = Located { place: Place { row, slot_limit }, row: row.unwrap_or_default().into() };
    let Ok((findings, json)) = judged(kind, &bytes, &located) else {
        let mut outputs = outputs([("errors", json!([WRONG_LENGTH_CODE])), ("warnings", json!([]))]);
        outputs.insert("valid".to_owned(), json!(false));
        return Ok(outputs);
    };
    let of = |severity: Severity| {
        let found: Vec<_> = findings.iter().filter(|finding| finding.rule.severity() == severity).collect();
        codes(&found, |finding| finding.to_string())
    };
    let fields = collective::decoded(kind, None, &bytes).map_err(refused)?;
    let again = collective::encode(kind, None, &fields)?.map_err(refused)?;
    if again != bytes {
        return Err(InputError::new("decoding and encoding again gives other bytes".to_owned()));
    }
    let errors = of(Severity::Error);
    let is_valid = errors == json!([]);
    let mut outputs =
        outputs([("fields", fields), ("errors", errors), ("warnings", of(Severity::Warning)), ("json", json)]);
    outputs.insert("valid".to_owned(), json!(is_valid));
    Ok(outputs)
}

/// The findings of a record and its dump.
fn judged(kind: Kind, bytes: &[u8], at: &Located) -> Result<(Vec<Finding>, Value), WrongLength> {
    let wrong_length = WrongLength { kind, length: bytes.len() };
    let mut findings = Vec::new();
    let mut text = Vec::new();
    let dumper = |target| Dumper::new(target, Options { compact: true, ..Options::default() });
    let report = |finding| findings.push(finding);
    match kind {
        Kind::RingChannel => {
            let record = RingChannel::ref_from_bytes(bytes).map_err(|_| wrong_length)?;
            record.judge(at.place, report);
            dumper(Target::RingChannel).ring_channel(record, at.row, &mut text);
        }
        Kind::MeshEvent => {
            let record = MeshEvent::ref_from_bytes(bytes).map_err(|_| wrong_length)?;
            record.judge(report);
            dumper(Target::MeshEvent).mesh_event(record, &mut text);
        }
        Kind::RuntimeRow => {
            let record = RuntimeRow::ref_from_bytes(bytes).map_err(|_| wrong_length)?;
            dumper(Target::RuntimeRow).runtime_row(record, at.row, &mut text);
        }
        _ => {
            let slot = bytes.try_into().map(CcOp::from_wire).map_err(|_| wrong_length)?;
            slot.judge(report);
            dumper(Target::CcOp).cc_op(slot, &mut text);
        }
    }
    Ok((findings, serde_json::from_slice(&text).unwrap_or_default()))
}

/// A kind that has such vectors.
fn kind(line: &mut Object<'_>) -> Result<Kind, InputError> {
    const KINDS: [Kind; 4] = [Kind::RingChannel, Kind::MeshEvent, Kind::RuntimeRow, Kind::CcOp];
    let name = line.string("kind")?;
    let kind = KINDS.into_iter().find(|kind| kind.name() == name);
    kind.ok_or_else(|| InputError::new(format!("kind: {name:?} has no such vectors")))
}

pub(super) fn encode_record(line: &mut Object<'_>) -> Result<Outputs, InputError> {
    let kind = kind(line)?;
    let input = line.required("input")?;
    Ok(match collective::encode(kind, None, input)? {
        Ok(bytes) => outputs([("hex", dense(&bytes))]),
        Err(error) => failed(error.code()),
    })
}

pub(super) fn populate(line: &mut Object<'_>) -> Result<Outputs, InputError> {
    let arch = arch_of(line)?;
    let slot_limit = slot_limit(line)?;
    let description = describe::channel(line.required("input")?)?;
    let mut rows = [RingChannel::default(); RING_ROWS];
    let mut populator = trnwire::ring::Populator::new(arch, slot_limit);
    let (row, record, warnings) = match description.record(arch, slot_limit) {
        Ok(populated) => populated,
        Err(error) => {
            let refused = populator.populate(core::slice::from_ref(&description), &mut rows);
            let is_untouched = rows.iter().all(RingChannel::is_unused) && !populator.is_done();
            if refused != Err((0, error)) || !is_untouched {
                return Err(InputError::new("a failed population touched the block".to_owned()));
            }
            let mut outputs = outputs([("errors", json!([error.code()]))]);
            outputs.insert("valid".to_owned(), json!(false));
            return Ok(outputs);
        }
    };
    let bytes = record.as_bytes();
    let at = Located { place: Place { row: None, slot_limit }, row };
    let (_, json) = judged(Kind::RingChannel, bytes, &at).map_err(refused)?;
    Ok(outputs([
        ("hex", dense(bytes)),
        ("row", json!(row)),
        ("fields", collective::decoded(Kind::RingChannel, None, bytes).map_err(refused)?),
        ("json", json),
        ("warnings", codes(&warnings, |warning| warning.code().to_owned())),
    ]))
}

fn slot(line: &mut Object<'_>, key: &'static str) -> Result<CcOp, InputError> {
    let bytes = hex_bytes(line, key)?;
    let wrong_length = WrongLength { kind: Kind::CcOp, length: bytes.len() };
    bytes.try_into().map(CcOp::from_wire).map_err(|_| refused(wrong_length))
}

pub(super) fn merge(line: &mut Object<'_>) -> Result<Outputs, InputError> {
    let (old, new) = (slot(line, "old")?, slot(line, "new")?);
    Ok(outputs([("hex", dense(&new.merge_over(old).to_wire()))]))
}

pub(super) fn pack_channels(line: &mut Object<'_>) -> Result<Outputs, InputError> {
    let packed = describe::pack_channels(line.required("input")?)?;
    Ok(match packed {
        Ok(slot) => outputs([("hex", dense(&slot.to_wire()))]),
        Err(error) => failed(error.code()),
    })
}
