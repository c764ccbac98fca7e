//! Four-bit codes of the vectors, in blocks of sixteen rows.
//!
//! A block holds the nibbles of its rows, interleaved so that one 32-byte load brings four
//! directions of sixteen rows (bytes 2r and 2r+1 belong to row r; low nibbles are directions
//! 4g, 4g+1, high nibbles 4g+2, 4g+3), and then four bf16 columns: scale, first coordinate,
//! residual, tail.

use super::basis::Basis;
use super::bf16;
use super::matrix::Matrix;
use crate::rows::BLOCK;
use crate::simd::Path;

/// bf16 columns behind the nibbles of a block.
const COLUMNS: usize = 4;
/// Norms outside this range are not coded: such a row is always a candidate.
pub(super) const CODED_NORMS: std::ops::Range<f64> = 1e-10..1e10;

/// The codes of all slots.
#[derive(Debug)]
pub struct Codes {
    basis: Basis,
    blocks: Vec<u8>,
    /// Greatest norm of a row's centred code.
    reach: f64,
}

impl Codes {
    /// Code every vector of the matrix.
    pub(crate) fn build(path: Path, basis: Basis, matrix: &Matrix, slots: usize) -> Self {
        let mut codes = Self { basis, blocks: Vec::new(), reach: 0.0 };
        codes.resize(slots);
        for slot in 0..slots {
            codes.write(path, matrix, slot);
        }
        codes
    }

    pub(crate) fn basis(&self) -> &Basis {
        &self.basis
    }

    pub(crate) fn reach(&self) -> f64 {
        self.reach
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
        &self.blocks[at * bytes..(at + 1) * bytes]
    }

    /// Make room for `slots` rows, a multiple of the block.
    pub(crate) fn resize(&mut self, slots: usize) {
        self.blocks.resize(slots / BLOCK * self.block_bytes(), 0);
    }

    /// Code the vector of a slot again.
    pub(crate) fn write(&mut self, path: Path, matrix: &Matrix, slot: usize) {
        let norm = f64::from(matrix.norm_above(slot).max(0.0));
        if norm == 0.0 {
            return self.store(slot, &[], [0.0; 2], [0.0; 2]);
        }
        if !CODED_NORMS.contains(&norm) {
            return self.store(slot, &[], [0.0; 2], [f32::INFINITY, 0.0]);
        }
        let mut coordinates = Vec::with_capacity(self.basis.head() + 1);
        self.basis.project(path, matrix.row(slot), &mut coordinates);
        self.encode(slot, &coordinates, norm);
    }

    /// Quantise the coordinates and measure what is lost, both upwards.
    fn encode(&mut self, slot: usize, coordinates: &[f32], norm: f64) {
        let scale = bf16::widen(bf16::nearest(norm as f32));
        let first = bf16::widen(bf16::nearest(coordinates[0]));
        let mut nibbles = Vec::with_capacity(self.basis.head());
        let lost = f64::from(coordinates[0]) - f64::from(first);
        let (mut residual, mut centred) = (lost * lost, 0.0);
        for (y, step) in coordinates[1..].iter().zip(self.basis.steps()) {
            let unit = f64::from(scale) * f64::from(*step);
            let code = ((f64::from(*y) / unit).floor() + 8.0).clamp(0.0, 15.0);
            let off = f64::from(*y) - unit * (code - 7.5);
            residual += off * off;
            centred += (code - 7.5) * (code - 7.5);
            nibbles.push(code as u8);
        }
        self.reach = self.reach.max(centred.sqrt() * (1.0 + 1e-9));
        let error = self.basis.projection_error() * norm;
        let seen = coordinates.iter().map(|y| f64::from(*y) * f64::from(*y)).sum::<f64>().sqrt();
        let tail = tail(norm, seen, error, self.basis.defect());
        let residual = residual.sqrt() + error;
        self.store(slot, &nibbles, [scale, first], [upwards(residual), upwards(tail)]);
    }

    fn store(&mut self, slot: usize, nibbles: &[u8], values: [f32; 2], bounds: [f32; 2]) {
        let (bytes, nibble_bytes, row) = (self.block_bytes(), self.nibble_bytes(), slot % BLOCK);
        let block = &mut self.blocks[slot / BLOCK * bytes..][..bytes];
        for group in 0..nibble_bytes / (2 * BLOCK) {
            let at = group * 2 * BLOCK + 2 * row;
            let code = |offset: usize| nibbles.get(group * 4 + offset).copied().unwrap_or(0);
            block[at] = code(0) | code(2) << 4;
            block[at + 1] = code(1) | code(3) << 4;
        }
        let columns = [
            bf16::nearest(values[0]),
            bf16::nearest(values[1]),
            bf16::above(bounds[0]),
            bf16::above(bounds[1]),
        ];
        for (column, half) in columns.into_iter().enumerate() {
            let at = nibble_bytes + (column * BLOCK + row) * 2;
            block[at..at + 2].copy_from_slice(&half.to_le_bytes());
        }
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
