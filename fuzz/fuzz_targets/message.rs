//! Any text as a message: a report whose positions lie in the text, never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trnwire::message::{Chip, explain};

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    for targets in [&[][..], &[Chip::Gen1]] {
        let report = explain(&text, targets);
        for fact in &report.facts {
            assert!(text.get(fact.start..fact.end).is_some());
            assert!(fact.line <= 1 + text.matches('\n').count());
        }
        for finding in &report.findings {
            assert!(report.subject(finding).is_some());
            assert!(!finding.targets.is_empty());
        }
        assert!(!report.render_text().is_empty());
        let _ = trnwire_json::message::report(&report);
    }
});
