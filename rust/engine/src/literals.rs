//! Which of some literals a text holds, in one pass for all of them.

use std::collections::HashMap;

/// Literals to be looked for in many texts.
#[derive(Debug, Clone)]
pub struct Literals {
    words: Vec<Box<str>>,
    /// One bit for each two bytes that a literal begins with.
    begins: Box<[u64; 1 << 10]>,
    by_begin: HashMap<u16, Vec<u32>>,
    /// Those of less than two bytes.
    short: Vec<u32>,
}

impl Literals {
    /// Make literals ready; they are told by their places.
    #[must_use]
    pub fn new(words: Vec<Box<str>>) -> Self {
        let mut begins = Box::new([0; 1 << 10]);
        let mut by_begin: HashMap<u16, Vec<u32>> = HashMap::new();
        let mut short = Vec::new();
        for (number, word) in (0..).zip(&words) {
            let Some(&begin) = word.as_bytes().first_chunk() else {
                short.push(number);
                continue;
            };
            let begin = u16::from_le_bytes(begin);
            begins[usize::from(begin / 64)] |= 1 << (begin % 64);
            by_begin.entry(begin).or_default().push(number);
        }
        Self { words, begins, by_begin, short }
    }

    /// Whether a text holds one of them.
    #[must_use]
    pub fn any_in(&self, text: &str) -> bool {
        self.each_in(text).next().is_some()
    }

    /// The places of those that a text holds, ascending.
    #[must_use]
    pub fn found_in(&self, text: &str) -> Vec<u32> {
        let mut found: Vec<u32> = self.each_in(text).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    fn each_in(&self, text: &str) -> impl Iterator<Item = u32> {
        let bytes = text.as_bytes();
        let short = self.short.iter().copied();
        let short = short.filter(|&number| text.contains(&*self.words[number as usize]));
        let pairs = bytes.windows(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
        let begun = pairs
            .enumerate()
            .filter(|(_, pair)| self.begins[usize::from(pair / 64)] >> (pair % 64) & 1 == 1);
        let long = begun.flat_map(move |(at, pair)| {
            let held = move |number: &u32| {
                bytes[at..].starts_with(self.words[*number as usize].as_bytes())
            };
            self.by_begin.get(&pair).into_iter().flatten().copied().filter(held)
        });
        short.chain(long)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_holds_what_it_contains() {
        let words = ["", "e", "é", "he", "hers", "she", "his", "пар", "пароль", "zz"];
        let literals = Literals::new(words.map(Box::from).to_vec());
        for text in ["", "ushers", "this", "Пароль: пароль", "é", "z", "zz", "h", "e\u{301}"]
        {
            let expected: Vec<u32> = (0..)
                .zip(words)
                .filter(|(_, word)| text.contains(word))
                .map(|(at, _)| at)
                .collect();
            assert_eq!(literals.found_in(text), expected, "{text}");
            assert!(literals.any_in(text));
        }
        assert!(!Literals::new(vec!["he".into()]).any_in("ush"));
        assert!(!Literals::new(Vec::new()).any_in("ush"));
    }
}
