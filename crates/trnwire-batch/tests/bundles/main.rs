//! Bundles judged in bulk get what the scalar functions say of each.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail so")]
#![allow(clippy::arithmetic_side_effects, clippy::as_conversions, reason = "a generator of test bytes")]

mod generator;

use generator::{Random, Stream, damage, good_of};
use trnwire::arch::Generation;
use trnwire::bundle::{Bundle, Family, FindingId};
use trnwire::check::Severity;
use trnwire_batch::{BundleScanner, BundleSummary};
use zerocopy::FromBytes;

fn bundles(bytes: &[u8]) -> &[Bundle] {
    <[Bundle]>::ref_from_bytes(bytes).unwrap()
}

/// Everything that a summary tells.
fn told(summary: &BundleSummary) -> impl PartialEq + core::fmt::Debug {
    let severities = [Severity::Note, Severity::Warning, Severity::Error];
    (
        (summary.items(), summary.words()),
        severities.map(|severity| (summary.worst(severity), summary.first_worst(severity).to_vec())),
        FindingId::all().map(|id| (id.to_string(), summary.count(id), summary.first(id).to_vec())).collect::<Vec<_>>(),
        (0..=255).map(|opcode| summary.opcode(opcode)).collect::<Vec<_>>(),
    )
}

#[track_caller]
fn assert_equal(generation: Generation, bytes: &[u8]) {
    let scanner = BundleScanner::new(generation);
    let mut scalar = scanner.summary();
    scanner.run_scalar_into(&mut scalar, bundles(bytes));
    assert_eq!(told(&scanner.run(bundles(bytes))), told(&scalar));
}

/// By hand and not through `judge_header`'s callers: what each bundle adds.
#[test]
fn the_scalar_summary_counts_what_judge_reports() {
    let generation = Generation::Gen4;
    let bytes = Stream::Random.bytes(generation, 5000, 3);
    let scanner = BundleScanner::new(generation);
    let mut summary = scanner.summary();
    scanner.run_scalar_into(&mut summary, bundles(&bytes));
    let mut findings = std::collections::BTreeMap::<FindingId, Vec<u64>>::new();
    let mut words = 0;
    for (position, bundle) in (0..).zip(bundles(&bytes)) {
        bundle.judge(generation, |finding| findings.entry(finding.id).or_default().push(position));
        words += bundle.slots(generation).flat_map(|slot| slot.words()).count() as u64;
    }
    assert_eq!(summary.words(), words);
    for id in FindingId::all() {
        let mut positions = findings.remove(&id).unwrap_or_default();
        assert_eq!(summary.count(id), positions.len() as u64, "{id}");
        positions.dedup();
        positions.truncate(8);
        assert_eq!(summary.first(id), positions, "{id}");
    }
}

#[test]
fn streams_are_judged_as_bundle_by_bundle() {
    for generation in Generation::ALL {
        for stream in Stream::ALL {
            assert_equal(generation, &stream.bytes(generation, 60_000, 1));
        }
        // Good blocks behind bad ones and the other way round.
        let blocks = (1..40).flat_map(|seed| Stream::ALL.map(|stream| stream.bytes(generation, 700, seed)));
        assert_equal(generation, &blocks.collect::<Vec<_>>().concat());
    }
}

/// One bundle at a time, so that nothing hides in a sum: every opcode that has slots with good ones, and some damaged.
#[test]
fn every_opcode_is_judged_alike_whatever_is_wrong_with_it() {
    let mut random = Random(7);
    for generation in Generation::ALL {
        let scanner = BundleScanner::new(generation);
        for round in 0..150_000 {
            let mut bytes = good_of(&mut random, generation, (round % 256) as u8);
            for _ in 0..round / 256 % 4 {
                damage(&mut random, &mut bytes);
            }
            let bundle = bundles(&bytes);
            let mut scalar = scanner.summary();
            scanner.run_scalar_into(&mut scalar, bundle);
            let bulk = scanner.run(bundle);
            let counts = |summary: &BundleSummary| {
                (summary.words(), FindingId::all().map(|id| summary.count(id)).collect::<Vec<_>>())
            };
            assert_eq!(counts(&bulk), counts(&scalar), "{generation} {bytes:02x?}");
        }
    }
}

/// Words around every border, in every mode.
fn words() -> Vec<u32> {
    let borders =
        [0, 0x40, 0x100, 0x3_0000, 0x3_8000, 0x4_0000, 0x80_0000, 0x200_0000, 0x200_4000, 0x240_0000, 0x1FFF_FFFF];
    let around = borders.into_iter().flat_map(|border: u32| [0, 1, 2, 4, 8].map(|more| border.saturating_add(more)));
    let both_sides = around.flat_map(|word| [word, word.saturating_sub(9)]);
    both_sides.flat_map(|word| (0..8).map(move |top| top << 29 | word & 0x1FFF_FFFF)).collect()
}

/// Every slot of every family with each of these words, for every dtype; what stands behind the word varies.
#[test]
fn every_kind_of_word_is_judged_alike_in_every_slot() {
    let (words, mut random) = (words(), Random(11));
    for generation in Generation::ALL {
        let scanner = BundleScanner::new(generation);
        let judge = scanner.clone().verdicts_only();
        for family in Family::all().iter().filter(|family| family.since <= generation) {
            for (slot, tag) in family.slots.iter().flat_map(|slot| (0..=17).chain([255]).map(move |tag| (slot, tag))) {
                let opcode = family.opcodes[random.below(family.opcodes.len() as u64) as usize];
                let mut bytes = Vec::new();
                for word in &words {
                    let mut bundle = [0; 64];
                    bundle.fill_with(|| random.pick(&[0, 1, 4, 0x20]));
                    (bundle[0], bundle[1], bundle[4], bundle[6]) = (opcode, 0x10, 0, 0);
                    for place in [12, 13, 32, 33, 34, 35, 40] {
                        bundle[place] = tag;
                    }
                    let at = usize::from(slot.offset);
                    bundle[at..at + 4].copy_from_slice(&word.to_le_bytes());
                    if let Some(behind) = bundle.get_mut(at + 4..at + 8) {
                        behind.copy_from_slice(&(random.pick(&words) & 0x23FF_FFFF).to_le_bytes());
                    }
                    bytes.extend_from_slice(&bundle);
                }
                let mut scalar = scanner.summary();
                scanner.run_scalar_into(&mut scalar, bundles(&bytes));
                assert_eq!(told(&scanner.run(bundles(&bytes))), told(&scalar), "{generation} {} {tag}", family.name);
                let verdicts = judge.run(bundles(&bytes));
                for id in FindingId::all().filter(|id| matches!(id, FindingId::Slot(_))) {
                    assert_eq!(verdicts.count(id), scalar.count(id), "{generation} {} {tag} {id}", family.name);
                }
            }
        }
    }
}

/// Slots, words and opcodes alone.
#[test]
fn verdicts_alone_are_those_among_the_findings() {
    for generation in Generation::ALL {
        for stream in Stream::ALL {
            let bytes = stream.bytes(generation, 20_000, 5);
            let all = BundleScanner::new(generation).run(bundles(&bytes));
            let scanner = BundleScanner::new(generation).verdicts_only();
            let verdicts = scanner.run(bundles(&bytes));
            let mut scalar = scanner.summary();
            scanner.run_scalar_into(&mut scalar, bundles(&bytes));
            assert_eq!(told(&verdicts), told(&scalar));
            assert_eq!((verdicts.items(), verdicts.words()), (all.items(), all.words()));
            for id in FindingId::all() {
                let is_slot = matches!(id, FindingId::Slot(_));
                let expected = if is_slot { (all.count(id), all.first(id)) } else { (0, &[][..]) };
                assert_eq!((verdicts.count(id), verdicts.first(id)), expected, "{id}");
            }
            assert!((0..=255).all(|opcode| verdicts.opcode(opcode) == all.opcode(opcode)));
        }
    }
}

#[test]
fn good_bundles_are_good_and_pieces_add_up() {
    for generation in Generation::ALL {
        let bytes = Stream::AllOk.bytes(generation, 5000, 9);
        let scanner = BundleScanner::new(generation);
        let whole = scanner.run(bundles(&bytes));
        assert_eq!(whole.worst(Severity::Note), 5000, "{whole:?}");
        let mut pieces = scanner.summary();
        bundles(&bytes).chunks(77).for_each(|piece| scanner.run_into(&mut pieces, piece));
        assert_eq!(told(&pieces), told(&whole));
    }
}
