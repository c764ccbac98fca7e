//! Edges, their decay, and how binds become weight.
//!
//! Edges are kept as compressed sparse rows; rows that changed since live apart until a quarter
//! of the edges has, then all are packed anew. A weight is stored with the time at which it held;
//! what it is now is computed when it is read.

use std::collections::{BTreeMap, BTreeSet};
use std::mem;

use super::{Bind, check_binds, decay};
use crate::EngineError;
use crate::exp::UNDERFLOW;

/// Constants of the graph; times in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plasticity {
    /// Decay of a waiting bind.
    pub tau_eligibility: f64,
    /// Decay of a committed weight; may be infinite.
    pub tau_stable: f64,
    /// Weight below which an edge is pruned.
    pub min_weight: f64,
    /// Edges that a node keeps; the strongest stay.
    pub max_out_degree: usize,
    /// Sum of weights that a node sends out at most; above it all are scaled down.
    pub max_out_weight: f64,
}

/// A directed edge; the weight held at `at`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edge {
    /// Where it starts.
    pub src: i64,
    /// Where it ends.
    pub dst: i64,
    /// Weight at `at`; zero means that the edge is gone.
    pub weight: f64,
    /// Time of the weight.
    pub at: f64,
}

/// An edge as its source's row holds it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Target {
    pub(super) dst: i64,
    weight: f64,
    at: f64,
}

impl Target {
    /// The weight now.
    fn now(&self, now: f64, tau: f64) -> f64 {
        self.weight * decay(now - self.at, tau)
    }
}

/// Keeps sums of absurd binds finite; no sensible weight comes near.
const HUGE: f64 = 1e9;

/// The graph.
#[derive(Debug, Clone)]
pub struct PlasticGraph {
    constants: Plasticity,
    sources: Vec<i64>,
    offsets: Vec<usize>,
    targets: Vec<Target>,
    changed: BTreeMap<i64, Vec<Target>>,
    changed_edges: usize,
    edges: usize,
    hidden: BTreeSet<i64>,
    next_due: f64,
}

impl PlasticGraph {
    /// An empty graph.
    ///
    /// # Errors
    /// `Parameter` if a constant is out of range.
    pub fn new(constants: Plasticity) -> Result<Self, EngineError> {
        let Plasticity { tau_eligibility, tau_stable, min_weight, max_out_degree, max_out_weight } =
            constants;
        let positive = [tau_eligibility, tau_stable, max_out_weight].iter().all(|x| *x > 0.0);
        let finite = min_weight.is_finite() && max_out_weight.is_finite();
        if !positive || !finite || min_weight < 0.0 || max_out_degree == 0 {
            let what = format!("a constant of the graph is out of range: {constants:?}");
            return Err(EngineError::Parameter { what });
        }
        Ok(Self {
            constants,
            sources: Vec::new(),
            offsets: vec![0],
            targets: Vec::new(),
            changed: BTreeMap::new(),
            changed_edges: 0,
            edges: 0,
            hidden: BTreeSet::new(),
            next_due: f64::INFINITY,
        })
    }

    /// Number of edges, hidden ends included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.edges
    }

    /// Whether there is no edge.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.edges == 0
    }

    /// Take edges over as they are stored, in place of those with the same ends; weight zero
    /// removes. Edges of a node to itself are left out.
    ///
    /// # Errors
    /// `NotFinite` if a weight or time is NaN, infinite, or a weight negative; nothing changes.
    pub fn put(&mut self, edges: &[Edge]) -> Result<(), EngineError> {
        let broken = |e: &Edge| !e.weight.is_finite() || !e.at.is_finite() || e.weight < 0.0;
        if let Some(position) = edges.iter().position(broken) {
            return Err(EngineError::NotFinite { what: "edges", position });
        }
        let mut sorted: Vec<&Edge> = edges.iter().filter(|edge| edge.src != edge.dst).collect();
        sorted.sort_by_key(|edge| edge.src);
        for run in sorted.chunk_by(|left, right| left.src == right.src) {
            let mut row = self.take_row(run[0].src);
            for edge in run {
                let target = Target { dst: edge.dst, weight: edge.weight, at: edge.at };
                match row.binary_search_by_key(&edge.dst, |target| target.dst) {
                    Ok(at) => row[at] = target,
                    Err(at) => row.insert(at, target),
                }
            }
            row.retain(|target| target.weight > 0.0);
            self.set_row(run[0].src, row);
        }
        self.pack_if_due();
        Ok(())
    }

    /// Keep nodes out of spreading, for instance archived traces; their edges stay.
    pub fn hide(&mut self, ids: &[i64]) {
        self.hidden.extend(ids);
    }

    /// Let hidden nodes take part again.
    pub fn show(&mut self, ids: &[i64]) {
        ids.iter().for_each(|id| {
            self.hidden.remove(id);
        });
    }

    pub(super) fn is_hidden(&self, id: i64) -> bool {
        self.hidden.contains(&id)
    }

    /// The weight of an edge now; zero where there is none.
    #[must_use]
    pub fn weight(&self, src: i64, dst: i64, now: f64) -> f64 {
        let row = self.row(src);
        let found = row.binary_search_by_key(&dst, |target| target.dst);
        found.map_or(0.0, |at| self.now(&row[at], now))
    }

    /// Every edge as stored, by source and end.
    #[must_use]
    pub fn edges(&self) -> Vec<Edge> {
        let edge = |src: i64, t: &Target| Edge { src, dst: t.dst, weight: t.weight, at: t.at };
        self.rows().flat_map(|(src, row)| row.iter().map(move |t| edge(src, t))).collect()
    }

    /// Every source with its edges, in order.
    fn rows(&self) -> impl Iterator<Item = (i64, &[Target])> {
        let mut packed = self.sources.iter().zip(self.offsets.windows(2)).peekable();
        let mut changed = self.changed.iter().peekable();
        std::iter::from_fn(move || {
            let newer = changed.peek().map(|(src, _)| **src);
            let older = packed.next_if(|(src, _)| newer.is_none_or(|newer| **src < newer));
            if let Some((src, ends)) = older {
                return Some((*src, &self.targets[ends[0]..ends[1]]));
            }
            packed.next_if(|(src, _)| newer == Some(**src));
            changed.next().map(|(src, row)| (*src, row.as_slice()))
        })
    }

    /// Turn binds into weight as of `now` and return every edge of the touched sources that
    /// changed, by source and end; weight zero stands for an edge that went.
    ///
    /// A bind adds `strength * exp(-(now - at) / tau_eligibility)`. Then each touched source drops
    /// edges below `min_weight`, keeps its `max_out_degree` strongest (ties by id), and scales
    /// them down to `max_out_weight` together. The cost is that of the touched sources' edges.
    ///
    /// # Errors
    /// `NotFinite` if a number is NaN or infinite; nothing changes then.
    pub fn commit(&mut self, binds: &[Bind], now: f64) -> Result<Vec<Edge>, EngineError> {
        check_binds(binds)?;
        super::check_finite("now", &[now])?;
        let mut sorted: Vec<&Bind> = binds.iter().filter(|bind| bind.src != bind.dst).collect();
        sorted.sort_by_key(|bind| (bind.src, bind.dst));
        let mut changes = Vec::new();
        for run in sorted.chunk_by(|left, right| left.src == right.src) {
            self.commit_source(run, now, &mut changes);
        }
        self.pack_if_due();
        Ok(changes)
    }

    fn commit_source(&mut self, binds: &[&Bind], now: f64, changes: &mut Vec<Edge>) {
        let src = binds[0].src;
        let before = self.take_row(src);
        let mut row: Vec<Target> = before
            .iter()
            .map(|target| Target { dst: target.dst, weight: self.now(target, now), at: now })
            .collect();
        for bind in binds {
            let gain = bind.strength * decay(now - bind.at, self.constants.tau_eligibility);
            let gain = gain.clamp(-HUGE, HUGE);
            match row.binary_search_by_key(&bind.dst, |target| target.dst) {
                Ok(at) => row[at].weight = (row[at].weight + gain).clamp(-HUGE, HUGE),
                Err(at) => row.insert(at, Target { dst: bind.dst, weight: gain, at: now }),
            }
        }
        self.bound(&mut row);
        let kept = |dst: i64| row.binary_search_by_key(&dst, |target| target.dst).is_ok();
        let gone = before.iter().filter(|target| !kept(target.dst));
        let first = changes.len();
        changes.extend(gone.map(|target| Edge { src, dst: target.dst, weight: 0.0, at: now }));
        changes.extend(row.iter().map(|t| Edge { src, dst: t.dst, weight: t.weight, at: t.at }));
        changes[first..].sort_by_key(|edge| edge.dst);
        self.set_row(src, row);
    }

    /// Apply the three bounds to a row of weights that hold at one time.
    fn bound(&self, row: &mut Vec<Target>) {
        let floor = self.constants.min_weight;
        row.retain(|target| target.weight > 0.0 && target.weight >= floor);
        if row.len() > self.constants.max_out_degree {
            row.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(a.dst.cmp(&b.dst)));
            row.truncate(self.constants.max_out_degree);
            row.sort_by_key(|target| target.dst);
        }
        let sum: f64 = row.iter().map(|target| target.weight).sum();
        if sum > self.constants.max_out_weight {
            let scale = self.constants.max_out_weight / sum;
            row.iter_mut().for_each(|target| target.weight *= scale);
        }
    }

    /// Remove the edges that have decayed below `min_weight` and return their ends.
    ///
    /// Costs nothing while no edge can have decayed that far.
    ///
    /// # Errors
    /// `NotFinite` if `now` is NaN or infinite.
    pub fn prune(&mut self, now: f64) -> Result<Vec<(i64, i64)>, EngineError> {
        super::check_finite("now", &[now])?;
        if now < self.next_due {
            return Ok(Vec::new());
        }
        let Plasticity { min_weight, tau_stable, .. } = self.constants;
        let mut gone = Vec::new();
        self.pack();
        self.retain(|src, target| {
            let stays = target.now(now, tau_stable) >= min_weight;
            if !stays {
                gone.push((src, target.dst));
            }
            stays
        });
        self.edges = self.targets.len();
        self.next_due = f64::INFINITY;
        for at in 0..self.targets.len() {
            self.note_due(self.targets[at]);
        }
        Ok(gone)
    }

    pub(super) fn now(&self, target: &Target, now: f64) -> f64 {
        target.now(now, self.constants.tau_stable)
    }

    /// The edges of a source, by end.
    pub(super) fn row(&self, src: i64) -> &[Target] {
        if let Some(row) = self.changed.get(&src) {
            return row;
        }
        match self.sources.binary_search(&src) {
            Ok(at) => &self.targets[self.offsets[at]..self.offsets[at + 1]],
            Err(_) => &[],
        }
    }

    fn take_row(&mut self, src: i64) -> Vec<Target> {
        let row = match self.changed.remove(&src) {
            Some(row) => {
                self.changed_edges -= row.len();
                row
            }
            None => self.row(src).to_vec(),
        };
        self.edges -= row.len();
        row
    }

    fn set_row(&mut self, src: i64, row: Vec<Target>) {
        row.iter().for_each(|target| self.note_due(*target));
        self.edges += row.len();
        self.changed_edges += row.len();
        self.changed.insert(src, row);
    }

    /// Remember when the first edge can fall below the floor, a little early for rounding.
    fn note_due(&mut self, target: Target) {
        let floor = self.constants.min_weight;
        let lasting = |logarithm: f64| {
            // No weight outlasts the exponential, however low the floor.
            let lasts = logarithm.min(-UNDERFLOW) * self.constants.tau_stable;
            target.at + lasts * (1.0 - 1e-9) - (1e-3 + target.at.abs() * 1e-15)
        };
        let due = if target.weight < floor {
            f64::NEG_INFINITY
        } else if floor == 0.0 || lasting(1.0 - floor / target.weight) >= self.next_due {
            // ln x is at least 1 - 1 / x, so nearly no edge needs it.
            f64::INFINITY
        } else {
            lasting((target.weight / floor).ln())
        };
        self.next_due = self.next_due.min(due);
    }

    fn pack_if_due(&mut self) {
        const FEW: usize = 1_024;
        if self.changed.len() + self.changed_edges > FEW + self.targets.len() / 4 {
            self.pack();
        }
    }

    /// Put the edges into one piece, where they are: fresh memory for all of them would take longer than
    /// moving them. When the first of them is due was noted when they came.
    fn pack(&mut self) {
        let changed: Vec<(i64, Vec<Target>)> = mem::take(&mut self.changed).into_iter().collect();
        self.changed_edges = 0;
        let mut replaced = changed.iter().map(|(src, _)| *src).peekable();
        self.retain(|src, _| {
            while replaced.next_if(|other| *other < src).is_some() {}
            replaced.peek() != Some(&src)
        });
        self.merge(&changed);
        self.edges = self.targets.len();
    }

    /// Leave out packed edges, and the sources that have no other.
    fn retain(&mut self, mut stays: impl FnMut(i64, &Target) -> bool) {
        let (mut rows, mut from, mut end) = (0, 0, 0);
        for at in 0..self.sources.len() {
            let (src, to, start) = (self.sources[at], self.offsets[at + 1], end);
            for place in from..to {
                let target = self.targets[place];
                if stays(src, &target) {
                    self.targets[end] = target;
                    end += 1;
                }
            }
            from = to;
            if end > start {
                self.sources[rows] = src;
                rows += 1;
                self.offsets[rows] = end;
            }
        }
        self.sources.truncate(rows);
        self.offsets.truncate(rows + 1);
        self.targets.truncate(end);
    }

    /// Insert rows of sources that no packed row has, in order, from the last to the first: what lies
    /// behind a row moves away before it is written.
    fn merge(&mut self, added: &[(i64, Vec<Target>)]) {
        let added = || added.iter().filter(|(_, new)| !new.is_empty());
        let mut row = self.sources.len();
        let mut place = row + added().count();
        let mut more: usize = added().map(|(_, new)| new.len()).sum();
        let edges = self.targets.len() + more;
        self.targets.reserve_exact(more);
        self.targets.resize(edges, Target { dst: 0, weight: 0.0, at: 0.0 });
        self.sources.resize(place, 0);
        self.offsets.resize(place + 1, 0);
        for (src, new) in added().rev() {
            let end = self.offsets[row];
            while row > 0 && self.sources[row - 1] > *src {
                self.offsets[place] = self.offsets[row] + more;
                (row, place) = (row - 1, place - 1);
                self.sources[place] = self.sources[row];
            }
            let start = self.offsets[row];
            self.targets.copy_within(start..end, start + more);
            self.offsets[place] = start + more;
            more -= new.len();
            place -= 1;
            self.sources[place] = *src;
            self.targets[start + more..][..new.len()].copy_from_slice(new);
        }
    }
}
