//! How well one row answers a plan.

use super::search::{Leg, Match, Plan, idf};

/// Most words of a query that are scored without an allocation.
const FEW_WORDS: usize = 16;
/// Words of 64 bits of a [`Sketch`].
const SKETCH: usize = 16;

/// Which terms a plan has, about. Most terms of a row are none of them, and to look here costs
/// less than to search.
#[derive(Debug, Clone, Default)]
pub(super) struct Sketch([u64; SKETCH]);

impl Sketch {
    pub(super) fn of(terms: impl Iterator<Item = u32>) -> Self {
        let mut sketch = Self::default();
        for term in terms {
            sketch.0[term as usize / 64 % SKETCH] |= 1 << (term % 64);
        }
        sketch
    }

    fn may_hold(&self, term: u32) -> bool {
        self.0[term as usize / 64 % SKETCH] >> (term % 64) & 1 == 1
    }
}

/// What the words of a query weigh when nothing that resembles them counts.
#[derive(Debug)]
pub struct OwnWords {
    weights: Vec<f64>,
    asked: f64,
}

/// What a row holds of one word.
#[derive(Debug, Clone, Copy, Default)]
struct Held {
    /// bm25 of the best form.
    best: f64,
    /// Weight of the best of the word's own forms.
    own: f64,
    /// Weight of the best form.
    weight: f64,
}

impl Plan<'_> {
    /// The weights of the query's own words.
    #[must_use]
    pub fn own_words(&self) -> OwnWords {
        let weights: Vec<f64> =
            self.found.iter().map(|found| idf(self.rows, found.exact)).collect();
        let asked = weights.iter().sum();
        OwnWords { weights, asked }
    }

    /// The exact match of one row, summed in query order.
    #[must_use]
    pub fn score(&self, slot: u32) -> Match {
        self.with_held(
            slot,
            |_| true,
            |held| {
                let (mut bm25, mut matched) = (0.0, 0);
                for word in held {
                    bm25 += word.best;
                    matched += u32::from(word.weight > 0.0);
                }
                let coverage = covered(held, &self.weights, self.asked, |word| word.weight);
                Match { bm25: bm25 as f32, coverage, matched }
            },
        )
    }

    /// The match of one row by the query's own words alone, and its coverage when words that
    /// resemble them count as well: what a plan without those would give, and this one.
    #[must_use]
    pub fn score_both(&self, own: &OwnWords, slot: u32) -> (Match, f32) {
        self.with_held(
            slot,
            |leg| leg.weight >= 1.0,
            |held| {
                let (mut bm25, mut matched) = (0.0, 0);
                for word in held {
                    bm25 += word.best;
                    matched += u32::from(word.own > 0.0);
                }
                let coverage = covered(held, &own.weights, own.asked, |word| word.own);
                let alike = covered(held, &self.weights, self.asked, |word| word.weight);
                (Match { bm25: bm25 as f32, coverage, matched }, alike)
            },
        )
    }

    /// The coverage of one row, as [`Plan::score`] gives it.
    #[must_use]
    pub fn coverage(&self, slot: u32) -> f32 {
        let weigh = |held: &[Held]| covered(held, &self.weights, self.asked, |word| word.weight);
        self.with_held(slot, |_| false, weigh)
    }

    /// Pass on what a row holds of each word; only lists that are `counted` make bm25.
    fn with_held<T>(
        &self,
        slot: u32,
        counted: impl Fn(&Leg<'_>) -> bool,
        then: impl FnOnce(&[Held]) -> T,
    ) -> T {
        // A word's forms count once, with the best; most rows hold few of the query's terms.
        let mut few = [Held::default(); FEW_WORDS];
        let mut many = Vec::new();
        let held = if self.weights.len() <= FEW_WORDS {
            &mut few[..self.weights.len()]
        } else {
            many.resize(self.weights.len(), Held::default());
            many.as_mut_slice()
        };
        self.each_leg_of(slot, counted, |leg, at| {
            let word = &mut held[leg.group];
            word.weight = word.weight.max(leg.weight);
            if leg.weight >= 1.0 {
                word.own = word.own.max(leg.weight);
            }
            if let Some(at) = at {
                word.best = word.best.max(self.part(leg, leg.list.impacts[at]));
            }
        });
        then(held)
    }

    /// Call `each` with the legs that hold a row, and with the row's position in those that are
    /// `counted`. Goes through the row's terms or through the query's, whichever are fewer.
    fn each_leg_of(
        &self,
        slot: u32,
        counted: impl Fn(&Leg<'_>) -> bool,
        mut each: impl FnMut(&Leg<'_>, Option<usize>),
    ) {
        let based = slot < self.index.base_slots && self.index.lives(slot);
        let of_term = |term: u32| {
            if !self.sketch.may_hold(term) {
                return;
            }
            let first = self.terms.partition_point(|(known, _)| *known < term);
            let same = self.terms[first..].iter().take_while(|(known, _)| *known == term);
            for leg in same.map(|(_, at)| &self.legs[*at as usize]).filter(|leg| leg.based == based)
            {
                if !counted(leg) {
                    each(leg, None);
                } else if let Some(at) = leg.list.find(slot) {
                    each(leg, Some(at));
                }
            }
        };
        if let Some(document) = self.index.document(slot) {
            if document.terms.len() <= self.legs.len() * 4 {
                return document.terms.iter().copied().for_each(of_term);
            }
        } else if let Some(base) = &self.index.base {
            let terms = base.row_terms(slot);
            if terms.len() <= self.legs.len() * 4 {
                return terms.for_each(of_term);
            }
        }
        for leg in self.legs.iter().filter(|leg| leg.based == based) {
            if let Some(at) = leg.list.find(slot) {
                each(leg, counted(leg).then_some(at));
            }
        }
    }
}

/// Share of what is asked that the words of a row weigh.
fn covered(held: &[Held], weights: &[f64], asked: f64, weight: impl Fn(&Held) -> f64) -> f32 {
    let mut sum = 0.0;
    for (word, idf) in held.iter().zip(weights) {
        sum += idf * weight(word);
    }
    (if asked > 0.0 { sum / asked } else { 0.0 }) as f32
}
