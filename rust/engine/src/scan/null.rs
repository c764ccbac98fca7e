//! Null statistics: how a query's cosines with arbitrary rows are distributed.
//!
//! The sample of a set of scopes is the [`NULL_SAMPLE`] rows with a vector whose hashed ids are
//! lowest. It does not depend on the order of writes, on filters, or on the SIMD path, so a
//! confidence derived from it is the same on every machine and after every rebuild. The sample
//! of a union is the lowest of the scopes' samples, so keeping one per scope is enough.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use super::{Matrix, Query};
use crate::rows::RowTable;
use crate::simd::Path;

/// Rows in the sample of a query.
pub const NULL_SAMPLE: usize = 128;

/// Sets of scopes whose sample is kept in one piece.
const KEPT: usize = 4;

/// Mean and standard deviation of the canonical cosine over the sample.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct NullStats {
    /// Rows in the sample; both moments are zero without any.
    pub count: u32,
    /// Mean cosine.
    pub mean: f64,
    /// Population standard deviation.
    pub std: f64,
}

/// Hash that picks the sample: the finaliser of SplitMix64 (Steele, Lea and Flood, 2014).
#[must_use]
pub fn sample_hash(id: i64) -> u64 {
    let mut z = (id as u64).wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The samples by scope, kept up to date at every write.
#[derive(Debug, Default)]
pub struct NullSamples {
    scopes: BTreeMap<u32, BTreeSet<(u64, i64)>>,
    /// Scopes that lost a member of a full sample and must be drawn again.
    stale: BTreeSet<u32>,
    /// Samples of the last queries, until the next write.
    drawn: Mutex<Vec<Arc<Drawn>>>,
}

/// The sample of some scopes in one piece: rows from all over the matrix take far longer to read.
#[derive(Debug)]
struct Drawn {
    scopes: Option<Vec<u32>>,
    /// Vectors in hash order.
    vectors: Vec<f32>,
}

impl NullSamples {
    /// Take note of a row that has a vector.
    pub(crate) fn add(&mut self, scope: u32, id: i64) {
        let sample = self.scopes.entry(scope).or_default();
        sample.insert((sample_hash(id), id));
        if sample.len() > NULL_SAMPLE {
            sample.pop_last();
        }
    }

    /// Scope and id of every member.
    pub(crate) fn members(&self) -> impl Iterator<Item = (u32, i64)> {
        self.scopes.iter().flat_map(|(scope, sample)| sample.iter().map(|(_, id)| (*scope, *id)))
    }

    /// Forget a row; call [`NullSamples::refresh`] at the end of the batch.
    pub(crate) fn drop_row(&mut self, scope: u32, id: i64) {
        let Some(sample) = self.scopes.get_mut(&scope) else { return };
        let full = sample.len() >= NULL_SAMPLE;
        if sample.remove(&(sample_hash(id), id)) && full {
            self.stale.insert(scope);
        }
        if self.scopes.get(&scope).is_some_and(BTreeSet::is_empty) {
            self.scopes.remove(&scope);
        }
    }

    /// Draw the samples again that lost a member. Every batch of changes ends with this.
    pub(crate) fn refresh(&mut self, rows: &RowTable, matrix: &Matrix) {
        self.drawn.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
        if self.stale.is_empty() {
            return;
        }
        let stale = std::mem::take(&mut self.stale);
        for slot in 0..rows.slots() {
            let scope = rows.scope[slot];
            if rows.occupied(slot) && matrix.has(slot) && stale.contains(&scope) {
                self.add(scope, rows.id[slot]);
            }
        }
    }

    /// Statistics of the query over the sample of its visible scopes, summed in hash order.
    pub(crate) fn stats(
        &self,
        rows: &RowTable,
        matrix: &Matrix,
        path: Path,
        query: &Query<'_>,
    ) -> NullStats {
        let drawn = self.drawn(rows, matrix, query.filter.scopes.as_ref());
        let cosine = |row: &[f32]| f64::from(path.dot_canonical(query.vector, row) as f32);
        let cosines: Vec<f64> = drawn.vectors.chunks_exact(matrix.dim()).map(cosine).collect();
        if cosines.is_empty() {
            return NullStats::default();
        }
        let count = cosines.len() as f64;
        let mean = cosines.iter().sum::<f64>() / count;
        let variance = cosines.iter().map(|c| (c - mean) * (c - mean)).sum::<f64>() / count;
        NullStats { count: cosines.len() as u32, mean, std: variance.sqrt() }
    }

    fn drawn(&self, rows: &RowTable, matrix: &Matrix, scopes: Option<&Vec<u32>>) -> Arc<Drawn> {
        let mut kept = self.drawn.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(drawn) = kept.iter().find(|drawn| drawn.scopes.as_ref() == scopes) {
            return Arc::clone(drawn);
        }
        let mut vectors = Vec::new();
        for slot in self.sample(scopes).into_iter().filter_map(|(_, id)| rows.slot_of(id)) {
            vectors.extend_from_slice(matrix.row(slot));
        }
        let drawn = Arc::new(Drawn { scopes: scopes.cloned(), vectors });
        kept.insert(0, Arc::clone(&drawn));
        kept.truncate(KEPT);
        drawn
    }

    fn sample(&self, scopes: Option<&Vec<u32>>) -> Vec<(u64, i64)> {
        let mut lowest: Vec<(u64, i64)> = match scopes {
            Some(scopes) => scopes
                .iter()
                .filter_map(|scope| self.scopes.get(scope))
                .flatten()
                .copied()
                .collect(),
            None => self.scopes.values().flatten().copied().collect(),
        };
        lowest.sort_unstable();
        lowest.truncate(NULL_SAMPLE);
        lowest
    }
}
