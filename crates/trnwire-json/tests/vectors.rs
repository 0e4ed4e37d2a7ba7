//! The golden vectors pass, and no output of a vector can be changed without a failure.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail so"
)]
#![allow(clippy::arithmetic_side_effects, reason = "counts of a few hundred lines")]

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::{Value, json};
use trnwire_json::vectors::{MAX_LINE_BYTES, run, run_vector};

fn vector_files() -> Vec<PathBuf> {
    let directory = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/vectors"));
    let mut files: Vec<_> = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn vectors() -> Vec<Value> {
    let texts = vector_files().into_iter().map(|file| std::fs::read_to_string(file).unwrap());
    texts.flat_map(|text| text.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<_>>()).collect()
}

#[test]
fn every_golden_vector_passes() {
    for file in vector_files() {
        let text = std::fs::read(&file).unwrap();
        let lines = text.iter().filter(|&&byte| byte == b'\n').count();
        let tally = run(&text[..], MAX_LINE_BYTES, |failure| {
            panic!("{}:{}: {}", file.display(), failure.line, failure.message)
        })
        .unwrap();
        assert_eq!((usize::try_from(tally.passed).unwrap(), tally.failed), (lines, 0));
        assert!(lines > 0);
    }
}

/// Another value of the same type.
fn changed(value: &Value) -> Value {
    match value {
        Value::Null => json!(0),
        Value::Bool(flag) => json!(!flag),
        Value::Number(number) => match number.as_i64() {
            Some(number) => json!(number ^ 1),
            None => json!(number.as_u64().unwrap() ^ 1),
        },
        Value::String(text) => match text.strip_suffix('0') {
            Some(rest) => json!(format!("{rest}1")),
            None => json!(format!("{text}0")),
        },
        Value::Array(items) => json!(items.iter().skip(1).collect::<Vec<_>>()),
        Value::Object(_) => json!({}),
    }
}

#[test]
fn a_vector_with_any_output_changed_missing_or_added_fails() {
    for vector in vectors() {
        let keys: Vec<String> = vector["expect"].as_object().unwrap().keys().cloned().collect();
        for key in keys {
            let mut mutant = vector.clone();
            let value = &mut mutant["expect"][&key];
            *value = if value == &json!([]) { json!(["dead_mode"]) } else { changed(value) };
            let message = run_vector(&mutant).expect_err("a changed output must fail");
            assert!(message.contains(&format!("{key}: expected ")), "{message}");

            let mut mutant = vector.clone();
            mutant["expect"].as_object_mut().unwrap().remove(&key);
            run_vector(&mutant).expect_err("a missing output must fail");
        }
        let mut mutant = vector.clone();
        mutant["expect"]["extra"] = json!(0);
        run_vector(&mutant).expect_err("an added output must fail");
        // A decoded bundle is read for two of its keys.
        if vector["input"]["type"] != "BUNDLE" {
            mutant = vector.clone();
            mutant["input"]["extra"] = json!(0);
            run_vector(&mutant).expect_err("an unknown input must fail");
        }
        mutant = vector;
        mutant["extra"] = json!(0);
        run_vector(&mutant).expect_err("an unknown key must fail");
    }
}

#[test]
fn the_vectors_reach_every_op_and_every_outcome() {
    let mut outcomes: BTreeMap<(String, String), u32> = BTreeMap::new();
    for vector in vectors() {
        let expect = &vector["expect"];
        let outcome = ["reason", "error", "mode", "result"].iter().find_map(|&key| expect.get(key));
        let key = (vector["op"].as_str().unwrap().to_owned(), outcome.unwrap_or(&json!("ok")).to_string());
        *outcomes.entry(key).or_default() += 1;
    }
    let reached = |op: &str, outcome: &str| outcomes.contains_key(&(op.to_owned(), format!("\"{outcome}\"")));
    for reason in trnwire::addr4::Reason::ALL {
        assert!(reached("validate", reason.code()), "{reason}");
    }
    for error in [
        "addr_exceeds_u32",
        "addr_exceeds_29_bits",
        "scale_not_in_sbuf",
        "partition_range",
        "offset_range",
        "bank_range",
        "bank_offset_range",
        "offset_register",
        "register_unallocated",
        "reg_id_range",
        "kind_not_encodable",
    ] {
        assert!(reached("encode", error), "{error}");
    }
    for mode in ["static", "indirect", "active", "dead"] {
        assert!(reached("decode", mode), "{mode}");
    }
}

#[test]
fn lines_that_are_no_vectors_fail_with_their_number_and_do_not_stop_the_rest() {
    let good = r#"{"id":"a","arch":"gen2","op":"lint","input":{"word":"0x00000000"},"expect":{"lints":[]},"why":"w"}"#;
    let text = format!("{good}\n\nnot json\n{}\n\u{FEFF}\n{good}", good.replace("lint\"", "paint\""));
    let mut failures = Vec::new();
    let tally =
        run(text.as_bytes(), MAX_LINE_BYTES, |failure| failures.push((failure.line, failure.message.clone()))).unwrap();
    assert_eq!((tally.passed, tally.failed), (2, 3));
    assert_eq!(failures[0].0, 3);
    assert_eq!(failures[1], (4, "op: \"paint\" is unknown".to_owned()));
    assert_eq!(failures[2].0, 5);
}

#[test]
fn bytes_that_are_no_text_are_a_failure_too() {
    let tally = run(&b"\xFF\xFE\n"[..], MAX_LINE_BYTES, |failure| assert_eq!(failure.message, "not UTF-8 from byte 0"))
        .unwrap();
    assert_eq!(tally.failed, 1);
}

#[test]
fn a_line_that_is_too_long_is_one_failure_and_the_rest_still_runs() {
    let good = r#"{"id":"a","arch":"gen2","op":"lint","input":{"word":"0x00000000"},"expect":{"lints":[]},"why":"w"}"#;
    let limit = u64::try_from(good.len()).unwrap();
    let text = format!("{good}\n{good} \n{}\n{good}\n{good}x", "x".repeat(100_000));
    let mut failures = Vec::new();
    let tally = run(text.as_bytes(), limit, |failure| failures.push((failure.line, failure.message.clone()))).unwrap();
    assert_eq!((tally.passed, tally.failed), (2, 3));
    let message = format!("line is longer than {limit} bytes");
    assert_eq!(failures, [(2, message.clone()), (3, message.clone()), (5, message)]);
}
