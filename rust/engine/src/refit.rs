//! Fitting the codes of the scan to the present vectors, in steps between which the index answers.
//!
//! A fit of a large index takes seconds. Whoever holds a lock around the index takes it for one
//! step at a time: [`MemoryIndex::fit_sample`], then [`Basis`](crate::scan) without any lock, then
//! [`MemoryIndex::begin_fit`] and [`MemoryIndex::step_fit`] until it says that nothing is left. No
//! answer changes at any time; rows that come meanwhile are coded both ways.

use crate::memory::MemoryIndex;
use crate::scan::{Basis, Codes, Matrix};
use crate::simd::Path;

/// Slots from which codes pay.
pub(crate) const FIRST_FIT: usize = 2_048;
/// Vectors without which nothing is fitted.
const LEAST_FIT: usize = 32;
/// Vectors that the directions are fitted to.
const FIT_SAMPLE: usize = 8_192;

/// Codes along newly fitted directions, for the slots below `done`.
#[derive(Debug)]
pub(crate) struct Refit {
    pub(crate) codes: Codes,
    pub(crate) done: usize,
}

/// Vectors to fit directions to.
#[derive(Debug)]
pub struct FitSample {
    path: Path,
    matrix: Matrix,
    rows: usize,
    /// Vectors that they were taken from.
    all: usize,
}

impl FitSample {
    /// Find the directions; `None` where codes do not pay.
    #[must_use]
    pub fn fit(&self) -> Option<Fitted> {
        let slots: Vec<usize> = (0..self.rows).collect();
        if slots.len() < LEAST_FIT {
            return None;
        }
        Basis::fit(self.path, &self.matrix, &slots, self.all).map(Fitted)
    }
}

/// Fitted directions.
#[derive(Debug)]
pub struct Fitted(Basis);

impl MemoryIndex {
    /// Whether the index has outgrown the directions of its codes, so that a fit pays.
    #[must_use]
    pub fn fit_due(&self) -> bool {
        self.slots() >= self.next_fit
    }

    /// A copy of the vectors to fit to.
    #[must_use]
    pub fn fit_sample(&self) -> FitSample {
        let present: Vec<usize> = (0..self.slots()).filter(|slot| self.matrix.has(*slot)).collect();
        let stride = present.len().div_ceil(FIT_SAMPLE).max(1);
        let mut matrix = Matrix::new(self.matrix.dim());
        let chosen = present.iter().step_by(stride);
        matrix.resize(chosen.len());
        let rows = chosen.len();
        for (at, slot) in chosen.enumerate() {
            matrix.write(at, Some(self.matrix.row(*slot)));
        }
        FitSample { path: self.path, matrix, rows, all: present.len() }
    }

    /// Begin to code all rows along new directions, or drop the codes where there are none.
    pub fn begin_fit(&mut self, fitted: Option<Fitted>) {
        self.next_fit = FIRST_FIT.max(self.slots() * 4);
        self.refit = fitted.map(|Fitted(basis)| Refit { codes: Codes::new(basis), done: 0 });
        if self.refit.is_none() {
            self.codes = None;
        }
    }

    /// Code up to `rows` more rows; return whether some are left.
    pub fn step_fit(&mut self, rows: usize) -> bool {
        let slots = self.slots();
        let Some(mut refit) = self.refit.take() else { return false };
        refit.codes.resize(slots);
        let end = slots.min(refit.done + rows);
        for slot in refit.done..end {
            refit.codes.write(self.path, &self.matrix, slot);
        }
        refit.done = end;
        if end < slots {
            self.refit = Some(refit);
            return true;
        }
        self.codes = Some(refit.codes);
        false
    }

    /// Fit the codes to the vectors that are there now, at once. Changes no result.
    pub fn optimize(&mut self) {
        let fitted = self.fit_sample().fit();
        self.begin_fit(fitted);
        while self.step_fit(usize::MAX / 2) {}
    }
}
