//! A query in the form in which the codes are compared with it.

use super::basis::FIRST_UNITS;
use super::bf16::widen;
use super::codes::{CODED_NORMS, Codes, tail};
use super::matrix::norm;
use super::short::nearest;
use crate::simd::Path;

/// Directions summed in 16 bits before they are widened.
pub(crate) const CHUNK: usize = 32;
/// Most that the positive or the negative coefficients of a chunk may add up to: 15 times it,
/// roundings of the coefficients included, fits 16 bits.
const CHUNK_SUM: f64 = 2_160.0;

/// Integer coefficients and the factors of the bounds, see [`super`].
#[derive(Debug)]
pub(crate) struct Probe {
    /// Coefficients of the directions.
    pub(crate) coefficients: Vec<i8>,
    /// Value of one unit of the integer sum of each chunk.
    pub(crate) units: Vec<f32>,
    /// What is added to the chunks' sums: the centre of the codes.
    pub(crate) offset: f32,
    /// Factor of a row's first coordinate, in its units.
    pub(crate) first: f32,
    /// Factor of a row's residual.
    pub(crate) residual: f32,
    /// Factor of a row's tail.
    pub(crate) tail: f32,
    /// Factor of a row's scale: everything rounded or quantised in the query.
    pub(crate) slack: f32,
    rest: Rest,
}

/// The query's side of the second plane.
#[derive(Debug)]
struct Rest {
    coefficients: Vec<i8>,
    unit: f32,
    offset: f32,
    /// Factor of what both planes miss.
    missed: f32,
    slack: f32,
}

impl Probe {
    /// Prepare a query; `None` if its norm is outside the coded range.
    pub(crate) fn new(path: Path, codes: &Codes, query: &[f32]) -> Option<Self> {
        let basis = codes.basis();
        let length = norm(query) * (1.0 + 1e-9);
        if !CODED_NORMS.contains(&length) {
            return None;
        }
        let (coordinates, error) = basis.project_query(path, query, length);
        let chunks: Vec<Quantised> = coordinates
            .coded()
            .chunks(CHUNK)
            .zip(basis.steps().chunks(CHUNK))
            .map(|(values, steps)| Quantised::new(values, steps))
            .collect();
        let seen = coordinates.norm();
        let magnitude: f64 = chunks.iter().map(Quantised::magnitude).sum();
        let missed: f64 =
            chunks.iter().zip(&codes.reach().chunks).map(|(c, reach)| c.missed * reach).sum();
        let defect = basis.defect() * (1.0 + basis.defect());
        let first = f64::from(coordinates.first());
        let slack = missed
            + first.abs() * (0.52 / FIRST_UNITS + basis.projection_error() * 1.01)
            // A code reaches at most half of the steps beyond its row: less than 1.2 scales.
            + error * 1.3
            + length * (defect + 3e-6)
            + 1e-6 * magnitude;
        let coefficients: Vec<i8> =
            chunks.iter().flat_map(|chunk| &chunk.coefficients).copied().collect();
        Some(Self {
            coefficients,
            units: chunks.iter().map(|chunk| chunk.unit as f32).collect(),
            offset: chunks.iter().map(Quantised::centre).sum::<f64>() as f32,
            first: (first / FIRST_UNITS) as f32,
            residual: upwards(coordinates.coded_norm() + 3.0 * error + 1e-30),
            tail: upwards(tail(length, seen, error, basis.defect()) + 1e-30),
            slack: upwards(slack * 1.01),
            rest: Rest::new(codes, query, length, slack),
        })
    }

    /// Estimate and upper bound of the cosine of a slot's row from both planes, given the estimate of
    /// the first and the row's scale.
    pub(crate) fn refine(
        &self,
        path: Path,
        codes: &Codes,
        slot: usize,
        coarse: f32,
        scale: f32,
    ) -> (f32, f32) {
        let sum = path.dot_nibbles(codes.record(slot), &self.rest.coefficients) as f32;
        let estimate = coarse + scale * (self.rest.unit * sum + self.rest.offset);
        let missed = self.rest.missed * widen(codes.missed()[slot]);
        (estimate, estimate + scale * self.rest.slack + missed)
    }
}

impl Rest {
    /// `slack` is that of the first plane.
    fn new(codes: &Codes, query: &[f32], length: f64, slack: f64) -> Self {
        let mut values = query.to_vec();
        values.resize(codes.basis().rest_steps().len(), 0.0);
        let all = Quantised::new(&values, codes.basis().rest_steps());
        let slack = slack + all.missed * codes.reach().rest + 1e-6 * all.magnitude();
        Self {
            unit: all.unit as f32,
            offset: all.centre() as f32,
            missed: upwards(length),
            slack: upwards(slack * 1.01),
            coefficients: all.coefficients,
        }
    }
}

/// Part of a query in integers.
struct Quantised {
    coefficients: Vec<i8>,
    unit: f64,
    /// Norm of what the integers leave out.
    missed: f64,
}

impl Quantised {
    fn new(values: &[f32], steps: &[f32]) -> Self {
        let products = values.iter().zip(steps);
        let wanted: Vec<f64> = products.map(|(p, step)| f64::from(*p) * f64::from(*step)).collect();
        let unit = unit_of(&wanted);
        let inverse = 1.0 / unit;
        let coefficients: Vec<i8> = wanted.iter().map(|a| nearest(a * inverse) as i8).collect();
        let mut lanes = [0.0f64; 4];
        let (wanted, _) = wanted.as_chunks::<4>();
        let (rounded, _) = coefficients.as_chunks::<4>();
        for (wanted, rounded) in wanted.iter().zip(rounded) {
            for lane in 0..4 {
                let lost = wanted[lane] - unit * f64::from(rounded[lane]);
                lanes[lane] += lost * lost;
            }
        }
        let missed = lanes.into_iter().sum::<f64>().sqrt() * (1.0 + 1e-9);
        Self { coefficients, unit, missed }
    }

    /// What the integer sum is off by, because codes are not centred.
    fn centre(&self) -> f64 {
        let sum: i32 = self.coefficients.iter().map(|k| i32::from(*k)).sum();
        -7.5 * self.unit * f64::from(sum)
    }

    /// More than any intermediate sum amounts to.
    fn magnitude(&self) -> f64 {
        let sum: i32 = self.coefficients.iter().map(|k| i32::from(k.unsigned_abs())).sum();
        24.0 * self.unit * f64::from(sum)
    }
}

/// The finest unit with which every coefficient, and the sum of a chunk, stay in range.
fn unit_of(wanted: &[f64]) -> f64 {
    let (mut most, mut largest) = ([0.0f64; 4], 0.0f64);
    for chunk in wanted.chunks(CHUNK) {
        let (mut positive, mut negative) = ([0.0f64; 4], [0.0f64; 4]);
        for four in chunk.as_chunks::<4>().0 {
            for lane in 0..4 {
                most[lane] = most[lane].max(four[lane].abs());
                positive[lane] += four[lane].max(0.0);
                negative[lane] -= four[lane].min(0.0);
            }
        }
        let sum = |lanes: [f64; 4]| lanes.into_iter().sum::<f64>();
        largest = largest.max(sum(positive)).max(sum(negative));
    }
    let most = most.into_iter().fold(0.0, f64::max);
    let unit = (most / 127.0).max(largest / CHUNK_SUM);
    // The f32 nearest to the unit is the one that the kernels use.
    if unit > 1e-30 { f64::from((unit as f32).next_up()) } else { 1.0 }
}

/// An f32 with room for the roundings of the product it enters.
fn upwards(value: f64) -> f32 {
    ((value * (1.0 + 1e-6)) as f32).next_up()
}
