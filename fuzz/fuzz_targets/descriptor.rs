//! Any descriptors: JSON and back is the identity, and what is said about them holds together. The first three bytes choose
//! slot, dtype, flags and generation.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trnwire::Kind;
use trnwire::access::{Pattern, ScaleModulus, SlotType, indirect_quadrant, mm_dst_nc, validate};
use trnwire::addr4::Access;
use trnwire::arch::Generation;
use trnwire::dtype::WireTag;
use trnwire_json::decoded;
use trnwire_json::encode::{Encoded, Request};

fuzz_target!(|data: &[u8]| {
    let [slot, dtype, flags, rest @ ..] = data else { return };
    let slot = SlotType::ALL[usize::from(*slot) % SlotType::ALL.len()];
    let access = Access {
        dtype: WireTag::new(*dtype),
        write: flags & 1 != 0,
        allow_psum: flags & 2 != 0,
        allow_sbuf: flags & 4 != 0,
    };
    let generation = Generation::ALL[usize::from(flags >> 3) % 3];
    for bytes in rest.chunks_exact(slot.size_bytes()) {
        let pattern = Pattern::decode(slot, bytes).unwrap();
        let _ = validate(generation, slot, &pattern, access);
        let _ = (indirect_quadrant(generation, &pattern), mm_dst_nc(generation, &pattern, access.dtype));
        for (place, word) in bytes.chunks_exact(4).zip(pattern.words()) {
            assert_eq!(word.to_wire(), place);
        }
        let kind = Kind::Slot(slot);
        let object = decoded(kind, None, bytes).unwrap();
        let request = Request::parse(&object, Some(kind), ScaleModulus::default()).unwrap();
        assert_eq!(request.encode(generation), Ok(Encoded::Record(bytes.to_vec())));
    }
});
