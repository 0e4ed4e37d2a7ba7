//! What is asked of snapshots.

use crate::rule::rules;

rules! {
    VERSION = "SNAP-VERSION" Error Model, "snapshot format":
        "A snapshot has the version that this program reads."
        "A newer version may mean something else by the same keys."
        "Use a newer trnwire.";
    SCHEMA = "SNAP-SCHEMA" Error Model, "snapshot format":
        "Every key of the manifest is there, of its type and in its range."
        "What cannot be read cannot be judged."
        "Mend the value at the path that is named.";
    DERIVED = "SNAP-DERIVED" Error Model, "snapshot format":
        "No count that follows from the records is stored."
        "Counts of sent or taken items are rebuilt from rows and semaphores; a stored one may contradict them."
        "Leave the key out.";
    UNKNOWN_KEY = "SNAP-KEY" Note Model, "snapshot format":
        "Keys that are not known are kept and not looked at."
        "They may come from a newer writer, or be misspelt."
        "Check the spelling; begin keys of your own with x_.";
    PATH = "SNAP-PATH" Error Model, "snapshot format":
        "Files have relative names of plain characters, and are regular files."
        "A name that leaves the directory, or a link, could show another file than the one meant."
        "Write the archive again, of regular files.";
    DUPLICATE = "SNAP-DUP" Error Model, "snapshot format":
        "A name occurs once in an archive."
        "Of two files of one name nobody can say which is meant; neither is read."
        "Write the archive again.";
    MISSING = "SNAP-MISSING" Note Model, "snapshot format":
        "A file that the manifest names is there."
        "Partial snapshots are normal; what rests on the file is not checked."
        "Collect the file, if the answer needs it.";
    SIZE = "SNAP-SIZE" Error Model, "snapshot format":
        "A file is as long as the manifest says."
        "It was cut or exchanged, and counts as missing."
        "Collect the file again.";
    HASH = "SNAP-HASH" Error Model, "snapshot format":
        "A file has the hash that the manifest says."
        "It was altered, and counts as missing."
        "Collect the file again; if it was mended by hand, write its new hash or null.";
    UNHASHED = "SNAP-UNHASHED" Note Model, "snapshot format":
        "Files have a hash."
        "Without one an altered file is not noticed."
        "Nothing, when the file was edited by hand.";
    UNLISTED = "SNAP-UNLISTED" Note Model, "snapshot format":
        "The manifest names every file."
        "What it does not name is not read."
        "Add an entry under files, if the file should count.";
    ROUTE = "SNAP-ROUTE" Warning Model, "snapshot format":
        "An address names a device that is listed."
        "What lies behind another route cannot be checked."
        "List the device with its route.";
    CONFLICT = "SNAP-CONFLICT" Error Model, "snapshot format":
        "A context agrees with the block and the state of its top-SP."
        "They should be two copies of one memory; the context is taken."
        "Collect them at one instant.";
}
