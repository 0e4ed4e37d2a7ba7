//! What is said about listings.

use crate::rule::rules;

rules! {
    NUMA_NODE = "TOPO-NUMA" Note Stated, "neuron-ls captures":
        "The NUMA node may be -1."
        "The host does not say to which NUMA node a device belongs, as on sizes with one node."
        "Nothing; place host processes by CPU affinity.";
    NO_LINKS = "TOPO-NO-LINKS" Note Stated, "neuron-ls captures":
        "A device may have no list of neighbours."
        "Sizes with a single device print null or nothing, and its cores still reach each other."
        "Nothing.";
    SHORT_BDF = "TOPO-BDF" Note Stated, "neuron-ls captures":
        "A PCI address may come without its domain."
        "Tools that compare addresses as text see two devices where there is one."
        "Compare them without the domain; here domain 0000 is meant.";
    MEMORY_UNIT = "TOPO-MEMORY" Note Stated, "neuron-ls captures":
        "Tables print memory in GB, which are GiB."
        "96 GB are 103079215104 bytes in the JSON of the same device."
        "Nothing; they are read as GiB.";
    LNC_ABSENT = "TOPO-LNC" Note Stated, "neuron-ls captures, AWS documentation":
        "Logical cores are counted, and trn1 and inf2 print no LNC."
        "With LNC 2 a chip of eight cores shows four; without the key every core is physical."
        "Nothing; count ranks by logical cores.";
    INSTANCE_IN_DEVICE = "TOPO-INSTANCE-TYPE" Note Stated, "neuron-ls captures":
        "Newer versions print the instance type and id in every device."
        "The type decides which platform it is; older output leaves ties."
        "Nothing.";
    NEIGHBOUR_ORDER = "TOPO-ORDER" Note Stated, "neuron-ls captures, kernel driver":
        "Neighbours may come in another order."
        "The order changed between releases; positions in the list mean no direction."
        "Compare them as sets, as is done here.";
    RENUMBERED = "TOPO-RENUMBERED" Note Inferred, "neuron-ls captures":
        "A container may see some devices under numbers of its own."
        "The neighbours keep the host's numbers, so that device 0 of the container need not be device 0 of the host."
        "Use the host's numbers, which are found by the sets of neighbours, when you compare hosts.";
    TWO_TORI = "TOPO-TWO-TORI" Note Stated, "kernel driver":
        "On hosts with twice the devices the second half is a torus of its own."
        "The driver adds a bit of the own number to the neighbours' numbers: no link joins the halves."
        "Keep a ring within one half.";
    BDF_ORDER = "TOPO-BDF-ORDER" Note Stated, "neuron-ls captures":
        "PCI addresses need not ascend with device numbers."
        "Sorting devices by PCI address gives another order than the runtime's."
        "Use device numbers.";
    PART = "TOPO-PART" Note Stated, "neuron-ls captures":
        "Some devices of the platform are not listed."
        "A container sees what it was given; links to other devices exist but cannot be used."
        "Nothing, when the container was meant to have a part.";
    TIE = "TOPO-TIE" Note Stated, "topology facts":
        "Several platforms look alike."
        "They have the same devices, links, cores and memory; only the name tells."
        "Name it with --platform, or use a neuron-ls that prints the instance type.";
    UNKNOWN = "TOPO-UNKNOWN" Warning Model, "this project":
        "A listing fits a known platform."
        "Which groups are legal is known by platform; without one only links and counts can be checked."
        "Check that the listing is whole; name the platform with --platform.";
    MISMATCH = "TOPO-MISMATCH" Warning Model, "this project":
        "The devices of a listing are those of the platform that it names."
        "The listing was cut or edited, or a device has gone: rings over the missing links cannot work."
        "Run neuron-ls again on the host; if it says the same, have the instance replaced.";
    ONE_SIDED = "TOPO-ONE-SIDED" Warning Model, "this project":
        "A link is named by both of its devices."
        "A link that one side does not see may be down."
        "Run neuron-ls again; if it says the same, have the instance replaced.";
    Z_ORDER = "TOPO-Z-ORDER" Note Inferred, "AWS documentation":
        "The instances of an UltraServer are linked as a ring in the order of their node ids."
        "That there is a ring is stated, its order is inferred; node ids are taken from the order of the inputs."
        "Give the listings in the order of the node ids.";
    SWITCHED = "TOPO-SWITCHED" Note Unknown, "AWS documentation":
        "Devices behind switches have no known direct links."
        "Which paths share a switch port is not public, so that hops and link loads are not counted there."
        "Nothing.";
}
