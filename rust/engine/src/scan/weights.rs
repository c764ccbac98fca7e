//! Upper bounds of the rows' weights, so that retention tightens the bound of the scan.
//!
//! Retention never rises while time passes, so the weight of a row at some moment bounds its
//! weight at every later one. The bounds are taken once and kept until they have become loose.

use super::{Query, Rank, bf16};
use crate::filter::{Filter, WEIGHT_FLOOR, WEIGHT_GAIN};
use crate::rows::RowTable;

/// Part of the shortest time constant after which the bounds are taken again; they are then
/// looser by at most 1.6 %.
const REFRESH: f64 = 1.0 / 64.0;

/// Bounds by slot for one set of time constants.
#[derive(Debug, Clone)]
pub(crate) struct Weights {
    /// The filter of the query that asked; only its time constants and `now` matter.
    taken: Filter,
    values: Vec<u16>,
}

impl Weights {
    /// Take the bounds at the filter's `now`.
    pub(crate) fn take(rows: &RowTable, filter: &Filter) -> Self {
        let taken = Filter { taus: filter.taus, ..Filter::everything(filter.now) };
        let mut weights = Self { taken, values: Vec::new() };
        weights.values = (0..rows.slots()).map(|slot| weights.bound(rows, slot)).collect();
        weights
    }

    /// Whether the bounds hold for this query and are still tight. A query that neither ranks
    /// nor filters by retention takes any.
    pub(crate) fn serve(&self, rows: &RowTable, query: &Query<'_>) -> bool {
        let filter = query.filter;
        let age = filter.now - self.taken.now;
        let shortest = filter.taus.iter().copied().fold(f64::INFINITY, f64::min);
        let unused = query.rank == Rank::Cosine && filter.min_retention <= 0.0;
        let tight = self.taken.taus == filter.taus && age >= 0.0 && age <= shortest * REFRESH;
        self.values.len() == rows.slots() && (unused || tight)
    }

    /// Whether other bounds serve the same time constants, or these are of another size.
    pub(crate) fn replaced_by(&self, other: &Self) -> bool {
        self.taken.taus == other.taken.taus || self.values.len() != other.values.len()
    }

    /// Take the bound of one slot again, after a change of its row.
    pub(crate) fn renew(&mut self, rows: &RowTable, slot: usize) {
        self.values.resize(rows.slots(), 0);
        self.values[slot] = self.bound(rows, slot);
    }

    /// The bounds, bf16.
    pub(crate) fn values(&self) -> &[u16] {
        &self.values
    }

    fn bound(&self, rows: &RowTable, slot: usize) -> u16 {
        let weight = WEIGHT_FLOOR + WEIGHT_GAIN * self.taken.retention(rows, slot);
        bf16::above(((weight * (1.0 + 1e-9)) as f32).next_up())
    }
}

/// Bound below which a row is certainly under the retention floor.
pub(crate) fn floor(min_retention: f64) -> f32 {
    if min_retention <= 0.0 {
        return f32::NEG_INFINITY;
    }
    ((WEIGHT_FLOOR + WEIGHT_GAIN * min_retention) * (1.0 - 1e-6)) as f32
}
