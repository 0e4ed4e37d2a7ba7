//! Groups of ids, in two vectors whatever their number is.

use core::fmt;

use super::MOST_IDS;

/// Groups of ids in their order. At most [`MOST_IDS`] ids, and every group has one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Groups {
    ids: Vec<u32>,
    /// Where each group ends in `ids`.
    ends: Vec<usize>,
}

impl Groups {
    /// Makes groups of lists of ids; empty lists are left out.
    ///
    /// `None` if there are more than [`MOST_IDS`] ids.
    #[must_use]
    pub fn from_lists<L: AsRef<[u32]>>(lists: &[L]) -> Option<Self> {
        let mut groups = Self::default();
        for list in lists {
            for &id in list.as_ref() {
                groups.push_id(id)?;
            }
            groups.end_group();
        }
        Some(groups)
    }

    /// Adds an id to the group that has not ended. `None` if there are too many.
    pub(super) fn push_id(&mut self, id: u32) -> Option<()> {
        let has_room = self.ids.len() < MOST_IDS;
        has_room.then(|| self.ids.push(id))
    }

    /// Ends the group whose ids were pushed. `false`, and no group, if there were none.
    pub(super) fn end_group(&mut self) -> bool {
        let has_ids = self.ids.len() > self.ends.last().copied().unwrap_or_default();
        if has_ids {
            self.ends.push(self.ids.len());
        }
        has_ids
    }

    /// The groups, in order. None of them is empty.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let group = self.ids.get(start..end).unwrap_or_default();
            start = end;
            group
        })
    }

    /// How many groups there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no group. As an attribute that means all ids in one group.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The ids of all groups, one group after the other.
    #[must_use]
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// The groups as vectors.
    #[must_use]
    pub fn to_vecs(&self) -> Vec<Vec<u32>> {
        self.iter().map(<[u32]>::to_vec).collect()
    }

    /// Writes the groups in brackets of a kind.
    pub(super) fn write(&self, f: &mut fmt::Formatter<'_>, [open, close]: [char; 2]) -> fmt::Result {
        write!(f, "{open}")?;
        for (index, group) in self.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            write!(f, "{comma}{open}")?;
            for (index, id) in group.iter().enumerate() {
                let comma = if index == 0 { "" } else { "," };
                write!(f, "{comma}{id}")?;
            }
            write!(f, "{close}")?;
        }
        write!(f, "{close}")
    }
}

/// `[[0,1],[2,3]]`.
impl fmt::Display for Groups {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, ['[', ']'])
    }
}
