//! Real messages, other wordings of them, and what must not be taken for a message.

mod access;

use proptest::prelude::*;
use trnwire::arch::Generation;
use trnwire::message::{
    Chip, FactKind, Finding, Location, Number, RULES, Report, Space, Verdict, explain, what_it_looked_for,
};

const CASES: &str = include_str!("../../../../tests/inputs/addr/cases.jsonl");
const GEN1: &[Chip] = &[Chip::Gen1];
const EVERY: &[Chip] = &[];

/// The value of a string member of a JSON object on one line.
fn member(line: &str, name: &str) -> Option<String> {
    let (_, rest) = line.split_once(&format!("\"{name}\": \""))?;
    let mut value = String::new();
    let mut characters = rest.chars();
    loop {
        match characters.next()? {
            '"' => return Some(value),
            '\\' => value.push(match characters.next()? {
                'n' => '\n',
                't' => '\t',
                other => other,
            }),
            other => value.push(other),
        }
    }
}

/// The text of a case of the recorded messages, and the rule that it must name.
fn case(id: &str) -> (String, String) {
    let mut found = CASES
        .lines()
        .filter(|line| member(line, "id").as_deref() == Some(id))
        .filter_map(|line| Some((member(line, "text")?, member(line, "rule")?)));
    found.next().unwrap_or_default()
}

fn of_rule<'a>(report: &'a Report, rule: &str) -> Vec<&'a Finding> {
    report.findings.iter().filter(|finding| finding.rule == rule || finding.rule_name == rule).collect()
}

fn assert_says(text: &str, report: &Report, expected: &[&str]) {
    let rendered = report.render_text();
    for part in expected {
        assert!(rendered.contains(part), "{part:?} is missing for {text:?}:\n{rendered}");
    }
}

fn exact(value: i128) -> Number {
    Number::Exact(value)
}

/// Case, generations, whether a rule is broken, what the text must hold.
const EXPECTED: [(&str, &[Chip], bool, &[&str]); 11] = [
    (
        "addr-600",
        GEN1,
        true,
        &[
            "19488 / 406 = 48, the stated start partition",
            "36 partitions (33..64) may start only at 0 or 64, not at 48",
            "nearest legal: start partition 64 (16 above)",
            "406 x 4 = 1624 bytes per partition, which agrees with the location",
            "84 <= 128",
        ],
    ),
    (
        "addr-1060",
        EVERY,
        // gen3 and gen4 have the room, but the limit that the text states is gen2's.
        true,
        &[
            "888 + 98568 + 98568 = 198024 > 196608 (192 KiB on gen2), over by 1416",
            "888 x 128 = 113664: the total agrees",
            "98568 x 128 = 12616704: the total agrees",
            "the stated sum agrees",
            "the message's limit 196608 is the SBUF partition of gen2",
            "198024 <= 229376 (224 KiB on gen3), 262144 (256 KiB on gen4): the bytes fit",
        ],
    ),
    (
        "addr-1118",
        EVERY,
        true,
        &[
            "every generation (gen1 to gen4): 756257 > 128, over by 756129; nearest legal: 128 partitions",
            "185856 + 10376 = 196232 <= 196608 (192 KiB on gen2)",
            "the bytes fit",
            "185856 + 10376 = 196232 > 98304 (96 KiB on gen1), over by 97928",
        ],
    ),
    (
        "addr-1055",
        EVERY,
        true,
        &[
            "source start partition 0",
            "must be a multiple of 32, which the text denies; `ii` is a name, not a number (a loop variable, for one)",
            "0, 32, 64 or 96",
        ],
    ),
    (
        "addr-1054",
        EVERY,
        true,
        &[
            "a matmul writes PSUM only; this is in SBUF: float32 <128 x 420> in SB",
            "must lie in the PSUM window",
            "420 x 4 = 1680",
        ],
    ),
    ("addr-284", GEN1, true, &["step -48528 < -32768, under by 15760; nearest legal: -32768", "16-bit"]),
    ("addr-644", EVERY, false, &["start partition and the number of partitions"]),
    ("addr-803", EVERY, false, &["offset + sum((num - 1) * step)"]),
    ("addr-1306", EVERY, false, &["1006", "does not print the indices"]),
    (
        "addr-1010",
        EVERY,
        false,
        &[
            "PSUM has 4 banks of 2 KiB per partition, gen1",
            "8 banks x 2048 bytes",
            "banks 0 to 3 are bytes 0 to 8191",
            "1 <= 8 banks",
        ],
    ),
    ("addr-1009", EVERY, false, &["Not an address fault"]),
];

#[test]
fn every_recorded_message_is_explained_with_its_arithmetic() {
    assert_eq!(CASES.lines().count(), EXPECTED.len());
    for (id, targets, broken, expected) in EXPECTED {
        let (text, rule) = case(id);
        assert!(!text.is_empty(), "{id}");
        for text in [text.clone(), text.replace('\n', "\r\n")] {
            let report = explain(&text, targets);
            assert!(report.understood_anything(), "{id}");
            assert!(!of_rule(&report, &rule).is_empty(), "{id}: {rule}");
            assert!(report.render_text().contains(&rule), "{id}: {rule}");
            assert_eq!(report.has_violation(), broken, "{id}");
            assert_says(id, &report, expected);
        }
    }
}

#[test]
fn the_bytes_fit_and_the_partitions_do_not() {
    let text = "Allocated memory out of bound {x}@SB<0,185856>(756257x10376)";
    let report = explain(text, &[Chip::ALL[1]]);
    let [partitions] = of_rule(&report, "partition_count")[..] else { panic!("{report:?}") };
    assert_eq!(partitions.verdict, Verdict::Breaks);
    assert_eq!(partitions.value, Some(756_257));
    assert_eq!(partitions.limit, Some(128));
    assert_eq!(partitions.over_by, Some(756_129));
    assert_eq!(partitions.nearest_legal, Some(128));
    let [bytes] = of_rule(&report, "sbuf_bytes")[..] else { panic!("{report:?}") };
    assert_eq!(bytes.verdict, Verdict::Holds);
    assert_eq!((bytes.value, bytes.limit), (Some(196_232), Some(196_608)));

    let report = explain(text, EVERY);
    let [partitions] = of_rule(&report, "partition_count")[..] else { panic!("{report:?}") };
    assert_eq!(partitions.targets, Chip::ALL);
    let bytes = of_rule(&report, "sbuf_bytes");
    assert_eq!(bytes[0].targets, [Chip::Gen1]);
    assert_eq!(bytes[0].over_by, Some(97_928));
    assert_eq!(bytes[1].limits.iter().map(|(_, limit)| *limit).collect::<Vec<_>>(), [196_608, 229_376, 262_144]);
    assert!(report.has_violation_on(Chip::Gen1));
}

/// Rule, then texts that must all break it or name it, then what each answer must hold.
const REWORDED: [(&str, &[&str], &[&str]); 15] = [
    (
        "partition_count",
        &[
            "SBUF <0, 185856> (756257 x 10376)",
            "sb<0,185856>(756257x10376)",
            "2024-05-01T12:33:01.123Z ERROR 77 [neuronx-cc] I-21-0: {x}@SB<0,185856>(756257x10376)#Internal",
            "SB < 0 , 0x2d600 > ( 756257 * 10376 )",
            "SB<0,185856>(756257×10376)",
            "SBUF partition 0, offset 185856, 756257 partitions x 10376 bytes",
        ],
        &["756257 > 128", "over by 756129", "185856 + 10376 = 196232"],
    ),
    (
        "partition_count",
        &[
            "SBUF: 756257 partitions exceed the limit of 128 partitions",
            "number of partitions 756257 exceeds architecture limitation of 128",
            "[NKI] partition dimension size 756257 is more than 128",
            "756257 > 128 partitions in SBUF",
        ],
        &["756257 > 128, over by 756129; nearest legal: 128 partitions"],
    ),
    (
        "start_partition",
        &[
            "the access starts at partition 48 with 36 partitions",
            "src start_partition(48) is illegal, num_partitions = 36",
            "Start partition: 48; number of partitions: 36",
            "start_partition=48 partitions=36",
            "start partition must be 0 or 64, got 48 for 36 partitions",
            "Start partition 48, num partitions 36",
            "\tBEGINS AT PARITION 48 , 36 PARTITIONS",
        ],
        &["36 partitions (33..64) may start only at 0 or 64, not at 48", "64 (16 above)"],
    ),
    (
        "start_partition",
        &[
            "dst start_partition(ii) is not multiple of partitions_per_bank (32)",
            "dst_start_partition( ii ) must be a multiple of 32",
            "START_PARTITION(ii)",
            "error: start_partition = ii",
            "dst start partition ii is not a multiple of 32",
        ],
        &["`ii` is a name, not a number (a loop variable, for one)", "multiple of 32"],
    ),
    (
        "start_partition",
        &[
            "AP: [[406, 36], [1, 203]]\nOffset: 19488\nLocation: {x}@SB<0,0>(84x1624)",
            "Location: {x}@SB<0,0>(84x1624)\nAccess pattern: [[406,36],[1,203]] offset=19488",
            "pattern [ [406,36] , [1,1] , [1,203] ] Offset : 19,488 in {x}@SB<0,0>(84x1624)",
            "12:00:01 AP\n12:00:01 Access Pattern: [[406,36],[1,1]] Offset: 19488",
        ],
        &["19488 / 406 = 48", "0 or 64, not at 48"],
    ),
    (
        "sbuf_bytes",
        &[
            "a: 888 bytes per partition\nb: 98568 bytes per partition\nc: 98568 bytes per partition\n\
             SB partition size: 196608",
            "888 B/partition, 98,568 B/partition, 98568 B / partition; SBUF partition size is 192 KiB",
            "limit of 196608 bytes per SBUF partition; takes 888 bytes per partition, 98568 bytes per partition and \
             98568 bytes per partition",
            "2024-05-01 12:33:01 1: x 888 Bytes per Partition in SB\r\n2: y 98568 bytes per partition in sbuf\r\n\
             3: z 98568 Bytes per Partition in SB\r\nSBUF capacity per partition = 196608 bytes",
        ],
        &["888 + 98568 + 98568 = 198024 > 196608", "over by 1416"],
    ),
    (
        "sbuf_bytes",
        &[
            "Total accessed bytes per partition: 198024, SB partition size: 196608",
            "total bytes per partition by instruction = 198,024\nSBUF Partition limit: 192 KiB",
            "the instruction takes 198024 bytes per partition in total\nSB partition size 196608",
            "198024 bytes per partition exceeds 196608 bytes per partition in SBUF",
            "SBUF: 198024 > 196608 bytes per partition",
            "SB usage 198024 / 196608 bytes per partition",
            "SBUF: needs 198024 bytes per partition, only 196608 available",
            "SBUF: needs 198024 bytes per partition (limit: 192 KiB)",
        ],
        &["198024 > 196608", "over by 1416"],
    ),
    (
        "matmul_destination",
        &[
            "matmul dst tensor is not PSUM: float32 <128x420> in SB",
            "Matmult destination must be in PSUM, got float32 [128, 420] in SBUF",
            "[TEN404] I-3-0 MatMul output float32 < 128 x 420 > in sbuf is not in psum",
            "12:00:01 error: matmulmx result should live in PSUM but is float32 (128,420) in the SBUF",
        ],
        &["a matmul writes PSUM only", "420 x 4 = 1680"],
    ),
    (
        "step_field",
        &[
            "step = -48528 < min = -32768",
            "the stride -48528 is less than the minimum of -32768",
            "BIR: I-1 step: -48528 is too small",
            "Assertion: step(-48528) out of range [-32768, 32767]",
            "Step -48528 not in int16",
            "2024-05-01 12:33:01 new STEP is too small: STEP=-48528 (MIN=-32768)",
        ],
        &["-48528 < -32768", "under by 15760", "nearest legal: -32768"],
    ),
    (
        "matmul_source_partition",
        &[
            "assertion 's3d3_mm_valid_src_partition' failed",
            "I-7: MATMUL: check s4d4_mm_valid_src_partition",
            "Matmult source partition check failed",
            "12:00:01 [X] matmul: invalid src partition",
        ],
        &["0, 32, 64 or 96"],
    ),
    (
        "pattern_in_tensor",
        &[
            "Reason: access pattern out of bounds",
            "AP out-of-bound",
            "Out-of-bound access for tensor `x` on dimension 1",
            "the access pattern is out of range",
            "12:00:01 === BIR error === Pattern reaches outside of its tensor",
        ],
        &["offset + sum((num - 1) * step)"],
    ),
    (
        "gather_index",
        &[
            "scatter out-of-bounds access",
            "indirect memory copy: index out of bound",
            "RuntimeError: gather failed, out_of_bounds",
            "2024-05-01 vector DGE ran out of bounds",
        ],
        &["1006", "run"],
    ),
    (
        "psum_banks",
        &[
            "PSUM bank 9",
            "bank 9 of PSUM",
            "psum: banks 2-9 requested",
            "PSUM banks 0 to 9",
            "12:00:01 I-9-2 uses bank=9 in PSUM",
        ],
        &["bank 9 > 7, over by 2", "bank 9 > 3"],
    ),
    (
        "psum_banks",
        &[
            "16 PSUM banks",
            "PSUM: sixteen banks",
            "needs 16 banks of PSUM",
            "psum has 16 banks?",
            "too many PSUM banks: 16 requested",
        ],
        &["16 > 8, over by 8"],
    ),
    (
        "no_address_rule",
        &[
            "no PSUM tensor was allocated",
            "fails without any psum tensor allocated",
            "12:00:01 error: no tensors are allocated in PSUM",
            "runtime error in the allocation API: not one tensor",
        ],
        &["Not an address fault"],
    ),
];

#[test]
fn other_wordings_are_understood() {
    for (rule, texts, expected) in REWORDED {
        assert!(texts.len() >= 4);
        for text in texts {
            let report = explain(text, EVERY);
            assert!(!of_rule(&report, rule).is_empty(), "{rule}: {text:?}\n{}", report.render_text());
            assert_says(text, &report, expected);
        }
    }
}

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
fn numbers_without_meaning_are_no_facts() {
    for text in [
        "2024-05-01 12:33:01.123 [INFO] 4711 I-21-0 done, line 42, pid 1234",
        "epoch 3 step=1200000 loss=0.13 num=7 offset: 55",
        "kafka: 12 partitions, partition size: 512, partition count 3",
        "IndexError: list index 12 is out of range",
        "replica_groups=[[0,1],[2,3]]",
        "/dev/sda1 uses 25 MiB in total",
        "tensor of shape float32 [128, 512]",
        "the bank 9 transfer",
        "sbuf[0, 1] and psum(128, 512) in a stack trace",
        "",
        "\u{0}\u{feff}\u{1f600} <>[](){}",
    ] {
        let report = explain(text, EVERY);
        assert!(!report.understood_anything(), "{text:?}\n{}", report.render_text());
        assert!(report.render_text().contains(&what_it_looked_for()));
        assert!(!report.has_violation());
    }
    let (text, _) = case("addr-1118");
    let prefixed = format!("2024-05-01T12:33:01Z 4711 I-21-0 bank 9 step=99999 {text}");
    let bare = explain(&text, EVERY);
    assert_eq!(explain(&prefixed, EVERY).facts.len(), bare.facts.len());
}

#[test]
fn several_messages_in_one_text_are_kept_apart() {
    let all: Vec<String> = EXPECTED.iter().map(|(id, ..)| case(id).0).collect();
    let report = explain(&all.join("\n"), EVERY);
    for (id, ..) in EXPECTED {
        let (_, rule) = case(id);
        assert!(!of_rule(&report, &rule).is_empty(), "{id}: {rule}");
    }
    assert_says("all", &report, &["756257 > 128", "198024 > 196608", "not at 48", "`ii`", "under by 15760"]);
    let twice = "[NLA001] SB<0,0>(129x8)\n[NLA001] SB<0,0>(130x8)";
    let report = explain(twice, EVERY);
    assert_eq!(report.facts[1].line, 2);
    assert_ne!(report.facts[0].message, report.facts[1].message);
    assert_eq!(of_rule(&report, "partition_count").len(), 2);
}

#[test]
fn facts_say_where_they_stand() {
    let text = "first line\n  {x}@SB<0,185856>(756257x10376)#";
    let report = explain(text, EVERY);
    let [fact] = report.facts.as_slice() else { panic!("{report:?}") };
    assert_eq!(fact.line, 2);
    assert_eq!(text.get(fact.start..fact.end), Some("SB<0,185856>(756257x10376)"));
    assert_eq!(fact.text, "SB<0,185856>(756257x10376)");
    assert_eq!(fact.kind_name(), "location");
    let names: Vec<_> = fact.fields().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["space", "first_partition", "byte_offset", "partitions", "bytes_per_partition"]);
}

#[test]
fn absurd_numbers_are_named_and_do_not_overflow() {
    let huge = "9".repeat(60);
    let report = explain(&format!("SB<{huge},{huge}>({huge}x{huge})"), EVERY);
    assert!(report.has_violation());
    assert_says("huge", &report, &["number too large"]);
    let largest = u64::MAX;
    let report = explain(&format!("SB<0,{largest}>({largest}x{largest})"), EVERY);
    assert_says("largest", &report, &["36893488147419103230"]);
    let report = explain(&format!("AP: [[{largest},{largest}],[-{largest},{largest}]] Offset: -{largest}"), EVERY);
    assert!(report.has_violation());
    assert!(explain(&format!("uint64 <{largest} x {largest} x {largest}> in SB"), EVERY).has_violation());
    assert_says(
        "negative",
        &explain("SB<-5,0>(4x4)", EVERY),
        &["first partition -5 < 0, under by 5; nearest legal: 0"],
    );
}

#[test]
fn a_limit_of_another_generation_is_named() {
    let (text, _) = case("addr-1060");
    let report = explain(&text, &[Chip::ALL[2]]);
    assert_says(
        "gen3",
        &report,
        &["the message's own limit, which is not that of gen3", "198024 <= 229376 (224 KiB on gen3)"],
    );
    let other = text.replace("196608", "180224");
    assert_says("reserved", &explain(&other, EVERY), &["gen2 less what the compiler keeps"]);
    let wrong = text.replace("198024", "198025").replace("12616704", "12616705");
    let report = explain(&wrong, EVERY);
    assert_says("wrong", &report, &["= 198024, but the text says 198025", "the text says 12616705 bytes in total"]);
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

proptest! {
    #[test]
    fn arbitrary_text_never_panics(text in any::<String>()) {
        let report = explain(&text, EVERY);
        prop_assert!(!report.render_text().is_empty());
    }

    #[test]
    fn text_made_of_known_words_never_panics(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "SB", "PSUM", "DRAM", "<", ">", "(", ")", "[[", "]]", ",", "x", "[", "]", "0", "48", "-", "=", "===",
                "99999999999999999999999", "bytes", "per", "partition", "partitions", "total", "of", ":", "Step", "Min",
                "Offset", "start_partition", "starts", "at", "or", "bank", "banks", "in", "out", "bound", "matmul", "dst",
                "src", "not", "gather", "allocated", "no", "tensor", "float32", "||", "\n", "\r\n", ".", "KiB", "é", "×",
                "[GCA035]", "AP", "[[1,2],[3,4]]", "-5", "dtype", "elements", "shape", "index", "range", "exceed", "limit", "size", "/", "num", "<0,0>", "(1x1)", "18446744073709551615",
            ]),
            0..40,
        ),
        separator in prop::sample::select(vec!["", " "]),
    ) {
        let text = words.join(separator);
        let report = explain(&text, EVERY);
        prop_assert!(!report.render_text().is_empty());
        for fact in &report.facts {
            prop_assert!(text.get(fact.start..fact.end).is_some());
            prop_assert!(!fact.describe().is_empty());
        }
        for finding in &report.findings {
            prop_assert!(report.subject(finding).is_some());
            prop_assert!(!finding.targets.is_empty());
        }
    }

    #[test]
    fn generated_locations_are_found_with_their_numbers(
        (name, space) in prop::sample::select(vec![
            ("SB", Space::Sbuf), ("sbuf", Space::Sbuf), ("PSUM", Space::Psum), ("Dram", Space::Dram), ("HBM", Space::Dram),
        ]),
        numbers in prop::array::uniform4(any::<i64>()),
        gap in "[ \t]{0,3}",
        times in prop::sample::select(vec!["x", "X", "*", "×"]),
        before in "[ -9;-?]{0,20}[ @\n]",
    ) {
        let [partition, offset, count, bytes] = numbers;
        let text = format!(
            "{before}{name}{gap}<{partition},{gap}{offset}>{gap}({gap}{count}{gap}{times}{gap}{bytes})#tail"
        );
        let report = explain(&text, EVERY);
        let found: Vec<_> = report.facts.iter().filter_map(|fact| match fact.kind {
            FactKind::Location(location) => Some(location),
            _ => None,
        }).collect();
        prop_assert_eq!(found, [Location {
            space,
            first_partition: exact(partition.into()),
            byte_offset: exact(offset.into()),
            partitions: Some(exact(count.into())),
            bytes_per_partition: Some(exact(bytes.into())),
        }]);
    }

    #[test]
    fn a_location_inside_the_memory_breaks_nothing(
        index in 0_usize..4,
        count in 1_i128..=128,
        offset in 0_i128..98_304,
        bytes in 0_i128..98_304,
    ) {
        let target = Chip::ALL[index];
        let active = i128::from(target.geometry().sbuf_active);
        let report = explain(&format!("SB<0,{offset}>({count}x{bytes})"), &[target]);
        let end = offset.saturating_add(bytes);
        prop_assert_eq!(report.has_violation(), end > active);
    }
}

/// The findings of a rule that break it, by generation.
fn breaks(text: &str, rule: &str) -> Vec<&'static str> {
    let report = explain(text, EVERY);
    let broken = of_rule(&report, rule).into_iter().filter(|finding| finding.verdict == Verdict::Breaks);
    broken.flat_map(|finding| finding.targets.iter().map(|chip| chip.name()).collect::<Vec<_>>()).collect()
}

const ALL_NAMES: [&str; 4] = ["gen1", "gen2", "gen3", "gen4"];

#[test]
fn a_long_log_does_not_bury_its_violation() {
    let gen2 = [Chip::ALL[1]];
    for (noise, violation) in [
        ("topic orders has 36 partitions\n", "{x}@SB<0,185856>(756257x10376)"),
        ("36 partitions ", "SB<0,185856>(756257x10376)"),
        ("{y}@SB<0,0>(128x64)\n", "{x}@SB<0,185856>(756257x10376)"),
        ("{y}@SB<0,0>(128x64) ", "{x}@SB<0,185856>(756257x10376)"),
        ("starts at partition 0 with 10 partitions\n", "Starts at partition 48 with 36 partitions"),
        ("a: 888 bytes per partition\n", "{x}@SB<0,185856>(756257x10376)"),
    ] {
        let report = explain(&(noise.repeat(5000) + violation), &gen2);
        assert!(report.is_complete(), "{noise:?}");
        assert!(report.has_violation(), "{noise:?}");
        assert!(report.facts.len() <= 300, "{noise:?}: {}", report.facts.len());
        let quiet = explain(&noise.repeat(5000), &gen2);
        assert!(!quiet.has_violation() && quiet.is_complete(), "{noise:?}");
    }
    // Different numbers are no repeats, but partitions of something else are nothing to keep.
    let noise: String = (0..5000).map(|index| format!("topic {index} has {index} partitions\n")).collect();
    let report = explain(&(noise + "SB<0,185856>(756257x10376)"), &gen2);
    assert!(report.has_violation() && report.is_complete());
    // What means nothing by itself makes room for what does.
    let noise: String = (0..5000).map(|index| format!("{} partitions, ", index + 1)).collect();
    assert!(explain(&(noise + "SB<0,185856>(756257x10376)"), &gen2).has_violation());
}

#[test]
fn an_incomplete_report_says_so_first() {
    let text: String = (0..5000).map(|index| format!("SB<0,{index}>(1x1)\n")).collect();
    let report = explain(&(text + "SB<0,0>(129x1)"), EVERY);
    assert!(!report.is_complete());
    assert!(report.render_text().starts_with("Incomplete: 905 further facts not judged"), "{}", report.render_text());
    assert!(explain("SB<0,0>(1x1)", EVERY).is_complete());
}

#[test]
fn a_location_far_away_gives_no_meaning() {
    let far = format!("SB<0,0>(1x1)\n{}topic orders has 360 partitions", "nothing\n".repeat(100));
    assert!(!explain(&far, EVERY).has_violation());
    let near = format!("SB<0,0>(1x1)\n{}it has 360 partitions", "nothing\n".repeat(5));
    assert!(explain(&near, EVERY).has_violation());
}

#[test]
fn equal_messages_are_counted() {
    let message = "=== e ===\na: 98568 bytes per partition\na: 98568 bytes per partition\nSB partition size: 196608\n";
    let report = explain(&message.repeat(3), EVERY);
    assert_eq!(report.facts.iter().map(|fact| fact.repeats).collect::<Vec<_>>(), [2, 2, 2]);
    assert_says("sum", &report, &["98568 + 98568 = 197136 > 196608", "the same 2 times more"]);
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
