//! Sparse distributed codes: the k strongest of N units of a seeded projection.
//!
//! The projection is a pseudo-random rotation: the vector is padded to a power of two and goes
//! twice through random signs and the Walsh-Hadamard transform (Ailon and Chazelle 2006), once for
//! every block of units. It acts like a dense Gaussian matrix at a fraction of the work, and needs
//! only additions in f64 in a fixed order, so every platform and the numpy twin agree bit for bit.

use std::cmp::Ordering;

use crate::EngineError;
use crate::scan::check_vectors;

/// Marks a place without a unit: the code of a zero vector has none.
pub const NO_UNIT: u32 = u32::MAX;

/// The encoder.
#[derive(Debug, Clone)]
pub struct SdrEncoder {
    dim: usize,
    units: usize,
    active: usize,
    width: usize,
    /// Two rows of signs for each block of `width` units.
    signs: Vec<Vec<f64>>,
}

impl SdrEncoder {
    /// An encoder of `dim` components into `active` of `units` units.
    ///
    /// # Errors
    /// `Parameter` unless `1 <= active <= units <= 2^20` and `1 <= dim <= 65536`.
    pub fn new(dim: usize, units: usize, active: usize, seed: u64) -> Result<Self, EngineError> {
        if !(1..=65_536).contains(&dim) || !(1..=1 << 20).contains(&units) {
            let what = format!("dim and units are out of range: {dim}, {units}");
            return Err(EngineError::Parameter { what });
        }
        if !(1..=units).contains(&active) {
            let what = format!("active units must lie in 1..={units}, got {active}");
            return Err(EngineError::Parameter { what });
        }
        let width = dim.next_power_of_two();
        let blocks = units.div_ceil(width);
        let mut state = seed;
        let mut row = || (0..width).map(|_| sign(&mut state)).collect();
        let signs = (0..2 * blocks).map(|_| row()).collect();
        Ok(Self { dim, units, active, width, signs })
    }

    /// Encode consecutive vectors into `active` ascending unit numbers each; a zero vector gives
    /// [`NO_UNIT`] everywhere. Ties go to the lower unit.
    ///
    /// # Errors
    /// `Length` if the vectors are no multiple of `dim`, `NotFinite` for NaN or infinite values.
    pub fn encode(&self, vectors: &[f32]) -> Result<Vec<u32>, EngineError> {
        if !vectors.len().is_multiple_of(self.dim) {
            let expected = vectors.len().next_multiple_of(self.dim);
            return Err(EngineError::Length { what: "vectors", expected, got: vectors.len() });
        }
        check_vectors("vectors", vectors, self.dim)?;
        let mut codes = Vec::with_capacity(vectors.len() / self.dim * self.active);
        let mut responses = vec![0.0; self.signs.len() / 2 * self.width];
        for vector in vectors.chunks_exact(self.dim) {
            if vector.iter().all(|&x| x == 0.0) {
                codes.resize(codes.len() + self.active, NO_UNIT);
                continue;
            }
            self.project(vector, &mut responses);
            codes.extend(strongest(&responses[..self.units], self.active));
        }
        Ok(codes)
    }

    fn project(&self, vector: &[f32], responses: &mut [f64]) {
        for (block, signs) in responses.chunks_exact_mut(self.width).zip(self.signs.chunks_exact(2))
        {
            block.fill(0.0);
            for ((x, &component), sign) in block.iter_mut().zip(vector).zip(&signs[0]) {
                *x = f64::from(component) * sign;
            }
            hadamard(block);
            block.iter_mut().zip(&signs[1]).for_each(|(x, sign)| *x *= sign);
            hadamard(block);
        }
    }
}

/// The numbers of the `active` largest responses, ascending.
fn strongest(responses: &[f64], active: usize) -> Vec<u32> {
    let mut units: Vec<u32> = (0..responses.len() as u32).collect();
    let response = |unit: &u32| responses[*unit as usize];
    let stronger = |a: &u32, b: &u32| {
        // Responses are finite, and the two zeros tie.
        response(b).partial_cmp(&response(a)).unwrap_or(Ordering::Equal).then(a.cmp(b))
    };
    if active < units.len() {
        units.select_nth_unstable_by(active - 1, stronger);
        units.truncate(active);
    }
    units.sort_unstable();
    units
}

/// The Walsh-Hadamard transform in place, not scaled; the length is a power of two.
fn hadamard(values: &mut [f64]) {
    let mut half = 1;
    while half < values.len() {
        for pair in values.chunks_exact_mut(2 * half) {
            let (left, right) = pair.split_at_mut(half);
            for (x, y) in left.iter_mut().zip(right) {
                (*x, *y) = (*x + *y, *x - *y);
            }
        }
        half *= 2;
    }
}

/// One random sign (SplitMix64).
fn sign(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut x = *state;
    x = (x ^ x >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    if (x ^ x >> 31) >> 63 == 1 { -1.0 } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_vectors_share_units_and_others_do_not() {
        let encoder = SdrEncoder::new(100, 2_048, 41, 29).expect("valid");
        let mut state = 5;
        let base: Vec<f32> =
            (0..100).map(|_| (0..8).map(|_| sign(&mut state) as f32).sum()).collect();
        let near: Vec<f32> = base.iter().map(|x| x + 0.3 * sign(&mut state) as f32).collect();
        let other: Vec<f32> =
            base.iter().map(|_| (0..8).map(|_| sign(&mut state) as f32).sum()).collect();
        let codes = encoder.encode(&[base, near, other].concat()).expect("finite");
        let (base, rest) = codes.split_at(41);
        let shared = |code: &[u32]| code.iter().filter(|unit| base.contains(unit)).count();
        assert!(shared(&rest[..41]) > 25, "{}", shared(&rest[..41]));
        assert!(shared(&rest[41..]) < 8, "{}", shared(&rest[41..]));
        assert!(base.is_sorted());
    }

    #[test]
    fn scale_does_not_matter_and_zero_has_no_code() {
        let encoder = SdrEncoder::new(3, 16, 4, 1).expect("valid");
        let codes =
            encoder.encode(&[1.0, -2.0, 0.5, 2.0, -4.0, 1.0, 0.0, 0.0, 0.0]).expect("finite");
        assert_eq!(codes[..4], codes[4..8]);
        assert_eq!(codes[8..], [NO_UNIT; 4]);
        assert!(encoder.encode(&[1.0]).is_err() && encoder.encode(&[f32::NAN, 0.0, 0.0]).is_err());
    }

    #[test]
    fn parameters_are_checked() {
        for (dim, units, active) in [(0, 8, 2), (8, 0, 2), (8, 8, 0), (8, 8, 9), (70_000, 8, 2)] {
            assert!(SdrEncoder::new(dim, units, active, 0).is_err());
        }
    }
}
