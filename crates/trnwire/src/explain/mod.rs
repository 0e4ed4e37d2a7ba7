//! Words and records as a person would want them told: first the answer, then the evidence.

mod access;
mod addr4;
mod bundle;
mod record;
mod text;

pub use access::{PatternExplanation, PatternView, PatternWordView, ReachLintView};
pub use addr4::{LintView, View, WordExplanation, describe};
pub use bundle::{BundleExplanation, BundleView, FindingView};
pub use record::{RecordExplanation, Resolver};
pub use text::{Line, Role};
