//! Access patterns: what their numbers break, and what the text has to tell for that.

use super::{ALL_NAMES, EVERY, assert_says, breaks, of_rule};
use trnwire::arch::Generation;
use trnwire::message::{Chip, FactKind, Finding, Report, Verdict, explain};

const GEN2: &[Chip] = &[Chip::Later(Generation::Gen2)];

/// The pattern's own verdict about its tensor.
fn reach(report: &Report) -> &Finding {
    let mut findings = of_rule(report, "pattern_in_tensor");
    assert_eq!(findings.len(), 1, "{}", report.render_text());
    findings.remove(0)
}

/// Rule, a text that breaks it on every generation, what the answer holds, and a twin that does not break it.
const TWINS: [(&str, &str, &str, &str); 24] = [
    (
        "step_field",
        "AP: [[9,8],[32768,2]]",
        "step 32768 > 32767, over by 1; nearest legal: 32767",
        "AP: [[9,8],[32767,2]]",
    ),
    ("step_field", "AP: [[9,8],[-32769,2]]", "step -32769 < -32768, under by 1", "AP: [[9,8],[-32768,2]]"),
    ("step_field", "AP: [[9,8],[40000,1]]", "the step is never taken", "AP: [[40000,8],[0,1]]"),
    ("zero_num", "AP: [[9,8],[1,4],[1,0]]", "[1,0] cannot be encoded (zero_num)", "AP: [[9,8],[1,4],[1,1]]"),
    ("zero_num", "SBUF: num: 0 is too small", "num 0 < 1, under by 1; nearest legal: 1", "SBUF: num: 1 is too small"),
    ("num_field", "AP: [[9,8],[1,65536]]", "num 65536 > 65535, over by 1", "AP: [[9,8],[1,65535]]"),
    ("num_field", "AP: [[9,8],[1,-4]]", "num -4 < 1, under by 5; nearest legal: 1", "AP: [[9,8],[-1,4]]"),
    (
        "free_dimensions",
        "AP: [[9,8],[1,2],[1,2],[1,2],[1,1],[1,2],[1,2]]",
        "number of free dimensions 5 > 4, over by 1",
        "AP: [[9,8],[1,2],[1,2],[1,2],[1,1],[1,2],[7,1]]",
    ),
    ("partition_step", "AP: [[-9,8],[1,4]]", "step of the partition dimension -9 < 0", "AP: [[0,8],[1,4]]"),
    (
        "partition_step",
        "AP: float32 [[812,32],[1,203]] Offset: 0 SB<0,0>(84x1624)",
        "step 812 of the partition dimension = 2 partitions of 406 elements",
        "AP: float32 [[406,32],[1,203]] Offset: 0 SB<0,0>(84x1624)",
    ),
    ("partition_count", "AP: [[9,129],[1,4]]", "129 > 128, over by 1", "AP: [[9,128],[1,4]]"),
    // The offset moves the end of the row out, and back in.
    (
        "pattern_in_tensor",
        "AP: float32 [[406,32],[1,203]] Offset: 204 SB<0,0>(84x1624)",
        "last element of the access 204 + (203 - 1) x 1 = 406 > 405, the last of the partition, over by 1; \
         nearest legal: element offset 203, or num 202 in [1,203]",
        "AP: float32 [[406,32],[1,203]] Offset: 203 SB<0,0>(84x1624)",
    ),
    // Backwards from the last element, and one too far.
    (
        "pattern_in_tensor",
        "AP: float32 [[406,32],[-5,82],[0,9]] Offset: 404 SB<0,0>(84x1624)",
        "first element of the access 404 + (82 - 1) x -5 = -1 < 0, under by 1; \
         nearest legal: element offset 405, or num 81 in [-5,82]",
        "AP: float32 [[406,32],[-5,82],[0,9]] Offset: 405 SB<0,0>(84x1624)",
    ),
    // Repeating an element reaches nothing further.
    (
        "pattern_in_tensor",
        "AP: float32 [[406,32],[1,60000],[1,406]] Offset: 0 SB<0,0>(84x1624)",
        "0 + (60000 - 1) x 1 + (406 - 1) x 1 = 60404 > 405",
        "AP: float32 [[406,32],[0,60000],[1,406]] Offset: 0 SB<0,0>(84x1624)",
    ),
    (
        "pattern_in_tensor",
        "AP: float32 [[406,32],[1,203]] Offset: 25984 SB<0,0>(84x1624)",
        "last partition of the access 64 + (32 - 1) x 1 = 95 > 83, the last of the tensor, over by 12",
        "AP: float32 [[406,20],[1,203]] Offset: 25984 SB<0,0>(84x1624)",
    ),
    (
        "pattern_in_tensor",
        "AP: [[406,32],[1,203]] Offset: -406 of shape [84, 406, 1]",
        "first partition of the access -1 < 0",
        "AP: [[406,32],[1,203]] Offset: 0 of shape [84, 406, 1]",
    ),
    (
        "pattern_in_tensor",
        "AP: [[406,32],[1,407]] Offset: 0 shape=(84,406)",
        "406 > 405",
        "AP: [[406,32],[1,406]] Offset: 0 shape=(84,406)",
    ),
    (
        "pattern_in_tensor",
        "AP: [[406,32],[1,203]] Offset: 0, tensor has 202 elements per partition",
        "202 > 201",
        "AP: [[406,32],[1,203]] Offset: 0, tensor has 203 elements per partition",
    ),
    (
        "pattern_in_tensor",
        "AP: [[406,36],[1,1],[1,203]] Offset: 19488, tensor size: 33900 elements",
        "last element of the access 19488 + (36 - 1) x 406 + (203 - 1) x 1 = 33900 > 33899, the last of the tensor, over by 1",
        "AP: [[406,36],[1,1],[1,203]] Offset: 19488, tensor size: 33901 elements",
    ),
    (
        "pattern_in_tensor",
        "AP: [[1,1],[1,203]] Offset: 5 bound=207",
        "207 > 206",
        "AP: [[1,1],[1,203]] Offset: 5 bound=208",
    ),
    (
        "pattern_in_tensor",
        "Out-of-bound access for tensor `x` on dimension 1: index range [0, 511] exceed dimension size of 500",
        "last index 511 > 499, over by 12",
        "index range [0, 499] exceed dimension size of 500",
    ),
    (
        "pattern_in_tensor",
        "index range [-1, 499] exceed dimension size of 500",
        "first index -1 < 0",
        "index range [0, 499] exceed dimension size of 500",
    ),
    (
        "sbuf_bytes",
        "AP: float32 [[65537,128],[1,65535],[1,2],[1,2]] Offset: 0 SB<0,0>",
        "0 + (65536 + 1) x 4 = 262148 > 262144 (256 KiB on gen4), over by 4",
        "AP: int8 [[65537,128],[1,65535],[1,2],[1,2]] Offset: 0 SB<0,0>",
    ),
    (
        "psum_bytes",
        "AP: float32 [[4097,8],[1,4097]] in PSUM",
        "from the lowest to the highest element 4097 x 4 = 16388 > 16384",
        "AP: bf16 [[4096,8],[1,4096]] in PSUM",
    ),
];

#[test]
fn each_rule_about_a_pattern_has_a_failing_text_and_a_passing_twin() {
    for (rule, failing, expected, passing) in TWINS {
        let broken = breaks(failing, rule);
        assert_eq!(broken, ALL_NAMES, "{rule}: {failing}\n{}", explain(failing, EVERY).render_text());
        assert_says(failing, &explain(failing, EVERY), &[expected]);
        assert!(breaks(passing, rule).is_empty(), "{rule}: {passing}\n{}", explain(passing, EVERY).render_text());
    }
}

#[test]
fn a_pattern_is_read_in_every_spelling() {
    let spellings = [
        "AP: [[406,36],[-1,203]]",
        "AP: [ [ 406 , 36 ] , [ -1 , 203 ] ]",
        "pattern [[406, 36] [-1, 203]]",
        "ap=[(406, 36), (-1, 203)]",
        "tensor.ap([[0x196, 36], [-1, 0xcb]])",
        "SB<0,0>(84x1624)[[406,36],[-1,203]]",
        "{x}@SB<0,0>(84x1624): float32 [[406,36],[-1,203]]",
        "[[406,36],[-1,203]] in SBUF",
    ];
    for text in spellings {
        let report = explain(text, EVERY);
        let pairs: Vec<_> = report
            .facts
            .iter()
            .filter_map(|fact| match &fact.kind {
                FactKind::AccessPattern { dimensions, .. } => Some(dimensions),
                _ => None,
            })
            .flatten()
            .map(|pair| (pair.step.exact(), pair.num.exact()))
            .collect();
        assert_eq!(pairs, [(Some(406), Some(36)), (Some(-1), Some(203))], "{text}");
    }
    for text in [
        "SB<0,0>(84x1624) replica_groups=[[0,1],[2,3]]",
        "dense<[[0,1],[2,3]]> : tensor<2x2xi64>",
        "float32 [[0,1],[2,3]]",
        "AP: [[406,36],[1,203,5]]",
        "AP: [[406,36],(1,203]]",
    ] {
        let report = explain(text, EVERY);
        assert!(report.facts.iter().all(|fact| fact.kind_name() != "access_pattern"), "{text}");
    }
}

/// Texts that give the same numbers, all of which stay inside by one element.
#[test]
fn offset_type_and_location_may_stand_in_front_of_the_pattern_or_behind() {
    for text in [
        "AP: [[406,32],[1,203]] Offset: 203 {x}@SB<0,0>(84x1624) dtype: float32",
        "Offset: 203\ndtype=nl.float32\nAP: [[406,32],[1,203]]\n{x}@SB<0,0>(84x1624)",
        "AP: offset 203 float32 [[406,32],[1,203]] at SB<0,0>(84x1624)",
        "AP: [[406,32],[1,203]] float32, byte offset: 812, SB<0,0>(84x1624)",
        "SB<0,0>(84x1624) AP: [[406,32],[1,203]] of float32\nOffset (bytes): 812",
        "AP: [[406,32],[1,203]] fp32\noffset = 812 bytes\n{x}@SB<0,0>(84x1624)",
        "AP: [[406,32],[1,203]]\nOffset: 203\n{x}@SB<0,0>(84x1624)#Internal DebugInfo: <x||float32||UNDEF||[84, 406, 1]>",
    ] {
        let report = explain(text, GEN2);
        let finding = reach(&report);
        assert_eq!((finding.verdict, finding.value), (Verdict::Holds, Some(405)), "{text}\n{}", report.render_text());
        assert_says(
            text,
            &report,
            &["406 x 4 = 1624 bytes per partition", "0 to 31 of 84, elements 203 to 405 of 406"],
        );
        let further = text.replace("203\n", "204\n").replace("Offset: 203 ", "Offset: 204 ").replace("812", "816");
        let further = further.replace("offset 203", "offset 204");
        assert_eq!(reach(&explain(&further, GEN2)).over_by, Some(1), "{further}");
    }
}

#[test]
fn each_of_several_patterns_has_its_own_offset() {
    let behind =
        "AP: [[406,32],[1,203]]\nOffset: 0\nSB<0,0>(84x1624)\nAP: [[406,32],[1,203]]\nOffset: 204\nSB<0,0>(84x1624)";
    let on_line = "offset=0 AP: [[406,32],[1,203]] SB<0,0>(84x1624) offset=204 AP: [[406,32],[1,203]] SB<0,0>(84x1624)";
    let lines = "offset=0 AP: [[406,32],[1,203]] SB<0,0>(84x1624)\noffset=204 AP: [[406,32],[1,203]] SB<0,0>(84x1624)";
    for text in [behind, on_line, lines] {
        let report = explain(text, GEN2);
        let ends: Vec<_> = of_rule(&report, "pattern_in_tensor").iter().map(|finding| finding.value).collect();
        assert_eq!(ends, [Some(202), Some(406)], "{text}\n{}", report.render_text());
    }
    // What stands in front of the second is not the first one's, though that has none.
    let text = "AP: [[406,32],[1,203]] SB<0,0>(84x1624)\noffset=204 AP: [[406,32],[1,203]] SB<0,0>(84x1624)";
    let report = explain(text, GEN2);
    let verdicts: Vec<_> = of_rule(&report, "pattern_in_tensor").iter().map(|finding| finding.verdict).collect();
    assert_eq!(verdicts, [Verdict::CannotTell, Verdict::Breaks]);
}

#[test]
fn what_the_text_does_not_tell_would_decide() {
    for (text, missing) in [
        ("AP: [[406,32],[1,203]] SB<0,0>(84x1624) dtype float32", "the offset, from which the start partition follows"),
        ("AP: [[406,32],[1,203]] byte offset: 812 SB<0,0>", "the element type, as the offset is in bytes"),
        ("AP: float32 [[406,32],[1,203]] byte offset: 813 SB<0,0>", "an offset of whole elements"),
        ("AP: [[406,32],[1,203]] Offset: 0", "the shape of the tensor, or its location with the element type"),
        ("AP: [[1,1],[1,203]] Offset: 19488 SB<0,0>(84x1624)", "the element type"),
        ("AP: [[1,1],[1,203]] Offset: 19488 SB<0,0> dtype float32", "the bytes per partition of the location"),
        ("AP: bf16 [[406,32],[1,203]] Offset: 0 SB<0,0>(84x1624)", "another element type"),
    ] {
        let report = explain(text, EVERY);
        let finding = reach(&report);
        assert_eq!(finding.verdict, Verdict::CannotTell, "{text}\n{}", report.render_text());
        assert!(finding.note.contains(missing), "{text}: {}", finding.note);
        assert!(finding.arithmetic.contains("elements 0 to 202 from the first one"), "{}", finding.arithmetic);
        assert!(!report.has_violation(), "{text}");
    }
}

#[test]
fn advice_names_only_what_is_legal() {
    for (pattern, offset, advice, nearest) in [
        // Moving the start cannot help an access that is longer than the partition.
        ("[1,407]", 0, "num 406 in [1,407]", Some(406)),
        ("[-1,500]", 405, "num 406 in [-1,500]", Some(406)),
        // No num of the outer dimension is small enough, and fewer elements of the inner one are not enough.
        ("[500,2],[1,406]", 1, "", None),
        ("[500,2],[1,400]", 1, "num 1 in [500,2]", Some(1)),
    ] {
        let text = format!("AP: float32 [[406,32],{pattern}] Offset: {offset} SB<0,0>(84x1624)");
        let report = explain(&text, GEN2);
        let finding = reach(&report);
        assert_eq!((finding.advice.as_str(), finding.nearest_legal), (advice, nearest), "{text}");
    }
}

#[test]
fn an_access_that_leaves_its_tensor_is_held_against_the_memory_too() {
    let text = "AP: float32 [[406,32],[1,30000]] Offset: 0 SB<0,0>(84x1624)";
    assert_eq!(breaks(text, "sbuf_bytes"), ["gen1"]);
    assert_says(text, &explain(text, EVERY), &["0 + (29999 + 1) x 4 = 120000 > 98304 (96 KiB on gen1), over by 21696"]);
}

#[test]
fn the_claim_that_a_pattern_is_out_of_bound_is_compared_with_its_numbers() {
    let inside = "Access pattern out of bound\nAP: float32 [[406,32],[1,203]] Offset: 203 SB<0,0>(84x1624)";
    let report = explain(inside, GEN2);
    assert_says(inside, &report, &["what the text prints stays inside; it is another access"]);
    assert!(!report.has_violation());
    let outside = inside.replace("Offset: 203", "Offset: 204");
    assert_eq!(reach(&explain(&outside, GEN2)).verdict, Verdict::Breaks);
    let silent = inside.replace("Offset: 203", "");
    assert_eq!(reach(&explain(&silent, GEN2)).verdict, Verdict::CannotTell);
}

#[test]
fn other_views_of_a_tensor_are_no_violation() {
    for text in [
        // The step of the partition dimension is that of another element type, or of another order of dimensions.
        "AP: bf16 [[406,32],[1,406]] Offset: 0 SB<0,0>(84x1624)",
        "AP: [[406,32],[1,203]] Offset: 0 of shape [406, 84] in SBUF",
        // A single partition is never stepped to.
        "AP: [[1,1],[1,203]] Offset: 19488",
        "AP: [[1,1],[1,203]] Offset: 203 shape [1, 406]",
        "AP: [[406,1],[1,203]] Offset: 12992 of a tile of shape [1, 203]",
        "AP: [[406,1],[1,203]] Offset: 12992, shape [1, 203]",
        // Numbers that are not those of the tensor.
        "AP: [[406,32],[1,203]] Offset: 12992, access shape [32, 406], 203 elements per partition",
        "AP: [[406,32],[1,203]] Offset: 12992, lower bound: 5, max bound: 7, out of bound: 9",
        // Off the chip no dimension is that of the partitions, and no descriptor of an engine is used.
        "AP: [[1,4096],[70000,5]] Offset: 3 in DRAM",
        "AP: [[1,128],[600,512]] float32 Offset: 0",
        // One dimension says nothing about partitions.
        "AP: [[406,32],[1,203]] Offset: 0 shape [203]",
    ] {
        let report = explain(text, EVERY);
        assert!(!report.has_violation(), "{text}\n{}", report.render_text());
    }
}

#[test]
fn the_partitions_of_a_pattern_are_those_of_the_memory_that_is_named() {
    assert_eq!(breaks("AP: [[512,100],[1,512]] in PSUM", "partition_count"), ["gen1"]);
    assert!(breaks("AP: [[512,100],[1,512]] in SBUF", "partition_count").is_empty());
}

#[test]
fn what_means_something_only_beside_a_pattern_is_not_kept_without_one() {
    for beside in ["dtype: float32", "byte offset: 812", "tensor size: 500 elements", "shape: [84, 406]"] {
        let count = |text: &str| explain(text, EVERY).facts.len();
        assert_eq!(count(&format!("SB<0,0>(1x1)\n{beside}")), 1, "{beside}");
        assert_eq!(count(&format!("SB<0,0>(1x1) AP: [[1,1],[1,1]]\n{beside}")), 3, "{beside}");
    }
}
