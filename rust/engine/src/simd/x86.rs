//! AVX2 with fused multiply-add.
//!
//! The canonical kernels may fuse: a product of two f32 values is exact in f64, so fusing it with
//! the addition rounds exactly as often as the definition does.

use std::arch::x86_64::{
    __m256d, _mm_loadu_ps, _mm256_add_ps, _mm256_cvtps_pd, _mm256_fmadd_pd, _mm256_fmadd_ps,
    _mm256_loadu_ps, _mm256_setzero_pd, _mm256_setzero_ps, _mm256_storeu_pd, _mm256_storeu_ps,
};

use super::portable::pairwise;

/// See [`super::Path::dot_canonical`].
///
/// # Safety
/// AVX2 and FMA are present and both slices have the same length.
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn dot_canonical(left: &[f32], right: &[f32]) -> f64 {
    let whole = left.len() / 8 * 8;
    let (a, b) = (left.as_ptr(), right.as_ptr());
    let mut low = _mm256_setzero_pd();
    let mut high = _mm256_setzero_pd();
    for at in (0..whole).step_by(8) {
        // SAFETY: `at + 8 <= whole <= len` of both slices.
        unsafe {
            low = fused(a.add(at), b.add(at), low);
            high = fused(a.add(at + 4), b.add(at + 4), high);
        }
    }
    let mut lanes = [0.0f64; 8];
    // SAFETY: the array holds two registers of four doubles.
    unsafe {
        _mm256_storeu_pd(lanes.as_mut_ptr(), low);
        _mm256_storeu_pd(lanes.as_mut_ptr().add(4), high);
    }
    for lane in 0..left.len() - whole {
        lanes[lane] += f64::from(left[whole + lane]) * f64::from(right[whole + lane]);
    }
    pairwise(&lanes)
}

/// `sum + a[0..4] * b[0..4]` in f64.
///
/// # Safety
/// AVX2 and FMA are present and four floats can be read from both pointers.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn fused(a: *const f32, b: *const f32, sum: __m256d) -> __m256d {
    // SAFETY: promised by the caller.
    let (a, b) = unsafe { (_mm_loadu_ps(a), _mm_loadu_ps(b)) };
    _mm256_fmadd_pd(_mm256_cvtps_pd(a), _mm256_cvtps_pd(b), sum)
}

/// See [`super::Path::dot_f32`]: four accumulators of eight lanes, the rest one by one.
///
/// # Safety
/// AVX2 and FMA are present and both slices have the same length.
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn dot_f32(left: &[f32], right: &[f32]) -> f32 {
    let (a, b) = (left.as_ptr(), right.as_ptr());
    let whole = left.len() / 32 * 32;
    let mut sums = [_mm256_setzero_ps(); 4];
    for at in (0..whole).step_by(32) {
        for (lane, sum) in sums.iter_mut().enumerate() {
            let offset = at + lane * 8;
            // SAFETY: `at + 32 <= whole <= len` of both slices.
            let (x, y) =
                unsafe { (_mm256_loadu_ps(a.add(offset)), _mm256_loadu_ps(b.add(offset))) };
            *sum = _mm256_fmadd_ps(x, y, *sum);
        }
    }
    let total = _mm256_add_ps(_mm256_add_ps(sums[0], sums[1]), _mm256_add_ps(sums[2], sums[3]));
    let mut lanes = [0.0f32; 8];
    // SAFETY: the array holds one register of eight floats.
    unsafe { _mm256_storeu_ps(lanes.as_mut_ptr(), total) };
    let mut sum: f32 = lanes.iter().sum();
    for at in whole..left.len() {
        sum += left[at] * right[at];
    }
    sum
}
