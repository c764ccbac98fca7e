//! Advanced SIMD of 64-bit ARM. Fusing is exact for the canonical kernels, as on x86.

use std::arch::aarch64::{
    float32x4_t, float64x2_t, vaddq_f32, vcvt_f64_f32, vcvt_high_f64_f32, vdupq_n_f32, vdupq_n_f64,
    vfmaq_f32, vfmaq_f64, vget_low_f32, vld1q_f32, vst1q_f32, vst1q_f64,
};

use super::portable::pairwise;

/// See [`super::Path::dot_canonical`].
///
/// # Safety
/// NEON is present and both slices have the same length.
#[target_feature(enable = "neon")]
pub(super) unsafe fn dot_canonical(left: &[f32], right: &[f32]) -> f64 {
    let whole = left.len() / 8 * 8;
    let mut sums: [float64x2_t; 4] = [vdupq_n_f64(0.0); 4];
    for at in (0..whole).step_by(8) {
        for half in 0..2 {
            let offset = at + half * 4;
            // SAFETY: `at + 8 <= whole <= len` of both slices.
            let (a, b): (float32x4_t, float32x4_t) = unsafe {
                (vld1q_f32(left.as_ptr().add(offset)), vld1q_f32(right.as_ptr().add(offset)))
            };
            let low = (vcvt_f64_f32(vget_low_f32(a)), vcvt_f64_f32(vget_low_f32(b)));
            sums[half * 2] = vfmaq_f64(sums[half * 2], low.0, low.1);
            let high = (vcvt_high_f64_f32(a), vcvt_high_f64_f32(b));
            sums[half * 2 + 1] = vfmaq_f64(sums[half * 2 + 1], high.0, high.1);
        }
    }
    let mut lanes = [0.0f64; 8];
    for (pair, sum) in sums.into_iter().enumerate() {
        // SAFETY: the array holds four registers of two doubles.
        unsafe { vst1q_f64(lanes.as_mut_ptr().add(pair * 2), sum) };
    }
    for lane in 0..left.len() - whole {
        lanes[lane] += f64::from(left[whole + lane]) * f64::from(right[whole + lane]);
    }
    pairwise(&lanes)
}

/// See [`super::Path::dot_f32`]: four accumulators of four lanes, the rest one by one.
///
/// # Safety
/// NEON is present and both slices have the same length.
#[target_feature(enable = "neon")]
pub(super) unsafe fn dot_f32(left: &[f32], right: &[f32]) -> f32 {
    let whole = left.len() / 16 * 16;
    let mut sums = [vdupq_n_f32(0.0); 4];
    for at in (0..whole).step_by(16) {
        for (lane, sum) in sums.iter_mut().enumerate() {
            let offset = at + lane * 4;
            // SAFETY: `at + 16 <= whole <= len` of both slices.
            let (x, y) = unsafe {
                (vld1q_f32(left.as_ptr().add(offset)), vld1q_f32(right.as_ptr().add(offset)))
            };
            *sum = vfmaq_f32(*sum, x, y);
        }
    }
    let total = vaddq_f32(vaddq_f32(sums[0], sums[1]), vaddq_f32(sums[2], sums[3]));
    let mut lanes = [0.0f32; 4];
    // SAFETY: the array holds one register of four floats.
    unsafe { vst1q_f32(lanes.as_mut_ptr(), total) };
    let mut sum: f32 = lanes.iter().sum();
    for at in whole..left.len() {
        sum += left[at] * right[at];
    }
    sum
}
