//! Scoring and search.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::postings::{Bound, Impact, ListView, best_impacts};
use super::{Form, KeywordIndex, Query, length};

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
    /// Share of the query's idf that the row's words hold, in [0, 1]; a word that the row only
    /// resembles counts with its weight.
    pub coverage: f32,
    /// Number of query words that the row holds or resembles.
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
    weight: f64,
    list: ListView<'a>,
    /// Whether the list is the base's, of which only living rows count.
    based: bool,
    /// No row gets more from this list.
    bound: f64,
}

/// A query with the statistics of the scopes that it may see.
struct Plan<'a> {
    index: &'a KeywordIndex,
    /// In query order.
    legs: Vec<Leg<'a>>,
    /// idf of each word, of its commonest form; that of an unseen word where none is indexed.
    weights: Vec<f64>,
    /// Sum of the weights, in query order.
    asked: f64,
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
            plan.collect(self.slots(), accept, &mut best);
        }
        let mut ranked = best.heap.into_vec();
        ranked.sort_unstable();
        let hit = |Entry { slot, .. }: &Entry| Hit { slot: *slot, score: plan.score(*slot) };
        ranked.iter().map(hit).collect()
    }

    /// The matches of given rows; rows that hold no word of the query score zero.
    #[must_use]
    pub fn score(&self, query: &Query, scopes: Option<&[u32]>, slots: &[u32]) -> Vec<Match> {
        let plan = self.plan(query, scopes);
        slots.iter().map(|&slot| plan.score(slot)).collect()
    }

    fn plan(&self, query: &Query, scopes: Option<&[u32]>) -> Plan<'_> {
        let (rows, length) = self.visible_totals(scopes);
        let mean = if rows > 0.0 { length / rows } else { 1.0 };
        let norm = |code: usize| K1 * (1.0 - B + B * f64::from(length::decode(code as u8)) / mean);
        let mut plan = Plan {
            index: self,
            legs: Vec::new(),
            weights: Vec::new(),
            asked: 0.0,
            norms: Box::new(std::array::from_fn(norm)),
        };
        for (group, forms) in query.groups.iter().enumerate() {
            let (mut exact, mut similar) = (0.0_f64, 0.0_f64);
            for form in forms {
                let found = f64::from(self.visible_postings(form.term, scopes));
                if found > 0.0 {
                    let commonest = if form.weight < 1.0 { &mut similar } else { &mut exact };
                    *commonest = commonest.max(found);
                    self.add_legs(&mut plan, group, form, idf(rows, found));
                }
            }
            plan.weights.push(idf(rows, if exact > 0.0 { exact } else { similar }));
        }
        plan.asked = plan.weights.iter().sum();
        plan
    }

    /// The lists of a term: that of the base and that of the memory.
    fn add_legs<'a>(&'a self, plan: &mut Plan<'a>, group: usize, form: &Form, idf: f64) {
        let based = self.base_list(form.term).map(|list| (list, true));
        let own = self.list(form.term).map(|list| (list.view(), false));
        for (list, based) in based.into_iter().chain(own) {
            if !list.slots.is_empty() {
                let mut leg = Leg { group, idf, weight: form.weight, list, based, bound: 0.0 };
                leg.bound = plan.bound(&leg, &list.whole);
                plan.legs.push(leg);
            }
        }
    }

    /// Rows and words of the visible scopes.
    fn visible_totals(&self, scopes: Option<&[u32]>) -> (f64, f64) {
        let visible = |scope: &u32| scopes.is_none_or(|set| set.binary_search(scope).is_ok());
        let totals = self.totals.iter().filter(|(scope, _)| visible(scope));
        let (rows, length) = totals.fold((0, 0), |sum, (_, t)| (sum.0 + t.rows, sum.1 + t.length));
        (rows as f64, length as f64)
    }

    /// Rows of the visible scopes that hold a term.
    fn visible_postings(&self, term: u32, scopes: Option<&[u32]>) -> u32 {
        let based = self.base_list(term);
        let own = self.list(term).map(|list| list.view());
        let Some(set) = scopes else {
            let count = |list: Option<ListView<'_>>| list.map_or(0, |list| list.slots.len()) as u32;
            let dead = self.dead_postings.get(&term).copied().unwrap_or(0);
            return (count(based) + count(own)).saturating_sub(dead);
        };
        let visible = |scope: u32| set.binary_search(&scope).is_ok();
        let mut found = 0;
        if let (Some(list), Some(base)) = (based, &self.base) {
            let living = list.iter_slots().filter(|&slot| self.lives(slot));
            found += living.filter_map(|slot| base.row(slot)).filter(|row| visible(row.0)).count();
        }
        if let Some(list) = own {
            let documents = list.iter_slots().filter_map(|slot| self.document(slot));
            found += documents.filter(|document| visible(document.scope)).count();
        }
        found as u32
    }
}

/// Robertson's idf, never negative.
fn idf(rows: f64, found: f64) -> f64 {
    (1.0 + (rows - found + 0.5) / (found + 0.5)).ln()
}

impl Plan<'_> {
    fn part(&self, leg: &Leg<'_>, [frequency, length]: Impact) -> f64 {
        let frequency = f64::from(frequency);
        let saturated = frequency * (K1 + 1.0) / (frequency + self.norms[usize::from(length)]);
        leg.weight * (leg.idf * saturated)
    }

    fn bound(&self, leg: &Leg<'_>, bound: &Bound) -> f64 {
        best_impacts(bound).map(|impact| self.part(leg, impact)).fold(0.0, f64::max)
    }

    /// The exact match of one row, summed in query order.
    fn score(&self, slot: u32) -> Match {
        let based = slot < self.index.base_slots && self.index.lives(slot);
        let (mut total, mut held, mut matched) = (0.0, 0.0, 0);
        for group in self.legs.chunk_by(|left, right| left.group == right.group) {
            let (mut best, mut weight) = (0.0_f64, 0.0_f64);
            for leg in group.iter().filter(|leg| leg.based == based) {
                if let Some(at) = leg.list.find(slot) {
                    best = best.max(self.part(leg, leg.list.impacts[at]));
                    weight = weight.max(leg.weight);
                }
            }
            total += best;
            held += self.weights[group[0].group] * weight;
            matched += u32::from(weight > 0.0);
        }
        let coverage = if self.asked > 0.0 { held / self.asked } else { 0.0 };
        Match { bm25: total as f32, coverage: coverage as f32, matched }
    }

    /// Offer every row that may be among the best.
    fn collect(&self, slots: u32, accept: &dyn Fn(u32) -> bool, best: &mut Best<'_>) {
        let mut legs: Vec<&Leg<'_>> = self.legs.iter().collect();
        legs.sort_by(|left, right| right.bound.total_cmp(&left.bound));
        let mut seen = vec![0_u64; (slots as usize).div_ceil(64)];
        for (index, leg) in legs.iter().enumerate() {
            // What the lists after this one can add, whatever the order of summation.
            let rest: f64 = legs[index + 1..].iter().map(|leg| leg.bound).sum::<f64>() * SLACK;
            if best.rejects(leg.bound + rest) {
                return;
            }
            for (bound, range) in leg.list.iter_blocks() {
                if best.rejects(self.bound(leg, &bound) + rest) {
                    continue;
                }
                for at in range {
                    let part = self.part(leg, leg.list.impacts[at]);
                    if best.rejects(part + rest) {
                        continue;
                    }
                    let slot = leg.list.slot(at);
                    let (word, bit) = (slot as usize / 64, 1 << (slot % 64));
                    let counts = slot < slots && (!leg.based || self.index.lives(slot));
                    if counts && seen[word] & bit == 0 {
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
