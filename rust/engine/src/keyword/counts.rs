//! How many rows of a set of scopes hold a term, kept from one query to the next.
//!
//! To count them means to walk the whole list, and the commonest words are asked for again and
//! again. What was counted is kept in step as rows come and go.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Map;

/// Postings below which walking a list costs no more than looking up what was counted.
pub(super) const SHORT: usize = 64;
/// Sets of scopes of which counts are kept.
const KEPT: usize = 4;

/// Counts of some sets of scopes.
#[derive(Debug, Default)]
pub(super) struct Counts(Mutex<Vec<Counted>>);

#[derive(Debug)]
struct Counted {
    scopes: Box<[u32]>,
    rows: Map<u32, u32>,
}

impl Clone for Counts {
    /// What was counted is no part of an index.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Counts {
    /// Rows of the scopes that hold a term: as kept, or by counting them.
    pub(super) fn of(&self, scopes: &[u32], term: u32, count: impl FnOnce() -> u32) -> u32 {
        let known = self.at(scopes).and_then(|(kept, at)| kept[at].rows.get(&term).copied());
        if let Some(rows) = known {
            return rows;
        }
        // Nobody waits while a list is walked, and no row comes or goes meanwhile.
        let rows = count();
        let (mut kept, at) = self.at(scopes).unwrap_or_else(|| self.begun(scopes));
        kept[at].rows.insert(term, rows);
        rows
    }

    fn at(&self, scopes: &[u32]) -> Option<(MutexGuard<'_, Vec<Counted>>, usize)> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|counted| *counted.scopes == *scopes)?;
        Some((kept, at))
    }

    /// Begin to count for a set, in place of the one that was begun the longest ago.
    fn begun(&self, scopes: &[u32]) -> (MutexGuard<'_, Vec<Counted>>, usize) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.insert(0, Counted { scopes: scopes.into(), rows: Map::default() });
        kept.truncate(KEPT);
        (kept, 0)
    }

    /// A row of a scope came that holds these terms, each once.
    pub(super) fn came(&mut self, scope: u32, terms: &[u32]) {
        self.change(scope, terms.iter().copied(), |rows| rows + 1);
    }

    /// A row of a scope went that held these terms, each once.
    pub(super) fn went(&mut self, scope: u32, terms: impl Iterator<Item = u32> + Clone) {
        self.change(scope, terms, |rows| rows.saturating_sub(1));
    }

    /// Keep nothing of what was counted.
    pub(super) fn clear(&mut self) {
        self.kept().clear();
    }

    fn change(
        &mut self,
        scope: u32,
        terms: impl Iterator<Item = u32> + Clone,
        change: impl Fn(u32) -> u32,
    ) {
        for counted in self.kept() {
            if counted.scopes.binary_search(&scope).is_ok() {
                for term in terms.clone() {
                    if let Some(rows) = counted.rows.get_mut(&term) {
                        *rows = change(*rows);
                    }
                }
            }
        }
    }

    fn kept(&mut self) -> &mut Vec<Counted> {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}
