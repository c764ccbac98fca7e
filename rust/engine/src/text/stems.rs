//! Stems of the words that a thread met last: the same words come again and again, and a query has
//! each stemmed in every language.

use std::cell::RefCell;
use std::rc::Rc;

use waken_snowball::Algorithm;

use super::QueryTerm;
use super::language::{Language, MARKED};
use super::script::Script;
use super::tokens::Word;
use crate::keyword::hash::term_hash;

/// Stems that are kept, and words of queries, a power of two.
const KEPT: usize = 2_048;
/// Longest word whose stem is kept, bytes: longer ones are rarely words, and rarely come again.
const LONGEST: usize = 32;

thread_local! {
    static STEMS: RefCell<Vec<Stem>> = const { RefCell::new(Vec::new()) };
    static ASKED: RefCell<Vec<Option<Asked>>> = const { RefCell::new(Vec::new()) };
}

/// A word of a query: what it asks for depends on its script as well.
type Asked = (Script, Rc<QueryTerm>);

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
        let kept = &mut stems[(place_of(word) ^ (language as usize * (KEPT / 8 + 1))) % KEPT];
        if kept.language != language as u8 || kept.word != word {
            kept.language = language as u8;
            word.clone_into(&mut kept.word);
            waken_snowball::stem(algorithm, word).as_ref().clone_into(&mut kept.stem);
        }
        out.push_str(&kept.stem);
    });
}

/// What a query asks for by a word.
pub(super) fn query_term(word: &Word<'_>) -> Rc<QueryTerm> {
    if word.lower.len() > LONGEST {
        return Rc::new(asked_by(word));
    }
    ASKED.with_borrow_mut(|terms| {
        terms.resize(KEPT, None);
        let kept = &mut terms[place_of(word.lower) % KEPT];
        let known = kept
            .as_ref()
            .filter(|(script, term)| *script == word.script && term.surface == word.lower);
        if let Some((_, term)) = known {
            return Rc::clone(term);
        }
        let term = Rc::new(asked_by(word));
        *kept = Some((word.script, Rc::clone(&term)));
        term
    })
}

fn asked_by(word: &Word<'_>) -> QueryTerm {
    let mut text = String::new();
    word.stem_into(&mut text);
    let marked = |language: Language| {
        let mut stem = String::new();
        language.stem_into(word.lower, &mut stem);
        stem
    };
    let latin = word.script == Script::Latin;
    let others = if latin { MARKED.map(marked).into() } else { Vec::new() };
    QueryTerm { text, surface: word.lower.to_owned(), others }
}

/// Two words at one place take turns; the middle bits of the product are its best.
fn place_of(word: &str) -> usize {
    (term_hash(word) >> 24) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kept_word_asks_for_what_it_would_ask_for_anew() {
        for round in 0..3 {
            for number in 0..2 * KEPT {
                let lower =
                    ["houses", "häuser", "отчётами"][number % 3].to_owned() + &number.to_string();
                for script in [Script::Latin, Script::Cyrillic, Script::Digit] {
                    let word = Word { lower: &lower, script, shouted: false, primary: true };
                    assert_eq!(*query_term(&word), asked_by(&word), "{lower}, round {round}");
                }
            }
        }
    }

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
