//! The library's scalar functions, run over ranges of words at the speed that 2^32 of them need.
//!
//! Each access gets its own copy of the loop, with generation, tag and flags known to the compiler, and words come
//! in blocks whose upper bits are known to be the block's. That leaves so little to decide per word that a block
//! becomes a few vector operations.

use trnwire::addr4::{Access, Addr4, Lint, Reason, lints, tensor_start_addr_valid};
use trnwire::arch::Generation;
use trnwire::dtype::WireTag;

use crate::model::{Line, Lints, Outcome, Pattern, Query, Segment};

pub(crate) type Verdict = Result<(), Reason>;

/// Words of a block. Every segment of the model starts and ends on a block.
const BLOCK: u32 = 64;

pub(crate) const fn generation(number: u8) -> Generation {
    match number {
        2 => Generation::Gen2,
        3 => Generation::Gen3,
        _ => Generation::Gen4,
    }
}

pub(crate) const fn access(query: Query) -> Access {
    Access { dtype: WireTag::new(query.dtype), write: query.write, allow_psum: query.psum, allow_sbuf: query.sbuf }
}

/// What the validator should say of a word with this outcome.
pub(crate) fn verdict(outcome: Outcome) -> Verdict {
    match outcome {
        Outcome::Register | Outcome::Psum | Outcome::Sbuf => Ok(()),
        Outcome::RegReservedBits => Err(Reason::RegReservedBits),
        Outcome::RegIdRange => Err(Reason::RegIdRange),
        Outcome::NoAlignment => Err(Reason::NoAlignmentForDtype),
        Outcome::Misaligned => Err(Reason::Misaligned),
        Outcome::PsumNotAllowed => Err(Reason::PsumNotAllowed),
        Outcome::PsumWriteDtype => Err(Reason::PsumWriteDtype),
        Outcome::NotOnChip => Err(Reason::NotOnChip),
        Outcome::SbufNotAllowed => Err(Reason::SbufNotAllowed),
    }
}

/// A verdict as a number, so that comparing two takes no branch.
#[inline(always)]
fn number(verdict: Verdict) -> u8 {
    match verdict {
        Ok(()) => Reason::ALL.len() as u8,
        Err(reason) => reason as u8,
    }
}

/// How many of the words from `first` to `last` are not judged `hit` (multiples of `mask + 1`) or misaligned (others).
type Scan = fn(first: u32, last: u32, mask: u32, hit: Verdict) -> u32;

/// How many words of `first..=last` are wrong. `SIZE` words make a block, at most [`BLOCK`]; the caller takes what its
/// function compiles to the best loop with.
#[inline(always)]
pub(crate) fn blocks<const SIZE: u32>(first: u32, last: u32, wrong: impl Fn(u32) -> bool) -> u32 {
    assert!(first.is_multiple_of(BLOCK) && last % BLOCK == BLOCK - 1, "{first:#X}..={last:#X}");
    let mut count = 0_u32;
    for block in first / SIZE..=last / SIZE {
        for low in 0..SIZE {
            count = count.wrapping_add(u32::from(wrong((block * SIZE) | (low % SIZE))));
        }
    }
    count
}

fn scan<const GENERATION: u8, const TAG: u8, const FLAGS: u8>(first: u32, last: u32, mask: u32, hit: Verdict) -> u32 {
    let query = const { Query::new(GENERATION, TAG, FLAGS) };
    let hit = number(hit);
    blocks::<BLOCK>(first, last, |word| {
        let found = tensor_start_addr_valid(const { generation(GENERATION) }, Addr4::from_bits(word), access(query));
        let expect = if word & mask == 0 { hit } else { number(Err(Reason::Misaligned)) };
        number(found) != expect
    })
}

fn scans_of_tag<const GENERATION: u8, const TAG: u8>() -> [Scan; 8] {
    [
        scan::<GENERATION, TAG, 0>,
        scan::<GENERATION, TAG, 1>,
        scan::<GENERATION, TAG, 2>,
        scan::<GENERATION, TAG, 3>,
        scan::<GENERATION, TAG, 4>,
        scan::<GENERATION, TAG, 5>,
        scan::<GENERATION, TAG, 6>,
        scan::<GENERATION, TAG, 7>,
    ]
}

fn scan_of(query: Query) -> Scan {
    fn of_tag<const GENERATION: u8>(tag: u8) -> [Scan; 8] {
        match tag {
            0 => scans_of_tag::<GENERATION, 0>(),
            1 => scans_of_tag::<GENERATION, 1>(),
            2 => scans_of_tag::<GENERATION, 2>(),
            3 => scans_of_tag::<GENERATION, 3>(),
            4 => scans_of_tag::<GENERATION, 4>(),
            5 => scans_of_tag::<GENERATION, 5>(),
            6 => scans_of_tag::<GENERATION, 6>(),
            7 => scans_of_tag::<GENERATION, 7>(),
            8 => scans_of_tag::<GENERATION, 8>(),
            9 => scans_of_tag::<GENERATION, 9>(),
            10 => scans_of_tag::<GENERATION, 10>(),
            11 => scans_of_tag::<GENERATION, 11>(),
            12 => scans_of_tag::<GENERATION, 12>(),
            13 => scans_of_tag::<GENERATION, 13>(),
            14 => scans_of_tag::<GENERATION, 14>(),
            15 => scans_of_tag::<GENERATION, 15>(),
            16 => scans_of_tag::<GENERATION, 16>(),
            17 => scans_of_tag::<GENERATION, 17>(),
            _ => panic!("tag {tag} has no loop of its own; 17 stands for it"),
        }
    }
    let scans = match query.generation {
        2 => of_tag::<2>(query.dtype),
        3 => of_tag::<3>(query.dtype),
        _ => of_tag::<4>(query.dtype),
    };
    scans[usize::from(query.flags())]
}

/// Asks the validator about each word of `first..=last` and stops at the first that the line tells otherwise.
pub(crate) fn compare(query: Query, line: &Line<Pattern>, first: u32, last: u32) {
    let scan = scan_of(query);
    for Segment { first, last, what } in line.within(first, last) {
        let wrong = match what {
            Pattern::Every(outcome) => scan(first, last, 0, verdict(outcome)),
            Pattern::Multiples { step, hit } => scan(first, last, step - 1, verdict(hit)),
        };
        if wrong != 0 {
            let judge =
                |word| tensor_start_addr_valid(generation(query.generation), Addr4::from_bits(word), access(query));
            let word = (first..=last).find(|&word| judge(word) != verdict(what.at(word)));
            panic!(
                "{query:?}: {wrong} words of {first:#010X}..={last:#010X} are not judged {what:?}; the first is {:#X?}, {:?}",
                word,
                word.map(judge)
            );
        }
    }
}

/// The same for the lints.
pub(crate) fn compare_lints(number: u8, line: &Line<Lints>, first: u32, last: u32) {
    let scan = match number {
        2 => scan_lints::<2>,
        3 => scan_lints::<3>,
        _ => scan_lints::<4>,
    };
    for Segment { first, last, what } in line.within(first, last) {
        let lints = lint_bits(generation(number), first);
        let wrong = scan(first, last);
        assert!(
            lints == what.0 && wrong == 0,
            "gen{number}: {first:#010X} has {lints:#b}, {wrong} words up to {last:#010X} have others, expected {what:?}"
        );
    }
}

/// How many words of `first..=last` have other lints than the first of them.
fn scan_lints<const GENERATION: u8>(first: u32, last: u32) -> u32 {
    let of = |word| lints(const { generation(GENERATION) }, Addr4::from_bits(word));
    let expect = of(first);
    blocks::<BLOCK>(first, last, |word| of(word) != expect)
}

/// The lints of a word as the model writes them.
fn lint_bits(generation: Generation, word: u32) -> u8 {
    let found = lints(generation, Addr4::from_bits(word));
    u8::from(found.contains(Lint::DeadMode))
        | u8::from(found.contains(Lint::UnbackedSbuf)) << 1
        | u8::from(found.contains(Lint::PsumPad)) << 2
        | u8::from(found.contains(Lint::NoncanonicalRegister)) << 3
}

/// Words of `first..=last` that two neighbouring generations judge differently; for pairs 0 and 1 by a write of
/// tag 10, for pairs 2 and 3 of tag 16, where all is allowed.
pub(crate) fn generations_differ(pair: usize, first: u32, last: u32) -> u32 {
    match pair {
        0 => scan_pair::<2, 3, 10>(first, last),
        1 => scan_pair::<3, 4, 10>(first, last),
        2 => scan_pair::<2, 3, 16>(first, last),
        _ => scan_pair::<3, 4, 16>(first, last),
    }
}

fn scan_pair<const OLDER: u8, const NEWER: u8, const TAG: u8>(first: u32, last: u32) -> u32 {
    let judge =
        |of, word| number(tensor_start_addr_valid(of, Addr4::from_bits(word), access(const { Query::new(2, TAG, 7) })));
    blocks::<BLOCK>(first, last, |word| {
        judge(const { generation(OLDER) }, word) != judge(const { generation(NEWER) }, word)
    })
}
