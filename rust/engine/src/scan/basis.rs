//! The directions that the codes are taken along.
//!
//! Orthogonal iteration on the second moment of a sample finds the directions that hold most of
//! the vectors' energy; the first one is close to the mean direction, so an anisotropic space
//! loses its common part there. Exactness does not depend on the fit: [`Basis::defect`] measures
//! how far the stored directions are from orthonormal, and the bound pays for it.

use super::matrix::{Matrix, norm};
use crate::simd::{Path, dot_gamma};

/// Directions that are coded with four bits; one more is kept in full.
const HEAD: usize = 192;
/// Below this dimension the vectors themselves are as cheap to read as codes.
const MIN_DIM: usize = 64;
/// Rounds of orthogonal iteration.
const ROUNDS: usize = 8;
/// Step of the best uniform quantiser of 16 levels for a normal variable of unit deviation
/// (Max, 1960).
const STEP: f64 = 0.335;

/// Nearly orthonormal directions and the quantiser's step along each.
#[derive(Debug, Clone)]
pub struct Basis {
    dim: usize,
    /// `head + 1` rows of `dim` values.
    directions: Vec<f32>,
    /// Step along each direction but the first, for a vector of unit norm.
    steps: Vec<f32>,
    defect: f64,
}

impl Basis {
    /// Fit to the vectors of the given slots, or `None` where codes cannot pay.
    pub(crate) fn fit(path: Path, matrix: &Matrix, slots: &[usize]) -> Option<Self> {
        let dim = matrix.dim();
        if dim < MIN_DIM {
            return None;
        }
        let sample = unit_rows(matrix, slots);
        if sample.is_empty() {
            return None;
        }
        let head = HEAD.min((dim - 1) / 4 * 4);
        let directions = iterate(path, &Moment::new(path, &sample, dim), head + 1);
        let mut basis = Self { dim, steps: vec![0.0; head], defect: 0.0, directions };
        basis.defect = basis.measure_defect(path);
        basis.steps = basis.measure_steps(path, &sample);
        Some(basis)
    }

    /// Number of coded directions, a multiple of four.
    pub(crate) fn head(&self) -> usize {
        self.steps.len()
    }

    /// Step along each coded direction.
    pub(crate) fn steps(&self) -> &[f32] {
        &self.steps
    }

    /// At least the spectral norm of `V V^T - I`.
    pub(crate) fn defect(&self) -> f64 {
        self.defect
    }

    /// Coordinates of a vector, `head + 1` of them.
    pub(crate) fn project(&self, path: Path, vector: &[f32], out: &mut Vec<f32>) {
        out.clear();
        out.extend(self.directions.chunks_exact(self.dim).map(|v| path.dot_f32(v, vector)));
    }

    /// Most by which [`Basis::project`] is off, in Euclidean norm, for a vector of unit norm.
    pub(crate) fn projection_error(&self) -> f64 {
        let directions = (self.head() + 1) as f64;
        dot_gamma(self.dim) * (1.0 + self.defect) * directions.sqrt() * 1.001
    }

    fn direction(&self, at: usize) -> &[f32] {
        &self.directions[at * self.dim..(at + 1) * self.dim]
    }

    fn measure_defect(&self, path: Path) -> f64 {
        let count = self.head() + 1;
        let mut squares = 0.0;
        for left in 0..count {
            for right in 0..=left {
                let dot = path.dot_canonical(self.direction(left), self.direction(right));
                let off = if left == right { dot - 1.0 } else { dot };
                squares += off * off * if left == right { 1.0 } else { 2.0 };
            }
        }
        squares.sqrt() * (1.0 + 1e-9) + 1e-12
    }

    fn measure_steps(&self, path: Path, sample: &[f32]) -> Vec<f32> {
        let mut squares = vec![0.0f64; self.head() + 1];
        let mut coordinates = Vec::new();
        for row in sample.chunks_exact(self.dim) {
            self.project(path, row, &mut coordinates);
            for (sum, y) in squares.iter_mut().zip(&coordinates) {
                *sum += f64::from(*y) * f64::from(*y);
            }
        }
        let count = (sample.len() / self.dim).max(1) as f64;
        let step = |sum: &f64| (STEP * (sum / count).sqrt()).max(1e-6) as f32;
        squares[1..].iter().map(step).collect()
    }
}

/// The vectors of the slots, scaled to unit norm.
fn unit_rows(matrix: &Matrix, slots: &[usize]) -> Vec<f32> {
    let mut sample = Vec::with_capacity(slots.len() * matrix.dim());
    for &slot in slots {
        let row = matrix.row(slot);
        let scale = 1.0 / norm(row).max(f64::MIN_POSITIVE);
        sample.extend(row.iter().map(|value| (f64::from(*value) * scale) as f32));
    }
    sample
}

/// `v -> X^T X v` for a sample X, in the cheaper of two forms.
struct Moment<'a> {
    path: Path,
    dim: usize,
    sample: &'a [f32],
    /// The sample by columns.
    columns: Vec<f32>,
    /// The product itself, unless the sample is small.
    square: Option<Vec<f32>>,
}

impl<'a> Moment<'a> {
    fn new(path: Path, sample: &'a [f32], dim: usize) -> Self {
        let rows = sample.len() / dim;
        let mut columns = vec![0.0f32; sample.len()];
        for (row, values) in sample.chunks_exact(dim).enumerate() {
            for (column, value) in values.iter().enumerate() {
                columns[column * rows + row] = *value;
            }
        }
        let mut moment = Self { path, dim, sample, columns, square: None };
        if rows > dim / 2 {
            moment.square = Some(moment.multiply_out(rows));
        }
        moment
    }

    fn multiply_out(&self, rows: usize) -> Vec<f32> {
        let column = |at: usize| &self.columns[at * rows..(at + 1) * rows];
        let mut square = vec![0.0f32; self.dim * self.dim];
        for left in 0..self.dim {
            for right in 0..=left {
                let dot = self.path.dot_f32(column(left), column(right));
                square[left * self.dim + right] = dot;
                square[right * self.dim + left] = dot;
            }
        }
        square
    }

    fn apply(&self, vector: &[f32]) -> Vec<f32> {
        let products = |matrix: &[f32], vector: &[f32]| -> Vec<f32> {
            matrix.chunks_exact(vector.len()).map(|row| self.path.dot_f32(row, vector)).collect()
        };
        match &self.square {
            Some(square) => products(square, vector),
            None => products(&self.columns, &products(self.sample, vector)),
        }
    }
}

/// Leading directions of the second moment.
fn iterate(path: Path, moment: &Moment<'_>, count: usize) -> Vec<f32> {
    let dim = moment.dim;
    let mut directions: Vec<f32> = (0..count * dim).map(|at| noise(at as i64)).collect();
    orthonormalise(path, &mut directions, dim);
    for _ in 0..ROUNDS {
        directions = directions.chunks_exact(dim).flat_map(|v| moment.apply(v)).collect();
        orthonormalise(path, &mut directions, dim);
    }
    directions
}

/// A reproducible value in [-1, 1).
fn noise(seed: i64) -> f32 {
    let bits = super::sample_hash(seed) >> 40;
    bits as f32 / (1u32 << 23) as f32 - 1.0
}

/// Gram and Schmidt, twice for accuracy (Giraud et al., 2005). A direction that vanishes is
/// replaced by noise, so a sample of low rank still gives a full basis.
fn orthonormalise(path: Path, directions: &mut [f32], dim: usize) {
    for at in 0..directions.len() / dim {
        let (before, rest) = directions.split_at_mut(at * dim);
        let current = &mut rest[..dim];
        scale_to_unit(current);
        for attempt in 0..8 {
            for _ in 0..2 {
                for other in before.chunks_exact(dim) {
                    let along = path.dot_f32(other, current);
                    current.iter_mut().zip(other).for_each(|(x, y)| *x -= along * y);
                }
            }
            if scale_to_unit(current) > 1e-3 {
                break;
            }
            let seed = ((attempt + 1) * directions_seed(at) * dim) as i64;
            current.iter_mut().enumerate().for_each(|(i, x)| *x = noise(seed + i as i64));
            scale_to_unit(current);
        }
    }
}

fn directions_seed(at: usize) -> usize {
    1_000 + at
}

/// Scale to unit norm and return the norm before.
fn scale_to_unit(vector: &mut [f32]) -> f64 {
    let length = norm(vector);
    if length > 0.0 {
        vector.iter_mut().for_each(|x| *x = (f64::from(*x) / length) as f32);
    }
    length
}
