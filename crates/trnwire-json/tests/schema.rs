//! The schemas have teeth: what is altered in one place is refused by the schema or by the reader, and what neither can
//! notice is listed here.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test may fail so"
)]
#![allow(clippy::arithmetic_side_effects, clippy::as_conversions, reason = "small numbers")]

use std::collections::BTreeSet;

use jsonschema::Validator;
use serde_json::{Value, json};
use trnwire::Kind;
use trnwire::access::ScaleModulus;
use trnwire::arch::{CollectiveArch, Generation};
use trnwire::block::{Block, View};
use trnwire::context::{Context, smallest_context};
use trnwire_json::dump::{Dumper, Options, Target, pack};
use trnwire_json::encode::{Encoded, Request};
use trnwire_json::{collective, decoded, dump, schema};

/// One place of a document: the JSON pointer, and the same with `*` for every index.
struct Place {
    pointer: String,
    path: String,
}

/// Every place, but of the elements of an array only the first and the last.
fn places(value: &Value) -> Vec<Place> {
    let mut all = Vec::new();
    visit(value, String::new(), String::new(), &mut all);
    all
}

fn visit(value: &Value, pointer: String, path: String, all: &mut Vec<Place>) {
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                visit(value, format!("{pointer}/{key}"), format!("{path}/{key}"), all);
            }
        }
        Value::Array(items) => {
            let last = items.len().saturating_sub(1);
            for (index, value) in items.iter().enumerate().filter(|(index, _)| [0, last].contains(index)) {
                visit(value, format!("{pointer}/{index}"), format!("{path}/*"), all);
            }
        }
        _ => {}
    }
    all.push(Place { pointer, path });
}

/// Ways to alter a value, each with a name.
fn alterations(value: &Value) -> Vec<(&'static str, Value)> {
    let mut all = vec![("null", Value::Null)];
    match value {
        Value::Number(number) => {
            let number = number.as_i64().unwrap_or(i64::MAX);
            all.push(("number", json!(if number == 0 { 1 } else { number - 1 })));
            all.push(("text", json!(number.to_string())));
            all.push(("negative", json!(-5_000_000_000_i64)));
            all.push(("huge", json!(u64::MAX)));
            all.push(("fraction", json!(0.5)));
            all.push(("bool", json!(true)));
        }
        Value::String(text) => {
            all.push(("integer", json!(0)));
            all.push(("empty", json!("")));
            if let Some(digits) = text.strip_prefix("0x") {
                let last = if text.ends_with('1') { "2" } else { "1" };
                all.push(("address", json!(format!("{}{last}", &text[..text.len() - 1]))));
                all.push(("short", json!(format!("0x{}", &digits[1..]))));
                all.push(("long", json!(format!("0x0{digits}"))));
                all.push(("lower", json!(format!("{}a", &text[..text.len() - 1]))));
                all.push(("digit", json!(format!("{}G", &text[..text.len() - 1]))));
                all.push(("prefix", json!(format!("0X{digits}"))));
            } else {
                all.push(("other text", json!(format!("{text}z"))));
                if text.len() >= 2 && text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b' ') {
                    let first = if text.starts_with('1') { "2" } else { "1" };
                    all.push(("hex", json!(format!("{first}{}", &text[1..]))));
                    all.push(("upper", json!(format!("A{}", &text[1..]))));
                }
            }
        }
        Value::Array(items) => {
            all.push(("longer", json!(items.iter().chain(items.last()).collect::<Vec<_>>())));
            if !items.is_empty() {
                all.push(("shorter", json!(items[1..])));
            }
            all.push(("object", json!({})));
        }
        Value::Object(members) => {
            let mut extra = members.clone();
            extra.insert("extra".to_owned(), json!(0));
            all.push(("extra", Value::Object(extra)));
            for key in members.keys() {
                let mut members = members.clone();
                let value = members.shift_remove(key).unwrap();
                all.push(("missing", Value::Object(members.clone())));
                members.insert(format!("{key}_"), value);
                all.push(("renamed", Value::Object(members)));
            }
            all.push(("list", json!([])));
        }
        Value::Bool(flag) => all.push(("flag", json!(!flag))),
        Value::Null => all.push(("something", json!(0))),
    }
    all
}

/// Every alteration that neither the schema nor the reader refuses, as `path: how`.
fn unnoticed(document: &Value, schema: &Value, is_read: impl Fn(&Value) -> bool) -> BTreeSet<String> {
    let validator = validator(schema);
    assert!(is_valid(&validator, document), "the document itself");
    assert!(is_read(document), "the document itself");
    let mut unnoticed = BTreeSet::new();
    let mut count = 0;
    for Place { pointer, path } in places(document) {
        let original = document.pointer(&pointer).unwrap();
        for (how, value) in alterations(original).into_iter().filter(|(_, value)| value != original) {
            let mut altered = document.clone();
            let missing = match (&value, altered.pointer(&pointer)) {
                (Value::Object(now), Some(Value::Object(before))) if how == "missing" => {
                    before.keys().find(|key| !now.contains_key(*key)).map(|key| format!("/{key}"))
                }
                _ => None,
            };
            *altered.pointer_mut(&pointer).unwrap() = value;
            count += 1;
            if is_read(&altered) && is_valid(&validator, &altered) {
                unnoticed.insert(format!("{path}{}: {how}", missing.unwrap_or_default()));
            }
        }
    }
    assert!(count > 20, "{count}");
    unnoticed
}

fn validator(schema: &Value) -> Validator {
    jsonschema::meta::validate(schema).unwrap_or_else(|error| panic!("no schema: {error}"));
    jsonschema::validator_for(schema).unwrap()
}

fn is_valid(validator: &Validator, value: &Value) -> bool {
    validator.is_valid(value)
}

fn reads_as_dump(value: &Value) -> bool {
    pack(value.to_string().as_bytes()).is_ok()
}

/// A context in which every byte is set, but where that would make no legal dump.
fn context_bytes(arch: CollectiveArch) -> Vec<u8> {
    let mut bytes: Vec<u8> = (0..smallest_context(arch)).map(|index| (index % 7 + 1) as u8).collect();
    for row in 0..32 {
        // Neighbours with two live index words.
        bytes[row * 148 + 24] = 2;
        bytes[row * 148 + 52] = 2;
    }
    bytes
}

fn context_dump(options: Options) -> Value {
    let bytes = context_bytes(CollectiveArch::Cayman);
    let mut text = Vec::new();
    let (context, _) = Context::new(CollectiveArch::Cayman, &bytes).unwrap();
    Dumper::new(Target::Context, options).context(&context, "m", &mut text);
    serde_json::from_slice(&text).unwrap()
}

/// Paths of a dump at which another value is as legal as the one that stands there, and those whose number follows from
/// something else.
fn expect_only_other_values(unnoticed: &BTreeSet<String>, allowed: &[&str]) {
    const FOLLOW: [&str; 6] =
        ["/fold_n", "/channel_id", "/peer_id", "/ring/channel_list", "/sema_shift_offset", "/sema_mask"];
    for found in unnoticed {
        let (path, how) = found.split_once(": ").unwrap();
        let is_other_value = matches!(how, "number" | "address" | "hex" | "huge");
        let follows = FOLLOW.iter().any(|end| path.ends_with(end));
        let is_of_channel = path.ends_with("channels/*/fold_n");
        let is_fine = is_other_value && (!follows || is_of_channel) || allowed.contains(&found.as_str());
        assert!(is_fine, "{found} goes unnoticed");
    }
}

#[test]
fn a_dump_altered_in_one_place_is_refused_unless_it_is_another_legal_value() {
    let document = context_dump(Options { full: true, wire: true, compact: true });
    let unnoticed = unnoticed(&document, &dump::schema(Target::Context), reads_as_dump);
    // A group of one key is there or not, as if --wire had not been given; the name of the model is any text.
    let allowed = [
        "/model_name: empty",
        "/model_name: other text",
        "/ncfw_ctx_top_sp/algo/hierarchical/reserved: missing",
        "/ncfw_ctx_top_sp/algo/ring/channels/*/gap: missing",
        "/ncfw_ctx_top_sp/neff/op/ctrl_entry/header/reserved: missing",
    ];
    expect_only_other_values(&unnoticed, &allowed);
    for found in allowed {
        assert!(unnoticed.contains(found), "{found} is noticed");
    }
    // The list of what another legal number can change unseen: exactly these values, and those of the list above.
    let list: Vec<_> = unnoticed.iter().map(String::as_str).collect();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/unnoticed.txt");
    let told = format!("{}\n", list.join("\n"));
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(path, &told).unwrap();
    }
    assert_eq!(told, std::fs::read_to_string(path).unwrap_or_default(), "BLESS=1 rewrites {path}");
}

#[test]
fn dumps_with_any_options_fit_their_schema_and_are_as_strict() {
    let schema = dump::schema(Target::Context);
    for (full, wire) in [(false, false), (true, false), (false, true)] {
        let document = context_dump(Options { full, wire, compact: true });
        let unnoticed = unnoticed(&document, &schema, reads_as_dump);
        let allowed = [
            "/model_name: empty",
            "/model_name: other text",
            "/ncfw_ctx_top_sp/algo/hierarchical/reserved: missing",
            "/ncfw_ctx_top_sp/algo/ring/channels/*/gap: missing",
        ];
        expect_only_other_values(&unnoticed, &allowed);
    }
}

#[test]
fn dumps_of_blocks_and_records_are_as_strict() {
    for view in View::ALL {
        let source = context_bytes(CollectiveArch::Cayman);
        let mut bytes = vec![0; view.size_bytes()];
        let end = bytes.len().min(13376);
        bytes[..end].copy_from_slice(&source[..end]);
        let mut text = Vec::new();
        let block = Block::new(view, &bytes).unwrap();
        Dumper::new(Target::Block(view), Options { wire: true, ..Options::default() }).block(&block, &mut text);
        let document = serde_json::from_slice(&text).unwrap();
        let unnoticed = unnoticed(&document, &dump::schema(Target::Block(view)), reads_as_dump);
        expect_only_other_values(&unnoticed, &[]);
    }
    for target in Target::ALL {
        validator(&dump::schema(target));
    }
}

/// Bytes of a kind that are no special case.
fn sample(kind: Kind) -> Vec<u8> {
    match kind {
        Kind::SemaphoreAddress => 0x0000_0083_4000_1424_u64.to_le_bytes().to_vec(),
        Kind::Addr4 => vec![0x04, 0x80, 0x00, 0x02],
        _ => {
            let size = kind.table().size_bytes as usize;
            (0..size).map(|index| if index % 4 == 3 { 2 } else { (index % 5 + 1) as u8 }).collect()
        }
    }
}

#[test]
fn a_decoded_object_altered_in_one_place_is_refused_unless_it_is_another_legal_value() {
    for &kind in Kind::ALL {
        let bytes = sample(kind);
        let document = decoded(kind, Some(CollectiveArch::Cayman), &bytes).unwrap();
        let is_read = |value: &Value| match kind.is_of_core() {
            true => Request::parse(value, Some(kind), ScaleModulus::default()).is_ok_and(|request| {
                matches!(request.encode(Generation::Gen4), Ok(Encoded::Word(_) | Encoded::Record(_)))
            }),
            false => collective::encode(kind, Some(CollectiveArch::Cayman), value).is_ok_and(|encoded| encoded.is_ok()),
        };
        // Every other reading of the bytes is a document of its own.
        let unnoticed = unnoticed(&document, &schema::decoded(kind), is_read);
        for found in &unnoticed {
            let how = found.rsplit(": ").next().unwrap();
            assert!(matches!(how, "number" | "address" | "hex" | "huge"), "{kind}: {found} goes unnoticed");
        }
    }
}
