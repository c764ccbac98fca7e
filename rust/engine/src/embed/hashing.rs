//! Feature hashing of words and of their character 3-grams: an embedder without a model.
//!
//! Every word of the analysed text counts under its stem, every 3-gram of its folded spelling
//! under itself, identifiers and pairs of characters (CJK, Thai) as they are; function words count
//! little and without grams. A feature adds its weight, with a sign, to one component: signed
//! feature hashing (Weinberger et al. 2009) keeps inner products unbiased. Weights are whole
//! numbers and the norm is taken in f64, so every platform computes the same bits.

use crate::EngineError;
use crate::text::grams::for_each_gram;
use crate::text::language::{Evidence, Language};
use crate::text::script::Script;
use crate::text::tokens::{self, Sink, Word};
use crate::text::{evidence, fold};

/// Rises whenever the vector of some text changes; part of the embedder's identity.
pub const HASHING_VERSION: u32 = 1;

/// What a feature is; features of different kinds never share a hash on purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum FeatureKind {
    /// A stem, an identifier as written, or a pair of characters.
    Term = 1,
    /// A character 3-gram of a word, edges included.
    Gram = 2,
}

const WORD: f64 = 4.0;
const GRAM: f64 = 2.0;
const FUNCTION_WORD: f64 = 1.0;

/// The embedder; it has no state but its parameters.
#[derive(Debug, Clone, Copy)]
pub struct HashingEncoder {
    dim: usize,
    seed: u64,
}

impl HashingEncoder {
    /// An embedder of `dim` components; other seeds give unrelated vectors.
    pub fn new(dim: usize, seed: u64) -> Result<Self, EngineError> {
        if dim == 0 || dim > 1 << 16 {
            return Err(EngineError::Parameter {
                what: format!("dim must lie in 1..=65536, got {dim}"),
            });
        }
        Ok(Self { dim, seed })
    }

    /// Encode texts into consecutive rows of unit length; a text without letters or digits gives
    /// a row of zeros.
    pub fn encode<T: AsRef<str>>(&self, texts: &[T]) -> Vec<f32> {
        let mut rows = Vec::with_capacity(texts.len() * self.dim);
        let mut sums = vec![0.0_f64; self.dim];
        for text in texts {
            sums.fill(0.0);
            for_each_feature(text.as_ref(), |kind, key, weight| {
                let hash = feature_hash(self.seed, kind, key);
                let at = (hash % self.dim as u64) as usize;
                sums[at] += if hash >> 63 == 1 { -weight } else { weight };
            });
            let norm = sums.iter().map(|x| x * x).sum::<f64>().sqrt();
            let scale = if norm > 0.0 { norm } else { 1.0 };
            rows.extend(sums.iter().map(|&x| (x / scale) as f32));
        }
        rows
    }
}

/// Call `emit` with kind, key and weight of every feature of a text, in reading order.
///
/// Keys of terms are FNV-1a hashes of their UTF-8 bytes, keys of grams those of
/// [`for_each_gram`].
pub fn for_each_feature(text: &str, emit: impl FnMut(FeatureKind, u64, f64)) {
    let folded = fold::fold(text);
    let evidence: Evidence = evidence(text, &folded);
    let mut sink = FeatureSink { language: evidence.of_query(), stem: String::new(), emit };
    tokens::cut(&folded, &mut sink);
}

/// The 64 bits that place a feature: seed, kind and key mixed by the finaliser of
/// SplitMix64 (Steele et al. 2014).
pub fn feature_hash(seed: u64, kind: FeatureKind, key: u64) -> u64 {
    let mut mixed = seed.wrapping_add((kind as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)) ^ key;
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ mixed >> 31
}

/// FNV-1a, 64 bits.
pub fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
    })
}

struct FeatureSink<F> {
    language: Language,
    stem: String,
    emit: F,
}

impl<F: FnMut(FeatureKind, u64, f64)> Sink for FeatureSink<F> {
    fn word(&mut self, word: &Word<'_>) {
        let stop = match word.script {
            Script::Latin => self.language.is_stop_word(word.lower),
            Script::Cyrillic => Language::Russian.is_stop_word(word.lower),
            _ => false,
        };
        self.stem.clear();
        match word.script {
            Script::Latin => Language::English.stem_into(word.lower, &mut self.stem),
            Script::Cyrillic => Language::Russian.stem_into(word.lower, &mut self.stem),
            _ => self.stem.push_str(word.lower),
        }
        let weight = if stop { FUNCTION_WORD } else { WORD };
        (self.emit)(FeatureKind::Term, fnv1a(self.stem.as_bytes()), weight);
        if !stop && word.primary {
            for_each_gram(word.lower, |key| (self.emit)(FeatureKind::Gram, key, GRAM));
        }
    }

    fn exact(&mut self, term: &str, _primary: bool) {
        (self.emit)(FeatureKind::Term, fnv1a(term.as_bytes()), WORD);
    }

    fn wants_single_characters(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cosine(left: &str, right: &str) -> f32 {
        let rows = HashingEncoder::new(2048, 7).expect("valid").encode(&[left, right]);
        let (left, right) = rows.split_at(2048);
        left.iter().zip(right).map(|(x, y)| x * y).sum()
    }

    #[test]
    fn likeness_of_spelling_is_likeness_of_vectors() {
        assert!(cosine("The database is PostgreSQL", "database: postgresql") > 0.6);
        assert!(cosine("databse migration", "database migrations") > 0.5);
        assert!(cosine("переезд команды", "команда переезжает") > 0.4);
        assert!(cosine("東京タワー", "東京") > 0.4);
        assert!(cosine("what is the weather in Tokyo", "the API is written in Go").abs() < 0.2);
    }

    #[test]
    fn rows_have_unit_length_or_are_zero() {
        let rows = HashingEncoder::new(64, 0).expect("valid").encode(&["a b c", "", "?! …", "Ω"]);
        let norms: Vec<f32> = rows.chunks(64).map(|r| r.iter().map(|x| x * x).sum()).collect();
        assert!((norms[0] - 1.0).abs() < 1e-6 && (norms[3] - 1.0).abs() < 1e-6);
        assert_eq!((norms[1], norms[2]), (0.0, 0.0));
    }

    #[test]
    fn vectors_never_change_within_a_version() {
        let row = HashingEncoder::new(16, 7).expect("valid").encode(&["Straße 12, ERR-4042"]);
        let bits = fnv1a(&row.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>());
        assert_eq!(
            (HASHING_VERSION, bits),
            (1, 0xF0F7_8333_639F_0971_u64),
            "raise HASHING_VERSION when this changes"
        );
    }

    #[test]
    fn dimensions_are_checked() {
        assert!(HashingEncoder::new(0, 1).is_err());
        assert!(HashingEncoder::new(1 << 17, 1).is_err());
    }
}
