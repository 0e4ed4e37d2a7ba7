//! Any text as a dump: an error with a message, or bytes whose dump says what the text said.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trnwire::arch::CollectiveArch;
use trnwire::block::{Block, View};
use trnwire::context::Context;
use trnwire_json::dump::{Dumper, Options, Source, Target, pack};

fuzz_target!(|text: &[u8]| {
    let packed = match pack(text) {
        Ok(packed) => packed,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    assert_eq!(packed.bytes.len(), packed.source.size_bytes());
    // With every option the dump has no more to lose, and comes back as it is.
    let options = Options { full: true, wire: true, compact: true };
    let mut again = Vec::new();
    match packed.source {
        Source::Block(view) => {
            Dumper::new(Target::Block(view), options).block(&Block::new(view, &packed.bytes).unwrap(), &mut again);
        }
        Source::Context(view) => {
            let arch = if view == View::Sunda { CollectiveArch::Sunda } else { CollectiveArch::Cayman };
            let (context, _) = Context::new(arch, &packed.bytes).unwrap();
            let name = packed.model_name.as_deref().unwrap();
            Dumper::new(Target::Context, options).context(&context, name, &mut again);
        }
    }
    assert!(pack(&again).unwrap().bytes == packed.bytes);
});
