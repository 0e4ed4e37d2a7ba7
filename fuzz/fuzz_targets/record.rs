//! Any bytes as a record of any kind of collectives: JSON and back is the identity, many at once are judged as one by one,
//! and text comes for every one. The first byte chooses the kind, the second the architecture.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trnwire::Kind;
use trnwire::arch::CollectiveArch;
use trnwire::diff::Comparison;
use trnwire::explain::{RecordExplanation, Resolver};
use trnwire::ring::{Place, RingChannel};
use trnwire_batch::RecordSummary;
use trnwire_json::collective::{decoded, encode, fields_of};
use trnwire_json::explain::record_explanation;
use zerocopy::FromBytes;

fuzz_target!(|data: &[u8]| {
    let [kind, arch, bytes @ ..] = data else { return };
    let kinds: Vec<Kind> = Kind::ALL.iter().copied().filter(|kind| !kind.is_of_core()).collect();
    let kind = kinds[usize::from(*kind) % kinds.len()];
    let arch = CollectiveArch::ALL[usize::from(*arch) % 4];
    if kind == Kind::RingChannel {
        let rows = <[RingChannel]>::ref_from_prefix(bytes).unwrap().0;
        let mut summary = RecordSummary::default();
        summary.ring_channels(0, Place::default(), rows);
        let mut count = 0;
        rows.iter().for_each(|row| row.judge(Place::default(), |_| count += 1));
        assert_eq!(summary.findings.values().map(|tally| tally.count).sum::<u64>(), count);
    }
    let size = if kind.has_one_size() { usize::try_from(kind.table().size_bytes).unwrap() } else { bytes.len() };
    let Some(record) = bytes.get(..size) else { return };
    let Ok(object) = decoded(kind, Some(arch), record) else { return };
    let (fields, part) = fields_of(kind, Some(arch), record).unwrap();
    assert_eq!(encode(kind, Some(arch), &object).unwrap().unwrap(), part);
    let explanation =
        RecordExplanation::new(kind, fields, part, Place::default(), Resolver { arch: None, ..Resolver::default() });
    assert!(!explanation.lines(true).is_empty());
    assert!(record_explanation(&explanation, fields, part, 0).is_object());
    assert!(Comparison::default().compare(fields, part, part).is_empty());
});
