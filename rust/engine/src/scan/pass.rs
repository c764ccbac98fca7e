//! One query's pass over a range of blocks.

use std::mem;

use super::bf16::widen;
use super::codes::Codes;
use super::floor::SharedFloor;
use super::probe::Probe;
use super::sweep::Block;
use super::top::Top;
use super::weights::{Weights, floor};
use super::{Hit, Matrix, Query, Rank, ScanStats, Slack, weight};
use crate::rows::{BLOCK, RowTable};
use crate::simd::{BlockBounds, BlockFloors, Path};

/// Records fetched ahead of the one that is read.
const RECORDS_AHEAD: usize = 6;
/// Vectors fetched ahead of the one that is multiplied.
const ROWS_AHEAD: usize = 3;
/// Candidates that are gathered before the best of them are scored.
const GATHERED: usize = 96;
/// Records read between two looks at whether they exclude rows.
const TRIED: usize = 256;
/// Rows in succession that their f32 product does not exclude, after which it is left out.
const STREAK: u32 = 48;

/// What all passes over one index read.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) rows: &'a RowTable,
    pub(super) matrix: &'a Matrix,
    pub(super) weights: &'a Weights,
    pub(super) path: Path,
}

/// Codes and the query prepared for them.
#[derive(Clone, Copy)]
pub(super) struct Coded<'a> {
    pub(super) codes: &'a Codes,
    pub(super) probe: &'a Probe,
}

/// A row that its bound did not exclude.
#[derive(Clone, Copy)]
struct Candidate {
    slot: u32,
    /// Upper bound of the score.
    bound: f32,
    /// Estimate of the cosine.
    cosine: f32,
    /// Scale of the row's code.
    scale: f32,
    /// Upper bound of the weight.
    weight: f32,
}

impl Candidate {
    /// Estimate of the score.
    fn estimate(&self) -> f32 {
        self.cosine * self.weight
    }
}

/// One query on its way through some of the blocks.
pub(super) struct Pass<'a> {
    source: Source<'a>,
    query: &'a Query<'a>,
    coded: Option<Coded<'a>>,
    slack: Slack,
    top: Top,
    shared: &'a SharedFloor,
    /// Candidates of the first plane that nothing was done about.
    fresh: Vec<Candidate>,
    /// Those that do not look like hits.
    deferred: Vec<Candidate>,
    /// Those that the second plane did not exclude either.
    open: Vec<Candidate>,
    streak: u32,
    stats: ScanStats,
}

impl<'a> Pass<'a> {
    pub(super) fn new(
        source: Source<'a>,
        query: &'a Query<'a>,
        coded: Option<Coded<'a>>,
        shared: &'a SharedFloor,
    ) -> Self {
        Self {
            source,
            query,
            coded,
            slack: Slack::new(source.matrix.dim(), super::matrix::norm(query.vector)),
            top: Top::new(query.k.min(source.rows.len())),
            shared,
            fresh: Vec::new(),
            deferred: Vec::new(),
            open: Vec::new(),
            streak: 0,
            stats: ScanStats::default(),
        }
    }

    /// Settle what was put off and return the hits, best first.
    pub(super) fn finish(mut self) -> (Vec<Hit>, ScanStats) {
        match self.coded {
            Some(coded) => {
                self.settle_fresh(coded);
                self.refine_deferred(coded);
                self.settle_open();
            }
            None => self.settle_estimated(),
        }
        (self.top.into_sorted(), self.stats)
    }

    /// A row whose score is certainly below this is no hit.
    fn threshold(&self) -> f32 {
        self.top.threshold().max(self.shared.get())
    }

    /// The codes that this query is compared with; `None` scans the vectors.
    pub(super) fn coded(&self) -> Option<Coded<'a>> {
        self.coded
    }

    /// Whether rows are looked for, and not only counted. Alike for all queries of a pass.
    pub(super) fn wants_hits(&self) -> bool {
        self.query.k > 0
    }

    pub(super) fn source(&self) -> Source<'a> {
        self.source
    }

    /// What a row must reach to become a candidate.
    pub(super) fn floors(&self) -> BlockFloors {
        BlockFloors {
            score: self.threshold(),
            cosine: (self.query.min_cosine as f32).next_down(),
            weight: floor(self.query.filter.min_retention),
            by_cosine: self.query.rank == Rank::Cosine,
        }
    }

    /// Gather the rows of a block that are candidates, one bit each.
    pub(super) fn gather(&mut self, block: &Block<'_>, mut left: u16, out: &BlockBounds) {
        while left != 0 {
            let row = left.trailing_zeros() as usize;
            left &= left - 1;
            self.fresh.push(Candidate {
                slot: (block.at * BLOCK + row) as u32,
                bound: out.bound[row],
                cosine: out.estimate[row],
                scale: widen(block.scales[row]),
                weight: match self.query.rank {
                    Rank::Cosine => 1.0,
                    Rank::Score => widen(block.weights[row]),
                },
            });
        }
    }

    /// Take note of blocks whose candidates were gathered, and settle them if they are many.
    pub(super) fn gathered(&mut self, bounded: ScanStats) {
        self.stats.add(bounded);
        if let Some(coded) = self.coded
            && self.fresh.len() >= GATHERED + 2 * self.query.k
        {
            self.settle_fresh(coded);
        }
    }

    /// Rows that were bounded so far.
    pub(super) fn bounded(&self) -> u64 {
        self.stats.bounded
    }

    /// Estimate the rows of a chunk of blocks without codes, and settle them if they are many.
    pub(super) fn estimate_rows(&mut self, start: usize, visible: &[u16]) {
        for (at, visible) in visible.iter().enumerate() {
            let block = start + at;
            let mut left = self.holding(block, *visible);
            self.stats.bounded += u64::from(left.count_ones());
            let floor = f64::from(self.threshold());
            while left != 0 && self.wants_hits() {
                self.estimate(block * BLOCK + left.trailing_zeros() as usize, floor);
                left &= left - 1;
            }
        }
        self.stats.rows += (visible.len() * BLOCK) as u64;
        if self.fresh.len() >= GATHERED + 2 * self.query.k {
            self.settle_estimated();
        }
    }

    /// Gather a row unless its f32 product excludes it from scores of at least `floor`.
    fn estimate(&mut self, slot: usize, floor: f64) {
        let most = match self.query.rank {
            Rank::Cosine => 1.0,
            Rank::Score => widen(self.source.weights.values()[slot]),
        };
        if self.streak >= STREAK {
            self.score(slot, f64::from(most));
            return;
        }
        self.stats.bytes += self.source.matrix.dim() as u64 * 4;
        let (cosine, above) = self.product(slot);
        let bound = self.bound(above, f64::from(most));
        if bound >= floor && above >= self.query.min_cosine {
            let bound = (bound as f32).next_up();
            self.fresh.push(Candidate {
                slot: slot as u32,
                bound,
                cosine,
                scale: 0.0,
                weight: most,
            });
        }
    }

    /// Score what was estimated, of many rows the best first, so that their scores exclude the others.
    fn settle_estimated(&mut self) {
        let mut fresh = mem::take(&mut self.fresh);
        let wanted = self.query.k.saturating_sub(self.top.len());
        if wanted > 0 && wanted < fresh.len() {
            select_best(&mut fresh, wanted);
        }
        for candidate in fresh.drain(..) {
            if candidate.bound >= self.threshold() {
                self.rescore(candidate.slot as usize, f64::from(candidate.weight));
            }
        }
        self.fresh = fresh;
        self.shared.raise(self.top.threshold());
    }

    /// Rows of a block, one bit each, that pass the part of the filter that masks leave out.
    pub(super) fn holding(&self, block: usize, mut left: u16) -> u16 {
        let Source { rows, matrix, .. } = self.source;
        let mut passed = 0;
        while left != 0 {
            let row = left.trailing_zeros();
            left &= left - 1;
            let slot = block * BLOCK + row as usize;
            let passes = matrix.has(slot) && self.query.filter.holds(rows, slot);
            passed |= u16::from(passes) << row;
        }
        passed
    }

    /// Score the gathered rows that look like hits, best first; put off the others.
    fn settle_fresh(&mut self, coded: Coded<'a>) {
        let mut fresh = mem::take(&mut self.fresh);
        let threshold = self.threshold();
        let likely = self.likely(&mut fresh, threshold);
        let (likely, others) = fresh.split_at_mut(likely);
        self.deferred.extend(others.iter().filter(|candidate| candidate.bound >= threshold));
        self.refine(coded, likely);
        self.settle_best(likely);
        self.shared.raise(self.top.threshold());
        fresh.clear();
        self.fresh = fresh;
    }

    /// Move the candidates to the front that look like hits, and return how many they are.
    fn likely(&self, fresh: &mut [Candidate], threshold: f32) -> usize {
        let wanted = self.query.k.saturating_sub(self.top.len()).min(fresh.len());
        if threshold == f32::NEG_INFINITY {
            if wanted > 0 && wanted < fresh.len() {
                select_best(fresh, wanted);
            }
            return wanted;
        }
        let mut likely = 0;
        for at in 0..fresh.len() {
            if fresh[at].estimate() >= threshold {
                fresh.swap(at, likely);
                likely += 1;
            }
        }
        // Where most rows look like hits they are ties, or close to it: their bounds will decide.
        likely.min(GATHERED + self.query.k)
    }

    /// Tighten estimates and bounds by the second plane.
    fn refine(&mut self, coded: Coded<'_>, candidates: &mut [Candidate]) {
        for at in 0..candidates.len() {
            if let Some(next) = candidates.get(at + RECORDS_AHEAD) {
                self.source.path.prefetch(coded.codes.record(next.slot as usize));
            }
            self.refine_one(coded, &mut candidates[at]);
        }
    }

    fn refine_one(&mut self, coded: Coded<'_>, candidate: &mut Candidate) {
        let Coded { codes, probe } = coded;
        self.stats.refined += 1;
        self.stats.bytes += codes.record_bytes() as u64 + 2;
        let (slot, path) = (candidate.slot as usize, self.source.path);
        let (cosine, bound) = probe.refine(path, codes, slot, candidate.cosine, candidate.scale);
        candidate.cosine = cosine;
        candidate.bound = match self.query.rank {
            Rank::Cosine => bound,
            Rank::Score => bound.max(0.0) * candidate.weight,
        };
    }

    /// Score those of refined candidates that look like hits, best first, and return how many they
    /// are; keep the others open.
    fn settle_best(&mut self, refined: &mut [Candidate]) -> usize {
        let looks = |candidate: &Candidate, threshold| candidate.estimate() >= threshold;
        let threshold = self.threshold();
        let mut best: Vec<Candidate> =
            refined.iter().filter(|candidate| looks(candidate, threshold)).copied().collect();
        best.sort_unstable_by(|a, b| b.estimate().total_cmp(&a.estimate()));
        let mut settled = 0;
        for (at, candidate) in best.iter().enumerate() {
            self.prefetch_row(best.get(at + ROWS_AHEAD));
            if !looks(candidate, self.threshold()) {
                break;
            }
            self.settle(*candidate);
            settled += 1;
        }
        let risen = self.threshold();
        let open = best[settled..]
            .iter()
            .chain(refined.iter().filter(|candidate| !looks(candidate, threshold)));
        self.open.extend(open.filter(|candidate| candidate.bound >= risen));
        settled
    }

    /// Read the second plane of the rows that were put off, unless it excludes next to none.
    fn refine_deferred(&mut self, coded: Coded<'_>) {
        let threshold = self.threshold();
        let mut deferred = mem::take(&mut self.deferred);
        deferred.retain(|candidate| candidate.bound >= threshold);
        let mut pays = true;
        for batch in deferred.chunks_mut(TRIED) {
            if !pays {
                self.open.extend_from_slice(batch);
                continue;
            }
            let before = self.open.len();
            self.refine(coded, batch);
            let kept = self.settle_best(batch) + self.open.len() - before;
            pays = kept * 2 < batch.len() || batch.len() < TRIED;
        }
    }

    /// Score what no bound excludes. Few rows: by bound, so that most of them are excluded by the
    /// first. Many: in the order in which they came, which is nearly that of the memory.
    fn settle_open(&mut self) {
        let mut open = mem::take(&mut self.open);
        let threshold = self.threshold();
        open.retain(|candidate| candidate.bound >= threshold);
        let few = open.len() * 32 < self.source.rows.slots();
        if few {
            open.sort_unstable_by(|a, b| b.bound.total_cmp(&a.bound));
        }
        for (at, candidate) in open.iter().enumerate() {
            if few || !self.source.path.streams() {
                self.prefetch_row(open.get(at + ROWS_AHEAD));
            }
            if candidate.bound >= self.threshold() {
                self.settle(*candidate);
            }
        }
    }

    /// Ask for what scoring a candidate reads.
    fn prefetch_row(&self, candidate: Option<&Candidate>) {
        let Some(candidate) = candidate else { return };
        let slot = candidate.slot as usize;
        self.source.matrix.approach(self.source.path, slot);
        self.source.rows.approach(self.source.path, slot);
    }

    /// Score a candidate, whose block was found visible, if it passes the rest of the filter.
    fn settle(&mut self, candidate: Candidate) {
        let slot = candidate.slot as usize;
        if self.source.matrix.has(slot) && self.query.filter.holds(self.source.rows, slot) {
            self.score(slot, f64::from(candidate.weight));
        }
    }

    /// Score a row whose weight is at most `most`, unless its f32 product excludes it.
    fn score(&mut self, slot: usize, most: f64) {
        self.stats.bytes += self.source.matrix.dim() as u64 * 4;
        if self.streak < STREAK {
            let (_, above) = self.product(slot);
            if self.excludes(above, most) {
                self.streak = 0;
                return;
            }
        }
        self.rescore(slot, most);
    }

    /// The f32 product of a row, and most that its canonical cosine can be.
    fn product(&self, slot: usize) -> (f32, f64) {
        let Source { matrix, path, .. } = self.source;
        let product = path.dot_f32(self.query.vector, matrix.row(slot));
        (product, f64::from(product) + self.slack.of(matrix.norm_above(slot)))
    }

    /// Score a row whose weight is at most `most` by its canonical cosine. What the retention is
    /// made of lies far apart in memory, so it is read last.
    fn rescore(&mut self, slot: usize, most: f64) {
        let Source { rows, matrix, path, .. } = self.source;
        self.stats.rescored += 1;
        let cosine = matrix.cosine(path, self.query.vector, slot);
        if self.excludes(f64::from(cosine), most) {
            self.streak = 0;
            return;
        }
        self.streak += 1;
        let id = rows.id[slot];
        if self.query.rank == Rank::Cosine && !self.top.takes(cosine, id) {
            return;
        }
        let retention = self.query.filter.retention(rows, slot);
        let score = (f64::from(cosine) * weight(self.query.rank, retention)) as f32;
        if retention >= self.query.filter.min_retention && score >= self.threshold() {
            self.top.push(Hit { id, cosine, score, retention });
        }
    }

    /// Whether no row of at most this cosine and weight can be a hit.
    fn excludes(&self, cosine: f64, most: f64) -> bool {
        let bound = self.bound(cosine, most);
        cosine < self.query.min_cosine || bound < f64::from(self.threshold())
    }

    /// Most that the score of a row of at most this cosine and weight can be. A negative cosine times
    /// a smaller weight is larger; zero bounds it for every weight.
    fn bound(&self, cosine: f64, most: f64) -> f64 {
        match self.query.rank {
            Rank::Cosine => cosine,
            Rank::Score => cosine.max(0.0) * most,
        }
    }
}

/// Move the candidates of the best estimates to the front.
fn select_best(candidates: &mut [Candidate], count: usize) {
    let best_first = |a: &Candidate, b: &Candidate| b.estimate().total_cmp(&a.estimate());
    candidates.select_nth_unstable_by(count - 1, best_first);
}
