//! What breaks a rule, and what only resembles it.

use super::{ALL_NAMES, EVERY, GEN1, assert_says, breaks, case, of_rule};
use trnwire::arch::Generation;
use trnwire::message::{Chip, RULES, Verdict, explain};

/// Rule, a text that breaks it, a twin that does not.
const TWINS: [(&str, &str, &str); 17] = [
    ("partition_count", "SB<32,0>(97x8)", "SB<32,0>(32x8)"),
    ("partition_count", "SB<128,0>(1x8)", "SB<96,0>(1x8)"),
    ("partition_count", "SB<0,0>(0x8)", "SB<0,0>(1x8)"),
    ("partition_count", "SB<0,0>(129x8)", "SB<0,0>(128x8)"),
    ("sbuf_bytes", "SB<0,262144>(1x1)", "SB<0,98303>(1x1)"),
    ("sbuf_bytes", "SB<0,-1>(1x1)", "SB<0,0>(1x1)"),
    ("sbuf_bytes", "262145 bytes per partition in SBUF", "98304 bytes per partition in SBUF"),
    ("sbuf_total", "33 MiB in SBUF", "12 MiB in SBUF"),
    ("psum_bytes", "PSUM<0,16384>(1x1)", "PSUM<0,8191>(1x1)"),
    ("psum_total", "3 MiB in PSUM", "512 KiB in PSUM"),
    ("psum_banks", "PSUM bank 8", "PSUM bank 3"),
    ("start_partition", "starts at partition 33", "starts at partition 0"),
    ("matmul_destination", "Matmult dst tensor float32 <64 x 4> in SB", "Matmult dst tensor float32 <64 x 4> in PSUM"),
    ("step_field", "Step=32768 > Max=32767", "Step=32767 > Max=32767"),
    ("num_field", "num=65536 > max=65535", "num=65535 > max=65535"),
    (
        "pattern_in_tensor",
        "AP: [[406,36],[1,407]] Offset: 0 {x}@SB<0,0>(36x1624)",
        "AP: [[406,36],[1,406]] Offset: 0 {x}@SB<0,0>(36x1624)",
    ),
    (
        "message_arithmetic",
        "888 bytes per partition and total of 113665 bytes",
        "888 bytes per partition and total of 113664 bytes",
    ),
];

#[test]
fn each_rule_has_a_failing_text_and_a_passing_twin() {
    for (rule, failing, passing) in TWINS {
        let verdicts = |text: &str| -> Vec<Verdict> {
            of_rule(&explain(text, EVERY), rule).iter().map(|finding| finding.verdict).collect()
        };
        assert!(verdicts(failing).contains(&Verdict::Breaks), "{rule}: {failing}");
        assert!(verdicts(passing).contains(&Verdict::Holds), "{rule}: {passing}");
        assert!(!verdicts(passing).contains(&Verdict::Breaks), "{rule}: {passing}");
    }
    // Five free dimensions are one too many; that four are enough is not worth a line.
    let text = |free: usize| format!("AP: [[64,8]{}]", ",[1,2]".repeat(free));
    assert!(!of_rule(&explain(&text(5), EVERY), "free_dimensions").is_empty());
    assert!(of_rule(&explain(&text(4), EVERY), "free_dimensions").is_empty());
    // Rules that a text alone cannot decide, and those without a limit.
    let elsewhere = [
        "gather_index",
        "no_address_rule",
        "off_chip",
        "matmul_source_partition",
        "free_dimensions",
        "partition_step",
        "zero_num",
    ];
    for rule in RULES {
        let covered = TWINS.iter().any(|(id, ..)| *id == rule.id) || elsewhere.contains(&rule.id);
        assert!(covered, "{}", rule.id);
    }
}

#[test]
fn psum_locations_name_their_bank_and_follow_gen1() {
    let report = explain("PSUM<0,6144>(64x2048)", EVERY);
    assert_says("psum", &report, &["6144 / 2048 = 3: all in bank 3"]);
    assert!(!report.has_violation());
    let report = explain("PSUM<0,8192>(128x2048)", EVERY);
    assert!(report.has_violation_on(Chip::Gen1));
    assert!(!report.has_violation_on(Chip::ALL[1]));
    assert_says("psum", &report, &["8192 + 2048 = 10240 > 8192 (8 KiB on gen1)", "128 > 64"]);
}

#[test]
fn sentences_that_only_resemble_a_rule_break_nothing() {
    for text in [
        "copy the matmul result tensor from PSUM to SB<0,0>(128x64)",
        "Matmul output could not be allocated in PSUM",
        "invalid_partition_table on the SBUF loader",
        "failed to allocate the tensor in SBUF",
        "src start_partition(ii*32)",
    ] {
        assert!(!explain(text, EVERY).has_violation(), "{text}");
    }
    let text = "starts at partition 64 with 65 partitions\nstarts at partition 0 with 10 partitions";
    assert_says("lines", &explain(text, EVERY), &["65 partitions (65..128) may start only at 0, not at 64"]);
}

#[test]
fn memory_outside_the_chip_has_no_rule_here() {
    for text in [
        "{x}@DRAM<0,0>(4096x99999999)",
        "hbm <0, 0> (1 x 1)",
        "float32 <1 x 2> in DRAM",
        "AP: [[1,4096],[70000,5]] Offset: 3 {x}@DRAM<0,0>(1x99999999)",
    ] {
        let report = explain(text, EVERY);
        assert!(report.understood_anything(), "{text}");
        assert!(!report.has_violation(), "{text}");
        assert_says(text, &report, &["no on-chip rule", "DRAM is not on chip"]);
    }
}

#[test]
fn a_start_whose_count_is_unknown_says_which_counts_allow_it() {
    assert_says("32", &explain("starts at partition 32", EVERY), &["1 to 32 partitions"]);
    assert_says("64", &explain("starts at partition 64", EVERY), &["1 to 64 partitions"]);
    assert_says("200", &explain("starts at partition 200", EVERY), &["200 > 127, over by 73"]);
    assert_says(
        "list",
        &explain("did not start at partition 0 or 64. Starts at partition 48", EVERY),
        &["48 is not one of the starts that the message allows: 0 or 64", "33 to 64 partitions"],
    );
    assert_says("sum", &explain("starts at partition 96, 33 partitions", EVERY), &["96 + 33 = 129 > 128", "not at 96"]);
}

#[test]
fn both_ends_of_a_range_of_banks_are_judged() {
    assert_eq!(breaks("PSUM banks 12-3", "psum_banks"), ALL_NAMES);
    assert_eq!(breaks("PSUM banks -1 to 9", "psum_banks"), [ALL_NAMES, ALL_NAMES].concat());
    assert!(breaks("PSUM banks 3-0", "psum_banks").is_empty());
    assert_says("3-0", &explain("PSUM banks 3-0", EVERY), &["banks 0 to 3 are bytes 0 to 8191"]);
}

#[test]
fn a_name_is_no_violation_unless_the_line_denies_it() {
    for text in [
        "start_partition: BASE",
        "start_partition(ii)",
        "dst start_partition(ii) must be a multiple of 32",
        "src start_partition(48) or dst start_partition(ii) is not multiple of 32",
    ] {
        let report = explain(text, EVERY);
        let named = of_rule(&report, "start_partition").into_iter().find(|finding| finding.note.contains('`'));
        assert_eq!(named.map(|finding| finding.verdict), Some(Verdict::CannotTell), "{text}");
    }
    for text in [
        "src start_partition(0) or dst start_partition(ii) is not multiple of 32",
        "start_partition(ii * 3) is illegal",
    ] {
        assert_eq!(breaks(text, "start_partition"), ALL_NAMES, "{text}");
    }
}

#[test]
fn partitions_are_those_of_the_memory() {
    for text in ["100 partitions in PSUM", "PSUM: needs 100 partitions", "in PSUM\n100 partitions"] {
        assert_eq!(breaks(text, "partition_count"), ["gen1"], "{text}");
    }
    assert!(breaks("100 partitions in SBUF", "partition_count").is_empty());
    assert!(breaks("64 partitions in PSUM", "partition_count").is_empty());
    assert_eq!(breaks("starts at partition 64 in PSUM", "start_partition"), ["gen1"]);
    assert!(breaks("starts at partition 64 in SBUF", "start_partition").is_empty());
    assert_says("gen1", &explain("starts at partition 64 in PSUM", GEN1), &["64 > 63", "32 for at most 32 partitions"]);
    assert!(!explain("SBUF; 4096 partitions in DRAM", EVERY).has_violation());
}

#[test]
fn element_types_are_those_of_the_library() {
    for (name, size) in
        [("float8_e4m3fn", 1), ("bf16", 2), ("FP32", 4), ("float8_e4m3", 1), ("tf32", 4), ("int64", 8), ("bool", 1)]
    {
        let report = explain(&format!("{name} <200 x 420> in SB"), EVERY);
        assert_says(name, &report, &["200 > 128", &format!("420 x {size} = ")]);
    }
    for dtype in trnwire::dtype::BirDtype::all() {
        assert!(explain(&format!("{} <200 x 420> in SB", dtype.name()), EVERY).has_violation(), "{}", dtype.name());
    }
    assert!(!explain("INVALID <200 x 420>", EVERY).understood_anything());
}

#[test]
fn facts_without_a_rule_are_shown_as_such() {
    let report = explain("Offset: 5 in SBUF", EVERY);
    assert!(report.understood_anything() && report.findings.is_empty());
    assert_says("offset", &report, &["element offset 5", "no rule to hold it against"]);
    let (text, _) = case("addr-600");
    assert!(!explain(&text, GEN1).render_text().contains("no rule to hold it against"));
}

#[test]
fn a_demand_is_no_denial() {
    let text = "matmul dst tensor should be in PSUM: float32 <128x420> in PSUM";
    let report = explain(text, EVERY);
    assert!(!report.has_violation());
    assert!(!report.render_text().contains("said not to be"), "{}", report.render_text());
    let report = explain("matmul destination must be in PSUM", EVERY);
    assert_says("must", &report, &["Cannot tell", "would decide"]);
    assert_eq!(breaks("matmul destination is not in PSUM", "matmul_destination"), ALL_NAMES);
    assert_eq!(breaks("matmul dst must be in PSUM, got {x}@SB<0,0>(1x4)", "matmul_destination"), ALL_NAMES);
}

#[test]
fn a_range_judges_only_with_its_ends_or_in_context() {
    assert!(!explain("step 3 is out of range", EVERY).understood_anything());
    assert!(!explain("count=70000 is too large", EVERY).understood_anything());
    assert!(!explain("count=70000 in range; SBUF ok", EVERY).has_violation());
    assert_eq!(breaks("SBUF: count=70000 out of range", "num_field"), ALL_NAMES);
    assert_eq!(breaks("count=70000 out of range [0, 65535]", "num_field"), ALL_NAMES);
    assert_eq!(breaks("step=70000 does not matter, step=70000 not in int16", "step_field"), ALL_NAMES);
}

#[test]
fn a_text_that_fits_some_generations_is_no_violation() {
    let text = "SB<0,100000>(128x1000)";
    let report = explain(text, EVERY);
    assert!(!report.has_violation());
    assert!(report.has_violation_on(Chip::Gen1));
    let headline = "Holds on gen2, gen3 and gen4; breaks \"SBUF bytes per partition\" on gen1: 100000 + 1000 = 101000";
    assert!(report.render_text().starts_with(headline), "{}", report.render_text());
    assert!(explain(text, GEN1).has_violation());
    assert!(explain("SB<0,262144>(128x1000)", EVERY).has_violation());
    // Each generation has a violation of its own.
    assert!(explain("SB<0,98304>(1x1) PSUM bank 8", EVERY).has_violation());
}

#[test]
fn no_rule_name_holds_a_number_of_another_generation() {
    let name = |text: &str, chip: Chip| explain(text, &[chip]).findings.first().map(|finding| finding.rule_name);
    for text in ["PSUM bank 0", "PSUM bank 9", "1 PSUM bank"] {
        assert_eq!(name(text, Chip::Gen1), Some("PSUM has 4 banks of 2 KiB per partition"), "{text}");
        assert_eq!(name(text, Chip::ALL[3]), Some("PSUM has 8 banks of 2 KiB per partition"), "{text}");
    }
    let report = explain("888 bytes per partition and total of 113665 bytes", EVERY);
    let [total] = of_rule(&report, "the message's own arithmetic")[..] else { panic!("{report:?}") };
    assert_eq!((total.limit, total.nearest_legal), (None, None));
}

#[test]
fn a_broken_limit_of_its_own_makes_a_text_wrong_whichever_generations_have_the_room() {
    let text = |sum: u32| format!("Total Accessed Bytes per partition: {sum}, Total SB Partition Size: 196608");
    assert!(explain(&text(196_609), EVERY).has_violation());
    assert!(!explain(&text(196_608), EVERY).has_violation());
    // Without a stated limit the generations with the room decide.
    assert!(!explain("SB<0,0>(128x196609)", EVERY).has_violation());
    assert!(explain("SB<0,0>(128x262145)", EVERY).has_violation());
}

#[test]
fn bytes_are_held_against_the_memory_that_the_message_names_wherever_it_names_it() {
    let gen3 = [Chip::Later(Generation::Gen3)];
    for text in [
        "20000 bytes per partition in PSUM",
        "PSUM tile needs 20000 bytes per partition",
        "PSUM: 20000 bytes per partition",
        "tile too large for PSUM: 20000 bytes per partition",
    ] {
        let report = explain(text, &gen3);
        assert!(report.has_violation(), "{text}");
        assert!(report.render_text().contains("20000 > 16384 (16 KiB on gen3), over by 3616"), "{text}");
        assert!(!explain(&text.replace("20000", "16384"), &gen3).has_violation(), "{text}");
        assert!(!explain(&text.replace("PSUM", "SBUF"), &gen3).has_violation(), "{text}");
    }
}

#[test]
fn what_is_needed_is_not_taken_for_what_is_available() {
    let gen2 = [Chip::Later(Generation::Gen2)];
    for text in [
        "SBUF out of memory: need 262144 bytes per partition, available 196608",
        "required 262144 bytes per partition, available 196608 bytes per partition in SBUF",
        "SBUF: 262144 bytes per partition; limit is 196608",
        "262144 bytes per partition in SBUF but only 196608 bytes per partition available",
    ] {
        let report = explain(text, &gen2);
        assert!(report.has_violation(), "{text}");
        assert!(report.render_text().contains("262144 > 196608"), "{text}:\n{}", report.render_text());
        assert!(!explain(&text.replace("262144", "196608"), &gen2).has_violation(), "{text}");
    }
}

#[test]
fn a_location_without_a_size_claims_no_more_than_its_first_byte() {
    let report = explain("SB<1,2>", &[Chip::Later(Generation::Gen2)]);
    assert!(report.render_text().contains("2 + 1 = 3 <= 196608 (192 KiB on gen2): the first byte exists"));
}

#[test]
fn numbers_of_different_instructions_are_not_put_together() {
    let gen2 = [Chip::Later(Generation::Gen2)];
    for text in [
        "I-1 reads 36 partitions in SBUF. I-2: Starts at partition 32",
        "I-1: TensorCopy uses 100 partitions in SBUF\nI-2: Matmult\nReason: Starts at partition 32",
    ] {
        assert!(!explain(text, &gen2).has_violation(), "{text}");
        assert!(explain(&text.replace("I-2", "I-1"), &gen2).has_violation(), "{text}");
    }
}
