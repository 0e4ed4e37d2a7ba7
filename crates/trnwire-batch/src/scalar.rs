//! The oracle: the library's own functions, word by word, and nothing else.

use trnwire::addr4::{Access, lints, tensor_start_addr_valid};
use trnwire::arch::Generation;

use crate::kernel::BITMAP_WORDS;
use crate::summary::Summary;
use crate::word::Word;

/// Judges every word and appends it to the summary.
pub(crate) fn run<W: Word>(generation: Generation, access: Access, summary: &mut Summary, words: &[W]) {
    for word in words {
        let word = word.addr4();
        summary.push(tensor_start_addr_valid(generation, word, access), lints(generation, word));
    }
}

/// One bit per word, 1 for a rejected one, lowest bit first.
pub(crate) fn rejected<W: Word>(generation: Generation, access: Access, words: &[W], bits: &mut [u64]) {
    for (chunk, entry) in words.chunks(BITMAP_WORDS).zip(bits) {
        *entry = 0;
        for word in chunk.iter().rev() {
            let rejected = tensor_start_addr_valid(generation, word.addr4(), access).is_err();
            *entry = entry.wrapping_shl(1) | u64::from(rejected);
        }
    }
}
