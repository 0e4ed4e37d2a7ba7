//! Where the files of a snapshot are: in a directory, or in an archive, packed or not.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::limits::{Limits, OpenError};
use super::{path, rules};
use crate::rule::Finding;

/// The name of the manifest.
pub(super) const MANIFEST: &str = "snapshot.json";
/// The deepest directory that is looked into: names have at most eight parts.
const MOST_DEPTH: usize = 8;
/// The longest extended header of an archive.
const LONGEST_HEADER: u64 = 1 << 16;
/// How packed archives begin.
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];
/// The most memory that unpacking may ask for, as a power of two.
const MOST_WINDOW_LOG: u32 = 27;

/// The files of a snapshot by name, with their sizes, and where to read them.
pub(super) struct Container {
    place: PathBuf,
    kind: Kind,
    /// Regular files with allowed names.
    pub(super) sizes: BTreeMap<String, u64>,
    /// What was skipped.
    pub(super) findings: Vec<Finding>,
    limits: Limits,
}

enum Kind {
    Directory,
    /// In archives a name may have a directory in front of it.
    Archive {
        strip: String,
        is_packed: bool,
    },
}

impl Container {
    pub(super) fn open(place: &Path, limits: Limits) -> Result<Self, OpenError> {
        let metadata = fs::metadata(place).map_err(|error| OpenError::Io(place.to_owned(), error))?;
        let mut container = Self {
            place: place.to_owned(),
            kind: Kind::Directory,
            sizes: BTreeMap::new(),
            findings: Vec::new(),
            limits,
        };
        if metadata.is_dir() {
            container.walk()?;
        } else {
            container.list()?;
        }
        Ok(container)
    }

    fn io(&self, error: io::Error) -> OpenError {
        OpenError::Io(self.place.clone(), error)
    }

    fn limit(&self, what: &'static str, limit: u64) -> OpenError {
        OpenError::Limit { path: self.place.clone(), what, limit }
    }

    /// Finds the files of a directory. Links are not followed.
    fn walk(&mut self) -> Result<(), OpenError> {
        let mut left = vec![(self.place.clone(), String::new(), 1_usize)];
        let mut count = 0_u64;
        while let Some((directory, prefix, depth)) = left.pop() {
            let entries = fs::read_dir(&directory).map_err(|error| self.io(error))?;
            for entry in entries {
                let entry = entry.map_err(|error| self.io(error))?;
                count = count.saturating_add(1);
                if count > self.limits.entries {
                    return Err(self.limit("entries (--max-entries)", self.limits.entries));
                }
                let kind = entry.file_type().map_err(|error| self.io(error))?;
                let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
                if kind.is_dir() && depth < MOST_DEPTH {
                    left.push((entry.path(), format!("{name}/"), depth.saturating_add(1)));
                } else if !kind.is_file() {
                    self.skip(&name, "no regular file");
                } else {
                    let size = entry.metadata().map_err(|error| self.io(error))?.len();
                    self.add(name, size);
                }
            }
        }
        Ok(())
    }

    fn skip(&mut self, name: &str, why: &str) {
        let name: String = name.chars().take(200).collect();
        self.findings.push(Finding::new(&rules::PATH, name, format!("{why}; it is skipped")));
    }

    fn add(&mut self, name: String, size: u64) {
        match path::check(&name) {
            Ok(()) => {
                self.sizes.insert(name, size);
            }
            Err(why) => self.skip(&name, why),
        }
    }

    /// Finds the files of an archive.
    fn list(&mut self) -> Result<(), OpenError> {
        let mut file = File::open(&self.place).map_err(|error| self.io(error))?;
        let mut magic = [0; 4];
        let is_packed = file.read_exact(&mut magic).is_ok() && magic == ZSTD_MAGIC;
        file.seek(SeekFrom::Start(0)).map_err(|error| self.io(error))?;
        let mut names: Vec<(String, u64)> = Vec::new();
        let mut skipped = Vec::new();
        let result = each_entry(unpacked(file, is_packed, self.limits)?, self.limits, &mut |name, entry| {
            match entry {
                Entry::File(size, _) => names.push((name, size)),
                Entry::Directory => {}
                Entry::Other(why) => skipped.push((name, why)),
            }
            Ok(())
        });
        // An archive that ends too soon has the files before its end.
        let is_cut = match result {
            Ok(()) => None,
            Err(ReadError::Io(_)) if names.is_empty() => return Err(OpenError::NoArchive(self.place.clone())),
            Err(ReadError::Io(error)) => Some(error),
            Err(ReadError::Limit(what, limit)) => return Err(self.limit(what, limit)),
        };
        let strip = common_top(&names);
        for (name, why) in skipped {
            self.skip(&name, why);
        }
        let mut times: HashMap<&str, usize> = HashMap::new();
        for (name, _) in &names {
            let count = times.entry(name.as_str()).or_insert(0);
            *count = count.saturating_add(1);
        }
        let twice: Vec<String> =
            times.iter().filter(|(_, count)| **count > 1).map(|(name, _)| (*name).to_owned()).collect();
        for (name, size) in names.iter().filter(|(name, _)| !twice.contains(name)) {
            self.add(name.strip_prefix(&strip).unwrap_or(name).to_owned(), *size);
        }
        let mut twice: Vec<&str> = twice.iter().map(|name| name.strip_prefix(&strip).unwrap_or(name)).collect();
        twice.sort_unstable();
        for name in twice {
            let message = "it occurs more than once; none is read";
            self.findings.push(Finding::new(&rules::DUPLICATE, name, message));
        }
        if let Some(error) = is_cut {
            let message = format!("the archive ends too soon ({error}); files behind that are missing");
            self.findings.push(Finding::new(&rules::SIZE, "", message));
        }
        self.kind = Kind::Archive { strip, is_packed };
        Ok(())
    }

    /// The bytes of some files, in their order; `None` for those that cannot be read. Sizes are known and within the limits.
    pub(super) fn read(&self, names: &[&str]) -> Result<Vec<Option<Vec<u8>>>, OpenError> {
        match &self.kind {
            Kind::Directory => Ok(names.par_iter().map(|name| self.read_file(name)).collect()),
            Kind::Archive { strip, is_packed } => {
                let places: HashMap<&str, usize> =
                    names.iter().enumerate().map(|(index, name)| (*name, index)).collect();
                let mut contents: Vec<Option<Vec<u8>>> = vec![None; names.len()];
                let file = File::open(&self.place).map_err(|error| self.io(error))?;
                let visit: &mut Visit<'_> = &mut |name, entry| {
                    let name = name.strip_prefix(strip.as_str()).unwrap_or(&name);
                    if let (Entry::File(size, content), Some(index)) = (entry, places.get(name)) {
                        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
                        content.take(size).read_to_end(&mut bytes)?;
                        if let Some(place) = contents.get_mut(*index).filter(|_| self.sizes.get(name) == Some(&size)) {
                            *place = Some(bytes);
                        }
                    }
                    Ok(())
                };
                match each_entry(unpacked(file, *is_packed, self.limits)?, self.limits, visit) {
                    Ok(()) | Err(ReadError::Io(_)) => Ok(contents),
                    Err(ReadError::Limit(what, limit)) => Err(self.limit(what, limit)),
                }
            }
        }
    }

    fn read_file(&self, name: &str) -> Option<Vec<u8>> {
        let size = *self.sizes.get(name)?;
        let mut bytes = Vec::with_capacity(usize::try_from(size).ok()?);
        // A file that grows meanwhile is not read further.
        let file = File::open(self.place.join(name)).ok()?;
        file.take(size.saturating_add(1)).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }
}

/// The directory that all names of an archive begin with, when the manifest is in it.
fn common_top(names: &[(String, u64)]) -> String {
    let mut names = names.iter().map(|(name, _)| name.as_str());
    let Some((top, _)) = names.clone().next().and_then(|name| name.split_once('/')) else { return String::new() };
    let top = format!("{top}/");
    let has_manifest = names.clone().any(|name| name.strip_prefix(&top) == Some(MANIFEST));
    if has_manifest && names.all(|name| name.starts_with(&top)) { top } else { String::new() }
}

/// What an archive has under a name.
enum Entry<'a> {
    File(u64, &'a mut dyn Read),
    Directory,
    Other(&'static str),
}

enum ReadError {
    Io(io::Error),
    Limit(&'static str, u64),
}

type Visit<'a> = dyn FnMut(String, Entry<'_>) -> io::Result<()> + 'a;

fn unpacked(file: File, is_packed: bool, limits: Limits) -> Result<Box<dyn Read>, OpenError> {
    let most =
        limits.total_bytes.saturating_add(limits.manifest_bytes).saturating_add(limits.entries.saturating_mul(1024));
    let reader = BufReader::with_capacity(1 << 18, file);
    if !is_packed {
        return Ok(Box::new(reader.take(most)));
    }
    let open = || -> io::Result<Box<dyn Read>> {
        let mut decoder = zstd::Decoder::with_buffer(reader)?;
        decoder.window_log_max(MOST_WINDOW_LOG)?;
        Ok(Box::new(decoder.take(most)))
    };
    open().map_err(|error| OpenError::Io(PathBuf::new(), error))
}

/// Visits every entry. Extended headers are read here, so that none can ask for more memory than they need.
fn each_entry(reader: Box<dyn Read>, limits: Limits, visit: &mut Visit<'_>) -> Result<(), ReadError> {
    let mut archive = tar::Archive::new(reader);
    let entries = archive.entries().map_err(ReadError::Io)?.raw(true);
    let mut count = 0_u64;
    let mut long_name: Option<String> = None;
    let mut is_sparse = false;
    for entry in entries {
        let mut entry = entry.map_err(ReadError::Io)?;
        count = count.saturating_add(1);
        if count > limits.entries {
            return Err(ReadError::Limit("entries (--max-entries)", limits.entries));
        }
        let size = entry.header().entry_size().map_err(ReadError::Io)?;
        let kind = entry.header().entry_type();
        if kind.is_pax_local_extensions() || kind.is_gnu_longname() {
            if size > LONGEST_HEADER {
                return Err(ReadError::Limit("bytes of an extended header", LONGEST_HEADER));
            }
            let mut header = Vec::new();
            entry.read_to_end(&mut header).map_err(ReadError::Io)?;
            if kind.is_gnu_longname() {
                header.retain(|byte| *byte != 0);
                long_name = Some(String::from_utf8_lossy(&header).into_owned());
                continue;
            }
            for extension in tar::PaxExtensions::new(&header).flatten() {
                is_sparse |= extension.key_bytes().starts_with(b"GNU.sparse");
                if extension.key_bytes() == b"path" {
                    long_name = Some(String::from_utf8_lossy(extension.value_bytes()).into_owned());
                }
            }
            continue;
        }
        let own = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let name = long_name.take().unwrap_or(own);
        let name = name.strip_prefix("./").unwrap_or(&name).to_owned();
        let is_sparse = core::mem::take(&mut is_sparse);
        let found = if kind.is_dir() {
            Entry::Directory
        } else if kind.is_pax_global_extensions() {
            continue;
        } else if is_sparse || kind.is_gnu_sparse() {
            Entry::Other("a sparse file")
        } else if kind.is_file() {
            Entry::File(size, &mut entry)
        } else {
            Entry::Other("no regular file")
        };
        visit(name, found).map_err(ReadError::Io)?;
    }
    Ok(())
}
