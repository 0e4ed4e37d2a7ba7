//! What the host knows, as JSON: channels to populate, channels to pack into a control slot, broadcasts to derive.

use serde_json::Value;
use trnwire::cc_op::{CcOp, Channel, ChannelSet, PackError};
use trnwire::ring::{
    ApbBroadcast, Broadcast, ChannelDescription, Derivation, NeighborDescription, PeerDescription, QUEUE_BUNDLES,
    Topology,
};
use trnwire::soc::{SocAddress, Window};
use zerocopy::little_endian::U32;

use crate::InputError;
use crate::collective::address;
use crate::hex;
use crate::input::{Object, integer, wrong};

/// Reads the description of a channel.
///
/// # Errors
/// A key that is missing, unknown or of another type.
pub fn channel(value: &Value) -> Result<ChannelDescription, InputError> {
    let mut object = Object::new(value)?;
    let description = ChannelDescription {
        channel_abs_index: object.integer("channel_abs_index")?,
        id: object.integer("id")?,
        channel_n: object.integer("channel_n")?,
        sp_idx: object.integer("sp_idx")?,
        sp_slot_idx: object.integer("sp_slot_idx")?,
        fold_n: object.integer("fold_n")?,
        topology: topology(&mut object)?,
        recv_sema_ids: integers(&mut object, "recv_sema_ids")?,
        send_sema_id: object.integer("send_sema_id")?,
        post_sema_ids: integers(&mut object, "post_sema_ids")?,
        compl_sema_id: object.integer("compl_sema_id")?,
        next: neighbor(&mut object, "next")?,
        prev: neighbor(&mut object, "prev")?,
        qbundles: integers(&mut object, "qbundles")?,
        broadcast: broadcast(&mut object)?,
    };
    object.finish()?;
    Ok(description)
}

fn topology(object: &mut Object<'_>) -> Result<Topology, InputError> {
    let kangaring = match object.string("topology")? {
        "ring" => false,
        "kangaring" => true,
        other => return Err(InputError::new(format!("topology: {other:?} is neither \"ring\" nor \"kangaring\""))),
    };
    if !kangaring {
        // A plain ring may say these; they are not looked at.
        for key in ["is_primary", "peer_selector", "peer_sema_id", "peers"] {
            object.optional(key);
        }
        return Ok(Topology::Ring);
    }
    let selector = object.integer("peer_selector")?;
    let peer_selector = i32::try_from(selector)
        .map_err(|_| InputError::new(format!("peer_selector: {selector} is no 32-bit number")))?;
    Ok(Topology::Kangaring {
        is_primary: boolean(object, "is_primary")?,
        peer_selector,
        peer_sema_id: object.integer("peer_sema_id")?,
        peers: list(object, "peers")?.iter().map(peer).collect::<Result<_, _>>()?,
    })
}

/// `[sp_idx, sema_id, window, or_mask]`, of which the last two may be absent.
fn peer(value: &Value) -> Result<PeerDescription, InputError> {
    let expected = || wrong("peers", "[sp_idx, sema_id] with a window and a mask, perhaps", value);
    let items = value.as_array().filter(|items| (2..=4).contains(&items.len())).ok_or_else(expected)?;
    let number = |index: usize| items.get(index).and_then(integer).ok_or_else(expected);
    let window = match items.get(2) {
        None => Window::default(),
        Some(name) => name.as_str().and_then(Window::by_name).ok_or_else(expected)?,
    };
    let route_mask = match items.get(3) {
        None => 0,
        Some(mask) => mask.as_str().and_then(hex::address).ok_or_else(expected)?,
    };
    Ok(PeerDescription { sp_idx: number(0)?, sema_id: number(1)?, window, route_mask })
}

fn neighbor(object: &mut Object<'_>, key: &'static str) -> Result<NeighborDescription, InputError> {
    let read = |value: &Value| {
        let mut object = Object::new(value)?;
        let port = object.integer("port")?;
        let port = i32::try_from(port).map_err(|_| InputError::new(format!("port: {port} is no 32-bit number")))?;
        let fold_n = object.integer("fold_n")?;
        let address = |value: &Value| {
            let address = value.as_str().and_then(hex::address).map(SocAddress);
            address.ok_or_else(|| wrong("net_idx_addrs", "addresses", value))
        };
        let net_idx_addrs = list(&mut object, "net_idx_addrs")?.iter().map(address).collect::<Result<_, _>>()?;
        object.finish()?;
        Ok(NeighborDescription { port, fold_n, net_idx_addrs })
    };
    read(object.required(key)?).map_err(|error: InputError| error.within(key))
}

fn broadcast(object: &mut Object<'_>) -> Result<Broadcast, InputError> {
    let Some(ready) = object.optional("dma_apb_bcast") else {
        let (tpb, allocated_dma_mask, m2s_register) = derived(object)?;
        return Ok(Broadcast::Derived { tpb, allocated_dma_mask, m2s_register });
    };
    let mut ready = Object::new(ready)?;
    let mask = ready.integer("mask")?;
    let mask = u32::try_from(mask).map_err(|_| InputError::new(format!("mask: {mask} is outside 0..=4294967295")))?;
    let broadcast = ApbBroadcast {
        m2s_tail_ptr: address(&mut ready, "m2s_tail_ptr")?.into(),
        s2m_tail_ptr: address(&mut ready, "s2m_tail_ptr")?.into(),
        mask: U32::new(mask),
    };
    ready.finish()?;
    Ok(Broadcast::Ready(broadcast))
}

/// `tpb`, `allocated_dma_mask` and `r_m2s`, which may be absent.
fn derived(object: &mut Object<'_>) -> Result<(i64, [u32; QUEUE_BUNDLES], u64), InputError> {
    let tpb = object.integer("tpb")?;
    let given = object.required("allocated_dma_mask")?;
    let masks: Option<Vec<u32>> = given
        .as_array()
        .and_then(|masks| masks.iter().map(|mask| mask.as_u64().and_then(|mask| u32::try_from(mask).ok())).collect());
    let masks = masks.and_then(|masks| masks.try_into().ok());
    let allocated = masks.ok_or_else(|| wrong("allocated_dma_mask", "a list of 8 masks of 32 bits", given))?;
    let register = match object.optional("r_m2s") {
        None => Derivation::M2S_REGISTER,
        Some(value) => {
            let register = value.as_u64().filter(|register| *register < 0x1000);
            register.ok_or_else(|| wrong("r_m2s", "an offset of a register, below 4096", value))?
        }
    };
    Ok((tpb, allocated, register))
}

/// Reads what a broadcast is derived from: `tpb`, `qbundle` or `qbundles`, `allocated_dma_mask`, perhaps `r_m2s`.
pub(crate) fn derivation(object: &mut Object<'_>) -> Result<Derivation, InputError> {
    let queue_bundles = match object.optional("qbundle") {
        Some(_) => vec![object.integer("qbundle")?],
        None => integers(object, "qbundles")?,
    };
    let (tpb, allocated_dma_mask, m2s_register) = derived(object)?;
    Ok(Derivation { tpb, queue_bundles, allocated_dma_mask, m2s_register })
}

/// Reads channels and packs them into a control slot; the inner error is the packer's.
///
/// # Errors
/// A key that is missing, unknown or of another type.
pub fn pack_channels(value: &Value) -> Result<Result<CcOp, PackError>, InputError> {
    let mut object = Object::new(value)?;
    let sub_type = object.integer("algo_sub_type")?;
    let old = match object.optional("old") {
        None | Some(Value::Null) => None,
        Some(old) => {
            let bytes = old.as_str().and_then(hex::bytes).and_then(|bytes| bytes.try_into().ok());
            Some(CcOp::from_wire(bytes.ok_or_else(|| wrong("old", "8 bytes as hex", old))?))
        }
    };
    let channels: Vec<_> = list(&mut object, "channels")?.iter().map(one_channel).collect::<Result<_, _>>()?;
    let set = ChannelSet {
        sp_idx: object.integer("sp_idx")?,
        algo_sub_type: sub_type,
        trigger_next: boolean(&mut object, "trigger_next")?,
        safe_mode: boolean(&mut object, "safe_mode")?,
        unique_tensors: boolean(&mut object, "unique_tensors")?,
        old,
        channels: &channels,
    };
    object.finish()?;
    Ok(set.pack())
}

fn one_channel(value: &Value) -> Result<Channel, InputError> {
    let mut object = Object::new(value)?;
    let channel = Channel {
        id: object.integer("id")?,
        abs_id: object.integer("abs_id")?,
        active: boolean(&mut object, "active")?,
        sp_idx: object.integer("sp_idx")?,
        reporter: boolean(&mut object, "reporter")?,
        neighbor_sp_idx: integers(&mut object, "neighbor_sp_idx")?,
    };
    object.finish()?;
    Ok(channel)
}

fn boolean(object: &mut Object<'_>, key: &'static str) -> Result<bool, InputError> {
    let value = object.required(key)?;
    value.as_bool().ok_or_else(|| wrong(key, "true or false", value))
}

fn list<'a>(object: &mut Object<'a>, key: &'static str) -> Result<&'a [Value], InputError> {
    let value = object.required(key)?;
    value.as_array().map(Vec::as_slice).ok_or_else(|| wrong(key, "a list", value))
}

fn integers(object: &mut Object<'_>, key: &'static str) -> Result<Vec<i64>, InputError> {
    let one = |value: &Value| integer(value).ok_or_else(|| wrong(key, "a list of integers", value));
    list(object, key)?.iter().map(one).collect()
}
