//! Where bytes come from: literals, files and standard input, as bytes or as hex text.

mod hex_text;

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use hex_text::HexText;
use trnwire::Kind;
use trnwire::addr4::Addr4;
use trnwire::block::View;
use zerocopy::IntoBytes;

/// Words of one block: 256 KiB, so that a block is still in the L2 cache when it is checked.
const BLOCK_WORDS: usize = 1 << 16;

/// One INPUT argument.
pub struct Source {
    name: String,
    content: Content,
}

enum Content {
    Stdin,
    File(PathBuf),
    /// The digits of a number.
    Number(String),
    Bytes(Vec<u8>),
}

/// How bytes are read.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// What they are.
    pub kind: Kind,
    /// Whose they are, where a block does not say it by its length.
    pub view: Option<View>,
    /// Files and standard input hold hex text.
    pub hex: bool,
}

impl From<Kind> for Reading {
    fn from(kind: Kind) -> Self {
        Self { kind, view: None, hex: false }
    }
}

/// The longest context that is read. The sync core's own memory is smaller.
pub const MAX_CONTEXT_BYTES: u64 = 16 << 20;

impl Source {
    /// Tells literals, standard input and file names apart.
    ///
    /// # Errors
    /// Bytes in hex that are malformed.
    pub fn parse(argument: &OsStr) -> Result<Self> {
        let name = argument.to_string_lossy().into_owned();
        let content = if argument == "-" {
            return Ok(Self { name: STANDARD_INPUT.to_owned(), content: Content::Stdin });
        } else if let Some(digits) = name.strip_prefix("0x").or_else(|| name.strip_prefix("0X")) {
            Content::Number(digits.to_owned())
        } else if let Some(text) = name.strip_prefix("hex:") {
            let mut bytes = Vec::new();
            HexText::new(text.as_bytes()).read_to_end(&mut bytes).with_context(|| name.clone())?;
            const MOST_CHARS: usize = 60;
            let name = match name.get(..MOST_CHARS) {
                Some(start) if name.len() > MOST_CHARS => format!("{start}... ({} bytes)", bytes.len()),
                _ => name,
            };
            return Ok(Self { name, content: Content::Bytes(bytes) });
        } else {
            Content::File(argument.into())
        };
        Ok(Self { name, content })
    }

    /// The argument, or "standard input".
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Opens the source.
    ///
    /// # Errors
    /// A file that cannot be opened, a directory, a number that the kind cannot hold, or a block that does not say by its
    /// length whose it is.
    pub fn open(&self, reading: impl Into<Reading>) -> Result<Records> {
        let reading = reading.into();
        let (reader, length): (Box<dyn Read>, _) = match &self.content {
            Content::Bytes(bytes) => return Records::of_bytes(&self.name, reading, bytes.clone()),
            Content::Number(digits) => {
                let bytes = number_literal(digits, reading.kind).with_context(|| self.name.clone())?;
                return Records::of_bytes(&self.name, reading, bytes);
            }
            Content::Stdin => (Box::new(io::stdin().lock()), None),
            Content::File(path) => {
                let is_number = self.name.bytes().all(|byte| byte.is_ascii_hexdigit());
                let file = match open_file(path) {
                    Err(error) if is_number => bail!("{error:#}; a word is written 0x{}", self.name),
                    opened => opened?,
                };
                let metadata = file.metadata().with_context(|| self.name.clone())?;
                (Box::new(file), metadata.is_file().then_some(metadata.len()))
            }
        };
        let reader = if reading.hex { Box::new(HexText::new(reader)) } else { reader };
        Records::new(&self.name, reading, reader, length.filter(|_| !reading.hex))
    }
}

const STANDARD_INPUT: &str = "standard input";

/// Opens a file or, for -, standard input; gives its name for errors, too.
pub(crate) fn open_stream(argument: &OsStr) -> Result<(String, Box<dyn Read>)> {
    if argument == "-" {
        return Ok((STANDARD_INPUT.to_owned(), Box::new(io::stdin().lock())));
    }
    Ok((argument.to_string_lossy().into_owned(), Box::new(open_file(Path::new(argument))?)))
}

/// Opens a file for reading; a directory is refused here and not at the first read.
fn open_file(path: &Path) -> Result<File> {
    let name = || path.display().to_string();
    let file = File::open(path).with_context(name)?;
    if file.metadata().with_context(name)?.is_dir() {
        bail!("{}: is a directory", path.display());
    }
    Ok(file)
}

/// A number as a literal without its `0x`: the bytes of a word of 32 bits, or of an address of 64.
fn number_literal(digits: &str, kind: Kind) -> Result<Vec<u8>> {
    if let Some(other) = digits.chars().find(|&digit| digit != '_' && !digit.is_ascii_hexdigit()) {
        bail!("{other:?} is no hex digit");
    }
    let digits = digits.replace('_', "");
    if digits.is_empty() {
        bail!("no digits after 0x");
    }
    let significant = digits.trim_start_matches('0');
    let number = match significant.len() {
        0 => 0,
        length if length > 16 => bail!("does not fit 64 bits"),
        _ => u64::from_str_radix(significant, 16)?,
    };
    match (kind, u32::try_from(number)) {
        (Kind::SemaphoreAddress | Kind::CcOp, _) => Ok(number.to_le_bytes().to_vec()),
        (_, Ok(word)) => Ok(Addr4::from_bits(word).to_wire().to_vec()),
        _ => bail!("does not fit 32 bits; a word has at most 8 hex digits"),
    }
}

/// Reads records block by block, so that a file of any size needs the same memory.
pub struct Records {
    name: String,
    kind: Kind,
    record_bytes: usize,
    reader: Box<dyn Read>,
    /// Bytes, aligned for words.
    block: Vec<Addr4>,
    /// Bytes before the current block.
    offset: u64,
    next_offset: u64,
    length: Option<u64>,
    /// There is one record.
    single: bool,
    /// Bytes of a last, incomplete record.
    rest: usize,
    /// Bytes of the block that hold whole records, and those that were handed on one by one.
    filled: usize,
    taken: usize,
    ended: bool,
}

impl Records {
    fn of_bytes(name: &str, reading: Reading, bytes: Vec<u8>) -> Result<Self> {
        let length = u64::try_from(bytes.len())?;
        let records = Self::new(name, reading, Box::new(Cursor::new(bytes)), Some(length))?;
        Ok(Self { length: None, ..records })
    }

    fn new(name: &str, reading: Reading, mut reader: Box<dyn Read>, length: Option<u64>) -> Result<Self> {
        let kind = reading.kind;
        if reading.view.is_some() && kind != Kind::AlgoBlock {
            bail!("--view is about algo-blocks, and --as is {kind}");
        }
        let record_bytes = match kind {
            Kind::AlgoBlock => {
                let (view, rest) = view_of(reading.view, reader, length).with_context(|| name.to_owned())?;
                reader = rest;
                view.size_bytes()
            }
            Kind::Context => {
                let mut bytes = Vec::new();
                let read = reader.by_ref().take(MAX_CONTEXT_BYTES.saturating_add(1)).read_to_end(&mut bytes);
                read.with_context(|| name.to_owned())?;
                if u64::try_from(bytes.len())? > MAX_CONTEXT_BYTES {
                    bail!("{name}: longer than {MAX_CONTEXT_BYTES} bytes, which no context is");
                }
                let length = bytes.len();
                reader = Box::new(Cursor::new(bytes));
                length.max(1)
            }
            _ => usize::try_from(kind.table().size_bytes)?,
        };
        Ok(Self {
            name: name.to_owned(),
            kind,
            record_bytes,
            reader,
            block: vec![Addr4::default(); BLOCK_WORDS.max(record_bytes.div_ceil(4))],
            offset: 0,
            next_offset: 0,
            length,
            single: length.is_some_and(|length| usize::try_from(length) == Ok(record_bytes)),
            rest: 0,
            filled: 0,
            taken: 0,
            ended: false,
        })
    }

    /// Whether the source is known to hold one record.
    pub fn is_single(&self) -> bool {
        self.single
    }

    /// The size of a record in bytes.
    pub const fn record_bytes(&self) -> usize {
        self.record_bytes
    }

    /// The length of the whole source in bytes, where it is known.
    pub const fn length(&self) -> Option<u64> {
        self.length
    }

    /// The offset in bytes of the block that came last.
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// The bytes of the next whole records, or `None` at the end. Bytes that are no whole record, and a source without a
    /// byte, are errors that come after the records before them.
    ///
    /// # Errors
    /// Those two, hex text that is malformed, and the reader's own.
    pub fn next_block(&mut self) -> Result<Option<&[u8]>> {
        let length = self.fill()?;
        Ok(if length == 0 { None } else { self.block.as_bytes().get(..length) })
    }

    /// The next record, or `None` at the end. Not to be mixed with [`Records::next_block`].
    ///
    /// # Errors
    /// As there.
    pub fn next_record(&mut self) -> Result<Option<&[u8]>> {
        if self.taken >= self.filled {
            self.filled = self.fill()?;
            self.taken = 0;
        }
        let start = self.taken;
        self.taken = start.saturating_add(self.record_bytes);
        Ok(self.block.as_bytes().get(start..self.taken).filter(|_| self.filled > 0))
    }

    /// [`Records::next_block`] as words.
    ///
    /// # Errors
    /// As there.
    pub fn next_words(&mut self) -> Result<Option<&[Addr4]>> {
        let length = self.fill()?;
        let words = self.block.get_mut(..length / 4).unwrap_or_default();
        for word in &mut *words {
            *word = Addr4::from_bits(u32::from_le(word.bits()));
        }
        Ok(if length == 0 { None } else { Some(words) })
    }

    /// Hands on every record with its offset.
    ///
    /// # Errors
    /// As [`Records::next_block`], and the visitor's own.
    pub fn for_each(&mut self, mut visit: impl FnMut(u64, &[u8]) -> Result<()>) -> Result<()> {
        let record_bytes = self.record_bytes;
        let step = u64::try_from(record_bytes)?;
        let mut offset = 0_u64;
        while let Some(block) = self.next_block()? {
            for record in block.chunks_exact(record_bytes) {
                visit(offset, record)?;
                offset = offset.saturating_add(step);
            }
        }
        Ok(())
    }

    /// Reads the next block; gives the bytes of its whole records, none at the end.
    fn fill(&mut self) -> Result<usize> {
        if self.ended {
            return self.end();
        }
        let block = self.block.as_mut_bytes();
        let whole = block.len().saturating_sub(block.len().checked_rem(self.record_bytes).unwrap_or_default());
        let block = block.get_mut(..whole).unwrap_or_default();
        let filled = read_full(&mut self.reader, block).with_context(|| self.name.clone())?;
        self.ended = filled < whole;
        self.rest = filled.checked_rem(self.record_bytes).unwrap_or_default();
        self.offset = self.next_offset;
        self.next_offset = self.offset.saturating_add(u64::try_from(filled)?);
        match filled.saturating_sub(self.rest) {
            0 => self.end(),
            length => Ok(length),
        }
    }

    fn end(&self) -> Result<usize> {
        let at = self.next_offset.saturating_sub(u64::try_from(self.rest)?);
        let (noun, size) = (self.kind.name(), self.record_bytes);
        let noun = if self.kind == Kind::Addr4 { "word" } else { noun };
        let article = if noun.starts_with('a') { "an" } else { "a" };
        match self.rest {
            0 if self.next_offset == 0 => bail!("{}: empty, no {noun} to read", self.name),
            0 => Ok(0),
            1 => bail!("{}: 1 byte left at offset {at}, and {article} {noun} has {size}", self.name),
            rest => bail!("{}: {rest} bytes left at offset {at}, and {article} {noun} has {size}", self.name),
        }
    }
}

/// The view of blocks, and all that there is to read: the view that was asked for, or the only one of which whole blocks
/// fill the source.
fn view_of(asked: Option<View>, mut reader: Box<dyn Read>, length: Option<u64>) -> Result<(View, Box<dyn Read>)> {
    if let Some(view) = asked {
        return Ok((view, reader));
    }
    let (length, reader): (_, Box<dyn Read>) = match length {
        Some(length) => (usize::try_from(length)?, reader),
        None => {
            let most = u64::try_from(View::Host.size_bytes())?.saturating_add(1);
            let mut first = Vec::new();
            reader.by_ref().take(most).read_to_end(&mut first)?;
            if first.len() > View::Host.size_bytes() {
                bail!("several blocks of unknown length; say whose they are (--view host, sunda or cayman)");
            }
            (first.len(), Box::new(Cursor::new(first).chain(reader)))
        }
    };
    let whole = |view: &View| length.is_multiple_of(view.size_bytes());
    let mut fitting = View::ALL.into_iter().filter(whole);
    match (View::of_length(length), fitting.next(), fitting.next()) {
        (Some(view), ..) | (None, Some(view), None) => Ok((view, reader)),
        // That there is nothing is said by whoever reads.
        (None, ..) if length == 0 => Ok((View::Host, reader)),
        (None, Some(_), Some(_)) => bail!("{length} bytes are whole blocks of several views; say whose (--view)"),
        (None, None, _) => {
            let [host, sunda, cayman] = View::ALL.map(View::size_bytes);
            bail!("{length} bytes are no whole blocks: those have {host} (host), {sunda} (sunda) or {cayman} (cayman)")
        }
    }
}

/// What people call one item of a kind.
pub(crate) const fn noun(kind: Kind) -> &'static str {
    match kind {
        Kind::Addr4 => "word",
        Kind::Slot(_) => "descriptor",
        Kind::RingChannel => "ring channel",
        Kind::MeshEvent => "mesh event",
        Kind::RuntimeRow => "live row",
        Kind::CcOp => "control slot",
        Kind::AlgoBlock => "block",
        Kind::SemaphoreAddress => "address",
        other => other.name(),
    }
}

/// Reads until the buffer is full or the source ends; gives the number of bytes read.
fn read_full(reader: &mut dyn Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0_usize;
    while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match reader.read(rest) {
            Ok(0) => break,
            Ok(count) => filled = filled.saturating_add(count),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

#[cfg(test)]
#[allow(clippy::arithmetic_side_effects)]
mod tests {
    use super::*;

    fn words(argument: &str) -> Result<Vec<u32>> {
        let mut words = Source::parse(OsStr::new(argument))?.open(Kind::Addr4)?;
        let mut all = Vec::new();
        while let Some(block) = words.next_words()? {
            all.extend(block.iter().map(|word| word.bits()));
        }
        Ok(all)
    }

    #[test]
    fn a_word_literal_is_a_number_and_a_hex_literal_is_memory() {
        assert_eq!(words("0x02008004").unwrap(), [0x0200_8004]);
        assert_eq!(words("0X1").unwrap(), [1]);
        assert_eq!(words("0x0200_8004").unwrap(), [0x0200_8004]);
        assert_eq!(words("0x0000000012345678").unwrap(), [0x1234_5678]);
        assert_eq!(words("0x0").unwrap(), [0]);
        assert_eq!(words("hex:04 80 00 02 ff000000").unwrap(), [0x0200_8004, 0xFF]);
    }

    #[test]
    fn bad_literals_say_what_is_wrong_with_them() {
        let message = |argument| format!("{:#}", words(argument).unwrap_err());
        assert_eq!(message("0x123456789"), "0x123456789: does not fit 32 bits; a word has at most 8 hex digits");
        assert_eq!(message("0x"), "0x: no digits after 0x");
        assert_eq!(message("0x_"), "0x_: no digits after 0x");
        assert_eq!(message("0x12g4"), "0x12g4: 'g' is no hex digit");
        assert_eq!(message("0x+1"), "0x+1: '+' is no hex digit");
        assert_eq!(message("hex:"), "hex:: empty, no word to read");
        assert_eq!(message("hex:04 80 00 02 07"), "hex:04 80 00 02 07: 1 byte left at offset 4, and a word has 4");
        assert_eq!(message("hex:0 4"), "hex:0 4: line 1, column 2: a byte has two hex digits, found one");
    }

    #[test]
    fn blocks_join_seamlessly_however_the_source_is_cut() {
        const LENGTH: usize = BLOCK_WORDS * 4 * 2 + 402;
        /// Gives its bytes, which are a function of their position, in pieces of 1 to 7.
        struct Dribble(usize);
        impl Read for Dribble {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                let count = (self.0 % 7 + 1).min(buffer.len()).min(LENGTH - self.0);
                for slot in &mut buffer[..count] {
                    *slot = byte_at(self.0);
                    self.0 += 1;
                }
                Ok(count)
            }
        }
        fn byte_at(position: usize) -> u8 {
            (position % 251).to_le_bytes()[0]
        }
        let expected: Vec<u8> = (0..LENGTH).map(byte_at).collect();
        for &kind in Kind::ALL.iter().filter(|kind| kind.has_one_size()) {
            let mut records = Records::new("dribble", kind.into(), Box::new(Dribble(0)), None).unwrap();
            let size = usize::try_from(kind.table().size_bytes).unwrap();
            let mut bytes = Vec::new();
            let result = records.for_each(|offset, record| {
                assert_eq!((usize::try_from(offset).unwrap(), record.len()), (bytes.len(), size));
                bytes.extend_from_slice(record);
                Ok(())
            });
            let whole = LENGTH - LENGTH % size;
            assert!(bytes == expected[..whole], "{kind}");
            let rest = format!("dribble: {} bytes left at offset {whole}, and a", LENGTH - whole);
            match result {
                Ok(()) => assert_eq!(whole, LENGTH),
                Err(error) => assert!(error.to_string().starts_with(&rest), "{error}"),
            }
        }
    }
}
