//! A second account of the word rules, written without a look at the library's.
//!
//! The library asks one word a row of questions. This model never looks at a word's bits: it lays
//! all 2^32 words out on a line and cuts the line into segments. A segment answers for every word in
//! it, either with one outcome or with one outcome for the multiples of a step and another for the
//! words between them. Lints are intervals on the same line. So any range of words can be counted in
//! closed form, and a loop over a segment knows what to expect before it starts.
//!
//! Nothing here is imported from the crates under test; sizes are written as MiB and KiB.

use core::cmp::{max, min};
use core::ops::AddAssign;

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

/// All words.
pub(crate) const WORDS: u64 = 1 << 32;
/// The immediate half of the line comes first, the register half second.
const HALF: u64 = 2048 * MIB;
/// Each half holds the four modes one after the other.
const MODE: u64 = 512 * MIB;

/// From the start of a mode: SBUF, then the PSUM window, then nothing.
const SBUF_SPAN: u64 = 32 * MIB;
const PSUM_SPAN: u64 = 4 * MIB;
const SBUF_STRIDE: u64 = 256 * KIB;
const PSUM_STRIDE: u64 = 32 * KIB;
const PSUM_BACKED: u64 = 16 * KIB;

/// Words that share byte 3, words that share all but byte 0, and how many of those name a register.
const PAGE: u64 = 16 * MIB;
const ROW: u64 = 256;
const REGISTERS: u64 = 64;

/// Alignment of the tags 0 to 15, one digit each; the dot has none.
const ALIGNMENTS: &[u8; 16] = b".811222244448111";

/// What becomes of a word: three ways in, eight ways out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Outcome {
    Register,
    Psum,
    Sbuf,
    RegReservedBits,
    RegIdRange,
    NoAlignment,
    Misaligned,
    PsumNotAllowed,
    PsumWriteDtype,
    NotOnChip,
    SbufNotAllowed,
}

impl Outcome {
    pub(crate) const ALL: [Self; 11] = [
        Self::Register,
        Self::Psum,
        Self::Sbuf,
        Self::RegReservedBits,
        Self::RegIdRange,
        Self::NoAlignment,
        Self::Misaligned,
        Self::PsumNotAllowed,
        Self::PsumWriteDtype,
        Self::NotOnChip,
        Self::SbufNotAllowed,
    ];

    pub(crate) fn accepts(self) -> bool {
        matches!(self, Self::Register | Self::Psum | Self::Sbuf)
    }

    /// The reason code that the vectors and the library use; `ok` for each way in.
    pub(crate) fn code(self) -> &'static str {
        match self {
            Self::Register | Self::Psum | Self::Sbuf => "ok",
            Self::RegReservedBits => "reg_reserved_bits",
            Self::RegIdRange => "reg_id_range",
            Self::NoAlignment => "no_alignment_for_dtype",
            Self::Misaligned => "misaligned",
            Self::PsumNotAllowed => "psum_not_allowed",
            Self::PsumWriteDtype => "psum_write_dtype",
            Self::NotOnChip => "not_on_chip",
            Self::SbufNotAllowed => "sbuf_not_allowed",
        }
    }
}

/// What is asked of the line: 2, 3 or 4, a wire tag, and the three flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Query {
    pub(crate) generation: u8,
    pub(crate) dtype: u8,
    pub(crate) write: bool,
    pub(crate) psum: bool,
    pub(crate) sbuf: bool,
}

impl Query {
    /// The flags as one number: write, allow_psum and allow_sbuf from bit 0 on.
    pub(crate) const fn new(generation: u8, dtype: u8, flags: u8) -> Self {
        Self { generation, dtype, write: flags & 1 != 0, psum: flags & 2 != 0, sbuf: flags & 4 != 0 }
    }

    pub(crate) fn flags(self) -> u8 {
        u8::from(self.write) | u8::from(self.psum) << 1 | u8::from(self.sbuf) << 2
    }

    /// Every generation and flag combination with these tags.
    pub(crate) fn all(tags: impl Iterator<Item = u8> + Clone) -> impl Iterator<Item = Self> {
        (2..=4).flat_map(move |generation| {
            tags.clone().flat_map(move |dtype| (0..8).map(move |flags| Self::new(generation, dtype, flags)))
        })
    }

    fn alignment(self) -> Option<u32> {
        if self.dtype == 16 {
            return (self.generation == 4).then_some(1);
        }
        char::from(*ALIGNMENTS.get(usize::from(self.dtype))?).to_digit(10)
    }
}

/// How the words of a segment fare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Pattern {
    Every(Outcome),
    /// Multiples of `step` get `hit`, all others are misaligned.
    Multiples {
        step: u32,
        hit: Outcome,
    },
}

impl Pattern {
    pub(crate) fn at(self, word: u32) -> Outcome {
        match self {
            Self::Every(outcome) => outcome,
            Self::Multiples { step, hit } if word.is_multiple_of(step) => hit,
            Self::Multiples { .. } => Outcome::Misaligned,
        }
    }
}

/// The words from `first` to `last`, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Segment<T> {
    pub(crate) first: u32,
    pub(crate) last: u32,
    pub(crate) what: T,
}

impl<T> Segment<T> {
    pub(crate) fn len(&self) -> u64 {
        u64::from(self.last) - u64::from(self.first) + 1
    }
}

/// How many words of a range have each outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts([u64; Outcome::ALL.len()]);

impl Counts {
    pub(crate) fn of(&self, outcome: Outcome) -> u64 {
        self.0[outcome as usize]
    }

    pub(crate) fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    pub(crate) fn accepted(&self) -> u64 {
        Outcome::ALL.into_iter().filter(|outcome| outcome.accepts()).map(|outcome| self.of(outcome)).sum()
    }

    pub(crate) fn add(&mut self, outcome: Outcome, words: u64) {
        self.0[outcome as usize] += words;
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        for outcome in Outcome::ALL {
            self.add(outcome, other.of(outcome));
        }
    }
}

/// The whole line, cut into segments that touch and do not overlap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line<T> {
    segments: Vec<Segment<T>>,
}

impl<T: Copy + PartialEq> Line<T> {
    fn new() -> Self {
        Self { segments: Vec::new() }
    }

    fn end(&self) -> u64 {
        self.segments.last().map_or(0, |last| u64::from(last.last) + 1)
    }

    /// Continues the line up to `end`, which is not included. A neighbour of the same kind grows instead.
    fn until(&mut self, end: u64, what: T) {
        let start = self.end();
        assert!(start < end && end <= WORDS, "the line runs backwards or off the end");
        let last = u32::try_from(end - 1).unwrap();
        match self.segments.last_mut() {
            Some(open) if open.what == what => open.last = last,
            _ => {
                let first = u32::try_from(start).unwrap();
                self.segments.push(Segment { first, last, what });
            }
        }
    }

    pub(crate) fn segments(&self) -> &[Segment<T>] {
        &self.segments
    }

    fn index_of(&self, word: u32) -> usize {
        self.segments.partition_point(|segment| segment.last < word)
    }

    pub(crate) fn at(&self, word: u32) -> T {
        self.segments[self.index_of(word)].what
    }

    /// The segments that meet `first..=last`, clipped to it.
    pub(crate) fn within(&self, first: u32, last: u32) -> impl Iterator<Item = Segment<T>> + '_ {
        self.segments[self.index_of(first)..].iter().take_while(move |segment| segment.first <= last).map(
            move |segment| Segment {
                first: max(segment.first, first),
                last: min(segment.last, last),
                what: segment.what,
            },
        )
    }
}

impl Line<Pattern> {
    /// The line of one access.
    pub(crate) fn of(query: Query) -> Self {
        let mut line = Self::new();
        line.immediates(query);
        line.registers(query.generation);
        assert_eq!(line.end(), WORDS);
        line
    }

    fn immediates(&mut self, query: Query) {
        let Some(step) = query.alignment() else {
            self.until(HALF, Pattern::Every(Outcome::NoAlignment));
            return;
        };
        let sbuf = match query.sbuf {
            true => Outcome::Sbuf,
            false => Outcome::SbufNotAllowed,
        };
        let psum = match (query.psum, query.write, query.dtype) {
            (false, _, _) => Outcome::PsumNotAllowed,
            (true, false, _) | (true, true, 8..=11) => Outcome::Psum,
            (true, true, _) => Outcome::PsumWriteDtype,
        };
        let pattern = |hit| match step {
            1 => Pattern::Every(hit),
            _ => Pattern::Multiples { step, hit },
        };
        for mode in 0..4 {
            let base = mode * MODE;
            self.until(base + SBUF_SPAN, pattern(sbuf));
            self.until(base + SBUF_SPAN + PSUM_SPAN, pattern(psum));
            self.until(base + MODE, pattern(Outcome::NotOnChip));
        }
    }

    fn registers(&mut self, generation: u8) {
        // gen2 knows one page of registers; the later generations do not read most of byte 3, so
        // every page of their register half begins with the same 64.
        let pages = if generation == 2 { 1 } else { HALF / PAGE };
        for page in 0..pages {
            let base = HALF + page * PAGE;
            self.until(base + REGISTERS, Pattern::Every(Outcome::Register));
            self.until(base + ROW, Pattern::Every(Outcome::RegIdRange));
            self.until(base + PAGE, Pattern::Every(Outcome::RegReservedBits));
        }
        if self.end() < WORDS {
            self.until(WORDS, Pattern::Every(Outcome::RegReservedBits));
        }
    }

    pub(crate) fn outcome(&self, word: u32) -> Outcome {
        self.at(word).at(word)
    }

    /// Counts `first..=last` without looking at a word.
    pub(crate) fn count(&self, first: u32, last: u32) -> Counts {
        let mut counts = Counts::default();
        for segment in self.within(first, last) {
            match segment.what {
                Pattern::Every(outcome) => counts.add(outcome, segment.len()),
                Pattern::Multiples { step, hit } => {
                    let past = u64::from(segment.last / step) + 1;
                    let hits = past - u64::from(segment.first.div_ceil(step));
                    counts.add(hit, hits);
                    counts.add(Outcome::Misaligned, segment.len() - hits);
                }
            }
        }
        counts
    }

    /// The first word of `first..=last` that is refused.
    pub(crate) fn first_refused(&self, first: u32, last: u32) -> Option<u32> {
        self.within(first, last).find_map(|segment| match segment.what {
            Pattern::Every(outcome) => (!outcome.accepts()).then_some(segment.first),
            Pattern::Multiples { step, hit } => {
                let word = match hit.accepts() && segment.first.is_multiple_of(step) {
                    true => segment.first.checked_add(1)?,
                    false => segment.first,
                };
                (word <= segment.last).then_some(word)
            }
        })
    }
}

/// The lints of a word, one bit each, in the order in which they are reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Lints(pub(crate) u8);

impl Lints {
    pub(crate) const IDS: [&'static str; 4] = ["dead_mode", "unbacked_sbuf", "psum_pad", "noncanonical_register"];

    pub(crate) fn ids(self) -> impl Iterator<Item = &'static str> {
        (0..4_usize).filter(move |&id| self.0 & (1 << id) != 0).map(|id| Self::IDS[id])
    }
}

impl Line<Lints> {
    /// The line of a generation: each lint's own intervals, laid over one another.
    pub(crate) fn of(generation: u8) -> Self {
        let layers = lint_layers(generation);
        let mut cuts = vec![WORDS];
        for &(start, end) in layers.iter().flatten() {
            cuts.extend([start, end]);
        }
        cuts.sort_unstable();
        cuts.dedup();
        let mut line = Self::new();
        for cut in cuts.into_iter().filter(|&cut| cut > 0) {
            let word = line.end();
            let mut lints = Lints::default();
            for (id, layer) in layers.iter().enumerate() {
                let past = layer.partition_point(|&(_, end)| end <= word);
                if layer.get(past).is_some_and(|&(start, _)| start <= word) {
                    lints.0 |= 1 << id;
                }
            }
            line.until(cut, lints);
        }
        assert_eq!(line.end(), WORDS);
        line
    }

    /// How many words of `first..=last` have each lint.
    pub(crate) fn count(&self, first: u32, last: u32) -> [u64; 4] {
        let mut counts = [0; 4];
        for segment in self.within(first, last) {
            for (id, count) in counts.iter_mut().enumerate() {
                if segment.what.0 & (1 << id) != 0 {
                    *count += segment.len();
                }
            }
        }
        counts
    }
}

/// Half-open intervals in ascending order, one list per lint in the order of [`Lints::IDS`].
pub(crate) fn lint_layers(generation: u8) -> [Vec<(u64, u64)>; 4] {
    let backed = match generation {
        2 => 192 * KIB,
        3 => 224 * KIB,
        _ => SBUF_STRIDE,
    };
    // The dead mode is the last of each half.
    let dead = vec![(HALF - MODE, HALF), (WORDS - MODE, WORDS)];
    let mut unbacked = Vec::new();
    let mut pad = Vec::new();
    let mut noncanonical = Vec::new();
    for mode in 0..4 {
        let sbuf = mode * MODE;
        let psum = sbuf + SBUF_SPAN;
        for end in (sbuf..=psum).step_by(256 << 10).skip(1) {
            if backed < SBUF_STRIDE {
                unbacked.push((end - (SBUF_STRIDE - backed), end));
            }
        }
        for start in (psum..psum + PSUM_SPAN).step_by(32 << 10) {
            pad.push((start + PSUM_BACKED, start + PSUM_STRIDE));
        }
        // Only the first page of a mode is canonical.
        let registers = HALF + mode * MODE;
        noncanonical.push((registers + PAGE, registers + MODE));
    }
    [dead, unbacked, pad, noncanonical]
}

mod tests {
    use super::*;
    use serde_json::Value;

    fn hex(value: &Value) -> u32 {
        let text = value.as_str().unwrap().strip_prefix("0x").unwrap();
        u32::from_str_radix(text, 16).unwrap()
    }

    fn flag(value: &Value) -> bool {
        value.as_u64().unwrap() != 0
    }

    fn generation(vector: &Value) -> u8 {
        match vector["arch"].as_str().unwrap() {
            "gen2" => 2,
            "gen3" => 3,
            "gen4" => 4,
            other => panic!("no such generation: {other}"),
        }
    }

    fn vectors(op: &str) -> Vec<Value> {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/vectors/addr4.jsonl");
        let text = std::fs::read_to_string(path).unwrap();
        let found: Vec<Value> = text
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap())
            .filter(|vector| vector["op"] == op)
            .collect();
        assert!(found.len() > 20, "only {} vectors for {op}", found.len());
        found
    }

    /// Checks the shape by hand, not by the builder's own assertions.
    fn covers<T>(segments: &[Segment<T>]) {
        assert_eq!(segments[0].first, 0);
        assert_eq!(segments[segments.len() - 1].last, u32::MAX);
        for pair in segments.windows(2) {
            assert_eq!(pair[0].last.checked_add(1), Some(pair[1].first));
        }
        assert!(segments.iter().all(|segment| segment.first <= segment.last));
        assert_eq!(segments.iter().map(Segment::len).sum::<u64>(), WORDS);
    }

    #[test]
    fn every_line_covers_all_words_once() {
        for query in Query::all(0..=255) {
            let line = Line::<Pattern>::of(query);
            covers(line.segments());
            assert_eq!(line.count(0, u32::MAX).total(), WORDS);
        }
        for generation in 2..=4 {
            covers(Line::<Lints>::of(generation).segments());
        }
    }

    #[test]
    fn vectors_of_validate_hold() {
        for vector in vectors("validate") {
            let input = &vector["input"];
            let query = Query {
                generation: generation(&vector),
                dtype: u8::try_from(input["dtype"].as_u64().unwrap()).unwrap(),
                write: flag(&input["write"]),
                psum: flag(&input["allow_psum"]),
                sbuf: flag(&input["allow_sbuf"]),
            };
            let outcome = Line::<Pattern>::of(query).outcome(hex(&input["word"]));
            let expect = &vector["expect"];
            assert_eq!(expect["reason"], outcome.code(), "{vector}");
            assert_eq!(expect["valid"], outcome.accepts(), "{vector}");
        }
    }

    #[test]
    fn vectors_of_lint_hold() {
        for vector in vectors("lint") {
            let word = hex(&vector["input"]["word"]);
            let lints = Line::<Lints>::of(generation(&vector)).at(word);
            let ids: Vec<&str> = lints.ids().collect();
            assert_eq!(vector["expect"]["lints"], serde_json::json!(ids), "{vector}");
        }
    }

    #[test]
    fn closed_forms_agree_with_counting() {
        let ranges = [
            (0, 4096),
            (3, 3),
            (8, 8),
            (0x01FF_F001, 0x0200_0FFD),
            (0x023F_FFF3, 0x0240_0009),
            (0x1FFF_FFF1, 0x2000_000F),
            (0x6003_0005, 0x6004_0003),
            (0x6200_3FF9, 0x6200_8001),
            (0x7FFF_FF03, 0x8000_0203),
            (0x80FF_FFF0, 0x8100_0130),
            (0xFFFF_FFF9, u32::MAX),
        ];
        for (first, last) in ranges {
            for query in Query::all(0..=17) {
                let line = Line::<Pattern>::of(query);
                let mut counts = Counts::default();
                let mut refused = None;
                for word in first..=last {
                    let outcome = line.outcome(word);
                    counts.add(outcome, 1);
                    if !outcome.accepts() && refused.is_none() {
                        refused = Some(word);
                    }
                }
                assert_eq!(line.count(first, last), counts, "{query:?} {first:#X} {last:#X}");
                assert_eq!(line.first_refused(first, last), refused, "{query:?} {first:#X} {last:#X}");
            }
            for generation in 2..=4 {
                let line = Line::<Lints>::of(generation);
                let mut counts = [0; 4];
                for word in first..=last {
                    for (id, count) in counts.iter_mut().enumerate() {
                        *count += u64::from(line.at(word).0 >> id & 1);
                    }
                }
                assert_eq!(line.count(first, last), counts, "gen{generation} {first:#X} {last:#X}");
            }
        }
    }

    #[test]
    fn sizes_of_the_accepted_sets() {
        let everything = Query { generation: 2, dtype: 2, write: false, psum: true, sbuf: true };
        let gen2 = Line::<Pattern>::of(everything).count(0, u32::MAX);
        assert_eq!(gen2.of(Outcome::Register), 64);
        assert_eq!(gen2.of(Outcome::Sbuf), 4 << 25);
        assert_eq!(gen2.of(Outcome::Psum), 4 << 22);
        assert_eq!(gen2.accepted(), 64 + (4 << 25) + (4 << 22));
        let gen3 = Line::<Pattern>::of(Query { generation: 3, ..everything }).count(0, u32::MAX);
        assert_eq!(gen3.of(Outcome::Register), 8192);
        let halves = Line::<Pattern>::of(Query { dtype: 6, ..everything }).count(0, u32::MAX);
        assert_eq!(halves.of(Outcome::Misaligned), 1 << 30);
    }
}
