//! Forms and their errors, and what ids mean; modules have tests of their own.

#![allow(clippy::arithmetic_side_effects, reason = "small numbers")]

use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;

/// The groups of a text.
fn groups(text: &str) -> Vec<Vec<u32>> {
    parse(text).unwrap_or_else(|error| panic!("{text}: {error}")).groups().to_vecs()
}

/// The code and column of the error of a text.
fn error(text: &str) -> (&'static str, usize) {
    let error = parse(text).unwrap_err();
    (error.code(), error.column)
}

#[test]
fn lists_are_json_or_braces() {
    for text in ["[[0,1],[2,3]]", " [ [0, 1],\n[2 ,3] ]\n", "{{0,1},{2,3}}", "{ {0,1}, /* two */ {2,3} } // end"] {
        assert_eq!(groups(text), [[0, 1], [2, 3]], "{text}");
    }
    assert_eq!(groups("{{0},{2,1}}"), [vec![0], vec![2, 1]]);
    assert!(groups("{}").is_empty());
    assert!(groups("[]").is_empty());
    assert_eq!(parse("{}").unwrap().form(), Form::Braces);
    assert_eq!(parse("[ ]").unwrap().form(), Form::Json);
    assert_eq!(groups("[[4294967295]]"), [[u32::MAX]]);
}

#[test]
fn lists_that_are_none_say_what_is_wrong_where() {
    assert_eq!(error(""), ("no_form", 1));
    assert_eq!(error("  all"), ("no_form", 3));
    assert_eq!(error("[0,1]"), ("flat_list", 1));
    assert_eq!(error("[0,1,2]"), ("flat_list", 5));
    assert_eq!(error("{0,1}"), ("flat_list", 2));
    assert_eq!(error("{{0,1},2}"), ("expected", 8));
    assert_eq!(error("[[0,1],[]]"), ("empty_group", 8));
    assert_eq!(error("{{}}"), ("empty_group", 2));
    assert_eq!(error("[[0,-1]]"), ("negative", 5));
    assert_eq!(error("[[4294967296]]"), ("too_large", 3));
    assert_eq!(error("[[99999999999999999999]]"), ("too_large", 3));
    assert_eq!(error("[[0,1],[2,3]"), ("expected", 13));
    assert_eq!(error("[[0,1},[2,3]]"), ("expected", 6));
    assert_eq!(error("[[0,1,]]"), ("expected", 7));
    assert_eq!(error("[[0 1]]"), ("expected", 5));
    assert_eq!(error("[[0x1]]"), ("expected", 4));
    assert_eq!(error("{{0}} {{1}}"), ("expected", 7));
    assert_eq!(error("{{0}} /* no end"), ("unclosed", 16));
}

#[test]
fn errors_have_line_column_and_value() {
    let error = parse("[[0,1],\n [2,é]]").unwrap_err();
    assert_eq!((error.line, error.column, error.value.as_str()), (2, 5, "é]]"));
    assert_eq!(error.to_string(), "line 2, column 5: expected a number, found \"é]]\"");
    let error = parse("[[0,1]").unwrap_err();
    assert_eq!(error.to_string(), "line 1, column 7: expected ',' or ']', found the end of the text");
}

#[test]
fn iota_is_a_transposed_count() {
    assert_eq!(groups("[4,2]<=[8]"), [[0, 1], [2, 3], [4, 5], [6, 7]]);
    assert_eq!(groups("[4,4]<=[2,8]T(1,0)"), [[0, 8, 1, 9], [2, 10, 3, 11], [4, 12, 5, 13], [6, 14, 7, 15]]);
    assert_eq!(groups("[2,4]<=[2,2,2]T(2,0,1)"), [[0, 2, 4, 6], [1, 3, 5, 7]]);
    assert_eq!(groups(" [2, 2] <= [1,4,1] T(2,1,0)"), [[0, 1], [2, 3]]);
    assert_eq!(groups("[1,1]<=[1]"), [[0]]);
    let all = groups("[1,1048576]<=[1048576]");
    assert_eq!((all.len(), all[0].len(), all[0][1_048_575]), (1, MOST_IDS, 1_048_575));
}

#[test]
fn iota_that_does_not_fit_is_an_error() {
    assert_eq!(error("[4,2]<=[9]"), ("product", 1));
    assert_eq!(parse("[4,2]<=[9]").unwrap_err().problem, Problem::Product(8, 9));
    assert_eq!(error("[4294967295,4294967295]<=[8]"), ("product", 1));
    assert_eq!(error("[1,8]<=[4294967295,4294967295,4294967295]"), ("product", 1));
    assert_eq!(error("[2,1048576]<=[2,1048576]"), ("too_many_ids", 1));
    assert_eq!(error("[0,8]<=[8]"), ("zero", 2));
    assert_eq!(error("[1,8]<=[8,0]"), ("zero", 11));
    for permutation in ["(0)", "(0,0)", "(1,2)", "(0,1,2)"] {
        assert_eq!(error(&format!("[4,2]<=[2,4]T{permutation}")), ("permutation", 13), "{permutation}");
    }
    assert_eq!(error("[4,2]<=[2,4]T()"), ("expected", 15));
    assert_eq!(error("[4,2]<=[]"), ("expected", 9));
    assert_eq!(error("[4,2]<[8]"), ("expected", 6));
    assert_eq!(error("[4,2,1]<=[8]"), ("flat_list", 5));
    assert_eq!(error("[8]<=[8]"), ("expected", 3));
}

#[test]
fn mesh_axes_are_run_over_in_the_order_in_which_they_are_named() {
    assert_eq!(groups("mesh['a'=2,'b'=4] {'b'}"), [[0, 1, 2, 3], [4, 5, 6, 7]]);
    assert_eq!(groups("mesh['a'=2,'b'=4] {'a'}"), [[0, 4], [1, 5], [2, 6], [3, 7]]);
    assert_eq!(groups("mesh['a'=2,'b'=2] {'a','b'}"), [[0, 1, 2, 3]]);
    assert_eq!(groups("mesh['a'=2,'b'=2]{ 'b' , 'a' }"), [[0, 2, 1, 3]]);
    assert_eq!(groups("mesh['a'=2] {}"), [[0], [1]], "over no axis each id is alone");
    assert_eq!(groups("mesh['a'=1] {'a'}"), [[0]]);
    // 8 = 2 * 2 * 2.
    assert_eq!(groups("mesh['a'=8] {'a':(1)2}"), [[0, 4], [1, 5], [2, 6], [3, 7]]);
    assert_eq!(groups("mesh['a'=8] {'a':(2)2}"), [[0, 2], [1, 3], [4, 6], [5, 7]]);
    assert_eq!(groups("mesh['a'=8] {'a':(4)2}"), [[0, 1], [2, 3], [4, 5], [6, 7]]);
    assert_eq!(groups("mesh['a'=8] {'a':(1)2,'a':(4)2}"), [[0, 1, 4, 5], [2, 3, 6, 7]]);
    assert_eq!(groups("mesh['a'=8] {'a':(4)2,'a':(1)2}"), [[0, 4, 1, 5], [2, 6, 3, 7]]);
    let Written::MeshAxes(axes) = parse("mesh['a'=2,'b'=4] {'b':(2)2}").unwrap() else { panic!() };
    assert_eq!(axes.over(), [AxisPart { axis: 1, part: Some((2, 2)) }]);
    assert_eq!(axes.axes()[1], Axis { name: "b".to_owned(), size: 4 });
}

#[test]
fn mesh_axes_that_do_not_fit_are_errors() {
    assert_eq!(error("mesh['a'=2,'b'=4] {'c'}"), ("unknown_axis", 20));
    assert_eq!(error("mesh['a'=2,'a'=4] {'a'}"), ("repeated_axis", 12));
    assert_eq!(error("mesh['a'=2,'b'=4] {'b','b'}"), ("axis_overlap", 24));
    assert_eq!(error("mesh['a'=1] {'a','a'}"), ("axis_overlap", 18));
    assert_eq!(error("mesh['a'=8] {'a':(1)4,'a':(2)2}"), ("axis_overlap", 23));
    assert_eq!(error("mesh['a'=8] {'a':(2)2,'a'}"), ("axis_overlap", 23));
    assert_eq!(error("mesh['a'=8] {'a':(2)3}"), ("sub_axis", 14));
    assert_eq!(error("mesh['a'=12] {'a':(1)2,'a':(3)2}"), ("sub_axis", 24));
    assert_eq!(error("mesh['a'=8] {'a':(8)2}"), ("sub_axis", 14));
    assert_eq!(error("mesh['a'=8] {'a':(4294967295)4294967295}"), ("sub_axis", 14));
    assert_eq!(error("mesh['a'=8] {'a':(1)1}"), ("expected", 21));
    assert_eq!(error("mesh['a'=8] {'a':(0)1}"), ("zero", 19));
    assert_eq!(error("mesh['a'=0] {'a'}"), ("zero", 10));
    assert_eq!(error("mesh['a'=1048577] {'a'}"), ("too_many_ids", 1));
    assert_eq!(error("mesh['a'=2]device_ids=([2]<=[2]) {'a'}"), ("mesh_order", 12));
    assert_eq!(error("mesh['a'=2]"), ("expected", 12));
    assert_eq!(error("mesh[a=2] {'a'}"), ("expected", 6));
    assert_eq!(error("mesh[''=2] {''}"), ("expected", 7));
    assert_eq!(error("mess['a'=2] {'a'}"), ("expected", 1));
}

#[test]
fn dense_literals_are_lists_splats_or_hex() {
    assert_eq!(groups("dense<[[0,1],[2,3]]> : tensor<2x2xi64>"), [[0, 1], [2, 3]]);
    assert_eq!(groups("dense<[[0, 1], [2, -1]]> : tensor<2x2xi64>"), [vec![0, 1], vec![2]]);
    assert_eq!(groups("dense<0> : tensor<1x1xi64>"), [[0]]);
    assert_eq!(groups("dense<7> : tensor<2x1xi64>"), [[7], [7]]);
    for text in ["dense<> : tensor<0x0xi64>", "dense<> : tensor<0x4xi64>", "dense<[]> : tensor<0x4xi64>"] {
        assert!(groups(text).is_empty(), "{text}");
    }
    let hex = "dense<\"0x0000000000000000010000000000000002000000000000000001000000000000\"> : tensor<2x2xi64>";
    assert_eq!(groups(hex), [[0, 1], [2, 256]]);
    assert_eq!(groups("dense<\"0x0500000000000000ffffffffffffffff\"> : tensor<1x2xi64>"), [[5]]);
    assert_eq!(groups("dense<\"0x0500000000000000\"> : tensor<2x1xi64>"), [[5], [5]]);
}

#[test]
fn dense_literals_that_do_not_fit_their_type_are_errors() {
    assert_eq!(error("dense<[[0,1],[2]]> : tensor<2x2xi64>"), ("ragged_rows", 14));
    assert_eq!(error("dense<[[0,1],[2,3]]> : tensor<2x3xi64>"), ("shape", 1));
    assert_eq!(error("dense<[[0,1]]> : tensor<2x2xi64>"), ("shape", 1));
    assert_eq!(error("dense<> : tensor<1x1xi64>"), ("shape", 1));
    assert_eq!(error("dense<[0,1]> : tensor<2xi64>"), ("flat_list", 8));
    assert_eq!(error("dense<0> : tensor<2xi64>"), ("expected", 21));
    assert_eq!(error("dense<0> : tensor<2x2x2xi64>"), ("expected", 23));
    assert_eq!(error("dense<0> : tensor<1x1xi32>"), ("element_type", 23));
    assert_eq!(error("dense<0>"), ("expected", 9));
    assert_eq!(error("dense<-1> : tensor<1x1xi64>"), ("empty_group", 1));
    assert_eq!(error("dense<-2> : tensor<1x1xi64>"), ("negative", 1));
    assert_eq!(error("dense<4294967296> : tensor<1x1xi64>"), ("too_large", 1));
    assert_eq!(error("dense<[[0,-2]]> : tensor<1x2xi64>"), ("negative", 11));
    assert_eq!(error("dense<0> : tensor<1024x1025xi64>"), ("too_many_ids", 1));
    assert_eq!(error("dense<\"0x00\"> : tensor<1x1xi64>"), ("hex_length", 1));
    assert_eq!(error("dense<\"00\"> : tensor<1x1xi64>"), ("expected", 7));
    assert_eq!(error("dense<\"0xé\"> : tensor<1x1xi64>"), ("expected", 7));
    assert_eq!(error("dense<__elided__> : tensor<1x1xi64>"), ("elided", 7));
    assert_eq!(error("dense_resource<x> : tensor<1x1xi64>"), ("elided", 1));
    assert_eq!(error("dense<\"0x00"), ("unclosed", 12));
}

#[test]
fn more_ids_than_the_limit_are_refused_in_every_form() {
    let ids = |count: usize| (0..count).map(|id| id.to_string()).collect::<Vec<_>>().join(",");
    assert_eq!(groups(&format!("[[{}]]", ids(MOST_IDS)))[0].len(), MOST_IDS);
    for text in [format!("[[{}]]", ids(MOST_IDS + 1)), format!("{{{{{}}}}}", ids(MOST_IDS + 1))] {
        assert_eq!(parse(&text).unwrap_err().problem, Problem::TooManyIds);
    }
    assert_eq!(Groups::from_lists(&[vec![0; MOST_IDS + 1]]), None);
}

#[test]
fn each_row_of_the_table_has_its_mode() {
    use GroupMode::{CrossPartition, CrossReplica, CrossReplicaAndPartition, FlattenedId};
    for op in CollectiveOp::ALL {
        let mode = |has_channel, global_ids| GroupMode::of(op, has_channel, global_ids);
        assert_eq!(mode(false, None), Ok(CrossReplica));
        if op.knows_global_ids() {
            assert_eq!(mode(false, Some(false)), Ok(CrossReplica));
            assert_eq!(mode(false, Some(true)), Err(ModeError::GlobalIdsWithoutChannel));
            assert_eq!(mode(true, None), Ok(CrossReplicaAndPartition));
            assert_eq!(mode(true, Some(false)), Ok(CrossReplicaAndPartition));
            assert_eq!(mode(true, Some(true)), Ok(FlattenedId));
        } else {
            assert_eq!(mode(true, None), Ok(CrossPartition));
            for (channel, ids) in [(false, false), (false, true), (true, false), (true, true)] {
                assert_eq!(mode(channel, Some(ids)), Err(ModeError::NoGlobalIds(op)));
            }
        }
    }
}

/// What written groups mean, or the error's text.
fn expanded(text: &str, mode: GroupMode, replicas: Option<u32>, partitions: Option<u32>) -> Result<String, String> {
    let groups = expand_groups(&parse(text).unwrap().groups(), mode, replicas, partitions);
    groups.map(|groups| groups.to_string()).map_err(|error| error.to_string())
}

#[test]
fn groups_expand_in_order() {
    use GroupMode::{CrossPartition, CrossReplica, CrossReplicaAndPartition, FlattenedId};
    let is = |text, mode, replicas, partitions, expected: &str| {
        assert_eq!(expanded(text, mode, Some(replicas), Some(partitions)).as_deref(), Ok(expected), "{text} {mode}");
    };
    is("{{1,0},{2}}", CrossReplica, 3, 2, "[[2,0],[3,1],[4],[5]]");
    is("{{1,0},{2}}", CrossPartition, 2, 3, "[[1,0],[4,3],[2],[5]]");
    is("{{1,0},{2}}", CrossReplicaAndPartition, 3, 2, "[[2,3,0,1],[4,5]]");
    is("{{1,0},{5}}", FlattenedId, 3, 2, "[[1,0],[5]]");
    is("{}", CrossReplica, 2, 3, "[[0,3],[1,4],[2,5]]");
    is("{}", CrossPartition, 2, 3, "[[0,1,2],[3,4,5]]");
    is("{}", CrossReplicaAndPartition, 2, 3, "[[0,1,2,3,4,5]]");
    assert_eq!(expanded("{{9,4294967295}}", FlattenedId, None, Some(2)).as_deref(), Ok("[[9,4294967295]]"));
}

#[test]
fn groups_that_cannot_be_expanded_say_why() {
    use GroupMode::{CrossPartition, CrossReplica, CrossReplicaAndPartition, FlattenedId};
    let fails = |text, mode, replicas, partitions, expected: &str| {
        assert_eq!(expanded(text, mode, replicas, partitions), Err(expected.to_owned()), "{text} {mode}");
    };
    let (two, none) = (Some(2), None);
    fails("{{0,1}}", CrossReplica, none, none, "cross_replica needs the numbers of replicas and partitions");
    fails("{{0,1}}", CrossPartition, none, two, "cross_partition needs the number of replicas");
    let text = "cross_replica_and_partition needs the number of partitions";
    fails("{}", CrossReplicaAndPartition, two, none, text);
    fails("{}", FlattenedId, two, two, "flattened_id needs groups, as its ids are devices");
    fails("{}", CrossReplica, Some(0), two, "the numbers of replicas and partitions must be at least 1");
    fails("{{0,1},{2}}", CrossReplica, two, two, "group 1: replica 2 is not below their number, 2");
    fails("{{4}}", FlattenedId, two, two, "group 0: device 4 is not below their number, 4");
    fails("{{0},{1,0}}", CrossPartition, two, two, "partition 0 stands in group 0 and in group 1");
    fails("{{7,7}}", FlattenedId, none, none, "group 0: device 7 stands there twice");
    fails("{{1}}", CrossReplica, two, two, "replica 0 of 2 stands in no group, and cross_replica needs them all");
    let text = "replica 2 of 3 stands in no group, and cross_replica_and_partition needs them all";
    fails("{{1},{0}}", CrossReplicaAndPartition, Some(3), two, text);
    let text = "1048576 replicas of 2 partitions are more than 1048576 devices";
    fails("{}", CrossReplica, Some(1 << 20), two, text);
    let text = "4294967295 replicas of 4294967295 partitions are more than 1048576 devices";
    fails("{{0}}", FlattenedId, Some(u32::MAX), Some(u32::MAX), text);
}

#[test]
fn pairs_expand_in_order_and_have_sources_and_targets_once() {
    let pairs = |text, mode| {
        let pairs = expand_pairs(&parse(text).unwrap().groups(), mode, Some(2), Some(2));
        pairs.map_err(|error| error.to_string())
    };
    use GroupMode::{CrossPartition, CrossReplica};
    assert_eq!(pairs("{{0,1},{1,0}}", CrossReplica).unwrap(), [[0, 2], [1, 3], [2, 0], [3, 1]]);
    assert_eq!(pairs("[[0,1],[1,0]]", CrossPartition).unwrap(), [[0, 1], [2, 3], [1, 0], [3, 2]]);
    assert_eq!(pairs("{{1,1}}", CrossPartition).unwrap(), [[1, 1], [3, 3]]);
    assert_eq!(pairs("{}", CrossReplica).unwrap(), [[0; 2]; 0]);
    let fails = |text, expected: &str| assert_eq!(pairs(text, CrossReplica), Err(expected.to_owned()));
    fails("{{0,1},{0,0}}", "replica 0 is the source of pair 0 and of pair 1");
    fails("{{0,1},{1,1}}", "replica 1 is the target of pair 0 and of pair 1");
    fails("{{0,1},{1,2}}", "group 1: replica 2 is not below their number, 2");
    fails("{{0,1},{1}}", "pair 1: a source and a target are 2 ids, and there are 1");
}

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
    assert_eq!(groups(&format!("[1024,512]<=[{dims}524288]")).len(), 1024);
    let axes: Vec<_> = (0..100_000).map(|axis| format!("'{axis}'=1")).collect();
    let over: Vec<_> = (0..100_000).map(|axis| format!("'{axis}'")).collect();
    assert_eq!(groups(&format!("mesh[{}] {{{}}}", axes.join(","), over.join(","))), [[0]]);
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
            let sizes: Vec<_> = (1..=total).filter(|size| total % size == 0).collect();
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
