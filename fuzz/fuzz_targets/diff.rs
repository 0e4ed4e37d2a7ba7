//! Any two records of one kind: as many differences one way as the other, and none exactly when the bytes are the same. The
//! first byte chooses the kind.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trnwire::Kind;
use trnwire::arch::CollectiveArch;
use trnwire::diff::{Change, Comparison};
use trnwire_json::collective::fields_of;

fuzz_target!(|data: &[u8]| {
    let [kind, bytes @ ..] = data else { return };
    let kinds: Vec<Kind> = Kind::ALL.iter().copied().filter(|kind| !kind.is_of_core()).collect();
    let kind = kinds[usize::from(*kind) % kinds.len()];
    let size = usize::try_from(kind.table().size_bytes).unwrap();
    // Two records out of however many bytes there are.
    let half = bytes.len() / 2;
    let [one, other] = [&bytes[..half], &bytes[half..]].map(|bytes| {
        let mut bytes = bytes.to_vec();
        bytes.resize(size, 0);
        bytes
    });
    let arch = Some(CollectiveArch::Cayman);
    let (fields, first) = fields_of(kind, arch, &one).unwrap();
    let (_, second) = fields_of(kind, arch, &other).unwrap();
    let comparison = Comparison::default();
    let forth = comparison.compare(fields, first, second);
    let back = comparison.compare(fields, second, first);
    assert_eq!(forth.is_empty(), first == second);
    assert_eq!(forth.len(), back.len());
    for edit in &forth {
        assert!(edit.offset.or(edit.other_offset).is_some_and(|offset| offset < size));
        assert!(edit.before != edit.after || edit.change == Change::Window, "{edit:?}");
    }
});
