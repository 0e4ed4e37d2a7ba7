//! The bulk paths, run over chunks of consecutive words and compared with closed forms.

use trnwire::addr4::{Addr4, Addr4Wire, Lint, Reason};
use trnwire_batch::{Engine, Summary, Validator};

use crate::model::{Line, Lints, Outcome, Pattern, Query};
use crate::scalar::{access, generation, verdict};

/// Words that are judged at a stretch.
pub(crate) const CHUNK: u32 = 1 << 16;

/// The engines under test: all of this machine but the scalar one, which is compared word by word elsewhere.
pub(crate) fn engines() -> Vec<Engine> {
    Engine::available().filter(|&engine| engine != Engine::Scalar).collect()
}

/// Consecutive words in both forms that a slice can have, and room for a bitmap.
pub(crate) struct Chunk {
    first: u32,
    words: Vec<Addr4>,
    wire: Vec<Addr4Wire>,
    found: Vec<u64>,
    expected: Vec<u64>,
}

/// Which form the words have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Number,
    Wire,
}

impl Chunk {
    pub(crate) fn new() -> Self {
        Self { first: 0, words: Vec::new(), wire: Vec::new(), found: Vec::new(), expected: Vec::new() }
    }

    /// Holds the words from `first` to `last` from now on.
    pub(crate) fn fill(&mut self, first: u32, last: u32) {
        self.first = first;
        self.words.resize((last - first + 1) as usize, Addr4::from_bits(0));
        for (offset, word) in self.words.iter_mut().enumerate() {
            *word = Addr4::from_bits(first.wrapping_add(offset as u32));
        }
        self.wire.clear();
    }

    fn make_wire(&mut self) {
        if self.wire.is_empty() {
            self.wire.extend(self.words.iter().copied().map(Addr4Wire::from));
        }
    }

    fn last(&self) -> u32 {
        self.first + (self.words.len() - 1) as u32
    }

    /// Compares the counts of each reason and lint, and the bitmap if asked for.
    pub(crate) fn compare(&mut self, asked: &Asked, engine: Engine, form: Form, with_bitmap: bool) {
        // Positions are compared elsewhere: they are looked up by the scalar functions.
        let validator = asked.validator(engine).first_limit(0).parallel(false);
        let last = self.last();
        if form == Form::Wire {
            self.make_wire();
        }
        let summary = match form {
            Form::Number => validator.run(&self.words),
            Form::Wire => validator.run(&self.wire),
        };
        asked.compare_counts(self.first, last, &summary, engine);
        if with_bitmap {
            match form {
                Form::Number => validator.bitmap(&self.words, &mut self.found),
                Form::Wire => validator.bitmap(&self.wire, &mut self.found),
            }
            asked.bitmap(self.first, last, &mut self.expected);
            assert!(self.found == self.expected, "{engine} {:?} from {:#010X}: bitmap", asked.query, self.first);
        }
    }
}

/// An access with its lines.
pub(crate) struct Asked {
    pub(crate) query: Query,
    pub(crate) line: Line<Pattern>,
    lints: Line<Lints>,
}

impl Asked {
    pub(crate) fn new(query: Query) -> Self {
        Self { query, line: Line::<Pattern>::of(query), lints: Line::<Lints>::of(query.generation) }
    }

    pub(crate) fn validator(&self, engine: Engine) -> Validator {
        Validator::new(generation(self.query.generation), access(self.query)).engine(engine).unwrap()
    }

    pub(crate) fn compare_counts(&self, first: u32, last: u32, summary: &Summary, engine: Engine) {
        let counts = self.line.count(first, last);
        let place = || format!("{engine} {:?} {first:#010X}..={last:#010X}", self.query);
        assert_eq!(summary.items(), counts.total(), "{}", place());
        assert_eq!(summary.ok(), counts.accepted(), "{}", place());
        for outcome in Outcome::ALL {
            if let Err(reason) = verdict(outcome) {
                assert_eq!(summary.count(reason), counts.of(outcome), "{} {reason}", place());
            }
        }
        for (&lint, count) in Lint::ALL.iter().zip(self.lints.count(first, last)) {
            assert_eq!(summary.lint_count(lint), count, "{} {lint}", place());
        }
    }

    /// What the bitmap should be; both ends on a multiple of 64.
    fn bitmap(&self, first: u32, last: u32, bits: &mut Vec<u64>) {
        bits.clear();
        for segment in self.line.within(first, last) {
            let refused = |outcome: Outcome| if outcome.accepts() { 0 } else { u64::MAX };
            let entry = match segment.what {
                Pattern::Every(outcome) => refused(outcome),
                Pattern::Multiples { step, hit } => {
                    let hits = (0..64).step_by(step as usize).fold(0, |hits, bit| hits | 1_u64 << bit);
                    !hits | refused(hit)
                }
            };
            assert!(segment.first.is_multiple_of(64) && segment.len().is_multiple_of(64));
            bits.resize(bits.len() + (segment.len() / 64) as usize, entry);
        }
    }
}

/// Judges scattered words in every way there is, and compares counts, first positions and the bitmap.
pub(crate) fn compare_scattered(words: &[Addr4], wire: &[Addr4Wire], query: Query) {
    let asked = Asked::new(query);
    let mut reasons = vec![Vec::new(); Reason::ALL.len()];
    let mut lints = vec![Vec::new(); Lint::ALL.len()];
    let mut bits = vec![0_u64; words.len().div_ceil(64)];
    let mut position = 0;
    for segment in asked.line.segments() {
        while let Some(word) = words.get(position).filter(|word| word.bits() <= segment.last) {
            if let Err(reason) = verdict(segment.what.at(word.bits())) {
                reasons[reason as usize].push(position as u64);
                bits[position / 64] |= 1 << (position % 64);
            }
            position += 1;
        }
    }
    position = 0;
    for segment in asked.lints.segments() {
        while words.get(position).is_some_and(|word| word.bits() <= segment.last) {
            for (id, positions) in lints.iter_mut().enumerate() {
                if segment.what.0 & 1 << id != 0 {
                    positions.push(position as u64);
                }
            }
            position += 1;
        }
    }
    let check = |summary: &Summary, found: &[u64], how: &str| {
        for (&reason, positions) in Reason::ALL.iter().zip(&reasons) {
            assert_eq!(summary.count(reason), positions.len() as u64, "{how} {query:?} {reason}");
            assert_eq!(summary.first(reason), &positions[..positions.len().min(8)], "{how} {query:?} {reason}");
        }
        for (&lint, positions) in Lint::ALL.iter().zip(&lints) {
            assert_eq!(summary.lint_count(lint), positions.len() as u64, "{how} {query:?} {lint}");
            assert_eq!(summary.first_lint(lint), &positions[..positions.len().min(8)], "{how} {query:?} {lint}");
        }
        assert!(found == bits, "{how} {query:?}: bitmap");
    };
    let mut found = Vec::new();
    for engine in engines() {
        let validator = asked.validator(engine).first_limit(8).parallel(false);
        validator.bitmap(words, &mut found);
        check(&validator.run(words), &found, engine.name());
        validator.bitmap(wire, &mut found);
        check(&validator.run(wire), &found, engine.name());
    }
}
