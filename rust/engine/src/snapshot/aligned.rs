//! A growing array that begins at a cache line and, where it is large, at a large page.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::ptr::NonNull;

use super::column::Plain;

/// Bytes of a cache line: kernels that read as much at once touch one and not two.
const LINE: usize = 64;
/// Bytes of a large page. A scan of all codes takes a third less time with them, for it walks
/// less through the page tables.
const LARGE_PAGE: usize = 2 << 20;
/// Bytes from which large pages are asked for.
const LARGE: usize = LARGE_PAGE / 2;

/// An array of plain numbers.
pub(super) struct Aligned<T> {
    start: NonNull<T>,
    length: usize,
    /// What the buffer was allocated with; of no bytes before the first value.
    layout: Layout,
}

// SAFETY: an `Aligned` owns its buffer as a `Vec` does.
unsafe impl<T: Plain> Send for Aligned<T> {}
// SAFETY: as above.
unsafe impl<T: Plain> Sync for Aligned<T> {}

impl<T> Default for Aligned<T> {
    fn default() -> Self {
        Self { start: NonNull::dangling(), length: 0, layout: Layout::new::<[T; 0]>() }
    }
}

impl<T: Plain> Aligned<T> {
    #[inline]
    pub(super) fn values(&self) -> &[T] {
        // SAFETY: the buffer holds `length` values, all of which were written.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.length) }
    }

    #[inline]
    pub(super) fn values_mut(&mut self) -> &mut [T] {
        // SAFETY: as for `values`, and `self` is borrowed exclusively.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.length) }
    }

    /// Grow or shrink to `length` values.
    pub(super) fn resize(&mut self, length: usize, value: T) {
        if length * size_of::<T>() > self.layout.size() {
            self.move_to(length.max(2 * self.length));
        }
        for at in self.length..length {
            // SAFETY: the buffer has room for `length` values.
            unsafe { self.start.add(at).write(value) };
        }
        self.length = length;
    }

    /// Move to a buffer with room for `room` values, more than there are.
    fn move_to(&mut self, room: usize) {
        let bytes = room * size_of::<T>();
        let align = if bytes >= LARGE { LARGE_PAGE } else { LINE };
        let layout = Layout::from_size_align(bytes, align).expect("an array fits the memory");
        // SAFETY: the layout has bytes, for there are more values than before.
        let buffer = NonNull::new(unsafe { alloc(layout) });
        let start: NonNull<T> = buffer.unwrap_or_else(|| handle_alloc_error(layout)).cast();
        #[cfg(target_os = "linux")]
        if bytes >= LARGE {
            // SAFETY: the first advice covers whole large pages of the buffer, in which nothing was written
            // yet; the second changes no content. A kernel without large pages refuses, which does no
            // harm.
            unsafe {
                // Small pages that the allocator used before would stay small.
                let whole = bytes / LARGE_PAGE * LARGE_PAGE;
                libc::madvise(start.as_ptr().cast(), whole, libc::MADV_DONTNEED);
                libc::madvise(start.as_ptr().cast(), bytes, libc::MADV_HUGEPAGE);
            }
        }
        // SAFETY: both buffers hold `length` values and are different ones.
        unsafe { start.copy_from_nonoverlapping(self.start, self.length) };
        let length = self.length;
        *self = Self { start, length, layout };
    }
}

impl<T> Drop for Aligned<T> {
    fn drop(&mut self) {
        if self.layout.size() > 0 {
            // SAFETY: the buffer was allocated with this layout.
            unsafe { dealloc(self.start.as_ptr().cast(), self.layout) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stay_and_begin_at_a_line_or_a_large_page() {
        let mut array = Aligned::default();
        for length in [1usize, 100, 3, 40_000, 300_000, 299_999, 1_000_000] {
            let before: Vec<u32> = array.values().to_vec();
            array.resize(length, length as u32);
            let kept = before.len().min(length);
            assert_eq!(array.values()[..kept], before[..kept]);
            assert!(array.values()[kept..].iter().all(|value| *value == length as u32));
            let align = if length * 4 >= LARGE { LARGE_PAGE } else { LINE };
            assert_eq!(array.values().as_ptr().align_offset(align), 0);
        }
        array.values_mut()[7] = 9;
        assert_eq!(array.values()[7], 9);
    }
}
