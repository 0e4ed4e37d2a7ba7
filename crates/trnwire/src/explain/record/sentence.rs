//! A record in a sentence.

use alloc::{format, string::String, string::ToString, vec::Vec};

use zerocopy::FromBytes;

use super::Resolver;
use super::tree::{elements_of, is_whole, is_zero, number, part};
use crate::Kind;
use crate::cc_op::{CcOp, Pattern};
use crate::context::RuntimeRow;
use crate::mesh::{MeshEvent, event_type_name};
use crate::ring::{Neighbor, NeighborType, RingChannel};
use crate::soc::SocAddress;
use crate::table::{Field, Shape};

/// What a record says, in a sentence.
pub(super) fn sentence(kind: Kind, fields: &[Field], bytes: &[u8], resolver: Resolver) -> String {
    match kind {
        Kind::SemaphoreAddress if is_zero(bytes) => "no address: zero".to_string(),
        _ if is_zero(bytes) => "unused: every byte is zero".to_string(),
        Kind::RingChannel => {
            RingChannel::ref_from_bytes(bytes).map(|row| of_channel(row, resolver)).unwrap_or_default()
        }
        Kind::MeshEvent => MeshEvent::ref_from_bytes(bytes).map(|event| of_event(event, resolver)).unwrap_or_default(),
        Kind::RuntimeRow => RuntimeRow::ref_from_bytes(bytes).map(of_live_row).unwrap_or_default(),
        Kind::CcOp => bytes.first_chunk().map(|slot| of_slot(CcOp::from_wire(*slot))).unwrap_or_default(),
        Kind::SemaphoreAddress => resolver.describe(SocAddress(number(bytes)), true),
        Kind::AlgoBlock | Kind::Context | Kind::AlgoState => counts(fields, bytes),
        _ => kind.table().title.to_string(),
    }
}

/// `5 of 32 ring channels and 3 of 108 mesh events in use`, wherever in a record those are.
fn counts(fields: &[Field], bytes: &[u8]) -> String {
    let mut told = Vec::new();
    count_in(fields, bytes, &mut told);
    format!("{} in use", told.join(", "))
}

fn count_in(fields: &[Field], bytes: &[u8], told: &mut Vec<String>) {
    for field in fields.iter().filter(|field| is_whole(field)) {
        let (bytes, _) = part(field, bytes);
        match field.shape {
            Shape::Array(Shape::Record(name, _), length) => {
                let noun = match *name {
                    RingChannel::NAME => "ring channels",
                    MeshEvent::NAME => "mesh events",
                    RuntimeRow::NAME => "live rows",
                    _ => continue,
                };
                let used = elements_of(field.shape, bytes).filter(|bytes| !is_zero(bytes)).count();
                told.push(format!("{used} of {length} {noun}"));
            }
            Shape::Record(_, fields) => count_in(fields, bytes, told),
            _ => {}
        }
    }
}

fn of_channel(row: &RingChannel, resolver: Resolver) -> String {
    let own = [row.recv_sema, row.send_sema, row.post_sema, row.dma_compl_sema];
    let top_sp =
        own.iter().find_map(|address| resolver.semaphore(address.get()).ok()).map(|(_, found)| found.register.top_sp);
    let place = top_sp.map_or_else(String::new, |top_sp| format!(" on top-SP {top_sp}"));
    let neighbor = |neighbor: &Neighbor| {
        let hint = NeighborType::from_number(neighbor.neighbor_type).map_or("unknown type", NeighborType::hint);
        let words = neighbor.live().len();
        format!("neighbour of type {} ({hint}, {words} index word{})", neighbor.neighbor_type, plural(words))
    };
    let [recv, send, post, complete] = own.map(|address| resolver.brief(address.get(), top_sp));
    let kangaring = match (row.kangaring_is_primary, row.kangaring_num_peers) {
        (0, 0) => "plain ring".to_string(),
        (is_primary, peers) => {
            let role = if is_primary == 0 { "member" } else { "primary" };
            format!("kangaring {role} with {peers} peer{}", plural(peers.into()))
        }
    };
    format!(
        "channel {}{place}: receives from a {}, sends to a {}; waits on {recv} for data, {send} for credit, {post} for slots, \
         {complete} for DMA; slot {}; {kangaring}",
        row.channel_id,
        neighbor(&row.prev_neigh),
        neighbor(&row.next_neigh),
        row.spad_slot_idx,
    )
}

const fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

fn of_event(event: &MeshEvent, resolver: Resolver) -> String {
    let name = event_type_name(event.event_type).unwrap_or("a type that differs between releases");
    let mut does = Vec::new();
    if event.wait_event != 0 {
        let semaphore = resolver.brief(event.event_wait_sema.get(), None);
        does.push(format!("waits until {semaphore} reaches {}", event.wait_val));
    }
    if event.dma_trigger != 0 {
        does.push("starts DMA rings".to_string());
    }
    if event.direct_trigger != 0 {
        let set = event.direct_trigger_sema.iter().filter(|address| address.is_set());
        let all: Vec<_> = set.map(|address| resolver.brief(address.get(), None)).collect();
        does.push(if all.is_empty() { "signals nothing".to_string() } else { format!("signals {}", all.join(", ")) });
    }
    let does = if does.is_empty() { "does nothing".to_string() } else { does.join(", ") };
    format!("event of type {} ({name}): {does}", event.event_type)
}

fn of_live_row(row: &RuntimeRow) -> String {
    format!(
        "{} received, {} credit to send, repeat {}, slot {}, run state {} (its values are unknown)",
        row.recv_cnt, row.send_credit, row.repeat_cnt, row.slot_idx, row.run_state
    )
}

fn of_slot(slot: CcOp) -> String {
    let pattern = match slot.pattern() {
        Pattern::Ring => {
            let list = slot.get(&CcOp::CHANNEL_LIST);
            let channels: Vec<_> = (0_u8..32).filter(|bit| list >> bit & 1 == 1).map(|bit| bit.to_string()).collect();
            let all = if channels.is_empty() { "none".to_string() } else { channels.join(", ") };
            format!("ring operation on channels {all}")
        }
        Pattern::Mesh => format!(
            "mesh operation, semaphores shifted by {} under mask {:#x}",
            slot.get(&CcOp::SEMA_SHIFT_OFFSET),
            slot.get(&CcOp::SEMA_MASK)
        ),
        Pattern::Invalid => "operation of the invalid pattern".to_string(),
        Pattern::Unassigned(number) => format!("operation of pattern {number}, which nothing assigns"),
    };
    let flags = [
        (&CcOp::REPORTER, "reports completion"),
        (&CcOp::RING_WAIT_COMPLETE, "waits for a lower top-SP"),
        (&CcOp::RING_SEND_COMPLETE, "tells a higher top-SP"),
        (&CcOp::TRIGGER_NEXT, "starts the next operation"),
        (&CcOp::SAFE_MODE, "safe mode"),
        (&CcOp::UNIQUE_TENSORS, "unique tensors"),
    ];
    let set: Vec<_> = flags.into_iter().filter(|(field, _)| slot.get(field) == 1).map(|(_, name)| name).collect();
    let flags = if set.is_empty() { String::new() } else { format!("; {}", set.join(", ")) };
    let empty = if slot.get(&CcOp::HEADER_CC_OP) == 0 { "no operation is set, but the rest of one: " } else { "" };
    format!("{empty}{pattern}{flags}")
}
