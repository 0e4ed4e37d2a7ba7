//! What differs between two things of one kind, field by field.
//!
//! Addresses of semaphores are compared as registers: two that mean the same register through different windows differ in
//! the window only, and say so.

use alloc::{format, string::String, string::ToString, vec::Vec};

use zerocopy::FromBytes;

use crate::arch::CollectiveArch;
use crate::ring::RingChannel;
use crate::soc::{Semaphore, SocAddress};
use crate::table::{Field, Shape};

/// One difference.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Edit {
    /// Which field: `ring[5].next_neigh.fold_n`.
    pub path: String,
    /// Its first byte in the first thing, if it is there.
    pub offset: Option<usize>,
    /// Its first byte in the second thing, if it is there.
    pub other_offset: Option<usize>,
    /// How it differs.
    pub change: Change,
    /// What the first thing has, as text.
    pub before: String,
    /// What the second thing has, as text.
    pub after: String,
}

impl Edit {
    /// A difference in something that has no place of its own: the whole (an empty path), or what one of the two has not.
    #[must_use]
    pub const fn whole(path: String, before: String, after: String) -> Self {
        let (offset, other_offset) = (Some(0), Some(0));
        Self { path, offset, other_offset, change: Change::Value, before, after }
    }

    /// Both values, when they are addresses.
    #[must_use]
    pub fn addresses(&self) -> Option<[SocAddress; 2]> {
        let address = |text: &str| {
            let digits = text.strip_prefix("0x").filter(|digits| digits.len() == 16)?;
            u64::from_str_radix(digits, 16).ok().map(SocAddress)
        };
        Some([address(&self.before)?, address(&self.after)?])
    }
}

/// How two fields differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Change {
    /// Their values do.
    Value,
    /// They are addresses of the same semaphore, through different windows.
    Window,
    /// Only the first thing has it.
    Removed,
    /// Only the second thing has it.
    Added,
    /// A channel stands in another row.
    Moved,
}

impl Change {
    /// The name in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Value => "value",
            Self::Window => "window",
            Self::Removed => "removed",
            Self::Added => "added",
            Self::Moved => "moved",
        }
    }
}

/// How to compare.
#[derive(Clone, Copy, Debug, Default)]
pub struct Comparison<'a> {
    /// The architecture whose addresses these are; without it every one is tried.
    pub arch: Option<CollectiveArch>,
    /// Fields to leave out, by name or by path; `reserved` is every reserved field.
    pub ignore: &'a [String],
}

/// The word that stands for every reserved field.
const RESERVED: &str = "reserved";

impl Comparison<'_> {
    /// Everything that differs between two things with these fields, in the order of the fields.
    #[must_use]
    pub fn compare(&self, fields: &[Field], one: &[u8], other: &[u8]) -> Vec<Edit> {
        let mut edits = Vec::new();
        self.record("", fields, Place { bytes: one, base: 0 }, Place { bytes: other, base: 0 }, &mut edits);
        edits
    }

    fn is_ignored(&self, path: &str, field: &Field) -> bool {
        self.ignore.iter().any(|ignored| {
            ignored == field.name || ignored == path || (ignored == RESERVED && field.shape == Shape::Reserved)
        })
    }

    fn record(&self, path: &str, fields: &[Field], one: Place<'_>, other: Place<'_>, edits: &mut Vec<Edit>) {
        for field in fields {
            let path = if path.is_empty() { field.name.to_string() } else { format!("{path}.{}", field.name) };
            let (one, other) = (one.field(field), other.field(field));
            if self.is_ignored(&path, field) || one.bits(field) == other.bits(field) {
                continue;
            }
            if field.bits.width() % 8 == 0 && field.bits.low % 8 == 0 {
                self.value(&path, field.shape, one, other, edits);
            } else {
                let [before, after] = [one, other].map(|place| place.bits(field).to_string());
                edits.push(changed(&path, one, other, Change::Value, before, after));
            }
        }
    }

    fn value(&self, path: &str, shape: Shape, one: Place<'_>, other: Place<'_>, edits: &mut Vec<Edit>) {
        match shape {
            Shape::Record(_, fields) => self.record(path, fields, one, other, edits),
            Shape::Array(&element, length) => {
                let length = usize::try_from(length).unwrap_or_default();
                if element == (Shape::Record(RingChannel::NAME, RingChannel::FIELDS)) {
                    return self.rows(path, one, other, edits);
                }
                for index in 0..length {
                    let (one, other) = (one.element(index, length), other.element(index, length));
                    if one.bytes != other.bytes {
                        self.value(&format!("{path}[{index}]"), element, one, other, edits);
                    }
                }
            }
            Shape::SemaphoreAddress | Shape::Address => {
                let change = self.of_addresses(one.number(), other.number());
                edits.push(changed(path, one, other, change, one.address(), other.address()));
            }
            _ => edits.push(changed(path, one, other, Change::Value, one.plain(shape), other.plain(shape))),
        }
    }

    /// Whether two different addresses are the same register.
    fn of_addresses(&self, one: u64, other: u64) -> Change {
        let archs = CollectiveArch::ALL.into_iter().filter(|arch| self.arch.is_none_or(|asked| asked == *arch));
        let register = |arch, address| Semaphore::decode(arch, SocAddress(address)).map(|found| found.register);
        let mut same =
            archs.filter(|&arch| register(arch, one).is_ok() && register(arch, one) == register(arch, other));
        if same.next().is_some() { Change::Window } else { Change::Value }
    }

    /// Ring channels are matched by their number; where two of a block share one, and for unused rows, by their row.
    fn rows(&self, path: &str, one: Place<'_>, other: Place<'_>, edits: &mut Vec<Edit>) {
        let (before, after) = (Rows::new(one), Rows::new(other));
        let by_channel = before.are_distinct() && after.are_distinct();
        for key in 0..=u8::MAX {
            match (before.find(key, by_channel), after.find(key, by_channel)) {
                (None, None) => {}
                (Some((row, place)), None) => {
                    edits.push(alone(format!("{path}[{row}]"), Change::Removed, key, place));
                }
                (None, Some((row, place))) => {
                    edits.push(alone(format!("{path}[{row}]"), Change::Added, key, place));
                }
                (Some((row, one)), Some((other_row, other))) => {
                    let path = format!("{path}[{row}]");
                    if row != other_row {
                        let [before, after] = [row, other_row].map(|row| format!("row {row}"));
                        edits.push(changed(&path, one, other, Change::Moved, before, after));
                    }
                    self.record(&path, RingChannel::FIELDS, one, other, edits);
                }
            }
        }
    }
}

/// Bytes of a field, and where they begin.
#[derive(Clone, Copy, Debug)]
struct Place<'a> {
    bytes: &'a [u8],
    base: usize,
}

impl<'a> Place<'a> {
    /// The bytes that hold a field; all bytes of a word that is cut into bits.
    fn field(self, field: &Field) -> Self {
        let index = |byte: u32| usize::try_from(byte).unwrap_or_default();
        let (first, last) = (index(field.bits.low / 8), index(field.bits.high / 8));
        if field.bits.width() % 8 != 0 || field.bits.low % 8 != 0 {
            return self;
        }
        let bytes = self.bytes.get(first..last.saturating_add(1)).unwrap_or_default();
        Self { bytes, base: self.base.saturating_add(first) }
    }

    /// An element of an array that fills the bytes.
    fn element(self, index: usize, length: usize) -> Self {
        let size = self.bytes.len().checked_div(length).unwrap_or_default();
        let start = index.saturating_mul(size);
        let bytes = self.bytes.get(start..start.saturating_add(size)).unwrap_or_default();
        Self { bytes, base: self.base.saturating_add(start) }
    }

    /// The bits of a field of a word, or all bytes of a field of a record.
    fn bits(self, field: &Field) -> Bits<'a> {
        if field.bits.width() % 8 == 0 && field.bits.low % 8 == 0 {
            Bits::Bytes(self.bytes)
        } else {
            Bits::Number(field.bits.wide_get(self.number()))
        }
    }

    fn number(self) -> u64 {
        self.bytes.iter().take(8).rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
    }

    fn address(self) -> String {
        SocAddress(self.number()).to_string()
    }

    fn plain(self, shape: Shape) -> String {
        match shape {
            Shape::Unsigned | Shape::Flag => self.number().to_string(),
            Shape::Signed => {
                let unused = 64_u32.saturating_sub(u32::try_from(self.bytes.len()).unwrap_or(8).saturating_mul(8));
                let bits = self.number().wrapping_shl(unused);
                i64::from_le_bytes(bits.to_le_bytes()).wrapping_shr(unused).to_string()
            }
            Shape::Addr4 => format!("{:#010x}", self.number()),
            _ => self.bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        }
    }
}

#[derive(PartialEq, Eq)]
enum Bits<'a> {
    Bytes(&'a [u8]),
    Number(u64),
}

impl core::fmt::Display for Bits<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Bytes(bytes) => bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}")),
        }
    }
}

/// The used rows of a block.
struct Rows<'a>(Vec<(usize, u8, Place<'a>)>);

impl<'a> Rows<'a> {
    fn new(place: Place<'a>) -> Self {
        let size = size_of::<RingChannel>();
        let count = place.bytes.len().checked_div(size).unwrap_or_default();
        let row = |row: usize| {
            let place = place.element(row, count);
            let record = RingChannel::ref_from_bytes(place.bytes).ok().filter(|record| !record.is_unused())?;
            Some((row, record.channel_id, place))
        };
        Self((0..count).filter_map(row).collect())
    }

    fn are_distinct(&self) -> bool {
        let twice = |(index, (_, channel, _)): (usize, &(usize, u8, Place<'_>))| {
            self.0.iter().skip(index.saturating_add(1)).any(|(_, other, _)| other == channel)
        };
        !self.0.iter().enumerate().any(twice)
    }

    /// The row with this channel, or at this index.
    fn find(&self, key: u8, by_channel: bool) -> Option<(usize, Place<'a>)> {
        let is_wanted = |row: usize, channel: u8| if by_channel { channel == key } else { row == usize::from(key) };
        self.0.iter().find(|(row, channel, _)| is_wanted(*row, *channel)).map(|&(row, _, place)| (row, place))
    }
}

fn changed(path: &str, one: Place<'_>, other: Place<'_>, change: Change, before: String, after: String) -> Edit {
    Edit { path: path.to_string(), offset: Some(one.base), other_offset: Some(other.base), change, before, after }
}

/// A row that only one of the two has.
fn alone(path: String, change: Change, channel: u8, place: Place<'_>) -> Edit {
    let channel = format!("channel {channel}");
    match change {
        Change::Removed => Edit {
            path,
            offset: Some(place.base),
            other_offset: None,
            change,
            before: channel,
            after: "unused".to_string(),
        },
        _ => Edit {
            path,
            offset: None,
            other_offset: Some(place.base),
            change,
            before: "unused".to_string(),
            after: channel,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::soc::Window;
    use zerocopy::IntoBytes;

    fn compare(one: &RingChannel, other: &RingChannel, ignore: &[&str]) -> Vec<(String, Change)> {
        let ignore: Vec<_> = ignore.iter().map(ToString::to_string).collect();
        let comparison = Comparison { arch: None, ignore: &ignore };
        let edits = comparison.compare(RingChannel::FIELDS, one.as_bytes(), other.as_bytes());
        edits.into_iter().map(|edit| (edit.path, edit.change)).collect()
    }

    #[test]
    fn addresses_are_compared_as_registers() {
        let address = |window, id| Semaphore::encode(CollectiveArch::Cayman, 3, id, window, 0).unwrap().into();
        let one = RingChannel { recv_sema: address(Window::Read, 5), ..RingChannel::default() };
        let window = RingChannel { recv_sema: address(Window::Inc, 5), ..one };
        let register = RingChannel { recv_sema: address(Window::Read, 6), ..one };
        assert_eq!(compare(&one, &one, &[]), []);
        assert_eq!(compare(&one, &window, &[]), [("recv_sema".to_string(), Change::Window)]);
        assert_eq!(compare(&one, &register, &[]), [("recv_sema".to_string(), Change::Value)]);
    }

    #[test]
    fn reserved_bytes_can_be_left_out() {
        let mut other = RingChannel::default();
        other.reserved.0[1] = 1;
        other.next_neigh.reserved.0[0] = 1;
        assert_eq!(compare(&RingChannel::default(), &other, &[]).len(), 2);
        assert_eq!(compare(&RingChannel::default(), &other, &["reserved"]), []);
        assert_eq!(compare(&RingChannel::default(), &other, &["next_neigh.reserved"]).len(), 1);
    }

    #[test]
    fn rows_are_matched_by_channel() {
        let row = |channel_id, fold_n| RingChannel { channel_id, fold_n, ..RingChannel::default() };
        let mut one = [RingChannel::default(); 32];
        let mut other = one;
        (one[2], one[3]) = (row(2, 1), row(3, 1));
        (other[4], other[5]) = (row(2, 2), row(7, 1));
        let fields = &crate::block::HostBlock::FIELDS[..1];
        let edits = Comparison::default().compare(fields, one.as_bytes(), other.as_bytes());
        let told: Vec<_> = edits.iter().map(|edit| (edit.path.as_str(), edit.change)).collect();
        assert_eq!(
            told,
            [
                ("ring[2]", Change::Moved),
                ("ring[2].fold_n", Change::Value),
                ("ring[3]", Change::Removed),
                ("ring[5]", Change::Added),
            ]
        );
    }
}
