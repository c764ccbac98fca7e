//! The directions in sixteen bits, for queries: half of the memory to read for each, and integer
//! sums, which no rounding touches.
//!
//! Let S be the rounded directions in units of u, and q^ the query in units of w. Then
//! |V q - S q^| <= |V - S| |q| + |S| |q - q^|, and S q^ is u w times the integer sums. By Cauchy and
//! Schwarz no part of such a sum exceeds the product of the integers' norms, which 32 bits hold.

use super::matrix::norm;
use crate::simd::Path;

/// Norm of a direction in its units; rounding adds at most half of the root of the dimension, 128.
const DIRECTION_NORM: f64 = 130_000.0;
/// Norm of a query in its units; as above, and together less than 2^31.
const QUERY_NORM: f64 = 16_200.0;

/// Directions rounded to whole multiples of one unit.
#[derive(Debug, Clone, Default)]
pub(super) struct Short {
    values: Vec<i16>,
    unit: f64,
    /// At least the spectral norm of what the rounding changed.
    error: f64,
}

impl Short {
    /// Round directions of `dim` values each.
    pub(super) fn new(directions: &[f32], dim: usize) -> Self {
        let most = directions.iter().fold(0.0f32, |most, value| most.max(value.abs()));
        let longest = directions.chunks_exact(dim).map(norm).fold(0.0, f64::max);
        let unit = (f64::from(most) / 32_767.0).max(longest / DIRECTION_NORM).max(1e-30);
        let values: Vec<i16> =
            directions.iter().map(|value| nearest(f64::from(*value) / unit) as i16).collect();
        let lost = |(value, short): (&f32, &i16)| {
            let off = f64::from(*value) - unit * f64::from(*short);
            off * off
        };
        let squares: f64 = directions.iter().zip(&values).map(lost).sum();
        Self { values, unit, error: squares.sqrt() * (1.0 + 1e-9) }
    }

    /// Coordinates of a query of norm `length`, and most by which they are off in Euclidean norm,
    /// where the spectral norm of the directions is at most `spread`.
    pub(super) fn project(
        &self,
        path: Path,
        query: &[f32],
        length: f64,
        spread: f64,
    ) -> (Vec<f32>, f64) {
        let unit = length / QUERY_NORM;
        let inverse = 1.0 / unit;
        let rounded: Vec<i16> =
            query.iter().map(|value| nearest(f64::from(*value) * inverse) as i16).collect();
        let missed: Vec<f32> = query
            .iter()
            .zip(&rounded)
            .map(|(value, short)| (f64::from(*value) - unit * f64::from(*short)) as f32)
            .collect();
        let sums = path.dots_short(&self.values, &rounded);
        let scale = self.unit * unit;
        let values = sums.into_iter().map(|sum| (scale * f64::from(sum)) as f32).collect();
        // One f32 rounding for each value of what was missed, and for each coordinate.
        let missed = norm(&missed) * (1.0 + 1e-6);
        let error = self.error * length + (spread + self.error) * (missed + 1e-7 * length);
        (values, error)
    }
}

/// The whole number nearest to one of at most 2^51: adding 1.5 * 2^52 leaves no room for a fraction.
pub(super) fn nearest(value: f64) -> f64 {
    const NO_FRACTION: f64 = 6_755_399_441_055_744.0;
    (value + NO_FRACTION) - NO_FRACTION
}

#[cfg(test)]
mod tests {
    use super::{Short, norm};
    use crate::simd::Path;

    #[test]
    fn a_projection_is_off_by_no_more_than_it_says() {
        for (dim, count) in [(1, 1), (15, 3), (64, 4), (100, 65), (384, 9)] {
            let noise = |at: usize| ((at * 7_919) % 1_009) as f32 / 504.5 - 1.0;
            let directions: Vec<f32> = (0..dim * count).map(|at| 1e-2 * noise(at)).collect();
            // The worst case for the sums: a query along a direction.
            let query: Vec<f32> = directions[..dim].iter().map(|value| 300.0 * value).collect();
            let (length, spread) = (norm(&query), norm(&directions));
            let short = Short::new(&directions, dim);
            for path in Path::available() {
                let (values, error) = short.project(path, &query, length, spread);
                let truth = directions.chunks_exact(dim).map(|v| path.dot_canonical(v, &query));
                let off: f64 =
                    values.iter().zip(truth).map(|(v, t)| (f64::from(*v) - t).powi(2)).sum();
                assert_eq!(values.len(), count);
                assert!(off.sqrt() <= error && error < 0.01 * length * spread);
                assert_eq!(values, short.project(Path::Portable, &query, length, spread).0);
            }
        }
    }
}
