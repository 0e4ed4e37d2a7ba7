//! Messages that people posted, each with the arithmetic that proves its fault.

use super::{CASES, EVERY, GEN1, assert_says, case, of_rule};
use trnwire::message::{Chip, Verdict, explain};

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
