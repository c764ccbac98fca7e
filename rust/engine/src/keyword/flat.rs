//! The index as one block of bytes: read in place from a memory map, shared between processes.
//!
//! Little-endian; sections begin at multiples of 8 and are listed in the header. Nothing is
//! trusted: sizes are checked at open, offsets and slots when they are used, so that damaged bytes
//! can give wrong rows but never a panic (whoever maps the file checks its blocks first).

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::hash::term_hash;
use super::postings::{Bound, ListView, SlotBytes};
use crate::EngineError;

/// First bytes of the block.
const MAGIC: &[u8; 8] = b"RMKEYS\0\x02";
/// What the sections hold, in order.
#[derive(Debug, Clone, Copy)]
#[repr(usize)]
pub enum Section {
    /// u32 a term: where it ends in `Names`.
    NameEnds,
    /// The terms in UTF-8.
    Names,
    /// u32 a bucket: term id + 1, or 0; open addressing by [`term_hash`].
    Table,
    /// u32 for each term and one more: where its postings begin.
    ListStarts,
    /// u32 a posting.
    Slots,
    /// Two bytes a posting.
    Impacts,
    /// Five bytes a term: bound of its impacts.
    Wholes,
    /// u32 a slot: scope.
    Scopes,
    /// One byte a slot: length code, 0 for an empty slot.
    Lengths,
    /// u32 for each slot and one more: where its terms begin.
    RowStarts,
    /// u32 term ids.
    RowTerms,
    /// u64 3-grams in ascending order.
    Grams,
    /// u32 for each gram and one more: where its terms begin.
    GramStarts,
    /// u32 term ids.
    GramTerms,
}

const SECTIONS: usize = 14;
const HEADER: usize = 8 + SECTIONS * 16;

/// Bytes that several readers share, for instance a memory map.
pub type SharedBytes = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// An immutable index in a block of bytes.
#[derive(Clone)]
pub struct FlatIndex {
    owner: SharedBytes,
    sections: [Range<usize>; SECTIONS],
}

impl fmt::Debug for FlatIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FlatIndex").field("sections", &self.sections).finish_non_exhaustive()
    }
}

impl FlatIndex {
    /// Open the block in `range` of shared bytes; costs the same for any number of rows.
    pub fn open(owner: SharedBytes, range: Range<usize>) -> Result<Self, EngineError> {
        let all: &[u8] = (*owner).as_ref();
        let block = all.get(range.clone()).ok_or_else(|| refuse("outside the file"))?;
        if block.len() < HEADER || &block[..8] != MAGIC {
            return Err(refuse("not a keyword index of this version"));
        }
        let field = |at: usize| {
            let bytes: [u8; 8] = std::array::from_fn(|byte| block[at + byte]);
            usize::try_from(u64::from_le_bytes(bytes)).unwrap_or(usize::MAX)
        };
        let sections = std::array::from_fn(|section| {
            let (begin, length) = (field(8 + section * 16), field(16 + section * 16));
            let end = begin.saturating_add(length);
            if end <= block.len() { range.start + begin..range.start + end } else { 0..usize::MAX }
        });
        if sections.iter().any(|section: &Range<usize>| section.end == usize::MAX) {
            return Err(refuse("a section ends outside the block"));
        }
        let flat = Self { owner, sections };
        if flat.consistent() { Ok(flat) } else { Err(refuse("its sections do not fit each other")) }
    }

    fn consistent(&self) -> bool {
        let terms = self.words(Section::NameEnds).len();
        let rows = self.words(Section::Scopes).len();
        let grams = self.chunks::<8>(Section::Grams).len();
        let table = self.words(Section::Table).len();
        self.words(Section::ListStarts).len() == terms + 1
            && self.bounds(Section::Wholes).len() == terms
            && self.words(Section::Slots).len() == self.chunks::<2>(Section::Impacts).len()
            && self.bytes(Section::Lengths).len() == rows
            && self.words(Section::RowStarts).len() == rows + 1
            && self.words(Section::GramStarts).len() == grams + 1
            && table.is_power_of_two()
            && table > terms
            && rows < u32::MAX as usize
    }

    fn bytes(&self, section: Section) -> &[u8] {
        let all: &[u8] = (*self.owner).as_ref();
        all.get(self.sections[section as usize].clone()).unwrap_or_default()
    }

    fn chunks<const N: usize>(&self, section: Section) -> &[[u8; N]] {
        self.bytes(section).as_chunks().0
    }

    fn words(&self, section: Section) -> &[SlotBytes] {
        self.chunks(section)
    }

    fn bounds(&self, section: Section) -> &[Bound] {
        self.chunks(section)
    }

    fn word(&self, section: Section, at: usize) -> u32 {
        self.words(section).get(at).map_or(0, |&bytes| u32::from_le_bytes(bytes))
    }

    /// The elements from one start to the next, none where the starts make no sense.
    fn slice<'a, T>(&self, starts: Section, at: usize, elements: &'a [T]) -> &'a [T] {
        let (begin, end) = (self.word(starts, at), self.word(starts, at + 1));
        elements.get(begin as usize..end as usize).unwrap_or_default()
    }

    /// Number of terms.
    pub fn terms(&self) -> usize {
        self.words(Section::NameEnds).len()
    }

    /// Number of slots, empty ones included.
    pub fn slots(&self) -> usize {
        self.words(Section::Scopes).len()
    }

    /// The bytes of a term.
    pub fn name(&self, term: u32) -> &[u8] {
        let term = term as usize;
        let begin = if term == 0 { 0 } else { self.word(Section::NameEnds, term - 1) };
        let end = self.word(Section::NameEnds, term);
        self.bytes(Section::Names).get(begin as usize..end as usize).unwrap_or_default()
    }

    /// The id of a term.
    pub fn find(&self, term: &str) -> Option<u32> {
        let table = self.words(Section::Table);
        let mask = table.len() - 1;
        let mut at = term_hash(term) as usize & mask;
        for _ in 0..table.len() {
            match u32::from_le_bytes(table[at]) {
                0 => return None,
                entry if self.name(entry - 1) == term.as_bytes() => return Some(entry - 1),
                _ => at = (at + 1) & mask,
            }
        }
        None
    }

    /// The posting list of a term.
    pub fn list(&self, term: u32) -> ListView<'_> {
        let term = term as usize;
        let whole = self.bounds(Section::Wholes).get(term).copied();
        ListView {
            slots: self.slice(Section::ListStarts, term, self.words(Section::Slots)),
            impacts: self.slice(Section::ListStarts, term, self.chunks(Section::Impacts)),
            whole: whole.unwrap_or(super::postings::NO_BOUND),
        }
    }

    /// Scope and length code of a slot; `None` for an empty or unknown one.
    pub fn row(&self, slot: u32) -> Option<(u32, u8)> {
        let length = *self.bytes(Section::Lengths).get(slot as usize)?;
        (length > 0).then(|| (self.word(Section::Scopes, slot as usize), length))
    }

    /// The scope of each slot; that of an empty one means nothing.
    pub fn scopes(&self) -> &[SlotBytes] {
        self.words(Section::Scopes)
    }

    /// The distinct terms of a slot.
    pub fn row_terms(&self, slot: u32) -> impl ExactSizeIterator<Item = u32> + '_ {
        let terms = self.slice(Section::RowStarts, slot as usize, self.words(Section::RowTerms));
        terms.iter().map(|&bytes| u32::from_le_bytes(bytes))
    }

    /// The terms that hold a 3-gram.
    pub fn gram_terms(&self, gram: u64) -> impl ExactSizeIterator<Item = u32> + '_ {
        let grams = self.chunks::<8>(Section::Grams);
        let found = grams.binary_search_by_key(&gram, |&bytes| u64::from_le_bytes(bytes));
        let all = self.words(Section::GramTerms);
        let terms =
            found.map_or(&[] as &[SlotBytes], |at| self.slice(Section::GramStarts, at, all));
        terms.iter().map(|&bytes| u32::from_le_bytes(bytes))
    }
}

fn refuse(reason: &str) -> EngineError {
    EngineError::Snapshot { reason: format!("keywords: {reason}") }
}

/// Collects the sections of a block.
#[derive(Debug, Default)]
pub struct FlatWriter {
    sections: [Vec<u8>; SECTIONS],
}

impl FlatWriter {
    /// Append to a section.
    pub fn push(&mut self, section: Section, bytes: &[u8]) {
        self.sections[section as usize].extend_from_slice(bytes);
    }

    /// Append a u32 to a section.
    pub fn push_word(&mut self, section: Section, word: usize) {
        self.push(section, &(word as u32).to_le_bytes());
    }

    /// Bytes of a section so far.
    pub fn size(&self, section: Section) -> usize {
        self.sections[section as usize].len()
    }

    /// The finished block.
    pub fn finish(self) -> Vec<u8> {
        let mut block = Vec::from(MAGIC.as_slice());
        let mut begin = HEADER;
        for section in &self.sections {
            block.extend((begin as u64).to_le_bytes());
            block.extend((section.len() as u64).to_le_bytes());
            begin += section.len().next_multiple_of(8);
        }
        for section in &self.sections {
            block.extend_from_slice(section);
            block.resize(block.len().next_multiple_of(8), 0);
        }
        block
    }
}
