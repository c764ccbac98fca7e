//! Scoring and search.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::postings::{Impact, Postings};
use super::{KeywordIndex, Query, length};

/// bm25's saturation of the term frequency.
const K1: f64 = 1.2;
/// bm25's normalisation by length.
const B: f64 = 0.75;

/// How well a row answers a query.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Match {
    /// bm25 with the statistics of the visible scopes; a word with several forms counts once,
    /// with its best.
    pub bm25: f32,
    /// Share of the query's idf that the row's words hold, in [0, 1].
    pub coverage: f32,
    /// Number of query words that the row holds.
    pub matched: u32,
}

/// A row and its match.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// The row.
    pub slot: u32,
    /// How well it answers.
    pub score: Match,
}

/// One posting list of a query.
struct Leg<'a> {
    group: usize,
    idf: f64,
    postings: &'a Postings,
    /// No row gets more from this list.
    bound: f64,
}

/// A query with the statistics of the scopes that it may see.
struct Plan<'a> {
    /// In query order.
    legs: Vec<Leg<'a>>,
    /// idf of each word, of its commonest form; that of an unseen word where none is indexed.
    weights: Vec<f64>,
    /// bm25's `k1 * (1 - b + b * length / mean)` for each length code.
    norms: Box<[f64; 256]>,
}

impl KeywordIndex {
    /// The best `k` rows for a query by bm25, ties by `order` (ascending), among the rows that
    /// `accept` takes.
    ///
    /// `scopes` (sorted; `None` for all) are those whose rows make the statistics; restricting
    /// the rows is `accept`'s business.
    pub fn search(
        &self,
        query: &Query,
        k: usize,
        scopes: Option<&[u32]>,
        accept: &dyn Fn(u32) -> bool,
        order: &dyn Fn(u32) -> i64,
    ) -> Vec<Hit> {
        let plan = self.plan(query, scopes);
        let mut best = Best { k, order, heap: BinaryHeap::new() };
        if k > 0 {
            plan.collect(self.documents.len(), accept, &mut best);
        }
        let mut ranked = best.heap.into_vec();
        ranked.sort_unstable();
        let hit = |Entry { slot, .. }: &Entry| Hit { slot: *slot, score: plan.score(*slot) };
        ranked.iter().map(hit).collect()
    }

    /// The matches of given rows; rows that hold no word of the query score zero.
    pub fn score(&self, query: &Query, scopes: Option<&[u32]>, slots: &[u32]) -> Vec<Match> {
        let plan = self.plan(query, scopes);
        slots.iter().map(|&slot| plan.score(slot)).collect()
    }

    fn plan(&self, query: &Query, scopes: Option<&[u32]>) -> Plan<'_> {
        let (rows, length) = self.visible_totals(scopes);
        let mean = if rows > 0.0 { length / rows } else { 1.0 };
        let norm = |code: usize| K1 * (1.0 - B + B * f64::from(length::decode(code as u8)) / mean);
        let norms = Box::new(std::array::from_fn(norm));
        let mut plan = Plan { legs: Vec::new(), weights: Vec::new(), norms };
        for (group, forms) in query.groups.iter().enumerate() {
            let mut commonest = 0.0_f64;
            for &form in forms {
                let postings = &self.lists[form as usize];
                let found = self.visible_postings(postings, scopes);
                if found > 0 {
                    let idf = idf(rows, f64::from(found));
                    commonest = commonest.max(f64::from(found));
                    let bound = plan.bound_of(idf, postings.bound().impacts());
                    plan.legs.push(Leg { group, idf, postings, bound });
                }
            }
            plan.weights.push(idf(rows, commonest));
        }
        plan
    }

    /// Rows and words of the visible scopes.
    fn visible_totals(&self, scopes: Option<&[u32]>) -> (f64, f64) {
        let visible = |scope: &u32| scopes.is_none_or(|set| set.binary_search(scope).is_ok());
        let totals = self.totals.iter().filter(|(scope, _)| visible(scope));
        let (rows, length) = totals.fold((0, 0), |sum, (_, t)| (sum.0 + t.rows, sum.1 + t.length));
        (rows as f64, length as f64)
    }

    fn visible_postings(&self, postings: &Postings, scopes: Option<&[u32]>) -> u32 {
        let Some(set) = scopes else { return postings.count() as u32 };
        let scope_of = |slot: &u32| self.documents[*slot as usize].as_ref().map(|d| d.scope);
        let visible = |slot: &&u32| scope_of(slot).is_some_and(|s| set.binary_search(&s).is_ok());
        postings.slots().iter().filter(visible).count() as u32
    }
}

/// Robertson's idf, never negative.
fn idf(rows: f64, found: f64) -> f64 {
    (1.0 + (rows - found + 0.5) / (found + 0.5)).ln()
}

impl Plan<'_> {
    fn part(&self, idf: f64, impact: Impact) -> f64 {
        let frequency = f64::from(impact.frequency);
        idf * (frequency * (K1 + 1.0) / (frequency + self.norms[usize::from(impact.length)]))
    }

    fn bound_of(&self, idf: f64, impacts: impl Iterator<Item = Impact>) -> f64 {
        impacts.map(|impact| self.part(idf, impact)).fold(0.0, f64::max)
    }

    /// The exact match of one row, summed in query order.
    fn score(&self, slot: u32) -> Match {
        let mut parts = vec![0.0_f64; self.weights.len()];
        for leg in &self.legs {
            if let Ok(at) = leg.postings.find(slot, 0) {
                let part = self.part(leg.idf, leg.postings.impact(at));
                parts[leg.group] = parts[leg.group].max(part);
            }
        }
        let matched = parts.iter().filter(|&&part| part > 0.0).count();
        let held = parts.iter().zip(&self.weights).filter(|(part, _)| **part > 0.0);
        let held: f64 = held.map(|(_, weight)| weight).sum();
        let asked: f64 = self.weights.iter().sum();
        Match {
            bm25: parts.iter().sum::<f64>() as f32,
            coverage: if asked > 0.0 { (held / asked) as f32 } else { 0.0 },
            matched: matched as u32,
        }
    }

    /// Offer every row that may be among the best.
    fn collect(&self, slots: usize, accept: &dyn Fn(u32) -> bool, best: &mut Best<'_>) {
        let mut legs: Vec<&Leg<'_>> = self.legs.iter().collect();
        legs.sort_by(|left, right| right.bound.total_cmp(&left.bound));
        let mut seen = vec![0_u64; slots.div_ceil(64)];
        for (index, leg) in legs.iter().enumerate() {
            // What the lists after this one can add, whatever the order of summation.
            let rest: f64 = legs[index + 1..].iter().map(|leg| leg.bound).sum::<f64>() * SLACK;
            if best.rejects(leg.bound + rest) {
                return;
            }
            for (bound, range) in leg.postings.blocks() {
                if best.rejects(self.bound_of(leg.idf, bound.impacts()) + rest) {
                    continue;
                }
                for at in range {
                    let slot = leg.postings.slots()[at];
                    let part = self.part(leg.idf, leg.postings.impact(at));
                    if best.rejects(part + rest) {
                        continue;
                    }
                    let (word, bit) = (slot as usize / 64, 1 << (slot % 64));
                    if seen[word] & bit == 0 {
                        seen[word] |= bit;
                        if accept(slot) {
                            best.offer(slot, self.score(slot).bm25);
                        }
                    }
                }
            }
        }
    }
}

/// Covers the rounding of sums in another order; bounds are sums of few positive terms.
const SLACK: f64 = 1.0 + 1e-12;

/// A candidate, ordered from the best to the worst.
struct Entry {
    score: f32,
    order: i64,
    slot: u32,
}

impl Entry {
    fn rank(&self) -> (Reverse<u32>, i64, u32) {
        // Positive floats compare as their bits do.
        (Reverse(self.score.to_bits()), self.order, self.slot)
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.rank() == other.rank()
    }
}

impl Eq for Entry {}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.rank().cmp(&other.rank())
    }
}

/// The best k rows so far; the worst of them is at the top.
struct Best<'a> {
    k: usize,
    order: &'a dyn Fn(u32) -> i64,
    heap: BinaryHeap<Entry>,
}

impl Best<'_> {
    /// Whether a row whose score is at most `bound` cannot enter. Rounding to f32 is monotone,
    /// and a tie may still enter by its order.
    fn rejects(&self, bound: f64) -> bool {
        self.heap.len() == self.k
            && self.heap.peek().is_some_and(|worst| ((bound * SLACK) as f32) < worst.score)
    }

    fn offer(&mut self, slot: u32, score: f32) {
        let entry = Entry { score, order: (self.order)(slot), slot };
        if self.heap.len() < self.k {
            self.heap.push(entry);
        } else if self.heap.peek().is_some_and(|worst| entry < *worst) {
            self.heap.pop();
            self.heap.push(entry);
        }
    }
}
