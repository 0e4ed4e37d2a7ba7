//! Records judged many at once are judged as one by one.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail so")]
#![allow(clippy::arithmetic_side_effects, clippy::as_conversions, reason = "small numbers")]

use std::collections::BTreeMap;

use trnwire::block::{Block, View};
use trnwire::check::{Finding, Rule, Severity};
use trnwire::mesh::MeshEvent;
use trnwire::ring::{Place, RingChannel};
use trnwire_batch::{RecordSummary, RecordTally};
use zerocopy::FromBytes;

/// Deterministic numbers (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[(self.next() % from.len() as u64) as usize]
    }
}

/// Records whose bytes are mostly zero or at a border of a rule.
fn bytes(random: &mut Random, record: usize, count: usize) -> Vec<u8> {
    let mut bytes = vec![0; record * count];
    for (row, record) in bytes.chunks_mut(record).enumerate() {
        match random.next() % 4 {
            0 => {}
            1 => record.fill_with(|| random.pick(&[0, 0, 0, 1, 2, 3, 4, 5, 6, 31, 32, 255])),
            _ => {
                // A sound record with a few bytes changed, so that each rule decides now and then.
                if record.len() == size_of::<RingChannel>() {
                    (record[140], record[142]) = ((row % 32) as u8, 1);
                }
                for _ in 0..random.next() % 4 {
                    let place = random.next() as usize % record.len();
                    record[place] = random.pick(&[0, 1, 2, 3, 4, 6, 32, 255]);
                }
                for _ in 0..random.next() % 3 {
                    let place = record.len() - 1 - random.next() as usize % 12;
                    record[place] = random.pick(&[0, 1, 2, 3, 4, 5, 6, 32, 255]);
                }
            }
        }
    }
    bytes
}

/// The summary that follows from asking one by one.
#[derive(Default)]
struct Expected {
    worst: BTreeMap<Severity, RecordTally>,
    findings: BTreeMap<(Rule, Option<&'static str>), RecordTally>,
}

impl Expected {
    fn add(tally: &mut RecordTally, offset: u64) {
        tally.count += 1;
        if tally.first.len() < 8 && tally.first.last() != Some(&offset) {
            tally.first.push(offset);
        }
    }

    fn find(&mut self, offset: u64, finding: Finding, worst: &mut Option<Severity>) {
        *worst = (*worst).max(Some(finding.rule.severity()));
        Self::add(self.findings.entry((finding.rule, finding.within)).or_default(), offset);
    }

    fn item(&mut self, offset: u64, worst: Option<Severity>) {
        if let Some(worst) = worst {
            Self::add(self.worst.entry(worst).or_default(), offset);
        }
    }

    fn assert_is(&self, summary: &RecordSummary) {
        let worst = |severity| self.worst.get(&severity).cloned().unwrap_or_default();
        assert_eq!(summary.errors, worst(Severity::Error));
        assert_eq!(summary.warnings, worst(Severity::Warning));
        assert_eq!(summary.findings, self.findings);
    }
}

#[test]
fn ring_channels_are_judged_as_one_by_one() {
    let mut random = Random(1);
    let bytes = bytes(&mut random, size_of::<RingChannel>(), 200_000);
    let rows = <[RingChannel]>::ref_from_bytes(&bytes).unwrap();
    for (first, slot_limit) in [(None, 6), (Some(0), 6), (Some(31), 3)] {
        let (mut summary, mut expected) = (RecordSummary::default(), Expected::default());
        // In pieces, as files are read; of lengths that end within a group, between two, and beyond what is read in one go.
        let (mut index, mut lengths) = (0, [1, 31, 32, 33, 64, 97, 1771, 4096, 4127, 9000].into_iter().cycle());
        while index < rows.len() {
            let end = rows.len().min(index + lengths.next().unwrap());
            let piece = &rows[index..end];
            let place = Place { row: first.map(|row| ((usize::from(row) + index) % 32) as u8), slot_limit };
            summary.ring_channels(148 * index as u64, place, piece);
            index += piece.len();
        }
        for (index, row) in rows.iter().enumerate() {
            let mut worst = None;
            let place = Place { row: first.map(|row: u8| ((usize::from(row) + index) % 32) as u8), slot_limit };
            row.judge(place, |finding| expected.find(148 * index as u64, finding, &mut worst));
            expected.item(148 * index as u64, worst);
        }
        expected.assert_is(&summary);
        assert_eq!(summary.items, rows.len() as u64);
        // The records reach every rule there is to break.
        let rules = Rule::ALL.iter().take_while(|rule| **rule != Rule::FlagRange).count();
        let reached: std::collections::BTreeSet<_> = summary.findings.keys().map(|(rule, _)| rule).collect();
        assert_eq!(reached.len(), rules - usize::from(first.is_none()));
    }
}

#[test]
fn mesh_events_and_blocks_are_judged_as_one_by_one() {
    let mut random = Random(2);
    let bytes = bytes(&mut random, size_of::<MeshEvent>(), 100_000);
    let events = <[MeshEvent]>::ref_from_bytes(&bytes).unwrap();
    let (mut summary, mut expected) = (RecordSummary::default(), Expected::default());
    summary.mesh_events(0, events);
    for (offset, event) in (0..).step_by(80).zip(events) {
        let mut worst = None;
        event.judge(|finding| expected.find(offset, finding, &mut worst));
        expected.item(offset, worst);
    }
    expected.assert_is(&summary);
    assert_eq!(summary.findings.len(), 5);

    for view in View::ALL {
        let (mut summary, mut expected) = (RecordSummary::default(), Expected::default());
        for index in 0..200_u64 {
            let base = index * view.size_bytes() as u64;
            let mut bytes = self::bytes(&mut random, size_of::<RingChannel>(), 32);
            bytes.extend(self::bytes(&mut random, size_of::<MeshEvent>(), view.event_count()));
            bytes.resize(view.size_bytes(), 0);
            if index % 3 == 0 {
                bytes.fill(0);
            }
            let block = Block::new(view, &bytes).unwrap();
            summary.block(base, 6, &block);
            let (mut worst, mut offset) = (None, base);
            for (row, record) in (0..).zip(block.rows) {
                record.judge(Place { row: Some(row), slot_limit: 6 }, |finding| {
                    expected.find(offset, finding, &mut worst)
                });
                offset += 148;
            }
            for record in block.events {
                record.judge(|finding| expected.find(offset, finding, &mut worst));
                offset += 80;
            }
            expected.item(base, worst);
        }
        expected.assert_is(&summary);
        assert_eq!(summary.items, 200);
    }
}
