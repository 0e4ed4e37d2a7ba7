//! Any stream of bundles: JSON and back is the identity, the bulk scanner agrees with the scalar functions, and text and
//! explanations come for every one. The first byte chooses the generation.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use trnwire::Kind;
use trnwire::access::ScaleModulus;
use trnwire::arch::Generation;
use trnwire::bundle::{Bundle, FindingId};
use trnwire::explain::BundleExplanation;
use trnwire_batch::BundleScanner;
use trnwire_json::decoded;
use trnwire_json::encode::{Encoded, Request};
use zerocopy::{FromBytes, IntoBytes};

/// For each generation one that finds all and one that only judges; making one takes milliseconds.
static SCANNERS: LazyLock<[[BundleScanner; 2]; 3]> = LazyLock::new(|| {
    Generation::ALL.map(|generation| {
        let scanner = BundleScanner::new(generation);
        [scanner.clone(), scanner.verdicts_only()]
    })
});

fuzz_target!(|data: &[u8]| {
    let [first, rest @ ..] = data else { return };
    let generation = Generation::ALL[usize::from(*first) % 3];
    let [scanner, judge] = &SCANNERS[usize::from(*first) % 3];
    let bundles = <[Bundle]>::ref_from_prefix(rest).unwrap().0;
    for (offset, bundle) in (0..).step_by(64).zip(bundles) {
        let object = decoded(Kind::Bundle, None, bundle.as_bytes()).unwrap();
        let request = Request::parse(&object, None, ScaleModulus::default()).unwrap();
        assert_eq!(request.encode(generation), Ok(Encoded::Record(bundle.as_bytes().to_vec())));
        let mut line = Vec::new();
        bundle.disassemble(generation, offset, &mut line);
        assert!(line.is_ascii());
        assert!(!BundleExplanation::new(bundle, &[generation]).lines(true).is_empty());
    }
    let bulk = scanner.run(bundles);
    let mut scalar = scanner.summary();
    scanner.run_scalar_into(&mut scalar, bundles);
    let verdicts = judge.run(bundles);
    assert_eq!(bulk.words(), scalar.words());
    for id in FindingId::all() {
        assert_eq!((bulk.count(id), bulk.first(id)), (scalar.count(id), scalar.first(id)), "{id}");
        if matches!(id, FindingId::Slot(_)) {
            assert_eq!((verdicts.count(id), verdicts.first(id)), (scalar.count(id), scalar.first(id)), "{id}");
        }
    }
});
