//! Stems of the words that a thread met last: the same words come again and again, and a query has
//! each stemmed in every language.

use std::cell::RefCell;

use waken_snowball::Algorithm;

use super::language::Language;
use crate::keyword::hash::term_hash;

/// Stems that are kept, a power of two.
const KEPT: usize = 2_048;
/// Longest word whose stem is kept, bytes: longer ones are rarely words, and rarely come again.
const LONGEST: usize = 32;

thread_local! {
    static STEMS: RefCell<Vec<Stem>> = const { RefCell::new(Vec::new()) };
}

/// A word of a language and its stem.
#[derive(Default, Clone)]
struct Stem {
    language: u8,
    word: String,
    stem: String,
}

/// Append the stem of a word by the algorithm of its language.
pub(super) fn stem_into(language: Language, algorithm: Algorithm, word: &str, out: &mut String) {
    if word.is_empty() || word.len() > LONGEST {
        out.push_str(&waken_snowball::stem(algorithm, word));
        return;
    }
    STEMS.with_borrow_mut(|stems| {
        if stems.is_empty() {
            stems.resize(KEPT, Stem::default());
        }
        // Two words at one place take turns; the middle bits of the product are its best.
        let at = (term_hash(word) >> 24) as usize ^ (language as usize * (KEPT / 8 + 1));
        let kept = &mut stems[at % KEPT];
        if kept.language != language as u8 || kept.word != word {
            kept.language = language as u8;
            word.clone_into(&mut kept.word);
            waken_snowball::stem(algorithm, word).as_ref().clone_into(&mut kept.stem);
        }
        out.push_str(&kept.stem);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kept_stem_is_the_one_that_would_be_made() {
        let languages = [
            (Language::English, Algorithm::English),
            (Language::German, Algorithm::German),
            (Language::Russian, Algorithm::Russian),
        ];
        for round in 0..3 {
            for number in 0..KEPT {
                let word = ["houses", "running", "häuser", "отчётами", ""][number % 5].to_owned()
                    + &"e".repeat(number % 40)
                    + &(number / 7).to_string();
                for (language, algorithm) in languages {
                    let mut stem = String::from("before ");
                    stem_into(language, algorithm, &word, &mut stem);
                    let expected = waken_snowball::stem(algorithm, &word);
                    assert_eq!(stem, format!("before {expected}"), "{word}, round {round}");
                }
            }
        }
    }
}
