//! `trnwire encode`.

use core::fmt;
use core::num::NonZeroU8;
use std::ffi::{OsStr, OsString};
use std::io::{self, IsTerminal, Read, Write};
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::{Value, json};
use trnwire::Kind;
use trnwire::access::ScaleModulus;
use trnwire::arch::Generation;
use trnwire::ring::DEFAULT_SLOT_LIMIT;
use trnwire_json::collective::encode_any;
use trnwire_json::encode::{Encoded, Refusal, Request};
use trnwire_json::{HexBytes, HexWord, parse_stream};

use super::Walk;
use crate::Outcome;
use crate::args::{Arch, Format, kind};
use crate::input::open_stream;
use crate::new_file::NewFile;
use crate::output::{JsonPrinter, Printer};
use crate::talk::say;

const REQUESTS: &str = r#"Requests for words:
  {"kind":"physical","region":"sbuf","partition":5,"offset":288}
  {"kind":"physical","region":"psum","partition":2,"bank":3,"bank_offset":16}
  {"kind":"physical","addr":"0x02011810"}
  {"kind":"register","reg_id":12}
  {"word":"0x02008004"}
Optional keys of a physical one: "resolver":"scale" (MX scale words), "stamp_indirect":true (gather index).

Requests for descriptors; each ADDR is a request for a word, free_dims are [step, num] pairs, outermost first:
  {"type":"TENSOR3D","addr":ADDR,"free_dims":[[512,4],[1,128]]}
  {"type":"MEM_PATTERN3D","index":ADDR,"data":ADDR,"num":64}
  {"type":"MXMEM_PATTERN1D","data":ADDR,"scale":ADDR,"bir_dtype":"float8_e4m3fn_x4","count":128,
   "scale_base_partition":0,"innermost_step":1}    or "index":ADDR in place of innermost_step

Records of collectives (--as KIND): what decode printed; for ring-channel also the description
of a channel, for apb-bcast what a broadcast is derived from, for cc-op the channels to pack.
docs/collectives.md has their keys."#;

/// Turn JSON into bytes: what `decode` printed back into itself, requests into new words and descriptors.
///
/// A request says where to point, and is refused with a code when it breaks a rule (exit code 1). Bytes end before the
/// first request that is refused or cannot be read, so that everything stands at its place.
///
/// Example: trnwire encode --hex '{"kind":"register","reg_id":12}'
#[derive(Args)]
#[command(after_long_help = REQUESTS)]
pub(crate) struct Options {
    /// Files of JSON objects, arrays of them or JSON lines; - for standard input; or an object itself. Default: -
    #[arg(value_name = "INPUT", default_value = "-", hide_default_value = true)]
    inputs: Vec<OsString>,
    /// What the bytes are to be. Default: what the key "type" of an object says, and addr4 without it.
    #[arg(long = "as", value_name = "KIND", value_parser = kind)]
    kind: Option<Kind>,
    #[command(flatten)]
    arch: Arch,
    /// Slots on a scratchpad, below which the slot of a described channel must be.
    #[arg(long, value_name = "COUNT", default_value_t = DEFAULT_SLOT_LIMIT)]
    slot_limit: u8,
    /// The scale partition of an MX request is its first partition modulo this; sources dispute 32 and 128.
    #[arg(long, value_name = "COUNT", default_value_t = ScaleModulus::default().0)]
    mx_modulus: NonZeroU8,
    /// Print hex text, a line per object, instead of bytes. A terminal always gets hex text.
    #[arg(long)]
    hex: bool,
    /// text: bytes or hex text; json, ndjson: an object per request with its bytes, or its error.
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
                let result = match self.kind {
                    Some(kind) if !kind.is_of_core() => self.encode_record(kind, &value, place, &mut printer)?,
                    _ => {
                        self.encode_one(&value, &mut printer)?.map_err(|refusal| (refusal.code(), refusal.to_string()))
                    }
                };
                if let Err((code, refused)) = result {
                    outcome = Outcome::Findings;
                    self.incomplete = true;
                    if self.format == Format::Text {
                        say(&format!("trnwire: {place}: {code}: {refused}"));
                    }
                }
                Ok(())
            });
            self.incomplete |= walk.take(result)?.is_none();
        }
        Ok((walk.exit(outcome)?, printer.finish()?))
    }

    /// Encodes one object: the outer error is about the input or the output, the inner one is the encoder's.
    fn encode_one<W: Write>(&self, value: &Value, printer: &mut JsonPrinter<W>) -> Result<Result<(), Refusal>> {
        let request = Request::parse(value, self.kind, ScaleModulus(self.mx_modulus))?;
        let generation = match self.arch.generation() {
            None if request.needs_generation() => bail!("this request needs --arch"),
            // Nothing else looks at it.
            arch => arch.unwrap_or(Generation::Gen4),
        };
        match (request.encode(generation), self.format) {
            (Ok(Encoded::Dtype(dtype)), _) => {
                let tag = dtype.wire_tag(generation).get();
                printer.push(&json!({ "wire_tag": tag, "container_size": dtype.container_bytes() }))?;
            }
            (Ok(Encoded::Word(word)), Format::Text) => self.print_bytes(&word.to_wire(), printer.inner())?,
            (Ok(Encoded::Record(bytes)), Format::Text) => self.print_bytes(&bytes, printer.inner())?,
            (Ok(Encoded::Word(word)), _) => {
                printer.push(&json!({ "word": HexWord(word.bits()), "bytes": HexBytes(&word.to_wire()) }))?;
            }
            (Ok(Encoded::Record(bytes)), _) => printer.push(&json!({ "bytes": HexBytes(&bytes) }))?,
            (Err(refusal), format) => {
                if format != Format::Text {
                    printer.push(&json!({ "error": refusal.code(), "message": refusal.to_string() }))?;
                }
                return Ok(Err(refusal));
            }
        }
        Ok(Ok(()))
    }

    /// Encodes a record of collectives; the inner error is the code and the text of the rule that refuses it.
    fn encode_record<W: Write>(
        &self,
        kind: Kind,
        value: &Value,
        place: fmt::Arguments<'_>,
        printer: &mut JsonPrinter<W>,
    ) -> Result<Result<(), (&'static str, String)>> {
        match encode_any(kind, self.arch.arch, self.slot_limit, value)? {
            Ok(encoded) if self.format == Format::Text => {
                for warning in encoded.warnings {
                    say(&format!("trnwire: {place}: warning: {warning}"));
                }
                self.print_bytes(&encoded.bytes, printer.inner())?;
            }
            Ok(encoded) => {
                printer.push(&json!({ "bytes": HexBytes(&encoded.bytes), "warnings": encoded.warnings }))?;
            }
            Err(refused) => {
                if self.format != Format::Text {
                    printer.push(&json!({ "error": refused.code(), "message": refused.to_string() }))?;
                }
                return Ok(Err((refused.code(), refused.to_string())));
            }
        }
        Ok(Ok(()))
    }

    fn print_bytes(&self, bytes: &[u8], out: &mut impl Write) -> io::Result<()> {
        match (self.incomplete, self.hex) {
            (true, _) => Ok(()),
            (false, true) => writeln!(out, "{}", HexBytes(bytes)),
            (false, false) => out.write_all(bytes),
        }
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
