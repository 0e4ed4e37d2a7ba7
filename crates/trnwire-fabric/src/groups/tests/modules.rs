//! Whole modules: which ops are found, and what is said about those that cannot be read.

use super::*;

/// Name, line, opcode, channel and groups of each op of a module that has nothing wrong.
fn ops(text: &str) -> Vec<(String, usize, String, Option<i64>, String)> {
    let module = read_module(text);
    assert_eq!(module.refused, [], "{text}");
    let op = |op: Collective| {
        let written = op.written.map(|written| written.to_string()).unwrap_or_default();
        (op.name, op.line, op.opcode, op.channel_id, written)
    };
    module.collectives.into_iter().map(op).collect()
}

/// Names of the ops of a module.
fn names(text: &str) -> Vec<String> {
    ops(text).into_iter().map(|(name, ..)| name).collect()
}

/// The texts of what is refused.
fn refused(text: &str) -> Vec<String> {
    read_module(text).refused.iter().map(ToString::to_string).collect()
}

const HLO: &str = r#"HloModule jit_step.7, is_scheduled=true, entry_computation_layout={(f32[8]{0})->(f32[8]{0}, f32[64]{0})}, replica_count=4, num_partitions=2

FileNames
1 "all-reduce(x), replica_groups={{9}}"

%all-reduce (a.2: f32[], b.3: f32[]) -> f32[] {
  %a.2 = f32[] parameter(0)
  %b.3 = f32[] parameter(1)
  ROOT %add.4 = f32[] add(%a.2, %b.3)
}

%wrapped_computation (p: f32[8]) -> f32[1] {
  %p = f32[8]{0:T(8,128)(2,1)} parameter(0)
  ROOT %rs.1 = f32[1]{0} reduce-scatter(%p), channel_id=3, replica_groups=[1,8]<=[8], use_global_device_ids=true, dimensions={0}, to_apply=%all-reduce
}

/* %no = f32[8] all-to-all(%p), replica_groups={{0,1}} */
ENTRY %main.5 (p.1: f32[8]) -> (f32[8], f32[64]) {
  %p.1 = f32[8]{0} parameter(0), metadata={op_name="x = f32[] all-gather(), replica_groups={{0}}"}
  %text = u8[3]{0} constant("a\"b all-reduce(")
  %start = ((f32[8]{0}), f32[1]{0}, u32[]) async-start(%p.1), calls=%wrapped_computation, async_execution_thread="parallel"
  %sugar = ((f32[8]{0}), f32[1]{0}, u32[]) reduce-scatter-start(%p.1), calls=%wrapped_computation
  %ags = (f32[8]{0}, /*index=1*/f32[64]{0}) all-gather-start(%p.1), replica_groups={{0,1,2,3}},
      dimensions={0}, backend_config={"note":"replica_groups={}"}
  %agd = f32[64]{0} all-gather-done(%ags), channel_id=5, replica_groups={{0,1,2,3}}
  %send = (f32[8], u32[], token[]) send(%p.1, %t), channel_id=4, frontend_attributes={_x="{{0,1}}"}
  cp = f32[8]{0} collective-permute(%p.1), source_target_pairs={{0,1},{1,2}}, channel_id=0 // pairs
  %raa = f32[8] ragged-all-to-all(%p.1), replica_groups=mesh['x'=2,'y'=2] {'y'}
  %cb = f32[8] collective-broadcast(%p.1), replica_groups={}
  ROOT %out = (f32[8]{0}, f32[64]{0}) tuple(%cp, %agd)
}
"#;

#[test]
fn every_collective_of_an_hlo_module_is_found_once() {
    let module = read_module(HLO);
    assert_eq!((module.language, module.replicas, module.partitions), (Language::Hlo, Some(4), Some(2)));
    let op = |name: &str, line, opcode: &str, channel, written: &str| {
        (name.to_owned(), line, opcode.to_owned(), channel, written.to_owned())
    };
    let expected = [
        op("%rs.1", 14, "reduce-scatter", Some(3), "[1,8]<=[8]"),
        op("%ags", 23, "all-gather-start", None, "{{0,1,2,3}}"),
        op("cp", 27, "collective-permute", Some(0), "{{0,1},{1,2}}"),
        op("%raa", 28, "ragged-all-to-all", None, "mesh['x'=2,'y'=2] {'y'}"),
        op("%cb", 29, "collective-broadcast", None, "{}"),
    ];
    assert_eq!(ops(HLO), expected);
}

const STABLEHLO: &str = r##"#loc1 = loc("all_reduce"("a.py":1:2))
module @jit_f attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 4 : i32, x.y = affine_set<(d0) : (d0 >= 0)>} {
  func.func public @main(%arg0: tensor<8xf32> {mhlo.sharding = "{\"stablehlo.all_reduce\"(%x)}"}) -> tensor<8xf32> {
    // "stablehlo.all_gather"(%arg0) <{replica_groups = dense<0> : tensor<1x1xi64>}>
    %0:2 = "stablehlo.all_reduce"(%arg0, %arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
        replica_groups = dense<[[0, 1], [2, -1]]> : tensor<2x2xi64>, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %inner = "stablehlo.all_to_all"(%a) {split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<f32>) -> tensor<f32>
      stablehlo.return %a : tensor<f32>
    }) {mhlo.map = affine_map<(d0) -> (d0)>} : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) loc(#loc1)
    %1 = "stablehlo.reduce_scatter"(%0#0) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %2 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) {
      scatter_dimension = 0 : i64, // use_global_device_ids
      replica_groups = dense<"0x00000000000000000100000000000000"> : tensor<1x2xi64>,
      channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>
      // channel_id = 5
    } : (tensor<8xf32>) -> tensor<8xf32>
    %s = "stablehlo.send"(%1, %t) <{channel_handle = #stablehlo.channel_handle<handle = 9, type = 2>, source_target_pairs = dense<0> : tensor<1x2xi64>}> : (a) -> b
    %3, %4 = "stablehlo.collective_broadcast"(%1) <{replica_groups = dense<> : tensor<0x0xi64>, channel_handle = #stablehlo.channel_handle<handle = -1, type = 0>}> : (a) -> b
    %5 = "stablehlo.collective_permute"(%1) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 7, type = 1>}> : (a) -> b
    return %5 : tensor<8xf32>
  }
}
"##;

#[test]
fn every_collective_of_a_stablehlo_module_is_found_once() {
    let module = read_module(STABLEHLO);
    assert_eq!((module.language, module.replicas, module.partitions), (Language::StableHlo, Some(4), Some(2)));
    let op = |name: &str, line, opcode: &str, channel, written: &str| {
        (name.to_owned(), line, format!("stablehlo.{opcode}"), channel, written.to_owned())
    };
    let expected = [
        op("%0", 5, "all_reduce", Some(1), "dense<[[0,1],[2,-1]]> : tensor<2x2xi64>"),
        op("%inner", 8, "all_to_all", None, "dense<[[0,1]]> : tensor<1x2xi64>"),
        op("%1", 11, "reduce_scatter", None, "dense<[[0,1]]> : tensor<1x2xi64>"),
        op("%3", 22, "collective_broadcast", None, "dense<> : tensor<0x0xi64>"),
        op("%5", 23, "collective_permute", Some(7), "dense<[[0,1],[1,0]]> : tensor<2x2xi64>"),
    ];
    assert_eq!(ops(STABLEHLO), expected);
    assert_eq!(module.collectives[0].use_global_device_ids, Some(true));
    assert_eq!(module.collectives[2].use_global_device_ids, None);
}

#[test]
fn counts_may_stand_behind_a_module_and_an_older_dialect_is_read() {
    let text = r#""builtin.module"() <{sym_name = "m"}> ({
  %0 = "mhlo.all_gather"(%a) {replica_groups = dense<0> : tensor<1x1xi64>, channel_handle = #mhlo.channel_handle<handle = 2, type = 0>} : (a) -> b
  %1 = "stablehlo.all_gather"(%a) {"replica_groups" = dense<0> : tensor<1x1xi64>, channel_id = 2 : i64, use_global_device_ids = false} : (a) -> b
}) {mhlo.num_replicas = 3 : i32} : () -> ()"#;
    let module = read_module(text);
    assert_eq!((module.replicas, module.partitions), (Some(3), None));
    let channels: Vec<_> = module.collectives.iter().map(|op| op.channel_id).collect();
    assert_eq!(channels, [Some(2), Some(2)]);
    assert_eq!(module.collectives[1].use_global_device_ids, Some(false));
}

#[test]
fn a_language_is_told_by_its_first_words() {
    for text in ["", "x", "HloModule m", "// module\nHloModule m", "%x = f32[8] add(a)", "x = (f32[]) y()", "ENTRY"] {
        assert_eq!(Language::of(text), Language::Hlo, "{text}");
    }
    for text in [
        "module {}",
        "#loc = loc(unknown)",
        "func.func @f()",
        "%0 = \"stablehlo.add\"(%a)",
        "%0 = stablehlo.reduce(%a)",
        "%0, %1 = stablehlo.x %a",
    ] {
        assert_eq!(Language::of(text), Language::StableHlo, "{text}");
    }
}

#[test]
fn an_op_that_cannot_be_read_costs_itself() {
    let text = "%a = f32[] all-reduce(p), replica_groups={{0,1},{2,3}, to_apply=%add\n\
                %b = f32[] all-reduce(p), replica_groups={{0,1}}, replica_groups={{0}}\n\
                %c = f32[] all-reduce(p), channel_id=x\n\
                %d = f32[] all-reduce(p), use_global_device_ids=yes\n\
                %e = f32[] all-reduce(p), source_target_pairs={{0,1}}\n\
                %f = f32[] collective-permute(p), replica_groups={{0,1}}\n\
                %g = f32[] all-reduce(p), channel_id=1, , replica_groups={{0}}\n\
                %h = f32[] all-reduce(p), channel_handle=1\n\
                %i = f32[] all-reduce(p), replica_groups={{0}}{{1}}\n\
                %z = f32[] all-reduce(p), replica_groups={{0,1}}\n";
    assert_eq!(read_module(text).collectives.iter().map(|op| op.name.as_str()).collect::<Vec<_>>(), ["%z"]);
    let expected = [
        "line 1, column 56: %a: replica_groups: expected '{', found \"to_apply=%add\"",
        "line 2, column 51: %b: replica_groups: stands twice, found \"replica_groups={{0}}\"",
        "line 3, column 38: %c: channel_id: expected a number, found \"x\"",
        "line 4, column 49: %d: use_global_device_ids: expected true or false, found \"yes\"",
        "line 5, column 27: %e: source_target_pairs: such an op has no such attribute, found \"source_target_pairs={{0,\"",
        "line 6, column 35: %f: replica_groups: such an op has no such attribute, found \"replica_groups={{0,1}}\"",
        "line 7, column 39: %g: expected an attribute behind the comma, found \", , replica_groups={{0}}\"",
        "line 7, column 43: replica_groups: belongs to no collective op, found \"replica_groups={{0}}\"",
        "line 8, column 27: %h: channel_handle: such an op has no such attribute, found \"channel_handle=1\"",
        "line 9, column 47: %i: replica_groups: expected ',' behind the value, found \"{{1}}\"",
    ];
    assert_eq!(refused(text), expected);
}

#[test]
fn a_stablehlo_op_that_cannot_be_read_costs_itself() {
    let op = |attributes: &str| format!("%0 = \"stablehlo.all_gather\"(%a) <{{{attributes}}}> : (a) -> b\n");
    let good = "%z = \"stablehlo.all_gather\"(%a) <{replica_groups = dense<0> : tensor<1x1xi64>}> : (a) -> b\n";
    let is = |attributes: &str, expected: &str| {
        let text = op(attributes) + good;
        assert_eq!(refused(&text), [expected], "{attributes}");
        assert_eq!(read_module(&text).collectives.len(), 1, "{attributes}");
    };
    let groups = "replica_groups = dense<0> : tensor<1x1xi64>";
    is(
        "replica_groups = dense<[[0,1],[2,3]> : tensor<2x2xi64>",
        "line 1, column 70: %0: replica_groups: expected ',' or ']', found \"> : tensor<2x2xi64>}> :\"",
    );
    is(
        &format!("{groups}, {groups}"),
        "line 1, column 80: %0: replica_groups: stands twice, found \"replica_groups = dense<0\"",
    );
    is(
        "source_target_pairs = dense<0> : tensor<1x1xi64>",
        "line 1, column 35: %0: source_target_pairs: such an op has no such attribute, found \"source_target_pairs = de\"",
    );
    is("replica_groups", "line 1, column 49: %0: replica_groups: expected '=' and a value, found \"}> : (a) -> b\"");
    is(
        "channel_handle = #alias",
        "line 1, column 52: %0: channel_handle: expected #stablehlo.channel_handle<handle = N, type = N>, found \"#alias}> : (a) -> b\"",
    );
    is(
        "channel_handle = #stablehlo.channel_handle<type = 1>",
        "line 1, column 52: %0: channel_handle: expected #stablehlo.channel_handle<handle = N, type = N>, found \"#stablehlo.channel_handl\"",
    );
    is(
        "use_global_device_ids = 1",
        "line 1, column 59: %0: use_global_device_ids: expected true or false, found \"1}> : (a) -> b\"",
    );
    is(
        "replica_groups = #stablehlo.replica_group_mesh_axes<x>",
        "line 1, column 52: %0: replica_groups: expected dense<...>, found \"#stablehlo.replica_group\"",
    );
    let text = format!("%0 = stablehlo.all_reduce(%a)\n{good}");
    let expected = "line 1, column 6: %0: the op is not in the form that printers write, with its name in quotes, found \"stablehlo.all_reduce(%a)\"";
    assert_eq!(refused(&text), [expected]);
    let text = format!("{good}{{{groups}}}");
    let expected = "line 2, column 2: replica_groups: belongs to no collective op, found \"replica_groups = dense<0\"";
    assert_eq!(refused(&text), [expected]);
}

#[test]
fn a_text_that_was_cut_off_is_told() {
    let is = |text: &str, expected: &str| assert_eq!(refused(text), [expected], "{text}");
    let end = "found the end of the text";
    is(
        "ENTRY %e {\n  x = f32[] add(a, b)\n",
        &format!("line 3, column 1: '{{' of line 1 is not closed before this, {end}"),
    );
    let text = "x = f32[] all-reduce(a, b";
    is(text, &format!("line 1, column 26: x: '(' of line 1 is not closed before this, {end}"));
    is("x = f32[] add(a), m={n=\"", &format!("line 1, column 25: x: '\"' of line 1 is not closed before this, {end}"));
    is("x = f32[] add(a) /* ...", &format!("line 1, column 24: '/' of line 1 is not closed before this, {end}"));
    is("module {\n func.func @f() {\n", &format!("line 3, column 1: '{{' of line 2 is not closed before this, {end}"));
    let module = read_module("%0 = \"stablehlo.all_reduce\"(%a) ({\n ^bb0:\n x");
    assert_eq!(module.collectives, [], "its attributes may have followed");
    let told: Vec<_> = module.refused.iter().map(|error| (error.op.as_str(), error.code())).collect();
    assert_eq!(told, [("", "unclosed"), ("%0", "unclosed")]);
    // Everything that is complete was read before that, and a text may begin anywhere.
    let (cut, _) = HLO.split_at(HLO.find("%raa").unwrap());
    assert_eq!(read_module(cut).collectives.len(), 3);
    let (_, tail) = HLO.split_at(HLO.find("cp = ").unwrap());
    assert_eq!(names(tail), ["cp", "%raa", "%cb"]);
    // Brackets that do not match are told once.
    is("x {( }}}\n )) ]", "line 1, column 6: '(' of line 1 is not closed before this, found \"}}}\"");
}

#[test]
fn counts_that_contradict_one_another_are_told() {
    assert_eq!(
        refused("HloModule m, replica_count=2, replica_count=3, num_partitions=0"),
        [
            "line 1, column 45: replica_count: the count was 2 before, found \"3, num_partitions=0\"",
            "line 1, column 63: num_partitions: must be at least 1, found \"0\"",
        ]
    );
    let text = "module attributes {mhlo.num_replicas = 2 : i32, mhlo.num_replicas = 4 : i32} {}";
    assert_eq!(refused(text).len(), 1);
    assert_eq!(read_module(text).replicas, Some(2));
    let text = "HloModule a, replica_count=2\nx = f32[] all-reduce(a)\nHloModule b, replica_count=3\ny = f32[] all-reduce(a)\n";
    let module = read_module(text);
    assert_eq!((module.collectives.len(), module.replicas), (1, Some(2)));
    assert_eq!(
        refused(text),
        [
            "line 3, column 1: a second module begins here; what follows was not read, found \"HloModule b, replica_cou\""
        ]
    );
}

#[test]
fn every_name_of_an_op_is_known_in_both_languages() {
    for op in CollectiveOp::ALL {
        for opcode in [op.name().to_owned(), format!("{op}-start")] {
            let module =
                read_module(&format!("x = f32[] {opcode}(a)\ny = f32[] {op}-done(x)\nz = f32[] {op}-startx(x)"));
            assert_eq!(module.collectives.len(), 1, "{opcode}");
            assert_eq!((module.collectives[0].op, module.collectives[0].opcode.as_str()), (op, opcode.as_str()));
        }
        let name = op.name().replace('-', "_");
        let module =
            read_module(&format!("%0 = \"stablehlo.{name}\"(%a) : (a) -> b\n%1 = \"x.{name}\"(%a) : (a) -> b"));
        assert_eq!(module.collectives.len(), 1, "{name}");
        assert_eq!((module.collectives[0].op, module.collectives[0].name.as_str()), (op, "%0"));
    }
    assert!(names("%0 = \"stablehlo.all-reduce\"(%a) : (a) -> b").is_empty());
}

#[test]
fn long_lines_are_read() {
    let mut text = "HloModule m\n".to_owned();
    for index in 0..50_000 {
        text += &format!("%x.{index} = f32[8]{{0}} all-reduce(%p), replica_groups={{{{0,1}},{{2,3}}}}, to_apply=%add ");
    }
    let module = read_module(&text);
    assert_eq!((module.collectives.len(), module.refused.len()), (50_000, 0));
    assert!(module.collectives.iter().all(|op| op.line == 2));
}
