//! What ids mean, and when they mean nothing.

use super::*;

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
    fails("{{0,1},{2}}", CrossReplica, two, two, "group 1: replica 2 is out of range: there are 2");
    fails("{{4}}", FlattenedId, two, two, "group 0: device 4 is out of range: there are 4");
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
    fails("{{0,1},{1,2}}", "pair 1: replica 2 is out of range: there are 2");
    fails("{{0,1},{1}}", "pair 1: a source and a target are 2 ids, and there are 1");
}
