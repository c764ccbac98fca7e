//! What recall asks of the index, in one call: both channels searched, and every row that either
//! of them found described by both.

use crate::error::EngineError;
use crate::filter::Filter;
use crate::keyword::{Match, Plan};
use crate::memory::MemoryIndex;
use crate::relevance::COLUMNS;
use crate::scan::{NullStats, Query, ScanStats};

/// A row as both channels see it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Described {
    /// Trace id.
    pub id: i64,
    /// Canonical cosine; NaN without a vector.
    pub cosine: f32,
    /// Retention at the filter's `now`.
    pub retention: f64,
    /// How well it answers the question's words.
    pub words: Match,
    /// Coverage when words that resemble those of the question count as well, where they were
    /// looked for.
    pub alike: f32,
}

/// What was found.
#[derive(Debug, Clone, Default)]
pub struct Gathered {
    /// The rows in ascending order of ids.
    pub rows: Vec<Described>,
    /// Cosines of the question with the fixed sample of the visible scopes.
    pub null: NullStats,
    /// Work of the scan.
    pub stats: ScanStats,
}

/// The rows as a table of [`crate::relevance`], before words are compared with words: what a text
/// shares or resembles is what late interaction would at least find.
#[must_use]
pub fn table_of(rows: &[Described]) -> Vec<f64> {
    let columns: [fn(&Described) -> f64; COLUMNS] = [
        // A row without a vector has no cosine: NaN is not above zero.
        |row| f64::from(row.cosine).max(0.0),
        |row| row.retention,
        |row| f64::from(row.words.bm25),
        |row| f64::from(row.words.coverage),
        |row| f64::from(row.alike),
        |row| f64::from(row.words.matched),
        |row| f64::from(row.alike),
        |_| 0.0,
    ];
    columns.iter().flat_map(|column| rows.iter().map(column)).collect()
}

impl MemoryIndex {
    /// The `scan.k` best rows by [`MemoryIndex::topk`] and the best `k` by the words of `text`, each
    /// described. With `fuzzy`, words that resemble those of the text find rows as well.
    ///
    /// # Errors
    /// `NotFinite`, `Length` or `Parameter` for a query that cannot be used.
    pub fn gather(
        &self,
        text: &str,
        k: usize,
        scan: &Query<'_>,
        fuzzy: bool,
    ) -> Result<Gathered, EngineError> {
        let found = self.topk(scan)?;
        let asked = self.asked(text, scan.filter.scopes.as_deref(), fuzzy);
        let plan = self.keywords().plan_counted(&asked.query, &asked.statistics);
        let plan = plan.within(scan.filter.scopes.as_deref());
        let accept = |slot: u32| scan.filter.accepts(self.rows(), slot as usize);
        let order = |slot: u32| self.rows().id[slot as usize];
        let worded = plan.search(k, &accept, &order);
        let near = found.hits.iter();
        let mut both: Vec<(i64, usize)> =
            near.filter_map(|hit| Some((hit.id, self.rows().slot_of(hit.id)?))).collect();
        both.extend(worded.iter().map(|hit| (order(hit.slot), hit.slot as usize)));
        both.sort_unstable();
        both.dedup();
        let slots: Vec<usize> = both.into_iter().map(|(_, slot)| slot).collect();
        let rows = self.described(&plan, scan.vector, scan.filter, &slots);
        self.whole(Gathered { rows, null: found.null, stats: found.stats })
    }

    /// Those of the ids that are present and pass the filter, described and in ascending order.
    ///
    /// # Errors
    /// `NotFinite`, `Length` or `Parameter` for a query that cannot be used.
    pub fn describe(
        &self,
        text: &str,
        query: &[f32],
        filter: &Filter,
        ids: &[i64],
    ) -> Result<Vec<Described>, EngineError> {
        self.check_query(query)?;
        filter.validate()?;
        let mut ids = ids.to_vec();
        ids.sort_unstable();
        ids.dedup();
        let slots: Vec<usize> = ids
            .iter()
            .filter_map(|id| self.rows().slot_of(*id))
            .filter(|slot| filter.accepts(self.rows(), *slot))
            .collect();
        let asked = self.asked(text, filter.scopes.as_deref(), true);
        let plan = self.keywords().plan_counted(&asked.query, &asked.statistics);
        self.whole(self.described(&plan, query, filter, &slots))
    }

    fn described(
        &self,
        widened: &Plan<'_>,
        query: &[f32],
        filter: &Filter,
        slots: &[usize],
    ) -> Vec<Described> {
        let own = widened.own_words();
        let describe = |&slot: &usize| {
            let (words, alike) = widened.score_both(&own, slot as u32);
            Described {
                id: self.rows().id[slot],
                cosine: self.cosine_of(query, slot),
                retention: filter.retention(self.rows(), slot),
                words,
                alike,
            }
        };
        slots.iter().map(describe).collect()
    }
}
