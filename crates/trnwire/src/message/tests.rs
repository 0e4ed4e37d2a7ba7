//! What can only be seen from inside: how much is read, and what is kept.

use alloc::format;
use alloc::string::String;

use super::cursor::STEPS;
use super::*;

/// Bytes that all cursors read and facts gone through while a text is explained, per byte of it.
fn steps_per_byte(text: &str) -> u64 {
    STEPS.with(|reads| reads.set(0));
    let report = explain(text, &[]);
    assert!(report.facts.len() <= MAX_FACTS);
    STEPS.with(|reads| reads.get()) / u64::try_from(text.len()).unwrap()
}

#[test]
fn reading_is_linear_in_the_text() {
    const MEGABYTE: usize = 1 << 20;
    const MEGABYTES: usize = 4 << 20;
    const MOST_STEPS_PER_BYTE: u64 = 400;
    let pieces = [
        "SB<0,1>(1x1)",
        "SB<0,1>(1x1)\n",
        "[",
        "[[1,2],",
        "9",
        "a",
        " ",
        "\t\n",
        "SB ",
        "SB<",
        "SB<0,",
        "start_partition(",
        "start at partition 1 or ",
        "1,",
        "1,000,",
        "=",
        "|",
        "||",
        "||[1,",
        "step = ",
        "step = 1 < ",
        "total total of ",
        "888 bytes per partition and ",
        "888 bytes per partition\n",
        "PSUM bank 1 ",
        "no tensor is ",
        "out of ",
        "float32 <1 x ",
        "x_valid_src_partition",
        "[AAA",
        "é×",
        "-",
        "1.",
        "AP: [[1,2],[3,4]] Offset: 1\n",
        "=== x\nStarts at partition 48\n",
        "=== ",
        "AP: float32 [[1,2],[3,4]] bf16 ",
        "dtype: nl.x.",
        "byte offset: 5 bytes\n",
        "tensor size: 5 elements ",
        "5 elements per partition ",
        "shape: [1,",
        "index range [0, 5] exceed dimension ",
        "36 partitions ",
        "36 partitions\n",
    ];
    for piece in pieces {
        let text = piece.repeat(MEGABYTE / piece.len());
        let long = steps_per_byte(&text);
        assert!(long <= MOST_STEPS_PER_BYTE, "{piece:?}: {long} steps per byte");
        // Twice the text must not cost more per byte.
        let short = steps_per_byte(&piece.repeat(MEGABYTE / 8 / piece.len()));
        assert!(long <= short * 2 + 2, "{piece:?}: {short} then {long} steps per byte");
    }
    for piece in ["SB<0,1>(1x1)", "["] {
        let long = steps_per_byte(&piece.repeat(MEGABYTES / piece.len()));
        assert!(long <= MOST_STEPS_PER_BYTE, "{piece:?}: {long} steps per byte");
    }
    // A message may end as often as the text has room for it, with all facts that are kept in front of it.
    let facts: String = (0..MAX_FACTS).map(|index| format!("SB<0,{index}>(1x1) 7 partitions\n")).collect();
    for end in ["=== ", "[GCA035]", "PSUM dtype: float32 === "] {
        let text = facts.clone() + &end.repeat(MEGABYTE / end.len());
        assert!(steps_per_byte(&text) <= MOST_STEPS_PER_BYTE, "{end:?}");
    }
    let digits = format!("SB<{}", "9".repeat(MEGABYTES));
    assert!(steps_per_byte(&digits) <= MOST_STEPS_PER_BYTE);
    let blanks = format!("SB{}<0,1>(1x1)", " ".repeat(MEGABYTES));
    assert!(steps_per_byte(&blanks) <= MOST_STEPS_PER_BYTE);
}

#[test]
fn facts_and_quotes_are_bounded() {
    let text: String = (0..MAX_FACTS + 10).map(|index| format!("SB<0,{index}>(1x1)\n")).collect();
    let report = explain(&text, &[]);
    assert_eq!(report.facts.len(), MAX_FACTS);
    assert_eq!(report.facts_dropped, 10);
    let rendered = report.render_text();
    assert!(!report.is_complete());
    assert!(rendered.starts_with("Incomplete: 10 further facts not judged"), "{rendered}");
    assert!(rendered.len() < 100_000);

    let wide = format!("SB<0,{}>(1x1)", "0".repeat(1_000_000));
    let report = explain(&wide, &[]);
    assert!(report.facts[0].text.len() <= MAX_QUOTE + 3);
    assert!(!report.has_violation());
}

#[test]
fn a_violation_at_the_end_of_a_crowd_is_shown() {
    let text: String = (0..500).map(|index| format!("SB<0,{index}>(1x1)\n")).collect();
    let rendered = explain(&(text + "SB<0,0>(129x1)"), &[]).render_text();
    assert!(rendered.contains("line 501: SB<0,0>(129x1)"), "{rendered}");
}

#[test]
fn equal_findings_are_counted_once() {
    let report = explain(&"SB<0,0>(129x1)\n".repeat(50), &[Chip::Gen1]);
    let broken: Vec<_> = report.findings.iter().filter(|finding| finding.verdict == Verdict::Breaks).collect();
    assert_eq!(broken.len(), 1);
    assert_eq!(broken[0].repeats, 49);
}

#[test]
fn each_example_of_what_it_looks_for_is_understood() {
    for (kind, example) in WHAT_IT_LOOKS_FOR {
        assert!(explain(example, &[]).understood_anything(), "{kind}: {example}");
        assert!(what_it_looked_for().contains(example));
    }
}
