//! A deterministic exponential for arguments that are not positive.
//!
//! The platform's `exp` differs between C libraries in the last bit, and scores must not depend
//! on the machine. Range reduction by the two-part logarithm of Cody and Waite (1980), then the
//! Taylor polynomial of degree 13 by Horner's rule on |r| <= ln(2)/2, whose remainder is below
//! 5e-18. Every operation is one correctly rounded f64 operation, never fused, so that the numpy
//! twin (`core/reference/exp.py`) agrees bit for bit.

const LOG2_E: f64 = std::f64::consts::LOG2_E;
/// The upper 33 bits of ln 2: its product with any exponent used here is exact.
const LN2_HI: f64 = 6.931_471_803_691_238e-1;
const LN2_LO: f64 = 1.908_214_929_270_587_7e-10;
/// Below this the result is under the smallest normal number; it is defined as zero.
pub(crate) const UNDERFLOW: f64 = -708.0;

/// Coefficients 1/13!, 1/12!, ..., 1/1!, 1/0!, each the quotient of two exact f64 integers.
const TAYLOR: [f64; 14] = [
    1.0 / 6_227_020_800.0,
    1.0 / 479_001_600.0,
    1.0 / 39_916_800.0,
    1.0 / 3_628_800.0,
    1.0 / 362_880.0,
    1.0 / 40_320.0,
    1.0 / 5_040.0,
    1.0 / 720.0,
    1.0 / 120.0,
    1.0 / 24.0,
    1.0 / 6.0,
    1.0 / 2.0,
    1.0,
    1.0,
];

/// Return `e^x` for `x <= 0`; zero below -708.
#[must_use]
pub fn exp_nonpositive(x: f64) -> f64 {
    if x.is_nan() || x <= UNDERFLOW {
        return 0.0;
    }
    let n = (x * LOG2_E + 0.5).floor();
    let r = (x - n * LN2_HI) - n * LN2_LO;
    let mut sum = TAYLOR[0];
    for &coefficient in &TAYLOR[1..] {
        sum = sum * r + coefficient;
    }
    sum * power_of_two(n)
}

/// `2^n` for a whole `n` in -1022..=1023.
fn power_of_two(n: f64) -> f64 {
    f64::from_bits(((n as i64 + 1023) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::exp_nonpositive;

    #[test]
    fn is_exact_at_zero_and_at_the_end_of_the_range() {
        assert_eq!(exp_nonpositive(0.0), 1.0);
        assert_eq!(exp_nonpositive(-0.0), 1.0);
        assert_eq!(exp_nonpositive(-708.5), 0.0);
        assert_eq!(exp_nonpositive(f64::NEG_INFINITY), 0.0);
    }

    #[test]
    fn stays_within_two_units_in_the_last_place() {
        let mut x = 0.0;
        while x > -707.0 {
            let (got, want) = (exp_nonpositive(x), x.exp());
            assert!((got - want).abs() <= 2.0 * f64::EPSILON * want, "{x}: {got} {want}");
            x -= 0.037;
        }
    }
}
