//! The text of a manifest: in and out.

use core::fmt;
use std::collections::HashSet;

use rayon::prelude::*;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use trnwire::arch::CollectiveArch;

use super::entry::{DERIVED, Entry, Fault, Key, Stored};
use super::manifest::{Manifest, VERSION};

/// The deepest nesting of a manifest.
const MOST_DEPTH: usize = 16;

/// The keys and values of the outermost object, as they stand.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Outer;
        impl<'de> Visitor<'de> for Outer {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the object of a manifest")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let mut members: Vec<(String, &'de RawValue)> = Vec::new();
                let mut keys = HashSet::new();
                while let Some((key, value)) = map.next_entry::<String, &'de RawValue>()? {
                    if !keys.insert(key.clone()) {
                        return Err(A::Error::custom(format_args!("key {key:?} occurs twice")));
                    }
                    members.push((key, value));
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Outer)
    }
}

/// Why a text is no manifest of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ManifestError {
    /// It has a newer version.
    Version(u64),
    /// Something is wrong at a place.
    Fault(Fault),
}

impl ManifestError {
    /// The rule that does not hold.
    #[must_use]
    pub fn rule(&self) -> &'static crate::rule::Rule {
        match self {
            Self::Version(_) => &super::rules::VERSION,
            Self::Fault(fault) if fault.is_derived => &super::rules::DERIVED,
            Self::Fault(_) => &super::rules::SCHEMA,
        }
    }
}

impl fmt::Display for ManifestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let id = self.rule().id;
        match self {
            Self::Version(version) => {
                write!(
                    f,
                    "/trnwire_snapshot: version {version} is newer than {VERSION}, which this program reads [{id}]"
                )
            }
            Self::Fault(Fault { path, what, .. }) if path.is_empty() => write!(f, "{what} [{id}]"),
            Self::Fault(Fault { path, what, .. }) => write!(f, "{path}: {what} [{id}]"),
        }
    }
}

impl core::error::Error for ManifestError {}

impl From<Fault> for ManifestError {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl Manifest {
    /// Reads a manifest; gives it with the paths of unknown keys.
    ///
    /// # Errors
    /// A newer version, a stored count, or the first key that is missing, of another type or out of range.
    pub fn parse(text: &str) -> Result<(Self, Vec<String>), ManifestError> {
        if is_deeper(text, MOST_DEPTH) {
            return Err(Fault::new("", format!("nested deeper than {MOST_DEPTH}")).into());
        }
        let Members(members) = serde_json::from_str(text).map_err(|error| Fault::new("", error.to_string()))?;
        let mut reader = Reader { members, unknown: Vec::new() };
        let version: u64 = reader.value("trnwire_snapshot", None)?;
        if version > u64::from(VERSION) {
            return Err(ManifestError::Version(version));
        }
        if version == 0 {
            return Err(Fault::new("/trnwire_snapshot", "expected 1, found 0").into());
        }
        let manifest = Self {
            written_by: reader.value("written_by", Some(String::new()))?,
            arch: reader.value::<CollectiveArch>("arch", None)?,
            instances: reader.list("instances", true)?,
            devices: reader.list("devices", true)?,
            ranks: reader.list("ranks", true)?,
            ops: reader.list("ops", true)?,
            channels: reader.list("channels", true)?,
            model: reader.object("model")?.unwrap_or_default(),
            state: reader.object("state")?.unwrap_or_default(),
            host_words: reader.list("host_words", false)?,
            files: reader.list("files", true)?,
            extra: reader.rest()?,
        };
        manifest.check()?;
        Ok((manifest, reader.unknown))
    }

    /// Whether its entries go together.
    ///
    /// # Errors
    /// The first entry that contradicts another one.
    pub fn check(&self) -> Result<(), Fault> {
        super::check::check(self)
    }

    /// The text of the manifest: an entry of a list per line.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = format!("{{\n \"trnwire_snapshot\": {VERSION}");
        let mut member = |key: &str, value: String| out.push_str(&format!(",\n {}: {value}", Value::from(key)));
        member("written_by", Value::from(self.written_by.as_str()).to_string());
        member("arch", Value::from(self.arch.name()).to_string());
        member("instances", lines(&self.instances));
        member("devices", lines(&self.devices));
        member("ranks", lines(&self.ranks));
        member("ops", lines(&self.ops));
        member("channels", lines(&self.channels));
        member("model", Value::Object(self.model.write()).to_string());
        member("state", Value::Object(self.state.write()).to_string());
        if !self.host_words.is_empty() {
            member("host_words", lines(&self.host_words));
        }
        member("files", lines(&self.files));
        for (key, value) in &self.extra {
            member(key, value.to_string());
        }
        out.push_str("\n}\n");
        out
    }
}

/// A list with an entry per line.
fn lines(entries: &[impl Entry]) -> String {
    if entries.is_empty() {
        return "[]".to_owned();
    }
    let all: Vec<String> = entries.iter().map(|entry| format!("  {}", Value::Object(entry.write()))).collect();
    format!("[\n{}\n ]", all.join(",\n"))
}

struct Reader<'a> {
    members: Vec<(String, &'a RawValue)>,
    unknown: Vec<String>,
}

impl<'a> Reader<'a> {
    fn take(&mut self, name: &str) -> Option<&'a RawValue> {
        let index = self.members.iter().position(|(key, _)| key == name)?;
        Some(self.members.remove(index).1)
    }

    fn value<T: Stored>(&mut self, name: &'static str, default: Option<T>) -> Result<T, Fault> {
        let key =
            Key { name, meaning: "", kind: T::KIND, is_required: default.is_none(), range: None, schema: T::schema };
        let mut map = Map::new();
        if let Some(raw) = self.take(name) {
            map.insert(name.to_owned(), parse(raw, &format!("/{name}"))?);
        }
        super::entry::take(&mut map, "", &key, default)
    }

    fn object<T: Entry>(&mut self, name: &'static str) -> Result<Option<T>, Fault> {
        let Some(raw) = self.take(name) else { return Ok(None) };
        let path = format!("/{name}");
        let map = object(raw, &path)?;
        T::read(map, &path, &mut |key| self.unknown.push(key)).map(Some)
    }

    /// Entries are read side by side; the first fault is that of the first entry that has one.
    fn list<T: Entry + Send>(&mut self, name: &'static str, is_required: bool) -> Result<Vec<T>, Fault> {
        let Some(raw) = self.take(name) else {
            return if is_required { Err(Fault::new("", format!("key {name:?} is missing"))) } else { Ok(Vec::new()) };
        };
        let expected = |_| {
            let found: String = raw.get().chars().take(60).collect();
            Fault::new(format!("/{name}"), format!("expected a list of objects, found {found}"))
        };
        let elements: Vec<&RawValue> = serde_json::from_str(raw.get()).map_err(expected)?;
        let read = |(index, raw): (usize, &&RawValue)| {
            let path = format!("/{name}/{index}");
            let mut unknown = Vec::new();
            let entry = T::read(object(raw, &path)?, &path, &mut |key| unknown.push(key))?;
            Ok((entry, unknown))
        };
        let all: Vec<Result<(T, Vec<String>), Fault>> = elements.par_iter().enumerate().map(read).collect();
        let mut entries = Vec::with_capacity(all.len());
        for result in all {
            let (entry, unknown) = result?;
            entries.push(entry);
            self.unknown.extend(unknown);
        }
        Ok(entries)
    }

    fn rest(&mut self) -> Result<Map<String, Value>, Fault> {
        let mut map = Map::new();
        for (key, raw) in core::mem::take(&mut self.members) {
            if DERIVED.contains(&key.as_str()) {
                let what = "a count that follows from the records may not be stored";
                return Err(Fault { is_derived: true, ..Fault::new(format!("/{key}"), what) });
            }
            let path = format!("/{key}");
            let value = parse(raw, &path)?;
            if !key.starts_with("x_") {
                self.unknown.push(path);
            }
            map.insert(key, value);
        }
        Ok(map)
    }
}

/// A value in which no key occurs twice.
fn parse(raw: &RawValue, path: &str) -> Result<Value, Fault> {
    trnwire_json::parse(raw.get()).map_err(|error| Fault::new(path, error.to_string()))
}

fn object(raw: &RawValue, path: &str) -> Result<Map<String, Value>, Fault> {
    match parse(raw, path)? {
        Value::Object(map) => Ok(map),
        other => {
            let found: String = other.to_string().chars().take(60).collect();
            Err(Fault::new(path, format!("expected an object, found {found}")))
        }
    }
}

/// Whether brackets nest deeper than this; those within strings do not count.
fn is_deeper(text: &str, most: usize) -> bool {
    let mut depth = 0_usize;
    let mut in_string = false;
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' if in_string => {
                bytes.next();
            }
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => {
                depth = depth.saturating_add(1);
                if depth > most {
                    return true;
                }
            }
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}
