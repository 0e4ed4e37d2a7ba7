//! Every engine of the machine gives what the scalar functions give: counts, first positions, bitmap.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "the helpers of a test are test code too"
)]

use proptest::prelude::*;
use trnwire::addr4::{Access, Addr4, Addr4Wire, Lint, Reason, lints, tensor_start_addr_valid};
use trnwire::arch::Generation;
use trnwire::dtype::WireTag;
use trnwire_batch::{Engine, Summary, Validator};

/// Four AVX-512 vectors of 16-bit lanes: beyond it, every loop has run a few times and left a rest.
const FOUR_VECTORS: usize = 4 * 32;

/// Every generation with every dtype tag that the alignment table tells apart and every combination of flags.
fn accesses() -> impl Iterator<Item = (Generation, Access)> {
    let tags = (0..17).chain([255]);
    Generation::ALL.into_iter().flat_map(move |generation| {
        tags.clone().flat_map(move |tag| {
            (0..8_u8).map(move |flags| {
                let [write, allow_psum, allow_sbuf] = [1, 2, 4].map(|bit| flags & bit != 0);
                (generation, Access { dtype: WireTag::new(tag), write, allow_psum, allow_sbuf })
            })
        })
    })
}

/// The engines to test; those that the machine lacks are named on standard error.
fn engines() -> Vec<Engine> {
    for engine in Engine::ALL.into_iter().filter(|engine| !engine.is_available()) {
        eprintln!("NOT TESTED: this machine has no {engine}");
    }
    Engine::available().collect()
}

/// Eight words on either side of everything where an answer changes, in every mode and with the register bit.
fn boundary_words() -> Vec<Addr4> {
    let edges = [
        0,
        0x40,
        0x80,
        0x100,
        0x4000,
        0x8000,
        0x3_0000,
        0x3_8000,
        0x4_0000,
        0x80_0000,
        0x100_0000,
        0x200_0000,
        0x200_4000,
        0x200_8000,
        0x240_0000,
        0x1000_0000,
        0x2000_0000,
    ];
    let top_bits = (0..8_u32).map(|bits| bits << 29);
    let mut words: Vec<Addr4> = top_bits
        .flat_map(|top| {
            edges.into_iter().flat_map(move |edge| (-8..8).map(move |step| (top | edge).wrapping_add_signed(step)))
        })
        .map(Addr4::from_bits)
        .collect();
    // Each bit of a register word alone.
    words.extend((0..32).map(|bit| Addr4::from_bits(0x8000_0000 | 1 << bit)));
    words
}

/// A small generator of its own, so that a failing run can be repeated.
fn random_words(count: usize, seed: u64) -> Vec<Addr4> {
    let mut state = seed;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    };
    (0..count)
        .map(|_| {
            let [a, b, c, d, kind, ..] = next();
            let any = u32::from_le_bytes([a, b, c, d]);
            // Uniform words are nearly all off chip, so most are bent towards a memory or a register.
            Addr4::from_bits(match kind % 5 {
                0 => any,
                1 => any & 0x61FF_FFFF,
                2 => any & 0x603F_FFFF | 0x200_0000,
                3 => any & 0xFF00_007F | 0x8000_0000,
                _ => any & 0x027F_FFF8,
            })
        })
        .collect()
}

/// Counted here, out of the functions alone, so that the scalar engine is tested too.
fn expect(generation: Generation, access: Access, words: &[Addr4], summary: &Summary, limit: usize) {
    let verdicts: Vec<_> = words.iter().map(|&word| tensor_start_addr_valid(generation, word, access)).collect();
    let mut rejected = 0;
    for &reason in Reason::ALL {
        let at: Vec<u64> =
            (0..).zip(&verdicts).filter(|(_, verdict)| **verdict == Err(reason)).map(|(at, _)| at).collect();
        assert_eq!(summary.count(reason), at.len() as u64, "{generation} {access:?} {reason}");
        assert_eq!(summary.first(reason), &at[..at.len().min(limit)], "{generation} {access:?} {reason}");
        rejected += summary.count(reason);
    }
    for &lint in Lint::ALL {
        let at: Vec<u64> =
            (0..).zip(words).filter(|(_, word)| lints(generation, **word).contains(lint)).map(|(at, _)| at).collect();
        assert_eq!(summary.lint_count(lint), at.len() as u64, "{generation} {lint}");
        assert_eq!(summary.first_lint(lint), &at[..at.len().min(limit)], "{generation} {lint}");
    }
    assert_eq!(summary.items(), words.len() as u64);
    assert_eq!(summary.ok(), summary.items() - rejected);
}

fn on(engine: Engine, generation: Generation, access: Access) -> Validator {
    Validator::new(generation, access).engine(engine).unwrap()
}

fn bitmap(validator: &Validator, words: &[Addr4]) -> Vec<u64> {
    // Old content must not shine through.
    let mut bits = vec![u64::MAX; 3];
    validator.bitmap(words, &mut bits);
    bits
}

fn plain_bitmap(generation: Generation, access: Access, words: &[Addr4]) -> Vec<u64> {
    let mut bits = vec![0_u64; words.len().div_ceil(64)];
    for (at, &word) in words.iter().enumerate() {
        bits[at / 64] |= u64::from(tensor_start_addr_valid(generation, word, access).is_err()) << (at % 64);
    }
    bits
}

#[test]
fn every_access_on_boundary_and_random_words() {
    let mut words = boundary_words();
    words.extend(random_words(3000, 0x5EED));
    let engines = engines();
    let mut tried = 0;
    for (generation, access) in accesses() {
        let bits = plain_bitmap(generation, access, &words);
        for &engine in &engines {
            let validator = on(engine, generation, access);
            expect(generation, access, &words, &validator.run(&words), 8);
            assert_eq!(bitmap(&validator, &words), bits, "{engine} {generation} {access:?}");
        }
        tried += 1;
    }
    assert_eq!(tried, 432);
}

#[test]
fn every_length_at_every_start() {
    let words = random_words(2 * FOUR_VECTORS, 7);
    let access = Access { dtype: WireTag::new(10), write: true, allow_psum: false, allow_sbuf: true };
    for engine in engines() {
        let validator = on(engine, Generation::Gen3, access);
        // A vector of 64 bytes has sixteen places to start in.
        for start in 0..16 {
            for length in 0..=FOUR_VECTORS {
                let part = &words[start..start + length];
                expect(Generation::Gen3, access, part, &validator.run(part), 8);
                assert_eq!(bitmap(&validator, part), plain_bitmap(Generation::Gen3, access, part), "{engine} {length}");
            }
        }
    }
}

#[test]
fn wire_words_at_every_byte_of_a_file() {
    let words = random_words(5000, 11);
    let access = Access::read(WireTag::new(1));
    for engine in engines() {
        let validator = on(engine, Generation::Gen4, access);
        let expected = validator.run(&words);
        let expected_bits = bitmap(&validator, &words);
        for shift in 0..4 {
            let mut file = vec![0_u8; shift];
            file.extend(words.iter().flat_map(|word| word.to_wire()));
            let wire: &[Addr4Wire] = zerocopy::FromBytes::ref_from_bytes(&file[shift..]).unwrap();
            assert_eq!(validator.run(wire), expected, "{engine}");
            let mut bits = Vec::new();
            validator.bitmap(wire, &mut bits);
            assert_eq!(bits, expected_bits, "{engine}");
        }
    }
}

#[test]
fn long_slices_cross_blocks_and_keep_the_limit() {
    // More than three blocks, with a rare id far behind.
    let mut words: Vec<Addr4> =
        random_words(30_000, 3).iter().map(|word| Addr4::from_bits(word.bits() & 0x1FF_FFF8)).collect();
    for at in [29_000, 29_999] {
        words[at] = Addr4::from_bits(0x8000_0040);
    }
    let access = Access::read(WireTag::new(12));
    for engine in engines() {
        for limit in [0, 1, 8, 100_000] {
            let summary = on(engine, Generation::Gen2, access).first_limit(limit).run(&words);
            expect(Generation::Gen2, access, &words, &summary, limit);
        }
    }
}

#[test]
fn pieces_of_any_size_give_what_one_go_gives() {
    let words = random_words(40_000, 5);
    let access = Access::read(WireTag::new(4));
    for engine in engines() {
        let validator = on(engine, Generation::Gen3, access).first_limit(20);
        let whole = validator.run(&words);
        for size in [1, 7, 63, 1000, 8191, 8193] {
            let (mut streamed, mut merged) = (validator.summary(), validator.summary());
            for piece in words.chunks(size) {
                validator.run_into(&mut streamed, piece);
                merged.merge(&validator.run(piece));
            }
            assert_eq!(streamed, whole, "{engine} {size}");
            assert_eq!(merged, whole, "{engine} {size}");
        }
    }
}

#[test]
fn a_merged_list_ends_before_a_hole() {
    let access = Access::read(WireTag::new(12));
    let misaligned = [Addr4::from_bits(1); 4];
    let mut summary = Summary::new(8);
    let short = Validator::new(Generation::Gen2, access).first_limit(2);
    summary.merge(&short.run(&misaligned));
    summary.merge(&short.run(&misaligned));
    assert_eq!(summary.count(Reason::Misaligned), 8);
    assert_eq!(summary.first(Reason::Misaligned), [0, 1]);
}

#[cfg(feature = "rayon")]
#[test]
fn the_number_of_threads_changes_nothing() {
    use trnwire_batch::PARALLEL_WORDS;
    let words = random_words(3 * PARALLEL_WORDS + 77, 13);
    let access = Access { dtype: WireTag::new(5), write: true, allow_psum: true, allow_sbuf: false };
    for engine in engines() {
        for limit in [3, 5000] {
            let validator = on(engine, Generation::Gen3, access).first_limit(limit);
            let single = validator.clone().parallel(false);
            let mut expected = single.summary();
            single.run_into(&mut expected, &words[..100]);
            single.run_into(&mut expected, &words);
            let expected_bits = bitmap(&single, &words);
            for threads in [1, 2, 3, 8] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| {
                    let mut summary = validator.summary();
                    validator.run_into(&mut summary, &words[..100]);
                    validator.run_into(&mut summary, &words);
                    assert_eq!(summary, expected, "{engine} {threads}");
                    assert_eq!(bitmap(&validator, &words), expected_bits, "{engine} {threads}");
                });
            }
        }
    }
}

#[test]
fn a_missing_engine_is_refused_by_name() {
    for engine in Engine::ALL {
        let built = Validator::new(Generation::Gen2, Access::read(WireTag::UINT8)).engine(engine);
        assert_eq!(built.is_ok(), engine.is_available());
        if let Err(missing) = built {
            assert_eq!(missing.to_string(), format!("this machine has no {engine}"));
        }
    }
    assert!(Engine::best().is_available());
}

fn any_access() -> impl Strategy<Value = (Generation, Access)> {
    (0..3_usize, any::<u8>(), any::<[bool; 3]>()).prop_map(|(generation, tag, [write, allow_psum, allow_sbuf])| {
        let dtype = WireTag::new(if tag > 40 { tag % 17 } else { tag });
        (Generation::ALL[generation], Access { dtype, write, allow_psum, allow_sbuf })
    })
}

fn any_word() -> impl Strategy<Value = Addr4> {
    prop_oneof![
        any::<u32>(),
        any::<u32>().prop_map(|word| word & 0x63FF_FFFF),
        any::<u32>().prop_map(|word| word & 0xFF00_01FF | 0x8000_0000),
    ]
    .prop_map(Addr4::from_bits)
}

proptest! {
    #[test]
    fn any_words_under_any_access(
        (generation, access) in any_access(),
        words in proptest::collection::vec(any_word(), 0..400),
        limit in 0..20_usize,
    ) {
        let bits = plain_bitmap(generation, access, &words);
        for engine in Engine::available() {
            let validator = on(engine, generation, access).first_limit(limit);
            expect(generation, access, &words, &validator.run(&words), limit);
            prop_assert_eq!(&bitmap(&validator, &words), &bits);
        }
    }
}
