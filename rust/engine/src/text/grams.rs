//! Character 3-grams of words: a signal that survives typing errors and inflection.

/// Stands before the first and behind the last character of a word.
const EDGE: char = '\u{1}';

/// Call `emit` with every 3-gram of a folded, lower-case word, edges included, in order.
///
/// A gram is three code points of 21 bits each, so distinct grams have distinct keys. A word of
/// n characters has n grams; words of fewer than three characters have none.
pub fn for_each_gram(word: &str, mut emit: impl FnMut(u64)) {
    if word.chars().nth(2).is_none() {
        return;
    }
    const MASK: u64 = (1 << 63) - 1;
    let mut key = EDGE as u64;
    for (seen, c) in word.chars().chain([EDGE]).enumerate() {
        key = (key << 21 | c as u64) & MASK;
        if seen > 0 {
            emit(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grams(word: &str) -> Vec<u64> {
        let mut keys = Vec::new();
        for_each_gram(word, |key| keys.push(key));
        keys
    }

    #[test]
    fn a_word_has_as_many_grams_as_characters() {
        assert_eq!(grams("дом").len(), 3);
        assert_eq!(grams("storage").len(), 7);
        assert!(grams("ab").is_empty());
    }

    #[test]
    fn edges_tell_prefixes_from_infixes() {
        assert_eq!(grams("abc")[1], grams("xabcx")[2]);
        assert_ne!(grams("abc")[0], grams("xabcx")[1]);
    }
}
