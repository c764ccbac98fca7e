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
//! Here `w` runs over the query's content words, `t` over the words of the text, and `|w|` is the
//! length of the vector before it is scaled: the table gives rare words long ones.

use std::collections::HashMap;

use super::static_table::{StaticTable, for_each_word, normalise};
use crate::keyword::hash::TermHasher;
use crate::simd::Path;
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

struct Query {
    /// Unit vectors, row by row.
    rows: Vec<f32>,
    weights: Vec<f32>,
    letters_per_piece: f32,
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
        let mut known: HashMap<Box<str>, Vec<f32>, TermHasher> = HashMap::default();
        let mut best = vec![0.0f32; words];
        for (at, text) in texts.iter().enumerate() {
            best.fill(0.0);
            let mut seen = 0;
            for_each_word(text.as_ref(), |word| {
                seen += 1;
                if seen > MAX_TEXT_WORDS {
                    return;
                }
                if !known.contains_key(word) {
                    known.insert(word.into(), self.likeness(&query, word));
                }
                for (best, &cosine) in best.iter_mut().zip(&known[word]) {
                    *best = best.max(cosine);
                }
            });
            let sum: f32 =
                best.iter().zip(&query.weights).map(|(best, weight)| best * weight).sum();
            result.mean[at] = sum / total;
            result.weakest[at] = best.iter().copied().fold(1.0, f32::min);
        }
        result
    }

    /// The cosines of a word with those of the query.
    fn likeness(&self, query: &Query, word: &str) -> Vec<f32> {
        let mut row = vec![0.0; self.dim()];
        self.sum_pieces(word, &mut row);
        // The canonical product gives the same value on every machine.
        let simd = Path::detect();
        let length = simd.dot_canonical(&row, &row).sqrt();
        if length == 0.0 {
            return vec![0.0; query.weights.len()];
        }
        let cosine = |other: &[f32]| (simd.dot_canonical(other, &row) / length) as f32;
        query.rows.chunks_exact(self.dim()).map(cosine).collect()
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
        let mut query = Query { rows: Vec::new(), weights: Vec::new(), letters_per_piece: 0.0 };
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

#[cfg(test)]
#[path = "interaction_tests.rs"]
mod tests;
