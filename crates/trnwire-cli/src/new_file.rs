//! Files that appear whole or not at all.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// A file that appears under its name when it is complete, or not at all.
pub(crate) struct NewFile {
    out: BufWriter<fs::File>,
    partial: PathBuf,
    path: PathBuf,
    replace: bool,
}

impl NewFile {
    /// Begins a file; without `replace` one that exists is left alone and is an error.
    pub(crate) fn create(path: &Path, replace: bool) -> Result<Self> {
        let existing = fs::symlink_metadata(path).ok();
        match &existing {
            // Renaming over a device, a pipe or a link would destroy it.
            Some(metadata) if !metadata.is_file() => {
                bail!("{}: is no regular file; use standard output", path.display())
            }
            Some(_) if !replace => bail!("{}: exists already; give --force to replace it", path.display()),
            _ => {}
        }
        let Some(name) = path.file_name() else { bail!("{}: not a file name", path.display()) };
        let partial = path.with_file_name(format!(".{}.{}.partial", name.display(), std::process::id()));
        let file = fs::File::create_new(&partial).with_context(|| format!("{}: cannot be written", path.display()))?;
        let new = Self { out: BufWriter::new(file), partial, path: path.to_owned(), replace };
        if let Some(metadata) = existing {
            // What replaces a file can be read by those who could read the file, and by no others.
            fs::set_permissions(&new.partial, metadata.permissions())
                .with_context(|| format!("{}: cannot be written", path.display()))?;
        }
        Ok(new)
    }

    /// Gives the complete file its name.
    pub(crate) fn finish(mut self) -> Result<()> {
        let context = || format!("{}: cannot be written", self.path.display());
        self.out.flush().with_context(context)?;
        if self.replace {
            fs::rename(&self.partial, &self.path).with_context(context)
        } else {
            // A link fails where the name is taken, whoever took it in the meantime. Not every file system has links.
            match fs::hard_link(&self.partial, &self.path) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => fs::rename(&self.partial, &self.path),
                linked => linked,
            }
            .with_context(context)
        }
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        // Already gone after a rename.
        let _ = fs::remove_file(&self.partial);
    }
}
