//! What came out of many bundles.

use trnwire::arch::Generation;
use trnwire::bundle::{Bundle, FindingId};
use trnwire::check::Severity;

use super::plan::{HEADERS, Header, Plan};

/// Positions that are kept per id.
const FIRST: usize = 8;

/// How often something occurred, and on which bundles first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Tally {
    count: u64,
    first: Vec<u64>,
}

impl Tally {
    fn see(&mut self, position: u64) {
        if self.first.len() < FIRST && self.first.last() != Some(&position) {
            self.first.push(position);
        }
    }
}

/// Counts per finding, per opcode and per severity, and where the first of each stand.
///
/// Positions are those of bundles, counted from the first one that went into the summary.
#[derive(Clone, Debug)]
pub struct BundleSummary {
    items: u64,
    words: u64,
    opcodes: Vec<u64>,
    findings: Vec<Tally>,
    warning: Tally,
    error: Tally,
    /// Bundles with quiet slots, by the key of their header: not yet part of the counts above.
    quiet: Vec<u64>,
    /// Header findings of which not all positions are known that are to be kept.
    wanted: u16,
}

impl BundleSummary {
    pub(super) fn new() -> Self {
        Self {
            items: 0,
            words: 0,
            opcodes: vec![0; 256],
            findings: vec![Tally::default(); FindingId::COUNT],
            warning: Tally::default(),
            error: Tally::default(),
            quiet: vec![0; HEADERS],
            wanted: u16::MAX,
        }
    }

    /// How many bundles were judged.
    #[must_use]
    pub const fn items(&self) -> u64 {
        self.items
    }

    /// How many address words were found.
    #[must_use]
    pub const fn words(&self) -> u64 {
        self.words
    }

    /// How many bundles have a finding of this severity and none above; [`Severity::Note`] stands for those with none above
    /// it.
    #[must_use]
    pub const fn worst(&self, severity: Severity) -> u64 {
        match severity {
            Severity::Note => self.items.wrapping_sub(self.warning.count).wrapping_sub(self.error.count),
            Severity::Warning => self.warning.count,
            Severity::Error => self.error.count,
        }
    }

    /// Where the first of these stand; nothing for [`Severity::Note`].
    #[must_use]
    pub fn first_worst(&self, severity: Severity) -> &[u64] {
        match severity {
            Severity::Note => &[],
            Severity::Warning => &self.warning.first,
            Severity::Error => &self.error.first,
        }
    }

    /// How often this was found.
    #[must_use]
    pub fn count(&self, id: FindingId) -> u64 {
        self.findings.get(id.index()).map_or(0, |tally| tally.count)
    }

    /// On which bundles it was found first.
    #[must_use]
    pub fn first(&self, id: FindingId) -> &[u64] {
        self.findings.get(id.index()).map_or(&[], |tally| &tally.first)
    }

    /// How many bundles have this opcode.
    #[must_use]
    pub fn opcode(&self, opcode: u8) -> u64 {
        self.opcodes.get(usize::from(opcode)).copied().unwrap_or_default()
    }

    /// Appends a bundle of whose slots there is nothing to say.
    #[inline]
    pub(super) fn push_quiet(&mut self, key: u16, header: Header) {
        if let Some(count) = self.quiet.get_mut(usize::from(key) % HEADERS) {
            *count = count.wrapping_add(1);
        }
        if header.findings & self.wanted != 0 {
            self.look_at(header);
        }
        self.items = self.items.wrapping_add(1);
    }

    /// Keeps the position of a header with findings.
    #[cold]
    fn look_at(&mut self, header: Header) {
        let position = self.items;
        for (bit, tally) in self.findings.iter_mut().enumerate().take(16) {
            if header.findings >> bit & 1 != 0 {
                tally.see(position);
            }
        }
        match header.worst {
            Some(Severity::Error) => self.error.see(position),
            Some(Severity::Warning) => self.warning.see(position),
            _ => {}
        }
        self.want();
    }

    /// A header finding is wanted while it, or the severity that it leads to, lacks positions.
    fn want(&mut self) {
        let lacks = |tally: &Tally| tally.first.len() < FIRST;
        let (warning, error) = (lacks(&self.warning), lacks(&self.error));
        self.wanted = 0;
        for ((bit, tally), id) in self.findings.iter().enumerate().zip(FindingId::all()).take(16) {
            let severity_lacks = match id.severity() {
                Severity::Note => false,
                Severity::Warning => warning,
                Severity::Error => error,
            };
            if lacks(tally) || severity_lacks {
                self.wanted |= 1 << bit;
            }
        }
    }

    /// Appends a bundle as the scalar functions judge it.
    pub(super) fn push_judged(&mut self, generation: Generation, bundle: &Bundle) {
        let position = self.items;
        let mut worst = Severity::Note;
        bundle.judge(generation, |finding| {
            worst = worst.max(finding.id.severity());
            if let Some(tally) = self.findings.get_mut(finding.id.index()) {
                tally.count = tally.count.wrapping_add(1);
                tally.see(position);
            }
        });
        let tally = match worst {
            Severity::Note => None,
            Severity::Warning => Some(&mut self.warning),
            Severity::Error => Some(&mut self.error),
        };
        if let Some(tally) = tally {
            tally.count = tally.count.wrapping_add(1);
            tally.see(position);
        }
        let words: u64 = bundle.slots(generation).map(|slot| slot.words().map(|_| 1).sum::<u64>()).sum();
        self.words = self.words.wrapping_add(words);
        if let Some(count) = self.opcodes.get_mut(usize::from(bundle.opcode)) {
            *count = count.wrapping_add(1);
        }
        self.items = position.wrapping_add(1);
    }

    /// Adds what the keys of quiet bundles stand for to the counts.
    pub(super) fn settle(&mut self, plan: &Plan) {
        for (key, quiet) in (0..).zip(&mut self.quiet).filter(|(_, quiet)| **quiet != 0) {
            let (count, header) = (core::mem::take(quiet), plan.header(key));
            for (bit, tally) in self.findings.iter_mut().enumerate().take(16) {
                if header.findings >> bit & 1 != 0 {
                    tally.count = tally.count.wrapping_add(count);
                }
            }
            match header.worst {
                Some(Severity::Error) => self.error.count = self.error.count.wrapping_add(count),
                Some(Severity::Warning) => self.warning.count = self.warning.count.wrapping_add(count),
                _ => {}
            }
            self.words = self.words.wrapping_add(count.wrapping_mul(header.words.into()));
            if let Some(total) = self.opcodes.get_mut(usize::from(key.to_le_bytes()[0])) {
                *total = total.wrapping_add(count);
            }
        }
    }
}
