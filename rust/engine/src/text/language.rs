//! Languages: told by script and function words, stemmed by their Snowball algorithm.
//!
//! English is the default of Latin letters and Russian that of Cyrillic. A document in German,
//! French, Spanish, Portuguese or Italian gets a second, marked stem for each word, and a query
//! asks for the marked stems of all of them: so a query of one word, which shows no language,
//! still finds its inflected forms, and stores in English never meet a foreign stem.

use std::collections::HashMap;
use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization;
use waken_snowball::Algorithm;

use super::stopwords;
use crate::keyword::hash::TermHasher;

/// A language with a stemmer and a list of function words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// The default of Latin letters.
    English,
    /// German.
    German,
    /// French.
    French,
    /// Spanish.
    Spanish,
    /// Portuguese.
    Portuguese,
    /// Italian.
    Italian,
    /// The default of Cyrillic letters.
    Russian,
}

/// The languages whose stems are marked, because English is the default of their script.
pub const MARKED: [Language; 5] = [
    Language::German,
    Language::French,
    Language::Spanish,
    Language::Portuguese,
    Language::Italian,
];

const LATIN: [Language; 6] = [
    Language::English,
    Language::German,
    Language::French,
    Language::Spanish,
    Language::Portuguese,
    Language::Italian,
];

impl Language {
    fn bit(self) -> u8 {
        1 << (self as u8)
    }

    fn algorithm(self) -> Algorithm {
        match self {
            Self::English => Algorithm::English,
            Self::German => Algorithm::German,
            Self::French => Algorithm::French,
            Self::Spanish => Algorithm::Spanish,
            Self::Portuguese => Algorithm::Portuguese,
            Self::Italian => Algorithm::Italian,
            Self::Russian => Algorithm::Russian,
        }
    }

    /// What a marked stem ends in; empty for the defaults of a script.
    fn mark(self) -> &'static str {
        match self {
            Self::English | Self::Russian => "",
            Self::German => "~de",
            Self::French => "~fr",
            Self::Spanish => "~es",
            Self::Portuguese => "~pt",
            Self::Italian => "~it",
        }
    }

    /// Whether a folded, lower-case word is one of this language's function words.
    pub fn is_stop_word(self, word: &str) -> bool {
        languages_of(word) & self.bit() != 0
    }

    /// Whether a function word in capitals is an acronym.
    pub fn is_acronym(word: &str) -> bool {
        stopwords::ACRONYMS.split_ascii_whitespace().any(|acronym| acronym == word)
    }

    /// Append the stem of a folded, lower-case word, with the language's mark.
    pub fn stem_into(self, word: &str, out: &mut String) {
        super::stems::stem_into(self, self.algorithm(), word, out);
        out.push_str(self.mark());
    }
}

/// Set for function words that are English content words as well.
const AMBIGUOUS: u8 = 1 << 7;

/// Bits of the languages that have this function word.
fn languages_of(word: &str) -> u8 {
    static TABLE: LazyLock<HashMap<&'static str, u8, TermHasher>> = LazyLock::new(|| {
        let lists = [
            (Language::English, stopwords::ENGLISH),
            (Language::German, stopwords::GERMAN),
            (Language::French, stopwords::FRENCH),
            (Language::Spanish, stopwords::SPANISH),
            (Language::Portuguese, stopwords::PORTUGUESE),
            (Language::Italian, stopwords::ITALIAN),
            (Language::Russian, stopwords::RUSSIAN),
        ];
        let mut table = HashMap::default();
        for (language, words) in lists {
            for word in words.split_whitespace() {
                *table.entry(word).or_insert(0) |= language.bit();
            }
        }
        for word in stopwords::AMBIGUOUS.split_whitespace() {
            *table.entry(word).or_insert(0) |= AMBIGUOUS;
        }
        table
    });
    // No function word is longer than twelve Cyrillic letters.
    if word.len() > 24 {
        return 0;
    }
    TABLE.get(word).copied().unwrap_or(0)
}

/// What speaks for a language, one text long.
#[derive(Debug, Default)]
pub struct Evidence {
    points: [u32; 7],
}

/// Points of a letter that few languages write, however often it comes.
const LETTER: u32 = 2;
/// Points of a function word that might be something else in English.
const AMBIGUOUS_WORD: u32 = 1;
/// Points of any other function word.
const FUNCTION_WORD: u32 = 3;

impl Evidence {
    /// Count the letters that only some languages write; `text` is not folded yet.
    pub fn of_letters(text: &str) -> Self {
        let mut evidence = Self::default();
        if text.is_ascii() {
            return evidence;
        }
        // Only letters that are written as base and mark need composing.
        if text.chars().any(|c| matches!(c, '\u{300}'..='\u{36F}')) {
            text.nfc().for_each(|c| evidence.add_letter(c));
        } else {
            text.chars().for_each(|c| evidence.add_letter(c));
        }
        evidence
    }

    fn add_letter(&mut self, c: char) {
        let language = match c {
            'ä' | 'ö' | 'ü' | 'ß' | 'Ä' | 'Ö' | 'Ü' => Language::German,
            'ê' | 'è' | 'ë' | 'œ' | 'û' | 'î' => Language::French,
            'ñ' | '¿' | '¡' | 'Ñ' => Language::Spanish,
            'ã' | 'õ' => Language::Portuguese,
            'ò' | 'ì' => Language::Italian,
            _ => return,
        };
        self.points[language as usize] = LETTER;
    }

    /// Count one folded, lower-case word.
    pub fn add(&mut self, word: &str) {
        let languages = languages_of(word);
        if languages == 0 {
            return;
        }
        let ambiguous = languages & AMBIGUOUS != 0 || word.chars().nth(2).is_none();
        for language in LATIN.into_iter().filter(|language| languages & language.bit() != 0) {
            let weak = ambiguous && language != Language::English;
            self.points[language as usize] += if weak { AMBIGUOUS_WORD } else { FUNCTION_WORD };
        }
    }

    /// The language of a document's Latin words: a wrong guess only costs a few terms.
    pub fn of_document(&self) -> Language {
        self.best(LETTER)
    }

    /// The language of a query's Latin words: a wrong guess would drop a word that matters.
    pub fn of_query(&self) -> Language {
        self.best(FUNCTION_WORD)
    }

    /// The best supported language; English where nothing else leads with enough points.
    fn best(&self, enough: u32) -> Language {
        let mut best = Language::English;
        for language in LATIN {
            let points = self.points[language as usize];
            if points >= enough && points > self.points[best as usize] {
                best = language;
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn language_of(text: &str) -> Language {
        let mut evidence = Evidence::of_letters(text);
        text.split_whitespace().for_each(|word| evidence.add(&word.to_lowercase()));
        evidence.of_document()
    }

    #[test]
    fn function_words_tell_the_language() {
        assert_eq!(language_of("the die is cast"), Language::English);
        assert_eq!(language_of("die Würfel sind gefallen"), Language::German);
        assert_eq!(language_of("les jeux sont faits"), Language::French);
        assert_eq!(language_of("la suerte de los dados"), Language::Spanish);
        assert_eq!(language_of("a sorte dos dados não muda"), Language::Portuguese);
        assert_eq!(language_of("il dado della fortuna"), Language::Italian);
        assert_eq!(language_of("postgres connection pool"), Language::English);
    }

    #[test]
    fn stop_words_are_folded_like_the_text() {
        for language in LATIN.into_iter().chain([Language::Russian]) {
            let list = match language {
                Language::English => stopwords::ENGLISH,
                Language::German => stopwords::GERMAN,
                Language::French => stopwords::FRENCH,
                Language::Spanish => stopwords::SPANISH,
                Language::Portuguese => stopwords::PORTUGUESE,
                Language::Italian => stopwords::ITALIAN,
                Language::Russian => stopwords::RUSSIAN,
            };
            for word in list.split_whitespace() {
                assert_eq!(super::super::fold::fold(word), word);
                assert!(language.is_stop_word(word));
            }
        }
    }
}
