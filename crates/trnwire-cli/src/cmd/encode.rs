//! `trnwire encode`.

use core::fmt;
use std::ffi::{OsStr, OsString};
use std::io::{self, IsTerminal, Read, Write};
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::Args;
use serde::Serialize;
use serde_json::{Value, json};
use trnwire::addr4::{Addr4, EncodeError};
use trnwire_json::parse_stream;
use trnwire_json::{HexBytes, HexWord};

use super::Walk;
use crate::Outcome;
use crate::args::{Arch, Format, Kind};
use crate::input::open_stream;
use crate::new_file::NewFile;
use crate::output::{JsonPrinter, Printer};
use crate::talk::say;

const REQUESTS: &str = r#"Requests:
  {"kind":"physical","region":"sbuf","partition":5,"offset":288}
  {"kind":"physical","region":"psum","partition":2,"bank":3,"bank_offset":16}
  {"kind":"physical","addr":"0x02011810"}
  {"kind":"register","reg_id":12}
Optional keys of a physical one: "resolver":"scale" (MX scale words), "stamp_indirect":true (gather index)."#;

/// Turn JSON into bytes: decoded words back into themselves, requests into new words.
///
/// A request says where to point, and is refused with a code when it breaks a rule (exit code 1). Bytes end before the
/// first request that is refused or cannot be read, so that every word stands at its place.
///
/// Example: trnwire encode --hex '{"kind":"register","reg_id":12}'
#[derive(Args)]
#[command(after_long_help = REQUESTS)]
pub(crate) struct Options {
    /// Files of JSON objects, arrays of them or JSON lines; - for standard input; or an object itself. Default: -
    #[arg(value_name = "INPUT", default_value = "-", hide_default_value = true)]
    inputs: Vec<OsString>,
    /// What the bytes are to be.
    #[arg(long = "as", value_name = "KIND", default_value = "addr4", hide_possible_values = true)]
    kind: Kind,
    #[command(flatten)]
    arch: Arch,
    /// Print hex text, a line per word, instead of bytes. A terminal always gets hex text.
    #[arg(long)]
    hex: bool,
    /// text: bytes or hex text; json, ndjson: an object per request with its word and bytes, or its error.
    #[arg(long, value_enum, default_value_t, hide_possible_values = true)]
    format: Format,
    /// Write to this file, which appears only when all of it is written and nothing was refused.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the output file if it exists.
    #[arg(long, requires = "output")]
    force: bool,
    /// A request was refused or an input not read, so no more bytes are written.
    #[arg(skip)]
    incomplete: bool,
}

impl Options {
    pub(crate) fn run(mut self) -> Result<Outcome> {
        let Kind::Addr4 = self.kind;
        let Some(path) = self.output.take().filter(|path| path.as_os_str() != "-") else {
            self.hex |= io::stdout().is_terminal();
            let (outcome, out) = self.encode_all(Printer::new())?;
            out.finish()?;
            return Ok(outcome);
        };
        let (outcome, file) = self.encode_all(NewFile::create(&path, self.force)?)?;
        if outcome == Outcome::Clean {
            file.finish()?;
        }
        Ok(outcome)
    }

    fn encode_all<W: Write>(&mut self, out: W) -> Result<(Outcome, W)> {
        let mut outcome = Outcome::Clean;
        let mut walk = Walk::new();
        let mut printer = JsonPrinter::new(out, self.format);
        for (number, argument) in (1_u64..).zip(&core::mem::take(&mut self.inputs)) {
            let result = for_each_object(argument, number, |value, place| {
                if let Err(refused) = self.encode_one(&value, &mut printer)? {
                    outcome = Outcome::Findings;
                    self.incomplete = true;
                    if self.format == Format::Text {
                        say(&format!("trnwire: {place}: {}: {refused}", refused.code()));
                    }
                }
                Ok(())
            });
            self.incomplete |= walk.take(result)?.is_none();
        }
        Ok((walk.exit(outcome)?, printer.finish()?))
    }

    /// Encodes one object: the outer error is about the input or the output, the inner one is the encoder's.
    fn encode_one<W: Write>(&self, value: &Value, printer: &mut JsonPrinter<W>) -> Result<Result<(), EncodeError>> {
        let word = match Request::parse(value)? {
            Request::Verbatim(word) => Ok(word),
            Request::Build { request, stamp_indirect } => build(request, stamp_indirect),
            Request::Dtype(dtype) => {
                let Some(generation) = self.arch.arch else { bail!("a dtype request needs --arch") };
                let tag = dtype.wire_tag(generation).get();
                printer.push(&json!({ "wire_tag": tag, "container_size": dtype.container_bytes() }))?;
                return Ok(Ok(()));
            }
        };
        match (self.format, word) {
            (Format::Text, Ok(_)) if self.incomplete => {}
            (Format::Text, Ok(word)) if self.hex => writeln!(printer.inner(), "{}", HexBytes(word))?,
            (Format::Text, Ok(word)) => printer.inner().write_all(&word.to_wire())?,
            (Format::Text, Err(_)) => {}
            (_, Ok(word)) => printer.push(&Encoded::of(word))?,
            (_, Err(error)) => printer.push(&json!({ "error": error.code(), "message": error.to_string() }))?,
        }
        Ok(word.map(|_| ()))
    }
}

#[derive(Serialize)]
struct Encoded {
    word: HexWord,
    bytes: HexBytes,
}

impl Encoded {
    const fn of(word: Addr4) -> Self {
        Self { word: HexWord(word.bits()), bytes: HexBytes(word) }
    }
}

/// Hands on every object of an input and its place, with arrays taken apart. `number` is that of the argument.
fn for_each_object(
    argument: &OsStr,
    number: u64,
    mut visit: impl FnMut(Value, fmt::Arguments<'_>) -> Result<()>,
) -> Result<()> {
    let text = argument.to_string_lossy();
    let (name, reader): (_, Box<dyn Read>) = if text.trim_start().starts_with(['{', '[']) {
        (format!("argument {number}"), Box::new(io::Cursor::new(text.into_owned())))
    } else {
        open_stream(argument)?
    };
    let mut count = 0_u64;
    parse_stream(reader, |value| {
        count = count.saturating_add(1);
        // The name stands in front of every error of this input.
        visit(value, format_args!("{name}: object {count}")).with_context(|| format!("object {count}"))
    })
    .with_context(|| name.clone())?;
    if count == 0 {
        bail!("{name}: empty, no object to encode");
    }
    Ok(())
}
