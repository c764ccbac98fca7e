//! Which rows a query may see. Shared by the scan and the keyword index, and applied inside the
//! kernels, before any limit.

use crate::error::EngineError;
use crate::exp::exp_nonpositive;
use crate::rows::{BLOCK, KINDS, RowTable, STATUSES, SUPERSEDED};
use crate::simd::Path;

/// Share of the score that an entirely faded trace keeps.
pub const WEIGHT_FLOOR: f64 = 0.3;
/// Share of the score that retention decides.
pub const WEIGHT_GAIN: f64 = 0.7;

/// What a row must satisfy. Times are epoch seconds, retention lies in [0, 1].
#[derive(Debug, Clone, PartialEq)]
pub struct Filter {
    /// Visible scopes, sorted and without duplicates; `None` is every scope.
    pub scopes: Option<Vec<u32>>,
    /// Bit `1 << kind` for each visible kind.
    pub kinds: u8,
    /// Bit `1 << status` for each visible status.
    pub statuses: u8,
    /// Least retention at `now`.
    pub min_retention: f64,
    /// Least base strength, whatever time has passed.
    pub min_strength: f64,
    /// Time constants of retention by kind, seconds; may be infinite.
    pub taus: [f64; KINDS],
    /// The moment of the query.
    pub now: f64,
    /// Moment at which a row must have been valid; without it, a row that was not superseded must
    /// not have ended at `now`.
    pub as_of: Option<f64>,
    /// Earliest `observed_at`, inclusive.
    pub since: Option<f64>,
    /// Latest `observed_at`, exclusive.
    pub until: Option<f64>,
    /// Visible ids, sorted and without duplicates; `None` is every id.
    pub ids: Option<Vec<i64>>,
}

impl Filter {
    /// A filter that every row passes whose validity has not ended at `now`.
    #[must_use]
    pub fn everything(now: f64) -> Self {
        Self {
            scopes: None,
            kinds: u8::MAX,
            statuses: u8::MAX,
            min_retention: 0.0,
            min_strength: 0.0,
            taus: [f64::INFINITY; KINDS],
            now,
            as_of: None,
            since: None,
            until: None,
            ids: None,
        }
    }

    /// Check every field.
    ///
    /// # Errors
    /// `NotFinite` or `Parameter` for a value that no row could be compared with.
    pub fn validate(&self) -> Result<(), EngineError> {
        let least = [Some(self.min_retention), Some(self.min_strength)];
        let moments = [Some(self.now), self.as_of, self.since, self.until];
        for (position, value) in moments.into_iter().chain(least).flatten().enumerate() {
            if value.is_nan() || (position == 0 && !value.is_finite()) {
                return Err(EngineError::NotFinite { what: "filter", position });
            }
        }
        if let Some(tau) = self.taus.iter().find(|tau| tau.is_nan() || **tau <= 0.0) {
            return Err(EngineError::Parameter {
                what: format!("a time constant must be positive, got {tau}"),
            });
        }
        if self.scopes.as_ref().is_some_and(|scopes| !scopes.is_sorted_by(|a, b| a < b)) {
            return Err(EngineError::Parameter {
                what: "scopes must be sorted and distinct".to_owned(),
            });
        }
        if self.ids.as_ref().is_some_and(|ids| !ids.is_sorted_by(|a, b| a < b)) {
            return Err(EngineError::Parameter {
                what: "ids must be sorted and distinct".to_owned(),
            });
        }
        Ok(())
    }

    /// Whether the row passes everything but the retention floor.
    #[must_use]
    pub fn admits(&self, rows: &RowTable, slot: usize) -> bool {
        self.sees_scope(rows.scope[slot])
            && self.kinds >> rows.kind[slot] & 1 == 1
            && self.statuses >> rows.status[slot] & 1 == 1
            && self.holds(rows, slot)
    }

    /// Whether the row passes the filter's times and ids and is strong enough: what
    /// [`Filter::visible`] leaves out.
    #[must_use]
    pub(crate) fn holds(&self, rows: &RowTable, slot: usize) -> bool {
        self.valid(rows, slot)
            && rows.base[slot] >= self.min_strength
            && self.since.is_none_or(|since| rows.observed_at[slot] >= since)
            && self.until.is_none_or(|until| rows.observed_at[slot] < until)
            && self.ids.as_ref().is_none_or(|ids| ids.binary_search(&rows.id[slot]).is_ok())
    }

    /// Whether the row passes the whole filter.
    #[must_use]
    pub fn accepts(&self, rows: &RowTable, slot: usize) -> bool {
        self.admits(rows, slot)
            && (self.min_retention <= 0.0 || self.retention(rows, slot) >= self.min_retention)
    }

    /// Rows that pass scopes, kinds and statuses, one bit each, of as many blocks in succession as
    /// there are masks, all in one part of the columns: the cheap part of the filter, which every row
    /// meets. The times decide for the few rows left.
    pub(crate) fn visible(&self, path: Path, rows: &RowTable, start: usize, masks: &mut [u16]) {
        let range = start * BLOCK..(start + masks.len()) * BLOCK;
        masks.fill(u16::MAX);
        keep_bytes(rows.status.slice(range.clone()), self.statuses, masks);
        if self.kinds & ALL_KINDS != ALL_KINDS {
            keep_bytes(rows.kind.slice(range.clone()), self.kinds, masks);
        }
        match &self.scopes {
            Some(scopes) if scopes.len() > FEW_SCOPES => {
                keep_sorted(rows.scope.slice(range), scopes, masks);
            }
            Some(scopes) => path.keep_members(rows.scope.slice(range), scopes, masks),
            None => {}
        }
    }

    /// Whether rows of `scope` are visible.
    #[must_use]
    pub fn sees_scope(&self, scope: u32) -> bool {
        self.scopes.as_ref().is_none_or(|scopes| scopes.binary_search(&scope).is_ok())
    }

    /// Retention of the row at `now`: base * exp(-max(0, now - last) / tau); pinned rows keep
    /// their base.
    #[must_use]
    pub fn retention(&self, rows: &RowTable, slot: usize) -> f64 {
        let tau =
            if rows.pinned(slot) { f64::INFINITY } else { self.taus[rows.kind[slot] as usize] };
        let age = (self.now - rows.last[slot]).max(0.0);
        rows.base[slot] * exp_nonpositive(-(age / tau))
    }

    fn valid(&self, rows: &RowTable, slot: usize) -> bool {
        match self.as_of {
            Some(moment) => rows.valid_from[slot] <= moment && moment < rows.valid_until[slot],
            // Whoever asks for superseded rows wants those that have ended.
            None => rows.status[slot] == SUPERSEDED || self.now < rows.valid_until[slot],
        }
    }
}

const ALL_KINDS: u8 = (1 << KINDS) - 1;
/// Scopes up to which comparing every row with each of them beats a binary search.
const FEW_SCOPES: usize = 8;

/// Leave the bits of bytes in a set of small numbers. Most blocks, and whole runs of them, hold zeros
/// only.
fn keep_bytes(bytes: &[u8], set: u8, masks: &mut [u16]) {
    if set & 1 == 1 && bytes.iter().fold(0, |all, byte| all | byte) == 0 {
        return;
    }
    for (mask, block) in masks.iter_mut().zip(bytes.as_chunks::<BLOCK>().0) {
        *mask &= match u128::from_ne_bytes(*block) {
            0 => (set & 1) as u16 * u16::MAX,
            _ => bits(block.iter().map(|byte| set >> byte & 1 == 1)),
        };
    }
}

/// Leave the bits of numbers in a sorted set.
fn keep_sorted(numbers: &[u32], set: &[u32], masks: &mut [u16]) {
    for (mask, block) in masks.iter_mut().zip(numbers.as_chunks::<BLOCK>().0) {
        if *mask != 0 {
            *mask &= bits(block.iter().map(|number| set.binary_search(number).is_ok()));
        }
    }
}

fn bits(flags: impl Iterator<Item = bool>) -> u16 {
    flags.enumerate().fold(0, |mask, (at, flag)| mask | u16::from(flag) << at)
}

const _: () = assert!(KINDS <= 8 && STATUSES <= 8, "masks are one byte wide");
