//! A query made ready: its lists, and the statistics of the scopes that it may see.

use std::ops::Range;

use super::postings::{Bound, Impact, ListView, best_impacts};
use super::score::Sketch;
use super::{Form, KeywordIndex, Query, counts, length};

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
#[derive(Clone)]
pub(super) struct Leg<'a> {
    pub(super) group: usize,
    pub(super) term: u32,
    pub(super) idf: f64,
    pub(super) weight: f64,
    pub(super) list: ListView<'a>,
    /// Positions in the list that a search walks; all of them where nothing is said.
    pub(super) shown: Option<Vec<Range<usize>>>,
    /// Whether the list is the base's, of which only living rows count.
    pub(super) based: bool,
    /// No row gets more from this list.
    pub(super) bound: f64,
}

/// Visible rows that hold a word of the query: in its own forms, and in terms that resemble it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Found {
    pub(super) exact: f64,
    similar: f64,
}

/// What the visible scopes hold of a query's words: all that scores depend on beside the row.
#[derive(Debug, Clone)]
pub struct Statistics {
    /// Rows, and their words.
    pub(super) totals: (f64, f64),
    /// Rows that hold each form of each word.
    pub(super) postings: Vec<Vec<f64>>,
}

impl Statistics {
    /// Those of two indexes together, for the same words.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        let forms = |(ours, theirs): (&Vec<f64>, &Vec<f64>)| {
            ours.iter().zip(theirs).map(|(one, more)| one + more).collect()
        };
        let (rows, length) = self.totals;
        Self {
            totals: (rows + other.totals.0, length + other.totals.1),
            postings: self.postings.iter().zip(&other.postings).map(forms).collect(),
        }
    }
}

/// A query with the statistics of the scopes that it may see.
pub struct Plan<'a> {
    pub(super) index: &'a KeywordIndex,
    /// In query order.
    pub(super) legs: Vec<Leg<'a>>,
    /// Terms of the legs in ascending order, with the positions of the legs.
    pub(super) terms: Vec<(u32, u32)>,
    pub(super) sketch: Sketch,
    /// Visible rows.
    pub(super) rows: f64,
    pub(super) found: Vec<Found>,
    /// idf of each word, of its commonest form; that of an unseen word where none is indexed.
    pub(super) weights: Vec<f64>,
    /// Sum of the weights, in query order.
    pub(super) asked: f64,
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
        self.plan(query, scopes).search(k, accept, order)
    }

    /// The matches of given rows; rows that hold no word of the query score zero.
    #[must_use]
    pub fn score(&self, query: &Query, scopes: Option<&[u32]>, slots: &[u32]) -> Vec<Match> {
        let plan = self.plan(query, scopes);
        slots.iter().map(|&slot| plan.score(slot)).collect()
    }

    /// Prepare a query for searching and scoring with the statistics of `scopes`.
    #[must_use]
    pub fn plan(&self, query: &Query, scopes: Option<&[u32]>) -> Plan<'_> {
        self.plan_counted(query, &self.counted(query, scopes))
    }

    /// What the scopes hold of the forms of a query.
    #[must_use]
    pub fn counted(&self, query: &Query, scopes: Option<&[u32]>) -> Statistics {
        let totals = self.visible_totals(scopes);
        // Where nothing is hidden, the length of a list is its count.
        let scopes = scopes.filter(|set| self.hides(set));
        let count = |form: &Form| f64::from(self.visible_postings(form.term, scopes));
        let groups = query.groups.iter();
        Statistics { totals, postings: groups.map(|g| g.iter().map(count).collect()).collect() }
    }

    /// As [`KeywordIndex::plan`], with the statistics of the query at hand; a form that is unknown
    /// here counts for them only.
    #[must_use]
    pub fn plan_counted(&self, query: &Query, statistics: &Statistics) -> Plan<'_> {
        let (rows, length) = statistics.totals;
        let mean = if rows > 0.0 { length / rows } else { 1.0 };
        let norm = |code: usize| K1 * (1.0 - B + B * f64::from(length::decode(code as u8)) / mean);
        let mut plan = Plan {
            index: self,
            legs: Vec::new(),
            terms: Vec::new(),
            sketch: Sketch::default(),
            rows,
            found: Vec::new(),
            weights: Vec::new(),
            asked: 0.0,
            norms: Box::new(std::array::from_fn(norm)),
        };
        for (group, (forms, counts)) in query.groups.iter().zip(&statistics.postings).enumerate() {
            let mut known = Found::default();
            for (form, &found) in forms.iter().zip(counts).filter(|(_, found)| **found > 0.0) {
                let similar = form.weight < 1.0;
                let most = if similar { &mut known.similar } else { &mut known.exact };
                *most = most.max(found);
                self.add_legs(&mut plan, group, form, idf(rows, found));
            }
            plan.found.push(known);
        }
        plan.close();
        plan
    }

    /// Whether some indexed row is in none of the scopes.
    pub(super) fn hides(&self, scopes: &[u32]) -> bool {
        self.totals.keys().any(|scope| scopes.binary_search(scope).is_err())
    }

    /// The lists of a term: that of the base and that of the memory.
    fn add_legs<'a>(&'a self, plan: &mut Plan<'a>, group: usize, form: &Form, idf: f64) {
        let based = self.base_list(form.term).map(|list| (list, true));
        let own = self.list(form.term).map(|list| (list.view(), false));
        for (list, based) in based.into_iter().chain(own) {
            if !list.slots.is_empty() {
                let (term, weight) = (form.term, form.weight);
                let mut leg =
                    Leg { group, term, idf, weight, list, shown: None, based, bound: 0.0 };
                leg.bound = plan.bound(&leg, &list.whole);
                plan.legs.push(leg);
            }
        }
    }

    /// Rows and words of the visible scopes.
    pub(super) fn visible_totals(&self, scopes: Option<&[u32]>) -> (f64, f64) {
        let visible = |scope: &u32| scopes.is_none_or(|set| set.binary_search(scope).is_ok());
        let totals = self.totals.iter().filter(|(scope, _)| visible(scope));
        let (rows, length) = totals.fold((0, 0), |sum, (_, t)| (sum.0 + t.rows, sum.1 + t.length));
        (rows as f64, length as f64)
    }

    /// Rows of the visible scopes that hold a term.
    pub(super) fn visible_postings(&self, term: u32, scopes: Option<&[u32]>) -> u32 {
        let based = self.base_list(term);
        let own = self.list(term).map(|list| list.view());
        let length = |list: Option<ListView<'_>>| list.map_or(0, |list| list.slots.len());
        let postings = length(based) + length(own);
        let Some(set) = scopes else {
            let dead = self.dead_postings.get(&term).copied().unwrap_or(0);
            return (postings as u32).saturating_sub(dead);
        };
        if postings < counts::SHORT {
            return self.walked(based, own, term, set);
        }
        self.counts.of(set, term, || self.walked(based, own, term, set))
    }

    /// Rows of a set of scopes in the lists of a term.
    fn walked(
        &self,
        based: Option<ListView<'_>>,
        own: Option<ListView<'_>>,
        term: u32,
        set: &[u32],
    ) -> u32 {
        let visible = |scope: u32| match set {
            [one] => scope == *one,
            [one, other] => scope == *one || scope == *other,
            _ => set.binary_search(&scope).is_ok(),
        };
        let mut found = 0;
        if let (Some(list), Some(base)) = (based, &self.base) {
            let scopes = base.scopes();
            let whole = !self.dead_postings.contains_key(&term);
            let counts = |slot: &u32| {
                let scope = scopes.get(*slot as usize).map(|&bytes| u32::from_le_bytes(bytes));
                scope.is_some_and(visible) && (whole || self.lives(*slot))
            };
            found += match self.regions.of(set).filter(|_| whole) {
                Some(regions) => regions.iter().map(|region| list.within(region).len()).sum(),
                None => list.iter_slots().filter(counts).count(),
            };
        }
        if let Some(list) = own {
            let documents = list.iter_slots().filter_map(|slot| self.document(slot));
            found += documents.filter(|document| visible(document.scope)).count();
        }
        found as u32
    }
}

/// Robertson's idf, never negative.
pub(super) fn idf(rows: f64, found: f64) -> f64 {
    (1.0 + (rows - found + 0.5) / (found + 0.5)).ln()
}

impl Leg<'_> {
    /// The parts of the list that a search walks.
    pub(super) fn parts(&self) -> impl Iterator<Item = Range<usize>> {
        let whole = self.shown.is_none().then_some(0..self.list.slots.len());
        self.shown.iter().flatten().cloned().chain(whole)
    }
}

impl<'a> Plan<'a> {
    /// Derive what follows from legs and counts.
    fn close(&mut self) {
        let positions = self.legs.iter().enumerate();
        self.terms = positions.map(|(at, leg)| (leg.term, at as u32)).collect();
        self.terms.sort_unstable();
        self.sketch = Sketch::of(self.legs.iter().map(|leg| leg.term));
        let commonest = |found: &Found| if found.exact > 0.0 { found.exact } else { found.similar };
        self.weights = self.found.iter().map(|found| idf(self.rows, commonest(found))).collect();
        self.asked = self.weights.iter().sum();
    }

    pub(super) fn part(&self, leg: &Leg<'_>, [frequency, length]: Impact) -> f64 {
        let frequency = f64::from(frequency);
        let saturated = frequency * (K1 + 1.0) / (frequency + self.norms[usize::from(length)]);
        leg.weight * (leg.idf * saturated)
    }

    fn bound(&self, leg: &Leg<'_>, bound: &Bound) -> f64 {
        best_impacts(bound).map(|impact| self.part(leg, impact)).fold(0.0, f64::max)
    }

    pub(super) fn legs(&self) -> &[Leg<'a>] {
        &self.legs
    }

    pub(super) fn slots(&self) -> usize {
        self.index.slots() as usize
    }

    /// Have searches walk only what the lists hold of some scopes (sorted; `None` for all): what
    /// is found is to be in them. Scores of given rows do not change.
    #[must_use]
    pub fn within(mut self, scopes: Option<&[u32]>) -> Self {
        let hiding = scopes.filter(|set| self.index.hides(set));
        let Some(regions) = hiding.and_then(|set| self.index.regions.of(set)) else { return self };
        for leg in self.legs.iter_mut().filter(|leg| leg.based) {
            if leg.list.slots.len() >= counts::SHORT {
                let parts = regions.iter().map(|region| leg.list.within(region));
                leg.shown = Some(parts.collect());
            }
        }
        self
    }

    /// The postings in a part of a list whose rows count.
    pub(super) fn living(
        &self,
        leg: &Leg<'a>,
        part: Range<usize>,
    ) -> impl Iterator<Item = (u32, Impact)> {
        let index = self.index;
        let whole = !leg.based || !index.dead_postings.contains_key(&leg.term);
        let postings = leg.list.part(part);
        postings.filter(move |(slot, _)| whole || index.lives(*slot))
    }

    /// What a posting gives, about, before the weight of its list.
    pub(super) fn saturated(&self, [frequency, length]: Impact) -> f32 {
        let frequency = f32::from(frequency);
        let norm = self.norms[usize::from(length)] as f32;
        frequency * (K1 as f32 + 1.0) / (frequency + norm)
    }
}
