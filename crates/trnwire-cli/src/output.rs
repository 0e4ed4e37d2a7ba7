//! Standard output, files that appear whole or not at all, and errors.

use std::fs;
use std::io::{self, BufWriter, StdoutLock, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use anyhow::{Context, Result, bail};
use trnwire::explain::{Line, Role};

use crate::args::Format;

/// Buffered standard output that colours lines on a terminal only, and not with NO_COLOR.
pub(crate) struct Printer {
    out: BufWriter<StdoutLock<'static>>,
    color: bool,
}

impl Printer {
    pub(crate) fn new() -> Self {
        let stdout = io::stdout();
        let color = anstream::AutoStream::choice(&stdout) != anstream::ColorChoice::Never;
        Self { out: BufWriter::with_capacity(1 << 16, stdout.lock()), color }
    }

    pub(crate) fn lines(&mut self, lines: &[Line]) -> io::Result<()> {
        for line in lines {
            let style = match line.role {
                Role::Title => Style::new().bold(),
                Role::Good => AnsiColor::Green.on_default(),
                Role::Bad => AnsiColor::Red.on_default().bold(),
                Role::Warning => AnsiColor::Yellow.on_default(),
                Role::Plain => Style::new(),
            };
            if self.color && !style.is_plain() {
                writeln!(self.out, "{style}{}{style:#}", line.text)?;
            } else {
                writeln!(self.out, "{}", line.text)?;
            }
        }
        Ok(())
    }

    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Write for Printer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Prints JSON results one by one: lines of objects, or one document that is an object when there is one result
/// and an array when there are several.
pub(crate) struct JsonPrinter<W> {
    out: W,
    lines: bool,
    /// The result that came last: the first one is held back until it is clear whether it stays alone.
    held: Option<String>,
    several: bool,
}

impl<W: Write> JsonPrinter<W> {
    pub(crate) fn new(out: W, format: Format) -> Self {
        Self { out, lines: format != Format::Json, held: None, several: false }
    }

    /// Where results that are not JSON go.
    pub(crate) const fn inner(&mut self) -> &mut W {
        &mut self.out
    }

    pub(crate) fn push(&mut self, result: &impl serde::Serialize) -> Result<()> {
        if self.lines {
            serde_json::to_writer(&mut self.out, result).map_err(io::Error::from)?;
            return Ok(self.out.write_all(b"\n")?);
        }
        let next = serde_json::to_string(result)?;
        if let Some(previous) = self.held.replace(next) {
            let before = if self.several { "" } else { "[" };
            self.several = true;
            writeln!(self.out, "{before}{previous},")?;
        }
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Result<W> {
        if let Some(last) = self.held {
            writeln!(self.out, "{last}{}", if self.several { "]" } else { "" })?;
        }
        Ok(self.out)
    }
}

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
        if !replace && path.try_exists().is_ok_and(|exists| exists) {
            bail!("{}: exists already; give --force to replace it", path.display());
        }
        let Some(name) = path.file_name() else { bail!("{}: not a file name", path.display()) };
        let partial = path.with_file_name(format!(".{}.{}.partial", name.display(), std::process::id()));
        let file = fs::File::create_new(&partial).with_context(|| format!("{}: cannot be written", path.display()))?;
        Ok(Self { out: BufWriter::new(file), partial, path: path.to_owned(), replace })
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

/// Prints one line on standard error.
pub(crate) fn complain(error: &anyhow::Error) {
    anstream::eprintln!("trnwire: {error:#}");
}

/// Prints help as it is, and a mistake on the command line as one line with its hint.
pub(crate) fn explain_usage(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        // Help to a reader that has gone is no failure.
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    if matches!(error.kind(), clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand) {
        let _ = error.print();
        return ExitCode::from(2);
    }
    let text = error.render().to_string();
    let mut paragraphs = text.split("\n\n");
    let what = paragraphs.next().unwrap_or_default();
    let hint = paragraphs.find(|paragraph| paragraph.trim_start().starts_with("tip:")).unwrap_or_default();
    let words: Vec<_> = what.split_whitespace().skip(1).chain(hint.split_whitespace()).collect();
    anstream::eprintln!("trnwire: {}", words.join(" "));
    ExitCode::from(2)
}

/// `1 word`, `2 words`.
pub(crate) fn counted(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .any(|cause| cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe))
}
