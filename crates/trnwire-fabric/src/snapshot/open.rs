//! Opening a snapshot: its manifest, then the files that the manifest names.

use std::collections::HashMap;
use std::path::Path;

use rayon::prelude::*;
use sha2::{Digest, Sha256};

use super::check::owner;
use super::container::{Container, MANIFEST};
use super::limits::{Limits, OpenError};
use super::manifest::{FileEntry, FileKind, Manifest};
use super::resolve::Routes;
use super::{Missing, Snapshot, rules};
use crate::rule::{Finding, Rule};

impl Snapshot {
    /// Opens a snapshot: a directory, a .tar or a .tar.zst. A file that is missing or damaged costs that file.
    ///
    /// # Errors
    /// No manifest that can be read, or more than the limits allow.
    pub fn open(place: &Path, limits: Limits) -> Result<Self, OpenError> {
        let container = Container::open(place, limits)?;
        let size = *container.sizes.get(MANIFEST).ok_or_else(|| OpenError::NoManifest(place.to_owned()))?;
        let over = |what, limit| OpenError::Limit { path: place.to_owned(), what, limit };
        if size > limits.manifest_bytes {
            return Err(over("bytes of snapshot.json (--max-manifest)", limits.manifest_bytes));
        }
        let bytes =
            container.read(&[MANIFEST])?.pop().flatten().ok_or_else(|| OpenError::NoManifest(place.to_owned()))?;
        let text = String::from_utf8(bytes).map_err(|_| OpenError::NoText(place.to_owned()))?;
        let (manifest, unknown) =
            Manifest::parse(&text).map_err(|error| OpenError::Manifest(place.to_owned(), error))?;
        drop(text);
        let mut findings: Vec<Finding> = unknown
            .into_iter()
            .map(|path| Finding::new(&rules::UNKNOWN_KEY, path, "a key that is not known"))
            .collect();
        findings.extend(container.findings.iter().cloned());
        let contents = load(&container, &manifest, limits, &over, &mut findings)?;
        Ok(Self::new(manifest, contents, findings))
    }

    /// A snapshot of these files, each in the place of its entry in the manifest.
    #[must_use]
    pub fn new(manifest: Manifest, contents: Vec<Option<Vec<u8>>>, findings: Vec<Finding>) -> Self {
        let number = |index: usize| u32::try_from(index).unwrap_or(u32::MAX);
        let mut snapshot = Self {
            routes: Routes::of(&manifest),
            ranks: manifest.ranks.iter().enumerate().map(|(index, rank)| (rank.rank, number(index))).collect(),
            entries: manifest
                .channels
                .iter()
                .enumerate()
                .map(|(index, entry)| ((entry.op, entry.rank, entry.channel), number(index)))
                .collect(),
            owned: HashMap::new(),
            missing: Vec::new(),
            manifest,
            contents,
            findings,
        };
        for (index, file) in snapshot.manifest.files.iter().enumerate() {
            let is_there = snapshot.contents.get(index).is_some_and(Option::is_some);
            match owner(file).filter(|_| file.kind != FileKind::Log) {
                Some(owner) if is_there => {
                    snapshot.owned.insert((file.kind, owner), number(index));
                }
                Some(owner) => snapshot.missing.push(Missing { kind: file.kind, owner, path: file.path.clone() }),
                None => {}
            }
        }
        snapshot.conflicts();
        snapshot
    }
}

/// Loads the files that the manifest names, in its order.
fn load(
    container: &Container,
    manifest: &Manifest,
    limits: Limits,
    over: &dyn Fn(&'static str, u64) -> OpenError,
    findings: &mut Vec<Finding>,
) -> Result<Vec<Option<Vec<u8>>>, OpenError> {
    if u64::try_from(manifest.files.len()).is_ok_and(|count| count > limits.entries) {
        return Err(over("files (--max-entries)", limits.entries));
    }
    let mut say = |rule: &'static Rule, file: &FileEntry, what: String| {
        findings.push(Finding::new(rule, file.path.clone(), what))
    };
    let mut total = 0_u64;
    let mut wanted: Vec<(usize, &str)> = Vec::new();
    for (index, file) in manifest.files.iter().enumerate() {
        if file.sha256.is_none() {
            say(&rules::UNHASHED, file, "it has no hash: an altered file is not noticed".to_owned());
        }
        match container.sizes.get(&file.path) {
            None => say(&rules::MISSING, file, format!("the {} is not there", file.kind.name())),
            Some(size) if *size != file.bytes => {
                say(&rules::SIZE, file, format!("{size} bytes instead of {}: it counts as missing", file.bytes));
            }
            Some(size) if *size > limits.file_bytes => {
                return Err(over("bytes of a file (--max-file)", limits.file_bytes));
            }
            Some(size) => {
                total = total.saturating_add(*size);
                wanted.push((index, &file.path));
            }
        }
    }
    if total > limits.total_bytes {
        return Err(over("bytes of all files (--max-total)", limits.total_bytes));
    }
    let names: Vec<&str> = wanted.iter().map(|(_, name)| *name).collect();
    let read = container.read(&names)?;
    let checked: Vec<(usize, Result<Vec<u8>, &'static str>)> = wanted
        .par_iter()
        .zip(read)
        .map(|((index, _), bytes)| {
            let file = manifest.files.get(*index);
            (*index, file.map_or(Err("no such entry"), |file| verified(file, bytes)))
        })
        .collect();
    let mut contents: Vec<Option<Vec<u8>>> = Vec::new();
    contents.resize_with(manifest.files.len(), || None);
    for (index, result) in checked {
        let Some((file, place)) = manifest.files.get(index).zip(contents.get_mut(index)) else { continue };
        match result {
            Ok(bytes) => *place = Some(bytes),
            Err("hash") => say(&rules::HASH, file, "its hash is another one: it counts as missing".to_owned()),
            Err(what) => say(&rules::SIZE, file, format!("{what}: it counts as missing")),
        }
    }
    let listed: std::collections::HashSet<&str> = manifest.files.iter().map(|file| file.path.as_str()).collect();
    for name in container.sizes.keys().filter(|name| *name != MANIFEST && !listed.contains(name.as_str())) {
        findings.push(Finding::new(&rules::UNLISTED, name.clone(), "the manifest does not name it: it is not read"));
    }
    Ok(contents)
}

/// The bytes of a file when they are those that the manifest means.
fn verified(file: &FileEntry, bytes: Option<Vec<u8>>) -> Result<Vec<u8>, &'static str> {
    let bytes = bytes.ok_or("it cannot be read")?;
    if u64::try_from(bytes.len()) != Ok(file.bytes) {
        return Err("it changed while it was read");
    }
    match &file.sha256 {
        Some(expected) if hash(&bytes) != expected.0 => Err("hash"),
        _ => Ok(bytes),
    }
}

/// The hash of some bytes, as the manifest writes it.
#[must_use]
pub fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
