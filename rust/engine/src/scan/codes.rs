//! Codes of the vectors, in two planes.
//!
//! The first plane is read for every row: blocks of sixteen rows with four bits for the
//! coordinate along each direction, interleaved so that 64 bytes bring eight directions of sixteen
//! rows (bytes 4r..4r+4 belong to row r; low nibbles are directions 8g..8g+4, high nibbles
//! 8g+4..8g+8), and then four columns of two bytes: scale as bf16, first coordinate in parts of the
//! scale as i16, residual and tail as bf16.
//!
//! The second plane is read for rows that the first does not exclude: one record a row with four
//! bits for what the first plane leaves of each value of the vector (in groups of 64 values, low
//! nibbles first), so whole cache lines for many a dimension. What it misses is a column of its
//! own, bf16, of which one line serves 32 rows.

use std::sync::Arc;

use super::basis::{Basis, FIRST_UNITS, GROUP, Rounded, nibble};
use super::bf16;
use super::matrix::Matrix;
use super::probe::CHUNK;
use crate::error::EngineError;
use crate::rows::BLOCK;
use crate::simd::Path;
use crate::snapshot::Column;
use crate::snapshot::format::Section;
use crate::snapshot::mapped::MappedFile;

/// Two-byte columns behind the nibbles of a block.
const COLUMNS: usize = 4;
/// Bytes of a row in each group of directions.
const LANE: usize = 4;
/// Norms outside this range are not coded: such a row is always a candidate.
pub(super) const CODED_NORMS: std::ops::Range<f64> = 1e-10..1e10;

/// The codes of all slots.
#[derive(Debug)]
pub struct Codes {
    basis: Basis,
    blocks: Column<u8>,
    records: Column<u8>,
    /// Norm of what both planes miss of each row, bf16, rounded up.
    missed: Column<u16>,
    reach: Reach,
}

/// Greatest norms of a row's centred codes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reach {
    /// Of each chunk of directions.
    pub(crate) chunks: Vec<f64>,
    /// Of the second plane.
    pub(crate) rest: f64,
}

/// A row ready to be stored.
#[derive(Debug, Default)]
struct Code {
    rounded: Rounded,
    /// Norm of what the nibbles miss along the directions, rounded up.
    residual: f64,
    /// Norm of the part outside the directions, rounded up.
    tail: f64,
    /// Nibbles of the second plane.
    rest: Vec<u8>,
    /// Norm of what both planes miss, rounded up.
    missed: f64,
}

impl Codes {
    /// No codes yet, along given directions.
    pub(crate) fn new(basis: Basis) -> Self {
        let reach = Reach { chunks: vec![0.0; basis.head() / CHUNK], rest: 0.0 };
        Self::empty(basis, reach)
    }

    fn empty(basis: Basis, reach: Reach) -> Self {
        let (blocks, records, missed) = Default::default();
        Self { basis, blocks, records, missed, reach }
    }

    /// The codes of a snapshot, if it has any.
    pub(crate) fn open(file: &Arc<MappedFile>) -> Result<Option<Self>, EngineError> {
        let read = |section: Section| -> Result<Vec<f32>, EngineError> {
            let length = file.header().range(section).len() / 4;
            Ok(Column::mapped(file, section, length)?.slice(0..length).to_vec())
        };
        let directions = read(Section::Directions)?;
        if directions.is_empty() {
            return Ok(None);
        }
        let length = file.header().range(Section::Bounds).len() / 8;
        let bounds: Column<f64> = Column::mapped(file, Section::Bounds, length)?;
        let bounds = bounds.slice(0..length);
        let (steps, rest_steps) = (read(Section::Steps)?, read(Section::RestSteps)?);
        let expected = 2 + steps.len() / CHUNK;
        let dim = file.header().dim;
        let basis = match bounds {
            [defect, ..] if length == expected => {
                Basis::open(dim, directions, steps, rest_steps, *defect)
            }
            _ => None,
        };
        let Some(basis) = basis else {
            return Err(EngineError::Snapshot { reason: "its codes do not fit".into() });
        };
        let reach = Reach { rest: bounds[1], chunks: bounds[2..].to_vec() };
        let mut codes = Self::empty(basis, reach);
        let slots = file.header().slots;
        let bytes = (slots / BLOCK * codes.block_bytes(), slots * codes.record_bytes());
        codes.blocks = Column::mapped(file, Section::Blocks, bytes.0)?;
        codes.records = Column::mapped(file, Section::Records, bytes.1)?;
        codes.missed = Column::mapped(file, Section::Missed, slots)?;
        Ok(Some(codes))
    }

    /// Defect of the directions, reach of the second plane and of each chunk, for a snapshot.
    pub(crate) fn bounds(&self) -> Vec<f64> {
        let first = [self.basis.defect(), self.reach.rest];
        first.into_iter().chain(self.reach.chunks.iter().copied()).collect()
    }

    /// The first plane with its rows in another order, for a snapshot.
    pub(crate) fn reordered_blocks(&self, order: &[u32], slots: usize) -> Vec<u8> {
        let (bytes, nibbles) = (self.block_bytes(), self.nibble_bytes());
        let mut blocks = vec![0; slots / BLOCK * bytes];
        for (new, old) in order.iter().map(|slot| *slot as usize).enumerate() {
            let from = self.block(old / BLOCK);
            let to = &mut blocks[new / BLOCK * bytes..][..bytes];
            let (from_row, to_row) = (old % BLOCK, new % BLOCK);
            for at in (0..nibbles).step_by(LANE * BLOCK) {
                let source = &from[at + LANE * from_row..][..LANE];
                to[at + LANE * to_row..][..LANE].copy_from_slice(source);
            }
            for at in (nibbles..bytes).step_by(2 * BLOCK) {
                let source = &from[at + 2 * from_row..][..2];
                to[at + 2 * to_row..][..2].copy_from_slice(source);
            }
        }
        blocks
    }

    pub(crate) fn basis(&self) -> &Basis {
        &self.basis
    }

    pub(crate) fn reach(&self) -> &Reach {
        &self.reach
    }

    /// Bytes of one block.
    pub(crate) fn block_bytes(&self) -> usize {
        self.nibble_bytes() + COLUMNS * BLOCK * 2
    }

    fn nibble_bytes(&self) -> usize {
        self.basis.head() / 2 * BLOCK
    }

    /// One block.
    pub(crate) fn block(&self, at: usize) -> &[u8] {
        let bytes = self.block_bytes();
        self.blocks.slice(at * bytes..(at + 1) * bytes)
    }

    /// Ask for the first `bytes` of a block, if there is one.
    pub(crate) fn approach(&self, path: Path, at: usize, bytes: usize) {
        if (at + 1) * self.block_bytes() <= self.blocks.len() {
            path.prefetch(&self.block(at)[..bytes]);
        }
    }

    /// Bytes of one record.
    pub(crate) fn record_bytes(&self) -> usize {
        self.basis.rest_steps().len() / 2
    }

    /// The second plane of a slot.
    pub(crate) fn record(&self, slot: usize) -> &[u8] {
        let bytes = self.record_bytes();
        self.records.slice(slot * bytes..(slot + 1) * bytes)
    }

    /// Norm of what both planes miss of each row, bf16.
    pub(crate) fn missed(&self) -> &Column<u16> {
        &self.missed
    }

    /// The scales of a block's rows, bf16.
    pub(crate) fn scales(&self, block: &[u8]) -> [u16; BLOCK] {
        let (halves, _) = block[self.nibble_bytes()..].as_chunks::<2>();
        std::array::from_fn(|row| u16::from_le_bytes(halves[row]))
    }

    /// Make room for `slots` rows, a multiple of the block.
    pub(crate) fn resize(&mut self, slots: usize) {
        self.blocks.resize(slots / BLOCK * self.block_bytes(), 0);
        self.records.resize(slots * self.record_bytes(), 0);
        self.missed.resize(slots, 0);
    }

    /// Code the vector of a slot again.
    pub(crate) fn write(&mut self, path: Path, matrix: &Matrix, slot: usize) {
        let norm = f64::from(matrix.norm_above(slot).max(0.0));
        let code = if CODED_NORMS.contains(&norm) {
            self.encode(path, matrix.row(slot), norm)
        } else {
            let missed = if norm == 0.0 { 0.0 } else { f64::INFINITY };
            Code { residual: missed, missed, ..Code::default() }
        };
        self.store_block(slot, &code);
        self.store_record(slot, &code);
    }

    /// Quantise a vector and measure what is lost, upwards.
    fn encode(&mut self, path: Path, vector: &[f32], norm: f64) -> Code {
        let coordinates = self.basis.project(path, vector);
        let rounded = self.basis.round(&coordinates, norm);
        let error = self.basis.projection_error() * norm;
        let mut residual = Loss::default();
        let steps = self.basis.steps().chunks(CHUNK);
        for (at, (ys, steps)) in coordinates.coded().chunks(CHUNK).zip(steps).enumerate() {
            let mut chunk = Loss::default();
            for ((y, step), code) in ys.iter().zip(steps).zip(&rounded.nibbles[at * CHUNK..]) {
                chunk.add(*y, rounded.scale, *step, *code);
            }
            residual.square += chunk.square;
            self.reach.chunks[at] = self.reach.chunks[at].max(chunk.reach());
        }
        let (values, off) = self.basis.rest(path, vector, &rounded);
        let mut missed = Loss::default();
        let mut rest = Vec::with_capacity(self.basis.rest_steps().len());
        for (value, step) in values.iter().zip(self.basis.rest_steps()) {
            let code = nibble(*value, rounded.scale, *step);
            missed.add(*value, rounded.scale, *step, code);
            rest.push(code);
        }
        self.reach.rest = self.reach.rest.max(missed.reach());
        // A first coordinate that its column cannot hold leaves the row without a bound.
        let first = f64::from(rounded.scale) * f64::from(rounded.first) / FIRST_UNITS;
        let held = (f64::from(coordinates.first()) - first).abs() <= 0.51 * norm / FIRST_UNITS;
        let unheld = if held { 0.0 } else { f64::INFINITY };
        Code {
            residual: residual.square.sqrt() + error + unheld,
            tail: tail(norm, coordinates.norm(), error, self.basis.defect()),
            missed: missed.square.sqrt() + off,
            rest,
            rounded,
        }
    }

    fn store_block(&mut self, slot: usize, code: &Code) {
        let (bytes, nibble_bytes, row) = (self.block_bytes(), self.nibble_bytes(), slot % BLOCK);
        let at = slot / BLOCK * bytes;
        let block = self.blocks.slice_mut(at..at + bytes);
        let (groups, _) = code.rounded.nibbles.as_chunks::<{ 2 * LANE }>();
        for group in 0..nibble_bytes / (LANE * BLOCK) {
            let at = group * LANE * BLOCK + LANE * row;
            let nibbles = groups.get(group).copied().unwrap_or_default();
            for lane in 0..LANE {
                block[at + lane] = nibbles[lane] | nibbles[LANE + lane] << 4;
            }
        }
        let columns = [
            bf16::nearest(code.rounded.scale),
            code.rounded.first.cast_unsigned(),
            bf16::above(upwards(code.residual)),
            bf16::above(upwards(code.tail)),
        ];
        for (column, half) in columns.into_iter().enumerate() {
            let at = nibble_bytes + (column * BLOCK + row) * 2;
            block[at..at + 2].copy_from_slice(&half.to_le_bytes());
        }
    }

    fn store_record(&mut self, slot: usize, code: &Code) {
        let bytes = self.record_bytes();
        let record = self.records.slice_mut(slot * bytes..(slot + 1) * bytes);
        let nibble = |at: usize| code.rest.get(at).copied().unwrap_or(0);
        for (at, byte) in record.iter_mut().enumerate() {
            let value = at / (GROUP / 2) * GROUP + at % (GROUP / 2);
            *byte = nibble(value) | nibble(value + GROUP / 2) << 4;
        }
        self.missed[slot] = bf16::above(upwards(code.missed));
    }
}

/// Sums over the values of one row.
#[derive(Default)]
struct Loss {
    /// Square of what the codes miss.
    square: f64,
    /// Square of the centred codes.
    centred: f64,
}

impl Loss {
    fn add(&mut self, value: f32, scale: f32, step: f32, code: u8) {
        let centred = f64::from(code) - 7.5;
        self.add_difference(value, f64::from(scale) * f64::from(step) * centred);
        self.centred += centred * centred;
    }

    fn add_difference(&mut self, value: f32, coded: f64) {
        let missed = f64::from(value) - coded;
        self.square += missed * missed;
    }

    fn reach(&self) -> f64 {
        self.centred.sqrt() * (1.0 + 1e-9)
    }
}

/// At least the norm of the part of a vector outside the basis: with y = Vx,
/// |(I - V^T V) x|^2 = |x|^2 - |y|^2 + x^T (P^2 - P) x, P = V^T V, and |P^2 - P| <= d (1 + d) for
/// the defect d; `seen` is |y| up to `error`.
pub(super) fn tail(norm: f64, seen: f64, error: f64, defect: f64) -> f64 {
    let inside = (seen - error).max(0.0);
    let square = norm * norm * (1.0 + 1e-9 + defect * (1.0 + defect)) - inside * inside;
    square.max(0.0).sqrt()
}

/// An f32 that is not below.
fn upwards(value: f64) -> f32 {
    ((value * (1.0 + 1e-9)) as f32).next_up()
}
