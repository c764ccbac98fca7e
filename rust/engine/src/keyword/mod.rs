//! The keyword index: bm25 over analysed text, exact and incremental.
//!
//! Rows are addressed by slot. A posting holds term frequency and document length, so statistics
//! can be those of the scopes a query may see without touching the postings: idf and mean length
//! are computed at query time. Search walks the lists from the most to the least telling term and
//! stops when the lists that are left cannot lift an unseen row into the best k (MaxScore, Turtle
//! and Flood 1995, list at a time, with a bound for each block); rows that survive are scored in
//! full, in query order. So scores and order equal those of exhaustive scoring, bit for bit.

pub(crate) mod hash;
pub mod length;
mod postings;
mod search;

use std::collections::{BTreeMap, HashMap};

use crate::text::{self, QueryTerm, Term};
use hash::TermHasher;
use postings::{Impact, Postings};
pub use search::{Hit, Match};

/// A row as the index knows it.
#[derive(Debug, Clone)]
struct Document {
    scope: u32,
    length: u8,
    terms: Box<[u32]>,
}

/// Rows of one scope.
#[derive(Debug, Clone, Copy, Default)]
struct ScopeTotals {
    rows: u64,
    length: u64,
}

/// The index over all rows.
#[derive(Debug, Default, Clone)]
pub struct KeywordIndex {
    dictionary: HashMap<Box<str>, u32, TermHasher>,
    lists: Vec<Postings>,
    documents: Vec<Option<Document>>,
    totals: BTreeMap<u32, ScopeTotals>,
}

/// A query, resolved against the dictionary: one group a word, the lists of its forms.
#[derive(Debug, Clone, Default)]
pub struct Query {
    groups: Vec<Vec<u32>>,
}

impl Query {
    /// Number of words asked for.
    pub fn len(&self) -> usize {
        self.groups.len()
    }

    /// Whether nothing is asked for.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }
}

impl KeywordIndex {
    /// An empty index.
    pub fn new() -> Self {
        Self::default()
    }

    /// Number of indexed rows.
    pub fn len(&self) -> usize {
        self.totals.values().map(|totals| totals.rows as usize).sum()
    }

    /// Whether no row is indexed.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The scope of an indexed row.
    pub fn scope_of(&self, slot: u32) -> Option<u32> {
        self.documents.get(slot as usize)?.as_ref().map(|document| document.scope)
    }

    /// Number of distinct terms ever seen.
    pub fn terms(&self) -> usize {
        self.lists.len()
    }

    /// Analyse a text and index it under a slot, in place of what was there.
    pub fn upsert_text(&mut self, slot: u32, scope: u32, text: &str) {
        self.upsert(slot, scope, &text::analyze(text));
    }

    /// Index a row's terms under a slot, in place of what was there.
    pub fn upsert(&mut self, slot: u32, scope: u32, terms: &[Term]) {
        self.remove(slot);
        let words = terms.iter().filter(|term| term.primary).count();
        let length = length::encode(u32::try_from(words).unwrap_or(u32::MAX).max(1));
        let mut ids: Vec<u32> = terms.iter().map(|term| self.intern(&term.text)).collect();
        ids.sort_unstable();
        for run in ids.chunk_by(|left, right| left == right) {
            let frequency = run.len().min(255) as u8;
            self.lists[run[0] as usize].insert(slot, Impact { frequency, length });
        }
        ids.dedup();
        let totals = self.totals.entry(scope).or_default();
        totals.rows += 1;
        totals.length += u64::from(length::decode(length));
        let at = slot as usize;
        if self.documents.len() <= at {
            self.documents.resize_with(at + 1, || None);
        }
        self.documents[at] = Some(Document { scope, length, terms: ids.into() });
    }

    /// Forget a row; an unknown slot is none.
    pub fn remove(&mut self, slot: u32) {
        let Some(document) = self.documents.get_mut(slot as usize).and_then(Option::take) else {
            return;
        };
        for &term in &document.terms {
            self.lists[term as usize].remove(slot);
        }
        if let Some(totals) = self.totals.get_mut(&document.scope) {
            totals.rows -= 1;
            totals.length -= u64::from(length::decode(document.length));
            if totals.rows == 0 {
                self.totals.remove(&document.scope);
            }
        }
    }

    /// Move an indexed row to another scope; an unknown slot is none.
    pub fn set_scope(&mut self, slot: u32, scope: u32) {
        let Some(Some(document)) = self.documents.get_mut(slot as usize) else { return };
        if document.scope == scope {
            return;
        }
        let length = u64::from(length::decode(document.length));
        if let Some(totals) = self.totals.get_mut(&document.scope) {
            totals.rows -= 1;
            totals.length -= length;
            if totals.rows == 0 {
                self.totals.remove(&document.scope);
            }
        }
        document.scope = scope;
        let totals = self.totals.entry(scope).or_default();
        totals.rows += 1;
        totals.length += length;
    }

    /// Analyse a query and look its words up.
    pub fn query(&self, text: &str) -> Query {
        self.resolve(&text::analyze_query(text))
    }

    /// Look analysed query words up.
    pub fn resolve(&self, words: &[QueryTerm]) -> Query {
        let group = |word: &QueryTerm| {
            let forms = std::iter::once(&word.text).chain(&word.others);
            forms.filter_map(|form| self.dictionary.get(form.as_str()).copied()).collect()
        };
        Query { groups: words.iter().map(group).collect() }
    }

    /// Bytes on the heap, about.
    pub fn heap_bytes(&self) -> usize {
        let lists: usize = self.lists.iter().map(Postings::heap_bytes).sum();
        let documents: usize = self.documents.iter().flatten().map(|d| d.terms.len() * 4).sum();
        let names: usize = self.lists.len() * 40;
        lists
            + documents
            + names
            + self.lists.capacity() * size_of::<Postings>()
            + self.documents.capacity() * size_of::<Option<Document>>()
    }

    fn intern(&mut self, term: &str) -> u32 {
        if let Some(&id) = self.dictionary.get(term) {
            return id;
        }
        let id = self.lists.len() as u32;
        self.dictionary.insert(term.into(), id);
        self.lists.push(Postings::default());
        id
    }
}

#[cfg(test)]
mod tests;
