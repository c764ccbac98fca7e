//! The posting list of one term: slots in ascending order with frequency and document length,
//! in blocks that know their best impact.

/// Postings of one block: long enough to skip far, short enough for a tight bound.
const BLOCK: usize = 64;

/// What a posting contributes with, before weights: term frequency and length code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Impact {
    /// Occurrences of the term in the document, at most 255.
    pub frequency: u8,
    /// The document's length as [`super::length`] codes it.
    pub length: u8,
}

/// An upper bound of impacts: for each frequency 1, 2, 3 and more, the shortest document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bound {
    shortest: [u8; 4],
    most: u8,
}

impl Bound {
    const NONE: Self = Self { shortest: [u8::MAX; 4], most: 0 };

    fn cover(&mut self, impact: Impact) {
        let class = usize::from(impact.frequency.clamp(1, 4)) - 1;
        self.shortest[class] = self.shortest[class].min(impact.length);
        self.most = self.most.max(impact.frequency);
    }

    /// The impacts of which one is at least as good as any that was covered.
    pub fn impacts(&self) -> impl Iterator<Item = Impact> {
        let most = self.most;
        self.shortest.into_iter().enumerate().filter_map(move |(class, length)| {
            let frequency = if class == 3 { most } else { class as u8 + 1 };
            (frequency > class as u8).then_some(Impact { frequency, length })
        })
    }
}

/// The posting list of one term.
#[derive(Debug, Clone)]
pub struct Postings {
    slots: Vec<u32>,
    impacts: Vec<Impact>,
    blocks: Vec<Bound>,
    whole: Bound,
}

impl Default for Postings {
    fn default() -> Self {
        Self { slots: Vec::new(), impacts: Vec::new(), blocks: Vec::new(), whole: Bound::NONE }
    }
}

impl Postings {
    /// Number of postings.
    pub fn count(&self) -> usize {
        self.slots.len()
    }

    /// Slots in ascending order.
    pub fn slots(&self) -> &[u32] {
        &self.slots
    }

    /// The posting at a position.
    pub fn impact(&self, at: usize) -> Impact {
        self.impacts[at]
    }

    /// The bound of the whole list.
    pub fn bound(&self) -> &Bound {
        &self.whole
    }

    /// Blocks with their bound, and the range of positions of each.
    pub fn blocks(&self) -> impl Iterator<Item = (&Bound, std::ops::Range<usize>)> {
        let total = self.slots.len();
        self.blocks.iter().enumerate().map(move |(index, bound)| {
            let begin = index * BLOCK;
            (bound, begin..total.min(begin + BLOCK))
        })
    }

    /// Position of a slot, searched from `from` on; `Err` holds where it would stand.
    pub fn find(&self, slot: u32, from: usize) -> Result<usize, usize> {
        let mut step = 1;
        let mut low = from.min(self.slots.len());
        let mut high = low;
        while high < self.slots.len() && self.slots[high] < slot {
            low = high + 1;
            high += step;
            step *= 2;
        }
        let high = self.slots.len().min(high + 1);
        match self.slots[low..high].binary_search(&slot) {
            Ok(at) => Ok(low + at),
            Err(at) => Err(low + at),
        }
    }

    /// Add a posting; the slot must not have one.
    pub fn insert(&mut self, slot: u32, impact: Impact) {
        self.whole.cover(impact);
        if self.slots.last().is_none_or(|&last| last < slot) {
            if self.slots.len().is_multiple_of(BLOCK) {
                self.blocks.push(Bound::NONE);
            }
            self.slots.push(slot);
            self.impacts.push(impact);
            if let Some(block) = self.blocks.last_mut() {
                block.cover(impact);
            }
            return;
        }
        let (Ok(at) | Err(at)) = self.slots.binary_search(&slot);
        self.slots.insert(at, slot);
        self.impacts.insert(at, impact);
        self.rebound(at);
    }

    /// Take a posting out, if the slot has one.
    pub fn remove(&mut self, slot: u32) {
        if let Ok(at) = self.slots.binary_search(&slot) {
            self.slots.remove(at);
            self.impacts.remove(at);
            self.rebound(at);
            if self.slots.is_empty() {
                *self = Self::default();
            }
        }
    }

    /// Recompute the bounds of the blocks from that of a position on.
    fn rebound(&mut self, at: usize) {
        let first = at / BLOCK;
        self.blocks.truncate(first);
        for block in self.impacts[(first * BLOCK).min(self.impacts.len())..].chunks(BLOCK) {
            let mut bound = Bound::NONE;
            block.iter().for_each(|&impact| bound.cover(impact));
            self.blocks.push(bound);
        }
    }

    /// Bytes on the heap.
    pub fn heap_bytes(&self) -> usize {
        self.slots.capacity() * 4
            + self.impacts.capacity() * 2
            + self.blocks.capacity() * size_of::<Bound>()
    }
}
