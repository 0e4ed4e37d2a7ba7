//! Every 32-bit word, against a second account of the rules that was written on its own.
//!
//! The tests of a normal run cover all 2^32 words for the accesses of [`CHOSEN`], and every access on every
//! class of words. The ignored test covers the whole product; see `the_whole_product` on how to run it in parts.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may stop at a broken assumption, and its numbers are known to fit"
)]

mod bulk;
mod model;
mod scalar;

use core::sync::atomic::{AtomicUsize, Ordering};
use std::collections::BTreeSet;
use std::sync::Mutex;
use std::thread;
use std::time::Instant;

use bulk::{Asked, Chunk, Form};
use model::{Line, Lints, Outcome, Pattern, Query, Segment, WORDS};
use product::{Progress, UNITS};
use scalar::verdict;
use trnwire::addr4::{Addr4, Addr4Wire, tensor_start_addr_valid};
use trnwire_batch::Engine;

/// Tag, write, allow_psum, allow_sbuf of the accesses that a normal run takes through all 2^32 words.
///
/// An access gives aligned PSUM words one of three outcomes, and none of them without an alignment, so fewer than
/// four cannot reach everything. gen2 and gen3 take the last four: to them tag 16 has no alignment. gen4 takes 17
/// in its place and 16 besides, for the alignment that only gen4 gives it.
const CHOSEN: [(u8, bool, bool, bool); 5] = [
    (17, true, true, true),
    (16, false, true, true),
    (6, true, true, false),
    (10, true, true, true),
    (1, false, false, true),
];

fn chosen(generation: u8) -> impl Iterator<Item = Query> {
    CHOSEN
        .into_iter()
        .filter(move |&(dtype, ..)| dtype != 17 || generation == 4)
        .map(move |(dtype, write, psum, sbuf)| Query { generation, dtype, write, psum, sbuf })
}

/// Hands out the numbers below `units` to one thread per core.
fn over_cores(units: usize, work: impl Fn(usize) + Sync) {
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let unit = next.fetch_add(1, Ordering::Relaxed);
                    if unit >= units {
                        break;
                    }
                    work(unit);
                }
            });
        }
    });
}

/// The `index`th of `parts` equal parts of the line.
fn part(index: usize, parts: usize) -> (u32, u32) {
    let size = WORDS / parts as u64;
    let first = size * index as u64;
    (u32::try_from(first).unwrap(), u32::try_from(first + size - 1).unwrap())
}

#[test]
fn the_chosen_accesses_reach_every_outcome_and_none_is_idle() {
    let reached = |queries: &[Query]| -> BTreeSet<Outcome> {
        let counts: Vec<_> = queries.iter().map(|&query| Line::<Pattern>::of(query).count(0, u32::MAX)).collect();
        Outcome::ALL.into_iter().filter(|&outcome| counts.iter().any(|count| count.of(outcome) > 0)).collect()
    };
    for generation in 2..=4 {
        let mut all: Vec<Query> = chosen(generation).collect();
        all.retain(|query| query.generation < 4 || query.dtype != 16);
        assert_eq!(all.len(), 4);
        assert_eq!(reached(&all).len(), Outcome::ALL.len(), "gen{generation}");
        for idle in 0..all.len() {
            let mut fewer = all.clone();
            let query = fewer.remove(idle);
            assert!(reached(&fewer).len() < Outcome::ALL.len(), "{query:?}");
        }
    }
}

#[test]
fn the_scalar_validator_agrees_on_all_words_of_the_chosen_accesses() {
    const PARTS: usize = 16;
    let queries: Vec<Query> = (2..=4).flat_map(chosen).collect();
    let lines: Vec<_> = queries.iter().map(|&query| Line::<Pattern>::of(query)).collect();
    over_cores(queries.len() * PARTS, |unit| {
        let (first, last) = part(unit % PARTS, PARTS);
        scalar::compare(queries[unit / PARTS], &lines[unit / PARTS], first, last);
    });
}

#[test]
fn the_scalar_lints_agree_on_all_words() {
    const PARTS: usize = 16;
    over_cores(3 * PARTS, |unit| {
        let generation = [2, 3, 4][unit / PARTS];
        let (first, last) = part(unit % PARTS, PARTS);
        scalar::compare_lints(generation, &Line::<Lints>::of(generation), first, last);
    });
}

/// Takes all words through a bulk path, chunk by chunk: the counts of every access, and the best engine's bitmap of
/// tag 10, which is accepted wherever a word can be.
fn bulk_over_all_words(asked: &[Asked], engine: Engine) {
    const PARTS: usize = 256;
    over_cores(PARTS, |unit| {
        let mut chunk = Chunk::new();
        let (first, last) = part(unit, PARTS);
        for first in (first..=last).step_by(bulk::CHUNK as usize) {
            chunk.fill(first, first + (bulk::CHUNK - 1));
            for asked in asked {
                let with_bitmap = engine == Engine::best() && asked.query.dtype == 10;
                chunk.compare(asked, engine, Form::Number, with_bitmap);
            }
        }
    });
}

#[test]
fn the_best_engine_agrees_on_all_words_of_the_chosen_accesses() {
    let asked: Vec<Asked> = (2..=4).flat_map(chosen).map(Asked::new).collect();
    bulk_over_all_words(&asked, Engine::best());
}

/// The loops of the other engines are the same for every access, so one access per generation takes them through all
/// words; `every_access_agrees_on_every_class` asks them about the rest.
#[test]
fn the_other_engines_agree_on_all_words_of_one_access_per_generation() {
    // One alignment and other reasons for each generation: 2, 8 and 4 bytes.
    let dtype_of = |generation| [6, 1, 10][usize::from(generation) - 2];
    let asked: Vec<Asked> =
        (2..=4).flat_map(chosen).filter(|query| query.dtype == dtype_of(query.generation)).map(Asked::new).collect();
    assert_eq!(asked.len(), 3);
    for engine in bulk::engines().into_iter().filter(|&engine| engine != Engine::best()) {
        bulk_over_all_words(&asked, engine);
    }
}

/// Long slices are cut up among threads; the cuts must not show, wherever a slice begins and ends.
#[test]
fn slices_shared_among_threads_agree_where_the_line_is_cut() {
    let middles: BTreeSet<u32> = runs().into_iter().map(|(first, _)| first & !0xF_FFFF).step_by(97).collect();
    for asked in (2..=4).flat_map(chosen).map(Asked::new) {
        for &middle in &middles {
            let first = middle.saturating_sub(0x8_0123);
            let last = middle + 0x7_FF21;
            let words: Vec<Addr4> = (first..=last).map(Addr4::from_bits).collect();
            assert!(words.len() >= trnwire_batch::PARALLEL_WORDS);
            let validator = asked.validator(Engine::best());
            let summary = validator.run(&words);
            asked.compare_counts(first, last, &summary, Engine::best());
            let mut bits = Vec::new();
            validator.bitmap(&words, &mut bits);
            let refused: u64 = bits.iter().map(|entry| u64::from(entry.count_ones())).sum();
            assert_eq!(refused, summary.items() - summary.ok());
            let found = bits.iter().position(|&entry| entry != 0);
            let found = found.map(|entry| first + entry as u32 * 64 + bits[entry].trailing_zeros());
            assert_eq!(found, asked.line.first_refused(first, last), "{:?}", asked.query);
        }
    }
}

/// Number of zones: 4 modes times 6 kinds of immediates and 6 of registers.
const ZONES: usize = 48;

/// Which rules and lints a word can meet, residue aside; a class is a zone and `word % 8`.
///
/// Unlike the model this one reads bits, so the two ways to cut up the line are proved equal below.
const fn zone_of(word: u32) -> u32 {
    let mode = word >> 29 & 3;
    let kind = if word >> 31 == 1 {
        let noncanonical = (word >> 24 & 31 != 0) as u32;
        let shape = if word & 0x00FF_FF00 != 0 {
            2
        } else if word & 0xC0 != 0 {
            1
        } else {
            0
        };
        6 + 2 * shape + noncanonical
    } else {
        match (word >> 22 & 127, word >> 15 & 7, word >> 14 & 1) {
            // SBUF: the offsets up to gen2's memory, up to gen3's, and the rest of the stride.
            (0..=7, 0..=5, _) => 0,
            (0..=7, 6, _) => 1,
            (0..=7, ..) => 2,
            // PSUM: banks, then pad.
            (8, _, pad) => 3 + pad,
            _ => 5,
        }
    };
    kind * 4 + mode
}

/// The line cut wherever any access or any generation's lints cut it. On a run all lines are of one piece.
fn runs() -> Vec<(u32, u32)> {
    let mut starts = BTreeSet::new();
    for query in Query::all(0..=17) {
        starts.extend(Line::<Pattern>::of(query).segments().iter().map(|segment| segment.first));
    }
    for generation in 2..=4 {
        starts.extend(Line::<Lints>::of(generation).segments().iter().map(|segment| segment.first));
    }
    let ends = starts.iter().skip(1).map(|start| start - 1).chain([u32::MAX]);
    starts.iter().copied().zip(ends).collect()
}

/// Words of every class: the first, the middle and the last of every run, eight residues and more of each.
fn representatives() -> Vec<u32> {
    let mut words = BTreeSet::new();
    for (first, last) in runs() {
        let middle = first + (last - first) / 2;
        words.extend(first..first + 16);
        words.extend(last - 15..=last);
        words.extend(middle - 8..middle + 8);
    }
    words.into_iter().collect()
}

#[test]
fn every_word_is_in_the_class_that_its_run_says() {
    const PARTS: usize = 64;
    let runs = runs();
    over_cores(PARTS, |unit| {
        let (first, last) = part(unit, PARTS);
        for &(start, end) in &runs {
            let (first, last) = (first.max(start), last.min(end));
            if first <= last {
                let zone = zone_of(start);
                let strangers = scalar::blocks::<16>(first, last, |word| zone_of(word) != zone);
                assert_eq!(strangers, 0, "run {first:#010X}..={last:#010X}");
            }
        }
    });
}

#[test]
fn words_of_one_class_fare_alike_and_every_class_has_representatives() {
    let runs = runs();
    let mut zones: Vec<Vec<u32>> = vec![Vec::new(); ZONES];
    for &(first, _) in &runs {
        zones[zone_of(first) as usize].push(first);
    }
    assert!(zones.iter().all(|starts| !starts.is_empty()));
    // The pattern at a run's start holds for the whole run, because every line is cut at the runs.
    for query in Query::all(0..=17) {
        let line = Line::<Pattern>::of(query);
        for starts in &zones {
            assert!(starts.iter().all(|&start| line.at(start) == line.at(starts[0])), "{query:?} {starts:X?}");
        }
    }
    for generation in 2..=4 {
        let line = Line::<Lints>::of(generation);
        for starts in &zones {
            assert!(starts.iter().all(|&start| line.at(start) == line.at(starts[0])), "gen{generation} {starts:X?}");
        }
    }
    let mut sizes = vec![[0_u32; 8]; ZONES];
    for word in representatives() {
        sizes[zone_of(word) as usize][word as usize % 8] += 1;
    }
    assert!(sizes.iter().flatten().all(|&size| size >= 6), "{sizes:?}");
}

/// Asks the validator with an access that is not known at compile time.
fn compare_on(words: &[u32], query: Query) {
    let (generation, access) = (scalar::generation(query.generation), scalar::access(query));
    for Segment { first, last, what } in Line::<Pattern>::of(query).segments() {
        let from = words.partition_point(|word| word < first);
        for &word in words[from..].iter().take_while(|word| *word <= last) {
            let found = tensor_start_addr_valid(generation, Addr4::from_bits(word), access);
            assert_eq!(found, verdict(what.at(word)), "{query:?} {word:#010X}");
        }
    }
}

fn both_forms(words: &[u32]) -> (Vec<Addr4>, Vec<Addr4Wire>) {
    let numbers: Vec<Addr4> = words.iter().copied().map(Addr4::from_bits).collect();
    let wire = numbers.iter().copied().map(Addr4Wire::from).collect();
    (numbers, wire)
}

#[test]
fn every_access_agrees_on_every_class() {
    let words = representatives();
    let queries: Vec<Query> = Query::all(0..=17).collect();
    assert_eq!(queries.len(), 432);
    let (numbers, wire) = both_forms(&words);
    over_cores(queries.len(), |unit| {
        compare_on(&words, queries[unit]);
        bulk::compare_scattered(&numbers, &wire, queries[unit]);
    });
}

#[test]
fn the_tags_from_17_on_are_one_class() {
    let words = representatives();
    let queries: Vec<Query> = Query::all(17..=255).collect();
    // The bulk paths get every 61st word: an odd step keeps all residues, and hundreds of words are left.
    let fewer: Vec<u32> = words.iter().copied().step_by(61).collect();
    let (numbers, wire) = both_forms(&fewer);
    over_cores(queries.len(), |unit| {
        let query = queries[unit];
        assert_eq!(Line::<Pattern>::of(query), Line::<Pattern>::of(Query { dtype: 17, ..query }));
        compare_on(&words, query);
        bulk::compare_scattered(&numbers, &wire, query);
    });
}

/// The ranges where two lines disagree, neighbours joined.
fn differences<T: Copy + PartialEq>(left: &Line<T>, right: &Line<T>) -> Vec<(u32, u32)> {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for outer in left.segments() {
        for inner in right.within(outer.first, outer.last).filter(|inner| inner.what != outer.what) {
            match ranges.last_mut() {
                Some(open) if open.1.checked_add(1) == Some(inner.first) => open.1 = inner.last,
                _ => ranges.push((inner.first, inner.last)),
            }
        }
    }
    ranges
}

/// A range of one mode, repeated in all four.
fn in_each_mode(first: u32, last: u32) -> Vec<(u32, u32)> {
    (0..4).map(|mode| (mode << 29 | first, mode << 29 | last)).collect()
}

const SBUF: (u32, u32) = (0, 0x01FF_FFFF);
const PSUM: (u32, u32) = (0x0200_0000, 0x023F_FFFF);

#[test]
fn a_flag_matters_in_its_own_region_alone() {
    let sbuf = in_each_mode(SBUF.0, SBUF.1);
    let psum = in_each_mode(PSUM.0, PSUM.1);
    for query in Query::all(0..=255) {
        let line = Line::<Pattern>::of(query);
        let aligned = !matches!(query.dtype, 0 | 17..) && (query.dtype != 16 || query.generation == 4);
        let changed = |other| differences(&line, &Line::<Pattern>::of(other));
        let expect = |matters: bool, ranges: &Vec<(u32, u32)>| if matters { ranges.clone() } else { Vec::new() };
        assert_eq!(changed(Query { sbuf: !query.sbuf, ..query }), expect(aligned, &sbuf), "{query:?}");
        assert_eq!(changed(Query { psum: !query.psum, ..query }), expect(aligned, &psum), "{query:?}");
        let reads_write = aligned && query.psum && !matches!(query.dtype, 8..=11);
        assert_eq!(changed(Query { write: !query.write, ..query }), expect(reads_write, &psum), "{query:?}");
    }
    // The same of the validator, on all words of the regions: PSUM for each access, SBUF for two tags.
    let queries: Vec<Query> = Query::all(0..=17).collect();
    over_cores(queries.len(), |unit| {
        let query = queries[unit];
        let line = Line::<Pattern>::of(query);
        for &(first, last) in &psum {
            scalar::compare(query, &line, first, last);
        }
        if matches!(query.dtype, 6 | 10) {
            for &(first, last) in &sbuf {
                scalar::compare(query, &line, first, last);
            }
        }
    });
}

/// Where the register rule of gen2 says something else than that of gen3 and gen4: the first 256 words of every
/// page of 2^24 but page 0x80.
fn register_rule_delta() -> Vec<(u32, u32)> {
    (0x81..=0xFF_u32).map(|byte3| (byte3 << 24, byte3 << 24 | 0xFF)).collect()
}

#[test]
fn the_generations_differ_in_the_register_rule_and_tag_16_alone() {
    let registers = register_rule_delta();
    for query in Query::all(0..=255).filter(|query| query.generation == 2) {
        let line = |generation| Line::<Pattern>::of(Query { generation, ..query });
        assert_eq!(differences(&line(2), &line(3)), registers, "{query:?}");
        let immediates = vec![(0, 0x7FFF_FFFF)];
        let expect = if query.dtype == 16 { immediates } else { Vec::new() };
        assert_eq!(differences(&line(3), &line(4)), expect, "{query:?}");
    }
    // The validator's own verdicts, generation against generation, without the model.
    const PARTS: usize = 32;
    let delta: u64 = registers.iter().map(|&(first, last)| u64::from(last - first) + 1).sum();
    let found: Vec<AtomicUsize> = (0..4 * 2).map(|_| AtomicUsize::new(0)).collect();
    over_cores(4 * PARTS, |unit| {
        let (first, last) = part(unit % PARTS, PARTS);
        let words = scalar::generations_differ(unit / PARTS, first, last);
        let half = usize::from(first >> 31 == 1);
        found[unit / PARTS * 2 + half].fetch_add(usize::try_from(words).unwrap(), Ordering::Relaxed);
    });
    let found: Vec<u64> = found.into_iter().map(|words| words.into_inner() as u64).collect();
    // Immediates and registers: tag 10 gen2-gen3, tag 10 gen3-gen4, tag 16 gen2-gen3, tag 16 gen3-gen4.
    assert_eq!(found, [0, delta, 0, 0, 0, delta, 1 << 31, 0]);
    for (first, last) in registers {
        assert_eq!(scalar::generations_differ(0, first, last), 256);
    }
}

#[test]
fn the_generations_lint_alike_but_for_the_size_of_sbuf() {
    let line = |generation| Line::<Lints>::of(generation);
    let delta = |from: u32, to: u32| -> Vec<(u32, u32)> {
        (0..4_u32)
            .flat_map(|mode| (0..128_u32).map(move |partition| mode << 29 | partition << 18))
            .map(|base| (base + from, base + to - 1))
            .collect()
    };
    let gen3 = delta(0x3_0000, 0x3_8000);
    let gen4 = delta(0x3_8000, 0x4_0000);
    assert_eq!(differences(&line(2), &line(3)), gen3);
    assert_eq!(differences(&line(3), &line(4)), gen4);
    for id in [0, 2, 3] {
        let layers = |generation| model::lint_layers(generation)[id].clone();
        assert!(layers(2) == layers(3) && layers(3) == layers(4), "{}", Lints::IDS[id]);
    }
}

mod product {
    //! The long test's bookkeeping: which units are done, and for which code.

    use std::path::{Path, PathBuf};
    use std::time::Instant;
    use std::{env, fs};

    use crate::bulk;

    /// Units are equal parts of the line; each goes through all 432 accesses.
    pub(crate) const UNITS: usize = 2048;

    pub(crate) struct Progress {
        path: PathBuf,
        fingerprint: String,
        /// Seconds that each finished unit took.
        pub(crate) done: Vec<Option<f64>>,
    }

    impl Progress {
        /// Goes on where an earlier run stopped, if it tested the same code.
        pub(crate) fn load() -> Self {
            let path = env::var_os("TRNWIRE_EXHAUSTIVE_STATE")
                .map_or_else(|| Path::new(env!("CARGO_TARGET_TMPDIR")).join("exhaustive.txt"), PathBuf::from);
            let fingerprint = fingerprint();
            let mut done = vec![None; UNITS];
            if let Ok(text) = fs::read_to_string(&path) {
                let mut lines = text.lines();
                if lines.next() == Some(&fingerprint) {
                    for line in lines {
                        let (unit, seconds) = line.split_once(' ').unwrap();
                        done[unit.parse::<usize>().unwrap()] = Some(seconds.parse().unwrap());
                    }
                } else {
                    println!("{} is about other code; starting over", path.display());
                }
            }
            Self { path, fingerprint, done }
        }

        /// Notes a finished unit. The file is replaced whole, so that a killed run leaves the old one or the new one.
        pub(crate) fn finish(&mut self, unit: usize, began: Instant) {
            self.done[unit] = Some(began.elapsed().as_secs_f64());
            let mut text = format!("{}\n", self.fingerprint);
            for (unit, seconds) in self.done.iter().enumerate() {
                if let Some(seconds) = seconds {
                    text += &format!("{unit} {seconds:.3}\n");
                }
            }
            let draft = self.path.with_extension("new");
            fs::write(&draft, text).unwrap();
            fs::rename(&draft, &self.path).unwrap();
        }

        pub(crate) fn finished(&self) -> usize {
            self.done.iter().flatten().count()
        }
    }

    /// Version, engines, and a hash of the sources on which the result depends.
    fn fingerprint() -> String {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut files = Vec::new();
        for directory in ["src", "tests", "tests/bulk", "tests/model", "tests/scalar", "../trnwire/src/addr4"] {
            for entry in fs::read_dir(root.join(directory)).unwrap() {
                files.push(entry.unwrap().path());
            }
        }
        for file in ["arch.rs", "dtype.rs", "geometry.rs", "table/field.rs", "table/bitword.rs"] {
            files.push(root.join("../trnwire/src").join(file));
        }
        files.retain(|file| file.extension().is_some_and(|extension| extension == "rs"));
        files.sort();
        let mut hash = 0xCBF2_9CE4_8422_2325_u64;
        for byte in files.iter().flat_map(|file| fs::read(file).unwrap()) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3);
        }
        let engines: Vec<_> = bulk::engines().into_iter().map(|engine| engine.name()).collect();
        format!("{} {} {hash:016x} {UNITS}", env!("CARGO_PKG_VERSION"), engines.join("+"))
    }

    /// When to stop, from `TRNWIRE_EXHAUSTIVE_SECONDS`.
    pub(crate) fn out_of_time(began: Instant) -> bool {
        env::var("TRNWIRE_EXHAUSTIVE_SECONDS")
            .is_ok_and(|seconds| began.elapsed().as_secs_f64() > seconds.parse::<f64>().unwrap())
    }
}

/// Every word with each of the 432 accesses: the scalar validator, every engine's counts and bitmaps over numbers,
/// and the best engine's over the words' bytes.
///
/// `TRNWIRE_EXHAUSTIVE_SECONDS` bounds one run. What is finished is kept in the file `TRNWIRE_EXHAUSTIVE_STATE` (by
/// default in the target directory), and the next run goes on from there unless the code has changed. A run that
/// does not reach the end fails, so nobody takes a part for the whole.
#[test]
#[ignore = "432 times 2^32 words take about an hour on two idle cores; can be run in parts"]
fn the_whole_product() {
    let began = Instant::now();
    let asked: Vec<Asked> = Query::all(0..=17).map(Asked::new).collect();
    let progress = Mutex::new(Progress::load());
    let todo: Vec<usize> = (0..UNITS).filter(|&unit| progress.lock().unwrap().done[unit].is_none()).collect();
    over_cores(todo.len(), |index| {
        if product::out_of_time(began) {
            return;
        }
        let unit_began = Instant::now();
        let (first, last) = part(todo[index], UNITS);
        for asked in &asked {
            scalar::compare(asked.query, &asked.line, first, last);
        }
        let mut chunk = Chunk::new();
        for first in (first..=last).step_by(bulk::CHUNK as usize) {
            chunk.fill(first, first + (bulk::CHUNK - 1));
            for asked in &asked {
                for engine in bulk::engines() {
                    chunk.compare(asked, engine, Form::Number, true);
                }
                chunk.compare(asked, Engine::best(), Form::Wire, true);
            }
        }
        progress.lock().unwrap().finish(todo[index], unit_began);
    });
    let progress = progress.into_inner().unwrap();
    let finished = progress.finished();
    let pairs = finished as u64 * (WORDS / UNITS as u64) * asked.len() as u64;
    let paths: Vec<_> = bulk::engines().into_iter().map(Engine::name).collect();
    println!(
        "{pairs} pairs of word and access: scalar, {} agree with the model; 0 mismatches; {:.0} thread seconds in all, this run {:.0} s",
        paths.join(", "),
        progress.done.iter().flatten().sum::<f64>(),
        began.elapsed().as_secs_f64(),
    );
    assert_eq!(finished, UNITS, "incomplete: {finished} of {UNITS} units");
}
