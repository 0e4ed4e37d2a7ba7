//! Nothing is allocated per word.
#![allow(clippy::arithmetic_side_effects, reason = "the helpers of a test are test code too")]

use core::alloc::{GlobalAlloc, Layout};
use core::cell::Cell;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::alloc::System;

use trnwire::addr4::{Access, Addr4};
use trnwire::arch::Generation;
use trnwire::dtype::WireTag;
use trnwire_batch::{Engine, Validator};

struct Counting;

/// On all threads; the test harness has one of its own.
static CALLS: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// On this thread.
    static OWN_CALLS: Cell<usize> = const { Cell::new(0) };
}

fn note_call() {
    CALLS.fetch_add(1, Ordering::Relaxed);
    OWN_CALLS.set(OWN_CALLS.get() + 1);
}

#[expect(unsafe_code, reason = "an allocator that counts can be written in no other way")]
// SAFETY: every call is handed on to the system's allocator unchanged, whose contract is the same.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note_call();
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`, and the block came from `System`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note_call();
        // SAFETY: as for `dealloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn own_calls(work: impl FnOnce()) -> usize {
    let before = OWN_CALLS.get();
    work();
    OWN_CALLS.get() - before
}

/// Words of every kind, by a multiplier that visits all 32-bit values.
fn words(count: u32) -> Vec<Addr4> {
    (0..count).map(|at| Addr4::from_bits(at.wrapping_mul(0x9E37_79B1))).collect()
}

#[test]
fn the_number_of_allocations_does_not_depend_on_the_length() {
    let (short, long) = (words(1 << 19), words(1 << 22));
    for engine in Engine::available() {
        let validator =
            Validator::new(Generation::Gen3, Access::read(WireTag::new(10))).engine(engine).unwrap().parallel(false);
        let once = own_calls(|| drop(validator.run(&short)));
        assert_eq!(own_calls(|| drop(validator.run(&long))), once, "{engine}");
        assert!(once <= 24, "{engine}: two per id at most, but {once}");

        // Into a summary whose lists are full nothing is allocated at all.
        let mut summary = validator.run(&short);
        assert_eq!(own_calls(|| validator.run_into(&mut summary, &long)), 0, "{engine}");
    }
}

#[cfg(feature = "rayon")]
#[test]
fn threads_allocate_per_piece_and_not_per_word() {
    // The lists of thirty-two pieces, and some slack for the pool's queues and the other tests.
    const BOUND: usize = 24 * 32 + 1000;
    let long = words(1 << 22);
    let validator = Validator::new(Generation::Gen3, Access::read(WireTag::new(10)));
    rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap().install(|| {
        let before = CALLS.load(Ordering::Relaxed);
        let summary = validator.run(&long);
        let calls = CALLS.load(Ordering::Relaxed) - before;
        assert_eq!(summary.items(), 1 << 22);
        assert!(calls <= BOUND, "{calls}");
    });
}
