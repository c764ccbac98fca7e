//! Texts for the benchmarks: made up, with the word frequencies of real ones.

/// SplitMix64: the same texts on every machine.
pub struct Random(pub u64);

impl Random {
    /// A whole number below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut x = self.0;
        x = (x ^ x >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        (x ^ x >> 31) % bound
    }

    /// A word by Zipf's law: rank r comes about 1/r as often as the first.
    pub fn word(&mut self, vocabulary: u64) -> String {
        let exponent = self.below(1 << 20) as f64 / f64::from(1 << 20);
        spell((vocabulary as f64).powf(exponent) as u64)
    }

    /// A text of five to twenty-four words.
    pub fn text(&mut self, vocabulary: u64) -> String {
        let words: Vec<String> = (0..5 + self.below(20)).map(|_| self.word(vocabulary)).collect();
        words.join(" ")
    }

    /// A query of two to six words.
    pub fn query(&mut self, vocabulary: u64) -> String {
        let words: Vec<String> = (0..2 + self.below(5)).map(|_| self.word(vocabulary)).collect();
        words.join(" ")
    }
}

/// The word of a rank: syllables, every third word Cyrillic; the commonest are function words.
fn spell(rank: u64) -> String {
    const COMMON: [&str; 8] = ["the", "of", "и", "to", "in", "на", "and", "is"];
    const LATIN: [&str; 8] = ["ka", "to", "ri", "men", "sol", "va", "de", "ning"];
    const CYRILLIC: [&str; 8] = ["ка", "то", "ри", "мен", "сол", "ва", "де", "ние"];
    if let Some(word) = COMMON.get(rank as usize) {
        return (*word).to_owned();
    }
    let syllables = if rank % 3 == 0 { &CYRILLIC } else { &LATIN };
    let mut word = String::new();
    let mut rest = rank;
    while rest > 0 {
        word.push_str(syllables[(rest % 8) as usize]);
        rest /= 8;
    }
    word
}
