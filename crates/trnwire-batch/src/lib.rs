//! Validates many address words at once, at the speed of memory.
//!
//! [`Validator`] judges slices of words against one [`Access`](trnwire::addr4::Access) and reports in a [`Summary`]
//! how many words each [`Reason`](trnwire::addr4::Reason) rejects, how many each [`Lint`](trnwire::addr4::Lint)
//! hits, and where the first few of each stand. A [`Summary`] can be carried from slice to slice, so input of any
//! length is judged in constant memory.
//!
//! ```
//! use trnwire::addr4::{Access, Addr4, Reason};
//! use trnwire::{arch::Generation, dtype::WireTag};
//! use trnwire_batch::Validator;
//!
//! let words = [0x0000_0000, 0x0000_0002, 0x8000_0040].map(Addr4::from_bits);
//! let validator = Validator::new(Generation::Gen3, Access::read(WireTag::new(10)));
//! let summary = validator.run(&words);
//! assert_eq!(summary.ok(), 1);
//! assert_eq!(summary.count(Reason::Misaligned), 1);
//! assert_eq!(summary.first(Reason::RegIdRange), [2]);
//! ```
//!
//! # Engines
//!
//! The library's scalar functions are the truth. Three faster [`Engine`]s give the same answers: one in plain code
//! for every machine, one each for AVX2 and AVX-512; the best that the machine has is found at run time.
//!
//! # Features
//!
//! * `rayon` (default): slices from [`PARALLEL_WORDS`] on are shared among the threads of the current rayon pool.
//!   The result is the same for every number of threads.
//!
//! # Panics
//!
//! Nothing here panics on any input; rayon itself may, when the system refuses it threads. Counters are 64 bits wide
//! and wrap.
#![cfg_attr(test, allow(clippy::arithmetic_side_effects, clippy::as_conversions))]

mod ahead;
mod bundle;
mod engine;
#[cfg(target_arch = "x86_64")]
mod halves;
mod kernel;
mod per_id;
mod plan;
mod record;
mod scalar;
mod summary;
mod validator;
mod word;

pub use bundle::{BundleScanner, BundleSummary};
pub use engine::{Engine, EngineMissing};
pub use record::{RecordFinding, RecordSummary, RecordTally};
pub use summary::Summary;
pub use validator::{DEFAULT_FIRST_LIMIT, PARALLEL_WORDS, Validator};
pub use word::Word;
