//! Operations on blocks and contexts.

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use trnwire::arch::CollectiveArch;
use trnwire::block::{Block, MeshCapacity, STUB_LOST_CODE, View};
use trnwire::check::WRONG_LENGTH_CODE;
use trnwire::context::{Context, ShortContext};
use trnwire::mesh::MeshEvent;
use trnwire::ring::{RING_ROWS, RingChannel};

use super::{Outputs, address_or_zero, failed, index, outputs, refused};
use crate::InputError;
use crate::dump::{Dumper, Options, Target, pack};
use crate::hex;
use crate::input::{Object, wrong};

/// The longest input that a line may ask for.
const MOST_BYTES: usize = 1 << 24;

fn sha256(bytes: &[u8]) -> Value {
    json!(hex::DenseHex(&Sha256::digest(bytes)).to_string())
}

fn view(line: &mut Object<'_>, key: &'static str) -> Result<View, InputError> {
    let name = line.string(key)?;
    View::by_name(name).ok_or_else(|| InputError::new(format!("{key}: {name:?} is none of host, sunda, cayman")))
}

/// The bytes of a block, from its rows and events by index.
fn block_bytes(line: &mut Object<'_>, view: View) -> Result<Vec<u8>, InputError> {
    let mut bytes = vec![0; view.size_bytes()];
    let (rows, events) = (size_of::<[RingChannel; RING_ROWS]>(), size_of::<MeshEvent>());
    place(line, "rows", &mut bytes, 0, size_of::<RingChannel>(), RING_ROWS)?;
    place(line, "events", &mut bytes, rows, events, view.event_count())?;
    let stub = address_or_zero(line, "hier_stub")?.0;
    if view != View::Host
        && let Some(place) = bytes.last_chunk_mut()
    {
        *place = stub.to_le_bytes();
    } else if stub != 0 {
        return Err(InputError::new("hier_stub: a host block has none".to_owned()));
    }
    if line.optional("length").is_some() {
        let length = index("length", line.integer("length")?, "a length")?;
        bytes.resize(usize::min(length, MOST_BYTES), 0);
    }
    Ok(bytes)
}

/// Puts records at their index.
fn place(
    line: &mut Object<'_>,
    key: &'static str,
    bytes: &mut [u8],
    base: usize,
    size: usize,
    count: usize,
) -> Result<(), InputError> {
    let records = match line.optional(key) {
        None | Some(Value::Null) => return Ok(()),
        Some(value) => value.as_object().ok_or_else(|| wrong(key, "an object of index and hex", value))?,
    };
    for (index, value) in records {
        let position = index.parse().ok().filter(|&position| position < count);
        let start = position.map(|position: usize| base.saturating_add(position.saturating_mul(size)));
        let record = value.as_str().and_then(hex::bytes).filter(|record| record.len() == size);
        let target = start.and_then(|start| bytes.get_mut(start..start.saturating_add(size)));
        let (Some(record), Some(target)) = (record, target) else {
            return Err(InputError::new(format!("{key}: {index:?} is no index below {count} with {size} bytes")));
        };
        target.copy_from_slice(&record);
    }
    Ok(())
}

fn options(line: &mut Object<'_>) -> Result<Options, InputError> {
    Ok(Options { wire: line.boolean_or_false("wire")?, ..Options::default() })
}

pub(super) fn block(line: &mut Object<'_>, vector: &Value) -> Result<Outputs, InputError> {
    let view = view(line, "view")?;
    let bytes = block_bytes(line, view)?;
    let options = options(line)?;
    let Some(block) = Block::new(view, &bytes) else { return Ok(failed(WRONG_LENGTH_CODE)) };
    let mut text = Vec::new();
    Dumper::new(Target::Block(view), options).block(&block, &mut text);
    let mut outputs = outputs([("size", json!(bytes.len())), ("sha256", sha256(&bytes))]);
    outputs.extend(of_text(&text, vector)?);
    Ok(outputs)
}

pub(super) fn convert(line: &mut Object<'_>) -> Result<Outputs, InputError> {
    let (from, to) = (view(line, "src")?, view(line, "dst")?);
    let bytes = block_bytes(line, from)?;
    let stub = address_or_zero(line, "stub")?;
    let Some(block) = Block::new(from, &bytes) else { return Ok(failed(WRONG_LENGTH_CODE)) };
    let Ok(converted) = block.convert(to, stub) else { return Ok(failed(MeshCapacity::CODE)) };
    let warnings: Vec<_> = converted.stub_lost.map(|_| STUB_LOST_CODE).into_iter().collect();
    Ok(outputs([
        ("size", json!(converted.bytes.len())),
        ("sha256", sha256(&converted.bytes)),
        ("warnings", json!(warnings)),
    ]))
}

pub(super) fn context(line: &mut Object<'_>, vector: &Value) -> Result<Outputs, InputError> {
    let model_name = line.optional("model_name").map(|_| line.string("model_name")).transpose()?.unwrap_or_default();
    let options = Options { full: line.boolean_or_false("full")?, ..options(line)? };
    let size: usize = index("size", line.integer("size")?, "a size")?;
    let mut bytes = vec![0; size.min(MOST_BYTES)];
    let pieces = line.required("bytes")?;
    for piece in pieces.as_array().ok_or_else(|| wrong("bytes", "a list of [offset, hex]", pieces))? {
        let offset = piece.get(0).and_then(Value::as_u64).and_then(|offset| usize::try_from(offset).ok());
        let data = piece.get(1).and_then(Value::as_str).and_then(hex::bytes);
        let target =
            offset.zip(data.as_ref()).and_then(|(offset, data)| bytes.get_mut(offset..)?.get_mut(..data.len()));
        let (Some(target), Some(data)) = (target, &data) else {
            return Err(wrong("bytes", "[offset, hex] within the size", piece));
        };
        target.copy_from_slice(data);
    }
    let named = line.optional("arch").and_then(Value::as_str);
    let arch = match line.optional("arch_id") {
        Some(id) => id.as_u64().and_then(|id| u32::try_from(id).ok()).and_then(CollectiveArch::from_id),
        None => named.and_then(CollectiveArch::parse),
    };
    let Some(arch) = arch else { return Ok(failed(UNKNOWN_ARCH)) };
    if named.is_some_and(|name| CollectiveArch::parse(name) != Some(arch)) {
        return Err(InputError::new("arch and arch_id differ".to_owned()));
    }
    let Ok((context, _)) = Context::new(arch, &bytes) else { return Ok(failed(ShortContext::CODE)) };
    let mut text = Vec::new();
    Dumper::new(Target::Context, options).context(&context, model_name, &mut text);
    let mut outputs = outputs([]);
    outputs.extend(of_text(&text, vector)?);
    Ok(outputs)
}

/// The code for a number that is no architecture's.
const UNKNOWN_ARCH: &str = "unknown_arch";

/// What is asked about a dump: the outputs look where the line does.
fn of_text(text: &[u8], vector: &Value) -> Result<Outputs, InputError> {
    let dump: Value = serde_json::from_slice(text).map_err(refused)?;
    let packed = pack(text).map_err(refused)?;
    let at = |key: &str, tell: &dyn Fn(&Value) -> Value| {
        let asked = vector.get(key).and_then(Value::as_object).into_iter().flatten();
        let told = asked.filter_map(|(pointer, _)| Some((pointer.clone(), tell(dump.pointer(pointer)?))));
        Value::Object(told.collect::<Map<_, _>>())
    };
    let length = |value: &Value| match value {
        Value::Array(items) => json!(items.len()),
        Value::Object(members) => json!(members.len()),
        _ => Value::Null,
    };
    let keys = |value: &Value| match value {
        Value::Object(members) => members.keys().map(String::as_str).collect(),
        _ => Value::Null,
    };
    let outputs = [
        ("equals", at("equals", &Value::clone)),
        ("lengths", at("lengths", &length)),
        ("key_order", at("key_order", &keys)),
        ("text_sha256", sha256(text)),
        ("packed_sha256", sha256(&packed.bytes)),
    ];
    Ok(outputs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}
