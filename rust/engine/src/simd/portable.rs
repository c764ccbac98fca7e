//! The kernels in plain Rust: the definition that the other paths are tested against.

/// See [`super::Path::dot_canonical`].
pub(super) fn dot_canonical(left: &[f32], right: &[f32]) -> f64 {
    let mut lanes = [0.0f64; 8];
    let (left_blocks, left_rest) = left.as_chunks::<8>();
    let (right_blocks, right_rest) = right.as_chunks::<8>();
    for (a, b) in left_blocks.iter().zip(right_blocks) {
        for lane in 0..8 {
            lanes[lane] += f64::from(a[lane]) * f64::from(b[lane]);
        }
    }
    for (lane, (a, b)) in left_rest.iter().zip(right_rest).enumerate() {
        lanes[lane] += f64::from(*a) * f64::from(*b);
    }
    pairwise(&lanes)
}

/// Add eight lanes pairwise: ((0+1)+(2+3)) + ((4+5)+(6+7)).
pub(super) fn pairwise(lanes: &[f64; 8]) -> f64 {
    ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3]))
        + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]))
}

/// See [`super::Path::dot_f32`]: sixteen lanes, the rest one by one.
pub(super) fn dot_f32(left: &[f32], right: &[f32]) -> f32 {
    let mut lanes = [0.0f32; 16];
    let (left_blocks, left_rest) = left.as_chunks::<16>();
    let (right_blocks, right_rest) = right.as_chunks::<16>();
    for (a, b) in left_blocks.iter().zip(right_blocks) {
        for lane in 0..16 {
            lanes[lane] += a[lane] * b[lane];
        }
    }
    let mut sum: f32 = lanes.iter().sum();
    for (a, b) in left_rest.iter().zip(right_rest) {
        sum += a * b;
    }
    sum
}
