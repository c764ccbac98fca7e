//! The vectors of the rows, by slot.

use std::sync::Arc;

use crate::error::EngineError;
use crate::simd::Path;
use crate::snapshot::Column;
use crate::snapshot::format::Section;
use crate::snapshot::mapped::MappedFile;

/// The vectors of the rows, by slot.
#[derive(Debug)]
pub struct Matrix {
    dim: usize,
    values: Column<f32>,
    /// Euclidean norm by slot, rounded up; negative for a slot without a vector.
    norms: Column<f32>,
}

/// Largest norm of a vector; products stay far inside the range of f32.
const MAX_NORM: f64 = 1e15;

impl Matrix {
    /// An empty matrix of rows of `dim` values.
    pub(crate) fn new(dim: usize) -> Self {
        Self { dim, values: Column::default(), norms: Column::default() }
    }

    /// The vectors of a snapshot.
    pub(crate) fn open(file: &Arc<MappedFile>) -> Result<Self, EngineError> {
        let (dim, slots) = (file.header().dim, file.header().slots);
        let values = Column::mapped(file, Section::Vectors, slots.saturating_mul(dim))?;
        Ok(Self { dim, values, norms: Column::mapped(file, Section::Norms, slots)? })
    }

    /// Values per row.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Make room for `slots` rows.
    pub(crate) fn resize(&mut self, slots: usize) {
        self.values.resize(slots * self.dim, 0.0);
        self.norms.resize(slots, -1.0);
    }

    /// Write the vector of a slot; `None` and the zero vector leave it without one.
    pub(crate) fn write(&mut self, slot: usize, vector: Option<&[f32]>) {
        let place = self.values.slice_mut(slot * self.dim..(slot + 1) * self.dim);
        self.norms[slot] = -1.0;
        match vector.filter(|vector| vector.iter().any(|value| *value != 0.0)) {
            Some(vector) => {
                place.copy_from_slice(vector);
                self.norms[slot] = rounded_up(vector);
            }
            None => place.fill(0.0),
        }
    }

    /// Whether the slot has a vector.
    #[must_use]
    pub fn has(&self, slot: usize) -> bool {
        self.norms[slot] >= 0.0
    }

    /// Norm of a slot's vector, rounded up; negative without one.
    #[must_use]
    pub fn norm_above(&self, slot: usize) -> f32 {
        self.norms[slot]
    }

    /// Vector of a slot; zeros without one.
    #[must_use]
    pub fn row(&self, slot: usize) -> &[f32] {
        self.values.slice(slot * self.dim..(slot + 1) * self.dim)
    }

    /// Ask for the vector of a slot and its norm.
    pub(crate) fn approach(&self, path: Path, slot: usize) {
        path.prefetch(self.row(slot));
        path.prefetch(self.norms.slice(slot..slot + 1));
    }

    /// Canonical cosine of a slot.
    #[must_use]
    pub fn cosine(&self, path: Path, query: &[f32], slot: usize) -> f32 {
        path.dot_canonical(query, self.row(slot)) as f32
    }
}

/// Refuse vectors that are not finite or too long.
pub(crate) fn check_vectors(
    what: &'static str,
    values: &[f32],
    dim: usize,
) -> Result<(), EngineError> {
    for (at, row) in values.chunks(dim).enumerate() {
        let norm = norm(row);
        // Squares of finite values never overflow here.
        if !norm.is_finite()
            && let Some(position) = row.iter().position(|value| !value.is_finite())
        {
            return Err(EngineError::NotFinite { what, position: at * dim + position });
        }
        if norm > MAX_NORM {
            return Err(EngineError::Parameter {
                what: format!("the norm of a vector must be at most {MAX_NORM:e}, got {norm:e}"),
            });
        }
    }
    Ok(())
}

/// Euclidean norm, summed in f64 in eight lanes.
pub(super) fn norm(vector: &[f32]) -> f64 {
    let mut lanes = [0.0f64; 8];
    let (blocks, rest) = vector.as_chunks::<8>();
    for block in blocks {
        for (lane, value) in lanes.iter_mut().zip(block) {
            *lane += f64::from(*value) * f64::from(*value);
        }
    }
    let rest = rest.iter().map(|value| f64::from(*value) * f64::from(*value));
    (lanes.into_iter().sum::<f64>() + rest.sum::<f64>()).sqrt()
}

/// The norm rounded up to f32, with room for the rounding of the f64 sum.
fn rounded_up(vector: &[f32]) -> f32 {
    ((norm(vector) * (1.0 + 1e-9)) as f32).next_up()
}
