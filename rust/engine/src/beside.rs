//! What a write asks of two indexes at once: the one that all threads share, and a small one
//! beside it, of rows that are not committed yet.

use crate::error::EngineError;
use crate::filter::Filter;
use crate::keyword::Plan;
use crate::memory::{Batch, MemoryIndex};
use crate::scan::{Query, Rank};
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

/// A text that is asked for.
#[derive(Debug, Clone)]
pub struct Asked<'a> {
    /// The text.
    pub text: &'a str,
    /// Its vector; without one it is asked for by its words alone.
    pub vector: Option<&'a [f32]>,
    /// The ids that [`MemoryIndex::topk_many`] found for the vector.
    pub scanned: Vec<i64>,
    /// Which rows it may see.
    pub filter: Filter,
}

impl MemoryIndex {
    /// What [`MemoryIndex::gather_beside`] finds for each of several texts, where the row of `rows`
    /// at the place of a text comes to `beside` before the next text is asked for.
    ///
    /// # Errors
    /// As [`MemoryIndex::gather_beside`] and [`MemoryIndex::upsert`]; some rows may have come then.
    pub fn gather_ahead(
        &self,
        beside: &mut Self,
        asked: &[Asked<'_>],
        rows: &Batch<'_>,
        k: usize,
    ) -> Result<Vec<Vec<Near>>, EngineError> {
        let nothing = vec![0.0; self.dim()];
        let gather = |beside: &Self, asked: &Asked<'_>| {
            let scan = Query {
                vector: asked.vector.unwrap_or(&nothing),
                k: if asked.vector.is_some() { k } else { 0 },
                rank: Rank::Cosine,
                min_cosine: f64::NEG_INFINITY,
                filter: &asked.filter,
            };
            self.gather_beside(beside, asked.text, k, &asked.scanned, &scan)
        };
        let mut found = Vec::with_capacity(asked.len());
        let mut texts = asked.iter();
        beside.upsert_each(rows, |beside| {
            found.extend(texts.next().map(|text| gather(beside, text)).transpose()?);
            Ok(())
        })?;
        for text in texts {
            found.push(gather(beside, text)?);
        }
        Ok(found)
    }

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
        self.check_query(scan.vector)?;
        let both = [self, beside];
        let scanned: Vec<usize> =
            scanned.iter().filter_map(|id| self.rows().slot_of(*id)).collect();
        let cosine = |at: usize, slot: usize| both[at].cosine_of(scan.vector, slot);
        let mut near: Vec<Row> =
            scanned.iter().map(|&slot| self.row(cosine(0, slot), 0, slot)).collect();
        for hit in beside.topk(scan)?.hits {
            near.extend(beside.rows().slot_of(hit.id).map(|slot| beside.row(hit.cosine, 1, slot)));
        }
        let plans = plans(both, text, scan.filter);
        let floor = reached(&plans[0], k, &scanned);
        let worded: Vec<Row> =
            (0..2).flat_map(|at| both[at].worded(at, &plans[at], floor, k, scan)).collect();
        let mut rows = best(near, scan.k);
        rows.append(&mut best(worded, k));
        rows.sort_unstable_by_key(|row| row.id);
        rows.dedup_by_key(|row| row.id);
        let described = rows.iter().map(|&Row { id, at, slot, .. }| Near {
            id,
            cosine: cosine(at, slot),
            matched: plans[at].score(slot as u32).matched,
        });
        self.whole(described.collect())
    }

    fn row(&self, worth: f32, at: usize, slot: usize) -> Row {
        Row { worth, id: self.rows().id[slot], at, slot }
    }

    /// The best rows by words, with their bm25; those below `floor` may be left out.
    fn worded(
        &self,
        at: usize,
        plan: &Plan<'_>,
        floor: f64,
        k: usize,
        scan: &Query<'_>,
    ) -> Vec<Row> {
        let accept = |slot: u32| scan.filter.accepts(self.rows(), slot as usize);
        let order = |slot: u32| self.rows().id[slot as usize];
        let hits = plan.search_above(floor, k, &accept, &order);
        hits.iter().map(|hit| self.row(hit.score.bm25, at, hit.slot as usize)).collect()
    }
}

/// A row of one of the two indexes, with what it was found by.
#[derive(Clone, Copy)]
struct Row {
    worth: f32,
    id: i64,
    at: usize,
    slot: usize,
}

/// A plan for each index, with the statistics of both.
fn plans<'a>(both: [&'a MemoryIndex; 2], text: &str, filter: &Filter) -> [Plan<'a>; 2] {
    let words = text::query_words(text);
    let scopes = filter.scopes.as_deref();
    let [ours, theirs] = both.map(|index| {
        let query = index.keywords().resolve(&words);
        let statistics = index.keywords().counted(&query, scopes);
        (index, query, statistics)
    });
    let statistics = ours.2.plus(&theirs.2);
    [ours, theirs]
        .map(|(index, query, _)| index.keywords().plan_counted(&query, &statistics).within(scopes))
}

/// A bm25 that the best `k` rows by words reach at least, going by those that are near in meaning,
/// which mostly share words too.
fn reached(plan: &Plan<'_>, k: usize, near: &[usize]) -> f64 {
    let scores = near.iter().take(k).map(|&slot| f64::from(plan.score(slot as u32).bm25));
    let least = scores.min_by(f64::total_cmp);
    least.filter(|_| near.len() >= k).unwrap_or(f64::NEG_INFINITY)
}

/// The `k` best, ties by id.
fn best(mut rows: Vec<Row>, k: usize) -> Vec<Row> {
    rows.sort_unstable_by(|left, right| {
        right.worth.total_cmp(&left.worth).then(left.id.cmp(&right.id))
    });
    rows.truncate(k);
    rows
}
