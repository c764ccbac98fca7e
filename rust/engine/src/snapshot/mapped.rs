//! A snapshot file in memory: mapped privately, so that its pages are shared with other processes
//! until they are written to, and the file itself never changes.
//!
//! Large sections are checked block by block at first touch. A damaged block does not interrupt
//! the kernel that touches it (any bits are valid numbers): it raises a flag that is looked at
//! before an answer leaves the index.

use std::fs::File;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use memmap2::{Mmap, MmapMut, MmapOptions};

use super::format::{BLOCK_BYTES, HEADER_BYTES, Header, Section, checksum, refused};
use crate::error::EngineError;
use crate::keyword::SharedBytes;

/// An open snapshot file.
#[derive(Debug)]
pub(crate) struct MappedFile {
    /// Start of the private mapping. Reached through this pointer only, never as a slice of the
    /// whole, because columns hold exclusive slices of parts of it.
    start: *mut u8,
    _mapping: MmapMut,
    file: File,
    header: Header,
    checks: Vec<u64>,
    /// One bit a block that was found whole.
    verified: Vec<AtomicU64>,
    damaged: AtomicBool,
}

// SAFETY: the mapping stays where it is until drop, and whoever reaches into it holds a
// `MappedSlice`, which borrows like a `Vec`; everything else is atomic or immutable.
unsafe impl Send for MappedFile {}
// SAFETY: as above.
unsafe impl Sync for MappedFile {}

impl MappedFile {
    /// Map a file and check its header, its length and its table of checksums.
    pub(crate) fn open(path: &Path) -> Result<Self, EngineError> {
        let file = File::open(path).map_err(|error| refused(&error.to_string()))?;
        // SAFETY: snapshot files are never changed or truncated once they have their name; the
        // mapping is private, so that writes to it do not reach the file.
        let mapped = unsafe { MmapOptions::new().map_copy(&file) };
        let mut mapping = mapped.map_err(|error| refused(&error.to_string()))?;
        let header = Header::read(&mapping)?;
        let table = header.checks_range();
        let table = mapping.get(table).ok_or_else(|| refused("the file is cut short"))?;
        if checksum(table) != header.checks_sum() {
            return Err(refused("its table of checksums is damaged"));
        }
        let (words, _) = table.as_chunks::<8>();
        let checks: Vec<u64> = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
        let verified = (0..checks.len().div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        let start = mapping.as_mut_ptr();
        let damaged = AtomicBool::new(false);
        Ok(Self { start, _mapping: mapping, file, header, checks, verified, damaged })
    }

    pub(crate) fn header(&self) -> &Header {
        &self.header
    }

    /// Whether a block that was touched is damaged.
    pub(crate) fn is_damaged(&self) -> bool {
        self.damaged.load(Ordering::Relaxed)
    }

    /// Check the blocks of a byte range that were not checked yet.
    pub(crate) fn touch(&self, range: Range<usize>) {
        if range.is_empty() {
            return;
        }
        let first = (range.start - HEADER_BYTES) / BLOCK_BYTES;
        let last = (range.end - 1 - HEADER_BYTES) / BLOCK_BYTES;
        for block in first..=last {
            let (word, bit) = (block / 64, 1u64 << (block % 64));
            if self.verified[word].load(Ordering::Acquire) & bit == 0 {
                self.verify(block);
                self.verified[word].fetch_or(bit, Ordering::Release);
            }
        }
    }

    #[cold]
    fn verify(&self, block: usize) {
        let at = HEADER_BYTES + block * BLOCK_BYTES;
        let length = BLOCK_BYTES.min(self.header.checks_range().start - at);
        // SAFETY: blocks lie between the header and the table. Nobody writes to a block that was
        // not verified: exclusive access verifies first.
        let bytes = unsafe { std::slice::from_raw_parts(self.start.add(at), length) };
        if checksum(bytes) != self.checks[block] {
            self.damaged.store(true, Ordering::Relaxed);
        }
    }

    /// Check a whole section now.
    pub(crate) fn verify_section(&self, section: Section) -> Result<(), EngineError> {
        self.touch(self.header.range(section));
        if self.is_damaged() { Err(refused("a block is damaged")) } else { Ok(()) }
    }

    /// Bytes of a section.
    ///
    /// # Safety
    /// The range lies in one section of which the caller is the only reader or writer.
    pub(super) unsafe fn pointer(&self, at: usize) -> *mut u8 {
        // SAFETY: promised by the caller.
        unsafe { self.start.add(at) }
    }

    /// A section as shared bytes: a mapping of its own that nobody writes to.
    pub(crate) fn shared(&self, section: Section) -> Result<SharedBytes, EngineError> {
        let range = self.header.range(section);
        let mut options = MmapOptions::new();
        options.offset(range.start as u64).len(range.len());
        // SAFETY: as for `open`; this mapping is read-only.
        let mapping: Mmap =
            unsafe { options.map(&self.file) }.map_err(|error| refused(&error.to_string()))?;
        Ok(std::sync::Arc::new(mapping))
    }
}

/// A file that is only read, mapped, so that processes share its pages.
#[derive(Debug)]
pub struct FileBytes(Mmap);

impl FileBytes {
    /// Map a file.
    ///
    /// # Errors
    /// `Snapshot` if it cannot be opened or mapped.
    pub fn map(path: &Path) -> Result<Self, EngineError> {
        let file = File::open(path).map_err(|error| refused(&error.to_string()))?;
        // SAFETY: the files that are read this way are installed once and replaced as a whole,
        // never written to or cut short in place.
        let mapping = unsafe { Mmap::map(&file) };
        mapping.map(Self).map_err(|error| refused(&error.to_string()))
    }
}

impl AsRef<[u8]> for FileBytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}
