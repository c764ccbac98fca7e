//! A fast hash for the dictionary: its keys are terms, which nobody attacks at a distance.

use std::hash::{BuildHasherDefault, Hasher};

/// The hasher of the dictionary's map.
pub type TermHasher = BuildHasherDefault<Multiply>;

/// Multiply-and-rotate over words of eight bytes.
#[derive(Default)]
pub struct Multiply(u64);

const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

impl Hasher for Multiply {
    fn write(&mut self, bytes: &[u8]) {
        let mut chunks = bytes.chunks_exact(8);
        for chunk in &mut chunks {
            let mut word = [0; 8];
            word.copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
        let mut word = [0; 8];
        let rest = chunks.remainder();
        word[..rest.len()].copy_from_slice(rest);
        self.write_u64(u64::from_le_bytes(word) ^ (rest.len() as u64) << 56);
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(FACTOR).rotate_left(29);
    }

    fn write_u8(&mut self, byte: u8) {
        self.write_u64(u64::from(byte));
    }

    fn finish(&self) -> u64 {
        // The map takes the top bits; the low ones of a product are the weaker.
        self.0.wrapping_mul(FACTOR) ^ self.0 >> 32
    }
}

/// The hash of a term in the flat dictionary; part of its format.
pub fn term_hash(term: &str) -> u64 {
    let mut hasher = Multiply::default();
    hasher.write(term.as_bytes());
    hasher.finish()
}
