//! Records that have nothing to say, told without a branch: what records hold is not to be predicted, and compilers make
//! branches of comparisons where they can. A record that is not quiet here may still have nothing to say.

use core::hint::select_unpredictable;
use core::mem::offset_of;

use trnwire::mesh::MeshEvent;
use trnwire::ring::{Neighbor, RING_ROWS, RingChannel};
use zerocopy::IntoBytes;

use super::{AHEAD, LINE};
use crate::ahead::fetch_ahead;

/// Tells quiet ring channels for one limit of slots.
#[derive(Clone, Copy)]
pub(super) struct QuietChannel {
    /// What makes the top bit of a byte of the last eight overflow when the byte is too great.
    room: u64,
}

/// The last eight bytes of a record are small numbers: channel, slot, fold, primary, peers, and three reserved ones.
const LAST: usize = offset_of!(RingChannel, channel_id);
const _: () = {
    assert!(size_of::<RingChannel>() == LAST + 8);
    assert!(offset_of!(RingChannel, spad_slot_idx) == LAST + 1 && offset_of!(RingChannel, fold_n) == LAST + 2);
    assert!(offset_of!(RingChannel, kangaring_is_primary) == LAST + 3);
    assert!(offset_of!(RingChannel, kangaring_num_peers) == LAST + 4 && offset_of!(RingChannel, reserved) == LAST + 5);
};
/// So many records are looked at in one go: two halves of some hundred kilobytes, which lie in different pages and stay in the
/// cache until the loud ones are judged.
pub(super) const TILE: usize = 4096;
/// Records that are looked at together: as many as there are rows, and bits in a word.
pub(super) const GROUP: usize = RING_ROWS;
const _: () = assert!(TILE.is_multiple_of(2 * GROUP) && GROUP == 32);
const TOP_BITS: u64 = 0x8080_8080_8080_8080;

impl QuietChannel {
    pub(super) fn new(slot_limit: u8) -> Self {
        // The greatest values. Slots from 128 up have their top bit set and are never quiet.
        let most = [31, slot_limit.clamp(1, 128).wrapping_sub(1), 4, 1, 3, 0, 0, 0];
        Self { room: u64::from_le_bytes(most.map(|most: u8| 0x7F_u8.wrapping_sub(most))) }
    }

    /// The records of which there may be something to say: a bit for each, in a word for each [`GROUP`]. The first record is
    /// in this row. At most [`TILE`] are looked at.
    #[cfg_attr(
        target_arch = "x86_64",
        expect(unsafe_code, reason = "a call of a function with target features needs it; they are tested first")
    )]
    pub(super) fn loud(self, records: &[RingChannel], row: Option<u8>) -> [u32; TILE / GROUP] {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::is_x86_feature_detected as has;
            if has!("avx2") && has!("bmi1") && has!("bmi2") {
                // SAFETY: the function is safe but for the features it is compiled for, which this line has tested.
                return unsafe { self.loud_avx2(records, row) };
            }
        }
        self.loud_in(records, row)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2")]
    fn loud_avx2(self, records: &[RingChannel], row: Option<u8>) -> [u32; TILE / GROUP] {
        self.loud_in(records, row)
    }

    /// Two places of memory are read in turn: more of it is under way at a time, which is a tenth faster than one. Loops, and
    /// no closures: those are not compiled for more features than their own function has.
    #[inline(always)]
    fn loud_in(self, records: &[RingChannel], row: Option<u8>) -> [u32; TILE / GROUP] {
        let mut loud = [0; TILE / GROUP];
        let (groups, rest) = records.as_chunks::<GROUP>();
        let half = groups.len() / 2;
        let (front, back) = groups.split_at(half);
        let (loud_front, loud_back) = loud.split_at_mut(half);
        let places = loud_front.iter_mut().zip(&mut *loud_back);
        for ((front, back), (loud_front, loud_back)) in front.iter().zip(back).zip(places) {
            let (mut place, step) = row.map_or((0, None), |row| (row, Some(1_u8)));
            let (mut any_front, mut any_back) = (false, false);
            for (front, back) in front.as_slice().iter().zip(back.as_slice()) {
                fetch(front);
                fetch(back);
                let row = step.map(|_| place);
                any_front |= !self.is(front, row);
                any_back |= !self.is(back, row);
                place = place.wrapping_add(1) % 32;
            }
            if any_front {
                *loud_front = self.loud_of(front, row);
            }
            if any_back {
                *loud_back = self.loud_of(back, row);
            }
        }
        // An odd group, and what fills none.
        let last = back.iter().skip(half).map(<[_; GROUP]>::as_slice).chain([rest]);
        for (records, loud) in last.zip(loud_back.iter_mut().skip(half)) {
            *loud = self.loud_of(records, row);
        }
        loud
    }

    /// [`Self::loud`] of at most a group.
    #[inline(always)]
    fn loud_of(self, records: &[RingChannel], row: Option<u8>) -> u32 {
        let mut loud = 0;
        for (bit, record) in (0_u8..).zip(records) {
            let row = row.map(|row| row.wrapping_add(bit) % 32);
            loud |= u32::from(!self.is(record, row)) << bit;
        }
        loud
    }

    /// Whether there is nothing to say about a ring channel in this row.
    #[inline(always)]
    pub(super) fn is(self, record: &RingChannel, row: Option<u8>) -> bool {
        let last = record.as_bytes().last_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
        let too_great = (last | last.wrapping_add(self.room)) & TOP_BITS;
        let of_peers = PEER_MASKS.get(low(last >> 32)).unwrap_or(&PEER_MASKS[0]);
        let surplus = masked(record.kring_peer_semas.as_bytes(), &of_peers.block) | last & of_peers.last;

        let bytes = record.as_bytes();
        let next = neighbor_is_loud(bytes);
        let prev = neighbor_is_loud(bytes.get(offset_of!(RingChannel, prev_neigh)..).unwrap_or_default());

        // An unused row may stand anywhere.
        let (id, fold) = (last & 0xFF, last >> 16 & 0xFF);
        let is_elsewhere = row.map_or(0, |row| id ^ u64::from(row)) | fold.wrapping_sub(1) & 0x80;
        let misplaced = select_unpredictable(is_elsewhere == 0, 0, any_bit(record));
        too_great | surplus | next | prev | misplaced == 0
    }
}

/// Asks for the memory ahead of a record, which has two lines and a bit.
#[inline(always)]
pub(super) fn fetch(record: &RingChannel) {
    fetch_ahead(record, AHEAD);
    fetch_ahead(record, AHEAD + LINE);
}

/// What must be zero for a number of peers: in their block, and in the last eight bytes.
struct PeerMasks {
    block: [u64; 4],
    last: u64,
}

/// By number of peers. A plain ring has no primary, and two peers there never are.
const PEER_MASKS: [PeerMasks; 4] = {
    const ALL: u64 = u64::MAX;
    [
        PeerMasks { block: [ALL; 4], last: 0xFF << 24 },
        PeerMasks { block: [0, 0, ALL, ALL], last: 0 },
        PeerMasks { block: [0; 4], last: 0xFF << 32 },
        PeerMasks { block: [0; 4], last: 0 },
    ]
};

/// What must be zero in a neighbour and the four bytes behind it, by its fold. Of fold and type two bits are looked at
/// elsewhere.
const NEIGHBOR_MASKS: [[u64; 4]; 4] = {
    const ALL: u64 = u64::MAX;
    const END: u64 = 0xFFFF_FCFC;
    [[ALL, ALL, ALL, END], [0, ALL, ALL, END], [0, 0, ALL, END], [0, 0, 0, END]]
};
const _: () = {
    assert!(offset_of!(Neighbor, fold_n) == 24 && offset_of!(Neighbor, neighbor_type) == 25);
    assert!(size_of::<Neighbor>() == 28);
};

/// Not zero when there is something to say about the neighbour at the beginning of these bytes.
#[inline(always)]
fn neighbor_is_loud(bytes: &[u8]) -> u64 {
    /// By type and fold: types 0 and 1 with any fold, type 2 with one.
    const SOUND: u64 = 0b10_1111_1111;
    let Some(bytes) = bytes.first_chunk::<32>() else { return 1 };
    let last = u64::from_le_bytes([bytes[24], bytes[25], 0, 0, 0, 0, 0, 0]);
    let unsound = !(SOUND >> (last & 3 | last >> 6 & 0b1100)) & 1;
    masked(bytes, NEIGHBOR_MASKS.get(low(last)).unwrap_or(&NEIGHBOR_MASKS[0])) | unsound
}

/// The bits of these words that a mask selects, all in one.
#[inline(always)]
fn masked<const WORDS: usize>(bytes: &[u8], mask: &[u64; WORDS]) -> u64 {
    let (words, _) = bytes.as_chunks::<8>();
    let mut all = 0;
    for (word, mask) in words.iter().zip(mask) {
        all |= u64::from_le_bytes(*word) & mask;
    }
    all
}

/// The lowest two bits, as an index.
#[inline(always)]
fn low(number: u64) -> usize {
    usize::try_from(number & 3).unwrap_or_default()
}

/// Not zero when a record is.
#[inline(always)]
fn any_bit(record: &RingChannel) -> u64 {
    let (words, rest) = record.as_bytes().as_chunks::<8>();
    let rest = rest.iter().fold(0, |all, byte| all | byte);
    words.iter().fold(u64::from(rest), |all, word| all | u64::from_le_bytes(*word))
}

/// Whether there is nothing to say about a mesh event.
#[inline(always)]
pub(super) fn event_is_quiet(event: &MeshEvent) -> bool {
    const _: () = assert!(size_of::<MeshEvent>() == 80 && offset_of!(MeshEvent, dma_trigger) == 77);
    let last = event.as_bytes().last_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
    let (direct, wait) = (last >> 48, last >> 56);
    let [first, second, third] = event.direct_trigger_sema.each_ref().map(|address| address.get().0);
    let waits_for_nothing = wait & u64::from(!event.event_wait_sema.is_set());
    let signals_nothing = direct & u64::from(first | second | third == 0) & 1;
    (last >> 40 & 0xFE_FEFE) | waits_for_nothing | signals_nothing == 0
}
