//! Snapshots: the whole index in one immutable file that is mapped instead of read.
//!
//! A snapshot holds the rows scope by scope (so that whoever sees some scopes reads only theirs),
//! their vectors and codes, the null samples and the keyword index. Mapped columns are
//! private copies on write: what changes afterwards stays in memory, page by page, and pages that
//! do not change are shared by all processes. New rows go to the owned tails of the columns.
//!
//! A file without a valid header, of another version, identity or dimension, or with a damaged
//! block is refused with [`EngineError::Snapshot`]; the caller rebuilds the index from the store.

mod aligned;
pub(crate) mod column;
pub(crate) mod format;
pub(crate) mod mapped;
mod writer;

use std::path::Path;
use std::sync::Arc;

pub use column::{Column, Plain};
use format::{Header, Section};
pub use mapped::FileBytes;
use mapped::MappedFile;
use writer::SnapshotWriter;

use crate::error::EngineError;
use crate::keyword::KeywordIndex;
use crate::rows::{BLOCK, RowTable, TURN};
use crate::scan::{Codes, Matrix, NullSamples};

/// Whose snapshot it is, and what it stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// Digest of everything that must agree: store, space, version of the analysis.
    pub identity: [u8; 32],
    /// Revision of the store.
    pub rev: i64,
}

/// The parts of an index.
pub(crate) struct Parts<'a> {
    pub(crate) rows: &'a RowTable,
    pub(crate) matrix: &'a Matrix,
    pub(crate) samples: &'a NullSamples,
    pub(crate) keywords: &'a KeywordIndex,
    pub(crate) codes: Option<&'a Codes>,
}

/// Write a snapshot file, which must not exist yet.
///
/// # Errors
/// `Snapshot` if the file cannot be written.
pub(crate) fn save(parts: &Parts<'_>, path: &Path, stamp: Stamp) -> Result<(), EngineError> {
    let order = Order::new(parts.rows);
    let slots = order.slots.len().next_multiple_of(BLOCK);
    let dim = parts.matrix.dim();
    let header = Header::new(stamp.identity, stamp.rev, dim, order.slots.len(), slots);
    let mut out = SnapshotWriter::create(path, header)?;
    write_rows(&mut out, parts.rows, &order, slots)?;
    write_vectors(&mut out, parts, &order, slots)?;
    let samples: Vec<i64> =
        parts.samples.members().flat_map(|(scope, id)| [i64::from(scope), id]).collect();
    out.section(Section::Samples, [samples.as_slice()].into_iter())?;
    let words = parts.keywords.to_bytes(&|slot| order.renumbered.get(slot as usize).copied()?);
    out.section(Section::Words, [words.as_slice()].into_iter())?;
    out.finish()
}

/// Check the sections that are read at once anyway.
pub(crate) fn verify_small(file: &MappedFile) -> Result<(), EngineError> {
    format::SMALL.into_iter().try_for_each(|section| file.verify_section(section))
}

/// Scopes and ids of the null samples.
pub(crate) fn samples(file: &Arc<MappedFile>) -> Result<Vec<(u32, i64)>, EngineError> {
    let length = file.header().range(Section::Samples).len() / 8;
    let column: Column<i64> = Column::mapped(file, Section::Samples, length)?;
    let (pairs, _) = column.slice(0..length).as_chunks::<2>();
    Ok(pairs.iter().map(|[scope, id]| (*scope as u32, *id)).collect())
}

/// The rows scope by scope, a scope's turns behind its other rows, by ascending id.
struct Order {
    /// Present slot of each future slot.
    slots: Vec<u32>,
    /// Future slot of each present slot.
    renumbered: Vec<Option<u32>>,
    /// Future slots by ascending id.
    by_id: Vec<u32>,
}

impl Order {
    fn new(rows: &RowTable) -> Self {
        let mut slots: Vec<u32> =
            (0..rows.slots()).filter(|slot| rows.occupied(*slot)).map(|slot| slot as u32).collect();
        slots.sort_unstable_by_key(|slot| {
            let slot = *slot as usize;
            (rows.scope[slot], rows.kind[slot] == TURN, rows.id[slot])
        });
        let mut renumbered = vec![None; rows.slots()];
        for (new, old) in slots.iter().enumerate() {
            renumbered[*old as usize] = Some(new as u32);
        }
        let mut by_id: Vec<u32> = (0..slots.len() as u32).collect();
        by_id.sort_unstable_by_key(|new| rows.id[slots[*new as usize] as usize]);
        Self { slots, renumbered, by_id }
    }
}

fn write_rows(
    out: &mut SnapshotWriter,
    rows: &RowTable,
    order: &Order,
    slots: usize,
) -> Result<(), EngineError> {
    let mut table = Columns { out, order, slots };
    table.write(Section::Id, &rows.id, i64::MAX)?;
    table.out.section(Section::ById, [order.by_id.as_slice()].into_iter())?;
    table.write(Section::Scope, &rows.scope, 0)?;
    table.write(Section::Kind, &rows.kind, 0)?;
    table.write(Section::Status, &rows.status, crate::rows::VACANT)?;
    table.write(Section::Flags, &rows.flags, 0)?;
    table.write(Section::Base, &rows.base, 0.0)?;
    table.write(Section::Last, &rows.last, 0.0)?;
    table.write(Section::ValidFrom, &rows.valid_from, 0.0)?;
    table.write(Section::ValidUntil, &rows.valid_until, 0.0)?;
    table.write(Section::ObservedAt, &rows.observed_at, 0.0)
}

struct Columns<'a> {
    out: &'a mut SnapshotWriter,
    order: &'a Order,
    slots: usize,
}

impl Columns<'_> {
    fn write<T: Plain>(
        &mut self,
        section: Section,
        column: &Column<T>,
        vacant: T,
    ) -> Result<(), EngineError> {
        let mut values: Vec<T> =
            self.order.slots.iter().map(|slot| column[*slot as usize]).collect();
        values.resize(self.slots, vacant);
        self.out.section(section, [values.as_slice()].into_iter())
    }
}

fn write_vectors(
    out: &mut SnapshotWriter,
    parts: &Parts<'_>,
    order: &Order,
    slots: usize,
) -> Result<(), EngineError> {
    let padding = slots - order.slots.len();
    let (matrix, present) = (parts.matrix, || order.slots.iter().map(|slot| *slot as usize));
    let norms: Vec<f32> = present().map(|slot| matrix.norm_above(slot)).collect();
    out.section(Section::Norms, [norms.as_slice(), &vec![-1.0; padding]].into_iter())?;
    let zeros = vec![0.0f32; padding * matrix.dim()];
    let vectors = present().map(|slot| matrix.row(slot)).chain([zeros.as_slice()]);
    out.section(Section::Vectors, vectors)?;
    let Some(codes) = parts.codes else { return Ok(()) };
    let basis = codes.basis();
    out.section(Section::Directions, [basis.directions()].into_iter())?;
    out.section(Section::Steps, [basis.steps()].into_iter())?;
    out.section(Section::RestSteps, [basis.rest_steps()].into_iter())?;
    out.section(Section::Bounds, [codes.bounds().as_slice()].into_iter())?;
    let blocks = codes.reordered_blocks(&order.slots, slots);
    out.section(Section::Blocks, [blocks.as_slice()].into_iter())?;
    let zeros = vec![0u8; padding * codes.record_bytes()];
    out.section(Section::Records, present().map(|s| codes.record(s)).chain([zeros.as_slice()]))?;
    let mut missed: Vec<u16> = present().map(|slot| codes.missed()[slot]).collect();
    missed.resize(slots, 0);
    out.section(Section::Missed, [missed.as_slice()].into_iter())
}
