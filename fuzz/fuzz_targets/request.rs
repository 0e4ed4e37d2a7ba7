//! JSON requests and vector lines: an error, a refusal or a word that decodes; never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trnwire_json::addr4::{DecodedWord, Request, build};
use trnwire_json::{parse, vectors};

fuzz_target!(|data: &[u8]| {
    let mut failures = 0;
    if let Ok(tally) = vectors::run(data, vectors::MAX_LINE_BYTES, |_| failures += 1) {
        assert_eq!(tally.failed, failures);
    }
    let Ok(text) = core::str::from_utf8(data) else { return };
    let Ok(value) = parse(text) else { return };
    let word = match Request::parse(&value) {
        Ok(Request::Verbatim(word)) => word,
        Ok(Request::Build { request, stamp_indirect }) => match build(request, stamp_indirect) {
            Ok(word) => word,
            Err(error) => return assert!(!error.code().is_empty() && !error.to_string().is_empty()),
        },
        Ok(Request::Dtype(_)) | Err(_) => return,
    };
    let json = serde_json::to_value(DecodedWord::of(word)).unwrap();
    assert_eq!(Request::parse(&json), Ok(Request::Verbatim(word)));
});
