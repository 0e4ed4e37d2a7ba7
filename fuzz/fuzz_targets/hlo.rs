//! Any text as groups and as a module: errors whose places lie in the text, groups within the limits, never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trnwire_fabric::groups::{Devices, MOST_IDS, expand, parse, read_module};

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    match parse(&text) {
        Ok(written) => {
            assert_eq!(parse(&written.to_string()).as_ref(), Ok(&written));
            assert!(written.groups().ids().len() <= MOST_IDS);
        }
        Err(error) => assert!(error.line <= 1 + text.matches('\n').count()),
    }
    let module = read_module(&text);
    for error in &module.refused {
        let line = text.split('\n').nth(error.line - 1).unwrap();
        assert!(error.column <= 1 + line.len());
    }
    for collective in &module.collectives {
        assert!(text.split('\n').nth(collective.line - 1).is_some());
        for (replicas, partitions) in [(module.replicas, module.partitions), (Some(4), Some(2)), (None, None)] {
            let Ok(expansion) = expand(collective, replicas, partitions) else { continue };
            match expansion.devices {
                Devices::Groups(groups) => {
                    let mut ids = groups.ids().to_vec();
                    ids.sort_unstable();
                    ids.dedup();
                    assert_eq!(ids.len(), groups.ids().len());
                }
                Devices::Pairs(pairs) => assert!(pairs.len() <= MOST_IDS / 2),
            }
        }
    }
});
