//! The dump of a context with serde: structures of the same shape, written and read by serde_json.

use std::fmt;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// An address as `"0x0000008300001000"`.
struct Address(u64);

impl Serialize for Address {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("0x{:016X}", self.0))
    }
}

impl<'de> Deserialize<'de> for Address {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Digits;
        impl Visitor<'_> for Digits {
            type Value = Address;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an address")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Address, E> {
                let digits = text.strip_prefix("0x").ok_or_else(|| E::custom("no 0x"))?;
                u64::from_str_radix(digits, 16).map(Address).map_err(E::custom)
            }
        }
        deserializer.deserialize_str(Digits)
    }
}

macro_rules! shapes {
    ($( $Shape:ident { $( $(#[$attribute:meta])* $field:ident: $type:ty, )* } )*) => { $(
        #[derive(Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        struct $Shape { $( $(#[$attribute])* $field: $type, )* }
    )* };
}

shapes! {
    AddressObject { soc_addr: Address, }
    SemaphoreObject { addr: AddressObject, }
    Neighbor { fold_n: u8, #[serde(rename = "type")] kind: u8, net_idx_addrs: Vec<Address>, }
    Peer { peer_id: u8, addr: AddressObject, }
    Peers { mine: SemaphoreObject, peers: [Peer; 3], }
    Broadcast { m2s_tail_ptr: AddressObject, s2m_tail_ptr: AddressObject, mask: u32, }
    RingChannel {
        next_neigh: Neighbor,
        prev_neigh: Neighbor,
        recv_sema: SemaphoreObject,
        send_sema: SemaphoreObject,
        post_sema: SemaphoreObject,
        dma_compl_sema: SemaphoreObject,
        kring_peer_semas: Peers,
        dma_apb_bcast: Broadcast,
        channel_id: u8,
        spad_slot_idx: u8,
        fold_n: u8,
        kangaring_is_primary: u8,
        kangaring_num_peers: u8,
    }
    MeshEvent {
        dma_apb_bcast_0: Broadcast,
        dma_apb_bcast_1: Broadcast,
        direct_trigger_sema_0: SemaphoreObject,
        direct_trigger_sema_1: SemaphoreObject,
        direct_trigger_sema_2: SemaphoreObject,
        event_wait_sema: SemaphoreObject,
        wait_val: u32,
        event_type: u8,
        dma_trigger: u8,
        direct_trigger: u8,
        wait_event: u8,
    }
    LiveRow {
        channel_id: u8,
        recv_cnt: u16,
        send_credit: u16,
        repeat_cnt: u16,
        m2s_val: u16,
        s2m_val: u16,
        slot_idx: u8,
        run_state: u8,
    }
    Rings { channels: Vec<RingChannel>, }
    Events { events: Vec<MeshEvent>, }
    Stub { __stub: Address, }
    Algo { ring: Rings, mesh: Events, hierarchical: Stub, }
    Nothing {}
    Configs { algo: Algo, neff: Nothing, dev: Nothing, }
    LiveRings { channels: Vec<LiveRow>, }
    LiveHierarchical { run_state: u8, }
    LiveMesh { event_index: u16, }
    Live { ring: LiveRings, hierarchical: LiveHierarchical, mesh: LiveMesh, }
    TopSp { configs: Configs, neff: Nothing, algo: Live, }
    Dump { model_name: String, ncfw_ctx_top_sp: TopSp, }
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(bytes[at..at + 2].try_into().unwrap())
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

fn address_at(bytes: &[u8], at: usize) -> Address {
    Address(u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()))
}

fn object_at(bytes: &[u8], at: usize) -> AddressObject {
    AddressObject { soc_addr: address_at(bytes, at) }
}

fn semaphore_at(bytes: &[u8], at: usize) -> SemaphoreObject {
    SemaphoreObject { addr: object_at(bytes, at) }
}

fn broadcast_at(bytes: &[u8], at: usize) -> Broadcast {
    Broadcast {
        m2s_tail_ptr: object_at(bytes, at),
        s2m_tail_ptr: object_at(bytes, at + 8),
        mask: u32_at(bytes, at + 16),
    }
}

fn neighbor_at(bytes: &[u8], at: usize) -> Neighbor {
    let fold_n = bytes[at + 24];
    let live = usize::from(fold_n.min(3));
    Neighbor { fold_n, kind: bytes[at + 25], net_idx_addrs: (0..live).map(|i| address_at(bytes, at + 8 * i)).collect() }
}

fn ring_channel(row: usize, bytes: &[u8]) -> RingChannel {
    RingChannel {
        next_neigh: neighbor_at(bytes, 0),
        prev_neigh: neighbor_at(bytes, 28),
        recv_sema: semaphore_at(bytes, 56),
        send_sema: semaphore_at(bytes, 64),
        post_sema: semaphore_at(bytes, 72),
        dma_compl_sema: semaphore_at(bytes, 80),
        kring_peer_semas: Peers {
            mine: semaphore_at(bytes, 88),
            peers: [0, 1, 2].map(|i| Peer { peer_id: i as u8, addr: object_at(bytes, 96 + 8 * i) }),
        },
        dma_apb_bcast: broadcast_at(bytes, 120),
        channel_id: row as u8,
        spad_slot_idx: bytes[141],
        fold_n: bytes[142],
        kangaring_is_primary: bytes[143],
        kangaring_num_peers: bytes[144],
    }
}

fn mesh_event(bytes: &[u8]) -> MeshEvent {
    MeshEvent {
        dma_apb_bcast_0: broadcast_at(bytes, 0),
        dma_apb_bcast_1: broadcast_at(bytes, 20),
        direct_trigger_sema_0: semaphore_at(bytes, 40),
        direct_trigger_sema_1: semaphore_at(bytes, 48),
        direct_trigger_sema_2: semaphore_at(bytes, 56),
        event_wait_sema: semaphore_at(bytes, 64),
        wait_val: u32_at(bytes, 72),
        event_type: bytes[76],
        dma_trigger: bytes[77],
        direct_trigger: bytes[78],
        wait_event: bytes[79],
    }
}

fn live_row(row: usize, bytes: &[u8]) -> LiveRow {
    LiveRow {
        channel_id: row as u8,
        recv_cnt: u16_at(bytes, 0),
        send_credit: u16_at(bytes, 2),
        repeat_cnt: u16_at(bytes, 4),
        m2s_val: u16_at(bytes, 6),
        s2m_val: u16_at(bytes, 8),
        slot_idx: bytes[14],
        run_state: bytes[15],
    }
}

impl Dump {
    fn of(context: &[u8]) -> Self {
        let (block, live) = (&context[..13384], &context[17120..]);
        let channels = block[..4736].chunks(148).enumerate().map(|(row, bytes)| ring_channel(row, bytes)).collect();
        let events = block[4736..13376].chunks(80).map(mesh_event).collect();
        let rows = live[..512].chunks(16).enumerate().map(|(row, bytes)| live_row(row, bytes)).collect();
        Self {
            model_name: "m".to_owned(),
            ncfw_ctx_top_sp: TopSp {
                configs: Configs {
                    algo: Algo {
                        ring: Rings { channels },
                        mesh: Events { events },
                        hierarchical: Stub { __stub: address_at(block, 13376) },
                    },
                    neff: Nothing {},
                    dev: Nothing {},
                },
                neff: Nothing {},
                algo: Live {
                    ring: LiveRings { channels: rows },
                    hierarchical: LiveHierarchical { run_state: live[512] },
                    mesh: LiveMesh { event_index: u16_at(live, 516) },
                },
            },
        }
    }
}

/// Contexts as structures, made before anything is timed, and a buffer that is used again.
pub struct Prepared {
    dumps: Vec<Dump>,
    text: Vec<u8>,
}

/// # Safety
/// `contexts` points at `count` contexts of 17638 bytes. What comes back is freed never.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn peer_serde_prepare(contexts: *const u8, count: usize) -> *mut Prepared {
    // SAFETY: the caller says so.
    let bytes = unsafe { std::slice::from_raw_parts(contexts, count * 17638) };
    let dumps = bytes.chunks(17638).map(Dump::of).collect();
    Box::into_raw(Box::new(Prepared { dumps, text: Vec::new() }))
}

/// Writes the dump of a context; gives its length, and where it stands until the next call.
///
/// # Safety
/// `prepared` comes from [`peer_serde_prepare`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn peer_serde_dump(
    prepared: *mut Prepared,
    index: usize,
    pretty: bool,
    text: &mut *const u8,
) -> usize {
    // SAFETY: the caller says so.
    let prepared = unsafe { &mut *prepared };
    prepared.text.clear();
    let dump = &prepared.dumps[index];
    if pretty {
        serde_json::to_writer_pretty(&mut prepared.text, dump).unwrap();
    } else {
        serde_json::to_writer(&mut prepared.text, dump).unwrap();
    }
    prepared.text.push(b'\n');
    *text = prepared.text.as_ptr();
    prepared.text.len()
}

/// Reads a dump, as a `Value` or as structures; gives how many events it has.
///
/// # Safety
/// `text` points at `length` readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn peer_serde_read(text: *const u8, length: usize, typed: bool) -> usize {
    // SAFETY: the caller says so.
    let text = unsafe { std::slice::from_raw_parts(text, length) };
    if typed {
        let dump: Dump = serde_json::from_slice(text).unwrap();
        std::hint::black_box(&dump).ncfw_ctx_top_sp.configs.algo.mesh.events.len()
    } else {
        let dump: Value = serde_json::from_slice(text).unwrap();
        std::hint::black_box(&dump)["ncfw_ctx_top_sp"]["configs"]["algo"]["mesh"]["events"].as_array().unwrap().len()
    }
}
