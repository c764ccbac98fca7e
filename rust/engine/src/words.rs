//! The words of a question in the index of one memory: found, and scored for given rows.

use std::sync::{Arc, PoisonError};

use crate::error::EngineError;
use crate::filter::Filter;
use crate::keyword::{self, Match, Statistics};
use crate::memory::MemoryIndex;

/// The words of a question and what the visible scopes hold of them.
#[derive(Debug)]
pub(crate) struct Asked {
    text: String,
    fuzzy: bool,
    scopes: Option<Vec<u32>>,
    pub(crate) query: keyword::Query,
    pub(crate) statistics: Statistics,
}

impl Asked {
    fn serves(&self, text: &str, fuzzy: bool, scopes: Option<&[u32]>) -> bool {
        self.text == text && self.fuzzy == fuzzy && self.scopes.as_deref() == scopes
    }
}

/// A row found by its words.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KeywordHit {
    /// Trace id.
    pub id: i64,
    /// How well it answers.
    pub score: Match,
}

impl MemoryIndex {
    /// The best `k` rows for a query text by bm25, ties by id, among those that pass the filter.
    /// The statistics are those of the filter's scopes. A `fuzzy` search widens the query to words
    /// that resemble its own.
    ///
    /// # Errors
    /// `NotFinite` or `Parameter` for a filter that cannot be used.
    pub fn search_terms(
        &self,
        text: &str,
        k: usize,
        filter: &Filter,
        fuzzy: bool,
    ) -> Result<Vec<KeywordHit>, EngineError> {
        filter.validate()?;
        let asked = self.asked(text, filter.scopes.as_deref(), fuzzy);
        let plan = self.keywords().plan_counted(&asked.query, &asked.statistics);
        let plan = plan.within(filter.scopes.as_deref());
        let accept = |slot: u32| filter.accepts(self.rows(), slot as usize);
        let order = |slot: u32| self.rows().id[slot as usize];
        let hits = plan.search(k, &accept, &order);
        let hit = |hit: keyword::Hit| KeywordHit { id: order(hit.slot), score: hit.score };
        Ok(hits.into_iter().map(hit).collect())
    }

    /// How well given rows answer a query text, with the statistics of `scopes` (sorted; `None`
    /// for all); absent rows match nothing.
    pub fn lexical(
        &self,
        text: &str,
        ids: &[i64],
        scopes: Option<&[u32]>,
        fuzzy: bool,
    ) -> Vec<Match> {
        let asked = self.asked(text, scopes, fuzzy);
        let plan = self.keywords().plan_counted(&asked.query, &asked.statistics);
        let slots =
            ids.iter().map(|id| self.rows().slot_of(*id).map_or(u32::MAX, |slot| slot as u32));
        slots.map(|slot| plan.score(slot)).collect()
    }

    /// What a question asks for. That of the last one is kept until a row changes, for it is asked
    /// again where a hit leads on, and to find what resembles a word takes most of the time.
    pub(crate) fn asked(&self, text: &str, scopes: Option<&[u32]>, fuzzy: bool) -> Arc<Asked> {
        let lock = || self.last_asked.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = lock().as_ref().filter(|last| last.serves(text, fuzzy, scopes)) {
            return Arc::clone(last);
        }
        let keywords = self.keywords();
        let query = if fuzzy { keywords.fuzzy_query(text) } else { keywords.query(text) };
        let statistics = keywords.counted(&query, scopes);
        let (text, scopes) = (text.to_owned(), scopes.map(<[u32]>::to_vec));
        let asked = Arc::new(Asked { text, fuzzy, scopes, query, statistics });
        *lock() = Some(Arc::clone(&asked));
        asked
    }
}
