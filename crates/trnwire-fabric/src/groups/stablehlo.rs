//! StableHLO as MLIR text.
//!
//! A collective op is `%name = "stablehlo.all_reduce"(operands) <{attributes}> ({ regions }) {attributes} : type`. Regions
//! are read like the rest of the module, for they may hold ops; the attributes behind them are added when they end.

use super::attributes::{self, CHANNEL_HANDLE, CHANNEL_ID, GLOBAL_IDS, Reading};
use super::brackets::Brackets;
use super::cursor::{Cursor, Step, closes};
use super::dense;
use super::error::Problem;
use super::module::{Language, Module};
use super::op::CollectiveOp;
use super::written::Written;

/// Reads a module or a piece of one.
pub(super) fn read(text: &str) -> Module {
    let module = Module::new(Language::StableHlo);
    let mut reader = Reader { cursor: Cursor::new(text), module, found: Vec::new(), results: Results::None };
    // Which op a region belongs to.
    let mut brackets: Brackets<Option<usize>> = Brackets::new();
    loop {
        reader.cursor.skip_space();
        let result = match reader.cursor.peek() {
            None => break,
            Some(b'"') => reader.string(&mut brackets),
            Some(b'(' | b'[' | b'{') => {
                reader.results = Results::None;
                brackets.open(&mut reader.cursor, None);
                Ok(())
            }
            Some(b')' | b']' | b'}') => brackets.close(&mut reader.cursor).map(|op| {
                if let Some(op) = op.flatten() {
                    reader.attributes_behind(op);
                }
            }),
            Some(_) => reader.word(),
        };
        reader.module.refused.extend(result.err());
    }
    reader.module.refused.extend(brackets.end(reader.cursor).err());
    let Reader { cursor, mut module, mut found, .. } = reader;
    // Attributes may have stood behind a region that has no end.
    for (line, op) in brackets.into_open() {
        if let Some(reading) = op.and_then(|op| found.get_mut(op)) {
            reading.refuse(cursor.error(Problem::Unclosed('(', line)));
        }
    }
    for reading in found {
        match reading.finish() {
            Ok(collective) => module.collectives.push(collective),
            Err(error) => module.refused.push(error),
        }
    }
    module
}

/// What stands before an op. Of several results the first counts.
#[derive(Clone, Copy)]
enum Results<'text> {
    /// No name of a result.
    None,
    /// `%name`.
    Named(&'text str),
    /// `%name,`.
    More(&'text str),
    /// `%name =`.
    Assigned(&'text str),
}

struct Reader<'text> {
    cursor: Cursor<'text>,
    module: Module,
    /// The ops so far. Those with a region get attributes when it ends.
    found: Vec<Reading<'text>>,
    results: Results<'text>,
}

impl<'text> Reader<'text> {
    /// Reads whatever is no bracket and no string.
    fn word(&mut self) -> Step<()> {
        let start = self.cursor;
        let results = core::mem::replace(&mut self.results, Results::None);
        match (self.cursor.peek(), results) {
            (Some(b'%'), _) => {
                self.cursor.bump();
                self.cursor.name();
                let name = if let Results::More(first) = results { first } else { start.text_to(self.cursor) };
                self.results = Results::Named(name);
                return Ok(());
            }
            (Some(b'='), Results::Named(name)) => self.results = Results::Assigned(name),
            (Some(b','), Results::Named(name)) => self.results = Results::More(name),
            // `%0:2 = ` has two results.
            (Some(b':' | b'0'..=b'9'), Results::Named(name)) => self.results = Results::Named(name),
            // The name of a symbol, type, attribute or block is no op.
            (Some(b'@' | b'!' | b'#' | b'^'), _) => {
                self.cursor.bump();
                self.cursor.name();
                return Ok(());
            }
            _ => {}
        }
        let word = self.cursor.name();
        match word {
            "" => self.cursor.bump(),
            "mhlo.num_replicas" => self.count(false, "mhlo.num_replicas")?,
            "mhlo.num_partitions" => self.count(true, "mhlo.num_partitions")?,
            _ => {
                if let (Results::Assigned(name), Some(_)) = (results, CollectiveOp::of_mlir(word)) {
                    return Err(start.error(Problem::OpForm).of_op(name));
                }
                // Ops that send and receive have channels and pairs, too, but no groups.
                if word == attributes::GROUPS && self.cursor.eat(b'=') {
                    return Err(start.error(Problem::Stray).in_field(attributes::GROUPS));
                }
            }
        }
        Ok(())
    }

    /// Reads `= 4 : i32` behind the name of a count.
    fn count(&mut self, is_partitions: bool, field: &'static str) -> Step<()> {
        if self.cursor.eat(b'=') { self.module.read_count(&mut self.cursor, is_partitions, field) } else { Ok(()) }
    }

    /// Reads a string, and the op whose name it is.
    fn string(&mut self, brackets: &mut Brackets<Option<usize>>) -> Step<()> {
        let start = self.cursor;
        let opcode = self.cursor.string()?;
        let results = core::mem::replace(&mut self.results, Results::None);
        let Some(op) = CollectiveOp::of_mlir(opcode) else { return Ok(()) };
        self.cursor.skip_space();
        if self.cursor.peek() != Some(b'(') {
            return Ok(());
        }
        let name = if let Results::Assigned(name) = results { name } else { "" };
        self.cursor.skip_balanced().map_err(|error| error.of_op(name))?;
        let mut reading = Reading::new(name, opcode, op, start.line());
        self.cursor.skip_space();
        if self.cursor.eat_text("<") {
            self.cursor.skip_space();
            if let Err(error) = self.dictionary(&mut reading).and_then(|()| self.cursor.expect(b'>', "'>'")) {
                reading.refuse(error);
            }
        }
        self.cursor.skip_space();
        let index = self.found.len();
        self.found.push(reading);
        let mut ahead = self.cursor;
        if ahead.eat(b'(') && ahead.eat(b'{') {
            brackets.open(&mut self.cursor, Some(index));
        } else {
            self.attributes_behind(index);
        }
        Ok(())
    }

    /// Reads the attributes that may stand behind an op and its regions.
    fn attributes_behind(&mut self, index: usize) {
        self.cursor.skip_space();
        if self.cursor.peek() != Some(b'{') {
            return;
        }
        // The op is taken out for the time of reading.
        let Some(place) = self.found.get_mut(index) else { return };
        let spare = Reading::new("", "", CollectiveOp::AllReduce, 0);
        let mut reading = core::mem::replace(place, spare);
        if let Err(error) = self.dictionary(&mut reading) {
            reading.refuse(error);
        }
        if let Some(place) = self.found.get_mut(index) {
            *place = reading;
        }
    }

    /// Reads `{name = value, name}`. What is wrong with a value is kept with the op.
    fn dictionary(&mut self, reading: &mut Reading<'text>) -> Step<()> {
        self.cursor.expect(b'{', "'{'")?;
        if self.cursor.eat(b'}') {
            return Ok(());
        }
        loop {
            self.cursor.skip_space();
            let start = self.cursor;
            let name = if self.cursor.peek() == Some(b'"') { self.cursor.string()? } else { self.cursor.name() };
            if name.is_empty() {
                return Err(start.error(Problem::Expected("the name of an attribute")));
            }
            let has_value = self.cursor.eat(b'=');
            let value = self.cursor;
            if let Some(field) = attributes::known(name) {
                if let Err(error) = self.known_attribute(start, field, has_value, reading) {
                    reading.refuse(error.in_field(field));
                    self.cursor = value;
                    self.skip_value()?;
                }
            } else if has_value {
                self.skip_value()?;
            }
            if self.cursor.eat(b'}') {
                return Ok(());
            }
            self.cursor.expect(b',', "',' or '}'")?;
        }
    }

    /// Reads an attribute that says who takes part.
    fn known_attribute(
        &mut self,
        start: Cursor<'text>,
        field: &'static str,
        has_value: bool,
        reading: &mut Reading<'text>,
    ) -> Step<()> {
        let cursor = &mut self.cursor;
        if !has_value && field != GLOBAL_IDS {
            return Err(cursor.error(Problem::Expected("'=' and a value")));
        }
        match field {
            GLOBAL_IDS => {
                let is_true = !has_value || boolean(cursor)?;
                reading.set_global_ids(start, is_true)?;
            }
            CHANNEL_HANDLE | CHANNEL_ID => {
                let channel = if field == CHANNEL_ID { typed_integer(cursor)? } else { handle(cursor)? };
                reading.set_channel(start, Some(channel).filter(|&channel| channel > 0))?;
            }
            _ => {
                let groups = dense::read(cursor)?;
                reading.set_written(start, field, Written::Dense(groups))?;
            }
        }
        cursor.skip_space();
        match cursor.peek() {
            Some(b',' | b'}') => Ok(()),
            _ => Err(cursor.error(Problem::Expected("',' or '}' behind the value"))),
        }
    }

    /// Skips a value that need not be understood: up to a comma or bracket outside of its own brackets.
    fn skip_value(&mut self) -> Step<()> {
        let mut open: Vec<(u8, usize)> = Vec::new();
        loop {
            self.cursor.skip_space();
            let Some(byte) = self.cursor.peek() else {
                let (last, line) = open.last().copied().unwrap_or((b'{', self.cursor.line()));
                return Err(self.cursor.error(Problem::Unclosed(last.into(), line)));
            };
            match byte {
                b'"' => {
                    self.cursor.string()?;
                    continue;
                }
                b',' if open.is_empty() => return Ok(()),
                // Neither `->` nor `>=` closes anything.
                b'-' if self.cursor.ahead(1) == Some(b'>') => self.cursor.bump(),
                b'>' if self.cursor.ahead(1) == Some(b'=') => {}
                b'(' | b'[' | b'{' | b'<' => open.push((byte, self.cursor.line())),
                b')' | b']' | b'}' | b'>' => match open.last() {
                    Some(&(last, _)) if closes(last, byte) => {
                        open.pop();
                    }
                    Some(&(last, line)) => return Err(self.cursor.error(Problem::Unclosed(last.into(), line))),
                    None => return Ok(()),
                },
                _ => {}
            }
            self.cursor.bump();
        }
    }
}

/// Reads `true`, `false` or `unit`.
fn boolean(cursor: &mut Cursor<'_>) -> Step<bool> {
    cursor.skip_space();
    let start = *cursor;
    match cursor.name() {
        "true" | "unit" => Ok(true),
        "false" => Ok(false),
        _ => Err(start.error(Problem::Expected("true or false"))),
    }
}

/// Reads `1` or `1 : i64`.
fn typed_integer(cursor: &mut Cursor<'_>) -> Step<i64> {
    let number = cursor.integer()?;
    if cursor.eat(b':') {
        cursor.skip_space();
        let start = *cursor;
        if cursor.name() != "i64" {
            return Err(start.error(Problem::Expected("i64")));
        }
    }
    Ok(number)
}

/// Reads `#stablehlo.channel_handle<handle = 1, type = 0>`, and gives the handle.
fn handle(cursor: &mut Cursor<'_>) -> Step<i64> {
    const FORM: &str = "#stablehlo.channel_handle<handle = N, type = N>";
    cursor.skip_space();
    let start = *cursor;
    let form = |cursor: Cursor<'_>| cursor.error(Problem::Expected(FORM));
    let is_handle = cursor.eat(b'#')
        && matches!(cursor.name(), "stablehlo.channel_handle" | "mhlo.channel_handle")
        && cursor.eat(b'<');
    if !is_handle {
        return Err(form(start));
    }
    let mut handle = None;
    loop {
        cursor.skip_space();
        let place = *cursor;
        let name = cursor.name();
        if !matches!(name, "handle" | "type") || !cursor.eat(b'=') {
            return Err(form(place));
        }
        let number = cursor.integer()?;
        if name == "handle" && handle.replace(number).is_some() {
            return Err(place.error(Problem::Repeated));
        }
        if cursor.eat(b'>') {
            return handle.ok_or_else(|| form(start));
        }
        cursor.expect(b',', "',' or '>'")?;
    }
}
