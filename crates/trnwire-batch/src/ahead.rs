//! Asking for memory before it is needed.

/// Asks for the memory that lies so many bytes behind the start of a value: a hint, and nothing on machines without one.
#[inline(always)]
#[cfg_attr(target_arch = "x86_64", expect(unsafe_code, reason = "the intrinsic takes a raw pointer"))]
pub(crate) fn fetch_ahead<T: ?Sized>(value: &T, bytes: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let ahead = core::ptr::from_ref(value).cast::<i8>().wrapping_add(bytes);
        // SAFETY: a prefetch is a hint. It reads nothing that the program can see and does not fault, whatever the
        // address; the address is made without pointer arithmetic that would have to stay in bounds.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(ahead) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (value, bytes);
}
