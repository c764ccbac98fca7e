//! What a write asks of two indexes at once: the one that all threads share, and a small one
//! beside it, of rows that are not committed yet.

use crate::error::EngineError;
use crate::filter::Filter;
use crate::keyword::Plan;
use crate::memory::MemoryIndex;
use crate::scan::Query;
use crate::text;

/// A row near a text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Near {
    /// Trace id.
    pub id: i64,
    /// Canonical cosine; NaN without a vector.
    pub cosine: f32,
    /// Number of the text's words that the row holds.
    pub matched: u32,
}

impl MemoryIndex {
    /// The best `scan.k` rows by cosine and the best `k` by the words of `text`, ascending by id:
    /// exactly those that one index over the rows of `self` and of `beside` would find.
    ///
    /// `scanned` are the ids that [`MemoryIndex::topk_many`] found in `self` for this query, so
    /// that one pass serves many texts. No id may be in both indexes.
    ///
    /// # Errors
    /// `NotFinite`, `Length` or `Parameter` for a query that cannot be used.
    pub fn gather_beside(
        &self,
        beside: &Self,
        text: &str,
        k: usize,
        scanned: &[i64],
        scan: &Query<'_>,
    ) -> Result<Vec<Near>, EngineError> {
        let both = [self, beside];
        let mut near: Vec<(f32, i64)> =
            self.cosines(scan.vector, scanned)?.into_iter().zip(scanned.iter().copied()).collect();
        near.extend(beside.topk(scan)?.hits.iter().map(|hit| (hit.cosine, hit.id)));
        let plans = plans(both, text, scan.filter);
        let mut worded: Vec<(f32, i64)> =
            both.iter().zip(&plans).flat_map(|(index, plan)| index.worded(plan, k, scan)).collect();
        let mut ids = best(&mut near, scan.k);
        ids.append(&mut best(&mut worded, k));
        ids.sort_unstable();
        ids.dedup();
        let described = ids.into_iter().filter_map(|id| {
            let (index, plan) =
                both.into_iter().zip(&plans).find(|(index, _)| index.contains(id))?;
            let slot = index.rows().slot_of(id)?;
            let matched = plan.score(slot as u32).matched;
            Some(Near { id, cosine: index.cosine_of(scan.vector, slot), matched })
        });
        self.whole(described.collect())
    }

    /// The best rows by words, with their bm25.
    fn worded(&self, plan: &Plan<'_>, k: usize, scan: &Query<'_>) -> Vec<(f32, i64)> {
        let accept = |slot: u32| scan.filter.accepts(self.rows(), slot as usize);
        let order = |slot: u32| self.rows().id[slot as usize];
        let hits = plan.search(k, &accept, &order);
        hits.iter().map(|hit| (hit.score.bm25, order(hit.slot))).collect()
    }
}

/// A plan for each index, with the statistics of both.
fn plans<'a>(both: [&'a MemoryIndex; 2], text: &str, filter: &Filter) -> [Plan<'a>; 2] {
    let words = text::analyze_query(text);
    let scopes = filter.scopes.as_deref();
    let [ours, theirs] = both.map(|index| index.keywords().statistics(&words, scopes));
    let statistics = ours.plus(&theirs);
    both.map(|index| index.keywords().plan_by(&words, &statistics))
}

/// Ids of the `k` best, ties by id.
fn best(rows: &mut [(f32, i64)], k: usize) -> Vec<i64> {
    rows.sort_unstable_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(&right.1)));
    rows.iter().take(k).map(|row| row.1).collect()
}
