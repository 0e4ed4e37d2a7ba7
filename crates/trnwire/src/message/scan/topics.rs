//! Recognises sentences by the words that occur in a line, whatever their order.

use super::super::cursor::{Cursor, is_one_of};
use super::super::fact::{Claim, Phrase, Space};

/// Something that a line is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Topic {
    Matmul,
    Source,
    Destination,
    Partition,
    Check,
    Denial,
    Demand,
    StartDenied,
    Pattern,
    Gather,
    OutOfBound,
    Allocation,
    AllocationInterface,
    Failure,
    Tensor,
    Absence,
    NothingAllocated,
    Range,
    MatmulSourceCheck,
    PartitionCheck,
    Access,
    Space(Space),
}

impl Topic {
    const fn bit(self) -> u32 {
        match self {
            Self::Matmul => 1,
            Self::Source => 1 << 1,
            Self::Destination => 1 << 2,
            Self::Partition => 1 << 3,
            Self::Check => 1 << 4,
            Self::Denial => 1 << 5,
            Self::Pattern => 1 << 6,
            Self::Gather => 1 << 7,
            Self::OutOfBound => 1 << 8,
            Self::Allocation => 1 << 9,
            Self::AllocationInterface => 1 << 10,
            Self::Failure => 1 << 11,
            Self::Tensor => 1 << 12,
            Self::Absence => 1 << 13,
            Self::NothingAllocated => 1 << 14,
            Self::Range => 1 << 15,
            Self::MatmulSourceCheck => 1 << 16,
            Self::PartitionCheck => 1 << 17,
            Self::Access => 1 << 21,
            Self::Demand => 1 << 22,
            Self::StartDenied => 1 << 23,
            Self::Space(Space::Sbuf) => 1 << 18,
            Self::Space(Space::Psum) => 1 << 19,
            Self::Space(Space::Dram) => 1 << 20,
        }
    }
}

const TOPIC_WORDS: [(Topic, &[&str]); 14] = [
    (Topic::Source, &["src", "source", "sources", "moving", "stationary"]),
    (Topic::Destination, &["dst", "dest", "destination", "output", "result", "results"]),
    (Topic::Partition, &["partition", "partitions", "parition", "start_partition"]),
    (Topic::Check, &["assertion", "assert", "check", "invalid", "illegal", "failed", "valid"]),
    (Topic::Denial, &["not", "isn", "instead", "outside"]),
    (Topic::Demand, &["must", "should", "expected", "requires"]),
    (Topic::Pattern, &["pattern", "patterns", "ap", "aps"]),
    (Topic::Gather, &["gather", "scatter", "dge", "indirect", "gathers", "gather_scatter"]),
    (Topic::OutOfBound, &["oob", "outofbound", "outofbounds"]),
    (Topic::Allocation, &["allocated", "allocate", "allocation", "allocating", "alloc"]),
    (Topic::Failure, &["couldn", "cannot", "could", "unable"]),
    (Topic::Tensor, &["tensor", "tensors"]),
    (Topic::Access, &["access", "accesses"]),
    (Topic::Range, &["small", "large", "overflow", "overflows", "int16", "uint16"]),
];

/// Memories that a text names.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spaces {
    sbuf: bool,
    psum: bool,
    dram: bool,
}

impl Spaces {
    pub(super) const fn add(&mut self, space: Space) {
        match space {
            Space::Sbuf => self.sbuf = true,
            Space::Psum => self.psum = true,
            Space::Dram => self.dram = true,
        }
    }

    pub(super) const fn has(self, space: Space) -> bool {
        match space {
            Space::Sbuf => self.sbuf,
            Space::Psum => self.psum,
            Space::Dram => self.dram,
        }
    }

    /// The memory, if there is no other.
    pub(super) const fn only(self) -> Option<Space> {
        match (self.sbuf, self.psum, self.dram) {
            (true, false, false) => Some(Space::Sbuf),
            (false, true, false) => Some(Space::Psum),
            (false, false, true) => Some(Space::Dram),
            _ => None,
        }
    }
}

/// The topics of a line, and the part of the text that they cover.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Topics {
    bits: u32,
    start: usize,
    end: usize,
}

impl Topics {
    pub(super) const fn has(self, topic: Topic) -> bool {
        self.bits & topic.bit() != 0
    }

    /// The memories that the line names.
    pub(super) const fn spaces(self) -> Spaces {
        Spaces {
            sbuf: self.has(Topic::Space(Space::Sbuf)),
            psum: self.has(Topic::Space(Space::Psum)),
            dram: self.has(Topic::Space(Space::Dram)),
        }
    }

    pub(super) fn add(&mut self, topic: Topic, start: usize, end: usize) {
        if self.bits == 0 {
            self.start = start;
        }
        self.bits |= topic.bit();
        self.end = self.end.max(end);
    }

    /// Takes note of a word; `after` is the text behind it.
    pub(super) fn note(&mut self, word: &str, start: usize, after: Cursor<'_>) {
        let end = after.at();
        for (topic, words) in TOPIC_WORDS {
            if is_one_of(word, words) {
                self.add(topic, start, end);
            }
        }
        if word.get(..6).is_some_and(|part| part.eq_ignore_ascii_case("matmul")) || is_one_of(word, &["matrixmultiply"])
        {
            self.add(Topic::Matmul, start, end);
        }
        if let Some(end) = out_of_bound(word, after) {
            self.add(Topic::OutOfBound, start, end);
        }
        if is_one_of(word, &["no", "without", "zero", "not"]) {
            self.add(Topic::Absence, start, end);
            if let Some(end) = nothing_allocated(word, after) {
                self.add(Topic::NothingAllocated, start, end);
            }
        }
        if is_one_of(word, &["allocation"]) {
            let mut next = after;
            if next.word_of(&["api"]).is_some() {
                self.add(Topic::AllocationInterface, start, next.at());
            } else if next.word_of(&["failed", "fails", "failure"]).is_some() {
                self.add(Topic::Failure, start, next.at());
            }
        }
        if is_one_of(word, &["failed", "fails", "failure"]) {
            let mut next = after;
            if next.word_of(&["to"]).is_some() && next.word_of(&["allocate"]).is_some() {
                self.add(Topic::Failure, start, next.at());
            }
        }
        if denies_start(word, after) {
            self.add(Topic::StartDenied, start, end);
        }
        if let Some(topic) = check_name(word) {
            self.add(topic, start, end);
        }
    }

    /// The rule that the line names, with the bytes it covers. One line names one rule at most.
    pub(super) fn phrase(self) -> Option<(Phrase, usize, usize)> {
        self.kind().map(|phrase| (phrase, self.start, self.end))
    }

    fn kind(self) -> Option<Phrase> {
        let all = |topics: &[Topic]| topics.iter().all(|&topic| self.has(topic));
        let psum = Topic::Space(Space::Psum);
        if all(&[Topic::OutOfBound, Topic::Gather]) {
            return Some(Phrase::GatherOutOfBound);
        }
        if all(&[Topic::OutOfBound, Topic::Pattern]) {
            return Some(Phrase::PatternOutOfBound);
        }
        if all(&[Topic::OutOfBound, Topic::Access, Topic::Tensor]) {
            return Some(Phrase::PatternOutOfBound);
        }
        if all(&[Topic::OutOfBound, Topic::Allocation]) {
            return Some(Phrase::AllocationOutOfBound);
        }
        if self.has(Topic::NothingAllocated) || all(&[Topic::AllocationInterface, Topic::Absence, Topic::Tensor]) {
            return Some(Phrase::NothingAllocated);
        }
        let space = [Space::Psum, Space::Sbuf].into_iter().find(|&space| self.has(Topic::Space(space)));
        if let (Some(space), true) = (space, all(&[Topic::Failure, Topic::Allocation])) {
            return Some(Phrase::AllocationFailed(space));
        }
        if all(&[Topic::Matmul, Topic::Destination, psum]) {
            if self.has(Topic::Denial) {
                return Some(Phrase::MatmulDestination(Claim::Denied));
            }
            if self.has(Topic::Demand) {
                return Some(Phrase::MatmulDestination(Claim::Demanded));
            }
        }
        if all(&[Topic::Matmul, Topic::Destination, Topic::Tensor])
            && (self.has(psum) || self.has(Topic::Space(Space::Sbuf)))
        {
            return Some(Phrase::MatmulDestination(Claim::Mentioned));
        }
        if self.has(Topic::MatmulSourceCheck) || all(&[Topic::Matmul, Topic::Source, Topic::Partition, Topic::Check]) {
            return Some(Phrase::MatmulSourcePartition);
        }
        if self.has(Topic::PartitionCheck) {
            return Some(Phrase::PartitionCheck);
        }
        None
    }
}

/// `out of bound`, `out-of-bounds`, `out of range`, `out_of_bounds`.
fn out_of_bound(word: &str, mut after: Cursor<'_>) -> Option<usize> {
    const ENDS: [&str; 4] = ["bound", "bounds", "range", "boundary"];
    if is_one_of(word, &["out_of_bound", "out_of_bounds", "out_of_range"]) {
        return Some(after.at());
    }
    if !is_one_of(word, &["out", "outside", "beyond"]) {
        return None;
    }
    after.take(b'-');
    after.skip_filler(&["of", "the", "its", "tensor"], b"-", 4);
    let bound = after.word_of(&ENDS).is_some();
    let spelled = !word.eq_ignore_ascii_case("out");
    (bound || spelled).then_some(after.at())
}

/// `no PSUM tensor is allocated`, `without any PSUM tensor allocated`, `not ... PSUM tensor`.
fn nothing_allocated(word: &str, mut after: Cursor<'_>) -> Option<usize> {
    const MEMORIES: [&str; 3] = ["psum", "sbuf", "sb"];
    const LINKS: [&str; 9] = ["is", "are", "was", "were", "has", "have", "been", "being", "ever"];
    if is_one_of(word, &["not"]) {
        return None;
    }
    after.skip_filler(&["any", "a", "single"], b"", 2);
    let first = after.word_of(&MEMORIES).is_some();
    after.word_of(&["tensor", "tensors"])?;
    after.skip_filler(&LINKS, b"", 3);
    after.word_of(&["allocated"])?;
    let end = after.at();
    if first {
        return Some(end);
    }
    after.word_of(&["in", "on"])?;
    after.skip_filler(&["the"], b"", 1);
    after.word_of(&MEMORIES).map(|_| after.at())
}

/// `is not multiple of`, `isn't a legal`, `illegal`: the start of which the line speaks is not what it has to be.
fn denies_start(word: &str, mut after: Cursor<'_>) -> bool {
    if is_one_of(word, &["illegal", "invalid", "misaligned", "unaligned"]) {
        return true;
    }
    if !is_one_of(word, &["not", "isn"]) {
        return false;
    }
    after.skip_filler(&["t", "a", "an", "the", "constant"], b"'", 4);
    after.word_of(&["multiple", "legal", "valid", "allowed", "aligned", "supported"]).is_some()
}

/// Names of checks such as `s3d3_mm_valid_src_partition`.
fn check_name(word: &str) -> Option<Topic> {
    const LONGEST: usize = 96;
    if word.len() > LONGEST || !word.contains("valid_") || !word.contains("_partition") {
        return None;
    }
    let matmul = word.split('_').any(|part| matches!(part, "mm" | "matmul" | "matmult"));
    let source = word.split('_').any(|part| matches!(part, "src" | "src0" | "src1"));
    let destination = word.split('_').any(|part| part == "dst");
    if !source && !destination {
        return None;
    }
    Some(if matmul && source { Topic::MatmulSourceCheck } else { Topic::PartitionCheck })
}
