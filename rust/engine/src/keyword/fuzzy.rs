//! Terms that resemble a query word: typing errors and inflection that no stemmer undoes.
//!
//! The vocabulary grows far slower than the rows, so the 3-grams are indexed by term, not by row:
//! a query word is widened to the terms that share enough of its 3-grams and are close in spelling.
//! Only words of letters take part: `ERR-4042` and `ERR-4043` are not the same thing.

use std::cell::RefCell;

use crate::text::grams::for_each_gram;

/// Terms that a query word is widened to, at most.
const MOST_TERMS: usize = 8;
/// Letters below which words are too short to be told from each other.
const SHORTEST: usize = 4;

/// Whether a term takes part: letters only, enough of them, and no mark of a language.
pub fn takes_part(term: &str) -> bool {
    term.chars().nth(SHORTEST - 1).is_some() && term.chars().all(char::is_alphabetic)
}

/// The distinct 3-grams of a word, in ascending order.
pub fn grams_of(word: &str) -> Vec<u64> {
    let mut grams = Vec::new();
    for_each_gram(word, |gram| grams.push(gram));
    grams.sort_unstable();
    grams.dedup();
    grams
}

/// The terms of a vocabulary.
pub trait Vocabulary {
    /// Number of term ids.
    fn terms(&self) -> usize;
    /// Call `each` with the terms that hold a gram.
    fn with_gram(&self, gram: u64, each: impl FnMut(u32));
    /// The spelling of a term in UTF-8.
    fn spelling(&self, term: u32) -> &[u8];
}

/// Terms that resemble a word, with their likeness in (0, 1), best first, ties by id; the word
/// itself is not among them.
pub fn resembling(word: &str, vocabulary: &impl Vocabulary) -> Vec<(u32, f32)> {
    if !takes_part(word) {
        return Vec::new();
    }
    let grams = grams_of(word);
    let candidates = sharing(&grams, vocabulary);
    let letters: Vec<char> = word.chars().collect();
    let mut rows = Rows::default();
    let mut alike = |term: &[u8]| {
        // Most candidates are no more alike than a few letters, so that nothing is copied first.
        if word.is_ascii() && term.is_ascii() {
            return likeness(word.as_bytes(), term, &mut rows);
        }
        let term: Vec<char> = std::str::from_utf8(term).unwrap_or_default().chars().collect();
        likeness(&letters, &term, &mut rows)
    };
    let mut similar: Vec<(u32, f32)> = candidates
        .into_iter()
        .filter_map(|term| Some((term, alike(vocabulary.spelling(term))?)))
        .collect();
    similar.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
    similar.truncate(MOST_TERMS);
    similar
}

thread_local! {
    /// Grams that each term shares with a word. A vocabulary is larger than what the allocator
    /// keeps at hand, so that a table made for each word would be mapped and cleared by the system.
    static SHARED: RefCell<Vec<u8>> = RefCell::default();
}

/// Terms that share enough grams with a word to be looked at.
fn sharing(grams: &[u64], vocabulary: &impl Vocabulary) -> Vec<u32> {
    let enough = (grams.len() / 3).max(2) as u8;
    let mut candidates = Vec::new();
    SHARED.with_borrow_mut(|shared| {
        shared.clear();
        shared.resize(vocabulary.terms(), 0);
        for &gram in grams {
            vocabulary.with_gram(gram, |term| {
                if let Some(count) = shared.get_mut(term as usize) {
                    *count = count.saturating_add(1);
                    if *count == enough {
                        candidates.push(term);
                    }
                }
            });
        }
    });
    candidates
}

/// Three rows of the table of edits, kept from one pair of words to the next.
type Rows = [Vec<usize>; 3];

/// How much a term resembles a word: few edits for their length, or a long common beginning.
fn likeness<Letter: PartialEq>(word: &[Letter], term: &[Letter], rows: &mut Rows) -> Option<f32> {
    let (short, long) = (word.len().min(term.len()), word.len().max(term.len()));
    let prefix = word.iter().zip(term).take_while(|(left, right)| left == right).count();
    let allowed = if short < 8 { 1 } else { 2 };
    let edits = if long - short <= allowed { edits(word, term, allowed, rows) } else { None };
    let by_edits = edits.filter(|&edits| edits > 0).map(|edits| 1.0 - edits as f32 / short as f32);
    let inflected = long > prefix && prefix >= 4 && prefix * 10 >= long * 6;
    let by_prefix = inflected.then(|| 0.9 * prefix as f32 / long as f32);
    match (by_edits, by_prefix) {
        (Some(left), Some(right)) => Some(left.max(right)),
        (left, right) => left.or(right),
    }
}

/// Optimal string alignment distance (insert, delete, replace, swap neighbours), if it is at most
/// `allowed`.
fn edits<Letter: PartialEq>(
    left: &[Letter],
    right: &[Letter],
    allowed: usize,
    rows: &mut Rows,
) -> Option<usize> {
    for row in rows.iter_mut() {
        row.clear();
        row.extend(0..=right.len());
    }
    for (i, c) in left.iter().enumerate() {
        let [before, last, row] = &mut *rows;
        row[0] = i + 1;
        for (j, d) in right.iter().enumerate() {
            let mut cost = (last[j] + usize::from(c != d)).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *c == right[j - 1] && left[i - 1] == *d {
                cost = cost.min(before[j - 1] + 1);
            }
            row[j + 1] = cost;
        }
        if row.iter().all(|&cost| cost > allowed) {
            return None;
        }
        rows.rotate_left(1);
    }
    Some(rows[1][right.len()]).filter(|&cost| cost <= allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn like(word: &str, term: &str) -> Option<f32> {
        let [word, term] = [word, term].map(|text| text.chars().collect::<Vec<_>>());
        likeness(&word, &term, &mut Rows::default())
    }

    #[test]
    fn few_edits_or_a_long_beginning_make_words_alike() {
        assert!(like("databs", "databas") > Some(0.8));
        assert!(like("reciev", "receiv") > Some(0.8));
        assert!(like("kubernets", "kubernetes") > Some(0.8));
        assert!(like("переезд", "переезжа") > Some(0.5));
        assert!(like("wohnung", "wohnungssuch").is_none());
        assert!(like("test", "rest") > Some(0.7));
        assert!(like("postgres", "postgres").is_none());
        assert!(like("alice", "bob").is_none());
        assert!(like("staging", "tracing").is_none());
    }

    #[test]
    fn identifiers_have_no_neighbours() {
        assert!(!takes_part("err4042") && !takes_part("haus~de") && !takes_part("c++"));
        assert!(takes_part("haus") && !takes_part("tee"));
    }
}
