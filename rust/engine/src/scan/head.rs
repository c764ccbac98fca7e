//! How many directions to code: more of them exclude more rows by the first plane, but that plane
//! is read for every row. Decided by trying on a sample, so that it suits the embedder and the
//! number of rows; no result depends on it.

use super::basis::{Coordinates, GROUP, nibble};
use super::matrix::norm;
use crate::simd::Path;

/// Most directions that are coded.
pub(super) const MOST: usize = 256;
/// Vectors of the sample that serve as queries.
const QUERIES: usize = 16;
/// Rows whose bound is tried.
const ROWS: usize = 4_096;
/// Hits of the scan that the choice is made for: between the few that are shown and the hundred
/// that are fused with other signals.
const HITS: usize = 32;

/// Cost of a row that the first plane does not exclude, in bytes of the first plane. Measured on
/// Zen 3: such a row takes about 80 ns, the plane 0.13 ns a byte. Zen 4 reads faster (55 and 0.03 ns),
/// but the sample finds a lower threshold than all rows do, so a part of its open rows will not be
/// open: twice the figure makes a million rows slower there.
const OPEN_ROW: f64 = 500.0;

/// What the choice is made from.
pub(super) struct Trial<'a> {
    pub(super) path: Path,
    pub(super) dim: usize,
    /// Vectors of unit norm.
    pub(super) sample: &'a [f32],
    /// Their coordinates.
    pub(super) coordinates: &'a [Coordinates],
    /// Step along each coded direction.
    pub(super) steps: &'a [f32],
    /// Rows that there are in all.
    pub(super) rows: usize,
}

/// A row as its code shows it.
struct Seen {
    /// Coordinates as the nibbles hold them.
    coded: Vec<f32>,
    /// Square of what they miss, up to the end of each group.
    missed: Vec<f32>,
    /// Norm of what lies outside each number of groups.
    tails: Vec<f32>,
}

impl Trial<'_> {
    /// The cheapest number of coded directions, a multiple of the group.
    pub(super) fn head(&self) -> usize {
        let groups = self.steps.len() / GROUP;
        let count = self.coordinates.len().min(ROWS);
        let stride = self.coordinates.len() / count.max(1);
        let picked: Vec<usize> = (0..count).map(|at| at * stride.max(1)).collect();
        let seen: Vec<Seen> = picked.iter().map(|at| self.see(*at)).collect();
        let mut open = vec![0usize; groups];
        let queries = count.min(QUERIES);
        for query in 0..queries {
            self.count_open(picked[query * (count / queries)], &picked, &seen, &mut open);
        }
        let cost = |at: usize| {
            let share = open[at] as f64 / (queries * count).max(1) as f64;
            ((at + 1) * GROUP / 2) as f64 + share * OPEN_ROW
        };
        let best = (0..groups).min_by(|a, b| cost(*a).total_cmp(&cost(*b)));
        (best.unwrap_or(0) + 1) * GROUP
    }

    /// Count the rows that each number of groups would leave open.
    fn count_open(&self, query: usize, picked: &[usize], seen: &[Seen], open: &mut [usize]) {
        let vector = self.vector(query);
        let rows = picked.iter().map(|at| self.path.dot_f32(vector, self.vector(*at)));
        let mut cosines: Vec<f32> = rows.collect();
        // The rank that the last hit of all rows would have among these, the query itself first.
        let rank = (HITS * picked.len()).div_ceil(self.rows.max(1)).clamp(1, picked.len() - 1);
        let floor = *cosines.select_nth_unstable_by(rank, |a, b| b.total_cmp(a)).1;
        let own = self.see(query);
        let coordinates = &self.coordinates[query];
        for (at, row) in picked.iter().zip(seen) {
            let mut estimate = coordinates.first() * self.coordinates[*at].first();
            let groups = coordinates.coded().chunks_exact(GROUP).zip(row.coded.chunks_exact(GROUP));
            for (group, (p, y)) in groups.enumerate() {
                estimate += self.path.dot_f32(p, y);
                let head = norm(&coordinates.coded()[..(group + 1) * GROUP]) as f32;
                let excess = head * row.missed[group].sqrt() + own.tails[group] * row.tails[group];
                open[group] += usize::from(estimate + excess >= floor);
            }
        }
    }

    fn see(&self, at: usize) -> Seen {
        let coordinates = &self.coordinates[at];
        let value = |(y, step): (&f32, &f32)| step * (f32::from(nibble(*y, 1.0, *step)) - 7.5);
        let coded: Vec<f32> = coordinates.coded().iter().zip(self.steps).map(value).collect();
        let mut inside = coordinates.first() * coordinates.first();
        let (mut missed, mut tails, mut lost) = (Vec::new(), Vec::new(), 0.0);
        for (ys, codes) in coordinates.coded().chunks(GROUP).zip(coded.chunks(GROUP)) {
            lost += ys.iter().zip(codes).map(|(y, c)| (y - c) * (y - c)).sum::<f32>();
            inside += ys.iter().map(|y| y * y).sum::<f32>();
            missed.push(lost);
            tails.push((1.0 - inside).max(0.0).sqrt());
        }
        Seen { coded, missed, tails }
    }

    fn vector(&self, at: usize) -> &[f32] {
        &self.sample[at * self.dim..(at + 1) * self.dim]
    }
}
