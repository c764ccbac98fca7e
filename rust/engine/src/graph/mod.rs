//! The plastic graph: directed, weighted edges between traces, learned from use.
//!
//! Binds, timed by spikes ([`stdp`]), first wait as *eligibility* in the store; reward scales them,
//! and *commit* turns what is left of them into weight ([`plastic`]). Committed weight decays
//! exponentially, computed exactly and only where it is read or changed. Out-degree and outgoing
//! weight of a node are bounded, so that a busy memory cannot saturate: activation that spreads
//! ([`spread`]) always comes from specific links.

pub mod plastic;
pub mod spread;
pub mod stdp;

pub use plastic::{Edge, PlasticGraph, Plasticity};
pub use spread::Spread;
pub use stdp::Stdp;

use crate::EngineError;
use crate::exp::exp_nonpositive;

/// A bind that happened: `src` came before, or together with, `dst`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bind {
    /// The trace that leads.
    pub src: i64,
    /// The trace that follows.
    pub dst: i64,
    /// Weight it is worth when committed at once; negative depresses.
    pub strength: f64,
    /// When it happened, in seconds.
    pub at: f64,
}

/// `exp(-elapsed / tau)`, where time that runs backwards has not elapsed and an infinite `tau`
/// does not decay.
#[must_use]
pub fn decay(elapsed: f64, tau: f64) -> f64 {
    exp_nonpositive(-(elapsed.max(0.0) / tau))
}

pub(crate) fn check_finite(what: &'static str, values: &[f64]) -> Result<(), EngineError> {
    match values.iter().position(|value| !value.is_finite()) {
        Some(position) => Err(EngineError::NotFinite { what, position }),
        None => Ok(()),
    }
}

pub(crate) fn check_binds(binds: &[Bind]) -> Result<(), EngineError> {
    let broken = |bind: &Bind| !bind.strength.is_finite() || !bind.at.is_finite();
    match binds.iter().position(broken) {
        Some(position) => Err(EngineError::NotFinite { what: "binds", position }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
