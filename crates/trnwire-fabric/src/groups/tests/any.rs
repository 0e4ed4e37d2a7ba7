//! Texts of any kind: no panic, nothing lost between writing and reading, and no more time than their length asks for.

use core::time::Duration;
use std::time::Instant;

use proptest::prelude::*;

use super::*;

#[test]
fn what_is_refused_does_not_take_long() {
    // Each would be quadratic if something were read again and again.
    for piece in [
        "x = f32[] all-reduce(a), replica_groups={/*\n",
        "x = f32[] all-reduce(a), replica_groups=mesh/*\n",
        "x = f32[] all-reduce(a), replica_groups={\"\n",
        "x = f32[] all-reduce(a), replica_groups={{0,1},{\n",
        "x = f32[] all-reduce(a), replica_groups={{0,1},{ ",
        "x = (",
        "x = f32[] all-reduce(",
        "x = f32[] all-reduce(), a={",
        "x = y = ",
        "/*",
        "{",
        "'",
        "%0 = \"stablehlo.all_reduce\"(%a) <{replica_groups = dense<[[",
        "%0 = \"stablehlo.all_reduce\"(%a) <{replica_groups = dense<[[0]]> : tensor<",
        "%0 = \"stablehlo.all_reduce\"(%a) ({ ",
        "%0 = \"stablehlo.all_reduce\"(",
        "%0 = \"stablehlo.all_gather\"(%a) {channel_handle = #stablehlo.channel_handle<handle = 1, handle = 1",
    ] {
        let text = piece.repeat((2 << 20) / piece.len());
        let start = Instant::now();
        let module = read_module(&text);
        let _ = parse(&text);
        assert!(start.elapsed() < Duration::from_secs(5), "{piece}: {:?}", start.elapsed());
        assert!(module.refused.len() <= text.len());
    }
    let dims = "1,".repeat(1 << 19);
    assert_eq!(forms::groups(&format!("[1024,512]<=[{dims}524288]")).len(), 1024);
    let axes: Vec<_> = (0..100_000).map(|axis| format!("'{axis}'=1")).collect();
    let over: Vec<_> = (0..100_000).map(|axis| format!("'{axis}'")).collect();
    assert_eq!(forms::groups(&format!("mesh[{}] {{{}}}", axes.join(","), over.join(","))), [[0]]);
}

/// An iota form of a few dimensions.
fn any_iota() -> impl Strategy<Value = Iota> {
    proptest::collection::vec(1_u32..=6, 1..=5)
        .prop_flat_map(|dims| {
            let permutation = Just((0..u32::try_from(dims.len()).unwrap()).collect::<Vec<_>>()).prop_shuffle();
            (Just(dims), proptest::option::of(permutation), any::<prop::sample::Index>())
        })
        .prop_map(|(dims, permutation, index)| {
            let total: u32 = dims.iter().product();
            let sizes: Vec<_> = (1..=total).filter(|size| total.is_multiple_of(*size)).collect();
            let size = *index.get(&sizes);
            Iota::new(total / size, size, dims, permutation).unwrap()
        })
}

proptest! {
    #[test]
    fn an_iota_is_read_as_it_is_written(iota in any_iota()) {
        let written = parse(&iota.to_string()).unwrap();
        prop_assert_eq!(&written, &Written::Iota(iota.clone()));
        let mut ids = iota.groups().ids().to_vec();
        ids.sort_unstable();
        let count = iota.group_count() * iota.group_size();
        prop_assert!(ids.into_iter().eq(0..count));
    }

    #[test]
    fn lists_are_read_as_they_are_written(lists in proptest::collection::vec(proptest::collection::vec(any::<u32>(), 1..5), 0..5)) {
        let groups = Groups::from_lists(&lists).unwrap();
        for written in [Written::Json(groups.clone()), Written::Braces(groups.clone()), Written::Dense(groups)] {
            prop_assert_eq!(parse(&written.to_string()), Ok(written.clone()));
            prop_assert_eq!(&written.groups().to_vecs(), &lists);
        }
    }

    #[test]
    fn any_text_is_read_without_panic(text in "(?s).{0,80}") {
        let _ = parse(&text);
        let _ = read_module(&text);
    }

    #[test]
    fn any_text_of_the_languages_is_read_without_panic(
        pieces in proptest::collection::vec(prop::sample::select(PIECES), 0..30)
    ) {
        let text = pieces.concat();
        let _ = parse(&text);
        for collective in read_module(&text).collectives {
            let _ = expand(&collective, Some(2), Some(2));
        }
    }

    #[test]
    fn a_changed_op_is_read_without_panic(
        op in prop::sample::select(OPS), at in any::<prop::sample::Index>(), cut in 0_usize..4, put in "[-0-9{}\\[\\]()<>,=\"'/*%x ]{0,3}"
    ) {
        let mut bytes = op.as_bytes().to_vec();
        let at = at.index(bytes.len());
        let end = (at + cut).min(bytes.len());
        bytes.splice(at..end, put.bytes());
        let text = String::from_utf8(bytes).unwrap();
        let module = read_module(&text);
        for collective in &module.collectives {
            let _ = expand(collective, Some(4), Some(2));
            let _ = expand(collective, None, None);
            if let Some(written) = &collective.written {
                prop_assert_eq!(parse(&written.to_string()), Ok(written.clone()));
            }
        }
    }
}

/// Words of both languages.
const PIECES: &[&str] = &[
    "HloModule m",
    ", replica_count=2",
    "ENTRY %e {\n",
    "%x = f32[8]{0} ",
    "all-reduce(",
    "all-to-all-start(%a)",
    ")",
    ", replica_groups=",
    "{{0,1}}",
    "[2,1]<=[2]",
    "T(0)",
    "mesh['a'=2]",
    " {'a'}",
    ", channel_id=1",
    "\n",
    "}",
    "{",
    "(",
    "[",
    "]",
    "\"",
    "\\",
    "/*",
    "*/",
    "//",
    ", use_global_device_ids=true",
    ", calls=%c",
    "module {",
    "\"stablehlo.all_gather\"",
    "(%a)",
    " <{",
    "}>",
    " ({",
    "})",
    "replica_groups = ",
    "dense<",
    "[[0,1]]",
    "> : tensor<1x2xi64>",
    "%0 = ",
    "channel_handle = ",
    "#stablehlo.channel_handle<handle = 1>",
    ", ",
    "use_global_device_ids",
    "-",
    ">",
    "<",
    "=",
    "é",
    "'",
];

/// Ops as they are printed.
const OPS: &[&str] = &[
    "%ar = f32[8]{0} all-reduce(f32[8]{0} %p), channel_id=1, replica_groups={{0,1},{2,3}}, to_apply=%add, metadata={op_name=\"a\"}",
    "ag = (f32[4], /*index=1*/f32[8]) all-gather-start(%p), replica_groups=[4,2]<=[2,4]T(1,0), dimensions={0}",
    "%aa = f32[8] all-to-all(%p), replica_groups=mesh['a'=2,'b'=4] {'b':(2)2}, channel_id=3",
    "%cp = f32[8] collective-permute(%p), source_target_pairs={{0,1},{1,2}}",
    "%0 = \"stablehlo.all_reduce\"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = \
     dense<[[0, 1], [2, -1]]> : tensor<2x2xi64>, use_global_device_ids}> ({\n}) : (f) -> f",
    "%1:2 = \"stablehlo.all_gather\"(%a) {replica_groups = dense<\"0x0000000000000000\"> : tensor<1x1xi64>} : (f) -> f",
];
