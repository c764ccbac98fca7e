//! The directions that the codes are taken along.
//!
//! Orthogonal iteration on the second moment of a sample finds the directions that hold most of
//! the vectors' energy; the first one is close to the mean direction, so an anisotropic space
//! loses its common part there. Exactness does not depend on the fit: [`Basis::defect`] measures
//! how far the stored directions are from orthonormal, and the bound pays for it.

use super::bf16;
use super::head::{self, Trial};
use super::matrix::{Matrix, norm};
use super::short::Short;
use crate::simd::{Path, dot_gamma};

/// Below this dimension the vectors themselves are as cheap to read as codes.
const MIN_DIM: usize = 64;
/// Numbers of coded values are padded to multiples of this: two nibbles in 32 bytes.
pub(super) const GROUP: usize = 64;
/// Units of the first coordinate in a scale: a little less than sixteen bits hold, because a
/// coordinate may exceed the rounded scale.
pub(super) const FIRST_UNITS: f64 = 32_000.0;
/// Rounds of orthogonal iteration.
const ROUNDS: usize = 8;
/// Step of the best uniform quantiser of 16 levels for a normal variable of unit deviation
/// (Max, 1960).
const STEP: f64 = 0.335;

/// Nearly orthonormal directions, and the quantisers' steps for a vector of unit norm.
#[derive(Debug, Clone)]
pub struct Basis {
    dim: usize,
    /// Rows of `dim` values: the direction kept in full, then those that are coded.
    directions: Vec<f32>,
    short: Short,
    /// Step along each coded direction, padded.
    steps: Vec<f32>,
    /// Step of what the directions leave, for each dimension of the vectors, padded.
    rest_steps: Vec<f32>,
    defect: f64,
}

/// Coordinates of a vector along the directions, zeros where they are padded.
#[derive(Debug, Clone, Default)]
pub(super) struct Coordinates(Vec<f32>);

impl Coordinates {
    pub(super) fn first(&self) -> f32 {
        self.0[0]
    }

    pub(super) fn coded(&self) -> &[f32] {
        &self.0[1..]
    }

    /// Norm of the coordinates along the coded directions.
    pub(super) fn coded_norm(&self) -> f64 {
        norm(self.coded())
    }

    pub(super) fn norm(&self) -> f64 {
        norm(&self.0)
    }
}

/// Coordinates rounded to what the codes hold.
#[derive(Debug, Clone, Default)]
pub(super) struct Rounded {
    pub(super) scale: f32,
    /// The first coordinate in units of `scale / FIRST_UNITS`.
    pub(super) first: i16,
    /// Nibble of each coded direction.
    pub(super) nibbles: Vec<u8>,
}

impl Rounded {
    fn first_value(&self) -> f32 {
        (f64::from(self.scale) * f64::from(self.first) / FIRST_UNITS) as f32
    }
}

impl Basis {
    /// Fit to the vectors of the given slots, out of `rows` that will be scanned, or `None` where
    /// codes cannot pay.
    pub(crate) fn fit(path: Path, matrix: &Matrix, slots: &[usize], rows: usize) -> Option<Self> {
        let dim = matrix.dim();
        let sample = unit_rows(matrix, slots);
        if dim < MIN_DIM || sample.is_empty() {
            return None;
        }
        let head = head::MOST.min((dim - 1).next_multiple_of(GROUP));
        let directions = iterate(path, &Moment::new(path, &sample, dim), dim.min(1 + head));
        let rest_steps = vec![1e-6; dim.next_multiple_of(GROUP)];
        let steps = vec![1e-6; head];
        let short = Short::default();
        let mut basis = Self { dim, directions, short, steps, rest_steps, defect: 0.0 };
        let coordinates: Vec<Coordinates> =
            sample.chunks_exact(dim).map(|row| basis.project(path, row)).collect();
        let mut coded = Spread::new(head);
        coordinates.iter().for_each(|row| coded.add(row.coded()));
        basis.steps = coded.steps();
        let (sample, coordinates) = (&sample, &coordinates);
        basis.cut(Trial { path, dim, sample, coordinates, steps: &basis.steps, rows }.head());
        basis.short = Short::new(&basis.directions, dim);
        basis.defect = basis.measure_defect(path);
        basis.measure_rest_steps(path, sample);
        Some(basis)
    }

    /// The directions of a snapshot.
    pub(super) fn open(
        dim: usize,
        directions: Vec<f32>,
        steps: Vec<f32>,
        rest_steps: Vec<f32>,
        defect: f64,
    ) -> Option<Self> {
        let fits = directions.len() == dim * dim.min(1 + steps.len())
            && steps.len().is_multiple_of(GROUP)
            && rest_steps.len() == dim.next_multiple_of(GROUP)
            && directions.iter().chain(&steps).chain(&rest_steps).all(|value| value.is_finite())
            && defect.is_finite();
        fits.then(|| {
            let short = Short::new(&directions, dim);
            Self { dim, directions, short, steps, rest_steps, defect }
        })
    }

    /// The directions, `dim` values each.
    pub(crate) fn directions(&self) -> &[f32] {
        &self.directions
    }

    /// Number of coded directions, a multiple of [`GROUP`].
    pub(crate) fn head(&self) -> usize {
        self.steps.len()
    }

    /// Step along each coded direction.
    pub(crate) fn steps(&self) -> &[f32] {
        &self.steps
    }

    /// Step of the rest in each dimension, a multiple of [`GROUP`] of them.
    pub(crate) fn rest_steps(&self) -> &[f32] {
        &self.rest_steps
    }

    /// At least the spectral norm of `V V^T - I`.
    pub(crate) fn defect(&self) -> f64 {
        self.defect
    }

    /// Coordinates of a vector.
    pub(super) fn project(&self, path: Path, vector: &[f32]) -> Coordinates {
        let mut values = Vec::with_capacity(1 + self.head());
        values.extend(self.directions.chunks_exact(self.dim).map(|v| path.dot_f32(v, vector)));
        values.resize(1 + self.head(), 0.0);
        Coordinates(values)
    }

    /// Coordinates of a query of norm `length`, by the short directions, and most by which they are
    /// off in Euclidean norm.
    pub(super) fn project_query(
        &self,
        path: Path,
        query: &[f32],
        length: f64,
    ) -> (Coordinates, f64) {
        let (mut values, error) = self.short.project(path, query, length, 1.0 + self.defect);
        values.resize(1 + self.head(), 0.0);
        (Coordinates(values), error)
    }

    /// Most by which [`Basis::project`] is off, in Euclidean norm, for a vector of unit norm.
    pub(crate) fn projection_error(&self) -> f64 {
        dot_gamma(self.dim) * (1.0 + self.defect) * (self.count() as f64).sqrt() * 1.001
    }

    /// Round coordinates of a vector of the given norm to what the codes hold.
    pub(super) fn round(&self, coordinates: &Coordinates, norm: f64) -> Rounded {
        let scale = bf16::widen(bf16::nearest(norm as f32));
        let nibble = |(y, step): (&f32, &f32)| nibble(*y, scale, *step);
        Rounded {
            scale,
            // The scale may be half of a percent below the norm, and the defect is small.
            first: (f64::from(coordinates.first()) / f64::from(scale) * FIRST_UNITS)
                .round()
                .clamp(-32_767.0, 32_767.0) as i16,
            nibbles: coordinates.coded().iter().zip(&self.steps).map(nibble).collect(),
        }
    }

    /// What the rounded coordinates leave of a vector, and most by which the result is off.
    pub(super) fn rest(&self, path: Path, vector: &[f32], rounded: &Rounded) -> (Vec<f32>, f64) {
        let mut rest = vector.to_vec();
        let first = rounded.first_value();
        let mut squares = f64::from(first) * f64::from(first);
        path.subtract_scaled(&mut rest, first, self.direction(0));
        for at in 1..self.count() {
            let centred = f32::from(rounded.nibbles[at - 1]) - 7.5;
            let y = rounded.scale * self.steps[at - 1] * centred;
            squares += f64::from(y) * f64::from(y);
            path.subtract_scaled(&mut rest, y, self.direction(at));
        }
        // Each value of the result met one rounding for every direction, on terms that add up
        // to |x_j| + sum |v_ij y_i|; the norm of the sums is at most |V|_F |y|. One more unit
        // covers the rounding of y itself.
        let roundings = (self.count() + 4) as f64 * f64::from(f32::EPSILON);
        let frobenius = (self.count() as f64).sqrt() * (1.0 + self.defect);
        (rest, roundings * (norm(vector) + frobenius * squares.sqrt()))
    }

    fn count(&self) -> usize {
        self.directions.len() / self.dim
    }

    fn direction(&self, at: usize) -> &[f32] {
        &self.directions[at * self.dim..(at + 1) * self.dim]
    }

    fn measure_defect(&self, path: Path) -> f64 {
        let count = self.count();
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

    /// Code fewer directions.
    fn cut(&mut self, head: usize) {
        self.steps.truncate(head);
        self.directions.truncate((1 + head) * self.dim);
    }

    fn measure_rest_steps(&mut self, path: Path, sample: &[f32]) {
        let mut rest = Spread::new(self.rest_steps.len());
        for row in sample.chunks_exact(self.dim) {
            let rounded = self.round(&self.project(path, row), 1.0);
            rest.add(&self.rest(path, row, &rounded).0);
        }
        self.rest_steps = rest.steps();
    }
}

/// Nibble of a value for a quantiser whose step is `scale * step`.
pub(super) fn nibble(value: f32, scale: f32, step: f32) -> u8 {
    let unit = f64::from(scale) * f64::from(step);
    ((f64::from(value) / unit).floor() + 8.0).clamp(0.0, 15.0) as u8
}

/// Sums of squares, for the steps of quantisers.
struct Spread {
    squares: Vec<f64>,
    rows: f64,
}

impl Spread {
    fn new(values: usize) -> Self {
        Self { squares: vec![0.0; values], rows: 0.0 }
    }

    fn add(&mut self, values: &[f32]) {
        self.rows += 1.0;
        for (sum, value) in self.squares.iter_mut().zip(values) {
            *sum += f64::from(*value) * f64::from(*value);
        }
    }

    fn steps(&self) -> Vec<f32> {
        let step = |sum: &f64| (STEP * (sum / self.rows).sqrt()).max(1e-6) as f32;
        self.squares.iter().map(step).collect()
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
                    path.subtract_scaled(current, along, other);
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
