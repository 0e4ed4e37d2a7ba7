//! What is wrong or odd in a record, and in the records within it.

use alloc::vec::Vec;

use zerocopy::FromBytes;

use super::tree::{elements_of, is_whole, part};
use crate::Kind;
use crate::cc_op::CcOp;
use crate::check::Finding;
use crate::mesh::MeshEvent;
use crate::ring::{Neighbor, Place, RingChannel};
use crate::table::{Field, Shape};

/// The findings of a record and of every record within, with the byte at which each begins.
pub(super) fn findings_of(kind: Kind, fields: &[Field], bytes: &[u8], place: Place) -> Vec<(usize, Finding)> {
    let mut found = Vec::new();
    match kind {
        Kind::RingChannel => judge_row(bytes, 0, place, &mut found),
        Kind::MeshEvent => judge_event(bytes, 0, &mut found),
        Kind::Neighbor => judge_neighbor(bytes, &mut found),
        Kind::CcOp => judge_slot(bytes, 0, &mut found),
        _ => findings_in(fields, bytes, 0, place, &mut found),
    }
    found
}

fn findings_in(fields: &[Field], bytes: &[u8], base: usize, place: Place, found: &mut Vec<(usize, Finding)>) {
    for field in fields.iter().filter(|field| is_whole(field)) {
        let (bytes, offset) = part(field, bytes);
        let base = base.saturating_add(offset);
        match field.shape {
            Shape::Record(name, _) if name == CcOp::TABLE.kind => judge_slot(bytes, base, found),
            Shape::Record(_, fields) => findings_in(fields, bytes, base, place, found),
            Shape::Array(&Shape::Record(name, fields), _) => {
                for (row, bytes) in (0_u8..=u8::MAX).zip(elements_of(field.shape, bytes)) {
                    let base = base.saturating_add(usize::from(row).saturating_mul(bytes.len()));
                    match name {
                        RingChannel::NAME => judge_row(bytes, base, Place { row: Some(row), ..place }, found),
                        MeshEvent::NAME => judge_event(bytes, base, found),
                        _ => findings_in(fields, bytes, base, place, found),
                    }
                }
            }
            _ => {}
        }
    }
}

fn judge_row(bytes: &[u8], base: usize, place: Place, found: &mut Vec<(usize, Finding)>) {
    if let Ok(record) = RingChannel::ref_from_bytes(bytes) {
        record.judge(place, |finding| found.push((base, finding)));
    }
}

fn judge_event(bytes: &[u8], base: usize, found: &mut Vec<(usize, Finding)>) {
    if let Ok(record) = MeshEvent::ref_from_bytes(bytes) {
        record.judge(|finding| found.push((base, finding)));
    }
}

fn judge_neighbor(bytes: &[u8], found: &mut Vec<(usize, Finding)>) {
    if let Ok(record) = Neighbor::ref_from_bytes(bytes) {
        record.judge(|finding| found.push((0, finding)));
    }
}

fn judge_slot(bytes: &[u8], base: usize, found: &mut Vec<(usize, Finding)>) {
    if let Some(slot) = bytes.first_chunk() {
        CcOp::from_wire(*slot).judge(|finding| found.push((base, finding)));
    }
}
