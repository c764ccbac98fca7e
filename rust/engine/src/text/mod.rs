//! Text analysis: one function for writing and querying.
//!
//! Text is folded ([`fold`]), cut into words and identifiers ([`tokens`]) and stemmed by language
//! ([`language`]). Documents keep their function words (phrases need them), queries drop them, so
//! that a function word alone matches nothing. Terms never hold white space and have at most
//! [`tokens::MAX_TERM_CHARS`] characters and a mark.

pub mod fold;
pub mod grams;
mod korean;
pub mod language;
mod many;
pub mod script;
mod stems;
mod stopwords;
pub mod tokens;

use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;

use language::{Evidence, Language};
pub use many::{Analyzed, analyze_all};
use script::Script;
use tokens::{Sink, Word};

/// Rises whenever the terms of some text change, so that stored terms can be made anew.
pub const ANALYSIS_VERSION: u32 = 1;

/// A term of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// The term.
    pub text: String,
    /// Counts as a word of the document; other forms of a word and uncut identifiers do not.
    pub primary: bool,
}

/// A word of a query: any of its forms answers it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryTerm {
    /// The form that a document in the default language has.
    pub text: String,
    /// The folded spelling, before stemming.
    pub surface: String,
    /// Forms that documents in other languages have.
    pub others: Vec<String>,
}

impl QueryTerm {
    /// All forms, that of the default language first.
    pub fn forms(&self) -> impl Iterator<Item = &String> {
        std::iter::once(&self.text).chain(&self.others)
    }
}

/// The terms of a document, in reading order, with repetitions.
pub fn analyze(text: &str) -> Vec<Term> {
    let mut terms = Vec::new();
    analyze_into(text, |term, primary| terms.push(Term { text: term.to_owned(), primary }));
    terms
}

/// As [`analyze`], without allocating a term.
pub fn analyze_into(text: &str, emit: impl FnMut(&str, bool)) {
    cut_document(text, emit);
}

fn cut_document(text: &str, emit: impl Emit) {
    let folded = fold::fold(text);
    let language = evidence(text, &folded).of_document();
    let mut sink = DocumentSink { language, stem: String::new(), emit };
    tokens::cut(&folded, &mut sink);
}

/// The number of words of a document: its length for bm25.
pub fn count_words(text: &str) -> usize {
    let mut words = 0;
    analyze_into(text, |_, primary| words += usize::from(primary));
    words
}

/// Characters of a document that are looked at for each word which [`count_beyond`] may count.
const CHARS_A_WORD: usize = 64;

/// How many different words a document says beyond what is known, function words left out.
///
/// Counting ends at `most`, and so does the work: of a long text only the beginning is looked at.
/// `known` holds terms; a word is known by any of its own.
pub fn count_beyond(text: &str, known: &HashSet<String>, most: usize) -> usize {
    let end = text.char_indices().nth(most * CHARS_A_WORD).map_or(text.len(), |(at, _)| at);
    let folded = fold::fold(&text[..end]);
    let language = evidence(&text[..end], &folded).of_document();
    let words = StopWords { language, mixed_case: folded.chars().any(char::is_lowercase) };
    let mut sink =
        BeyondSink { words, known, most, found: Vec::with_capacity(most), stem: String::new() };
    tokens::cut(&folded, &mut sink);
    sink.found.len()
}

/// The terms of a query, each once, without function words.
pub fn analyze_query(text: &str) -> Vec<Rc<QueryTerm>> {
    let folded = fold::fold(text);
    let language = evidence(text, &folded).of_query();
    let mixed_case = folded.chars().any(char::is_lowercase);
    let words = StopWords { language, mixed_case };
    let mut sink = QuerySink { words, terms: Vec::new() };
    tokens::cut(&folded, &mut sink);
    sink.terms
}

thread_local! {
    static LAST_QUERY: RefCell<(String, Rc<[Rc<QueryTerm>]>)> = RefCell::default();
}

/// As [`analyze_query`]; the words of a thread's last query are kept, for one question is looked
/// at several times and stemming in every language costs more than the rest of the analysis.
pub fn query_words(text: &str) -> Rc<[Rc<QueryTerm>]> {
    LAST_QUERY.with_borrow_mut(|(last, words)| {
        if last != text {
            *words = analyze_query(text).into();
            text.clone_into(last);
        }
        Rc::clone(words)
    })
}

/// The terms of a document as one string for a full-text table: separated by spaces, each made of
/// characters that FTS5's `unicode61` tokenizer takes for letters (see [`fts_term`]).
pub fn fts_terms(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    analyze_into(text, |term, _| {
        if !joined.is_empty() {
            joined.push(' ');
        }
        joined.extend(term.chars().map(fts_char));
    });
    joined
}

/// One term in the spelling of [`fts_terms`].
pub fn fts_term(term: &str) -> String {
    term.chars().map(fts_char).collect()
}

/// Letters and digits of common scripts stay; everything else moves to the private use areas,
/// whose characters are part of tokens for FTS5 whatever Unicode version it knows.
fn fts_char(c: char) -> char {
    const PRIVATE: u32 = 0xF_0000;
    const PRIVATE_ASCII: u32 = 0xE000;
    let code = c as u32;
    let known = c.is_ascii_alphanumeric()
        || matches!(code, 0x00C0..=0x024F | 0x0370..=0x0481 | 0x048A..=0x0523
            | 0x3041..=0x3096 | 0x30A1..=0x30FA | 0x4E00..=0x9FCC | 0xAC00..=0xD7A3)
            && c.is_alphabetic();
    if known || code >= 0x1_0000 {
        return c;
    }
    let offset = if c.is_ascii() { PRIVATE_ASCII } else { PRIVATE };
    char::from_u32(offset + code).unwrap_or(c)
}

/// Words that are looked at to tell the language: bounds the work on long texts.
const WORDS_OF_EVIDENCE: usize = 2_000;

pub(crate) fn evidence(text: &str, folded: &str) -> Evidence {
    let mut evidence = Evidence::of_letters(text);
    let mut lower = String::new();
    let words = folded.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
    for word in words.take(WORDS_OF_EVIDENCE) {
        lower.clear();
        fold::lower_into(word, &mut lower);
        evidence.add(&lower);
    }
    evidence
}

impl Word<'_> {
    /// Write the stem in the default language of the word's script, in place of what was there.
    fn stem_into(&self, out: &mut String) {
        out.clear();
        match self.script {
            Script::Latin => Language::English.stem_into(self.lower, out),
            Script::Cyrillic => Language::Russian.stem_into(self.lower, out),
            _ => out.push_str(self.lower),
        }
    }
}

/// What the terms of a document are found for.
trait Emit {
    /// A term, and whether it counts as a word.
    fn term(&mut self, term: &str, primary: bool);

    /// A word that stands for its stem; `stem` is room to write it to.
    fn stemmed(&mut self, word: &Word<'_>, stem: &mut String) {
        word.stem_into(stem);
        self.term(stem, word.primary);
    }
}

impl<F: FnMut(&str, bool)> Emit for F {
    fn term(&mut self, term: &str, primary: bool) {
        self(term, primary);
    }
}

struct DocumentSink<E> {
    language: Language,
    stem: String,
    emit: E,
}

impl<E: Emit> Sink for DocumentSink<E> {
    fn word(&mut self, word: &Word<'_>) {
        self.emit.stemmed(word, &mut self.stem);
        if word.script == Script::Latin && self.language != Language::English {
            self.stem.clear();
            self.language.stem_into(word.lower, &mut self.stem);
            self.emit.term(&self.stem, false);
        }
    }

    fn exact(&mut self, term: &str, primary: bool) {
        self.emit.term(term, primary);
    }

    fn wants_single_characters(&self) -> bool {
        true
    }
}

/// Tells the function words of a text.
struct StopWords {
    language: Language,
    mixed_case: bool,
}

impl StopWords {
    fn hold(&self, word: &Word<'_>) -> bool {
        let acronym = self.mixed_case && word.shouted && Language::is_acronym(word.lower);
        match word.script {
            Script::Latin => self.language.is_stop_word(word.lower) && !acronym,
            Script::Cyrillic => Language::Russian.is_stop_word(word.lower),
            _ => false,
        }
    }
}

struct QuerySink {
    words: StopWords,
    terms: Vec<Rc<QueryTerm>>,
}

impl QuerySink {
    fn push(&mut self, term: Rc<QueryTerm>) {
        // Queries are short; a whole document given as a query is cut off.
        const MOST_TERMS: usize = 256;
        if self.terms.len() < MOST_TERMS && self.terms.iter().all(|t| t.text != term.text) {
            self.terms.push(term);
        }
    }
}

impl Sink for QuerySink {
    fn word(&mut self, word: &Word<'_>) {
        if !self.words.hold(word) {
            self.push(stems::query_term(word));
        }
    }

    fn exact(&mut self, term: &str, _primary: bool) {
        self.push(Rc::new(QueryTerm {
            text: term.to_owned(),
            surface: term.to_owned(),
            others: Vec::new(),
        }));
    }

    fn wants_single_characters(&self) -> bool {
        false
    }
}

struct BeyondSink<'a> {
    words: StopWords,
    known: &'a HashSet<String>,
    most: usize,
    found: Vec<String>,
    stem: String,
}

impl BeyondSink<'_> {
    fn push(&mut self, term: &str) {
        if !self.known.contains(term) && self.found.iter().all(|other| other != term) {
            self.found.push(term.to_owned());
        }
    }
}

impl Sink for BeyondSink<'_> {
    fn word(&mut self, word: &Word<'_>) {
        if self.found.len() >= self.most || !word.primary || self.words.hold(word) {
            return;
        }
        let language = self.words.language;
        let mut stem = std::mem::take(&mut self.stem);
        if word.script == Script::Latin && language != Language::English {
            stem.clear();
            language.stem_into(word.lower, &mut stem);
            if self.known.contains(&stem) {
                self.stem = stem;
                return;
            }
        }
        word.stem_into(&mut stem);
        self.push(&stem);
        self.stem = stem;
    }

    fn exact(&mut self, term: &str, primary: bool) {
        if primary && self.found.len() < self.most {
            self.push(term);
        }
    }

    fn wants_single_characters(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests;
