//! Explanations of descriptors: what is said, and that the numbers in it are the descriptor's own.
#![allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, clippy::unwrap_used, reason = "a test may fail so")]

use trnwire::access::{Pattern, Reason, SlotType, validate};
use trnwire::addr4::Access;
use trnwire::arch::Generation;
use trnwire::dtype::WireTag;
use trnwire::explain::PatternExplanation;

const FP32: u8 = 10;

fn explained(slot: SlotType, bytes: &[u8], dtype: u8, channels: Option<u8>) -> PatternExplanation<'_> {
    let pattern = Pattern::decode(slot, bytes).unwrap();
    let access = |_| Access::read(WireTag::new(dtype));
    PatternExplanation::new(slot, pattern, &Generation::ALL, access, None, channels)
}

fn text(slot: SlotType, bytes: &[u8], dtype: u8) -> String {
    let lines = explained(slot, bytes, dtype, None).lines(false);
    lines.into_iter().map(|line| line.text + "\n").collect()
}

/// A word and the 16-bit pieces behind it.
fn record(word: u32, rest: &[u16]) -> Vec<u8> {
    word.to_le_bytes().into_iter().chain(rest.iter().flat_map(|piece| piece.to_le_bytes())).collect()
}

#[test]
fn loops_stand_as_one_would_write_them_and_are_summed_up() {
    let bytes = record(0x2_FF00, &[1, 0, 1, 5, 64, 9, 1, 3]);
    let expected = "\
TENSOR4D  1728 elements from SBUF partition 0, byte 0x2FF00 (196352)
validator: accepted on gen2, gen3, gen4
  the address is in SBUF, and SBUF is allowed; every loop has a round
lint: warning on gen2: reach_beyond
  the highest element ends 40 bytes past the last backed byte 0x2FFFF of the partition

  for i3 in 0..3       step 5 elements, 20 bytes
    for i1 in 0..9     step 0: the same again
      for i0 in 0..64  step 1 element, 4 bytes

  once     i2
  count    1728 elements of 4 bytes in each partition
  first    SBUF partition 0, byte 0x2FF00 (196352)
  last     SBUF partition 0, byte 0x30024 (196644)
  reach    296 bytes: from byte 0x2FF00 (196352) to byte 0x30027 (196647) of the partition
  touched  all of them: no gap
  repeats  broadcast: 9 times over i1, whose step is 0
  repeats  overlap: 192 rounds of the loops meet in 74 elements
";
    assert_eq!(text(SlotType::Tensor4d, &bytes, FP32), expected);
}

#[test]
fn places_in_psum_name_their_bank_and_places_outside_say_so() {
    let text = text(SlotType::Tensor2d, &record(0x200_8004, &[512, 0xFFFD, 2, 2]), FP32);
    assert!(text.contains("  first    PSUM partition 1, bank 0, byte 0x4 (4)\n"), "{text}");
    assert!(text.contains("  last     PSUM partition 1, bank 0, byte 0x7F8 (2040)\n"), "{text}");
    assert!(text.contains("  reach    2064 bytes: from byte -8 to byte 0x807 (2055) of the partition\n"), "{text}");
    assert!(text.contains("  touched  16 of them; 2048 in gaps\n"), "{text}");
    assert!(text.contains("begins 8 bytes before byte 0"), "{text}");
}

#[test]
fn every_reason_is_explained_with_its_numbers() {
    let dead = record(0x6000_0100, &[1, 8]);
    let index = record(0x2000_0100, &[1, 8]);
    let data_flags = record(0x2000_0100, &[0, 0x8000, 3, 0]);
    let mx = |direction_and_scale, extent| record(0x100, &[0, 0, extent, direction_and_scale, 0, 0]);
    let cases: [(SlotType, Vec<u8>, Reason, &str); 10] = [
        (SlotType::Tensor1d, dead, Reason::DeadMode, "bits 30:29 of the word 0x60000100 are 0b11"),
        (SlotType::Tensor1d, index.clone(), Reason::IndirectInTensor, "no gather has 8 bytes"),
        (
            SlotType::Tensor2d,
            [index, vec![0; 4]].concat(),
            Reason::IndirectInTensor,
            "TENSOR2D is declared for loops alone",
        ),
        (SlotType::Tensor2d, record(0x100, &[1, 1, 4, 0]), Reason::ZeroNum, "loop i1 has no round: its num is 0"),
        (SlotType::Tensor2d, record(0x100, &[1, 1, 0, 0]), Reason::ZeroNum, "loops i0 and i1 have no round"),
        (SlotType::MemPattern2d, record(0x2000_0100, &[0, 0, 0, 0]), Reason::ZeroNum, "nothing is gathered"),
        (SlotType::MemPattern2d, data_flags, Reason::DataFlags, "data word 0x80000000 are 0b100"),
        (SlotType::MxMemPattern1d, mx(0x0402, 32), Reason::StepDirection, "the direction is 2; it can be 1 or -1"),
        (SlotType::MxMemPattern1d, mx(0x05FF, 32), Reason::ScalePartition, "the scale partition is 5"),
        (SlotType::MxMemPattern1d, mx(0x04FF, 0), Reason::ZeroNum, "the extent is 0"),
    ];
    for (slot, bytes, reason, sentence) in cases {
        let explanation = explained(slot, &bytes, FP32, None);
        let view = explanation.views.last().unwrap();
        assert_eq!(view.verdict, Err(reason), "{slot} {bytes:02x?}");
        assert!(view.because.contains(sentence), "{}", view.because);
    }
}

#[test]
fn a_word_of_several_is_named_and_judged_as_the_validator_reads_it() {
    // The index is read as UINT32 whatever the dtype of the data.
    let text = text(SlotType::MemPattern2d, &record(0x2000_0102, &[0, 0, 3, 0]), 3);
    let expected = "validator: rejected on gen2, gen3, gen4: index:misaligned\n  index word 0x20000102: address 0x00000102 is 2 \
                    past a multiple of 4, as dtype 9 (UINT32) needs\nlint: none\n";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn generations_that_disagree_are_told_apart() {
    let bytes = record(0x3_9000, &[0, 0, 32, 0x0401, 0, 0]);
    let text = text(SlotType::MxMemPattern1d, &bytes, 16);
    for line in [
        "validator: rejected on gen2, gen3: unsupported_on_arch\n",
        "validator: accepted on gen4\n",
        "lint: warning on gen2: data:unbacked_sbuf\n",
        "lint: warning on gen3: data:unbacked_sbuf\n",
        "  direction  forward\n",
        "  scales in  partition 4 of the quadrant that the scale word names\n",
    ] {
        assert!(text.contains(line), "{line}{text}");
    }
}

#[test]
fn what_hides_the_reach_is_said() {
    let of = |word, dtype| text(SlotType::Tensor1d, &record(word, &[1, 8]), dtype);
    for (text, reason) in [
        (of(0x8000_0001, FP32), "reach  not known: a register holds the address"),
        (of(0x4000_0000, FP32), "reach  not known: a register holds the shape"),
        (of(0x6000_0000, FP32), "reach  not known: the mode of the word has no meaning here"),
        (of(0, 0), "reach  not known without the size of an element"),
    ] {
        assert!(text.contains(reason) && text.contains("lint: reach not judged"), "{text}");
    }
}

#[test]
fn partitions_are_counted_when_their_number_is_known() {
    let bytes = record(112 << 18, &[1, 8]);
    let reach = |channels| {
        let views = explained(SlotType::Tensor1d, &bytes, FP32, channels).views;
        let lints = views.into_iter().next().and_then(|view| view.reach).unwrap();
        lints.into_iter().map(|lint| lint.because).collect::<Vec<_>>()
    };
    assert!(reach(None).is_empty());
    assert_eq!(
        reach(Some(17)),
        [
            "17 partitions from 112 on end 1 past the last one, 127",
            "17 partitions can start at 0 or 32 or 64 or 96, not at 112"
        ]
    );
    assert_eq!(reach(Some(16)), ["16 partitions can start at 0 or 32 or 64 or 96, not at 112"]);
}

#[test]
fn any_bytes_can_be_explained() {
    let corners = [0x00, 0x01, 0x20, 0x7F, 0x80, 0xFF];
    for slot in SlotType::ALL {
        let mut state = 1_u32;
        for _ in 0..1_000 {
            let mut corner = || {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                corners[usize::try_from(state >> 16).unwrap() % corners.len()]
            };
            let bytes: Vec<u8> = (0..slot.size_bytes()).map(|_| corner()).collect();
            let pattern = Pattern::decode(slot, &bytes).unwrap();
            let access = Access::read(WireTag::new(FP32));
            let explanation =
                PatternExplanation::new(slot, pattern, &Generation::ALL, |_| access, Some(u32::MAX), Some(255));
            assert!(explanation.lines(true).len() > 4);
            for view in explanation.views {
                assert_eq!(view.verdict, validate(view.generation, slot, &pattern, access));
            }
        }
    }
}
