//! Spike-timing-dependent plasticity (Bi and Poo 1998; the pair rule of Song et al. 2000).
//!
//! Of two traces used within a window, the link from the earlier to the later one is strengthened
//! by `a_plus * exp(-dt / tau_plus)` and the link back is weakened by
//! `a_minus * exp(-dt / tau_minus)`. Traces used at the same moment strengthen both ways.

use super::{Bind, check_finite, decay};
use crate::EngineError;

/// Amplitudes and windows of the rule; times in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stdp {
    /// Largest potentiation of one pair.
    pub a_plus: f64,
    /// Largest depression of one pair.
    pub a_minus: f64,
    /// Window of potentiation.
    pub tau_plus: f64,
    /// Window of depression.
    pub tau_minus: f64,
}

/// Windows after which a pair no longer counts: what is left is below 1 %.
const WINDOWS: f64 = 5.0;
/// Traces of one event that are paired with each other; the latest ones are kept.
const MOST_SPIKES: usize = 64;

impl Stdp {
    /// A rule with amplitudes `>= 0` and positive windows.
    ///
    /// # Errors
    /// `Parameter` if a value is out of range or not finite.
    pub fn new(
        a_plus: f64,
        a_minus: f64,
        tau_plus: f64,
        tau_minus: f64,
    ) -> Result<Self, EngineError> {
        let amplitudes = [a_plus, a_minus].iter().all(|a| a.is_finite() && *a >= 0.0);
        let windows = [tau_plus, tau_minus].iter().all(|tau| tau.is_finite() && *tau > 0.0);
        if !amplitudes || !windows {
            let what = format!(
                "amplitudes must be finite and >= 0 and windows finite and > 0, \
                 got {a_plus}, {a_minus}, {tau_plus}, {tau_minus}"
            );
            return Err(EngineError::Parameter { what });
        }
        Ok(Self { a_plus, a_minus, tau_plus, tau_minus })
    }

    /// The signed weight of the link from a trace to one used `dt` seconds later.
    #[must_use]
    pub fn weight(&self, dt: f64) -> f64 {
        if dt >= 0.0 {
            self.a_plus * decay(dt, self.tau_plus)
        } else {
            -(self.a_minus * decay(-dt, self.tau_minus))
        }
    }

    /// The binds of traces that were used together: one for every ordered pair within the window.
    ///
    /// Binds carry the later time of their pair. Repeated ids count at their last use; of more
    /// than 64 traces the latest count.
    ///
    /// # Errors
    /// `Length` if there is not one time and one strength a trace, `NotFinite` if one is not a
    /// finite number.
    pub fn pair(
        &self,
        ids: &[i64],
        times: &[f64],
        strength: f64,
    ) -> Result<Vec<Bind>, EngineError> {
        if ids.len() != times.len() {
            let (expected, got) = (ids.len(), times.len());
            return Err(EngineError::Length { what: "times", expected, got });
        }
        check_finite("times", times)?;
        check_finite("strength", &[strength])?;
        let spikes = spikes(ids, times);
        let mut binds = Vec::new();
        for &(src, before) in &spikes {
            for &(dst, after) in spikes.iter().filter(|spike| spike.0 != src) {
                let dt = after - before;
                let window = if dt >= 0.0 { self.tau_plus } else { self.tau_minus };
                let weight = strength * self.weight(dt);
                if dt.abs() <= WINDOWS * window && weight != 0.0 {
                    binds.push(Bind { src, dst, strength: weight, at: before.max(after) });
                }
            }
        }
        Ok(binds)
    }
}

/// The last use of each trace, latest first, ties by id.
fn spikes(ids: &[i64], times: &[f64]) -> Vec<(i64, f64)> {
    let mut spikes: Vec<(i64, f64)> = ids.iter().copied().zip(times.iter().copied()).collect();
    spikes.sort_by(|left, right| left.0.cmp(&right.0).then(right.1.total_cmp(&left.1)));
    spikes.dedup_by_key(|spike| spike.0);
    spikes.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
    spikes.truncate(MOST_SPIKES);
    spikes
}
