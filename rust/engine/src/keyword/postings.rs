//! The posting list of one term: slots in ascending order with frequency and document length, and
//! a bound of all of them. The same view reads lists in memory and lists in a file.

/// A slot as it is stored, little-endian.
pub type SlotBytes = [u8; 4];

/// What a posting contributes with, before weights: term frequency (at most 255) and length code
/// (see [`super::length`]).
pub type Impact = [u8; 2];

/// An upper bound of impacts: for each frequency 1, 2, 3 and more the shortest document, then the
/// highest frequency.
pub type Bound = [u8; 5];

/// The bound of nothing.
pub const NO_BOUND: Bound = [u8::MAX, u8::MAX, u8::MAX, u8::MAX, 0];

/// Widen a bound so that it covers an impact.
pub fn cover(bound: &mut Bound, [frequency, length]: Impact) {
    let class = usize::from(frequency.clamp(1, 4)) - 1;
    bound[class] = bound[class].min(length);
    bound[4] = bound[4].max(frequency);
}

/// The bound of some postings.
pub fn bound_of(impacts: &[Impact]) -> Bound {
    let mut bound = NO_BOUND;
    impacts.iter().for_each(|&impact| cover(&mut bound, impact));
    bound
}

/// Impacts of which one is at least as good as any that a bound covers.
pub fn best_impacts(bound: &Bound) -> impl Iterator<Item = Impact> {
    let most = bound[4];
    (0..4_u8).filter(move |&class| most > class).map(move |class| {
        let frequency = if class == 3 { most } else { class + 1 };
        [frequency, bound[usize::from(class)]]
    })
}

/// A posting list, wherever it lies.
#[derive(Debug, Clone, Copy)]
pub struct ListView<'a> {
    /// Slots in ascending order.
    pub slots: &'a [SlotBytes],
    /// One impact a slot.
    pub impacts: &'a [Impact],
    /// Bound of the whole list.
    pub whole: Bound,
}

impl<'a> ListView<'a> {
    /// Slots in ascending order.
    pub fn iter_slots(&self) -> impl Iterator<Item = u32> + 'a {
        self.slots.iter().map(|&bytes| u32::from_le_bytes(bytes))
    }

    /// The postings at some positions.
    pub fn part(
        &self,
        positions: std::ops::Range<usize>,
    ) -> impl Iterator<Item = (u32, Impact)> + 'a {
        let slots = self.slots[positions.clone()].iter().map(|&bytes| u32::from_le_bytes(bytes));
        slots.zip(self.impacts[positions].iter().copied())
    }

    /// Position of a slot.
    pub fn find(&self, slot: u32) -> Option<usize> {
        self.slots.binary_search_by_key(&slot, |&bytes| u32::from_le_bytes(bytes)).ok()
    }
}

/// A posting list in memory, which can change.
#[derive(Debug, Clone)]
pub struct Postings {
    slots: Vec<SlotBytes>,
    impacts: Vec<Impact>,
    whole: Bound,
}

impl Default for Postings {
    fn default() -> Self {
        Self { slots: Vec::new(), impacts: Vec::new(), whole: NO_BOUND }
    }
}

impl Postings {
    /// The list for reading.
    pub fn view(&self) -> ListView<'_> {
        ListView { slots: &self.slots, impacts: &self.impacts, whole: self.whole }
    }

    /// Add a posting; the slot must not have one.
    pub fn insert(&mut self, slot: u32, impact: Impact) {
        cover(&mut self.whole, impact);
        let behind = self.slots.last().is_none_or(|&last| u32::from_le_bytes(last) < slot);
        let at = if behind { self.slots.len() } else { self.position(slot) };
        self.slots.insert(at, slot.to_le_bytes());
        self.impacts.insert(at, impact);
    }

    /// Take a posting out, if the slot has one.
    pub fn remove(&mut self, slot: u32) {
        let Some(at) = self.view().find(slot) else { return };
        self.slots.remove(at);
        self.impacts.remove(at);
        if self.slots.is_empty() {
            *self = Self::default();
        }
    }

    fn position(&self, slot: u32) -> usize {
        self.slots.partition_point(|&bytes| u32::from_le_bytes(bytes) < slot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_covers_the_list_through_changes() {
        let mut list = Postings::default();
        let mut state = 7_u32;
        for _ in 0..3_000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let slot = state >> 8 & 1_023;
            if list.view().find(slot).is_some() {
                list.remove(slot);
            } else {
                list.insert(slot, [(state % 7 + 1) as u8, (state >> 20) as u8]);
            }
            let view = list.view();
            assert!(view.slots.is_sorted_by_key(|&bytes| u32::from_le_bytes(bytes)));
            for &[frequency, length] in view.impacts {
                let covers = |[f, l]: Impact| f >= frequency && l <= length;
                assert!(best_impacts(&view.whole).any(covers));
            }
        }
    }
}
