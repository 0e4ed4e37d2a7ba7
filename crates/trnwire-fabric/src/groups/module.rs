//! Whole modules: every collective op of an HLO text or a StableHLO file.

use super::cursor::{Cursor, Step};
use super::error::{ParseError, Problem};
use super::op::Collective;
use super::{hlo, stablehlo};

/// The language of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Language {
    /// HLO text.
    Hlo,
    /// StableHLO, as MLIR text.
    StableHlo,
}

impl Language {
    /// The word in output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hlo => "hlo",
            Self::StableHlo => "stablehlo",
        }
    }

    /// The language of a text, by the first words that only one of them has. HLO if there are none.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut cursor = Cursor::new(text);
        loop {
            cursor.skip_space();
            match cursor.peek() {
                None => return Self::Hlo,
                // Names of types, attributes, blocks and symbols, and names of ops in quotes.
                Some(b'#' | b'!' | b'^' | b'@' | b'"') => return Self::StableHlo,
                Some(b'=') => {
                    cursor.bump();
                    cursor.skip_space();
                    let word = cursor.name();
                    match cursor.peek() {
                        Some(b'"') => return Self::StableHlo,
                        _ if word.contains('.') => return Self::StableHlo,
                        Some(b'[' | b'(') => return Self::Hlo,
                        _ => {}
                    }
                }
                Some(_) => match cursor.name() {
                    "HloModule" | "ENTRY" | "ROOT" => return Self::Hlo,
                    "module" | "builtin.module" | "func.func" => return Self::StableHlo,
                    "" => cursor.bump(),
                    _ => {}
                },
            }
        }
    }
}

/// What a module says about collectives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// In which language it was read.
    pub language: Language,
    /// How many replicas it is for, if it says so.
    pub replicas: Option<u32>,
    /// How many partitions each replica has, if it says so.
    pub partitions: Option<u32>,
    /// Every collective op, in the order of the text.
    pub collectives: Vec<Collective>,
    /// What could not be read: ops that are not among the collectives for that reason, and places where brackets do
    /// not match, so that ops may have been overlooked. In the order of the places that they name.
    pub refused: Vec<ParseError>,
}

impl Module {
    pub(super) const fn new(language: Language) -> Self {
        Self { language, replicas: None, partitions: None, collectives: Vec::new(), refused: Vec::new() }
    }

    /// Reads a count of the module, which may stand there again if it is the same.
    pub(super) fn read_count(&mut self, cursor: &mut Cursor<'_>, is_partitions: bool, field: &'static str) -> Step<()> {
        cursor.skip_space();
        let start = *cursor;
        let number = cursor.size().map_err(|error| error.in_field(field))?;
        let count = if is_partitions { &mut self.partitions } else { &mut self.replicas };
        match count.replace(number) {
            Some(before) if before != number => {
                *count = Some(before);
                Err(start.error(Problem::OtherCount(before)).in_field(field))
            }
            _ => Ok(()),
        }
    }
}

/// Reads a module, or a piece of one, in the language that [`Language::of`] tells.
///
/// It is a scanner: what is no collective op is skipped without being understood, and what it skips it need not know.
/// An op that it does know is read strictly, or is refused with the reason. Strings and comments hold no ops. An op with
/// `calls=` is not counted, since the op that it stands for is in the computation that it calls. The time grows with the
/// text alone, and so does the memory.
#[must_use]
pub fn read_module(text: &str) -> Module {
    let mut module = match Language::of(text) {
        Language::Hlo => hlo::read(text),
        Language::StableHlo => stablehlo::read(text),
    };
    module.refused.sort_by_key(|error| (error.line, error.column));
    module
}
