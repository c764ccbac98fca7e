//! The exact scan: ids, cosines and scores of brute force, at a tenth of its memory traffic.
//!
//! **Definition.** The canonical cosine of a row is the inner product of the stored f32 values in
//! f64 ([`Path::dot_canonical`]), rounded once to f32; its weight is 0.3 + 0.7 * retention in
//! f64; its score is their product, rounded once to f32. Rows are ordered by score, best first,
//! ties by id. Every path returns exactly this; bounds only ever exclude rows.
//!
//! **Proof of the bounds.** Let V be the fitted directions, P = V^T V, d >= |V V^T - I|, and y the
//! coordinates V x of a row, held as codes y^ with |y - y^| <= R (residual, the rounding of the
//! projection included). For a query q with p = V q:
//!
//! 1. q.x = p.y + q.(I - P)x, and I - P = (I - P)^2 + (P - P^2) with |P - P^2| <= d (1 + d), so
//!    q.x <= p.y + |(I - P)q| |(I - P)x| + d (1 + d) |q| |x|. The second factor is the tail T.
//! 2. The first coordinate is kept to within h times the row's scale s, and R counts the others:
//!    p.y = p.y^ + p.(y - y^) <= p.y^ + |p_1| h s + |p'| R, p' being p without p_1. In a space
//!    with a common direction, which is the first, |p'| is small and so is the bound's excess.
//! 3. p is known up to e |q| (rounding of the projection) and quantised to integers with an error
//!    E_c in each chunk c of 32 directions; codes have centred norms of at most C_c there and the
//!    row's scale s, so the integer sum differs from p.y^ by at most s sum E_c C_c + e |q| |y^|.
//! 4. Hence cosine <= sum + R |p'| + T |(I - P)q| + s (sum E_c C_c + slack), where slack covers
//!    |p_1| h, the f32 evaluation of this very formula and the rounding of the canonical cosine.
//! 5. The second plane codes r = x - V^T y^ itself, r^ with |r - r^| <= M (the rounding of r
//!    included): q.x = p.y^ + q.r^ + q.(r - r^) <= sums + M |q| + slack. No tail is left.
//! 6. Last comes the f32 product: with n roundings per term and u = 2^-24 it is off by at most
//!    g |q| |x|, g = n u / (1 - n u) (Higham, Accuracy and Stability of Numerical Algorithms,
//!    3.1, and Cauchy-Schwarz), plus 2^-149 for each product that underflows.
//! 7. A bound b >= 0 of the cosine and a bound w of the weight give b w for the score; for b < 0
//!    zero does. Rounding to f32 is monotone, so a row whose bound is below the k-th best score
//!    cannot enter, whatever its id.
//!
//! Norms, residuals and tails are computed in f64 and rounded up. Rows and queries whose norm is
//! outside 1e-10..1e10 are not coded, so no code meets an underflow or overflow.

mod basis;
pub(crate) mod bf16;
mod codes;
mod floor;
mod head;
mod matrix;
mod null;
pub(crate) mod parallel;
mod pass;
pub(crate) mod probe;
mod short;
mod sweep;
mod top;
mod weights;

use std::ops::Range;

use crate::error::EngineError;
use crate::filter::{Filter, WEIGHT_FLOOR, WEIGHT_GAIN};
use crate::rows::{BLOCK, RowTable, length};
use crate::simd::{Path, dot_gamma};

pub(crate) use basis::Basis;
pub(crate) use codes::Codes;
use floor::SharedFloor;
pub use matrix::Matrix;
pub(crate) use matrix::check_vectors;
pub(crate) use null::NullSamples;
pub use null::{NULL_SAMPLE, NullStats, sample_hash};
use probe::Probe;
use sweep::sweep;
pub use top::Hit;
use top::best;
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
    /// Rows whose second plane of codes was read.
    pub refined: u64,
    /// Rows whose canonical cosine was computed.
    pub rescored: u64,
    /// Bytes of vectors and codes read.
    pub bytes: u64,
}

impl ScanStats {
    /// Add what another pass did.
    fn add(&mut self, other: Self) {
        self.rows += other.rows;
        self.bounded += other.bounded;
        self.refined += other.refined;
        self.rescored += other.rescored;
        self.bytes += other.bytes;
    }
}

/// Hits of a query, best first, with what confidence and reports need.
#[derive(Debug, Clone, Default)]
pub struct ScanResult {
    /// At most `k` hits.
    pub hits: Vec<Hit>,
    /// Cosines of the query with the fixed sample of the visible scopes; left out by cosine, which
    /// compares rows and needs no confidence.
    pub null: NullStats,
    /// Work done.
    pub stats: ScanStats,
}

impl ScanResult {
    /// Add what another part of the rows gave.
    fn add(&mut self, other: Self) {
        self.hits.extend(other.hits);
        self.stats.add(other.stats);
    }
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

/// Run queries over all rows, all of them in one pass over the codes, with at most `threads`
/// threads. They differ in their vectors only.
///
/// # Errors
/// `NotFinite`, `Length` or `Parameter` for a query or filter that cannot be used.
pub(crate) fn topk(
    index: Index<'_>,
    queries: &[Query<'_>],
    threads: usize,
) -> Result<Vec<ScanResult>, EngineError> {
    for query in queries {
        query.check(index.matrix.dim())?;
    }
    let probe = |query: &Query<'_>| Probe::new(index.path, index.codes?, query.vector);
    let probes: Vec<Option<Probe>> = queries.iter().map(probe).collect();
    let floors: Vec<SharedFloor> = queries.iter().map(|_| SharedFloor::new()).collect();
    let work = |blocks: Range<usize>| sweep(index, queries, &probes, &floors, blocks);
    let parts = parallel::split(index.rows.slots() / BLOCK, queries.len(), threads);
    let mut found = parallel::run(parts, &work).into_iter();
    let mut results = found.next().unwrap_or_default();
    for part in found {
        for (result, other) in results.iter_mut().zip(part) {
            result.add(other);
        }
    }
    for (result, query) in results.iter_mut().zip(queries) {
        result.hits = best(std::mem::take(&mut result.hits), query.k);
        if query.rank == Rank::Score {
            result.null = index.samples.stats(index.rows, index.matrix, index.path, query);
        }
    }
    Ok(results)
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
