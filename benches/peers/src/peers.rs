//! The peers' doors: C functions, and the Rust peers behind C names.

use trnwire::addr4::{Access, Addr4};
use trnwire::arch::Generation;

/// Counts per verdict: ok, then the reasons in the order of `Reason::ALL`.
pub type Counts = [u64; 9];

/// `struct access` of peer.h.
#[repr(C)]
pub struct PeerAccess {
    generation: u32,
    alignment: u32,
    write: bool,
    accumulator: bool,
    allow_psum: bool,
    allow_sbuf: bool,
}

impl PeerAccess {
    pub fn new(generation: Generation, access: Access) -> Self {
        Self {
            generation: generation.arch_level() / 10,
            alignment: access.dtype.alignment(generation).unwrap_or(0),
            write: access.write,
            accumulator: access.dtype.is_psum_accumulator(),
            allow_psum: access.allow_psum,
            allow_sbuf: access.allow_sbuf,
        }
    }
}

/// The peers' signature: what is asked, the words, how many (bytes for the Rust peers), the counts.
type Judge = unsafe extern "C" fn(&PeerAccess, *const Addr4, usize, &mut Counts);
type Sum = unsafe extern "C" fn(*const Addr4, usize) -> u64;

unsafe extern "C" {
    fn peer_c(access: &PeerAccess, words: *const Addr4, count: usize, counts: &mut Counts);
    fn peer_c_branch_free(access: &PeerAccess, words: *const Addr4, count: usize, counts: &mut Counts);
    fn peer_deku(access: &PeerAccess, words: *const Addr4, bytes: usize, counts: &mut Counts);
    fn peer_bundle_c(generation: u32, bundles: *const Addr4, count: usize, counts: &mut BundleCounts);
    fn peer_bundle_deku(generation: u32, bundles: *const Addr4, count: usize, counts: &mut BundleCounts);
    fn peer_binrw(access: &PeerAccess, words: *const Addr4, bytes: usize, counts: &mut Counts);
    fn peer_dump_c(context: *const u8, pretty: bool, text: *mut u8, room: usize) -> usize;
    fn peer_serde_prepare(contexts: *const u8, count: usize) -> *mut Prepared;
    fn peer_serde_dump(prepared: *mut Prepared, index: usize, pretty: bool, text: &mut *const u8) -> usize;
    fn peer_serde_read(text: *const u8, length: usize, typed: bool) -> usize;
    fn sum_plain(numbers: *const Addr4, count: usize) -> u64;
    fn sum_avx2(numbers: *const Addr4, count: usize) -> u64;
    fn sum_avx512(numbers: *const Addr4, count: usize) -> u64;
    fn sum_avx512_unrolled(numbers: *const Addr4, count: usize) -> u64;
    fn sum_avx512_prefetch_2k(numbers: *const Addr4, count: usize) -> u64;
    fn sum_avx512_prefetch_4k(numbers: *const Addr4, count: usize) -> u64;
}

/// A peer that judges words.
#[derive(Clone, Copy)]
pub struct Peer {
    pub name: &'static str,
    judge: Judge,
    /// How many of its units a word is.
    units_per_word: usize,
    /// It gets one part of this many of the buffer.
    pub parts: usize,
}

pub const PEERS: [Peer; 4] = [
    Peer { name: "C", judge: peer_c, units_per_word: 1, parts: 1 },
    Peer { name: "C, branch-free", judge: peer_c_branch_free, units_per_word: 1, parts: 1 },
    Peer { name: "binrw", judge: peer_binrw, units_per_word: 4, parts: 32 },
    Peer { name: "deku", judge: peer_deku, units_per_word: 4, parts: 1024 },
];

impl Peer {
    pub fn run(&self, access: &PeerAccess, words: &[Addr4]) -> Counts {
        let mut counts = [0; 9];
        // SAFETY: pointer and length are those of a slice, and the peer reads no further.
        unsafe { (self.judge)(access, words.as_ptr(), words.len() * self.units_per_word, &mut counts) };
        counts
    }
}

/// A way to add up the buffer.
#[derive(Clone, Copy)]
pub struct StreamingSum {
    pub name: &'static str,
    sum: Sum,
}

pub const SUMS: [StreamingSum; 6] = [
    StreamingSum { name: "sum, plain C", sum: sum_plain },
    StreamingSum { name: "sum, AVX2 x 4", sum: sum_avx2 },
    StreamingSum { name: "sum, AVX-512", sum: sum_avx512 },
    StreamingSum { name: "sum, AVX-512 x 8", sum: sum_avx512_unrolled },
    StreamingSum { name: "sum, AVX-512 x 8, prefetch 2 KiB", sum: sum_avx512_prefetch_2k },
    StreamingSum { name: "sum, AVX-512 x 8, prefetch 4 KiB", sum: sum_avx512_prefetch_4k },
];

impl StreamingSum {
    /// The number of words is a multiple of 128.
    pub fn run(&self, words: &[Addr4]) -> u64 {
        // SAFETY: two words are one number, and the sum reads no further; x86 loads at any alignment.
        unsafe { (self.sum)(words.as_ptr(), words.len() / 2) }
    }
}

/// Counts per verdict on slots and the number of address words, as in peer.h.
type BundleCounts = [u64; 46];

/// A peer that judges bundles.
#[derive(Clone, Copy)]
pub struct BundlePeer {
    pub name: &'static str,
    judge: unsafe extern "C" fn(u32, *const Addr4, usize, &mut BundleCounts),
    pub parts: usize,
}

pub const BUNDLE_PEERS: [BundlePeer; 2] = [
    BundlePeer { name: "C", judge: peer_bundle_c, parts: 1 },
    BundlePeer { name: "deku", judge: peer_bundle_deku, parts: 64 },
];

impl BundlePeer {
    /// The counts, without those of slots that are ok.
    pub fn run(&self, generation: Generation, words: &[Addr4]) -> Vec<u64> {
        let mut counts = [0; 46];
        // SAFETY: sixteen words are a bundle, and the peer reads no further.
        unsafe { (self.judge)(generation.arch_level() / 10, words.as_ptr(), words.len() / 16, &mut counts) };
        counts[0] = 0;
        counts.to_vec()
    }
}

/// Writes the dump of a context of CAYMAN by C; gives its length.
pub fn dump_c(context: &[u8], pretty: bool, text: &mut [u8]) -> usize {
    assert!(context.len() >= size_of::<trnwire::context::CaymanContext>());
    // SAFETY: the peer reads a context and writes no further than there is room.
    unsafe { peer_dump_c(context.as_ptr(), pretty, text.as_mut_ptr(), text.len()) }
}

/// Contexts as the structures of the serde peer.
#[repr(C)]
struct Prepared([u8; 0]);

pub struct SerdeDump(*mut Prepared);

impl SerdeDump {
    pub fn new(contexts: &[u8], count: usize) -> Self {
        assert!(contexts.len() == count * size_of::<trnwire::context::CaymanContext>());
        // SAFETY: there are so many contexts.
        Self(unsafe { peer_serde_prepare(contexts.as_ptr(), count) })
    }

    /// The dump of a context, until the next call.
    pub fn dump(&self, index: usize, pretty: bool) -> &[u8] {
        let mut text = std::ptr::null();
        // SAFETY: the peer gives a place and how many bytes stand there.
        unsafe {
            let length = peer_serde_dump(self.0, index, pretty, &mut text);
            std::slice::from_raw_parts(text, length)
        }
    }

    /// Reads a dump, as structures or as a `Value`.
    pub fn read(text: &[u8], typed: bool) -> usize {
        // SAFETY: pointer and length are those of a slice.
        unsafe { peer_serde_read(text.as_ptr(), text.len(), typed) }
    }
}
