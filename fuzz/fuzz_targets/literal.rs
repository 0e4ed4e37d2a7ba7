//! INPUT literals and hex text: an error or whole records, never a panic. Files are not touched.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trnwire::Kind;
use trnwire_cli::input::Source;

fuzz_target!(|text: &str| {
    for argument in [format!("0x{text}"), format!("hex:{text}")] {
        let Ok(source) = Source::parse(argument.as_ref()) else { continue };
        for &kind in Kind::ALL {
            let size = usize::try_from(kind.table().size_bytes).unwrap();
            let mut count = 0;
            // An incomplete record at the end is an error that comes after the others.
            let _ = source.open(kind, true).unwrap().for_each(|_, record| {
                assert_eq!(record.len(), size);
                count += size;
                Ok(())
            });
            assert!(count <= 4 + text.len() / 2);
        }
    }
});
