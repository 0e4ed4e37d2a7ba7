//! A program for a bare machine that uses `trnwire`. It has its own panic handler, so it does not build if anything
//! below it brings in `std`.
#![no_std]

extern crate alloc;

use alloc::string::ToString;
use core::alloc::{GlobalAlloc, Layout};

use trnwire::addr4::{Access, Addr4, tensor_start_addr_valid};
use trnwire::arch::Generation;
use trnwire::dtype::WireTag;
use trnwire::explain::describe;

/// Has no memory to give.
struct NoMemory;

// SAFETY: it never hands out memory, so there is nothing that could overlap or be freed wrongly.
unsafe impl GlobalAlloc for NoMemory {
    unsafe fn alloc(&self, _: Layout) -> *mut u8 {
        core::ptr::null_mut()
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}

#[global_allocator]
static ALLOCATOR: NoMemory = NoMemory;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}

/// Whether a word is accepted as the start of an fp32 read on gen3.
#[unsafe(no_mangle)]
pub extern "C" fn is_legal(word: u32) -> bool {
    let access = Access::read(WireTag::new(10));
    tensor_start_addr_valid(Generation::Gen3, Addr4::from_bits(word), access).is_ok()
}

/// Length of the description of a word.
#[unsafe(no_mangle)]
pub extern "C" fn description_length(word: u32) -> usize {
    describe(Addr4::from_bits(word)).to_string().len()
}
