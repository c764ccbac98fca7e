//! Late interaction: how well a text answers each word of a query, by the table's own vectors.
//!
//! The vector of a word is the weighted sum of the rows of its pieces. A content word of the query
//! is answered by the word of the text whose vector has the largest cosine with it (MaxSim, Khattab
//! and Zaharia 2020), never less than zero. Function words of the query do not count.
//!
//! ```text
//! mean(text) = sum over w of |w| max over t of cos(w, t) / sum over w of |w|
//! ```
//!
//! Words that hold different numbers answer each other not at all: the table puts `1497` and `1439`
//! next to each other, and one is never what was asked when the other was.
//!
//! Here `w` runs over the query's content words, `t` over the words of the text, and `|w|` is the
//! length of the vector before it is scaled: the table gives rare words long ones.

use std::collections::HashMap;

use super::static_table::{StaticTable, for_each_word, normalise};
use crate::keyword::hash::TermHasher;
use crate::simd::{Path, dot_gamma};
use crate::text::analyze_query;

/// Content words of a query that are looked at.
pub const MAX_QUERY_WORDS: usize = 32;
/// Words of a text that are looked at.
pub const MAX_TEXT_WORDS: usize = 1024;

/// What late interaction says about a query and some texts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Interaction {
    /// Content words of the query that the table has a vector for.
    pub words: usize,
    /// Characters per piece of those words that have several: invented words fall into many small
    /// pieces. 0 without such words.
    pub letters_per_piece: f32,
    /// For each text, the weighted mean over the query's words; 0 without words.
    pub mean: Vec<f32>,
    /// For each text, the smallest cosine over the query's words; 0 without words.
    pub weakest: Vec<f32>,
}

/// A content word of a query, and how near a text comes to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Nearest {
    /// The word, folded.
    pub word: String,
    /// Length of its vector: rare words have long ones.
    pub weight: f32,
    /// The largest cosine with a word of the text, never below zero.
    pub cosine: f32,
}

#[derive(Default)]
struct Query {
    words: Vec<String>,
    /// Unit vectors, row by row.
    rows: Vec<f32>,
    weights: Vec<f32>,
    /// The number that each word holds, empty without one.
    numbers: Vec<String>,
    letters_per_piece: f32,
}

/// The words of the texts, each described once.
///
/// A text is answered by its nearest word, so a cosine is estimated in f32 for every word, and
/// computed only for those that may be the nearest by what the estimate may be off.
struct Words<'a, Data> {
    table: &'a StaticTable<Data>,
    query: &'a Query,
    simd: Path,
    /// No estimate is off by more.
    margin: f32,
    places: HashMap<Box<str>, usize, TermHasher>,
    /// Pieces of all words, one word after the other, and where each word's end.
    pieces: Vec<u32>,
    ends: Vec<usize>,
    /// A value for each word and word of the query; computed ones are NaN until asked for.
    estimated: Vec<f32>,
    computed: Vec<f32>,
    row: Vec<f32>,
}

impl<'a, Data: AsRef<[u8]>> Words<'a, Data> {
    fn new(table: &'a StaticTable<Data>, query: &'a Query) -> Self {
        // The products of the row with the query's word and with itself, and a few roundings more.
        let margin = (4.0 * dot_gamma(table.dim()) + 1e-6) as f32;
        Self {
            table,
            query,
            simd: Path::detect(),
            margin,
            places: HashMap::default(),
            pieces: Vec::new(),
            ends: Vec::new(),
            estimated: Vec::new(),
            computed: Vec::new(),
            row: vec![0.0; table.dim()],
        }
    }

    /// The place of a word, which is described if it is new.
    fn place(&mut self, word: &str) -> usize {
        if let Some(&place) = self.places.get(word) {
            return place;
        }
        let place = self.ends.len();
        self.table.split(word, &mut self.pieces);
        self.ends.push(self.pieces.len());
        self.places.insert(word.into(), place);
        self.sum(place);
        let length = self.simd.dot_f32(&self.row, &self.row).sqrt();
        let factor = if length > 0.0 { 1.0 / length } else { 0.0 };
        let number = number_in(word);
        let rows = self.query.rows.chunks_exact(self.table.dim());
        for (other, asked) in rows.zip(&self.query.numbers) {
            let another = !number.is_empty() && !asked.is_empty() && *asked != number;
            let estimate = if another { 0.0 } else { self.simd.dot_f32(other, &self.row) * factor };
            self.estimated.push(estimate);
            self.computed.push(if another { 0.0 } else { f32::NAN });
        }
        place
    }

    /// Put the places of a text's words, in their order, into `places`.
    fn places_of(&mut self, text: &str, places: &mut Vec<usize>) {
        places.clear();
        for_each_word(text, |word| {
            if places.len() < MAX_TEXT_WORDS {
                places.push(self.place(word));
            }
        });
    }

    /// The largest cosine of a word of the query with the words at some places, or zero.
    fn nearest(&mut self, asked: usize, places: &[usize]) -> f32 {
        let words = self.query.weights.len();
        let estimates = places.iter().map(|place| self.estimated[place * words + asked]);
        let floor = estimates.fold(0.0, f32::max) - 2.0 * self.margin;
        let mut best = 0.0f32;
        for &place in places {
            if self.estimated[place * words + asked] >= floor {
                best = best.max(self.cosine(asked, place));
            }
        }
        best
    }

    /// The cosine of a word of the query with the word at a place. The canonical product gives the
    /// same value on every machine.
    fn cosine(&mut self, asked: usize, place: usize) -> f32 {
        let at = place * self.query.weights.len() + asked;
        if self.computed[at].is_nan() {
            self.sum(place);
            let length = self.simd.dot_canonical(&self.row, &self.row).sqrt();
            let dim = self.table.dim();
            let other = &self.query.rows[asked * dim..(asked + 1) * dim];
            let product = self.simd.dot_canonical(other, &self.row);
            self.computed[at] = if length > 0.0 { (product / length) as f32 } else { 0.0 };
        }
        self.computed[at]
    }

    /// Sum the weighted rows of the pieces of the word at a place into `row`.
    fn sum(&mut self, place: usize) {
        let begin = if place == 0 { 0 } else { self.ends[place - 1] };
        self.row.fill(0.0);
        for &piece in &self.pieces[begin..self.ends[place]] {
            self.table.add(piece, self.table.weight(piece), &mut self.row);
        }
    }
}

impl<Data: AsRef<[u8]>> StaticTable<Data> {
    /// Compare the words of a query with those of texts.
    pub fn interact<T: AsRef<str>>(&self, query: &str, texts: &[T]) -> Interaction {
        let query = self.query_words(query);
        let words = query.weights.len();
        let mut result = Interaction {
            words,
            letters_per_piece: query.letters_per_piece,
            mean: vec![0.0; texts.len()],
            weakest: vec![0.0; texts.len()],
        };
        if words == 0 {
            return result;
        }
        let total: f32 = query.weights.iter().sum();
        let mut known = Words::new(self, &query);
        let mut places = Vec::new();
        for (at, text) in texts.iter().enumerate() {
            known.places_of(text.as_ref(), &mut places);
            let (mut sum, mut weakest) = (0.0, 1.0f32);
            for (asked, weight) in query.weights.iter().enumerate() {
                let best = known.nearest(asked, &places);
                sum += best * weight;
                weakest = weakest.min(best);
            }
            result.mean[at] = sum / total;
            result.weakest[at] = weakest;
        }
        result
    }

    /// Tell how near a text comes to each content word of a query that has a vector, in their order.
    pub fn nearest_words(&self, query: &str, text: &str) -> Vec<Nearest> {
        let query = self.query_words(query);
        let mut known = Words::new(self, &query);
        let mut places = Vec::new();
        known.places_of(text, &mut places);
        let described = query.words.iter().zip(&query.weights).enumerate();
        described
            .map(|(at, (word, &weight))| {
                let cosine = known.nearest(at, &places);
                Nearest { word: word.clone(), weight, cosine }
            })
            .collect()
    }

    fn query_words(&self, text: &str) -> Query {
        let mut words: Vec<String> = Vec::new();
        for_each_word(text, |word| {
            if words.len() < MAX_QUERY_WORDS
                && !words.iter().any(|known| known == word)
                && !analyze_query(word).is_empty()
            {
                words.push(word.to_owned());
            }
        });
        let mut query = Query::default();
        let (mut letters, mut spelt) = (0.0, 0);
        for word in &words {
            let mut row = vec![0.0; self.dim()];
            let pieces = self.sum_pieces(word, &mut row);
            let length = normalise(&mut row);
            if length > 0.0 {
                // A word of one character, as CJK is cut, says nothing about its spelling.
                let chars = word.chars().count();
                if chars > 1 {
                    letters += chars as f32 / pieces as f32;
                    spelt += 1;
                }
                query.rows.extend_from_slice(&row);
                query.weights.push(length);
                query.numbers.push(number_in(word));
                query.words.push(word.clone());
            }
        }
        query.letters_per_piece = letters / spelt.max(1) as f32;
        query
    }

    /// Add the weighted rows of a word's pieces to `row`; return their number.
    fn sum_pieces(&self, word: &str, row: &mut [f32]) -> usize {
        let mut tokens = Vec::new();
        self.split(word, &mut tokens);
        for &token in &tokens {
            self.add(token, self.weight(token), row);
        }
        tokens.len()
    }
}

/// The digits of a word without leading zeros (`07` is `7`); empty where there are none.
fn number_in(word: &str) -> String {
    let digits: String = word.chars().filter(|c| c.is_numeric()).collect();
    match digits.trim_start_matches('0') {
        "" if !digits.is_empty() => "0".to_owned(),
        number => number.to_owned(),
    }
}

#[cfg(test)]
#[path = "interaction_tests.rs"]
mod tests;
