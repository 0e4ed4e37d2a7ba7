//! How much is read at most.

use core::fmt;
use std::io;
use std::path::PathBuf;

use super::text::ManifestError;

/// What a snapshot may have; more is refused before it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the manifest.
    pub manifest_bytes: u64,
    /// Files and directories.
    pub entries: u64,
    /// Bytes of one file.
    pub file_bytes: u64,
    /// Bytes of all files, unpacked.
    pub total_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { manifest_bytes: 1 << 30, entries: 1 << 20, file_bytes: 64 << 20, total_bytes: 8 << 30 }
    }
}

/// Why a snapshot cannot be read at all.
#[derive(Debug)]
#[non_exhaustive]
pub enum OpenError {
    /// The system refuses.
    Io(PathBuf, io::Error),
    /// It is no archive, or one that is damaged from its beginning.
    NoArchive(PathBuf),
    /// There is no manifest.
    NoManifest(PathBuf),
    /// The manifest cannot be read.
    Manifest(PathBuf, ManifestError),
    /// The manifest is no UTF-8.
    NoText(PathBuf),
    /// A limit is exceeded.
    Limit {
        /// The snapshot.
        path: PathBuf,
        /// What there is too much of, and the option that allows more.
        what: &'static str,
        /// The limit.
        limit: u64,
    },
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(path, error) => write!(f, "{}: {error}", path.display()),
            Self::NoArchive(path) => write!(f, "{}: no directory, .tar or .tar.zst", path.display()),
            Self::NoManifest(path) => write!(f, "{}: no snapshot.json at the top", path.display()),
            Self::Manifest(path, error) => write!(f, "{}: snapshot.json: {error}", path.display()),
            Self::NoText(path) => write!(f, "{}: snapshot.json is no UTF-8", path.display()),
            Self::Limit { path, what, limit } => write!(f, "{}: {what}: more than {limit}", path.display()),
        }
    }
}

impl core::error::Error for OpenError {}
