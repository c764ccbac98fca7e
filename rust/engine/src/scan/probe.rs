//! A query in the form in which the codes are compared with it.

use super::codes::{CODED_NORMS, Codes, tail};
use super::matrix::norm;
use crate::rows::BLOCK;
use crate::simd::Path;

/// Directions summed in 16 bits before they are widened.
pub(crate) const CHUNK: usize = 32;
/// Most that the positive or the negative coefficients of a chunk may add up to: 15 times it,
/// roundings of the coefficients included, fits 16 bits.
const CHUNK_SUM: f64 = 2_160.0;

/// Integer coefficients and the factors of the bound, see [`super`].
#[derive(Debug)]
pub(crate) struct Probe {
    /// Coefficient of each coded direction, in -127..=127.
    pub(crate) coefficients: Vec<i8>,
    /// The coefficients in pairs, each pair repeated for the sixteen rows of a block: the order
    /// in which the vector kernels meet them.
    pub(crate) pairs: Vec<[i8; 2 * BLOCK]>,
    /// Value of one integer unit.
    pub(crate) unit: f32,
    /// What is added to the integer sum: the centre of the codes.
    pub(crate) offset: f32,
    /// Coordinate along the first direction.
    pub(crate) first: f32,
    /// Factor of the row's residual.
    pub(crate) head: f32,
    /// Factor of the row's tail.
    pub(crate) tail: f32,
    /// Added per unit of the row's scale: everything rounded or quantised in the query.
    pub(crate) slack: f32,
}

impl Probe {
    /// Prepare a query; `None` if its norm is outside the coded range.
    pub(crate) fn new(path: Path, codes: &Codes, query: &[f32]) -> Option<Self> {
        let basis = codes.basis();
        let length = norm(query) * (1.0 + 1e-9);
        if !CODED_NORMS.contains(&length) {
            return None;
        }
        let mut coordinates = Vec::with_capacity(basis.head() + 1);
        basis.project(path, query, &mut coordinates);
        let seen = coordinates.iter().map(|p| f64::from(*p) * f64::from(*p)).sum::<f64>().sqrt();
        let error = basis.projection_error() * length;
        let wanted: Vec<f64> = coordinates[1..]
            .iter()
            .zip(basis.steps())
            .map(|(p, step)| f64::from(*p) * f64::from(*step))
            .collect();
        let unit = unit_of(&wanted);
        let coefficients: Vec<i8> = wanted.iter().map(|a| (a / unit).round() as i8).collect();
        let offset = -7.5 * unit * coefficients.iter().map(|k| f64::from(*k)).sum::<f64>();
        let missed = missed(&wanted, &coefficients, unit);
        let magnitude =
            15.0 * coefficients.iter().map(|k| f64::from(k.unsigned_abs())).sum::<f64>();
        let rounding = 1e-6 * (2.0 * length + unit * magnitude + offset.abs());
        let defect = basis.defect() * (1.0 + basis.defect());
        let slack = missed * codes.reach() + error * 1.01 + length * (defect + 2e-7) + rounding;
        Some(Self {
            pairs: pairs(&coefficients),
            coefficients,
            unit: unit as f32,
            offset: offset as f32,
            first: coordinates[0],
            head: upwards(seen + 3.0 * error + 1e-30),
            tail: upwards(tail(length, seen, error, basis.defect()) + 1e-30),
            slack: upwards(slack * 1.01),
        })
    }
}

/// The finest unit with which every coefficient and every chunk stays in range.
fn unit_of(wanted: &[f64]) -> f64 {
    let mut unit = wanted.iter().fold(0.0f64, |most, a| most.max(a.abs())) / 127.0;
    for chunk in wanted.chunks(CHUNK) {
        let positive: f64 = chunk.iter().map(|a| a.max(0.0)).sum();
        let negative: f64 = chunk.iter().map(|a| (-a).max(0.0)).sum();
        unit = unit.max(positive.max(negative) / CHUNK_SUM);
    }
    // The f32 nearest to the unit is the one that the kernels use.
    if unit > 1e-30 { f64::from((unit as f32).next_up()) } else { 1.0 }
}

/// Norm of what the integer coefficients leave out.
fn missed(wanted: &[f64], coefficients: &[i8], unit: f64) -> f64 {
    let lost = wanted.iter().zip(coefficients).map(|(a, k)| a - unit * f64::from(*k));
    lost.map(|e| e * e).sum::<f64>().sqrt() * (1.0 + 1e-9)
}

fn pairs(coefficients: &[i8]) -> Vec<[i8; 2 * BLOCK]> {
    coefficients
        .as_chunks::<2>()
        .0
        .iter()
        .map(|pair| std::array::from_fn(|at| pair[at % 2]))
        .collect()
}

/// An f32 with room for the roundings of the product it enters.
fn upwards(value: f64) -> f32 {
    ((value * (1.0 + 1e-6)) as f32).next_up()
}
