//! Records of collectives: judging them from memory, and the JSON dump out and in.

use std::hint::black_box;
use std::time::Instant;

use trnwire::addr4::Addr4;
use trnwire::arch::CollectiveArch;
use trnwire::block::{Block, View};
use trnwire::context::{CaymanContext, Context};
use trnwire::mesh::MeshEvent;
use trnwire::ring::{Place, RING_ROWS, RingChannel};
use trnwire_batch::RecordSummary;
use trnwire_json::dump::{Dumper, Options, Target, pack};
use zerocopy::{FromBytes, IntoBytes};

use crate::contest::{Contender, Role, measure, print_sums, sums};
use crate::peers::{SerdeDump, dump_c};

/// How many rows and events are in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fill {
    Half,
    Empty,
    Full,
    /// Full, and one record of a hundred is damaged.
    OnePercentBad,
}

impl Fill {
    const fn name(self) -> &'static str {
        match self {
            Self::Half => "half empty, half full",
            Self::Empty => "all empty",
            Self::Full => "all full",
            Self::OnePercentBad => "all full, 1 % bad",
        }
    }

    fn is_used(self, random: &mut Random) -> bool {
        match self {
            Self::Half => random.below(2) == 0,
            Self::Empty => false,
            Self::Full | Self::OnePercentBad => true,
        }
    }
}

/// Deterministic numbers (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: u64) -> u64 {
        (self.next() >> 16) % limit
    }

    fn address(&mut self) -> [u8; 8] {
        (0x82_8000_1000 + (self.below(16) << 30) + 4 * self.below(256)).to_le_bytes()
    }
}

/// A legal row.
fn fill_row(random: &mut Random, row: usize, bytes: &mut [u8], fill: Fill) {
    bytes.fill(0);
    if !fill.is_used(random) {
        return;
    }
    for base in [0, 28] {
        let live = 1 + random.below(3) as usize;
        for word in 0..live {
            bytes[base + 8 * word..][..8].copy_from_slice(&random.address());
        }
        (bytes[base + 24], bytes[base + 25]) = (live as u8, random.below(2) as u8);
    }
    let peers = [0, 1, 3][random.below(3) as usize];
    let semaphores = if peers == 0 { 4 } else { 5 + peers };
    for word in 0..semaphores {
        bytes[56 + 8 * word..][..8].copy_from_slice(&random.address());
    }
    for word in 0..2 {
        bytes[120 + 8 * word..][..8].copy_from_slice(&random.address());
    }
    bytes[136..138].copy_from_slice(&[random.next() as u8, random.next() as u8]);
    (bytes[140], bytes[141], bytes[142]) = (row as u8, random.below(6) as u8, 1 + random.below(4) as u8);
    (bytes[143], bytes[144]) = (u8::from(peers != 0 && random.below(2) == 0), peers as u8);
    if fill == Fill::OnePercentBad && random.below(100) == 0 {
        bytes[[24, 25, 53, 141, 144][random.below(5) as usize]] = 9;
    }
}

/// A legal event.
fn fill_event(random: &mut Random, bytes: &mut [u8], fill: Fill) {
    bytes.fill(0);
    if !fill.is_used(random) {
        return;
    }
    for at in [0, 8, 20, 28, 40, 48, 56, 64] {
        bytes[at..at + 8].copy_from_slice(&random.address());
    }
    for at in [16, 17, 36, 37, 72, 73] {
        bytes[at] = random.next() as u8;
    }
    bytes[76] = random.below(9) as u8;
    for at in 77..80 {
        bytes[at] = random.below(2) as u8;
    }
    if fill == Fill::OnePercentBad && random.below(100) == 0 {
        bytes[77] = 2;
    }
}

fn fill_block(random: &mut Random, bytes: &mut [u8], fill: Fill) {
    let (rows, rest) = bytes.split_at_mut(RING_ROWS * size_of::<RingChannel>());
    for (row, bytes) in rows.chunks_mut(size_of::<RingChannel>()).enumerate() {
        fill_row(random, row, bytes, fill);
    }
    for bytes in rest.chunks_exact_mut(size_of::<MeshEvent>()) {
        fill_event(random, bytes, fill);
    }
}

pub fn run(mebibytes: usize, rounds: usize) {
    for fill in [Fill::Half, Fill::Empty, Fill::Full, Fill::OnePercentBad] {
        judge_channels(mebibytes, rounds, fill);
        judge_blocks(rounds, fill);
    }
    for fill in [Fill::Half, Fill::Empty, Fill::Full] {
        for pretty in [true, false] {
            dumps(rounds, fill, pretty);
        }
    }
}

/// What a summary counts: items, warnings, errors, then every finding.
fn counts(summary: &RecordSummary) -> Vec<u64> {
    let worst = [summary.items, summary.warnings.count, summary.errors.count];
    worst.into_iter().chain(summary.findings.values().map(|tally| tally.count)).collect()
}

/// Ring channels from a buffer that no cache holds.
fn judge_channels(mebibytes: usize, rounds: usize, fill: Fill) {
    // Whole records, and as many words as the sums ask for.
    let step = size_of::<RingChannel>() * 128;
    let mut words = vec![Addr4::default(); (mebibytes << 20) / step * step / 4];
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for (index, bytes) in words.as_mut_bytes().chunks_mut(size_of::<RingChannel>()).enumerate() {
        fill_row(&mut random, index % RING_ROWS, bytes, fill);
    }
    let judge = |words: &[Addr4]| {
        let mut summary = RecordSummary::default();
        let rows = <[RingChannel]>::ref_from_bytes(words.as_bytes()).expect("whole records");
        summary.ring_channels(0, Place { row: Some(0), slot_limit: 6 }, rows);
        Some(counts(&summary))
    };
    contest(&format!("Ring channels, {}", fill.name()), &words, rounds, Box::new(judge), Box::new(one_by_one));
}

/// The scalar functions alone.
fn one_by_one(words: &[Addr4]) -> Option<Vec<u64>> {
    let rows = <[RingChannel]>::ref_from_bytes(words.as_bytes()).expect("whole records");
    let mut summary = RecordSummary::default();
    for (row, record) in (0_u8..32).cycle().zip(rows) {
        let mut found = Vec::new();
        record.judge(Place { row: Some(row), slot_limit: 6 }, |finding| found.push(finding));
        summary.push(0, found);
    }
    Some(counts(&summary))
}

/// 10,000 blocks of the host, in one call.
fn judge_blocks(rounds: usize, fill: Fill) {
    const BLOCKS: usize = 10_000;
    let size = View::Host.size_bytes();
    let mut words = vec![Addr4::default(); BLOCKS * size / 4];
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    words.as_mut_bytes().chunks_mut(size).for_each(|bytes| fill_block(&mut random, bytes, fill));
    let judge = move |words: &[Addr4]| {
        let mut summary = RecordSummary::default();
        for (offset, bytes) in (0..).step_by(size).zip(words.as_bytes().chunks(size)) {
            summary.block(offset, 6, &Block::new(View::Host, bytes).expect("a block"));
        }
        Some(counts(&summary))
    };
    let truth = move |words: &[Addr4]| {
        let mut summary = RecordSummary::default();
        for bytes in words.as_bytes().chunks(size) {
            let block = Block::new(View::Host, bytes).expect("a block");
            let mut found = Vec::new();
            for (row, record) in (0..).zip(block.rows) {
                record.judge(Place { row: Some(row), slot_limit: 6 }, |finding| found.push(finding));
            }
            block.events.iter().for_each(|event| event.judge(|finding| found.push(finding)));
            summary.push(0, found);
        }
        Some(counts(&summary))
    };
    contest(&format!("10,000 blocks, {}", fill.name()), &words, rounds, Box::new(judge), Box::new(truth));
}

fn contest(
    title: &str,
    words: &[Addr4],
    rounds: usize,
    judge: Box<dyn Fn(&[Addr4]) -> Option<Vec<u64>> + Sync>,
    truth: Box<dyn Fn(&[Addr4]) -> Option<Vec<u64>> + Sync>,
) {
    let mut contenders: Vec<_> = sums().collect();
    contenders.push(Contender::new("trnwire, one by one", 1, Role::Truth, 1, truth));
    contenders.push(Contender::new("trnwire", 1, Role::Library, 1, judge));
    measure(&mut contenders, words, rounds);
    print_sums(title, &contenders);
}

/// The best time of a contender.
struct Best {
    name: &'static str,
    seconds: f64,
}

impl Best {
    const fn new(name: &'static str) -> Self {
        Self { name, seconds: f64::MAX }
    }

    /// Runs it once over all contexts; gives what it made.
    fn run<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let made = black_box(work());
        self.seconds = self.seconds.min(start.elapsed().as_secs_f64());
        made
    }
}

/// Contexts whose dumps are some tens of megabytes.
const CONTEXTS: usize = 100;

fn dumps(rounds: usize, fill: Fill, pretty: bool) {
    let size = size_of::<CaymanContext>();
    let mut random = Random(0xD1B5_4A32_D192_ED03);
    let mut bytes = vec![0; CONTEXTS * size];
    for context in bytes.chunks_mut(size) {
        fill_block(&mut random, &mut context[..13376], fill);
        for row in context[17120..17632].chunks_mut(16) {
            if fill.is_used(&mut random) {
                row.fill_with(|| random.next() as u8);
            }
        }
    }
    let contexts: Vec<Context> =
        bytes.chunks(size).map(|bytes| Context::new(CollectiveArch::Cayman, bytes).expect("a context").0).collect();
    let dumper = Dumper::new(Target::Context, Options { compact: !pretty, ..Options::default() });
    let (serde, mut text, mut other) = (SerdeDump::new(&bytes, CONTEXTS), Vec::new(), vec![0; 1 << 20]);

    let mut texts = Vec::new();
    for (index, context) in contexts.iter().enumerate() {
        text.clear();
        dumper.context(context, "m", &mut text);
        assert!(serde.dump(index, pretty) == text, "serde_json writes another text");
        let length = dump_c(&bytes[index * size..], pretty, &mut other);
        assert!(other[..length] == text, "C writes another text");
        texts.push(text.clone());
    }
    let mut writers = [Best::new("trnwire"), Best::new("serde_json"), Best::new("C, snprintf")];
    let mut readers = [Best::new("trnwire"), Best::new("serde_json, typed"), Best::new("serde_json, Value")];
    // These rounds are short, and a disturbance lasts longer than a few of them.
    for _ in 0..rounds.max(15) {
        let [ours, theirs, c] = &mut writers;
        ours.run(|| {
            for context in &contexts {
                text.clear();
                dumper.context(black_box(context), "m", &mut text);
                black_box(&text);
            }
        });
        theirs.run(|| (0..CONTEXTS).map(|index| serde.dump(index, pretty).len()).sum::<usize>());
        c.run(|| bytes.chunks(size).map(|bytes| dump_c(bytes, pretty, &mut other)).sum::<usize>());
        let [ours, typed, value] = &mut readers;
        ours.run(|| texts.iter().map(|text| pack(text).expect("a dump").bytes.len()).sum::<usize>());
        typed.run(|| texts.iter().map(|text| SerdeDump::read(text, true)).sum::<usize>());
        value.run(|| texts.iter().map(|text| SerdeDump::read(text, false)).sum::<usize>());
    }
    let length: usize = texts.iter().map(Vec::len).sum();
    let form = if pretty { "pretty" } else { "compact" };
    print_dumps(&format!("Dump, {form}, {}", fill.name()), length, &writers);
    print_dumps(&format!("Pack, {form}, {}", fill.name()), length, &readers);
}

fn print_dumps(title: &str, length: usize, all: &[Best; 3]) {
    println!("\n### {title}\n\n| contender | GB/s of text | trnwire is so many times as fast |\n|---|--:|--:|");
    for Best { name, seconds } in all {
        println!("| {name} | {:.3} | {:.2} |", length as f64 / seconds / 1e9, seconds / all[0].seconds);
    }
}
