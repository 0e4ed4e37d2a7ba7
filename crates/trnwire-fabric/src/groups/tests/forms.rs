//! Every form, and what is wrong with texts that are none.

use super::*;

/// The groups of a text.
pub(super) fn groups(text: &str) -> Vec<Vec<u32>> {
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
