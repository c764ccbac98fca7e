//! The words that lead from one text to the next: rare ones, which few other rows hold.

use std::collections::HashSet;

use super::search::idf;
use super::{Form, KeywordIndex, Query};
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

impl KeywordIndex {
    /// The rarest words of a text that at least one other visible row may hold, as a query, and
    /// what all of them together are worth: for each its idf as a share of that of a word that one
    /// row holds, divided by their number but at least by four. Words of `without` are left out.
    #[must_use]
    pub fn rare_words(&self, text: &str, without: &str, scopes: Option<&[u32]>) -> (Query, f32) {
        let (rows, _) = self.visible_totals(scopes);
        let hiding = scopes.filter(|set| self.hides(set));
        let known = asked(without);
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
        (Query { groups: words.iter().map(group).collect() }, worth as f32)
    }

    /// Length of a term's lists, whoever may see the rows.
    fn postings(&self, term: u32) -> usize {
        let based = self.base_list(term).map_or(0, |list| list.slots.len());
        based + self.list(term).map_or(0, |list| list.view().slots.len())
    }
}

/// Every term that a question or its words may be found by.
fn asked(question: &str) -> HashSet<String> {
    let words = text::analyze_query(question);
    let forms = words.into_iter().flat_map(|word| word.others.into_iter().chain([word.text]));
    forms.chain(text::analyze(question).into_iter().map(|term| term.text)).collect()
}
