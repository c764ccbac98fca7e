//! The best k hits seen so far.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// One row of the answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// Trace id.
    pub id: i64,
    /// Canonical cosine.
    pub cosine: f32,
    /// What the hits are ordered by.
    pub score: f32,
    /// Retention at the moment of the query.
    pub retention: f64,
}

/// Ordered so that the greatest element is the worst hit: the one to drop first.
struct Worst(Hit);

impl Ord for Worst {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_score = other.0.score.partial_cmp(&self.0.score).unwrap_or(Ordering::Equal);
        by_score.then(self.0.id.cmp(&other.0.id))
    }
}

impl PartialOrd for Worst {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Worst {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Worst {}

/// A bounded heap of hits.
pub(super) struct Top {
    k: usize,
    heap: BinaryHeap<Worst>,
}

impl Top {
    pub(super) fn new(k: usize) -> Self {
        Self { k, heap: BinaryHeap::with_capacity(k.min(4096) + 1) }
    }

    /// Number of hits so far.
    pub(super) fn len(&self) -> usize {
        self.heap.len()
    }

    /// A row whose score is certainly below this cannot enter: the worst hit's score less two
    /// units in its last place, which keep equal scores, that the id decides, and the rounding of
    /// one f32 product inside.
    pub(super) fn threshold(&self) -> f32 {
        match self.heap.peek() {
            Some(worst) if self.heap.len() >= self.k => {
                let score = worst.0.score;
                score - score.abs() * (2.0 * f32::EPSILON) - 1e-44
            }
            _ if self.k > 0 => f32::NEG_INFINITY,
            _ => f32::INFINITY,
        }
    }

    /// Whether a hit of this score and id would enter.
    pub(super) fn takes(&self, score: f32, id: i64) -> bool {
        match self.heap.peek() {
            Some(Worst(worst)) if self.heap.len() >= self.k => {
                score > worst.score || (score == worst.score && id < worst.id)
            }
            _ => self.k > 0,
        }
    }

    pub(super) fn push(&mut self, hit: Hit) {
        self.heap.push(Worst(hit));
        if self.heap.len() > self.k {
            self.heap.pop();
        }
    }

    /// Hits, best first.
    pub(super) fn into_sorted(self) -> Vec<Hit> {
        self.heap.into_sorted_vec().into_iter().map(|worst| worst.0).collect()
    }
}

/// The best `k` of the hits, best first.
pub(super) fn best(hits: Vec<Hit>, k: usize) -> Vec<Hit> {
    let mut hits: Vec<Worst> = hits.into_iter().map(Worst).collect();
    hits.sort_unstable();
    hits.truncate(k);
    hits.into_iter().map(|worst| worst.0).collect()
}
