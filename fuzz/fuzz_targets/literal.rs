//! INPUT literals and hex text: an error or whole records, never a panic. Files are not touched.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trnwire::Kind;
use trnwire_cli::input::Source;

fuzz_target!(|text: &str| {
    for argument in [format!("0x{text}"), format!("hex:{text}")] {
        let Ok(source) = Source::parse(argument.as_ref()) else { continue };
        for &kind in Kind::ALL {
            // A number that does not fit, or bytes that are no block.
            let Ok(mut records) = source.open(kind) else { continue };
            let size = records.record_bytes();
            assert!(size == usize::try_from(kind.table().size_bytes).unwrap() || !kind.has_one_size());
            let mut count = 0;
            // An incomplete record at the end is an error that comes after the others.
            let _ = records.for_each(|_, record| {
                assert_eq!(record.len(), size);
                count += size;
                Ok(())
            });
            assert!(count <= 8 + text.len() / 2);
        }
    }
});
