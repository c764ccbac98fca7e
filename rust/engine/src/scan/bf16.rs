//! The upper half of an f32: range of f32, eight bits of precision, half of the memory.

/// One.
pub(super) const ONE: u16 = 0x3f80;

/// Nearest value, ties away from zero.
pub(super) fn nearest(value: f32) -> u16 {
    ((value.to_bits() + 0x8000) >> 16) as u16
}

/// Least value that is not below a non-negative one.
pub(super) fn above(value: f32) -> u16 {
    (value.to_bits().div_ceil(1 << 16)) as u16
}

/// The value as f32, exactly.
pub(crate) fn widen(half: u16) -> f32 {
    f32::from_bits(u32::from(half) << 16)
}

#[cfg(test)]
mod tests {
    use super::{above, nearest, widen};

    #[test]
    fn rounding_up_is_never_below_and_close() {
        for value in [0.0f32, 1e-30, 0.1, 0.3, 1.0, 1.00001, 7e8] {
            let up = widen(above(value));
            assert!(up >= value && up <= value * 1.008, "{value} {up}");
        }
        assert_eq!(widen(above(f32::INFINITY)), f32::INFINITY);
    }

    #[test]
    fn nearest_is_within_half_a_step() {
        for value in [0.0f32, -0.3, 0.3, 1.0, 123.456] {
            assert!((widen(nearest(value)) - value).abs() <= value.abs() / 256.0);
        }
    }
}
