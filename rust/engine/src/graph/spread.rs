//! Bounded spreading activation (Collins and Loftus 1975; Anderson 1983).

use std::collections::BTreeMap;

use super::check_finite;
use super::plastic::PlasticGraph;
use crate::EngineError;

/// How far activation goes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// Links followed from a seed at most.
    pub hops: usize,
    /// Share of a node's activation that its edges pass on, times their weight.
    pub alpha: f64,
    /// Nodes that pass on at each hop, and nodes of the result.
    pub top_m: usize,
    /// Activation below which an edge passes on nothing.
    pub eps: f64,
}

impl PlasticGraph {
    /// Spread activation from seeds and return what it reached: id and activation, strongest
    /// first, ties by id.
    ///
    /// At each hop a node sends `activation * alpha * weight(now)` along each edge; what arrives
    /// is summed, the `top_m` strongest go on. Seeds and hidden nodes receive nothing, so without
    /// links nothing is returned. Repeated seeds count with their strongest activation.
    ///
    /// # Errors
    /// `Length` or `NotFinite` for seeds without a finite activation, `Parameter` for an `alpha`
    /// outside (0, 1] or a negative `eps`.
    pub fn spread(
        &self,
        seeds: &[i64],
        activations: &[f64],
        now: f64,
        reach: Spread,
    ) -> Result<Vec<(i64, f64)>, EngineError> {
        let Spread { hops, alpha, top_m, eps } = reach;
        if seeds.len() != activations.len() {
            let (expected, got) = (seeds.len(), activations.len());
            return Err(EngineError::Length { what: "activations", expected, got });
        }
        check_finite("activations", activations)?;
        check_finite("now", &[now])?;
        if !(alpha > 0.0 && alpha <= 1.0 && eps >= 0.0 && eps.is_finite()) {
            let what = format!("alpha must lie in (0, 1] and eps be >= 0, got {alpha} and {eps}");
            return Err(EngineError::Parameter { what });
        }
        let mut sources = BTreeMap::new();
        for (&seed, &activation) in seeds.iter().zip(activations) {
            let strongest = sources.entry(seed).or_insert(activation);
            *strongest = strongest.max(activation);
        }
        let mut frontier = ranked(sources.clone(), usize::MAX);
        let mut reached: BTreeMap<i64, f64> = BTreeMap::new();
        for _ in 0..hops {
            let mut arriving: BTreeMap<i64, f64> = BTreeMap::new();
            for &(node, activation) in frontier.iter().filter(|node| !self.is_hidden(node.0)) {
                for target in self.row(node) {
                    let sent = activation * alpha * self.now(target, now);
                    let open = !sources.contains_key(&target.dst) && !self.is_hidden(target.dst);
                    if open && sent > 0.0 && sent >= eps {
                        *arriving.entry(target.dst).or_insert(0.0) += sent;
                    }
                }
            }
            frontier = ranked(arriving, top_m);
            for &(node, activation) in &frontier {
                *reached.entry(node).or_insert(0.0) += activation;
            }
        }
        Ok(ranked(reached, top_m))
    }
}

/// The strongest nodes, ties by id.
fn ranked(nodes: BTreeMap<i64, f64>, most: usize) -> Vec<(i64, f64)> {
    let mut nodes: Vec<(i64, f64)> = nodes.into_iter().collect();
    nodes.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
    nodes.truncate(most);
    nodes
}
