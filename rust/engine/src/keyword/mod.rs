//! The keyword index: bm25 over analysed text, exact and incremental.
//!
//! Rows are addressed by slot. A posting holds term frequency and document length, so statistics
//! can be those of the scopes a query may see without touching the postings: idf and mean length
//! are computed at query time. Search sums up word by word, from the most to the least telling, and
//! stops when the words that are left cannot lift an unseen row into the best k ([`collect`]); rows
//! that survive are scored in full, in query order. So scores and order equal those of exhaustive
//! scoring, bit for bit.
//!
//! An index is a *base*, an immutable block of bytes that may be mapped and shared ([`flat`]), and
//! what changed since, in memory. A row of the base that was removed or replaced is *dead*.

mod bridge;
mod collect;
mod counts;
pub mod flat;
mod fuzzy;
pub(crate) mod hash;
pub mod length;
mod postings;
mod regions;
mod score;
mod search;
mod writing;

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::rc::Rc;

use crate::EngineError;
use crate::text::{self, Analyzed, QueryTerm};
pub use bridge::{RareWords, asked};
use flat::FlatIndex;
pub use flat::SharedBytes;
use hash::TermHasher;
use postings::{ListView, Postings};
use regions::Regions;
pub use search::{Hit, Match, Plan, Statistics};

/// The id of a term that no row holds.
const UNKNOWN: u32 = u32::MAX;

type Map<Key, Value> = HashMap<Key, Value, TermHasher>;

/// A row that is not in the base.
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
    base: Option<FlatIndex>,
    base_terms: u32,
    base_slots: u32,
    regions: Regions,
    /// One bit a base slot: set where it is empty, or its row is gone, replaced or moved.
    dead: Vec<u64>,
    /// Dead postings of each base term.
    dead_postings: Map<u32, u32>,
    /// Terms that are not in the base; their ids follow the base's.
    dictionary: Map<Box<str>, u32>,
    names: Vec<Box<str>>,
    lists: Vec<Postings>,
    /// What base terms got since.
    added: Map<u32, Postings>,
    grams: Map<u64, Vec<u32>>,
    /// Rows at slots that the base has, and rows behind them.
    replaced: Map<u32, Document>,
    appended: Vec<Option<Document>>,
    totals: BTreeMap<u32, ScopeTotals>,
    counts: counts::Counts,
}

/// A query, resolved against the dictionary: one group a word, its forms with their weights.
#[derive(Debug, Clone, Default)]
pub struct Query {
    groups: Vec<Vec<Form>>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Form {
    term: u32,
    /// 1 for a form of the word itself, less for a term that only resembles it.
    weight: f64,
}

impl Query {
    /// Whether nothing is asked for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }
}

impl KeywordIndex {
    /// An empty index.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// An index over what [`KeywordIndex::to_bytes`] wrote, read in place.
    ///
    /// # Errors
    /// `Snapshot` for bytes of another format; the caller rebuilds.
    pub fn open(owner: SharedBytes, range: Range<usize>) -> Result<Self, EngineError> {
        let base = FlatIndex::open(owner, range)?;
        let mut index = Self {
            base_terms: base.terms() as u32,
            base_slots: base.slots() as u32,
            dead: vec![0; base.slots().div_ceil(64)],
            ..Self::default()
        };
        for slot in 0..index.base_slots {
            match base.row(slot) {
                Some((scope, length)) => {
                    index.count_in(scope, length);
                    index.regions.note(slot, scope);
                }
                None => index.dead[slot as usize / 64] |= 1 << (slot % 64),
            }
        }
        index.base = Some(base);
        Ok(index)
    }

    /// Number of indexed rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.totals.values().map(|totals| totals.rows as usize).sum()
    }

    /// Whether no row is indexed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.totals.is_empty()
    }

    /// Number of slots, empty ones included.
    #[must_use]
    pub fn slots(&self) -> u32 {
        self.base_slots + self.appended.len() as u32
    }

    /// Number of distinct terms, those that lost their last row included.
    #[must_use]
    pub fn terms(&self) -> usize {
        self.base_terms as usize + self.names.len()
    }

    /// The scope of an indexed row.
    #[must_use]
    pub fn scope_of(&self, slot: u32) -> Option<u32> {
        self.row(slot).map(|(scope, _)| scope)
    }

    /// Analyse a text and index it under a slot, in place of what was there.
    pub fn upsert_text(&mut self, slot: u32, scope: u32, text: &str) {
        let analyzed = text::analyze_all(&[text]);
        let ids = self.ids_of(&analyzed);
        self.upsert(slot, scope, analyzed.text(0), &ids);
    }

    /// The ids of the distinct terms of some texts, by number: each is looked up once.
    pub fn ids_of(&mut self, analyzed: &Analyzed) -> Vec<u32> {
        analyzed.spellings().map(|term| self.intern(term)).collect()
    }

    /// Index a row under a slot, in place of what was there: the numbers of its terms and how many
    /// are words (see [`Analyzed::text`]), with the ids of all numbers.
    pub fn upsert(&mut self, slot: u32, scope: u32, row: (&[u32], u32), ids: &[u32]) {
        self.remove(slot);
        let (terms, words) = row;
        let length = length::encode(words.max(1));
        let mut ids: Vec<u32> = terms.iter().map(|&number| ids[number as usize]).collect();
        ids.sort_unstable();
        for run in ids.chunk_by(|left, right| left == right) {
            self.list_mut(run[0]).insert(slot, [run.len().min(255) as u8, length]);
        }
        ids.dedup();
        self.counts.came(scope, &ids);
        self.count_in(scope, length);
        self.set_document(slot, Document { scope, length, terms: ids.into() });
    }

    /// Forget a row; an unknown slot is none.
    pub fn remove(&mut self, slot: u32) {
        let Some((scope, length)) = self.row(slot) else { return };
        self.count_out(scope, length);
        if let Some(document) = self.take_document(slot) {
            self.counts.went(scope, document.terms.iter().copied());
            for &term in &document.terms {
                self.list_mut(term).remove(slot);
            }
        } else if let Some(base) = &self.base {
            let terms: Vec<u32> = base.row_terms(slot).collect();
            self.counts.went(scope, terms.iter().copied());
            self.dead[slot as usize / 64] |= 1 << (slot % 64);
            for term in terms {
                *self.dead_postings.entry(term).or_insert(0) += 1;
            }
        }
    }

    /// Move an indexed row to another scope; an unknown slot is none.
    pub fn set_scope(&mut self, slot: u32, scope: u32) {
        let Some((before, length)) = self.row(slot) else { return };
        if before == scope {
            return;
        }
        self.counts.clear();
        if self.document(slot).is_none() {
            self.unshare(slot);
        }
        self.count_out(before, length);
        self.count_in(scope, length);
        if let Some(document) = self.document_mut(slot) {
            document.scope = scope;
        }
    }

    /// Copy a living base row into memory.
    fn unshare(&mut self, slot: u32) {
        let Some(base) = self.base.clone() else { return };
        let Some((scope, length)) = self.row(slot) else { return };
        let terms: Box<[u32]> = base.row_terms(slot).collect();
        self.remove(slot);
        for &term in &terms {
            let list = base.list(term);
            if let Some(at) = list.find(slot) {
                self.list_mut(term).insert(slot, list.impacts[at]);
            }
        }
        self.count_in(scope, length);
        self.set_document(slot, Document { scope, length, terms });
    }

    /// Analyse a query and look its words up.
    #[must_use]
    pub fn query(&self, text: &str) -> Query {
        self.resolve(&text::query_words(text))
    }

    /// As [`KeywordIndex::query`], widened to terms that resemble the words: a row that holds only
    /// those scores their likeness squared, so the scores are a signal of their own beside bm25.
    #[must_use]
    pub fn fuzzy_query(&self, text: &str) -> Query {
        let words = text::query_words(text);
        let mut query = self.resolve(&words);
        for (group, word) in query.groups.iter_mut().zip(words.iter()) {
            let similar = fuzzy::resembling(&word.text, self);
            group.extend(similar.into_iter().map(|(term, likeness)| Form {
                term,
                weight: f64::from(likeness) * f64::from(likeness),
            }));
        }
        query
    }

    /// Look analysed query words up; those of two indexes have the same forms.
    #[must_use]
    pub fn resolve(&self, words: &[Rc<QueryTerm>]) -> Query {
        let form = |form: &String| Form { term: self.find(form).unwrap_or(UNKNOWN), weight: 1.0 };
        let group = |word: &Rc<QueryTerm>| word.forms().map(form).collect();
        Query { groups: words.iter().map(group).collect() }
    }

    /// Scope and length code of a row.
    fn row(&self, slot: u32) -> Option<(u32, u8)> {
        if let Some(document) = self.document(slot) {
            return Some((document.scope, document.length));
        }
        self.base.as_ref().filter(|_| self.lives(slot))?.row(slot)
    }

    /// Whether the base's row at a slot still counts.
    fn lives(&self, slot: u32) -> bool {
        self.dead.get(slot as usize / 64).is_some_and(|word| word >> (slot % 64) & 1 == 0)
    }

    fn document(&self, slot: u32) -> Option<&Document> {
        match slot.checked_sub(self.base_slots) {
            Some(behind) => self.appended.get(behind as usize)?.as_ref(),
            None => self.replaced.get(&slot),
        }
    }

    fn document_mut(&mut self, slot: u32) -> Option<&mut Document> {
        match slot.checked_sub(self.base_slots) {
            Some(behind) => self.appended.get_mut(behind as usize)?.as_mut(),
            None => self.replaced.get_mut(&slot),
        }
    }

    fn take_document(&mut self, slot: u32) -> Option<Document> {
        match slot.checked_sub(self.base_slots) {
            Some(behind) => self.appended.get_mut(behind as usize)?.take(),
            None => self.replaced.remove(&slot),
        }
    }

    fn set_document(&mut self, slot: u32, document: Document) {
        let Some(behind) = slot.checked_sub(self.base_slots) else {
            self.replaced.insert(slot, document);
            return;
        };
        if self.appended.len() <= behind as usize {
            self.appended.resize_with(behind as usize + 1, || None);
        }
        self.appended[behind as usize] = Some(document);
    }

    fn count_in(&mut self, scope: u32, code: u8) {
        let totals = self.totals.entry(scope).or_default();
        totals.rows += 1;
        totals.length += u64::from(length::decode(code));
    }

    fn count_out(&mut self, scope: u32, code: u8) {
        if let Some(totals) = self.totals.get_mut(&scope) {
            totals.rows -= 1;
            totals.length -= u64::from(length::decode(code));
            if totals.rows == 0 {
                self.totals.remove(&scope);
            }
        }
    }

    fn find(&self, term: &str) -> Option<u32> {
        let based = self.base.as_ref().and_then(|base| base.find(term));
        based.or_else(|| self.dictionary.get(term).copied())
    }

    fn intern(&mut self, term: &str) -> u32 {
        if let Some(id) = self.find(term) {
            return id;
        }
        let id = self.terms() as u32;
        self.dictionary.insert(term.into(), id);
        self.names.push(term.into());
        self.lists.push(Postings::default());
        if fuzzy::takes_part(term) {
            for gram in fuzzy::grams_of(term) {
                self.grams.entry(gram).or_default().push(id);
            }
        }
        id
    }

    /// The base's list of a term, dead rows included.
    fn base_list(&self, term: u32) -> Option<ListView<'_>> {
        self.base.as_ref().filter(|_| term < self.base_terms).map(|base| base.list(term))
    }

    /// The list of a term in memory.
    fn list(&self, term: u32) -> Option<&Postings> {
        match term.checked_sub(self.base_terms) {
            Some(own) => self.lists.get(own as usize),
            None => self.added.get(&term),
        }
    }

    fn list_mut(&mut self, term: u32) -> &mut Postings {
        match term.checked_sub(self.base_terms) {
            Some(own) => &mut self.lists[own as usize],
            None => self.added.entry(term).or_default(),
        }
    }
}

impl fuzzy::Vocabulary for KeywordIndex {
    fn terms(&self) -> usize {
        self.terms()
    }

    fn with_gram(&self, gram: u64, mut each: impl FnMut(u32)) {
        if let Some(base) = &self.base {
            base.gram_terms(gram).for_each(&mut each);
        }
        if let Some(terms) = self.grams.get(&gram) {
            terms.iter().copied().for_each(each);
        }
    }

    fn spelling(&self, term: u32) -> &[u8] {
        match (term.checked_sub(self.base_terms), &self.base) {
            (Some(own), _) => self.names.get(own as usize).map_or(&[], |name| name.as_bytes()),
            (None, Some(base)) => base.name(term),
            (None, None) => &[],
        }
    }
}

#[cfg(test)]
mod tests;
