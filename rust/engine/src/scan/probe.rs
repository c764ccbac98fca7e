//! A query in the form in which the codes are compared with it.

use super::basis::FIRST_UNITS;
use super::bf16::widen;
use super::codes::{CODED_NORMS, Codes, tail};
use super::matrix::norm;
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
        let coordinates = basis.project_query(path, query);
        let chunks: Vec<Quantised> = coordinates
            .coded()
            .chunks(CHUNK)
            .zip(basis.steps().chunks(CHUNK))
            .map(|(values, steps)| Quantised::new(values, steps))
            .collect();
        let error = basis.query_error() * length;
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

    /// Estimate and upper bound of a row's cosine from both planes, given the estimate of the
    /// first and the row's scale.
    pub(crate) fn refine(&self, path: Path, record: &[u8], coarse: f32, scale: f32) -> (f32, f32) {
        let (nibbles, missed) = record.split_at(record.len() - 2);
        let sum = path.dot_nibbles(nibbles, &self.rest.coefficients) as f32;
        let estimate = coarse + scale * (self.rest.unit * sum + self.rest.offset);
        let missed = widen(u16::from_le_bytes([missed[0], missed[1]]));
        (estimate, estimate + scale * self.rest.slack + self.rest.missed * missed)
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
        let coefficients: Vec<i8> = wanted.iter().map(|a| (a / unit).round() as i8).collect();
        let lost = wanted.iter().zip(&coefficients).map(|(a, k)| a - unit * f64::from(*k));
        let missed = lost.map(|e| e * e).sum::<f64>().sqrt() * (1.0 + 1e-9);
        Self { coefficients, unit, missed }
    }

    /// What the integer sum is off by, because codes are not centred.
    fn centre(&self) -> f64 {
        -7.5 * self.unit * self.coefficients.iter().map(|k| f64::from(*k)).sum::<f64>()
    }

    /// More than any intermediate sum amounts to.
    fn magnitude(&self) -> f64 {
        let sum: f64 = self.coefficients.iter().map(|k| f64::from(k.unsigned_abs())).sum();
        24.0 * self.unit * sum
    }
}

/// The finest unit with which every coefficient, and the sum of a chunk, stay in range.
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

/// An f32 with room for the roundings of the product it enters.
fn upwards(value: f64) -> f32 {
    ((value * (1.0 + 1e-6)) as f32).next_up()
}
