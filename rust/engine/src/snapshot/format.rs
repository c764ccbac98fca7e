//! The file: a header, sections at multiples of 4 KiB, and a table with a checksum for each 64 KiB
//! between header and table. Native byte order; a file of the other order is refused.

use std::ops::Range;

use crate::error::EngineError;

/// First bytes of the file.
const MAGIC: &[u8; 8] = b"RMINDEX\x06";
/// Reads differently in the other byte order.
const ORDER: u32 = 0x0102_0304;
/// Bytes of the header.
pub(super) const HEADER_BYTES: usize = 4_096;
/// Sections begin at multiples of this.
pub(super) const ALIGN: usize = 4_096;
/// Bytes under one checksum.
pub(super) const BLOCK_BYTES: usize = 65_536;
const SECTIONS: usize = 22;

/// What the sections hold, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub(crate) enum Section {
    Id,
    /// u32 a row: the slots in ascending order of ids.
    ById,
    Scope,
    Kind,
    Status,
    Flags,
    Base,
    Last,
    ValidFrom,
    ValidUntil,
    ObservedAt,
    Norms,
    Vectors,
    Directions,
    Steps,
    RestSteps,
    /// f64: defect of the directions, reach of the second plane, reach of each chunk.
    Bounds,
    Blocks,
    Records,
    /// bf16 a row: what both planes of codes miss.
    Missed,
    /// i64 pairs: scope and id of the null samples.
    Samples,
    Words,
}

/// Sections that are checked at open; the others are large and checked at first touch.
pub(super) const SMALL: [Section; 19] = [
    Section::Id,
    Section::ById,
    Section::Scope,
    Section::Kind,
    Section::Status,
    Section::Flags,
    Section::Base,
    Section::Last,
    Section::ValidFrom,
    Section::ValidUntil,
    Section::ObservedAt,
    Section::Norms,
    Section::Directions,
    Section::Steps,
    Section::RestSteps,
    Section::Bounds,
    Section::Missed,
    Section::Samples,
    Section::Words,
];

/// What the header says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Header {
    /// Whose index this is: store, space and whatever else must agree.
    pub(crate) identity: [u8; 32],
    /// Revision of the store that the rows stand for.
    pub(crate) rev: i64,
    pub(crate) dim: usize,
    pub(crate) rows: usize,
    pub(crate) slots: usize,
    sections: [Range<usize>; SECTIONS],
    checks: Range<usize>,
    checks_sum: u64,
}

impl Header {
    pub(super) fn new(identity: [u8; 32], rev: i64, dim: usize, rows: usize, slots: usize) -> Self {
        let sections = std::array::from_fn(|_| 0..0);
        Self { identity, rev, dim, rows, slots, sections, checks: 0..0, checks_sum: 0 }
    }

    /// Bytes of a section.
    pub(crate) fn range(&self, section: Section) -> Range<usize> {
        self.sections[section as usize].clone()
    }

    pub(super) fn checks_range(&self) -> Range<usize> {
        self.checks.clone()
    }

    pub(super) fn checks_sum(&self) -> u64 {
        self.checks_sum
    }

    pub(super) fn place(&mut self, section: Section, range: Range<usize>) {
        self.sections[section as usize] = range;
    }

    pub(super) fn close(&mut self, checks: Range<usize>, sum: u64) {
        self.checks = checks;
        self.checks_sum = sum;
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER_BYTES);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&ORDER.to_ne_bytes());
        bytes.extend_from_slice(&(SECTIONS as u32).to_ne_bytes());
        bytes.extend_from_slice(&self.identity);
        bytes.extend_from_slice(&self.rev.to_ne_bytes());
        let mut push = |value: usize| bytes.extend_from_slice(&(value as u64).to_ne_bytes());
        [self.dim, self.rows, self.slots].into_iter().for_each(&mut push);
        for range in self.sections.iter().chain([&self.checks]) {
            push(range.start);
            push(range.end);
        }
        bytes.extend_from_slice(&self.checks_sum.to_ne_bytes());
        bytes.resize(HEADER_BYTES - 8, 0);
        bytes.extend_from_slice(&checksum(&bytes).to_ne_bytes());
        bytes
    }

    /// Read and check the header at the start of a file.
    pub(super) fn read(file: &[u8]) -> Result<Self, EngineError> {
        let bytes = file.get(..HEADER_BYTES).ok_or_else(|| refused("the file is cut short"))?;
        let mut fields = Fields { bytes, at: 0 };
        if fields.take::<8>() != *MAGIC {
            return Err(refused("not a snapshot of this version"));
        }
        if u32::from_ne_bytes(fields.take()) != ORDER {
            return Err(refused("written by a machine of the other byte order"));
        }
        let (body, sum) = bytes.split_at(HEADER_BYTES - 8);
        if sum != checksum(body).to_ne_bytes() {
            return Err(refused("its header is damaged"));
        }
        let sections = u32::from_ne_bytes(fields.take());
        if sections as usize != SECTIONS {
            return Err(refused("not a snapshot of this version"));
        }
        let identity = fields.take();
        let rev = i64::from_ne_bytes(fields.take());
        let (dim, rows, slots) = (fields.size(), fields.size(), fields.size());
        let mut header = Self::new(identity, rev, dim, rows, slots);
        for section in &mut header.sections {
            *section = fields.range();
        }
        header.checks = fields.range();
        header.checks_sum = u64::from_ne_bytes(fields.take());
        header.check(file.len())?;
        Ok(header)
    }

    fn check(&self, length: usize) -> Result<(), EngineError> {
        let end = self.checks.start;
        let inside = |range: &Range<usize>| {
            range.start <= range.end
                && range.start.is_multiple_of(ALIGN)
                && (range.is_empty() || range.start >= HEADER_BYTES)
                && range.end <= end
        };
        let blocks = end.saturating_sub(HEADER_BYTES).div_ceil(BLOCK_BYTES);
        let table = Some(self.checks.len()) == blocks.checked_mul(8) && self.checks.end == length;
        let mut taken: Vec<&Range<usize>> =
            self.sections.iter().filter(|r| !r.is_empty()).collect();
        taken.sort_unstable_by_key(|range| range.start);
        let disjoint = taken.windows(2).all(|pair| pair[0].end <= pair[1].start);
        if end >= HEADER_BYTES && table && disjoint && self.sections.iter().all(inside) {
            Ok(())
        } else {
            Err(refused("the file is cut short"))
        }
    }
}

struct Fields<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Fields<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let taken = std::array::from_fn(|byte| self.bytes[self.at + byte]);
        self.at += N;
        taken
    }

    fn size(&mut self) -> usize {
        usize::try_from(u64::from_ne_bytes(self.take())).unwrap_or(usize::MAX)
    }

    fn range(&mut self) -> Range<usize> {
        let start = self.size();
        start..self.size()
    }
}

/// A refusal with its reason.
pub(super) fn refused(reason: &str) -> EngineError {
    EngineError::Snapshot { reason: reason.to_owned() }
}

const FACTORS: [u64; 4] =
    [0x9e37_79b1_85eb_ca87, 0xc2b2_ae3d_27d4_eb4f, 0x1656_67b1_9e37_79f9, 0x85eb_ca77_c2b2_ae63];

/// Checksum of a block: four lanes of xor, odd multiply and rotate. Each step is a bijection of
/// its lane, so a change confined to one word never goes unnoticed.
pub(super) fn checksum(bytes: &[u8]) -> u64 {
    let mut lanes = FACTORS;
    let (words, rest) = bytes.as_chunks::<32>();
    for word in words {
        let (parts, _) = word.as_chunks::<8>();
        for (lane, part) in lanes.iter_mut().zip(parts) {
            *lane = (*lane ^ u64::from_le_bytes(*part)).wrapping_mul(FACTORS[0]).rotate_left(31);
        }
    }
    for &byte in rest {
        lanes[0] = (lanes[0] ^ u64::from(byte)).wrapping_mul(FACTORS[1]).rotate_left(11);
    }
    let mut sum = bytes.len() as u64;
    for (lane, factor) in lanes.into_iter().zip(FACTORS) {
        sum = (sum ^ lane).wrapping_mul(factor).rotate_left(27);
    }
    sum ^ (sum >> 32)
}
