//! Snapshots: those of another writer, our own, damaged and hostile ones.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test may fail so")]
#![allow(clippy::arithmetic_side_effects, clippy::as_conversions, clippy::string_slice, reason = "small numbers")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use trnwire::soc::{SocAddress, Window};
use trnwire_fabric::snapshot::manifest::FileKind;
use trnwire_fabric::snapshot::{
    Limits, Manifest, OpenError, Register, Snapshot, Unresolved, comparable, hash, schema, unchanged, write,
};

const EXAMPLES: [&str; 3] = ["ring4-stopped", "ring6-misrouted", "kangaring8-partial.tar.zst"];

fn example(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/inputs/snapshots").join(name)
}

fn open(path: &Path) -> Snapshot {
    Snapshot::open(path, Limits::default()).unwrap()
}

/// A directory of the test's own, gone at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("trnwire-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir(&path).unwrap();
        Self(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn told(snapshot: &Snapshot) -> Vec<String> {
    snapshot.findings.iter().map(|finding| format!("{} {}", finding.rule.id, finding.place)).collect()
}

/// The manifest of an example, as JSON.
fn manifest_of(name: &str) -> Value {
    serde_json::from_str(&fs::read_to_string(example(name).join("snapshot.json")).unwrap()).unwrap()
}

#[test]
fn the_examples_are_read_and_their_findings_are_those_expected() {
    assert_eq!(told(&open(&example("ring4-stopped"))), [""; 0]);
    assert_eq!(told(&open(&example("ring6-misrouted"))), ["SNAP-HASH i0/nd2/sp01.sema"]);
    let partial = open(&example("kangaring8-partial.tar.zst"));
    assert_eq!(told(&partial), ["SNAP-MISSING i0/nd0/sp00.state"]);
    assert_eq!((partial.missing[0].kind, partial.missing[0].owner), (FileKind::AlgoState, (0, 0, 0)));
}

#[test]
fn every_key_of_a_manifest_survives_reading_and_writing() {
    for name in &EXAMPLES[..2] {
        let original = manifest_of(name);
        let (manifest, unknown) = Manifest::parse(&original.to_string()).unwrap();
        assert!(unknown.is_empty());
        let written: Value = serde_json::from_str(&manifest.text()).unwrap();
        assert_contains(&written, &original, name);
        assert_eq!(Manifest::parse(&manifest.text()).unwrap().0, manifest);
    }
    let with_more = json_with("ring4-stopped", &|manifest| {
        manifest["x_mine"] = json!({ "deep": [1, null] });
        manifest["newer"] = json!(3);
        manifest["channels"][2]["x_note"] = json!("kept");
        manifest["channels"][2]["sloots"] = json!(4);
    });
    let (manifest, unknown) = Manifest::parse(&with_more.to_string()).unwrap();
    assert_eq!(unknown, ["/channels/2/sloots", "/newer"]);
    assert_contains(&serde_json::from_str(&manifest.text()).unwrap(), &with_more, "more");
}

/// Everything in `part` is in `whole`.
fn assert_contains(whole: &Value, part: &Value, place: &str) {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => {
            for (key, value) in part {
                assert_contains(
                    whole.get(key).unwrap_or_else(|| panic!("{place}/{key}")),
                    value,
                    &format!("{place}/{key}"),
                );
            }
        }
        (Value::Array(whole), Value::Array(part)) => {
            assert_eq!(whole.len(), part.len(), "{place}");
            for (index, (whole, part)) in whole.iter().zip(part).enumerate() {
                assert_contains(whole, part, &format!("{place}/{index}"));
            }
        }
        // Routes are written with at least four digits.
        (Value::String(whole), Value::String(part)) if place.ends_with("/route") => {
            let number = |text: &str| u64::from_str_radix(&text[2..], 16).unwrap();
            assert_eq!(number(whole), number(part), "{place}");
        }
        _ => assert_eq!(whole, part, "{place}"),
    }
}

fn json_with(name: &str, change: &dyn Fn(&mut Value)) -> Value {
    let mut manifest = manifest_of(name);
    change(&mut manifest);
    manifest
}

#[test]
fn addresses_mean_registers_of_the_holder_or_of_the_device_with_their_route() {
    let snapshot = open(&example("ring4-stopped"));
    let entry = snapshot.entry(0, 3, 0).unwrap();
    let resolve = |address: Option<SocAddress>| snapshot.resolve((0, 1), address.unwrap());
    let (data, window) = resolve(entry.bump_data).unwrap();
    assert_eq!((data.device, window), ((0, 1), Window::Inc));
    // It is what rank 2 waits on.
    let receiver = snapshot.row(snapshot.entry(0, 2, 0).unwrap()).unwrap();
    assert_eq!(snapshot.resolve((0, 1), receiver.recv_sema.get()).unwrap(), (data, Window::Read));
    let (credit, _) = resolve(entry.bump_credit).unwrap();
    assert_eq!(credit.device, (0, 0));
    assert_eq!(snapshot.semaphore(data), Some(2));
    assert_eq!(snapshot.live_row(entry).unwrap().recv_cnt.get(), 0);
    let elsewhere = SocAddress(entry.bump_credit.unwrap().0 | 1 << 55);
    assert_eq!(snapshot.resolve((0, 1), elsewhere), Err(Unresolved::Route(0x820)));
    assert_eq!(snapshot.semaphore(Register { device: (0, 9), ..data }), None);
}

#[test]
fn what_is_written_is_read_again_and_equal_content_gives_equal_bytes() {
    let scratch = Scratch::new("write");
    for name in EXAMPLES {
        let (manifest, contents) = open(&example(name)).into_contents();
        for form in ["dir", "a.tar", "a.tar.zst"] {
            let (one, other) = (scratch.0.join(format!("{name}-1-{form}")), scratch.0.join(format!("{name}-2-{form}")));
            write(&one, &manifest, &contents, false).unwrap();
            let again = open(&one);
            // Damaged files were not read, so that they are missing now.
            assert!(told(&again).iter().all(|told| told.starts_with("SNAP-MISSING")), "{:?}", told(&again));
            let (manifest_again, contents_again) = again.into_contents();
            assert!(manifest_again == manifest && contents_again == contents, "{name} {form}");
            write(&other, &manifest_again, &contents_again, false).unwrap();
            if form != "dir" {
                assert_eq!(fs::read(&one).unwrap(), fs::read(&other).unwrap());
            }
            assert!(write(&one, &manifest, &contents, false).unwrap_err().to_string().ends_with("--force replaces it"));
            write(&one, &manifest, &contents, true).unwrap();
            assert_eq!(open(&one).manifest, manifest);
        }
    }
    let left: Vec<_> = fs::read_dir(&scratch.0).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 18, "{left:?}");
}

/// Copies an example and changes it.
fn changed(scratch: &Scratch, change: &dyn Fn(&Path)) -> Snapshot {
    let place = scratch.0.join("changed");
    let _ = fs::remove_dir_all(&place);
    let (manifest, contents) = open(&example("ring4-stopped")).into_contents();
    write(&place, &manifest, &contents, false).unwrap();
    change(&place);
    open(&place)
}

#[test]
fn damage_costs_a_file_and_is_said() {
    let scratch = Scratch::new("damage");
    let file = "i0/nd1/sp03.state";
    let told_of = |change: &dyn Fn(&Path)| told(&changed(&scratch, change));
    assert_eq!(told_of(&|_| {}), [""; 0]);
    assert_eq!(told_of(&|place| fs::remove_file(place.join(file)).unwrap()), [format!("SNAP-MISSING {file}")]);
    assert_eq!(told_of(&|place| fs::write(place.join(file), b"short").unwrap()), [format!("SNAP-SIZE {file}")]);
    assert_eq!(told_of(&|place| fs::write(place.join(file), [7; 518]).unwrap()), [format!("SNAP-HASH {file}")]);
    assert_eq!(told_of(&|place| fs::write(place.join("i0/more"), b"x").unwrap()), ["SNAP-UNLISTED i0/more"]);
    assert_eq!(told_of(&|place| fs::write(place.join("i0/a b"), b"x").unwrap()), ["SNAP-PATH i0/a b"]);
    #[cfg(unix)]
    assert_eq!(
        told_of(&|place| {
            fs::rename(place.join(file), place.join("elsewhere")).unwrap();
            std::os::unix::fs::symlink(place.join("elsewhere"), place.join(file)).unwrap();
        }),
        [format!("SNAP-PATH {file}"), format!("SNAP-MISSING {file}"), "SNAP-UNLISTED elsewhere".to_owned()]
    );
    let edit = |place: &Path, change: &dyn Fn(&mut Value)| {
        let path = place.join("snapshot.json");
        let mut manifest: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        change(&mut manifest);
        fs::write(path, manifest.to_string()).unwrap();
    };
    assert_eq!(
        told_of(&|place| edit(place, &|manifest| manifest["files"][0]["sha256"] = Value::Null)),
        ["SNAP-UNHASHED i0/nd0/sp00.block"]
    );
    let without = changed(&scratch, &|place| fs::remove_file(place.join(file)).unwrap());
    assert!(without.live_row(without.entry(0, 3, 0).unwrap()).is_none());
    assert!(without.row(without.entry(0, 3, 0).unwrap()).is_some());
}

#[test]
fn a_context_goes_before_block_and_state() {
    let scratch = Scratch::new("context");
    let with_context = |differ: bool| {
        changed(&scratch, &|place| {
            let mut context = vec![0; trnwire::context::smallest_context(trnwire::arch::CollectiveArch::Sunda)];
            let block = fs::read(place.join("i0/nd0/sp00.block")).unwrap();
            context[..block.len()].copy_from_slice(&block);
            let state = fs::read(place.join("i0/nd0/sp00.state")).unwrap();
            // The state stands at the end of the smallest context.
            let start = context.len() - state.len();
            context[start..].copy_from_slice(&state);
            context[140] ^= u8::from(differ);
            let path = place.join("snapshot.json");
            let mut manifest: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
            manifest["files"].as_array_mut().unwrap().push(json!({
                "path": "c", "kind": "context", "instance": 0, "device": 0, "top_sp": 0,
                "bytes": context.len(), "sha256": hash(&context),
            }));
            fs::write(path, manifest.to_string()).unwrap();
            fs::write(place.join("c"), context).unwrap();
        })
    };
    assert_eq!(told(&with_context(false)), [""; 0]);
    let differing = with_context(true);
    assert_eq!(told(&differing), ["SNAP-CONFLICT instance 0, device 0, top-SP 0"]);
    assert_eq!(differing.row(differing.entry(0, 0, 0).unwrap()).unwrap().channel_id, 1);
}

#[test]
fn each_key_that_is_wrong_is_named_by_its_path() {
    let original = manifest_of("ring4-stopped");
    let error = |manifest: &Value| Manifest::parse(&manifest.to_string()).unwrap_err().to_string();
    let mut tried = 0;
    for section in ["instances", "devices", "ranks", "ops", "channels", "files"] {
        for (key, value) in original[section][0].as_object().unwrap() {
            let path = format!("/{section}/0/{key}");
            let mut wrong = original.clone();
            wrong[section][0][key] = if value.is_object() { json!(1.5) } else { json!({ "not": "this" }) };
            assert!(error(&wrong).starts_with(&path), "{path}: {}", error(&wrong));
            if value.is_i64() {
                wrong[section][0][key] = json!(-1);
                assert!(error(&wrong).starts_with(&path), "{path}");
            }
            tried += 1;
        }
    }
    assert!(tried > 40, "{tried}");
    for key in ["trnwire_snapshot", "arch", "instances", "devices", "ranks", "ops", "channels", "files"] {
        let mut without = original.clone();
        without.as_object_mut().unwrap().remove(key);
        assert_eq!(error(&without), format!("key \"{key}\" is missing [SNAP-SCHEMA]"));
    }
    for (section, key) in [("ranks", "core"), ("channels", "bump_data"), ("files", "sha256"), ("ops", "ranks")] {
        let mut without = original.clone();
        without[section][0].as_object_mut().unwrap().remove(key);
        assert_eq!(error(&without), format!("/{section}/0: key \"{key}\" is missing [SNAP-SCHEMA]"));
    }
}

#[test]
fn entries_must_go_together() {
    let error = |change: &dyn Fn(&mut Value)| {
        Manifest::parse(&json_with("ring4-stopped", change).to_string()).unwrap_err().to_string()
    };
    type Change = fn(&mut Value);
    let cases: [(Change, &str); 22] = [
        (|m| m["trnwire_snapshot"] = json!(2), "/trnwire_snapshot: version 2 is newer than 1"),
        (|m| m["trnwire_snapshot"] = json!(0), "/trnwire_snapshot: expected 1, found 0"),
        (
            |m| m["channels"][1]["sent"] = json!(2),
            "/channels/1/sent: a count that follows from the records may not be stored [SNAP-DERIVED]",
        ),
        (|m| m["delivered"] = json!(2), "/delivered: a count"),
        (
            |m| m["devices"][1]["route"] = m["devices"][0]["route"].clone(),
            "/devices/1/route: 0x20 is the route of /devices/0",
        ),
        (|m| m["devices"][1]["route"] = json!("0x0"), "/devices/1/route: expected hex digits behind 0x, not zero"),
        (|m| m["devices"][1]["device"] = json!(0), "/devices/1: device 0 of instance 0 occurs twice"),
        (|m| m["devices"][1]["instance"] = json!(1), "/devices/1/instance: no instance 1, there are 1"),
        (|m| m["ranks"][1]["rank"] = json!(0), "/ranks/1/rank: rank 0 occurs twice"),
        (|m| m["ranks"][1]["device"] = json!(7), "/ranks/1/device: device 7 of instance 0 is not listed"),
        (|m| m["ranks"][1]["top_sps"] = json!([6]), "/ranks/1/top_sps: top-SP 6, and sunda has 6"),
        (|m| m["ops"][0]["ranks"][1] = json!(9), "/ops/0/ranks: rank 9 is not listed"),
        (|m| m["ops"][0]["ranks"][1] = json!(0), "/ops/0/ranks: rank 0 occurs twice"),
        (|m| m["ops"][0]["channels"] = json!([]), "/ops/0/channels: a ring has channels"),
        (|m| m["ops"][0]["collective"] = json!("gather"), "/ops/0/collective: \"gather\" is not"),
        (|m| m["ops"][0]["group_size"] = json!(2), "/ops/0/group_size: a ring has no groups of 2"),
        (|m| m["channels"][1]["op"] = json!(5), "/channels/1/op: op 5 is not listed"),
        (|m| m["channels"][1]["next"] = json!(8), "/channels/1/next: rank 8 is not listed"),
        (|m| m["channels"][1]["top_sp"] = json!(5), "/channels/1/top_sp: top-SP 5 is none of rank 2's"),
        (|m| m["channels"][1] = m["channels"][0].clone(), "/channels/1/channel: op 0, rank 3, channel 0 occurs twice"),
        (|m| m["files"][1]["path"] = json!("../x"), "/files/1/path: \"../x\": the parts . and .. are not allowed"),
        (|m| m["files"][0]["bytes"] = json!(20736), "/files/0/bytes: 20736 bytes, and the sunda view has 8744"),
    ];
    for (change, expected) in cases {
        let found = error(&change);
        assert!(found.starts_with(expected), "{found} instead of {expected}");
    }
    let text = manifest_of("ring4-stopped").to_string();
    let parse = |text: &str| Manifest::parse(text).unwrap_err().to_string();
    assert!(
        parse(&text.replacen("\"arch\":", "\"arch\":\"cayman\",\"arch\":", 1)).contains("key \"arch\" occurs twice")
    );
    assert!(parse(&text.replacen("\"core\":", "\"core\":0,\"core\":", 1)).contains("key \"core\" occurs twice"));
    let deep = text.replacen("\"arch\":", &format!("\"x_deep\":{}1{},\"arch\":", "[".repeat(20), "]".repeat(20)), 1);
    assert!(parse(&deep).starts_with("nested deeper than 16"));
}

#[test]
fn the_schema_takes_what_the_reader_takes_and_refuses_what_it_refuses() {
    let validator = jsonschema::validator_for(&schema()).unwrap();
    for name in &EXAMPLES[..2] {
        let errors: Vec<String> = validator.iter_errors(&manifest_of(name)).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{name}: {errors:?}");
    }
    let original = manifest_of("ring4-stopped");
    for section in ["instances", "devices", "ranks", "ops", "channels", "files"] {
        for (key, value) in original[section][0].as_object().unwrap() {
            let mut wrong = original.clone();
            wrong[section][0][key] = if value.is_object() { json!(1.5) } else { json!({ "not": "this" }) };
            assert!(!validator.is_valid(&wrong), "/{section}/0/{key}");
        }
    }
    for change in [
        |m: &mut Value| m["channels"][0]["sent"] = json!(1),
        |m: &mut Value| m["channels"][0]["channel"] = json!(32),
        |m: &mut Value| m["trnwire_snapshot"] = json!(2),
        |m: &mut Value| m["model"]["hold"] = json!("both"),
    ] {
        assert!(!validator.is_valid(&json_with("ring4-stopped", &change)));
    }
}

#[test]
fn two_snapshots_of_one_job_are_compared() {
    let one = open(&example("ring4-stopped"));
    assert_eq!(comparable(&one.manifest, &one.manifest), Ok(()));
    let entry = one.entry(0, 3, 0).unwrap();
    assert_eq!(unchanged(&one, &one, entry), Some(true));
    let with =
        |change: &dyn Fn(&mut Value)| Manifest::parse(&json_with("ring4-stopped", change).to_string()).unwrap().0;
    let difference = |change: &dyn Fn(&mut Value)| comparable(&one.manifest, &with(change)).unwrap_err().path;
    assert_eq!(difference(&|m| m["ops"][0]["groups"] = json!(2)), "/ops/0");
    assert_eq!(difference(&|m| m["channels"][2]["slots"] = json!(9)), "/channels/2");
    let named = |name| with(&|m| m["state"]["job"] = json!(name));
    assert_eq!(comparable(&named("a"), &named("b")).unwrap_err().path, "/state/job");
    assert_eq!(comparable(&named("a"), &one.manifest), Ok(()));
    let scratch = Scratch::new("compare");
    let moved = changed(&scratch, &|place| {
        let file = place.join("i0/nd1/sp03.state");
        let mut state = fs::read(&file).unwrap();
        state[0] = 1;
        let path = place.join("snapshot.json");
        let text = fs::read_to_string(&path).unwrap();
        fs::write(path, text.replace(&hash(&fs::read(&file).unwrap()), &hash(&state))).unwrap();
        fs::write(file, state).unwrap();
    });
    assert_eq!(told(&moved), [""; 0]);
    assert_eq!(unchanged(&one, &moved, entry), Some(false));
}

/// An archive of entries as they are given.
fn archive(entries: &[(&str, tar::EntryType, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, kind, bytes) in entries {
        let mut header = tar::Header::new_ustar();
        header.set_entry_type(*kind);
        header.set_size(bytes.len() as u64);
        header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_cksum();
        builder.append(&header, *bytes).unwrap();
    }
    builder.into_inner().unwrap()
}

fn of_archive(scratch: &Scratch, bytes: &[u8], limits: Limits) -> Result<Snapshot, OpenError> {
    let path = scratch.0.join("x.tar");
    fs::File::create(&path).unwrap().write_all(bytes).unwrap();
    Snapshot::open(&path, limits)
}

#[test]
fn hostile_archives_cost_their_entries() {
    use tar::EntryType::{Link, Regular, Symlink};
    let scratch = Scratch::new("hostile");
    let manifest = json_with("ring4-stopped", &|manifest| manifest["files"] = json!([])).to_string();
    let manifest = manifest.as_bytes();
    let told_of = |entries: &[(&str, tar::EntryType, &[u8])]| {
        told(&of_archive(&scratch, &archive(entries), Limits::default()).unwrap())
    };
    assert_eq!(told_of(&[("snapshot.json", Regular, manifest)]), [""; 0]);
    assert_eq!(told_of(&[("./snapshot.json", Regular, manifest)]), [""; 0]);
    assert_eq!(told_of(&[("top/snapshot.json", Regular, manifest), ("top/a", Regular, b"")]), ["SNAP-UNLISTED a"]);
    assert_eq!(told_of(&[("snapshot.json", Regular, manifest), ("../a", Regular, b"")]), ["SNAP-PATH ../a"]);
    assert_eq!(told_of(&[("snapshot.json", Regular, manifest), ("/a", Regular, b"")]), ["SNAP-PATH /a"]);
    assert_eq!(told_of(&[("snapshot.json", Regular, manifest), ("a", Symlink, b"")]), ["SNAP-PATH a"]);
    assert_eq!(told_of(&[("snapshot.json", Regular, manifest), ("a", Link, b"")]), ["SNAP-PATH a"]);
    let twice = told_of(&[("snapshot.json", Regular, manifest), ("a", Regular, b"1"), ("a", Regular, b"2")]);
    assert_eq!(twice, ["SNAP-DUP a"]);
    let missing = of_archive(&scratch, &archive(&[("a", Regular, b"")]), Limits::default()).unwrap_err();
    assert!(missing.to_string().ends_with("no snapshot.json at the top"));
    let both = archive(&[("snapshot.json", Regular, manifest), ("snapshot.json", Regular, manifest)]);
    assert!(matches!(of_archive(&scratch, &both, Limits::default()), Err(OpenError::NoManifest(_))));
}

#[test]
fn archives_cut_anywhere_are_read_or_refused() {
    let scratch = Scratch::new("cut");
    let (manifest, contents) = open(&example("ring4-stopped")).into_contents();
    for name in ["whole.tar", "whole.tar.zst"] {
        let place = scratch.0.join(name);
        write(&place, &manifest, &contents, false).unwrap();
        let bytes = fs::read(&place).unwrap();
        let mut opened = 0;
        for end in (0..bytes.len()).step_by(512) {
            if let Ok(snapshot) = of_archive(&scratch, &bytes[..end], Limits::default()) {
                opened += 1;
                assert_eq!(snapshot.manifest, manifest);
            }
        }
        assert!(opened > 0 || name.ends_with("zst"));
    }
}

#[test]
fn limits_hold_before_anything_is_read() {
    let scratch = Scratch::new("limits");
    let (manifest, contents) = open(&example("ring4-stopped")).into_contents();
    let place = scratch.0.join("a.tar.zst");
    write(&place, &manifest, &contents, false).unwrap();
    let error = |limits| Snapshot::open(&place, limits).unwrap_err().to_string();
    let usual = Limits::default();
    assert!(error(Limits { manifest_bytes: 100, ..usual }).ends_with("(--max-manifest): more than 100"));
    assert!(error(Limits { entries: 3, ..usual }).ends_with("(--max-entries): more than 3"));
    assert!(error(Limits { file_bytes: 600, ..usual }).ends_with("(--max-file): more than 600"));
    assert!(
        error(Limits { total_bytes: 6000, ..usual }).contains("more than 6000")
            || error(Limits { total_bytes: 6000, ..usual }).contains("snapshot.json")
    );
    // A bomb: a gigabyte of zeros in a file that nobody asked for.
    let bomb = scratch.0.join("bomb.tar.zst");
    let mut encoder = zstd::Encoder::new(fs::File::create(&bomb).unwrap(), 1).unwrap();
    let small = archive(&[("snapshot.json", tar::EntryType::Regular, b"{}")]);
    encoder.write_all(&small[..1024]).unwrap();
    let mut header = tar::Header::new_ustar();
    header.set_path("zeros").unwrap();
    header.set_entry_type(tar::EntryType::Regular);
    header.set_size(1 << 30);
    header.set_cksum();
    encoder.write_all(header.as_bytes()).unwrap();
    for _ in 0..1 << 10 {
        encoder.write_all(&[0; 1 << 20]).unwrap();
    }
    encoder.finish().unwrap();
    assert!(fs::metadata(&bomb).unwrap().len() < 1 << 20);
    let refused = Snapshot::open(&bomb, Limits { total_bytes: 1 << 24, ..usual }).unwrap_err().to_string();
    assert!(!refused.is_empty());
}
