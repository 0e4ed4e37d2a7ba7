//! Dump, pack and dump again; and everything that no dump has is refused.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail so")]
#![allow(clippy::arithmetic_side_effects, clippy::as_conversions, reason = "small numbers")]

use proptest::prelude::*;
use trnwire::arch::CollectiveArch;
use trnwire::block::{Block, View};
use trnwire::context::{Context, smallest_context};
use trnwire_json::dump::{Dumper, Options, Source, Target, pack};

fn any_options() -> impl Strategy<Value = Options> {
    any::<(bool, bool, bool)>().prop_map(|(full, wire, compact)| Options { full, wire, compact })
}

/// Bytes of which most are zero in runs, as in real contexts.
fn sparse(length: usize) -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec((0..length, proptest::collection::vec(any::<u8>(), 1..200)), 0..40).prop_map(
        move |runs| {
            let mut bytes = vec![0; length];
            for (start, run) in runs {
                let end = length.min(start + run.len());
                bytes[start..end].copy_from_slice(&run[..end - start]);
            }
            bytes
        },
    )
}

fn dump_context(arch: CollectiveArch, options: Options, bytes: &[u8], name: &str) -> Vec<u8> {
    let mut text = Vec::new();
    Dumper::new(Target::Context, options).context(&Context::new(arch, bytes).unwrap().0, name, &mut text);
    text
}

fn dump_block(options: Options, bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    let block = Block::of_length(bytes).unwrap();
    Dumper::new(Target::Block(block.view), options).block(&block, &mut text);
    text
}

fn context() -> impl Strategy<Value = (CollectiveArch, Vec<u8>)> {
    proptest::sample::select(&CollectiveArch::ALL[..])
        .prop_flat_map(|arch| (Just(arch), sparse(smallest_context(arch))))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_context_dumped_packed_and_dumped_again_is_the_same_text(
        (arch, bytes) in context(),
        options in any_options(),
        name in any::<String>(),
    ) {
        let text = dump_context(arch, options, &bytes, &name);
        let value: serde_json::Value = serde_json::from_slice(&text).unwrap();
        prop_assert_eq!(value["model_name"].as_str(), Some(name.as_str()));
        let packed = pack(&text).unwrap();
        prop_assert_eq!(packed.source, Source::Context(View::of(arch)));
        prop_assert_eq!(packed.bytes.len(), smallest_context(arch));
        prop_assert_eq!(dump_context(arch, options, &packed.bytes, &name), text);
    }

    #[test]
    fn a_block_with_wire_loses_no_bit(
        bytes in proptest::sample::select(&View::ALL[..]).prop_flat_map(|view| sparse(view.size_bytes())),
        compact in any::<bool>(),
    ) {
        let text = dump_block(Options { wire: true, compact, full: false }, &bytes);
        prop_assert_eq!(pack(&text).unwrap().bytes, bytes);
    }

    #[test]
    fn a_text_with_any_byte_changed_is_refused_or_packs_to_what_it_says(
        (arch, bytes) in context(),
        place in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        let options = Options { full: true, wire: true, compact: true };
        let mut text = dump_context(arch, options, &bytes, "m");
        let place = place.index(text.len());
        text[place] = byte;
        if let Ok(packed) = pack(&text) {
            // White space and escapes aside, what was packed says the same as what was read.
            let again = dump_context(arch, options, &packed.bytes, packed.model_name.as_deref().unwrap());
            let [told, read]: [serde_json::Value; 2] = [&again, &text].map(|text| serde_json::from_slice(text).unwrap());
            prop_assert_eq!(told, read);
        }
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = pack(&text);
    }
}

#[test]
fn every_prefix_of_a_dump_is_refused() {
    let bytes = vec![0xA5; smallest_context(CollectiveArch::Sunda)];
    let text = dump_context(CollectiveArch::Sunda, Options { full: true, wire: true, compact: true }, &bytes, "m");
    for end in (0..text.len() - 1).step_by(13) {
        let error = pack(&text[..end]).unwrap_err().to_string();
        assert!(error.contains("line 1 column") || error.contains("EOF"), "{end}: {error}");
    }
}

#[test]
fn a_context_cut_at_any_byte_is_refused() {
    for arch in CollectiveArch::ALL {
        let bytes = vec![0xFF; smallest_context(arch)];
        assert!(Context::new(arch, &bytes).is_ok());
        for length in 0..bytes.len() {
            assert_eq!(Context::new(arch, &bytes[..length]).unwrap_err().length, length);
        }
    }
}

/// The dump of a block of which row 1 is used, as text.
fn block_text() -> String {
    let mut bytes = vec![0; View::Cayman.size_bytes()];
    bytes[148 + 24] = 1;
    bytes[148 + 140] = 1;
    String::from_utf8(dump_block(Options { wire: false, full: false, compact: true }, &bytes)).unwrap()
}

#[test]
fn errors_name_the_path_the_place_and_what_is_wrong() {
    let text = block_text();
    let message = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        pack(text.replacen(from, to, 1).as_bytes()).unwrap_err().to_string()
    };
    let expect = |from: &str, to: &str, told: &[&str]| {
        let message = message(from, to);
        assert!(told.iter().all(|part| message.contains(part)), "{message}");
    };
    let channel = "/ring/channels/0";
    expect("\"channel_id\":0", "\"channel_id\":5", &[channel, "channel_id: 5 stands at position 0", "line 1 column"]);
    expect("\"recv_sema\"", "\"recv\"", &[channel, "key \"recv\" is not expected here"]);
    expect("\"mask\":0", "\"mask\":4294967296", &["dma_apb_bcast/mask", "4294967296", "0..=4294967295"]);
    expect("\"mask\":0", "\"mask\":-1", &["mask", "0..=4294967295"]);
    expect("\"mask\":0", "\"mask\":1.0", &["mask", "0..=4294967295"]);
    expect("\"mask\":0", "\"mask\":0,\"mask\":0", &["key \"mask\" occurs twice"]);
    expect(",\"mask\":0}", "}", &["key \"mask\" is missing"]);
    expect("0x0000000000000000", "0x000000000000000a", &["an address (0x and 16 upper-case hex digits)"]);
    expect("0x0000000000000000", "0x00000000000000", &["an address"]);
    expect(
        "\"net_idx_addrs\":[]",
        "\"net_idx_addrs\":[\"0x0000000000000001\"]",
        &["net_idx_addrs has 1 addresses, fold_n asks for 0"],
    );
    expect("\"hierarchical\"", "\"hierarchica\"", &["is not expected here"]);
    expect("\"ring\":{", "\"ring\":[],\"x\":{", &["/ring: ", "expected an object"]);
    expect("\"peer_id\":2", "\"peer_id\":1", &["peers/2/peer_id", "1 stands at position 2"]);
    let deep = "[".repeat(100_000);
    expect("\"mask\":0", &format!("\"mask\":{deep}"), &["mask"]);
    let long = "x".repeat(1 << 20);
    assert!(message("\"recv_sema\"", &format!("\"{long}\"")).len() < 200);
    assert!(message("0x0000000000000000", &long).len() < 300);
}

#[test]
fn texts_that_are_no_dump_are_refused() {
    for text in ["", "{}", "[]", "null", "1", "\"x\"", "{\"x\":1}", "{\"ring\":null}", "\u{FEFF}{}", "{\"ring\":{}} x"]
    {
        let error = pack(text.as_bytes()).unwrap_err().to_string();
        assert!(!error.is_empty());
    }
    assert!(pack(b"{\"model_name\":\"\xFF\"").is_err());
}

#[test]
fn the_number_of_events_and_the_stub_tell_the_view() {
    let text = block_text();
    let without = text.replacen(",\"hierarchical\":{\"__stub\":\"0x0000000000000000\"}", "", 1);
    assert!(pack(without.as_bytes()).unwrap_err().to_string().contains("108 mesh events without a hierarchical part"));
    let host = dump_block(Options { compact: true, ..Options::default() }, &vec![0; View::Host.size_bytes()]);
    assert_eq!(pack(&host).unwrap().source, Source::Block(View::Host));
    let more = String::from_utf8(host).unwrap().replacen("\"events\":[", "\"events\":[{},", 1);
    assert!(pack(more.as_bytes()).unwrap_err().to_string().contains("/mesh/events/0"));
}

#[test]
fn an_unused_row_packs_to_zeros_and_a_used_one_gets_its_channel() {
    let packed = pack(block_text().as_bytes()).unwrap().bytes;
    assert_eq!((packed[140], packed[148 + 140], packed[2 * 148 + 140]), (0, 1, 0));
    assert!(packed[2 * 148..3 * 148].iter().all(|&byte| byte == 0));
}
