//! The exact scan: ids, cosines and scores of brute force, at less memory traffic.
//!
//! **Definition.** The canonical cosine of a row is the inner product of the stored f32 values in
//! f64 ([`Path::dot_canonical`]), rounded once to f32; its weight is 0.3 + 0.7 * retention in
//! f64; its score is their product, rounded once to f32. Rows are ordered by score, best first,
//! ties by id. Every path returns exactly this; bounds only ever exclude rows.
//!
//! **Bound of the f32 pass.** With n = [`dot_depth`] roundings per term and u = 2^-24, the f32
//! sum differs from the true product by at most g * sum|q_i x_i| <= g |q| |x|, g = n u / (1 - n u)
//! (Higham, Accuracy and Stability, 3.1; Cauchy-Schwarz), plus 2^-149 for each product that
//! underflows. The canonical cosine differs from the true product by at most 2^-23 |q| |x| more.
//! So `estimate + slack` is never below the canonical cosine, weights are never negative, and
//! rounding to f32 is monotone: a row whose bound is below the k-th best score cannot enter.

mod null;
mod top;

use crate::error::EngineError;
use crate::filter::{Filter, WEIGHT_FLOOR, WEIGHT_GAIN};
use crate::rows::RowTable;
use crate::simd::{Path, dot_depth};

pub(crate) use null::NullSamples;
pub use null::{NULL_SAMPLE, NullStats, sample_hash};
pub use top::Hit;
use top::Top;

/// What orders the hits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rank {
    /// Cosine times (0.3 + 0.7 * retention).
    Score,
    /// Cosine alone; the score equals it.
    Cosine,
}

/// A query of the exact scan.
#[derive(Debug, Clone)]
pub struct Query<'a> {
    /// The query vector.
    pub vector: &'a [f32],
    /// Most hits.
    pub k: usize,
    /// What orders them.
    pub rank: Rank,
    /// Least canonical cosine.
    pub min_cosine: f64,
    /// Which rows may be hits.
    pub filter: &'a Filter,
}

/// What one pass did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ScanStats {
    /// Slots looked at.
    pub rows: u64,
    /// Rows that passed the filter and were bounded.
    pub bounded: u64,
    /// Rows whose canonical cosine was computed.
    pub rescored: u64,
    /// Bytes of vectors and codes read.
    pub bytes: u64,
}

/// Hits of a query, best first, with what confidence and reports need.
#[derive(Debug, Clone, Default)]
pub struct ScanResult {
    /// At most `k` hits.
    pub hits: Vec<Hit>,
    /// Cosines of the query with the fixed sample of the visible scopes.
    pub null: NullStats,
    /// Work done.
    pub stats: ScanStats,
}

/// The vectors of the rows, by slot.
#[derive(Debug)]
pub struct Matrix {
    dim: usize,
    values: Vec<f32>,
    /// Euclidean norm by slot, rounded up; negative for a slot without a vector.
    norms: Vec<f32>,
}

/// Largest norm of a vector; products stay far inside the range of f32.
const MAX_NORM: f64 = 1e15;

impl Matrix {
    /// An empty matrix of rows of `dim` values.
    pub(crate) fn new(dim: usize) -> Self {
        Self { dim, values: Vec::new(), norms: Vec::new() }
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
        let place = &mut self.values[slot * self.dim..(slot + 1) * self.dim];
        self.norms[slot] = -1.0;
        place.fill(0.0);
        if let Some(vector) = vector
            && vector.iter().any(|value| *value != 0.0)
        {
            place.copy_from_slice(vector);
            self.norms[slot] = norm_above(vector);
        }
    }

    /// Whether the slot has a vector.
    #[must_use]
    pub fn has(&self, slot: usize) -> bool {
        self.norms[slot] >= 0.0
    }

    /// Vector of a slot; zeros without one.
    #[must_use]
    pub fn row(&self, slot: usize) -> &[f32] {
        &self.values[slot * self.dim..(slot + 1) * self.dim]
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
    if let Some(position) = values.iter().position(|value| !value.is_finite()) {
        return Err(EngineError::NotFinite { what, position });
    }
    for row in values.chunks_exact(dim) {
        let norm = norm(row);
        if norm > MAX_NORM {
            return Err(EngineError::Parameter {
                what: format!("the norm of a vector must be at most {MAX_NORM:e}, got {norm:e}"),
            });
        }
    }
    Ok(())
}

fn norm(vector: &[f32]) -> f64 {
    vector.iter().map(|value| f64::from(*value) * f64::from(*value)).sum::<f64>().sqrt()
}

/// The norm rounded up to f32, with room for the rounding of the f64 sum.
fn norm_above(vector: &[f32]) -> f32 {
    ((norm(vector) * (1.0 + 1e-9)) as f32).next_up()
}

/// Run one query over all rows.
///
/// # Errors
/// `NotFinite`, `Length` or `Parameter` for a query or filter that cannot be used.
pub fn topk(
    rows: &RowTable,
    matrix: &Matrix,
    samples: &NullSamples,
    path: Path,
    query: &Query<'_>,
) -> Result<ScanResult, EngineError> {
    crate::rows::length("query", query.vector.len(), matrix.dim)?;
    check_vectors("query", query.vector, matrix.dim)?;
    query.filter.validate()?;
    if query.min_cosine.is_nan() {
        return Err(EngineError::NotFinite { what: "min_cosine", position: 0 });
    }
    let null = samples.stats(rows, matrix, path, query);
    let mut stats = ScanStats { rows: rows.slots() as u64, ..ScanStats::default() };
    let mut top = Top::new(query.k.min(rows.len()));
    if query.k > 0 {
        scan(rows, matrix, path, query, &mut top, &mut stats);
    }
    stats.bytes = (stats.bounded + stats.rescored) * matrix.dim as u64 * 4;
    Ok(ScanResult { hits: top.into_sorted(), null, stats })
}

fn scan(
    rows: &RowTable,
    matrix: &Matrix,
    path: Path,
    query: &Query<'_>,
    top: &mut Top,
    stats: &mut ScanStats,
) {
    let slack = Slack::new(matrix.dim, norm(query.vector));
    for slot in 0..rows.slots() {
        if !matrix.has(slot) || !query.filter.admits(rows, slot) {
            continue;
        }
        let retention = query.filter.retention(rows, slot);
        if retention < query.filter.min_retention {
            continue;
        }
        stats.bounded += 1;
        let estimate = path.dot_f32(query.vector, matrix.row(slot));
        let bound = f64::from(estimate) + slack.of(matrix.norms[slot]);
        let weight = weight(query.rank, retention);
        if bound < query.min_cosine || !top.admits(bound * weight) {
            continue;
        }
        stats.rescored += 1;
        let cosine = matrix.cosine(path, query.vector, slot);
        if f64::from(cosine) >= query.min_cosine {
            let score = (f64::from(cosine) * weight) as f32;
            top.push(Hit { id: rows.id[slot], cosine, score, retention });
        }
    }
}

/// Weight of the cosine in the score.
fn weight(rank: Rank, retention: f64) -> f64 {
    match rank {
        Rank::Score => WEIGHT_FLOOR + WEIGHT_GAIN * retention,
        Rank::Cosine => 1.0,
    }
}

/// How far the canonical cosine may lie above the f32 estimate.
struct Slack {
    relative: f64,
    absolute: f64,
}

impl Slack {
    fn new(dim: usize, query_norm: f64) -> Self {
        let roundings = (dot_depth(dim) + 4) as f64 * (0.5 * f64::from(f32::EPSILON));
        let gamma = roundings / (1.0 - roundings);
        Self { relative: gamma * query_norm * (1.0 + 1e-9), absolute: dim as f64 * 1e-44 }
    }

    fn of(&self, row_norm: f32) -> f64 {
        self.relative * f64::from(row_norm) + self.absolute
    }
}
