//! JSON requests and vector lines: an error, a refusal, or bytes that decode and encode to themselves; never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trnwire::Kind;
use trnwire::access::ScaleModulus;
use trnwire::arch::Generation;
use trnwire_json::encode::{Encoded, Request};
use trnwire_json::{decoded, parse, vectors};

fuzz_target!(|data: &[u8]| {
    let mut failures = 0;
    if let Ok(tally) = vectors::run(data, vectors::MAX_LINE_BYTES, |_| failures += 1) {
        assert_eq!(tally.failed, failures);
    }
    let Ok(text) = core::str::from_utf8(data) else { return };
    let Ok(value) = parse(text) else { return };
    for &kind in Kind::ALL {
        let Ok(request) = Request::parse(&value, Some(kind), ScaleModulus::default()) else { continue };
        let bytes = match request.encode(Generation::Gen4) {
            Ok(Encoded::Word(word)) => word.to_wire().to_vec(),
            Ok(Encoded::Record(bytes)) => bytes,
            Ok(Encoded::Dtype(_)) => continue,
            Err(refusal) => {
                assert!(!refusal.code().is_empty() && !refusal.to_string().is_empty());
                continue;
            }
        };
        let again = decoded(kind, None, &bytes).unwrap();
        let request = Request::parse(&again, Some(kind), ScaleModulus::default()).unwrap();
        match request.encode(Generation::Gen4).unwrap() {
            Encoded::Word(word) => assert_eq!(word.to_wire()[..], bytes),
            Encoded::Record(found) => assert_eq!(found, bytes),
            Encoded::Dtype(_) => unreachable!("no decoded object is a dtype"),
        }
    }
});
