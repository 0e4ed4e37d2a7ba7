//! Bytes to JSON and back, and legal requests to bytes and back, for every kind.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail so")]
#![allow(clippy::arithmetic_side_effects, reason = "small numbers")]

use proptest::prelude::*;
use serde_json::{Value, json};
use trnwire::access::{ScaleModulus, SlotType};
use trnwire::arch::{CollectiveArch, Generation};
use trnwire::{Kind, WrongLength};
use trnwire_json::collective::{self, DecodeError};
use trnwire_json::encode::{Encoded, Request};
use trnwire_json::{decoded, parse};

const ARCH: CollectiveArch = CollectiveArch::Cayman;

/// Encodes an object that must be legal.
fn encode(value: &Value, kind: Option<Kind>) -> Vec<u8> {
    if let Some(kind) = kind.filter(|kind| !kind.is_of_core()) {
        return collective::encode(kind, Some(ARCH), value).unwrap().unwrap();
    }
    let request =
        Request::parse(value, kind, ScaleModulus::default()).unwrap_or_else(|error| panic!("{value}: {error}"));
    match request.encode(Generation::Gen4).unwrap_or_else(|error| panic!("{value}: {error}")) {
        Encoded::Word(word) => word.to_wire().to_vec(),
        Encoded::Record(bytes) => bytes,
        Encoded::Dtype(dtype) => panic!("{}", dtype.name()),
    }
}

fn size(kind: Kind) -> usize {
    kind.table().size_bytes.try_into().unwrap()
}

fn any_kind() -> impl Strategy<Value = Kind> {
    proptest::sample::select(Kind::ALL)
}

/// Random bytes, with few of them at the places that select a variant.
fn bytes_of(kind: Kind) -> impl Strategy<Value = Vec<u8>> {
    let mode = proptest::option::of(proptest::sample::select(vec![0x00_u8, 0x20, 0x40, 0x60, 0x80, 0xA0]));
    (proptest::collection::vec(any::<u8>(), size(kind)), mode).prop_map(|(mut bytes, mode)| {
        if let Some(mode) = mode {
            bytes[3] = bytes[3] & 0x1F | mode;
        }
        bytes
    })
}

/// A legal word that is no gather index: its request, and the word that it must become.
fn plain_word() -> impl Strategy<Value = (Value, u32)> {
    prop_oneof![
        (0..128_u32, 0..0x4_0000_u32).prop_map(|(partition, offset)| {
            (json!({"kind":"physical","region":"sbuf","partition":partition,"offset":offset}), partition << 18 | offset)
        }),
        (0..128_u32, 0..8_u32, 0..2048_u32).prop_map(|(partition, bank, offset)| {
            let request =
                json!({"kind":"physical","region":"psum","partition":partition,"bank":bank,"bank_offset":offset});
            (request, 0x0200_0000 | partition << 15 | bank << 11 | offset)
        }),
        (0..0x2000_0000_u32).prop_map(|address| (json!({"kind":"physical","addr":format!("{address:#x}")}), address)),
    ]
}

fn word(bits: u32) -> Value {
    json!(format!("0x{bits:08X}"))
}

/// Asserts that a request becomes bytes that decode to what was asked for, and that those are stable.
fn assert_becomes(slot: SlotType, request: &Value, expected: &Value) {
    let kind = Kind::Slot(slot);
    let bytes = encode(request, None);
    let found = decoded(kind, None, &bytes).unwrap();
    assert_eq!(found, *expected, "{request}");
    assert_eq!(encode(&found, Some(kind)), bytes, "{request}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn decode_then_encode_is_the_identity_on_all_bytes(
        (kind, bytes) in any_kind().prop_flat_map(|kind| (Just(kind), bytes_of(kind))),
    ) {
        let object = decoded(kind, Some(ARCH), &bytes).unwrap();
        let text = serde_json::to_string(&object).unwrap();
        prop_assert_eq!(encode(&parse(&text).unwrap(), Some(kind)), bytes);
    }

    #[test]
    fn a_legal_tensor_decodes_to_what_was_asked_for(
        slot in proptest::sample::select(&SlotType::ALL[..7]),
        (addr, bits) in plain_word(),
        dims in proptest::collection::vec((any::<i16>(), prop_oneof![Just(1_u16), 1..=u16::MAX]), 0..8),
    ) {
        // Loops beyond the room of the slot have one round.
        let mut dims = dims;
        dims.iter_mut().filter(|(_, num)| *num != 1).skip(slot.loops()).for_each(|(_, num)| *num = 1);
        let survivors: Vec<_> = dims.iter().rev().filter(|(_, num)| *num != 1).copied().collect();
        let padded = survivors.into_iter().chain(core::iter::repeat((1, 1))).take(slot.loops());
        let (steps, nums): (Vec<i16>, Vec<u16>) = padded.unzip();
        assert_becomes(
            slot,
            &json!({"type": slot.name(), "addr": addr, "free_dims": dims}),
            &json!({"variant": "tensor", "addr4": word(bits), "steps": steps, "nums": nums}),
        );
    }

    #[test]
    fn a_legal_gather_decodes_to_what_was_asked_for(
        slot in proptest::sample::select(&SlotType::ALL[4..7]),
        (index, index_bits) in plain_word(),
        (data, data_bits) in plain_word(),
        num in 1..=u16::MAX,
    ) {
        let tail = vec!["00"; slot.size_bytes() - 10].join(" ");
        assert_becomes(
            slot,
            &json!({"type": slot.name(), "index": index, "data": data, "num": num}),
            &json!({
                "variant": "indirect", "index": word(index_bits | 1 << 29), "data": word(data_bits), "num": num,
                "tail": tail,
            }),
        );
    }

    #[test]
    fn legal_microscaled_data_decodes_to_what_was_asked_for(
        (data, data_bits) in plain_word(),
        index in proptest::option::of(plain_word()),
        (scale_partition, scale_offset) in (0..128_u32, 0..0x4_0000_u32),
        (dtype, factor) in proptest::sample::select(vec![
            ("float8_e4m3fn_x4", 4_u32), ("float8_e5m2_x4", 4), ("float4_e2m1fn_x4", 4), ("float8e4", 1), ("uint8", 1),
        ]),
        count in 1..=16383_u32,
        step in any::<i16>(),
    ) {
        let scale = json!({"kind":"physical","region":"sbuf","partition":scale_partition,"offset":scale_offset});
        let mut request = json!({
            "type": "MXMEM_PATTERN1D", "data": data, "scale": scale, "bir_dtype": dtype, "count": count,
            "scale_base_partition": scale_partition,
        });
        let scale_bits = ((scale_partition / 32 * 32) << 18) | scale_offset;
        let (extent, part) = (count * factor, scale_partition % 32);
        let expected = match index {
            Some((index, bits)) => {
                request["index"] = index;
                json!({
                    "variant": "mx_indirect", "index": word(bits | 1 << 29), "data": word(data_bits),
                    "scale": word(scale_bits), "k_extent": extent, "spare": 0, "scale_part": part,
                })
            }
            None => {
                request["innermost_step"] = json!(step);
                json!({
                    "variant": "mx_static", "data": word(data_bits), "scale": word(scale_bits), "k_extent": extent,
                    "step_dir": if step < 0 { -1 } else { 1 }, "scale_part": part, "reserved": "00 00 00 00",
                })
            }
        };
        assert_becomes(SlotType::MxMemPattern1d, &request, &expected);
    }
}

#[test]
fn any_other_length_is_an_error_that_says_so() {
    for &kind in Kind::ALL.iter().filter(|&&kind| kind != Kind::Context) {
        for length in [0, size(kind) - 1, size(kind) + 1] {
            let result = decoded(kind, Some(ARCH), &vec![0; length]);
            assert_eq!(result, Err(DecodeError::Length(WrongLength { kind, length })));
        }
    }
    let message = |kind, length| decoded(kind, Some(ARCH), &vec![0; length]).unwrap_err().to_string();
    assert_eq!(message(Kind::Slot(SlotType::Tensor1d), 7), "tensor1d has 8 bytes, found 7");
    assert_eq!(message(Kind::AlgoBlock, 7), "algo-block has 20736, 8744 or 13384 bytes, found 7");
    assert_eq!(message(Kind::Context, 17637), "a context of cayman has at least 17638 bytes, found 17637");
    // What lies behind a context is not part of it.
    assert_eq!(decoded(Kind::Context, Some(ARCH), &[0; 17639]), decoded(Kind::Context, Some(ARCH), &[0; 17638]));
}

#[test]
fn the_type_of_an_object_and_the_kind_that_was_asked_for_must_agree() {
    let request = json!({"type": "TENSOR2D", "addr": {"word": "0x00000000"}, "free_dims": []});
    let parse = |kind| Request::parse(&request, kind, ScaleModulus::default());
    assert!(parse(None).is_ok());
    assert!(parse(Some(Kind::Slot(SlotType::Tensor2d))).is_ok());
    let error = parse(Some(Kind::Addr4)).unwrap_err().to_string();
    assert_eq!(error, "type is \"TENSOR2D\", but the kind is addr4");
}
