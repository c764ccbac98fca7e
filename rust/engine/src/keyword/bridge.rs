//! The words that lead from one text to the next: rare ones, which few other rows hold.

use std::collections::HashSet;

use super::search::idf;
use super::{Form, KeywordIndex, Plan, Query, Statistics};
use crate::text;

/// Words of a text that are followed.
const FOLLOWED: usize = 8;
/// So many words, all shared, are full proof.
const FEWEST: usize = 4;
/// A word that more than this share of the visible rows holds leads everywhere.
const COMMON: f64 = 0.05;
/// So many rows may hold a word of a small index.
const FEW: f64 = 3.0;
/// A word of longer lists is common, whoever may see its rows.
const LONG: usize = 1_000;

/// The rare words of a text.
#[derive(Debug)]
pub struct RareWords {
    pub(super) query: Query,
    pub(super) statistics: Statistics,
    /// What all of them together are worth.
    pub worth: f32,
}

impl RareWords {
    /// Whether the text has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.query.is_empty()
    }
}

impl KeywordIndex {
    /// The rarest words of a text that at least one other visible row may hold. They are worth
    /// each its idf as a share of that of a word that one row holds, divided by their number but at
    /// least by four. Words that are `known` (see [`asked`]) are left out.
    #[must_use]
    pub fn rare_words(
        &self,
        text: &str,
        known: &HashSet<String>,
        scopes: Option<&[u32]>,
    ) -> RareWords {
        let totals = self.visible_totals(scopes);
        let rows = totals.0;
        let hiding = scopes.filter(|set| self.hides(set));
        let mut words: Vec<(u32, String, u32)> = text::analyze(text)
            .into_iter()
            .filter(|word| !known.contains(&word.text))
            .filter_map(|word| Some((self.find(&word.text)?, word.text)))
            .filter(|(term, _)| self.postings(*term) <= LONG)
            .map(|(term, name)| (self.visible_postings(term, hiding), name, term))
            .filter(|(found, ..)| *found >= 2 && f64::from(*found) <= FEW.max(rows * COMMON))
            .collect();
        words.sort_unstable();
        words.dedup();
        words.truncate(FOLLOWED);
        let most = idf(rows, 1.0) * words.len().max(FEWEST) as f64;
        let worth: f64 = words.iter().map(|word| idf(rows, f64::from(word.0)) / most).sum();
        let group = |word: &(u32, String, u32)| vec![Form { term: word.2, weight: 1.0 }];
        RareWords {
            query: Query { groups: words.iter().map(group).collect() },
            statistics: Statistics {
                totals,
                postings: words.iter().map(|word| vec![f64::from(word.0)]).collect(),
            },
            worth: worth as f32,
        }
    }

    /// Prepare rare words for searching and scoring.
    #[must_use]
    pub fn plan_rare(&self, words: &RareWords) -> Plan<'_> {
        self.plan_counted(&words.query, &words.statistics)
    }

    /// Length of a term's lists, whoever may see the rows.
    fn postings(&self, term: u32) -> usize {
        let based = self.base_list(term).map_or(0, |list| list.slots.len());
        based + self.list(term).map_or(0, |list| list.view().slots.len())
    }
}

/// Every term that a question or its words may be found by.
#[must_use]
pub fn asked(question: &str) -> HashSet<String> {
    let words = text::query_words(question);
    let forms = words.iter().flat_map(|word| word.forms().cloned());
    forms.chain(text::analyze(question).into_iter().map(|term| term.text)).collect()
}
