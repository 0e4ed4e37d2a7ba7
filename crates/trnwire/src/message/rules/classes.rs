//! How many partitions an access may take, by where it starts.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::super::words::or_list;
use crate::geometry::{PARTITIONS, legal_start_partitions};

/// Numbers of partitions that may start at the same places.
pub(super) struct Class {
    pub(super) fewest: u32,
    pub(super) most: u32,
    pub(super) starts: &'static [u32],
}

impl Class {
    fn all() -> Vec<Self> {
        let mut classes: Vec<Self> = Vec::new();
        for count in 1..=PARTITIONS {
            let starts = legal_start_partitions(count.into());
            match classes.last_mut() {
                Some(class) if class.starts == starts => class.most = count,
                _ => classes.push(Self { fewest: count, most: count, starts }),
            }
        }
        classes
    }

    /// The class with just these starts.
    pub(super) fn with_starts(starts: &[i128]) -> Option<Self> {
        Self::all()
            .into_iter()
            .find(|class| class.starts.iter().map(|&start| i128::from(start)).eq(starts.iter().copied()))
    }

    /// The class that a number of partitions belongs to.
    pub(super) fn of(count: i128) -> Option<Self> {
        Self::all().into_iter().find(|class| (class.fewest.into()..=class.most.into()).contains(&count))
    }
}

/// Where accesses to so many partitions may start; none for a number that no memory has.
pub(super) fn legal_starts(count: i128) -> Vec<i128> {
    Class::of(count).map_or_else(Vec::new, |class| class.starts.iter().map(|&start| start.into()).collect())
}

/// Every partition at which some access may start.
pub(super) fn every_start() -> Vec<i128> {
    legal_starts(1)
}

/// The most partitions that may start at a partition.
pub(super) fn most_from(partition: i128) -> Option<u32> {
    let from = |class: &Class| class.starts.iter().any(|&start| i128::from(start) == partition);
    Class::all().into_iter().rev().find(from).map(|class| class.most)
}

/// The rule in words: `1 to 32 partitions may start at 0, 32, 64 or 96; ...`.
pub(super) fn rule_in_words() -> String {
    let classes: Vec<String> = Class::all()
        .iter()
        .map(|class| format!("{} to {} partitions may start at {}", class.fewest, class.most, or_list(class.starts)))
        .collect();
    classes.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_follow_from_the_geometry() {
        assert_eq!(
            rule_in_words(),
            "1 to 32 partitions may start at 0, 32, 64 or 96; 33 to 64 partitions may start at 0 or 64; \
             65 to 128 partitions may start at 0"
        );
        assert_eq!([0, 32, 64, 96, 48].map(most_from), [Some(128), Some(32), Some(64), Some(32), None]);
        assert!(legal_starts(0).is_empty() && legal_starts(129).is_empty());
        assert_eq!(Class::with_starts(&[0, 64]).map(|class| class.fewest), Some(33));
    }
}
