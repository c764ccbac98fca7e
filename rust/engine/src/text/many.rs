//! Analysis of many texts at once: words repeat, so each is stemmed and each term kept only once.

use super::tokens::Word;
use super::{Emit, cut_document};
use crate::keyword::hash::term_hash;

/// The terms of many texts: each text as the numbers of its terms.
#[derive(Debug, Default)]
pub struct Analyzed {
    spellings: Numbered,
    terms: Vec<u32>,
    texts: Vec<Extent>,
}

/// One text: where its terms end, and how many of them count as words.
#[derive(Debug, Clone, Copy)]
struct Extent {
    end: usize,
    words: u32,
}

/// Analyse texts; to be done before an index is locked.
#[must_use]
pub fn analyze_all<T: AsRef<str>>(texts: &[T]) -> Analyzed {
    let mut collector = Collector::default();
    for text in texts {
        collector.words_of_text = 0;
        cut_document(text.as_ref(), &mut collector);
        let found = &mut collector.found;
        found.texts.push(Extent { end: found.terms.len(), words: collector.words_of_text });
    }
    collector.found
}

impl Analyzed {
    /// Number of texts.
    #[must_use]
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there is no text.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// The distinct terms in the order in which they first came: a term's place is its number.
    pub fn spellings(&self) -> impl Iterator<Item = &str> {
        (0..self.spellings.ends.len()).map(|number| self.spellings.get(number))
    }

    /// The terms of a text by number, in reading order, with repetitions; and how many of them are
    /// words of it (see [`super::Term::primary`]).
    #[must_use]
    pub fn text(&self, at: usize) -> (&[u32], u32) {
        let begin = at.checked_sub(1).map_or(0, |before| self.texts[before].end);
        let Extent { end, words } = self.texts[at];
        (&self.terms[begin..end], words)
    }
}

/// Notes the terms of one text after the other.
#[derive(Default)]
struct Collector {
    found: Analyzed,
    words_of_text: u32,
    words: Numbered,
    /// The term that each word is in the default language of its script.
    stems: Vec<u32>,
}

impl Collector {
    fn note(&mut self, term: u32, primary: bool) {
        self.found.terms.push(term);
        self.words_of_text += u32::from(primary);
    }
}

impl Emit for &mut Collector {
    fn term(&mut self, term: &str, primary: bool) {
        let term = self.found.spellings.number(term);
        self.note(term, primary);
    }

    fn stemmed(&mut self, word: &Word<'_>, stem: &mut String) {
        let number = self.words.number(word.lower) as usize;
        if number == self.stems.len() {
            word.stem_into(stem);
            self.stems.push(self.found.spellings.number(stem));
        }
        self.note(self.stems[number], word.primary);
    }
}

/// Distinct strings, numbered in the order in which they came, without an allocation for each.
#[derive(Debug, Default)]
struct Numbered {
    joined: String,
    ends: Vec<usize>,
    /// Open addressing, at most half full: the upper half of the hash and the number, from one.
    table: Vec<(u32, u32)>,
}

impl Numbered {
    fn get(&self, number: usize) -> &str {
        let begin = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.joined[begin..self.ends[number]]
    }

    fn number(&mut self, string: &str) -> u32 {
        if self.ends.len() * 2 >= self.table.len() {
            self.grow();
        }
        let hash = term_hash(string);
        let at = self.place(hash, |number| self.get(number) == string);
        if self.table[at].1 == 0 {
            self.joined.push_str(string);
            self.ends.push(self.joined.len());
            self.table[at] = ((hash >> 32) as u32, self.ends.len() as u32);
        }
        self.table[at].1 - 1
    }

    /// The entry of the string with this hash that `is_same`, or the free one that it would get.
    fn place(&self, hash: u64, is_same: impl Fn(usize) -> bool) -> usize {
        let mask = self.table.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let (tag, number) = self.table[at];
            if number == 0 || (tag == (hash >> 32) as u32 && is_same(number as usize - 1)) {
                return at;
            }
            at = (at + 1) & mask;
        }
    }

    fn grow(&mut self) {
        self.table = vec![(0, 0); (self.table.len() * 2).max(64)];
        for number in 0..self.ends.len() {
            let hash = term_hash(self.get(number));
            let at = self.place(hash, |_| false);
            self.table[at] = ((hash >> 32) as u32, number as u32 + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Term, analyze};
    use super::*;

    #[test]
    fn texts_together_have_the_terms_that_each_has_alone() {
        let mut texts: Vec<String> = (0..2_000)
            .map(|n| format!("Running run_{n} of foo/bar{}.py:42, don't ruN {}", n % 7, n * n % 97))
            .collect();
        for text in [
            "",
            "Die Häuser und die Straßen der alten Stadt",
            "I was running, and the houses",
            "Отчёты о серверах 東京都 running",
            "",
        ] {
            texts.push(text.to_owned());
        }
        let together = analyze_all(&texts);
        let spellings: Vec<&str> = together.spellings().collect();
        assert_eq!(together.len(), texts.len());
        let mut first_seen: Vec<String> = Vec::new();
        for (at, text) in texts.iter().enumerate() {
            let alone: Vec<Term> = analyze(text);
            let (terms, words) = together.text(at);
            let found: Vec<&str> = terms.iter().map(|&term| spellings[term as usize]).collect();
            let expected: Vec<&str> = alone.iter().map(|term| term.text.as_str()).collect();
            assert_eq!(found, expected, "{text}");
            assert_eq!(words as usize, alone.iter().filter(|term| term.primary).count());
            for term in expected {
                if !first_seen.iter().any(|seen| seen == term) {
                    first_seen.push(term.to_owned());
                }
            }
        }
        assert_eq!(spellings, first_seen);
    }
}
