//! Document lengths in one byte.
//!
//! Lengths up to 127 words are exact; longer ones keep five significant bits, so they are at most
//! 6 % too short. Every scorer, the exhaustive one included, sees the decoded length.

/// The code of a length, monotone in it.
pub fn encode(length: u32) -> u8 {
    if length < 128 {
        return length as u8;
    }
    let shift = 27 - length.leading_zeros();
    let code = 128 + (shift - 3) * 16 + (length >> shift) - 16;
    code.min(255) as u8
}

/// The length of a code: the least length that has it.
pub fn decode(code: u8) -> u32 {
    if code < 128 {
        return u32::from(code);
    }
    let (shift, mantissa) = (u32::from(code - 128) / 16 + 3, u32::from(code) % 16 + 16);
    mantissa << shift
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_monotone_and_near() {
        let mut before = 0;
        for length in 0..40_000 {
            let code = encode(length);
            assert!(code >= before);
            before = code;
            let decoded = decode(code);
            assert!(decoded <= length);
            assert!(length > 32_000 || f64::from(decoded) > f64::from(length) * 0.94 - 1.0);
            assert_eq!(encode(decoded), code);
        }
    }
}
