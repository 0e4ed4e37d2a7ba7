//! Whole dumps, byte for byte, as a second implementation wrote them, and the way back.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test may fail so"
)]
#![allow(clippy::arithmetic_side_effects, clippy::as_conversions, reason = "small numbers from committed files")]

use std::io::Read;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;
use sha2::{Digest, Sha256};
use trnwire::arch::CollectiveArch;
use trnwire::block::{Block, View};
use trnwire::context::Context;
use trnwire_json::dump::{Dumper, Options, Target, pack};

struct Golden {
    name: String,
    input: Value,
    text: Vec<u8>,
}

fn goldens() -> Vec<Golden> {
    let directory = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/vectors/golden"));
    let mut all = Vec::new();
    for entry in std::fs::read_dir(&directory).unwrap() {
        let file = entry.unwrap().file_name().into_string().unwrap();
        let Some(name) = file.strip_suffix(".in.json") else { continue };
        let input = serde_json::from_slice(&std::fs::read(directory.join(&file)).unwrap()).unwrap();
        let text = std::fs::read(directory.join(format!("{name}.json"))).unwrap_or_else(|_| {
            let packed = std::fs::File::open(directory.join(format!("{name}.json.gz"))).unwrap();
            let mut text = Vec::new();
            flate2::read::GzDecoder::new(packed).read_to_end(&mut text).unwrap();
            text
        });
        all.push(Golden { name: name.to_owned(), input, text });
    }
    assert_eq!(all.len(), 6);
    all
}

fn hex(text: &Value) -> Vec<u8> {
    let text = text.as_str().unwrap();
    (0..text.len()).step_by(2).map(|index| u8::from_str_radix(&text[index..index + 2], 16).unwrap()).collect()
}

/// The bytes that a golden dump was made from.
fn bytes_of(input: &Value) -> Vec<u8> {
    if input["op"] == "context" {
        let mut bytes = vec![0; input["size"].as_u64().unwrap() as usize];
        for piece in input["bytes"].as_array().unwrap() {
            let (offset, data) = (piece[0].as_u64().unwrap() as usize, hex(&piece[1]));
            bytes[offset..offset + data.len()].copy_from_slice(&data);
        }
        return bytes;
    }
    let mut bytes = vec![0; View::by_name(input["view"].as_str().unwrap()).unwrap().size_bytes()];
    for (key, base, size) in [("rows", 0, 148), ("events", 4736, 80)] {
        for (index, data) in input[key].as_object().unwrap() {
            let offset = base + index.parse::<usize>().unwrap() * size;
            bytes[offset..offset + size].copy_from_slice(&hex(data));
        }
    }
    if let Some(stub) = input["hier_stub"].as_str() {
        let end = bytes.len();
        let stub = u64::from_str_radix(&stub[2..], 16).unwrap();
        bytes[end - 8..].copy_from_slice(&stub.to_le_bytes());
    }
    bytes
}

fn dump(input: &Value, bytes: &[u8]) -> Vec<u8> {
    let flag = |key: &str| input[key].as_bool().unwrap_or_default();
    let options = Options { full: flag("full"), wire: flag("wire"), compact: flag("compact") };
    let mut text = Vec::new();
    if input["op"] == "context" {
        let arch = CollectiveArch::parse(input["arch"].as_str().unwrap()).unwrap();
        let (context, _) = Context::new(arch, bytes).unwrap();
        let name = input["model_name"].as_str().unwrap();
        Dumper::new(Target::Context, options).context(&context, name, &mut text);
    } else {
        let block = Block::of_length(bytes).unwrap();
        Dumper::new(Target::Block(block.view), options).block(&block, &mut text);
    }
    text
}

#[test]
fn every_dump_is_the_golden_one_and_packs_back() {
    for Golden { name, input, text } in goldens() {
        let dumped = dump(&input, &bytes_of(&input));
        let first = dumped.iter().zip(&text).position(|(one, other)| one != other);
        assert!(dumped == text, "{name}: differs at byte {first:?} of {}", text.len());

        let packed = pack(&text).unwrap();
        assert_eq!(packed.bytes.len() as u64, input["packed_size"], "{name}");
        let digest: String = Sha256::digest(&packed.bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(digest, input["packed_sha256"], "{name}");
        assert_eq!(packed.model_name.as_deref(), input["model_name"].as_str(), "{name}");
        assert!(dump(&input, &packed.bytes) == text, "{name}: another dump of what was packed differs");
        if input["wire"] == true && input["op"] == "block" {
            assert!(packed.bytes == bytes_of(&input), "{name}: packing lost a bit");
        }
    }
}

/// Another reader of JSON, and its writer, agree on what a dump says.
#[test]
fn python_reads_every_dump() {
    for Golden { name, text, .. } in goldens() {
        let script = "import json, sys; json.dump(json.load(sys.stdin), sys.stdout)";
        let mut python = Command::new("python3")
            .args(["-c", script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("python3: {error}"));
        let mut stdin = python.stdin.take().unwrap();
        let sent = text.clone();
        let writer = std::thread::spawn(move || std::io::Write::write_all(&mut stdin, &sent).unwrap());
        let output = python.wait_with_output().unwrap();
        writer.join().unwrap();
        assert!(output.status.success(), "{name}");
        let theirs: Value = serde_json::from_slice(&output.stdout).unwrap();
        let ours: Value = serde_json::from_slice(&text).unwrap();
        assert_eq!(theirs.to_string(), ours.to_string(), "{name}: keys, their order, or values");
    }
}
