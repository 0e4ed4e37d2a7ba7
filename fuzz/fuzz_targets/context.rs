//! Any bytes as a context: dump, pack and dump give the same text. The first byte chooses architecture and options, the
//! second how long a part of the rest is the name of the model.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trnwire::arch::CollectiveArch;
use trnwire::context::{Context, smallest_context};
use trnwire_json::dump::{Dumper, Options, Target, pack};

fuzz_target!(|data: &[u8]| {
    let [choice, length, rest @ ..] = data else { return };
    let arch = CollectiveArch::ALL[usize::from(choice % 4)];
    let bit = |bit: u8| choice >> bit & 1 == 1;
    let options = Options { full: bit(2), wire: bit(3), compact: bit(4) };
    let (name, bytes) = rest.split_at(rest.len().min(usize::from(*length)));
    let name = String::from_utf8_lossy(name);
    let dumper = Dumper::new(Target::Context, options);
    if Context::new(arch, bytes).is_ok() {
        return check(&dumper, arch, bytes, &name);
    }
    // Short inputs are filled up, so that all of them say something.
    let mut filled = bytes.to_vec();
    filled.resize(smallest_context(arch), 0);
    check(&dumper, arch, &filled, &name);
});

fn check(dumper: &Dumper, arch: CollectiveArch, bytes: &[u8], name: &str) {
    let text = |bytes: &[u8]| {
        let mut text = Vec::new();
        dumper.context(&Context::new(arch, bytes).unwrap().0, name, &mut text);
        text
    };
    let first = text(bytes);
    let packed = pack(&first).unwrap();
    assert_eq!(packed.model_name.as_deref(), Some(name));
    assert!(text(&packed.bytes) == first);
}
