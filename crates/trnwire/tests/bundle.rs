//! Which address words are found in a bundle, for every opcode, generation and form of slot, against a list that was
//! written down by itself; and what each finding takes.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail so")]
#![allow(clippy::arithmetic_side_effects, reason = "offsets below 64")]

use trnwire::arch::Generation;
use trnwire::bundle::{Bundle, FindingId, Opcode};
use zerocopy::FromBytes;

/// First generation, opcodes, slots. A slot is its offset and what it is: `T` for loops that are a union from gen4 on, `P`
/// for loops on every generation, `U` for a union on every generation, each with the number of loops; `M` for MX, `A` for a
/// bare word.
const SLOTS: &str = "
    2  42 52 83 84 4E 5E 46 47 48 6A 6B  12T4 44T4
    2  45 58 7C 7D                       12P4 44P4
    2  68                                12T4 44T4
    2  E7                                12U4 44U4
    2  02 21 22 43 53 44 54 93 9A E6 30  16T3 48T3
    2  01                                16T3
    4  0A                                16M  48T3
    4  09                                16M
    4  E3                                16T3 48M
    2  41 51 72 99                       16T3 32T3 48T3
    3  BF                                16T3 48T3
    3  7B                                12T3 44T3
    4  E2                                48T3
    2  61 82                             12T4 48P2
    2  7E                                44T4
    2  49                                44P1
    4  E0                                16T3
    2  BB                                48A 52A
    3  F1                                36A
    2  CA                                16P1 24P2 36P1 56A
";

const GENERATIONS: [(Generation, u32); 3] = [(Generation::Gen2, 2), (Generation::Gen3, 3), (Generation::Gen4, 4)];

/// The slots of an opcode on a generation.
fn slots(opcode: u8, generation: u32) -> Vec<(u8, char, u32)> {
    let mut found = Vec::new();
    for line in SLOTS.lines().filter(|line| !line.trim().is_empty()) {
        let mut words = line.split_whitespace();
        let first: u32 = words.next().unwrap().parse().unwrap();
        let (slots, opcodes): (Vec<&str>, Vec<&str>) =
            words.partition(|word| word.chars().any(|letter| "TPUMA".contains(letter)) && word.len() > 2);
        if generation < first || !opcodes.iter().any(|text| u8::from_str_radix(text, 16).unwrap() == opcode) {
            continue;
        }
        for slot in slots {
            let at = slot.find(|letter: char| letter.is_alphabetic()).unwrap();
            let (offset, rest) = slot.split_at(at);
            let loops = rest.trim_start_matches(char::is_alphabetic).parse().unwrap_or_default();
            found.push((offset.parse().unwrap(), rest.chars().next().unwrap(), loops));
        }
    }
    found
}

/// A first word of each form: static, register, active, gather, gather by register, dead.
const FORMS: [(&str, u32); 6] = [
    ("static", 0x0000_0040),
    ("register", 0x8000_0005),
    ("active", 0x4000_0040),
    ("gather", 0x2000_0040),
    ("register gather", 0xA000_0005),
    ("dead", 0x6000_0040),
];

#[test]
fn the_words_of_every_opcode_generation_and_form_are_found() {
    for opcode in 0..=u8::MAX {
        for (generation, number) in GENERATIONS {
            for (form, word) in FORMS {
                let expected_slots = slots(opcode, number);
                let mut bytes = [0x11; 64];
                bytes[0] = opcode;
                for &(offset, ..) in &expected_slots {
                    bytes[usize::from(offset)..][..4].copy_from_slice(&word.to_le_bytes());
                }
                let is_gather = form.ends_with("gather");
                let mut expected = Vec::new();
                for (offset, kind, loops) in expected_slots {
                    let words = match (kind, is_gather) {
                        ('M', false) => 2,
                        ('M', true) => 3,
                        // No gather has 8 bytes.
                        ('T' | 'P' | 'U', true) if loops > 1 => 2,
                        _ => 1,
                    };
                    expected.extend((0..words).map(|index| offset + 4 * index));
                }
                let bundle = Bundle::ref_from_bytes(&bytes).unwrap();
                let found: Vec<u8> =
                    bundle.slots(generation).flat_map(|slot| slot.words()).map(|(offset, _)| offset).collect();
                assert_eq!(found, expected, "{opcode:#04x} on {generation}, {form}");
                for (offset, word) in bundle.slots(generation).flat_map(|slot| slot.words()) {
                    assert_eq!(word.to_wire(), bytes[usize::from(offset)..][..4]);
                }
            }
        }
    }
}

#[test]
fn each_generation_has_its_number_of_opcodes() {
    let count = |generation| Opcode::all().iter().filter(|facts| facts.is_on(generation) == Some(true)).count();
    // 138 everywhere, 7 on gen2 alone, 12 from gen3 on, 9 from gen4 on; two are known to one source.
    assert_eq!(Generation::ALL.map(count), [138 + 7, 138 + 12, 138 + 12 + 9]);
    assert_eq!(Opcode::all().len(), 138 + 7 + 12 + 9 + 2);
    assert!(Opcode::all().is_sorted_by_key(|facts| facts.value));
}

/// A matmul, or a tensor-tensor addition, with good slots.
fn good(opcode: u8) -> [u8; 64] {
    let mut bytes = [0; 64];
    bytes[0] = opcode;
    bytes[1] = 0x10;
    let slots: &[usize] = if opcode == 0x41 { &[16, 32, 48] } else { &[16, 48] };
    for &slot in slots {
        bytes[slot + 10..slot + 16].copy_from_slice(&[1, 0, 1, 0, 1, 0]);
    }
    if opcode == 0x02 {
        (bytes[32], bytes[40], bytes[51]) = (10, 10, 0x02);
    } else {
        (bytes[12], bytes[13]) = (0xAA, 10);
    }
    bytes
}

fn findings(generation: Generation, bytes: &[u8; 64]) -> Vec<(String, u8)> {
    let mut found = Vec::new();
    Bundle::ref_from_bytes(bytes)
        .unwrap()
        .judge(generation, |finding| found.push((finding.id.to_string(), finding.offset)));
    found
}

/// Each finding, by the change of a good bundle that gives it; the bundle itself is the twin that has none.
#[test]
fn every_finding_takes_its_change() {
    let matmul = good(0x02);
    let addition = good(0x41);
    for generation in Generation::ALL {
        assert_eq!(findings(generation, &matmul), []);
        assert_eq!(findings(generation, &addition), []);
    }
    type Change = (Generation, [u8; 64], &'static [(usize, u8)], &'static [(&'static str, u8)]);
    let changes: &[Change] = &[
        (Generation::Gen4, matmul, &[(0, 0x55)], &[("unknown_opcode", 0)]),
        (Generation::Gen3, matmul, &[(0, 0x87)], &[("opcode_not_on_arch", 0)]),
        (Generation::Gen3, matmul, &[(0, 0xEB)], &[("opcode_one_source", 0)]),
        (Generation::Gen3, matmul, &[(0, 0xC1)], &[("pseudo_opcode", 0), ("slots_unknown", 12)]),
        (Generation::Gen3, matmul, &[(1, 0x11)], &[("inst_word_len", 1)]),
        (Generation::Gen3, matmul, &[(4, 0x82)], &[("unknown_wait_mode", 4)]),
        (Generation::Gen3, matmul, &[(6, 0x01)], &[("unknown_update_mode", 6)]),
        (Generation::Gen3, matmul, &[(0, 0x07)], &[("slots_unknown", 12)]),
        (Generation::Gen3, matmul, &[(16, 1)], &[("slot:misaligned", 16)]),
        (Generation::Gen3, matmul, &[(51, 0)], &[("slot:sbuf_not_allowed", 48)]),
        (Generation::Gen4, matmul, &[(19, 0x20), (22, 4), (24, 1)], &[("indirect_quadrant", 16)]),
        (Generation::Gen3, matmul, &[(49, 0x40)], &[("psum_pad", 48)]),
        (Generation::Gen3, addition, &[(19, 0x60)], &[("dead_mode", 16)]),
        (Generation::Gen3, addition, &[(19, 0x02), (35, 0x02)], &[("tt_placement", 16)]),
        // A gather as a source is not placed.
        (Generation::Gen3, addition, &[(19, 0x22), (35, 0x02)], &[]),
    ];
    for (generation, good, change, expected) in changes {
        let mut bytes = *good;
        change.iter().for_each(|&(at, value)| bytes[at] = value);
        let expected: Vec<_> = expected.iter().map(|&(id, offset)| (id.to_owned(), offset)).collect();
        assert_eq!(findings(*generation, &bytes), expected, "{change:?}");
    }
    let mut quantize = good(0x02);
    (quantize[0], quantize[34], quantize[35]) = (0xE3, 10, 10);
    quantize[48..64].copy_from_slice(&[0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 1, 0, 0, 0, 0, 0]);
    assert_eq!(findings(Generation::Gen4, &quantize), []);
    quantize[1] = 0x11;
    assert_eq!(findings(Generation::Gen4, &quantize), [("inst_word_len_disputed".to_owned(), 1)]);
    let mut copy = [0; 64];
    (copy[0], copy[1], copy[15], copy[20], copy[32], copy[33]) = (0xE7, 0x10, 0x20, 1, 10, 10);
    copy[56..64].fill(1);
    assert_eq!(findings(Generation::Gen3, &copy), []);
    (copy[15], copy[24], copy[26], copy[28], copy[30]) = (0, 1, 1, 1, 1);
    assert_eq!(findings(Generation::Gen3, &copy), [("must_be_indirect".to_owned(), 12)]);
}

#[test]
fn the_ids_of_findings_differ() {
    let mut ids: Vec<String> = FindingId::all().map(|id| id.to_string()).collect();
    ids.sort();
    ids.dedup();
    // `not_on_chip` is the code of a word and of a pair of sources, and only the first is found in a slot.
    assert_eq!(ids.len(), FindingId::COUNT - 1);
}
