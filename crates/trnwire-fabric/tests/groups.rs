//! Groups against an independent expansion: fixtures/generate_groups.py, which computes them with numpy.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a fixture that is not as it should be fails the test"
)]
#![allow(clippy::arithmetic_side_effects, reason = "counts of a few hundred lines")]

use std::collections::BTreeMap;

use serde_json::Value;
use trnwire_fabric::groups::{
    CollectiveOp, Devices, Form, GroupMode, Language, expand, expand_groups, parse, read_module,
};

const CASES: &str = include_str!("fixtures/groups.jsonl");

fn count(case: &Value, key: &str) -> Option<u32> {
    case[key].as_u64().map(|count| u32::try_from(count).unwrap())
}

/// The line of the op.
fn line(case: &Value) -> usize {
    case["line"].as_u64().unwrap().try_into().unwrap()
}

/// A list of lists of the case.
fn lists(case: &Value, key: &str) -> Vec<Vec<u32>> {
    serde_json::from_value(case[key].clone()).unwrap()
}

/// Runs a case of a module, and says what was counted.
fn run_module(case: &Value) -> [String; 4] {
    let text = case["text"].as_str().unwrap();
    let module = read_module(text);
    if let Some(refused) = case["refused"].as_str() {
        assert_eq!(module.collectives, [], "{text}");
        let codes: Vec<_> = module.refused.iter().map(|error| error.code()).collect();
        assert_eq!(codes, [refused], "{text}: {:?}", module.refused);
        assert_eq!(module.refused[0].op, case["name"], "{text}");
        assert_eq!(module.refused[0].line, line(case), "{text}");
        assert_eq!(module.refused[0].field, "replica_groups", "{text}");
        return ["refused".into(), String::new(), String::new(), refused.into()];
    }
    assert_eq!(module.refused, [], "{text}");
    let [collective] = module.collectives.as_slice() else { panic!("{text}: {:?}", module.collectives) };
    assert_eq!(collective.name, case["name"], "{text}");
    assert_eq!(collective.line, line(case), "{text}");
    assert_eq!(collective.opcode, case["opcode"], "{text}");
    assert_eq!(collective.channel_id, case["channel"].as_i64(), "{text}");
    assert_eq!(collective.use_global_device_ids, case["global_ids"].as_bool(), "{text}");
    let form = collective.written.as_ref().map(|written| written.form().name());
    assert_eq!(form, case["form"].as_str(), "{text}");

    let replicas = count(case, "replicas").or(module.replicas);
    let partitions = count(case, "partitions").or(module.partitions);
    let mode = collective.mode().ok().map(GroupMode::name);
    assert_eq!(mode, case["mode"].as_str(), "{text}");
    let result = expand(collective, replicas, partitions);
    let error = match result {
        Err(error) => {
            assert_eq!(Some(error.code()), case["error"].as_str(), "{text}");
            error.code()
        }
        Ok(expansion) => {
            assert_eq!(Some(expansion.mode.name()), mode, "{text}");
            match expansion.devices {
                Devices::Groups(groups) => assert_eq!(groups.to_vecs(), lists(case, "groups"), "{text}"),
                Devices::Pairs(pairs) => {
                    let pairs: Vec<_> = pairs.iter().map(|pair| pair.to_vec()).collect();
                    assert_eq!(pairs, lists(case, "pairs"), "{text}");
                }
            }
            ""
        }
    };
    let language = module.language.name();
    let op = format!("{language} {} {}", collective.op, mode.unwrap_or("none"));
    [op, form.unwrap_or("absent").into(), mode.unwrap_or("none").into(), error.into()]
}

/// Runs a case of groups alone.
fn run_groups(case: &Value) -> [String; 4] {
    let text = case["groups_text"].as_str().unwrap();
    let written = parse(text).unwrap();
    assert_eq!(written.form().name(), case["form"], "{text}");
    let mode = GroupMode::ALL.into_iter().find(|mode| mode.name() == case["mode"]).unwrap();
    let groups = expand_groups(&written.groups(), mode, count(case, "replicas"), count(case, "partitions"));
    assert_eq!(groups.unwrap().to_vecs(), lists(case, "groups"), "{text}");
    assert_eq!(parse(&written.to_string()).as_ref(), Ok(&written), "{text}");
    ["groups".into(), written.form().name().into(), mode.name().into(), String::new()]
}

#[test]
fn every_case_of_the_second_expansion_agrees() {
    let mut counts: BTreeMap<(usize, String), usize> = BTreeMap::new();
    let mut cases = 0;
    for line in CASES.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let counted = if case["text"].is_string() { run_module(&case) } else { run_groups(&case) };
        for (column, word) in counted.into_iter().enumerate() {
            *counts.entry((column, word)).or_default() += 1;
        }
        cases += 1;
    }
    assert!(cases >= 400, "{cases}");
    let has = |column: usize, word: &str| counts.get(&(column, word.to_owned())).copied().unwrap_or_default();

    // Every op in every mode that it has, in both languages.
    for language in [Language::Hlo, Language::StableHlo] {
        for op in CollectiveOp::ALL {
            let is_missing = language == Language::StableHlo && op == CollectiveOp::RaggedAllToAll;
            for mode in GroupMode::ALL {
                let can_have = match mode {
                    GroupMode::CrossReplica => true,
                    GroupMode::CrossPartition => !op.knows_global_ids(),
                    _ => op.knows_global_ids(),
                };
                let name = format!("{} {op} {mode}", language.name());
                assert_eq!(has(0, &name) > 0, can_have && !is_missing, "{name}");
            }
        }
    }
    for form in Form::ALL {
        assert!(has(1, form.name()) >= 10, "{form}");
    }
    assert!(has(1, "absent") >= 10);
    for mode in GroupMode::ALL {
        assert!(has(2, mode.name()) >= 40, "{mode}");
    }
    for error in [
        "global_ids_without_channel",
        "no_global_ids",
        "missing_count",
        "empty_flattened",
        "no_pairs",
        "not_a_pair",
        "out_of_range",
        "id_twice",
        "id_missing",
        "source_twice",
        "target_twice",
    ] {
        assert!(has(3, error) > 0, "{error}");
    }
    println!("{cases} cases: {counts:#?}");
}
