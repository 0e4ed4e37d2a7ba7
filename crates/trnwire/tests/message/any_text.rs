//! Texts of any kind: long, absurd, about something else, or random.

use super::{EVERY, assert_says, case};
use proptest::prelude::*;
use trnwire::message::{Chip, FactKind, Location, Number, Space, explain, what_it_looked_for};

fn exact(value: i128) -> Number {
    Number::Exact(value)
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
