//! Instruction bundles: finding and validating every address word, and text.

use std::hint::black_box;
use std::time::Instant;

use trnwire::access::Reason;
use trnwire::addr4::Addr4;
use trnwire::arch::Generation;
use trnwire::bundle::{Bundle, FindingId};
use trnwire::check::Severity;
use trnwire_batch::{BundleScanner, BundleSummary};
use zerocopy::{FromBytes, IntoBytes};

use crate::contest::{Contender, Role, measure, print_table, sums};
use crate::peers::BUNDLE_PEERS;

#[path = "../../../crates/trnwire-batch/tests/bundles/generator.rs"]
mod generator;
#[path = "../../../crates/trnwire/tests/disassembly/oracle.rs"]
mod oracle;

use generator::Stream;

pub fn run(mebibytes: usize, rounds: usize) {
    let mut buffer = vec![Addr4::default(); mebibytes << 18];
    for (generation, stream) in [
        (Generation::Gen4, Stream::AllOk),
        (Generation::Gen4, Stream::Random),
        (Generation::Gen4, Stream::OnePercentBad),
        (Generation::Gen3, Stream::AllOk),
    ] {
        // No piece comes twice: branch predictors learn even long ones by heart.
        for (seed, part) in (1..).zip(buffer.as_mut_bytes().chunks_mut(64 << 14)) {
            part.copy_from_slice(&stream.bytes(generation, part.len() / 64, seed));
        }
        let mut contenders = contenders(generation);
        measure(&mut contenders, &buffer, rounds);
        print_table(&format!("{stream:?} on {generation}"), &contenders);
        let summary = BundleScanner::new(generation).run(bundles(&buffer));
        println!(
            "\n{} bundles, {} of them with errors; {} address words.",
            summary.items(),
            summary.worst(Severity::Error),
            summary.words()
        );
        print_text_speed(generation, bundles(&buffer).get(..1 << 16).unwrap_or_default(), rounds);
    }
}

/// Scans a stream as often as asked and prints nothing: somebody counts the instructions.
pub fn once(arguments: &[String]) {
    let [generation, stream, contender, times] = arguments else { panic!("generation, stream, contender, times?") };
    let generation = Generation::ALL.into_iter().find(|known| known.to_string() == *generation).expect("a generation");
    let stream = Stream::ALL.into_iter().find(|known| format!("{known:?}") == *stream).expect("a stream");
    let contenders = contenders(generation);
    let contender = contenders.iter().find(|known| known.name == *contender).expect("a contender");
    let mut words = vec![Addr4::default(); 1 << 20];
    words.as_mut_bytes().copy_from_slice(&stream.bytes(generation, 1 << 16, 1));
    for _ in 0..times.parse::<usize>().expect("a number") {
        black_box((contender.run)(black_box(&words)));
    }
}

fn bundles(words: &[Addr4]) -> &[Bundle] {
    <[Bundle]>::ref_from_bytes(words.as_bytes()).expect("whole bundles")
}

fn contenders(generation: Generation) -> Vec<Contender<'static>> {
    let mut contenders: Vec<_> = sums().collect();
    let scanner = BundleScanner::new(generation);
    let scalar = scanner.clone();
    let truth = move |words: &[Addr4]| {
        let mut summary = scalar.summary();
        scalar.run_scalar_into(&mut summary, bundles(words));
        Some(counts(&summary))
    };
    contenders.push(Contender::new("trnwire, all findings, scalar", 1, Role::Truth, 8, Box::new(truth)));
    let verdicts = scanner.clone().verdicts_only();
    let scan = move |words: &[Addr4]| Some(counts(&scanner.run(bundles(words))));
    contenders.push(Contender::new("trnwire, all findings", 1, Role::Library, 1, Box::new(scan)));
    let judge = move |words: &[Addr4]| Some(counts(&verdicts.run(bundles(words))));
    contenders.push(Contender::new("trnwire, verdicts only", 1, Role::Library, 1, Box::new(judge)));
    for peer in BUNDLE_PEERS {
        let run = move |words: &[Addr4]| Some(peer.run(generation, words));
        contenders.push(Contender::new(peer.name, 1, Role::Peer, peer.parts, Box::new(run)));
    }
    contenders
}

/// As the peers count: nothing for ok, then the reasons, then the address words.
fn counts(summary: &BundleSummary) -> Vec<u64> {
    let reasons = Reason::all().map(|reason| summary.count(FindingId::Slot(reason)));
    core::iter::once(0).chain(reasons).chain([summary.words()]).collect()
}

/// Lines of text by hand and with `write!`.
fn print_text_speed(generation: Generation, bundles: &[Bundle], rounds: usize) {
    let (mut fast, mut plain) = (f64::MAX, f64::MAX);
    let (mut bytes, mut text) = (Vec::new(), String::new());
    // These rounds are short, and a disturbance lasts longer than a few of them.
    for _ in 0..rounds.max(25) {
        let start = Instant::now();
        bytes.clear();
        for (offset, bundle) in (0..).step_by(64).zip(bundles) {
            bundle.disassemble(generation, offset, &mut bytes);
        }
        fast = fast.min(start.elapsed().as_secs_f64());
        let start = Instant::now();
        text.clear();
        for (offset, bundle) in (0..).step_by(64).zip(bundles) {
            oracle::disassemble(bundle, generation, offset, &mut text).expect("text can be written");
        }
        plain = plain.min(start.elapsed().as_secs_f64());
        assert!(black_box(&bytes) == black_box(text.as_bytes()), "the lines differ");
    }
    let per_line = |seconds: f64| seconds * 1e9 / bundles.len() as f64;
    println!(
        "\nText: {:.0} ns a line, with `write!` {:.0} ns: {:.2} times as fast.",
        per_line(fast),
        per_line(plain),
        plain / fast
    );
}
