//! A growing array whose first part may lie in a mapped file.

use std::fmt;
use std::ops::{Index, IndexMut, Range};
use std::sync::Arc;

use super::aligned::Aligned;
use super::format::{Section, refused};
use super::mapped::MappedFile;
use crate::error::EngineError;

/// Numbers that any bits are valid for.
pub trait Plain: Copy + fmt::Debug + Send + Sync + 'static {}

impl Plain for u8 {}
impl Plain for u16 {}
impl Plain for u32 {}
impl Plain for i64 {}
impl Plain for f32 {}
impl Plain for f64 {}

/// Exclusive part of a mapped file.
struct MappedSlice<T> {
    file: Arc<MappedFile>,
    /// Position in the file.
    at: usize,
    start: *mut T,
    length: usize,
}

// SAFETY: a `MappedSlice` is to its section what a `Vec` is to its buffer.
unsafe impl<T: Plain> Send for MappedSlice<T> {}
// SAFETY: as above.
unsafe impl<T: Plain> Sync for MappedSlice<T> {}

impl<T: Plain> MappedSlice<T> {
    #[inline]
    fn get(&self, range: Range<usize>) -> &[T] {
        self.touch(&range);
        // SAFETY: the section holds `length` aligned elements and only `self` reaches them; the
        // caller has checked the range.
        unsafe { std::slice::from_raw_parts(self.start.add(range.start), range.len()) }
    }

    #[inline]
    fn get_mut(&mut self, range: Range<usize>) -> &mut [T] {
        self.touch(&range);
        // SAFETY: as for `get`, and `self` is borrowed exclusively.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(range.start), range.len()) }
    }

    #[inline]
    fn touch(&self, range: &Range<usize>) {
        assert!(range.start <= range.end && range.end <= self.length);
        let size = size_of::<T>();
        self.file.touch(self.at + range.start * size..self.at + range.end * size);
    }
}

/// An array in two parts: mapped, then owned.
pub struct Column<T> {
    base: Option<MappedSlice<T>>,
    /// Number of mapped elements.
    split: usize,
    tail: Aligned<T>,
}

impl<T> Default for Column<T> {
    fn default() -> Self {
        Self { base: None, split: 0, tail: Aligned::default() }
    }
}

impl<T> fmt::Debug for Column<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Column").field("mapped", &self.split).finish_non_exhaustive()
    }
}

impl<T: Plain> Column<T> {
    /// Take a section of a file, which must hold exactly `length` elements. The caller takes
    /// every section at most once.
    pub(crate) fn mapped(
        file: &Arc<MappedFile>,
        section: Section,
        length: usize,
    ) -> Result<Self, EngineError> {
        let range = file.header().range(section);
        if Some(range.len()) != length.checked_mul(size_of::<T>()) {
            return Err(refused("a section has not the length that the header implies"));
        }
        // SAFETY: the section lies in the file, and its only user is the column made here.
        let start: *mut T = unsafe { file.pointer(range.start) }.cast();
        assert!(start.is_aligned());
        let base = MappedSlice { file: Arc::clone(file), at: range.start, start, length };
        Ok(Self { base: Some(base), split: length, tail: Aligned::default() })
    }

    /// Number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.split + self.tail.values().len()
    }

    /// Whether there is no element.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// End of the part that an element lies in.
    pub(crate) fn part_end(&self, at: usize) -> usize {
        if at < self.split { self.split } else { self.len() }
    }

    /// Grow to `length` elements.
    pub(crate) fn resize(&mut self, length: usize, value: T) {
        self.tail.resize(length.saturating_sub(self.split), value);
    }

    /// Elements of a range that lies in one part.
    #[inline]
    #[must_use]
    pub fn slice(&self, range: Range<usize>) -> &[T] {
        match &self.base {
            Some(base) if range.start < self.split => base.get(range),
            _ => &self.tail.values()[range.start - self.split..range.end - self.split],
        }
    }

    /// Elements of a range that lies in one part.
    #[inline]
    pub(crate) fn slice_mut(&mut self, range: Range<usize>) -> &mut [T] {
        match &mut self.base {
            Some(base) if range.start < self.split => base.get_mut(range),
            _ => &mut self.tail.values_mut()[range.start - self.split..range.end - self.split],
        }
    }
}

impl<T: Plain> Index<usize> for Column<T> {
    type Output = T;

    #[inline]
    fn index(&self, at: usize) -> &T {
        &self.slice(at..at + 1)[0]
    }
}

impl<T: Plain> IndexMut<usize> for Column<T> {
    #[inline]
    fn index_mut(&mut self, at: usize) -> &mut T {
        &mut self.slice_mut(at..at + 1)[0]
    }
}
