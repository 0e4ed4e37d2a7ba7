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
    let all = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = all.filter(|path| path.extension().is_some_and(|extension| extension == "jsonl")).collect();
    files.sort();
    assert_eq!(files.len(), 11);
    files
}

fn all_vectors() -> impl Iterator<Item = Value> {
    let texts = vector_files().into_iter().map(|file| std::fs::read_to_string(file).unwrap());
    texts.flat_map(|text| text.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<_>>())
}

/// Those of words, descriptors and bundles, whose outputs stand in `expect`.
fn vectors() -> Vec<Value> {
    all_vectors().filter(|vector| vector.get("expect").is_some()).collect()
}

/// Those of collectives, whose outputs stand beside the inputs.
fn collective_vectors() -> Vec<Value> {
    all_vectors().filter(|vector| vector.get("expect").is_none()).collect()
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

/// Which keys are outputs of an operation, written down apart from the code that runs it.
fn output_keys(op: &str) -> &'static [&'static str] {
    match op {
        "record" => &["valid", "errors", "warnings", "fields", "json"],
        "encode_record" | "merge" | "pack_channels" => &["valid", "error", "hex"],
        "populate" => &["valid", "errors", "hex", "row", "fields", "json", "warnings"],
        "encode" => &["valid", "error", "addr"],
        "decode" => &["valid", "error", "sp_idx", "sema_id", "window", "die", "route"],
        "split_local" => &[
            "valid",
            "error",
            "local",
            "die",
            "chip_id",
            "chip_id_valid",
            "reserved",
            "relaxed_ordering",
            "ok_to_fail",
        ],
        "split_neighbor" => &[
            "valid",
            "error",
            "local",
            "die",
            "neighbor_rsvd",
            "exit_seng",
            "exit_die",
            "neighbor_route",
            "peb",
            "id_valid",
            "pcie_u_rsvd",
            "relaxed_ordering",
            "ok_to_fail",
        ],
        "apb" => &["valid", "error", "queue_id", "m2s_tail_ptr", "s2m_tail_ptr", "mask", "hex", "warnings"],
        "convert" => &["valid", "error", "size", "sha256", "warnings"],
        "block" => {
            &["valid", "error", "size", "sha256", "equals", "lengths", "key_order", "text_sha256", "packed_sha256"]
        }
        "context" => &["valid", "error", "equals", "lengths", "key_order", "text_sha256", "packed_sha256"],
        _ => panic!("{op}"),
    }
}

/// Every value that differs from this one in a single leaf, with each missing, and with keys in another order.
fn altered(value: &Value) -> Vec<Value> {
    let mut all = Vec::new();
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                all.extend(altered(item).into_iter().map(|item| {
                    let mut items = items.clone();
                    items[index] = item;
                    json!(items)
                }));
            }
            all.push(json!(items.iter().chain([&json!("more")]).collect::<Vec<_>>()));
            if !items.is_empty() {
                all.push(json!(items[1..]));
            }
        }
        Value::Object(members) => {
            for (key, item) in members {
                for item in altered(item) {
                    let mut members = members.clone();
                    members[key] = item;
                    all.push(Value::Object(members));
                }
            }
        }
        leaf => all.push(changed(leaf)),
    }
    all
}

#[test]
fn a_collective_vector_with_any_output_changed_or_added_fails() {
    let mut mutants = 0_u32;
    for vector in collective_vectors() {
        let op = vector["op"].as_str().unwrap();
        let outputs = output_keys(op);
        let mut fail = |key: &str, value: Value| {
            let mut mutant = vector.clone();
            mutant[key] = value;
            run_vector(&mutant).expect_err(&format!("{}: {key} is altered", vector["id"]));
            mutants += 1;
        };
        for key in outputs.iter().filter(|key| vector.get(key).is_some()) {
            for value in altered(&vector[key]) {
                fail(key, value);
            }
            fail(key, json!("another type"));
        }
        fail("extra", json!(0));
        fail("equals", json!({"/nothing/here": 0}));
        match vector.get("valid") {
            Some(Value::Bool(false)) => fail("valid", json!(true)),
            _ => fail("valid", json!(false)),
        }
        fail("valid", json!(1));
        for (key, value) in [("error", json!("no_such_code")), ("hex", json!("00"))] {
            if outputs.contains(&key) && vector.get(key).is_none() {
                fail(key, value);
            }
        }
    }
    assert!(mutants > 20_000, "{mutants}");
}

/// The order of keys counts, but for `fields`.
#[test]
fn keys_in_another_order_fail_where_order_counts() {
    let reversed = |value: &Value| match value {
        Value::Object(members) => Value::Object(members.clone().into_iter().rev().collect()),
        other => other.clone(),
    };
    for vector in collective_vectors().into_iter().filter(|vector| vector.get("json").is_some()) {
        let mut mutant = vector.clone();
        mutant["fields"] = reversed(&vector["fields"]);
        run_vector(&mutant).unwrap();
        mutant["json"] = reversed(&vector["json"]);
        run_vector(&mutant).expect_err("keys in another order");
    }
}

#[test]
fn the_collective_vectors_reach_every_op_and_every_code() {
    let mut seen = std::collections::BTreeSet::new();
    for vector in collective_vectors() {
        let op = vector["op"].as_str().unwrap().to_owned();
        let listed = ["errors", "warnings"].into_iter().filter_map(|key| vector.get(key)).flat_map(|codes| {
            codes.as_array().unwrap().iter().map(|code| code.as_str().unwrap().to_owned()).collect::<Vec<_>>()
        });
        let code = vector.get("error").map(|code| code.as_str().unwrap().to_owned());
        seen.extend(listed.chain(code).map(|code| (op.clone(), code.rsplit(':').next().unwrap().to_owned())));
        seen.insert((op, "ran".to_owned()));
    }
    let reached = |op: &str, code: &str| assert!(seen.contains(&(op.to_owned(), code.to_owned())), "{op}: {code}");
    for rule in trnwire::check::Rule::ALL {
        reached("record", rule.code());
    }
    for (op, codes) in [
        ("encode_record", &["field_range", "union_mismatch"][..]),
        (
            "populate",
            &[
                "channel_index",
                "channel_id",
                "spad_slot",
                "chan_fold",
                "sp_idx",
                "sema_unset",
                "sema_range",
                "route_mask",
                "neigh_fold_capacity",
                "pod_fold",
                "qbundle",
                "unsupported_arch",
                "tpb",
                "no_bundle",
            ],
        ),
        ("pack_channels", &["channel_id", "reporter"]),
        ("encode", &["sp_idx", "sema_range", "route_mask"]),
        ("decode", &["not_top_sp", "unused_top_sp", "not_sema_window", "misaligned"]),
        ("split_local", &["view_unknown"]),
        ("apb", &["unsupported_arch", "qbundle", "tpb", "no_bundle", "several_bundles", "mask_low_bits"]),
        ("convert", &["len", "mesh_capacity", "stub_lost"]),
        ("context", &["unknown_arch", "short_context"]),
        ("merge", &["ran"]),
    ] {
        codes.iter().for_each(|code| reached(op, code));
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
