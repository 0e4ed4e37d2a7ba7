//! What is asked of groups before anything runs.

use crate::rule::rules;

rules! {
    TWICE = "GROUP-TWICE" Error Stated, "XLA semantics":
        "A rank is in at most one group of an op."
        "It would have to send and receive as two members at once; the compiler refuses it."
        "Take the rank out of all groups but one.";
    ABSENT = "GROUP-ABSENT" Warning Stated, "XLA semantics":
        "Every rank of the job is in a group of the op."
        "A rank that is in no group takes no part, and in most modes every id must occur."
        "Add it, as a group of its own if it has nothing to share.";
    RANGE = "GROUP-RANGE" Error Stated, "XLA semantics":
        "Ranks are numbers of logical cores that exist."
        "There is nobody of that number, and the others would wait."
        "Use ranks below the number of logical cores; with LNC 2 a device of eight cores has four.";
    EQUAL = "GROUP-EQUAL" Error Stated, "XLA semantics":
        "All groups of an op have one size, where the shape of the result depends on it."
        "An all-gather, reduce-scatter or all-to-all has one result shape for all groups."
        "Make the groups equal, or use several ops.";
    ORDER = "GROUP-ORDER" Warning Stated, "runtime release notes, SDK 2.32":
        "Groups with the same members list them in the same order."
        "Runtimes before SDK 2.32 keep communicators by their sorted members, so that the second order got the first one's rank ids: wrong results without an error."
        "List the members in one order everywhere, or use SDK 2.32 or later.";
    CORES = "GROUP-CORES" Error Model, "this project":
        "A job asks for no more logical cores than there are."
        "The runtime cannot load it."
        "Ask for fewer ranks, or for more instances.";
    LEGAL = "GROUP-LEGAL" Error Stated, "topology facts":
        "A stated rule of the platform does not refuse the group."
        "The runtime refuses the load, at times with a message about something else."
        "Take one of the nearest legal groups.";
    UNKNOWN = "GROUP-UNKNOWN" Note Unknown, "topology facts":
        "The platform's legal groups list the group's count and shape."
        "No source says that it works, and none that it does not."
        "Take a listed group if you can, else try it with a small test first.";
    COMMUNICATORS = "GROUP-COMMUNICATORS" Error Stated, "runtime release notes":
        "An executable has at most 12 communicators, from SDK 2.32 on 16."
        "The runtime refuses the load, or hangs in older versions."
        "Use fewer different groups, or a newer SDK.";
    KANGARING = "GROUP-KANGARING" Note Stated, "AWS documentation":
        "A kangaring has all ranks of its chips, and at most 256."
        "Other groups run as plain rings, with twice or four times the hops."
        "Give groups whole chips where you can.";
    PERMUTE = "GROUP-PERMUTE" Error Stated, "AWS documentation":
        "The pairs of a permute form rings of ranks whose devices are linked."
        "On trn2 only circular patterns over direct links are supported."
        "Order the pairs along links, so that each rank sends once and receives once.";
    HOPS = "GROUP-HOPS" Warning Inferred, "topology facts":
        "The ring of a group goes over direct links only."
        "A hop over other devices uses their links, is slower, and shares them with other groups."
        "Give the group devices that have a cycle of links, such as a row, a block or all of a torus.";
    SHARED = "GROUP-SHARED" Note Inferred, "topology facts":
        "Groups that run at the same time share no link."
        "They slow each other down, and rings that take links in different order can block each other."
        "Lay groups along different links, or let them run one after the other.";
    NETWORK = "GROUP-NETWORK" Note Stated, "AWS documentation":
        "A group within one pod needs no network."
        "Hops between instances go over the network, at about 15 us instead of 1 to 2."
        "Nothing, when the group is meant to span instances.";
}
