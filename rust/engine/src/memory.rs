//! The index of one memory: rows, vectors and (as a separate part) keywords, by slot.

use crate::error::EngineError;
use crate::filter::Filter;
use crate::rows::{Attributes, RowTable, length};
use crate::scan::{self, Matrix, NullSamples, Query, ScanResult, check_vectors};
use crate::simd::Path;

/// Largest dimension of a vector.
pub const MAX_DIM: usize = 65_536;

/// A batch of rows to insert or replace.
#[derive(Debug, Clone, Copy)]
pub struct Batch<'a> {
    /// Trace ids; of an id that occurs twice the later row counts.
    pub ids: &'a [i64],
    /// One byte per row: whether it has a vector.
    pub has_vector: &'a [u8],
    /// The vectors of the rows that have one, in order, `dim` values each.
    pub vectors: &'a [f32],
    /// Text of each row, for the keyword index.
    pub texts: &'a [String],
    /// Attributes of each row.
    pub attributes: Attributes<'a>,
}

/// Everything that recall searches in memory.
#[derive(Debug)]
pub struct MemoryIndex {
    path: Path,
    rows: RowTable,
    matrix: Matrix,
    samples: NullSamples,
}

impl MemoryIndex {
    /// An empty index of vectors of `dim` values.
    ///
    /// # Errors
    /// `Parameter` if `dim` is zero or above [`MAX_DIM`].
    pub fn new(dim: usize) -> Result<Self, EngineError> {
        if !(1..=MAX_DIM).contains(&dim) {
            return Err(EngineError::Parameter {
                what: format!("the dimension must lie in 1..={MAX_DIM}, got {dim}"),
            });
        }
        Ok(Self {
            path: Path::detect(),
            rows: RowTable::default(),
            matrix: Matrix::new(dim),
            samples: NullSamples::default(),
        })
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Values per vector.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.matrix.dim()
    }

    /// The SIMD path in use.
    #[must_use]
    pub fn path(&self) -> Path {
        self.path
    }

    /// Use another SIMD path; no result changes.
    pub fn set_path(&mut self, path: Path) {
        self.path = path;
    }

    /// Whether a row of this id is in the index.
    #[must_use]
    pub fn contains(&self, id: i64) -> bool {
        self.rows.slot_of(id).is_some()
    }

    /// Insert rows, replacing those whose ids are present.
    ///
    /// # Errors
    /// `Length`, `NotFinite` or `Parameter`; nothing is changed then.
    pub fn upsert(&mut self, batch: &Batch<'_>) -> Result<(), EngineError> {
        self.check(batch)?;
        let mut vectors = batch.vectors.chunks_exact(self.matrix.dim());
        for (at, &id) in batch.ids.iter().enumerate() {
            let vector = if batch.has_vector[at] != 0 { vectors.next() } else { None };
            let before = self.sampled(id);
            let slot = self.rows.claim(id);
            self.rows.write(slot, &batch.attributes, at);
            self.matrix.resize(self.rows.slots());
            self.matrix.write(slot, vector);
            self.resample(id, before);
        }
        self.samples.refresh(&self.rows, &self.matrix);
        Ok(())
    }

    fn check(&self, batch: &Batch<'_>) -> Result<(), EngineError> {
        let count = batch.ids.len();
        length("has_vector", batch.has_vector.len(), count)?;
        length("texts", batch.texts.len(), count)?;
        let present = batch.has_vector.iter().filter(|flag| **flag != 0).count();
        length("vectors", batch.vectors.len(), present * self.matrix.dim())?;
        batch.attributes.validate(count)?;
        check_vectors("vectors", batch.vectors, self.matrix.dim())
    }

    /// Change the attributes of rows and keep their vectors and texts. Unknown ids are skipped.
    ///
    /// # Errors
    /// `Length`, `NotFinite` or `Parameter`; nothing is changed then.
    pub fn update(&mut self, ids: &[i64], attributes: &Attributes<'_>) -> Result<(), EngineError> {
        attributes.validate(ids.len())?;
        for (at, &id) in ids.iter().enumerate() {
            let Some(slot) = self.rows.slot_of(id) else { continue };
            let before = self.sampled(id);
            self.rows.write(slot, attributes, at);
            self.resample(id, before);
        }
        self.samples.refresh(&self.rows, &self.matrix);
        Ok(())
    }

    /// Take rows out and return how many there were. Unknown ids are skipped.
    pub fn remove(&mut self, ids: &[i64]) -> usize {
        let mut removed = 0;
        for &id in ids {
            let before = self.sampled(id);
            if let Some(slot) = self.rows.release(id) {
                self.matrix.write(slot, None);
                removed += 1;
            }
            self.resample(id, before);
        }
        self.samples.refresh(&self.rows, &self.matrix);
        removed
    }

    /// Scope whose null sample the row may be in.
    fn sampled(&self, id: i64) -> Option<u32> {
        let slot = self.rows.slot_of(id)?;
        self.matrix.has(slot).then(|| self.rows.scope[slot])
    }

    /// Bring the null samples in step after a change of the row. A row that stays in its scope
    /// is left alone: losing a member of a full sample means drawing that sample again.
    fn resample(&mut self, id: i64, before: Option<u32>) {
        let after = self.sampled(id);
        if before == after {
            return;
        }
        if let Some(scope) = before {
            self.samples.drop_row(scope, id);
        }
        if let Some(scope) = after {
            self.samples.add(scope, id);
        }
    }

    /// The exact best rows of a query.
    ///
    /// # Errors
    /// `NotFinite`, `Length` or `Parameter` for a query that cannot be used.
    pub fn topk(&self, query: &Query<'_>) -> Result<ScanResult, EngineError> {
        scan::topk(&self.rows, &self.matrix, &self.samples, self.path, query)
    }

    /// Canonical cosines of given rows; NaN for an id that is absent or has no vector.
    ///
    /// # Errors
    /// `NotFinite`, `Length` or `Parameter` for a query that cannot be used.
    pub fn cosines(&self, query: &[f32], ids: &[i64]) -> Result<Vec<f32>, EngineError> {
        length("query", query.len(), self.matrix.dim())?;
        check_vectors("query", query, self.matrix.dim())?;
        let cosine = |id: &i64| match self.rows.slot_of(*id) {
            Some(slot) if self.matrix.has(slot) => self.matrix.cosine(self.path, query, slot),
            _ => f32::NAN,
        };
        Ok(ids.iter().map(cosine).collect())
    }

    /// Which of the given rows are present and pass the filter.
    ///
    /// # Errors
    /// `NotFinite` or `Parameter` for a filter that cannot be used.
    pub fn accepted(&self, ids: &[i64], filter: &Filter) -> Result<Vec<bool>, EngineError> {
        filter.validate()?;
        let accepts =
            |id: &i64| self.rows.slot_of(*id).is_some_and(|slot| filter.accepts(&self.rows, slot));
        Ok(ids.iter().map(accepts).collect())
    }
}
