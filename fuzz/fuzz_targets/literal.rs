//! INPUT literals and hex text: an error or whole words, never a panic. Files are not touched.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trnwire_cli::input::Source;

fuzz_target!(|text: &str| {
    for argument in [format!("0x{text}"), format!("hex:{text}")] {
        let Ok(source) = Source::parse(argument.as_ref()) else { continue };
        let mut words = source.open(true).unwrap();
        let mut count = 0;
        while let Ok(Some(block)) = words.next_block() {
            count += block.len();
        }
        assert!(count <= 1 + text.len() / 8);
    }
});
