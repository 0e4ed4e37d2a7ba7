//! HLO text.
//!
//! An op is `name = shape opcode(operands), attribute=value, ...`. Every such op is stepped over as a whole, whatever its
//! opcode is, so that nothing inside of it is taken for another.

use super::attributes::{self, CHANNEL_ID, GLOBAL_IDS, PAIRS, Reading};
use super::brackets::Brackets;
use super::cursor::{Cursor, Step};
use super::error::Problem;
use super::module::{Language, Module};
use super::nested::{self, Style};
use super::op::CollectiveOp;
use super::written::{Written, read_hlo};

/// Reads a module or a piece of one.
pub(super) fn read(text: &str) -> Module {
    let mut reader = Reader { cursor: Cursor::new(text), module: Module::new(Language::Hlo) };
    let mut brackets = Brackets::new();
    let mut has_header = false;
    loop {
        reader.cursor.skip_space();
        let result = match reader.cursor.peek() {
            None => break,
            Some(b'"') => reader.cursor.string().map(|_| ()),
            Some(b'(' | b'[' | b'{') => {
                brackets.open(&mut reader.cursor, ());
                Ok(())
            }
            Some(b')' | b']' | b'}') => brackets.close(&mut reader.cursor).map(|_| ()),
            Some(_) => {
                let start = reader.cursor;
                match name(&mut reader.cursor) {
                    "" => {
                        reader.cursor.bump();
                        Ok(())
                    }
                    "HloModule" if has_header => {
                        reader.module.refused.push(start.error(Problem::SecondModule));
                        return reader.module;
                    }
                    "HloModule" => {
                        has_header = true;
                        reader.header()
                    }
                    name if reader.eat_equals() => reader.op(start, name),
                    _ => Ok(()),
                }
            }
        };
        reader.module.refused.extend(result.err());
    }
    reader.module.refused.extend(brackets.end(reader.cursor).err());
    reader.module
}

/// Takes a name, with the `%` before it.
fn name<'text>(cursor: &mut Cursor<'text>) -> &'text str {
    let start = *cursor;
    if cursor.peek() == Some(b'%') {
        cursor.bump();
    }
    cursor.name();
    start.text_to(*cursor)
}

struct Reader<'text> {
    cursor: Cursor<'text>,
    module: Module,
}

impl<'text> Reader<'text> {
    /// After white space, takes `=`, but not `==`.
    fn eat_equals(&mut self) -> bool {
        self.cursor.skip_space();
        self.cursor.ahead(1) != Some(b'=') && self.cursor.eat(b'=')
    }

    /// Reads the rest of a header: the name of the module and its attributes.
    fn header(&mut self) -> Step<()> {
        self.cursor.skip_space();
        while self.cursor.peek().is_some_and(|byte| !matches!(byte, b',' | b'\n')) {
            self.cursor.bump();
        }
        while let Some((_, name)) = self.next_attribute() {
            let value = self.cursor;
            let result = match name {
                "replica_count" => self.module.read_count(&mut self.cursor, false, "replica_count"),
                "num_partitions" => self.module.read_count(&mut self.cursor, true, "num_partitions"),
                _ => Ok(()),
            };
            if let Err(error) = result {
                self.module.refused.push(error);
            }
            self.cursor = value;
            self.skip_value()?;
        }
        Ok(())
    }

    /// Takes `, name=`, and gives where the name stands. Anything else ends a list of attributes.
    fn next_attribute(&mut self) -> Option<(Cursor<'text>, &'text str)> {
        let before = self.cursor;
        if self.cursor.eat(b',') {
            self.cursor.skip_space();
            let start = self.cursor;
            let name = self.cursor.name();
            if !name.is_empty() && self.eat_equals() {
                return Some((start, name));
            }
        }
        self.cursor = before;
        None
    }

    /// Reads an op behind its name and `=`; `start` is where the name stands.
    ///
    /// Nothing is read twice, so that brackets in brackets cost no more than their length. Text that turns out to be no
    /// op stays skipped.
    fn op(&mut self, start: Cursor<'text>, name: &'text str) -> Step<()> {
        self.cursor.skip_space();
        match self.cursor.peek() {
            Some(b'(') => self.cursor.skip_balanced().map_err(|error| error.of_op(name))?,
            Some(_) if !self.cursor.name().is_empty() && self.cursor.peek() == Some(b'[') => {
                self.cursor.skip_balanced().map_err(|error| error.of_op(name))?;
            }
            _ => {
                return attributes::known(name)
                    .map_or(Ok(()), |field| Err(start.error(Problem::Stray).in_field(field)));
            }
        }
        self.cursor.skip_space();
        if self.cursor.peek() == Some(b'{') {
            self.cursor.skip_balanced().map_err(|error| error.of_op(name))?;
            self.cursor.skip_space();
        }
        let opcode = self.cursor.name();
        self.cursor.skip_space();
        if opcode.is_empty() || self.cursor.peek() != Some(b'(') {
            return Ok(());
        }
        let op = CollectiveOp::of_hlo(opcode).map(|op| Reading::new(name, opcode, op, start.line()));
        self.cursor.skip_balanced().map_err(|error| error.of_op(name))?;
        match op {
            None => {
                while self.next_attribute().is_some() {
                    self.skip_value().map_err(|error| error.of_op(name))?;
                }
            }
            Some(mut reading) => {
                self.collective(&mut reading)?;
                if !reading.calls {
                    self.module.collectives.push(reading.finish()?);
                }
            }
        }
        Ok(())
    }

    /// Reads the attributes of a collective op. What is wrong with it is kept with it.
    fn collective(&mut self, reading: &mut Reading<'text>) -> Step<()> {
        while let Some((start, name)) = self.next_attribute() {
            reading.calls |= name == "calls";
            let value = self.cursor;
            match attributes::known(name) {
                Some(field) => {
                    if let Err(error) = self.known_attribute(start, field, reading) {
                        reading.refuse(error.in_field(field));
                        // Its brackets may be what is wrong. They must not take the ops of other lines with them.
                        let failed = self.cursor;
                        self.cursor = value;
                        let skipped = self.skip_value_up_to(value.line());
                        // Never back to what was read, so that the time stays linear.
                        self.cursor = self.cursor.further(failed);
                        if skipped.is_err() {
                            return Ok(());
                        }
                    }
                }
                None => self.skip_value().map_err(|error| error.of_op(reading.name))?,
            }
        }
        self.cursor.skip_space();
        // A comma that no attribute follows: what comes next would be lost.
        if self.cursor.peek() == Some(b',') {
            reading.refuse(self.cursor.error(Problem::Expected("an attribute behind the comma")));
        }
        Ok(())
    }

    /// Reads an attribute that says who takes part.
    fn known_attribute(&mut self, start: Cursor<'text>, field: &'static str, reading: &mut Reading<'text>) -> Step<()> {
        let cursor = &mut self.cursor;
        match field {
            CHANNEL_ID => {
                let channel = cursor.integer()?;
                reading.set_channel(start, Some(channel))?;
            }
            GLOBAL_IDS => {
                cursor.skip_space();
                let value = *cursor;
                let is_true = match cursor.name() {
                    "true" => true,
                    "false" => false,
                    _ => return Err(value.error(Problem::Expected("true or false"))),
                };
                reading.set_global_ids(start, is_true)?;
            }
            PAIRS => {
                let pairs = nested::read(cursor, Style::BRACES)?;
                reading.set_written(start, field, Written::Braces(pairs.groups))?;
            }
            attributes::GROUPS => {
                let groups = read_hlo(cursor)?;
                reading.set_written(start, field, groups)?;
            }
            _ => return Err(start.error(Problem::NotOfThisOp)),
        }
        match cursor.peek() {
            None | Some(b',' | b' ' | b'\t' | b'\r' | b'\n' | b')' | b'}' | b'/') => Ok(()),
            Some(_) => Err(cursor.error(Problem::Expected("',' behind the value"))),
        }
    }

    /// Skips a value that need not be understood: up to white space or a comma outside of brackets.
    fn skip_value(&mut self) -> Step<()> {
        self.skip_value_up_to(usize::MAX)
    }

    /// The same, where brackets that are open behind a line are an error.
    fn skip_value_up_to(&mut self, last_line: usize) -> Step<()> {
        self.cursor.skip_space();
        loop {
            match self.cursor.peek() {
                Some(b'"') => {
                    self.cursor.string()?;
                }
                Some(b'(' | b'[' | b'{') => self.cursor.skip_balanced_up_to(last_line)?,
                None | Some(b',' | b' ' | b'\t' | b'\r' | b'\n' | b')' | b']' | b'}') => return Ok(()),
                Some(b'/') if matches!(self.cursor.ahead(1), Some(b'*' | b'/')) => return Ok(()),
                Some(_) => self.cursor.bump(),
            }
        }
    }
}
