//! Where the rows of a scope lie in the base: a snapshot has them side by side, so that a search
//! walks the part of a list that it may see, and its length is the number of visible rows.

use std::collections::BTreeMap;
use std::ops::Range;

use super::postings::ListView;

/// Scopes up to which their parts of a list are looked up.
const MOST: usize = 8;

/// The slots of each scope.
#[derive(Debug, Clone, Default)]
pub(super) struct Regions {
    found: BTreeMap<u32, Range<u32>>,
    /// The scope of the last row.
    last: Option<u32>,
    /// Whether the rows of some scope lie apart.
    scattered: bool,
}

impl Regions {
    /// Take note of the next row of the base.
    pub(super) fn note(&mut self, slot: u32, scope: u32) {
        if self.last == Some(scope) {
            self.found.entry(scope).and_modify(|range| range.end = slot + 1);
            return;
        }
        self.last = Some(scope);
        self.scattered |= self.found.insert(scope, slot..slot + 1).is_some();
    }

    /// The slots of some scopes in ascending order; `None` where they are not known.
    pub(super) fn of(&self, scopes: &[u32]) -> Option<Vec<Range<u32>>> {
        if self.scattered || scopes.len() > MOST {
            return None;
        }
        let mut ranges: Vec<Range<u32>> =
            scopes.iter().filter_map(|scope| self.found.get(scope)).cloned().collect();
        ranges.sort_unstable_by_key(|range| range.start);
        Some(ranges)
    }
}

impl ListView<'_> {
    /// The positions of the slots of a range.
    pub(super) fn within(&self, range: &Range<u32>) -> Range<usize> {
        let before =
            |slot: u32| self.slots.partition_point(|&bytes| u32::from_le_bytes(bytes) < slot);
        before(range.start)..before(range.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_side_by_side_have_their_slots_and_scattered_ones_none() {
        let mut regions = Regions::default();
        for (slot, scope) in [(0, 3), (1, 3), (4, 3), (5, 1), (6, 9)] {
            regions.note(slot, scope);
        }
        assert_eq!(regions.of(&[1, 3, 7]), Some(vec![0..5, 5..6]));
        assert_eq!(regions.of(&[7]), Some(vec![]));
        assert_eq!(regions.of(&[0, 1, 2, 3, 4, 5, 6, 7, 8]), None);
        regions.note(7, 3);
        assert_eq!(regions.of(&[1]), None);
    }
}
