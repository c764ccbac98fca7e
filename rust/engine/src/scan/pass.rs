//! One query's pass over the blocks.

use std::ops::Range;

use super::bf16::widen;
use super::codes::Codes;
use super::probe::Probe;
use super::top::Top;
use super::weights::{Weights, floor};
use super::{Hit, Matrix, Query, Rank, ScanStats, Slack, weight};
use crate::rows::{BLOCK, RowTable};
use crate::simd::{BlockBounds, BlockFloors, Path};

/// Blocks bounded between two looks at their best rows: 1,024 rows.
const CHUNK_BLOCKS: usize = 64;

/// Records fetched ahead of the one that is read.
const AHEAD: usize = 6;

/// What all passes over one index read.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) rows: &'a RowTable,
    pub(super) matrix: &'a Matrix,
    pub(super) path: Path,
}

/// Codes, weights and the query prepared for them.
pub(super) struct Coded<'a> {
    pub(super) codes: &'a Codes,
    pub(super) weights: &'a Weights,
    pub(super) probe: Probe,
}

/// A row that its bound did not exclude.
#[derive(Clone, Copy)]
struct Candidate {
    slot: u32,
    /// Upper bound of the score.
    bound: f32,
    /// Estimate of the cosine by the first plane.
    cosine: f32,
    /// Estimate of the score.
    estimate: f32,
}

/// One query on its way.
pub(super) struct Pass<'a> {
    source: Source<'a>,
    query: &'a Query<'a>,
    coded: Option<Coded<'a>>,
    slack: Slack,
    top: Top,
    fresh: Vec<Candidate>,
    deferred: Vec<Candidate>,
    pub(super) stats: ScanStats,
}

impl<'a> Pass<'a> {
    pub(super) fn new(source: Source<'a>, query: &'a Query<'a>, coded: Option<Coded<'a>>) -> Self {
        Self {
            source,
            query,
            coded,
            slack: Slack::new(source.matrix.dim(), super::matrix::norm(query.vector)),
            top: Top::new(query.k.min(source.rows.len())),
            fresh: Vec::new(),
            deferred: Vec::new(),
            stats: ScanStats::default(),
        }
    }

    /// Blocks that one call of [`Pass::advance`] should cover: enough rows to find good first
    /// hits among.
    pub(super) fn stride(&self) -> usize {
        CHUNK_BLOCKS.max((self.query.k * 4).div_ceil(BLOCK))
    }

    /// Look at some blocks.
    pub(super) fn advance(&mut self, blocks: Range<usize>) {
        self.stats.rows += ((blocks.end - blocks.start) * BLOCK) as u64;
        if self.coded.is_some() {
            self.bound_blocks(blocks);
            self.settle_fresh();
        } else {
            for slot in blocks.start * BLOCK..blocks.end * BLOCK {
                self.settle(slot);
            }
        }
    }

    /// Settle what was put off and return the hits, best first.
    pub(super) fn finish(mut self) -> (Vec<Hit>, ScanStats) {
        let deferred = std::mem::take(&mut self.deferred);
        let threshold = self.top.threshold();
        let deferred: Vec<Candidate> =
            deferred.into_iter().filter(|candidate| candidate.bound >= threshold).collect();
        let mut open = Vec::new();
        for (at, candidate) in deferred.iter().enumerate() {
            if let (Some(next), Some(coded)) = (deferred.get(at + AHEAD), &self.coded) {
                self.source.path.prefetch(coded.codes.record(next.slot as usize));
            }
            let refined = self.refined(*candidate);
            if refined.bound >= threshold {
                open.push(refined);
            }
        }
        // Few rows: by bound, so that most of them are excluded by the first. Many: in memory
        // order, where reading them costs no more than a plain scan.
        if open.len() * 32 < self.source.rows.slots() {
            open.sort_unstable_by(|a, b| b.bound.total_cmp(&a.bound));
        }
        for candidate in open {
            if candidate.bound >= self.top.threshold() {
                self.settle(candidate.slot as usize);
            }
        }
        (self.top.into_sorted(), self.stats)
    }

    /// Tighten estimate and bound by the second plane.
    fn refined(&mut self, candidate: Candidate) -> Candidate {
        let Some(coded) = &self.coded else { return candidate };
        let slot = candidate.slot as usize;
        let record = coded.codes.record(slot);
        self.stats.refined += 1;
        self.stats.bytes += record.len() as u64;
        let scale = coded.codes.scale(slot);
        let (cosine, bound) = coded.probe.refine(self.source.path, record, candidate.cosine, scale);
        if self.query.rank == Rank::Cosine {
            return Candidate { bound, estimate: cosine, ..candidate };
        }
        let weight = widen(coded.weights.values()[slot]);
        Candidate { bound: bound.max(0.0) * weight, estimate: cosine * weight, ..candidate }
    }

    fn bound_blocks(&mut self, blocks: Range<usize>) {
        let Some(coded) = &self.coded else { return };
        let floors = BlockFloors {
            score: self.top.threshold(),
            cosine: (self.query.min_cosine as f32).next_down(),
            weight: floor(self.query.filter.min_retention),
            by_cosine: self.query.rank == Rank::Cosine,
        };
        let mut bounds = BlockBounds::default();
        let weights = coded.weights.values();
        for block in blocks {
            let visible = self.query.filter.visible(self.source.rows, block);
            if visible == 0 {
                continue;
            }
            self.stats.bounded += u64::from(visible.count_ones());
            self.stats.bytes += coded.codes.block_bytes() as u64;
            let at = block * BLOCK;
            let passed = self.source.path.bound_block(
                coded.codes.block(block),
                &weights[at..at + BLOCK],
                &coded.probe,
                &floors,
                &mut bounds,
            );
            let mut left = passed & visible;
            while left != 0 {
                let row = left.trailing_zeros() as usize;
                left &= left - 1;
                let cosine = bounds.estimate[row];
                let weight = if floors.by_cosine { 1.0 } else { widen(weights[at + row]) };
                self.fresh.push(Candidate {
                    slot: (at + row) as u32,
                    bound: bounds.bound[row],
                    cosine,
                    estimate: cosine * weight,
                });
            }
        }
    }

    /// Score the rows of the chunk that look like hits, best first; put off the others.
    fn settle_fresh(&mut self) {
        let mut fresh = std::mem::take(&mut self.fresh);
        let best = self.query.k.saturating_sub(self.top.len());
        if best > 0 && fresh.len() > best {
            fresh.select_nth_unstable_by(best - 1, |a, b| b.estimate.total_cmp(&a.estimate));
        }
        for candidate in fresh.drain(..) {
            let threshold = self.top.threshold();
            if candidate.estimate >= threshold {
                let refined = self.refined(candidate);
                if refined.estimate >= threshold {
                    self.settle(candidate.slot as usize);
                    continue;
                }
            }
            if candidate.bound >= threshold {
                self.deferred.push(candidate);
            }
        }
        self.fresh = fresh;
    }

    /// Score a row if it is one that the query may see.
    fn settle(&mut self, slot: usize) {
        if self.source.matrix.has(slot) && self.query.filter.admits(self.source.rows, slot) {
            self.consider(slot);
        }
    }

    /// Bound a row by its f32 product and, if that does not exclude it, score it.
    fn consider(&mut self, slot: usize) {
        let Source { rows, matrix, path } = self.source;
        let retention = self.query.filter.retention(rows, slot);
        if retention < self.query.filter.min_retention {
            return;
        }
        let row_bytes = matrix.dim() as u64 * 4;
        if self.coded.is_none() {
            self.stats.bounded += 1;
        }
        self.stats.bytes += row_bytes;
        let estimate = path.dot_f32(self.query.vector, matrix.row(slot));
        let bound = f64::from(estimate) + self.slack.of(matrix.norm_above(slot));
        let weight = weight(self.query.rank, retention);
        if bound < self.query.min_cosine || !self.top.admits(bound * weight) {
            return;
        }
        self.stats.rescored += 1;
        self.stats.bytes += row_bytes;
        let cosine = matrix.cosine(path, self.query.vector, slot);
        if f64::from(cosine) >= self.query.min_cosine {
            let score = (f64::from(cosine) * weight) as f32;
            self.top.push(Hit { id: rows.id[slot], cosine, score, retention });
        }
    }
}
