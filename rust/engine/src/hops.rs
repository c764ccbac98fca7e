//! What the second hop makes of scores: the kernel of `policies/hops.py`, which holds the formulas
//! with their meaning; property tests compare the two.

use crate::error::EngineError;
use crate::rows::length;

/// Nothing is surer than this, either way.
const LEAST: f64 = 1e-12;
/// Log-odds beyond which the exponential overflows.
const FARTHEST: f64 = 700.0;

/// The candidates before the hop.
#[derive(Debug, Clone, Copy)]
pub struct Order<'a> {
    /// Confidence of each.
    pub confidences: &'a [f64],
    /// Score of each; zero if it was dropped.
    pub scores: &'a [f64],
    /// Score of each, of the dropped ones as well.
    pub undropped: &'a [f64],
    /// Whether each is a turn; empty if none is.
    pub is_turn: &'a [bool],
}

/// What leads from one hit to candidates, by position.
pub type Lead = Vec<(usize, f64)>;

/// Log-odds that the hop gives.
#[derive(Debug, Clone, Copy)]
pub struct Worth {
    /// To a text that holds all rare words of the best hit.
    pub bridge: f64,
    /// The same to a turn.
    pub bridge_of_turn: f64,
    /// To what was said right beside the best hit.
    pub nearby: f64,
    /// By which all else stays behind the first hits.
    pub behind: f64,
    /// Factor on what leads to a candidate.
    pub weight: f64,
    /// Confidence from which a candidate counts, what leads to it included.
    pub floor: f64,
}

/// What becomes of each candidate.
#[derive(Debug, Clone, Default)]
pub struct Hops {
    /// Log-odds for rare words.
    pub bridge: Vec<f64>,
    /// Log-odds for being said nearby.
    pub nearby: Vec<f64>,
    /// What it gives up.
    pub held: Vec<f64>,
    /// The score that follows.
    pub after: Vec<f64>,
}

/// Count what leads from the first hits, at positions `seeds`, to other candidates.
///
/// # Errors
/// `Length` unless every candidate is described and every hit has its leads; `Parameter` for a
/// position that is none.
pub fn hops(
    order: &Order<'_>,
    seeds: &[usize],
    leads: [&[Lead]; 2],
    worth: &Worth,
) -> Result<Hops, EngineError> {
    let count = check(order, seeds, leads)?;
    let most = seeds.iter().map(|&at| order.scores[at]).fold(f64::MIN, f64::max);
    let trust: Vec<f64> = seeds.iter().map(|&at| order.scores[at] / most).collect();
    let [mut bridge, mut nearby] = leads.map(|led| strongest(&trust, led, seeds, count));
    for (at, value) in bridge.iter_mut().enumerate() {
        let turn = order.is_turn.get(at).copied().unwrap_or(false);
        *value *= worth.weight * if turn { worth.bridge_of_turn } else { worth.bridge };
    }
    nearby.iter_mut().for_each(|value| *value *= worth.weight * worth.nearby);
    let brought = |at: usize| {
        let sure = log_odds(order.confidences[at]) + bridge[at];
        bridge[at] > 0.0 && probability(sure) >= worth.floor
    };
    let moves = |at: &usize| (order.scores[*at] > 0.0 || brought(*at)) && !seeds.contains(at);
    let odds = |at: usize| log_odds(order.undropped[at]) + bridge[at] + nearby[at];
    let moved: Vec<(usize, f64)> = (0..count).filter(moves).map(|at| (at, odds(at))).collect();
    let last = seeds.iter().map(|&at| log_odds(order.scores[at])).fold(f64::MAX, f64::min);
    let first = moved.iter().map(|(_, odds)| *odds).fold(f64::MIN, f64::max);
    let ahead = if moved.is_empty() { last } else { first };
    let given_up = (last - ahead - worth.behind).min(0.0);
    let (mut held, mut after) = (vec![0.0; count], vec![0.0; count]);
    for (at, odds) in moved {
        (held[at], after[at]) = (given_up, probability(odds + given_up));
    }
    seeds.iter().for_each(|&at| after[at] = order.scores[at]);
    Ok(Hops { bridge, nearby, held, after })
}

fn check(order: &Order<'_>, seeds: &[usize], leads: [&[Lead]; 2]) -> Result<usize, EngineError> {
    let count = order.scores.len();
    length("confidences", order.confidences.len(), count)?;
    length("undropped", order.undropped.len(), count)?;
    let turns = order.is_turn.len();
    length("turns", turns, if turns == 0 { 0 } else { count })?;
    for led in leads {
        length("leads", led.len(), seeds.len())?;
    }
    let led = leads.into_iter().flatten().flatten().map(|(at, _)| at);
    if let Some(at) = seeds.iter().chain(led).find(|at| **at >= count) {
        return Err(EngineError::Parameter { what: format!("no candidate at {at}") });
    }
    Ok(count)
}

/// The most that leads to each candidate from a hit, by how far that is trusted.
fn strongest(trust: &[f64], led: &[Lead], seeds: &[usize], count: usize) -> Vec<f64> {
    let mut found = vec![0.0_f64; count];
    for (share, part) in trust.iter().zip(led) {
        for &(at, worth) in part {
            found[at] = found[at].max(share * worth);
        }
    }
    seeds.iter().for_each(|&at| found[at] = 0.0);
    found
}

fn log_odds(probability: f64) -> f64 {
    let sure = probability.clamp(LEAST, 1.0 - LEAST);
    (sure / (1.0 - sure)).ln()
}

fn probability(log_odds: f64) -> f64 {
    1.0 / (1.0 + (-log_odds.clamp(-FARTHEST, FARTHEST)).exp())
}
