//! What is asked of the rings of a snapshot.

use crate::rule::rules;

rules! {
    RECIP = "RING-RECIP" Error Model, "ring model, section 14":
        "The next rank of a rank names that rank as its previous one."
        "Data and credits go to somebody who does not expect them, and both wait."
        "Make next and prev of both entries say the same.";
    CLOSE = "RING-CLOSE" Error Model, "ring model, section 14":
        "Following the next rank comes back after every rank once."
        "A ring that closes early leaves ranks out, who wait for ever."
        "Mend the order of the ring.";
    EDGE = "RING-EDGE" Error Model, "ring model, sections 2 and 14":
        "The address that a rank signals is the register that the other end waits on."
        "The signal lands elsewhere: the other end waits, and somebody else counts what is not his."
        "Compare both records: the recorded address, and the semaphore of the record that should own it.";
    DISTINCT = "RING-SEMA-DISTINCT" Error Model, "ring model, section 14":
        "The semaphores of all channels on one top-SP are distinct."
        "Two counts in one register let both channels run on too early."
        "Give each channel semaphores of its own.";
    WINDOW = "RING-SEMA-WINDOW" Error Inferred, "ring model, sections 2 and 14":
        "Own semaphores are read, signals go through the increment window, peers through either of these."
        "The same register through another window reads nothing or sets a value."
        "Write the address of the right window.";
    HOME = "RING-SEMA-HOME" Error Model, "ring model, section 14":
        "Own semaphores are on the own top-SP, and those of peers on others."
        "A sync core waits on its own registers."
        "Populate the record for the top-SP that holds it.";
    UNSET = "RING-SEMA-UNSET" Error Stated, "ring-descriptor page":
        "A channel in use has all of its semaphores."
        "An address of zero is waited on for ever; number 255 means none in the runtime's structures."
        "Assign the semaphore before populating.";
    ID = "RING-ID" Error Stated, "ring-descriptor page":
        "A channel's number is that of its row."
        "The firmware finds rows by number."
        "Write the row's number into the record.";
    RECORD = "RING-RECORD" Warning Model, "ring-descriptor page":
        "A record breaks no rule about records."
        "What the record says is at odds with itself."
        "See the finding's own words, and `trnwire explain` of the row.";
    FOLD = "RING-FOLD" Error Stated, "ring-descriptor page":
        "Both ends of an edge have as many folds, and live index words are set."
        "One side posts to more streams than the other serves."
        "Give both neighbours of the edge the same fold.";
    PEERS = "KANGA-PEERS" Error Stated, "ring-descriptor page":
        "A kangaring has one or three peers, and a plain ring none."
        "The firmware signals as many peers as the record says."
        "Write 0, 1 or 3 peers, and their addresses.";
    PRIMARY = "KANGA-PRIMARY" Error Inferred, "ring model, section 9":
        "A kangaring group has one primary on each channel; it has neighbours, and the others have none."
        "Nobody moves the data of a group without a primary, and two of them move it twice."
        "Mark one rank of the group as primary.";
    SIZE = "KANGA-SIZE" Error Stated, "runtime header":
        "A kangaring has at most 256 ranks."
        "The runtime's structures end there."
        "Use a ring, or smaller groups.";
    SLOTS = "RING-SLOTS" Error Model, "ring model, section 5.4":
        "The slots of a ring are more than its ranks times the pieces of a chunk, and every edge has one."
        "With fewer every rank waits for a credit, and no rank is to blame."
        "Give the edges more slots: one more than pieces is enough when all are equal.";
}
