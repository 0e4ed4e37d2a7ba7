//! The JSON Schema of the manifest.

use serde_json::{Map, Value, json};
use trnwire::arch::CollectiveArch;

use super::entry::{DERIVED, Entry, Key, Stored};
use super::manifest::{
    ChannelEntry, DeviceEntry, FileEntry, HostWordEntry, InstanceEntry, ModelEntry, OpEntry, RankEntry, StateEntry,
    VERSION,
};

/// The schema of an object with these keys. Unknown ones are allowed, derived counts are not.
pub(super) fn object(keys: &[Key]) -> Value {
    let mut properties = Map::new();
    for key in keys {
        let mut schema = (key.schema)(key.range);
        if let Value::Object(schema) = &mut schema {
            schema.insert("description".to_owned(), key.meaning.trim().into());
        }
        properties.insert(key.name.to_owned(), schema);
    }
    properties.extend(DERIVED.map(|name| (name.to_owned(), Value::Bool(false))));
    let required: Vec<&str> = keys.iter().filter(|key| key.is_required).map(|key| key.name).collect();
    json!({ "type": "object", "properties": properties, "required": required })
}

/// The JSON Schema (draft 2020-12) of a manifest.
#[must_use]
pub fn schema() -> Value {
    let list = |keys: &[Key]| json!({ "type": "array", "items": object(keys) });
    let mut document = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "trnwire snapshot manifest",
        "type": "object",
        "properties": {
            "trnwire_snapshot": { "const": VERSION },
            "written_by": String::schema(None),
            "arch": CollectiveArch::schema(None),
            "instances": list(InstanceEntry::KEYS),
            "devices": list(DeviceEntry::KEYS),
            "ranks": list(RankEntry::KEYS),
            "ops": list(OpEntry::KEYS),
            "channels": list(ChannelEntry::KEYS),
            "model": object(ModelEntry::KEYS),
            "state": object(StateEntry::KEYS),
            "host_words": list(HostWordEntry::KEYS),
            "files": list(FileEntry::KEYS),
        },
        "required": ["trnwire_snapshot", "arch", "instances", "devices", "ranks", "ops", "channels", "files"],
    });
    if let Some(Value::Object(properties)) = document.get_mut("properties") {
        properties.extend(DERIVED.map(|name| (name.to_owned(), Value::Bool(false))));
    }
    document
}
