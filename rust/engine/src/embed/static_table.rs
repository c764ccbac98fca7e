//! A static embedder: tokens looked up in a small quantised table and averaged.
//!
//! # File format (version 1, all numbers little-endian)
//!
//! | offset | type | content |
//! |---|---|---|
//! | 0 | 8 bytes | magic `RMSTATIC` |
//! | 8 | u32 | version, 1 |
//! | 12 | u32 | `bits` of a code: 4 or 8 |
//! | 16 | u32 | `V`, number of pieces, 1 to 2^20 |
//! | 20 | u32 | `D`, dimension, even, 2 to 65536 |
//! | 24 | u32 | `N`, bytes of the name |
//! | 28 | u32 | `B`, bytes of all pieces |
//! | 32 | u64 | checksum of everything from offset 40 on, see [`checksum`] |
//! | 40 | N bytes | the name in UTF-8: the identity of the space, which changes whenever a vector does |
//! | | V x u32 | where each piece ends among the bytes of the pieces |
//! | | B bytes | the pieces in UTF-8, one after the other; the id of a piece is its position |
//! | | V x f32 | weight of each piece in the mean, finite, >= 0 |
//! | | V x f32 | scale of each row, finite, >= 0 |
//! | | V x D x bits / 8 bytes | codes, row by row; with 4 bits the even component is the low nibble |
//!
//! Sections follow each other without padding. The value of a component is
//! `scale * (code - (2^bits - 1) / 2)`: codes 0 to 15 stand for -7.5 to 7.5 scales.
//!
//! # Tokens
//!
//! Text is folded as [`crate::text::fold`] does and lower-cased. Every maximal run of letters, digits and
//! their marks is a word, of which at most [`MAX_WORD_CHARS`] characters count; CJK characters are
//! words of one character. From the left, the longest piece that fits is taken: plain pieces at
//! the start of a word, pieces that begin with `##` inside it. A character that no piece starts
//! with is skipped. Punctuation gives no token.
//!
//! # Vector
//!
//! The sum of `weight * row` over the tokens, divided by its Euclidean length; zeros if there is
//! no token.

use crate::EngineError;
use crate::keyword::hash::term_hash;
use crate::text::fold::{fold, lower_into};
use crate::text::script::{Script, script_of};

/// First bytes of the file.
pub const MAGIC: &[u8; 8] = b"RMSTATIC";
/// The only version that is read.
pub const VERSION: u32 = 1;
/// Characters of a word that are looked at.
pub const MAX_WORD_CHARS: usize = 64;

/// Bytes before the checked part of the file.
pub const HEADER: usize = 40;

/// The table over the bytes of its file, of which nothing is copied: processes that map the file
/// share it.
#[derive(Debug)]
pub struct StaticTable<Data> {
    data: Data,
    layout: Layout,
    starts: Dictionary,
    inner: Dictionary,
    longest: usize,
}

/// Finds pieces by their text: open addressing by [`term_hash`] over ids plus one, 0 for none.
#[derive(Debug)]
struct Dictionary {
    buckets: Vec<u32>,
}

/// Where the sections begin.
#[derive(Debug, Clone, Copy)]
struct Layout {
    bits: usize,
    pieces: usize,
    dim: usize,
    name: usize,
    ends: usize,
    blob: usize,
    weights: usize,
    scales: usize,
    codes: usize,
    size: usize,
}

impl<Data: AsRef<[u8]>> StaticTable<Data> {
    /// Read a table, checking its header, checksum, sizes and numbers.
    pub fn open(data: Data) -> Result<Self, EngineError> {
        let bytes = data.as_ref();
        let layout = Layout::read(bytes)?;
        if bytes.len() != layout.size {
            return refuse(format!("{} bytes, expected {}", bytes.len(), layout.size));
        }
        if u64_at(bytes, 32) != checksum(&bytes[HEADER..]) {
            return refuse("the checksum does not match".to_owned());
        }
        if std::str::from_utf8(&bytes[layout.name..layout.ends]).is_err() {
            return refuse("the name is not UTF-8".to_owned());
        }
        let finite = |at: usize| {
            let value = f32_at(bytes, at);
            value.is_finite() && value >= 0.0
        };
        if !(layout.weights..layout.codes).step_by(4).all(finite) {
            return refuse("a weight or scale is negative or not finite".to_owned());
        }
        let (starts, inner, longest) = dictionaries(bytes, &layout)?;
        Ok(Self { data, layout, starts, inner, longest })
    }

    /// Components of a vector.
    pub fn dim(&self) -> usize {
        self.layout.dim
    }

    /// Number of pieces.
    pub fn pieces(&self) -> usize {
        self.layout.pieces
    }

    /// The identity of the space.
    pub fn name(&self) -> &str {
        let bytes = &self.data.as_ref()[self.layout.name..self.layout.ends];
        std::str::from_utf8(bytes).unwrap_or_default()
    }

    /// The pieces of a text, in reading order.
    pub fn tokenize(&self, text: &str) -> Vec<u32> {
        let mut tokens = Vec::new();
        for_each_word(text, |word| self.split(word, &mut tokens));
        tokens
    }

    /// Encode texts into consecutive rows of unit length, or of zeros where no piece fits.
    pub fn encode<T: AsRef<str>>(&self, texts: &[T]) -> Vec<f32> {
        let mut rows = vec![0.0; texts.len() * self.dim()];
        for (row, text) in rows.chunks_exact_mut(self.dim()).zip(texts) {
            for token in self.tokenize(text.as_ref()) {
                self.add(token, self.weight(token), row);
            }
            normalise(row);
        }
        rows
    }

    /// The rows of pieces, each of unit length; an unknown id gives zeros.
    pub fn token_rows(&self, tokens: &[u32]) -> Vec<f32> {
        let mut rows = vec![0.0; tokens.len() * self.dim()];
        for (row, &token) in rows.chunks_exact_mut(self.dim()).zip(tokens) {
            if (token as usize) < self.pieces() {
                self.add(token, 1.0, row);
                normalise(row);
            }
        }
        rows
    }

    /// The weight of a piece in the mean; zero for an unknown id.
    pub fn weight(&self, token: u32) -> f32 {
        if (token as usize) < self.pieces() {
            f32_at(self.data.as_ref(), self.layout.weights + 4 * token as usize)
        } else {
            0.0
        }
    }

    /// Add `weight` times the row of a known piece.
    pub(super) fn add(&self, token: u32, weight: f32, sum: &mut [f32]) {
        let bytes = self.data.as_ref();
        let at = token as usize;
        let scale = weight * f32_at(bytes, self.layout.scales + 4 * at);
        let stride = self.layout.dim * self.layout.bits / 8;
        let codes = &bytes[self.layout.codes + at * stride..][..stride];
        if self.layout.bits == 8 {
            for (x, &code) in sum.iter_mut().zip(codes) {
                *x += scale * (f32::from(code) - 127.5);
            }
        } else {
            for (pair, &code) in sum.chunks_exact_mut(2).zip(codes) {
                pair[0] += scale * (f32::from(code & 15) - 7.5);
                pair[1] += scale * (f32::from(code >> 4) - 7.5);
            }
        }
    }

    /// Greedy longest match over one word in lower case.
    pub(super) fn split(&self, word: &str, tokens: &mut Vec<u32>) {
        let mut rest = word;
        while let Some(first) = rest.chars().next() {
            let pieces = if rest.len() == word.len() { &self.starts } else { &self.inner };
            let mut end = rest.len().min(self.longest);
            while !rest.is_char_boundary(end) {
                end -= 1;
            }
            loop {
                if let Some(token) = pieces.find(self.data.as_ref(), &self.layout, &rest[..end]) {
                    tokens.push(token);
                    break;
                }
                if end <= first.len_utf8() {
                    end = first.len_utf8();
                    break;
                }
                end -= 1;
                while !rest.is_char_boundary(end) {
                    end -= 1;
                }
            }
            rest = &rest[end..];
        }
    }
}

impl Layout {
    fn read(bytes: &[u8]) -> Result<Self, EngineError> {
        if bytes.len() < HEADER || &bytes[..8] != MAGIC {
            return refuse("not a static table".to_owned());
        }
        let field = |index: usize| u32_at(bytes, 8 + 4 * index) as usize;
        let [version, bits, pieces, dim, name, blob] = std::array::from_fn(field);
        if version != VERSION as usize {
            return refuse(format!("version {version}, expected {VERSION}"));
        }
        let dim_fits = (2..=65_536).contains(&dim) && dim.is_multiple_of(2);
        if !matches!(bits, 4 | 8) || !(1..=1 << 20).contains(&pieces) || !dim_fits {
            return refuse(format!("{bits} bits, {pieces} pieces, dimension {dim}"));
        }
        let ends = HEADER + name;
        let weights = ends + 4 * pieces + blob;
        let codes = weights + 8 * pieces;
        Ok(Self {
            bits,
            pieces,
            dim,
            name: HEADER,
            ends,
            blob: ends + 4 * pieces,
            weights,
            scales: weights + 4 * pieces,
            codes,
            size: codes + pieces * dim * bits / 8,
        })
    }
}

impl Dictionary {
    fn new(pieces: usize) -> Self {
        Self { buckets: vec![0; (pieces * 2).next_power_of_two()] }
    }

    fn find(&self, bytes: &[u8], layout: &Layout, text: &str) -> Option<u32> {
        let entry = self.buckets[self.place(bytes, layout, text)];
        entry.checked_sub(1)
    }

    /// Add a piece and return whether it was new.
    fn insert(&mut self, bytes: &[u8], layout: &Layout, text: &str, token: u32) -> bool {
        let at = self.place(bytes, layout, text);
        let new = self.buckets[at] == 0;
        self.buckets[at] = token + 1;
        new
    }

    /// Where a text is, or would be: at most half of the buckets are taken.
    fn place(&self, bytes: &[u8], layout: &Layout, text: &str) -> usize {
        let mask = self.buckets.len() - 1;
        let mut at = term_hash(text) as usize & mask;
        loop {
            match self.buckets[at] {
                0 => return at,
                entry if layout.text(bytes, entry as usize - 1) == text.as_bytes() => return at,
                _ => at = (at + 1) & mask,
            }
        }
    }
}

impl Layout {
    /// The bytes of a piece whose end was checked.
    fn piece<'a>(&self, bytes: &'a [u8], token: usize) -> &'a [u8] {
        let end = |token: usize| u32_at(bytes, self.ends + 4 * token) as usize;
        let begin = if token == 0 { 0 } else { end(token - 1) };
        &bytes[self.blob + begin..self.blob + end(token)]
    }

    /// The same without the mark of pieces that continue a word.
    fn text<'a>(&self, bytes: &'a [u8], token: usize) -> &'a [u8] {
        let piece = self.piece(bytes, token);
        piece.strip_prefix(b"##").unwrap_or(piece)
    }
}

/// The dictionaries of word starts and of inner pieces, and the bytes of the longest piece.
fn dictionaries(
    bytes: &[u8],
    layout: &Layout,
) -> Result<(Dictionary, Dictionary, usize), EngineError> {
    let mut starts = Dictionary::new(layout.pieces);
    let mut inner = Dictionary::new(layout.pieces);
    let mut longest = 1;
    let blob = &bytes[layout.blob..layout.weights];
    let mut begin = 0;
    for token in 0..layout.pieces {
        let end = u32_at(bytes, layout.ends + 4 * token) as usize;
        let piece = blob.get(begin..end).and_then(|piece| std::str::from_utf8(piece).ok());
        let Some(piece) = piece else {
            return refuse(format!("piece {token} is not UTF-8 or ends outside the pieces"));
        };
        begin = end;
        let (pieces, text) = match piece.strip_prefix("##") {
            Some(text) => (&mut inner, text),
            None => (&mut starts, piece),
        };
        longest = longest.max(text.len());
        if text.is_empty() || !pieces.insert(bytes, layout, text, token as u32) {
            return refuse(format!("piece {token} is empty or comes twice"));
        }
    }
    Ok((starts, inner, longest))
}

/// Call `emit` with every word of a text, folded and in lower case.
pub fn for_each_word(text: &str, mut emit: impl FnMut(&str)) {
    let mut lower = String::with_capacity(text.len());
    lower_into(&fold(text), &mut lower);
    let mut start: Option<(usize, usize)> = None;
    for (at, c) in lower.char_indices() {
        let script = script_of(c);
        if let Some((begin, count)) = start
            && (script.is_none_or(|script| script == Script::Cjk) || count == MAX_WORD_CHARS)
        {
            // What follows the counted part of an overlong word was emitted already.
            if begin != usize::MAX {
                emit(&lower[begin..at]);
            }
            start = None;
            if script.is_some_and(|script| script != Script::Cjk) {
                // The rest of an overlong word does not count.
                start = Some((usize::MAX, 0));
            }
        }
        match (script, start) {
            (None, _) => start = None,
            (Some(Script::Cjk), _) => {
                emit(&lower[at..at + c.len_utf8()]);
                start = None;
            }
            (Some(_), None) => start = Some((at, 1)),
            (Some(_), Some((begin, count))) if begin != usize::MAX => {
                start = Some((begin, count + 1))
            }
            _ => {}
        }
    }
    if let Some((begin, _)) = start.filter(|&(begin, _)| begin != usize::MAX) {
        emit(&lower[begin..]);
    }
}

/// FNV-1a over words of eight bytes, the last one filled up with zeros.
pub fn checksum(bytes: &[u8]) -> u64 {
    bytes.chunks(8).fold(0xCBF2_9CE4_8422_2325, |hash, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        (hash ^ u64::from_le_bytes(word)).wrapping_mul(0x0000_0100_0000_01B3)
    })
}

/// Scale a row to unit length unless it is zero; return the length that it had.
pub(super) fn normalise(row: &mut [f32]) -> f32 {
    let norm = row.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt();
    if norm > 0.0 {
        row.iter_mut().for_each(|x| *x = (f64::from(*x) / norm) as f32);
    }
    norm as f32
}

fn refuse<T>(reason: String) -> Result<T, EngineError> {
    Err(EngineError::Parameter { what: format!("static table refused: {reason}") })
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

fn f32_at(bytes: &[u8], at: usize) -> f32 {
    f32::from_bits(u32_at(bytes, at))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}

#[cfg(test)]
#[path = "static_table_tests.rs"]
pub(crate) mod tests;
