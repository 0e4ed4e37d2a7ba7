//! The entry: which words, judged how, by which engine, on how many threads.

use trnwire::addr4::Access;
use trnwire::arch::Generation;

use crate::engine::{self, Engine, EngineMissing};
use crate::kernel::{Accept, BITMAP_WORDS};
use crate::per_id::PerId;
use crate::plan::Plan;
use crate::scalar;
use crate::summary::Summary;
use crate::word::Word;

/// Positions that are kept per id unless [`Validator::first_limit`] says otherwise.
pub const DEFAULT_FIRST_LIMIT: usize = 8;

/// From this many words (1 MiB) on, a slice is shared among threads. One thread needs some 100 microseconds for so
/// many, ten times what waking the others takes.
pub const PARALLEL_WORDS: usize = 1 << 18;

/// Words that are counted at a stretch. Their 32 KiB stay in the nearest cache for a second look at the positions,
/// and the sums at the end of a block cost little beside it.
const BLOCK_WORDS: usize = 1 << 13;

/// Words that are looked at one by one for positions. A block that holds some is counted again in runs of this length,
/// so that a rare id costs a few microseconds and not a few hundred.
const RUN_WORDS: usize = 1 << 8;

/// Pieces per thread: so many that nobody waits long for the last piece. Their number does not depend on the input, so
/// neither does that of allocations.
#[cfg(feature = "rayon")]
const PIECES_PER_THREAD: usize = 16;

/// Judges words for one generation and one access.
#[derive(Clone, Debug)]
pub struct Validator {
    generation: Generation,
    access: Access,
    plan: Plan,
    engine: Engine,
    first_limit: usize,
    #[cfg_attr(not(feature = "rayon"), expect(dead_code, reason = "there is one thread in any case"))]
    parallel: bool,
}

impl Validator {
    /// The fastest engine of the machine, [`DEFAULT_FIRST_LIMIT`] positions per id, threads for long slices.
    #[must_use]
    pub fn new(generation: Generation, access: Access) -> Self {
        Self {
            generation,
            access,
            plan: Plan::new(generation, access),
            engine: Engine::best(),
            first_limit: DEFAULT_FIRST_LIMIT,
            parallel: true,
        }
    }

    /// Uses this engine.
    ///
    /// # Errors
    /// When the machine does not have it.
    pub fn engine(self, engine: Engine) -> Result<Self, EngineMissing> {
        if engine.is_available() { Ok(Self { engine, ..self }) } else { Err(EngineMissing(engine)) }
    }

    /// Keeps up to this many positions per id. While an id has fewer, a block with that id is looked at twice.
    #[must_use]
    pub fn first_limit(self, first_limit: usize) -> Self {
        Self { first_limit, ..self }
    }

    /// Whether long slices may be shared among the threads of the current rayon pool (the global one, or the one
    /// whose `install` surrounds the call). Without the Cargo feature `rayon` there is one thread in any case.
    #[must_use]
    pub fn parallel(self, parallel: bool) -> Self {
        Self { parallel, ..self }
    }

    /// An empty summary with this validator's limit, for [`Validator::run_into`].
    #[must_use]
    pub fn summary(&self) -> Summary {
        Summary::new(self.first_limit)
    }

    /// Judges the words.
    #[must_use]
    pub fn run<W: Word>(&self, words: &[W]) -> Summary {
        let mut summary = self.summary();
        self.run_into(&mut summary, words);
        summary
    }

    /// Judges the words and appends them to a summary; many short slices give what one long slice gives.
    pub fn run_into<W: Word>(&self, summary: &mut Summary, words: &[W]) {
        #[cfg(feature = "rayon")]
        if let Some(piece) = self.piece_words(words.len()) {
            use rayon::prelude::*;
            let successor = summary.successor();
            let judge = |piece| {
                let mut summary = successor.clone();
                self.run_piece(&mut summary, piece);
                summary
            };
            let pieces: Vec<Summary> = words.par_chunks(piece).map(judge).collect();
            pieces.iter().for_each(|piece| summary.merge(piece));
            return;
        }
        self.run_piece(summary, words);
    }

    /// Sets one bit per word, 1 for a word that the validator rejects: word `n` has bit `n % 64` of entry `n / 64`.
    /// What was in `bits` is replaced; the unused bits of the last entry are zero.
    pub fn bitmap<W: Word>(&self, words: &[W], bits: &mut Vec<u64>) {
        bits.clear();
        bits.resize(words.len().div_ceil(BITMAP_WORDS), 0);
        #[cfg(feature = "rayon")]
        if let Some(piece) = self.piece_words(words.len()) {
            use rayon::prelude::*;
            let entries = piece.div_ceil(BITMAP_WORDS);
            words
                .par_chunks(entries.saturating_mul(BITMAP_WORDS))
                .zip(bits.par_chunks_mut(entries))
                .for_each(|(words, bits)| self.bitmap_piece(words, bits));
            return;
        }
        self.bitmap_piece(words, bits);
    }

    fn run_piece<W: Word>(&self, summary: &mut Summary, words: &[W]) {
        if self.engine == Engine::Scalar {
            scalar::run(self.generation, self.access, summary, words);
            return;
        }
        for block in words.chunks(BLOCK_WORDS) {
            let counts = self.count(block);
            if summary.wants(&counts) {
                for run in block.chunks(RUN_WORDS) {
                    summary.push_run(self.generation, self.access, &self.count(run), run);
                }
            } else {
                summary.push_counts(&counts, block.len());
            }
        }
    }

    /// Counts per id of at most a block of words.
    fn count<W: Word>(&self, words: &[W]) -> PerId<u32> {
        let hits = engine::hits(self.engine, self.plan.masks, words);
        self.plan.tally(u32::try_from(words.len()).unwrap_or(u32::MAX), hits)
    }

    fn bitmap_piece<W: Word>(&self, words: &[W], bits: &mut [u64]) {
        if self.engine == Engine::Scalar {
            scalar::rejected(self.generation, self.access, words, bits);
        } else {
            engine::rejected(self.engine, Accept::new(&self.plan), words, bits);
        }
    }

    /// The length of a piece when the slice is worth several threads.
    #[cfg(feature = "rayon")]
    fn piece_words(&self, words: usize) -> Option<usize> {
        // Asking rayon starts its global pool, so that comes last.
        if !self.parallel || words < PARALLEL_WORDS {
            return None;
        }
        let threads = rayon::current_num_threads();
        if threads < 2 {
            return None;
        }
        let pieces = threads.saturating_mul(PIECES_PER_THREAD);
        Some(words.div_ceil(pieces).next_multiple_of(BLOCK_WORDS))
    }
}
