//! Standard output: text that may be coloured, and JSON.

use core::fmt;
use std::io::{self, BufWriter, StdoutLock, Write};

use anstyle::{AnsiColor, Style};
use anyhow::Result;
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
            let text = printable(&line.text);
            if self.color && !style.is_plain() {
                writeln!(self, "{style}{text}{style:#}")?;
            } else {
                writeln!(self, "{text}")?;
            }
        }
        Ok(())
    }

    /// Prints text of several lines, some of which may come from input.
    pub(crate) fn text(&mut self, text: &str) -> io::Result<()> {
        text.lines().try_for_each(|line| writeln!(self, "{}", printable(line)))
    }

    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.flush()
    }
}

impl Write for Printer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes).map_err(StandardOutput::wrap)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush().map_err(StandardOutput::wrap)
    }
}

/// Marks an error as one of standard output, which no other input can mend.
#[derive(Debug)]
struct StandardOutput(io::Error);

impl StandardOutput {
    fn wrap(error: io::Error) -> io::Error {
        io::Error::new(error.kind(), Self(error))
    }
}

impl fmt::Display for StandardOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "standard output: {}", self.0)
    }
}

impl core::error::Error for StandardOutput {}

/// Whether standard output cannot be written any more.
pub(crate) fn is_output_error(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|error| error.get_ref().is_some_and(|inner| inner.is::<StandardOutput>()))
}

/// Whether that is because its reader has gone.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    is_output_error(error)
        && error
            .chain()
            .filter_map(|cause| cause.downcast_ref::<io::Error>())
            .any(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// Text from input as a terminal may see it: control characters are spelled out.
pub(crate) fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() {
            out.extend(character.escape_default());
        } else {
            out.push(character);
        }
    }
    out
}

/// `1 word`, `2 words`.
pub(crate) fn counted(count: u64, noun: &str) -> String {
    let plural = match noun.ends_with('s') {
        _ if count == 1 => "",
        true => "es",
        false => "s",
    };
    format!("{count} {noun}{plural}")
}

/// Prints JSON results one by one: lines of objects, or one document that is an object when there is one result
/// and an array when there are several, or could have been.
pub(crate) struct JsonPrinter<W> {
    out: W,
    lines: bool,
    /// The result that came last: the first one is held back until it is clear whether it stays alone.
    held: Option<String>,
    /// The document is an array.
    several: bool,
    /// Its bracket is printed.
    began: bool,
}

impl<W: Write> JsonPrinter<W> {
    pub(crate) fn new(out: W, format: Format) -> Self {
        Self { out, lines: format != Format::Json, held: None, several: false, began: false }
    }

    /// Prints an array whatever the number of results: several were asked for.
    pub(crate) fn array(self, several: bool) -> Self {
        Self { several, ..self }
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
            self.several = true;
            let bracket = self.bracket();
            writeln!(self.out, "{bracket}{previous},")?;
        }
        Ok(())
    }

    /// The bracket that opens the array, once.
    const fn bracket(&mut self) -> &'static str {
        let is_first = self.several && !self.began;
        self.began = self.several;
        if is_first { "[" } else { "" }
    }

    pub(crate) fn finish(mut self) -> Result<W> {
        let bracket = self.bracket();
        match (self.held, self.several && !self.lines) {
            (Some(last), true) => writeln!(self.out, "{bracket}{last}]")?,
            (Some(last), false) => writeln!(self.out, "{last}")?,
            (None, true) => writeln!(self.out, "[]")?,
            (None, false) => {}
        }
        Ok(self.out)
    }
}
