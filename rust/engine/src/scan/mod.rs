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

mod basis;
pub(crate) mod bf16;
mod codes;
mod matrix;
mod null;
mod pass;
pub(crate) mod probe;
mod top;
mod weights;

use crate::error::EngineError;
use crate::filter::{Filter, WEIGHT_FLOOR, WEIGHT_GAIN};
use crate::rows::{BLOCK, RowTable, length};
use crate::simd::{Path, dot_gamma};

pub(crate) use basis::Basis;
pub(crate) use codes::Codes;
pub use matrix::Matrix;
pub(crate) use matrix::check_vectors;
pub(crate) use null::NullSamples;
pub use null::{NULL_SAMPLE, NullStats, sample_hash};
use pass::{Coded, Pass, Source};
use probe::Probe;
pub use top::Hit;
pub(crate) use weights::Weights;

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

impl Query<'_> {
    fn check(&self, dim: usize) -> Result<(), EngineError> {
        length("query", self.vector.len(), dim)?;
        check_vectors("query", self.vector, dim)?;
        self.filter.validate()?;
        if self.min_cosine.is_nan() {
            return Err(EngineError::NotFinite { what: "min_cosine", position: 0 });
        }
        Ok(())
    }
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

/// What the scan reads of an index.
#[derive(Clone, Copy)]
pub(crate) struct Index<'a> {
    pub(crate) rows: &'a RowTable,
    pub(crate) matrix: &'a Matrix,
    pub(crate) samples: &'a NullSamples,
    pub(crate) codes: Option<&'a Codes>,
    pub(crate) weights: &'a Weights,
    pub(crate) path: Path,
}

/// Run queries over all rows, all of them in one pass over the codes.
///
/// # Errors
/// `NotFinite`, `Length` or `Parameter` for a query or filter that cannot be used.
pub(crate) fn topk(
    index: Index<'_>,
    queries: &[Query<'_>],
) -> Result<Vec<ScanResult>, EngineError> {
    for query in queries {
        query.check(index.matrix.dim())?;
    }
    let source = Source { rows: index.rows, matrix: index.matrix, path: index.path };
    let mut passes: Vec<Pass<'_>> =
        queries.iter().map(|query| Pass::new(source, query, coded(index, query))).collect();
    let blocks = index.rows.slots() / BLOCK;
    let stride = passes.iter().map(Pass::stride).max().unwrap_or(1);
    for start in (0..blocks).step_by(stride) {
        for pass in &mut passes {
            pass.advance(start..blocks.min(start + stride));
        }
    }
    let finish = |(pass, query): (Pass<'_>, &Query<'_>)| {
        let (hits, stats) = pass.finish();
        let null = index.samples.stats(index.rows, index.matrix, index.path, query);
        ScanResult { hits, null, stats }
    };
    Ok(passes.into_iter().zip(queries).map(finish).collect())
}

fn coded<'a>(index: Index<'a>, query: &Query<'_>) -> Option<Coded<'a>> {
    let codes = index.codes?;
    let probe = Probe::new(index.path, codes, query.vector)?;
    Some(Coded { codes, weights: index.weights, probe })
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
        let relative = (dot_gamma(dim) + f64::from(f32::EPSILON)) * query_norm * (1.0 + 1e-9);
        Self { relative, absolute: dim as f64 * 1e-44 }
    }

    fn of(&self, row_norm: f32) -> f64 {
        self.relative * f64::from(row_norm) + self.absolute
    }
}
