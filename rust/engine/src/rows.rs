//! The row table: one column per attribute, one slot per row, slots reused after removal.

use std::collections::HashMap;
use std::sync::Arc;

use crate::error::EngineError;
use crate::simd::Path;
use crate::snapshot::Column;
use crate::snapshot::format::Section;
use crate::snapshot::mapped::MappedFile;

/// Slots are made in blocks of this many rows, which the scan bounds together.
pub const BLOCK: usize = 16;
/// Number of kinds: 0 episodic, 1 semantic, 2 turn.
pub const KINDS: usize = 3;
/// Kind of a conversation turn.
pub(crate) const TURN: u8 = 2;
/// Number of statuses inside the index: 0 active, 1 superseded, 2 archived.
pub const STATUSES: usize = 3;
/// Status of a row that another one replaced.
pub const SUPERSEDED: u8 = 1;
/// Bit of `flags` for rows whose retention does not fade.
pub const PINNED: u8 = 1;
/// Status of a slot that holds no row.
pub(crate) const VACANT: u8 = 7;

/// Attributes of a batch of rows, one element per row in every slice.
#[derive(Debug, Clone, Copy)]
pub struct Attributes<'a> {
    /// Scope of each row.
    pub scope: &'a [u32],
    /// Kind of each row.
    pub kind: &'a [u8],
    /// Status of each row.
    pub status: &'a [u8],
    /// Bit 0: pinned.
    pub flags: &'a [u8],
    /// Base strength, finite and not negative.
    pub base: &'a [f64],
    /// Moment of the last reinforcement.
    pub last: &'a [f64],
    /// First moment of validity.
    pub valid_from: &'a [f64],
    /// First moment after validity, +inf if it does not end.
    pub valid_until: &'a [f64],
    /// When it happened.
    pub observed_at: &'a [f64],
}

impl Attributes<'_> {
    /// Check lengths, ranges and finiteness for `expected` rows.
    ///
    /// # Errors
    /// `Length`, `NotFinite` or `Parameter`, naming the column.
    pub fn validate(&self, expected: usize) -> Result<(), EngineError> {
        length("scopes", self.scope.len(), expected)?;
        byte_column("kinds", self.kind, KINDS, expected)?;
        byte_column("statuses", self.status, STATUSES, expected)?;
        length("flags", self.flags.len(), expected)?;
        column("base", self.base, expected, f64::is_finite)?;
        column("last", self.last, expected, f64::is_finite)?;
        column("valid_from", self.valid_from, expected, |v| !v.is_nan())?;
        column("valid_until", self.valid_until, expected, |v| !v.is_nan())?;
        column("observed_at", self.observed_at, expected, f64::is_finite)?;
        match self.base.iter().find(|base| **base < 0.0) {
            None => Ok(()),
            Some(base) => Err(EngineError::Parameter {
                what: format!("a base strength must not be negative, got {base}"),
            }),
        }
    }
}

/// Refuse a column of the wrong length.
pub(crate) fn length(what: &'static str, got: usize, expected: usize) -> Result<(), EngineError> {
    if got == expected { Ok(()) } else { Err(EngineError::Length { what, expected, got }) }
}

fn column(
    what: &'static str,
    values: &[f64],
    expected: usize,
    usable: fn(f64) -> bool,
) -> Result<(), EngineError> {
    length(what, values.len(), expected)?;
    match values.iter().position(|value| !usable(*value)) {
        None => Ok(()),
        Some(position) => Err(EngineError::NotFinite { what, position }),
    }
}

fn byte_column(
    what: &'static str,
    values: &[u8],
    limit: usize,
    expected: usize,
) -> Result<(), EngineError> {
    length(what, values.len(), expected)?;
    match values.iter().find(|value| usize::from(**value) >= limit) {
        None => Ok(()),
        Some(value) => Err(EngineError::Parameter {
            what: format!("{what} must be below {limit}, got {value}"),
        }),
    }
}

/// All rows, struct of arrays. Columns are indexed by slot.
#[derive(Debug, Default)]
pub struct RowTable {
    /// Trace id.
    pub id: Column<i64>,
    /// Scope.
    pub scope: Column<u32>,
    /// Kind.
    pub kind: Column<u8>,
    /// Status; a value past every mask bit marks a vacant slot.
    pub status: Column<u8>,
    /// Flags.
    pub flags: Column<u8>,
    /// Base strength.
    pub base: Column<f64>,
    /// Last reinforcement.
    pub last: Column<f64>,
    /// Start of validity.
    pub valid_from: Column<f64>,
    /// End of validity.
    pub valid_until: Column<f64>,
    /// When it happened.
    pub observed_at: Column<f64>,
    /// Rows of the snapshot, at the first slots. Such a slot is only used again for the id that it
    /// had.
    mapped: usize,
    /// Their slots in ascending order of ids.
    by_id: Column<u32>,
    live: usize,
    /// Slots of the rows behind the snapshot's.
    slots: HashMap<i64, u32>,
    vacant: Vec<u32>,
}

impl RowTable {
    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.live
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.live == 0
    }

    /// Number of slots, vacant ones included: a multiple of [`BLOCK`].
    #[must_use]
    pub fn slots(&self) -> usize {
        self.id.len()
    }

    /// Slot of a row.
    #[must_use]
    pub fn slot_of(&self, id: i64) -> Option<usize> {
        match self.slots.get(&id) {
            Some(slot) => Some(*slot as usize),
            None => self.mapped_slot(id).filter(|slot| self.occupied(*slot)),
        }
    }

    /// Whether the slot holds a row.
    #[must_use]
    pub fn occupied(&self, slot: usize) -> bool {
        self.status[slot] != VACANT
    }

    /// Ask for what is looked at of a row that may be a hit. Columns: each on a line of its own.
    pub(crate) fn approach(&self, path: Path, slot: usize) {
        let one = || slot..slot + 1;
        path.prefetch(self.id.slice(one()));
        path.prefetch(self.base.slice(one()));
        path.prefetch(self.last.slice(one()));
        path.prefetch(self.valid_until.slice(one()));
    }

    /// Whether the row's retention does not fade.
    #[must_use]
    pub fn pinned(&self, slot: usize) -> bool {
        self.flags[slot] & PINNED != 0
    }

    /// Return the slot of `id`, taking a vacant or new one if the row is new. The caller writes
    /// its attributes next.
    pub(crate) fn claim(&mut self, id: i64) -> usize {
        if let Some(slot) = self.slot_of(id) {
            return slot;
        }
        self.live += 1;
        if let Some(slot) = self.mapped_slot(id) {
            return slot;
        }
        let slot = match self.vacant.pop() {
            Some(slot) => slot as usize,
            None => self.grow(),
        };
        self.id[slot] = id;
        self.slots.insert(id, slot as u32);
        slot
    }

    /// Slot that the snapshot has for an id, whether or not the row is still there.
    fn mapped_slot(&self, id: i64) -> Option<usize> {
        if self.mapped == 0 {
            return None;
        }
        let (ids, by_id) = (self.id.slice(0..self.mapped), self.by_id.slice(0..self.mapped));
        let id_at = |at: u32| ids[at as usize];
        // Distinct ascending ids: none lies further in than its distance from the first. Where few
        // rows went, it lies right there.
        let first = id_at(by_id[0]);
        let most = usize::try_from(id.checked_sub(first)?).ok()?.min(self.mapped - 1);
        if id_at(by_id[most]) == id {
            return Some(by_id[most] as usize);
        }
        let found = by_id[..most].binary_search_by_key(&id, |&slot| id_at(slot));
        found.ok().map(|at| by_id[at] as usize)
    }

    /// Make a block of vacant slots and return the first of them.
    fn grow(&mut self) -> usize {
        let first = self.id.len();
        let slots = first + BLOCK;
        self.id.resize(slots, 0);
        self.scope.resize(slots, 0);
        self.kind.resize(slots, 0);
        self.status.resize(slots, VACANT);
        self.flags.resize(slots, 0);
        self.base.resize(slots, 0.0);
        self.last.resize(slots, 0.0);
        self.valid_from.resize(slots, 0.0);
        self.valid_until.resize(slots, 0.0);
        self.observed_at.resize(slots, 0.0);
        self.vacant.extend((first + 1..slots).rev().map(|slot| slot as u32));
        first
    }

    /// Write row `at` of a validated batch into a slot.
    pub(crate) fn write(&mut self, slot: usize, batch: &Attributes<'_>, at: usize) {
        self.scope[slot] = batch.scope[at];
        self.kind[slot] = batch.kind[at];
        self.status[slot] = batch.status[at];
        self.flags[slot] = batch.flags[at];
        self.base[slot] = batch.base[at];
        self.last[slot] = batch.last[at];
        self.valid_from[slot] = batch.valid_from[at];
        self.valid_until[slot] = batch.valid_until[at];
        self.observed_at[slot] = batch.observed_at[at];
    }

    /// Vacate the slot of `id` and return it.
    pub(crate) fn release(&mut self, id: i64) -> Option<usize> {
        let slot = self.slot_of(id)?;
        self.live -= 1;
        self.status[slot] = VACANT;
        if self.slots.remove(&id).is_some() {
            self.vacant.push(slot as u32);
        }
        Some(slot)
    }

    /// The rows of a snapshot.
    pub(crate) fn open(file: &Arc<MappedFile>) -> Result<Self, EngineError> {
        let (rows, slots) = (file.header().rows, file.header().slots);
        let table = Self {
            id: Column::mapped(file, Section::Id, slots)?,
            by_id: Column::mapped(file, Section::ById, rows)?,
            scope: Column::mapped(file, Section::Scope, slots)?,
            kind: Column::mapped(file, Section::Kind, slots)?,
            status: Column::mapped(file, Section::Status, slots)?,
            flags: Column::mapped(file, Section::Flags, slots)?,
            base: Column::mapped(file, Section::Base, slots)?,
            last: Column::mapped(file, Section::Last, slots)?,
            valid_from: Column::mapped(file, Section::ValidFrom, slots)?,
            valid_until: Column::mapped(file, Section::ValidUntil, slots)?,
            observed_at: Column::mapped(file, Section::ObservedAt, slots)?,
            mapped: rows,
            live: rows,
            ..Self::default()
        };
        table.check()?;
        Ok(table)
    }

    /// Whether every row of the snapshot is found by its id.
    fn ascends(&self) -> bool {
        let by_id = self.by_id.slice(0..self.mapped);
        let ids = self.id.slice(0..self.mapped);
        let mut before = None;
        by_id.iter().all(|&slot| {
            let id = ids.get(slot as usize);
            id.is_some() && std::mem::replace(&mut before, id) < id
        })
    }

    /// Check what other code relies on: a file may have whole blocks and still be nonsense.
    fn check(&self) -> Result<(), EngineError> {
        let slots = self.slots();
        let sound = self.mapped <= slots
            && slots < self.mapped + BLOCK
            && slots.is_multiple_of(BLOCK)
            && self.ascends()
            && self.kind.slice(0..slots).iter().all(|kind| usize::from(*kind) < KINDS)
            && self.status.slice(0..self.mapped).iter().all(|s| usize::from(*s) < STATUSES)
            && self.status.slice(self.mapped..slots).iter().all(|s| *s == VACANT);
        if sound {
            Ok(())
        } else {
            Err(EngineError::Snapshot { reason: "its rows are no rows".into() })
        }
    }
}
