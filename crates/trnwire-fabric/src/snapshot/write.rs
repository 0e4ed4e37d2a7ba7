//! Writing a snapshot: whole or not at all.

use core::fmt;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::container::MANIFEST;
use super::manifest::Manifest;

/// Why a snapshot was not written. Nothing is left behind.
#[derive(Debug)]
#[non_exhaustive]
pub enum WriteError {
    /// There is something of that name.
    Exists(PathBuf),
    /// The system refuses.
    Io(PathBuf, io::Error),
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exists(path) => write!(f, "{}: it exists; --force replaces it", path.display()),
            Self::Io(path, error) => write!(f, "{}: {error}", path.display()),
        }
    }
}

impl core::error::Error for WriteError {}

/// Writes a snapshot: to a .tar or .tar.zst when the name ends so, else to a directory. Files stand in the order of the
/// manifest; those that are `None` are left out. It is written under another name and renamed at the end.
///
/// # Errors
/// Something is there and `force` is not given, or the system refuses.
pub fn write(place: &Path, manifest: &Manifest, contents: &[Option<Vec<u8>>], force: bool) -> Result<(), WriteError> {
    let fail = |error| WriteError::Io(place.to_owned(), error);
    if !force && place.symlink_metadata().is_ok() {
        return Err(WriteError::Exists(place.to_owned()));
    }
    let name = place.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let beside = place.with_file_name(format!(".{name}.{}.partial", std::process::id()));
    let text = manifest.text();
    let files: Vec<(&str, &[u8])> = manifest
        .files
        .iter()
        .zip(contents)
        .filter_map(|(file, bytes)| Some((file.path.as_str(), bytes.as_deref()?)))
        .collect();
    let written = match name.as_str() {
        name if name.ends_with(".tar.zst") => packed(&beside, &text, &files),
        name if name.ends_with(".tar") => archive(&beside, &text, &files),
        _ => directory(&beside, &text, &files),
    };
    let result = written.and_then(|()| replace(&beside, place));
    if result.is_err() {
        // The reason is the error above; what is left is ours alone.
        let _ = if beside.is_dir() { fs::remove_dir_all(&beside) } else { fs::remove_file(&beside) };
    }
    result.map_err(fail)
}

/// Moves what was written to its name. A directory cannot be renamed over one that has files.
fn replace(from: &Path, to: &Path) -> io::Result<()> {
    let is_directory = to.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
    if !is_directory {
        return fs::rename(from, to);
    }
    let name = to.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let old = to.with_file_name(format!(".{name}.{}.old", std::process::id()));
    fs::rename(to, &old)?;
    match fs::rename(from, to) {
        Ok(()) => fs::remove_dir_all(&old),
        Err(error) => fs::rename(&old, to).and(Err(error)),
    }
}

fn directory(place: &Path, text: &str, files: &[(&str, &[u8])]) -> io::Result<()> {
    fs::create_dir(place)?;
    fs::write(place.join(MANIFEST), text)?;
    for (name, bytes) in files {
        let path = place.join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, bytes)?;
    }
    Ok(())
}

fn archive(place: &Path, text: &str, files: &[(&str, &[u8])]) -> io::Result<()> {
    let mut file = BufWriter::with_capacity(1 << 18, File::create_new(place)?);
    entries(&mut file, text, files)?;
    file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
}

fn packed(place: &Path, text: &str, files: &[(&str, &[u8])]) -> io::Result<()> {
    let mut size = Counter(0);
    entries(&mut size, text, files)?;
    let mut encoder = zstd::Encoder::new(File::create_new(place)?, 3)?;
    encoder.include_checksum(true)?;
    encoder.include_contentsize(true)?;
    encoder.set_pledged_src_size(Some(size.0))?;
    entries(&mut encoder, text, files)?;
    encoder.finish()?.sync_all()
}

/// Counts bytes.
struct Counter(u64);

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Equal content gives equal bytes: the manifest first, then names in byte order, nothing of the machine.
fn entries(writer: &mut impl Write, text: &str, files: &[(&str, &[u8])]) -> io::Result<()> {
    let mut sorted = files.to_vec();
    sorted.sort_unstable_by_key(|(name, _)| *name);
    let mut builder = tar::Builder::new(writer);
    let manifest = (MANIFEST, text.as_bytes());
    for (name, bytes) in [manifest].into_iter().chain(sorted) {
        let mut header = tar::Header::new_ustar();
        header.set_entry_type(tar::EntryType::Regular);
        header.set_mode(0o644);
        header.set_mtime(0);
        header.set_uid(0);
        header.set_gid(0);
        header.set_size(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        if header.set_path(name).is_err() {
            // Too long for the header: a record of its own before it.
            builder.append_pax_extensions([("path", name.as_bytes())])?;
            let short: String = name.chars().take(SHORT_NAME).collect();
            header.set_path(short)?;
        }
        header.set_cksum();
        builder.append(&header, bytes)?;
    }
    builder.finish()
}

/// Characters that every header has room for.
const SHORT_NAME: usize = 99;
