//! Binds that wait for reward and sleep.

use std::collections::VecDeque;

use super::{Bind, check_binds};
use crate::EngineError;

/// A bounded queue of binds, oldest first.
#[derive(Debug, Clone)]
pub struct Eligibility {
    waiting: VecDeque<Bind>,
    capacity: usize,
}

impl Eligibility {
    /// An empty queue; past `capacity` binds the oldest are lost.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        Self { waiting: VecDeque::new(), capacity: capacity.max(1) }
    }

    /// Number of waiting binds.
    #[must_use]
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Whether nothing waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Queue binds.
    ///
    /// # Errors
    /// `NotFinite` if a strength or time is NaN or infinite; nothing is queued then.
    pub fn add(&mut self, binds: &[Bind]) -> Result<(), EngineError> {
        check_binds(binds)?;
        self.waiting.extend(binds);
        let surplus = self.waiting.len().saturating_sub(self.capacity);
        self.waiting.drain(..surplus);
        Ok(())
    }

    /// Scale the binds that start or end at one of the traces by `max(0, 1 + reward)`; returns how
    /// many there are.
    ///
    /// # Errors
    /// `Parameter` if the reward lies outside [-1, 1].
    pub fn reward(&mut self, ids: &[i64], reward: f64) -> Result<usize, EngineError> {
        if !(-1.0..=1.0).contains(&reward) {
            let what = format!("a reward must lie in [-1, 1], got {reward}");
            return Err(EngineError::Parameter { what });
        }
        let mut sorted = ids.to_vec();
        sorted.sort_unstable();
        let touches = |id: &i64| sorted.binary_search(id).is_ok();
        let mut touched = 0;
        for bind in self.waiting.iter_mut().filter(|bind| touches(&bind.src) || touches(&bind.dst))
        {
            bind.strength *= 1.0 + reward;
            touched += 1;
        }
        Ok(touched)
    }

    /// Take all binds out, oldest first.
    pub fn drain(&mut self) -> Vec<Bind> {
        self.waiting.drain(..).collect()
    }
}
