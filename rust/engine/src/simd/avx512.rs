//! AVX-512 with its byte and vector-length extensions and VNNI. What it has in common with the
//! kernels of AVX2 is said there.

use std::arch::x86_64::{
    __cpuid, __m256i, __m512, _CMP_GE_OQ, _mm_add_epi32, _mm_cvtsi128_si32, _mm_shuffle_epi32,
    _mm_unpackhi_epi64, _mm256_add_epi32, _mm256_and_si256, _mm256_andnot_si256,
    _mm256_castsi256_si128, _mm256_dpbusd_epi32, _mm256_extracti128_si256, _mm256_loadu_ps,
    _mm256_loadu_si256, _mm256_set1_epi8, _mm256_setzero_si256, _mm256_srai_epi32,
    _mm512_add_epi32, _mm512_add_ps, _mm512_and_si512, _mm512_andnot_si512, _mm512_castsi512_ps,
    _mm512_cmp_ps_mask, _mm512_cvtepi16_epi32, _mm512_cvtepi32_ps, _mm512_cvtepu16_epi32,
    _mm512_cvtps_pd, _mm512_dpbusd_epi32, _mm512_fmadd_pd, _mm512_fmadd_ps, _mm512_fnmadd_ps,
    _mm512_loadu_ps, _mm512_loadu_si512, _mm512_mask_storeu_ps, _mm512_maskz_loadu_ps,
    _mm512_max_ps, _mm512_mul_ps, _mm512_reduce_add_ps, _mm512_set1_epi8, _mm512_set1_epi32,
    _mm512_set1_ps, _mm512_setzero_pd, _mm512_setzero_ps, _mm512_setzero_si512, _mm512_slli_epi32,
    _mm512_srai_epi32, _mm512_storeu_pd, _mm512_storeu_ps,
};

use std::sync::OnceLock;

use super::portable::pairwise;
use super::{BlockBounds, BlockFloors};
use crate::rows::BLOCK;
use crate::scan::probe::{CHUNK, Probe};

/// Whether this is AMD's Zen 4, of its processors with AVX-512 the only one of family 25.
pub(super) fn is_zen4() -> bool {
    static FOUND: OnceLock<bool> = OnceLock::new();
    *FOUND.get_or_init(|| {
        let vendor = __cpuid(0);
        let version = __cpuid(1).eax;
        let family = (version >> 8 & 0xf) + (version >> 20 & 0xff);
        vendor.ebx.to_le_bytes() == *b"Auth" && family == 25
    })
}

/// See [`super::Path::dot_canonical`]: one register holds the eight lanes. The lanes past the end
/// add zero, which changes no sum that began at zero.
///
/// # Safety
/// The instructions of this path are present and both slices have the same length.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub(super) unsafe fn dot_canonical(left: &[f32], right: &[f32]) -> f64 {
    let (a, b) = (left.as_ptr(), right.as_ptr());
    let whole = left.len() / 8 * 8;
    let mut sum = _mm512_setzero_pd();
    let mut at = 0;
    while at < whole {
        // SAFETY: `at + 8 <= whole <= len` of both slices.
        let (x, y) = unsafe { (_mm256_loadu_ps(a.add(at)), _mm256_loadu_ps(b.add(at))) };
        sum = _mm512_fmadd_pd(_mm512_cvtps_pd(x), _mm512_cvtps_pd(y), sum);
        at += 8;
    }
    let mut lanes = [0.0f64; 8];
    // SAFETY: the array holds one register.
    unsafe { _mm512_storeu_pd(lanes.as_mut_ptr(), sum) };
    for lane in 0..left.len() - whole {
        lanes[lane] += f64::from(left[whole + lane]) * f64::from(right[whole + lane]);
    }
    pairwise(&lanes)
}

/// See [`super::Path::dot_f32`]: four accumulators of sixteen lanes.
///
/// # Safety
/// The instructions of this path are present and both slices have the same length.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub(super) unsafe fn dot_f32(left: &[f32], right: &[f32]) -> f32 {
    let (a, b) = (left.as_ptr(), right.as_ptr());
    let whole = left.len() / 64 * 64;
    let zero = _mm512_setzero_ps();
    let (mut s0, mut s1, mut s2, mut s3) = (zero, zero, zero, zero);
    let mut at = 0;
    while at < whole {
        // SAFETY: `at + 64 <= whole <= len` of both slices.
        unsafe {
            let (a, b) = (a.add(at), b.add(at));
            s0 = _mm512_fmadd_ps(_mm512_loadu_ps(a), _mm512_loadu_ps(b), s0);
            s1 = _mm512_fmadd_ps(_mm512_loadu_ps(a.add(16)), _mm512_loadu_ps(b.add(16)), s1);
            s2 = _mm512_fmadd_ps(_mm512_loadu_ps(a.add(32)), _mm512_loadu_ps(b.add(32)), s2);
            s3 = _mm512_fmadd_ps(_mm512_loadu_ps(a.add(48)), _mm512_loadu_ps(b.add(48)), s3);
        }
        at += 64;
    }
    while at < left.len() {
        let mask = lanes_left(left.len() - at);
        // SAFETY: the mask ends with the slices.
        unsafe {
            let (x, y) =
                (_mm512_maskz_loadu_ps(mask, a.add(at)), _mm512_maskz_loadu_ps(mask, b.add(at)));
            s0 = _mm512_fmadd_ps(x, y, s0);
        }
        at += 16;
    }
    _mm512_reduce_add_ps(_mm512_add_ps(_mm512_add_ps(s0, s1), _mm512_add_ps(s2, s3)))
}

/// A bit for each of sixteen lanes that `left` values fill.
#[inline]
fn lanes_left(left: usize) -> u16 {
    if left >= 16 { u16::MAX } else { (1 << left) - 1 }
}

/// See [`super::Path::subtract_scaled`].
///
/// # Safety
/// The instructions of this path are present and both slices have the same length.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub(super) unsafe fn subtract_scaled(target: &mut [f32], factor: f32, values: &[f32]) {
    let wide = _mm512_set1_ps(factor);
    let mut at = 0;
    while at < target.len() {
        let mask = lanes_left(target.len() - at);
        // SAFETY: the mask ends with the slices.
        unsafe {
            let x = _mm512_maskz_loadu_ps(mask, target.as_ptr().add(at));
            let y = _mm512_maskz_loadu_ps(mask, values.as_ptr().add(at));
            let less = _mm512_fnmadd_ps(wide, y, x);
            _mm512_mask_storeu_ps(target.as_mut_ptr().add(at), mask, less);
        }
        at += 16;
    }
}

/// See [`super::Path::bound_block`].
///
/// # Safety
/// The instructions of this path are present, the block has eight bytes for each coefficient of
/// every probe and 128 more, and there are 16 weights.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub(super) unsafe fn bound_block<const Q: usize>(
    block: &[u8],
    weights: &[u16],
    probes: [&Probe; Q],
    floors: &[BlockFloors; Q],
    out: &mut [BlockBounds; Q],
) -> [u16; Q] {
    let nibbles = probes[0].coefficients.len() / 2 * BLOCK;
    // SAFETY: the block holds eight bytes for each coefficient.
    let sums = unsafe { inner_sums(block.as_ptr(), probes) };
    // SAFETY: four columns of sixteen halves follow the nibbles.
    let column = |at: usize| unsafe { halves(block.as_ptr().add(nibbles + at * 2 * BLOCK)) };
    // SAFETY: there are sixteen weights.
    let most = unsafe { widen(halves(weights.as_ptr().cast())) };
    let (scale, residual, tail) = (widen(column(0)), widen(column(2)), widen(column(3)));
    let first = _mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(column(1)));
    let mut passed = [0u16; Q];
    let mut at = 0;
    while at < Q {
        let (probe, floors) = (probes[at], &floors[at]);
        let inner = _mm512_fmadd_ps(_mm512_set1_ps(probe.first), first, sums[at]);
        let estimate = _mm512_mul_ps(scale, inner);
        let slack = _mm512_fmadd_ps(scale, _mm512_set1_ps(probe.slack), estimate);
        let slack = _mm512_fmadd_ps(_mm512_set1_ps(probe.residual), residual, slack);
        let cosine = _mm512_fmadd_ps(_mm512_set1_ps(probe.tail), tail, slack);
        let bound = if floors.by_cosine {
            cosine
        } else {
            _mm512_mul_ps(_mm512_max_ps(cosine, _mm512_setzero_ps()), most)
        };
        // SAFETY: both arrays hold sixteen floats.
        unsafe {
            _mm512_storeu_ps(out[at].estimate.as_mut_ptr(), estimate);
            _mm512_storeu_ps(out[at].bound.as_mut_ptr(), bound);
        }
        passed[at] = at_least(bound, floors.score)
            & at_least(cosine, floors.cosine)
            & at_least(most, floors.weight);
        at += 1;
    }
    passed
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn at_least(values: __m512, floor: f32) -> u16 {
    _mm512_cmp_ps_mask::<_CMP_GE_OQ>(values, _mm512_set1_ps(floor))
}

/// Sixteen halves.
///
/// # Safety
/// Thirty-two bytes can be read.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
unsafe fn halves(from: *const u8) -> __m256i {
    // SAFETY: promised by the caller.
    unsafe { _mm256_loadu_si256(from.cast()) }
}

/// Sixteen bf16 values as f32.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn widen(halves: __m256i) -> __m512 {
    _mm512_castsi512_ps(_mm512_slli_epi32::<16>(_mm512_cvtepu16_epi32(halves)))
}

/// Inner products of the queries' coded parts with the codes of sixteen rows. The high nibbles stay
/// where they are, so their sums are sixteen times too large, exactly.
///
/// # Safety
/// 64 bytes can be read for every eight coefficients; every probe has as many coefficients as the
/// first.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
unsafe fn inner_sums<const Q: usize>(nibbles: *const u8, probes: [&Probe; Q]) -> [__m512; Q] {
    const GROUPS: usize = CHUNK / 8;
    let mask = _mm512_set1_epi8(15);
    let mut sums = [_mm512_setzero_ps(); Q];
    let mut at = 0;
    while at < Q {
        sums[at] = _mm512_set1_ps(probes[at].offset);
        at += 1;
    }
    let mut chunk = 0;
    while chunk < probes[0].units.len() {
        let mut lows = [_mm512_setzero_si512(); Q];
        let mut highs = [_mm512_setzero_si512(); Q];
        let mut group = chunk * GROUPS;
        while group < (chunk + 1) * GROUPS {
            // SAFETY: a group owns 64 bytes of codes.
            let both = unsafe { _mm512_loadu_si512(nibbles.add(group * 4 * BLOCK).cast()) };
            let low = _mm512_and_si512(both, mask);
            let high = _mm512_andnot_si512(mask, both);
            at = 0;
            while at < Q {
                // SAFETY: a group owns eight coefficients.
                let (first, second) = unsafe {
                    let quads = probes[at].coefficients.as_ptr().cast::<i32>().add(2 * group);
                    (quads.read_unaligned(), quads.add(1).read_unaligned())
                };
                lows[at] = _mm512_dpbusd_epi32(lows[at], low, _mm512_set1_epi32(first));
                highs[at] = _mm512_dpbusd_epi32(highs[at], high, _mm512_set1_epi32(second));
                at += 1;
            }
            group += 1;
        }
        at = 0;
        while at < Q {
            let part = _mm512_add_epi32(lows[at], _mm512_srai_epi32::<4>(highs[at]));
            let unit = _mm512_set1_ps(probes[at].units[chunk]);
            sums[at] = _mm512_fmadd_ps(unit, _mm512_cvtepi32_ps(part), sums[at]);
            at += 1;
        }
        chunk += 1;
    }
    sums
}

/// See [`super::Path::dot_nibbles`].
///
/// # Safety
/// The instructions of this path are present; 64 coefficients belong to 32 bytes of codes.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub(super) unsafe fn dot_nibbles(nibbles: &[u8], coefficients: &[i8]) -> i32 {
    let mask = _mm256_set1_epi8(15);
    let (mut lows, mut highs) = (_mm256_setzero_si256(), _mm256_setzero_si256());
    let mut group = 0;
    while group < nibbles.len() / 32 {
        // SAFETY: the group owns 32 bytes of codes and 64 coefficients.
        let (codes, low, high) = unsafe {
            (
                _mm256_loadu_si256(nibbles.as_ptr().add(group * 32).cast()),
                _mm256_loadu_si256(coefficients.as_ptr().add(group * 64).cast()),
                _mm256_loadu_si256(coefficients.as_ptr().add(group * 64 + 32).cast()),
            )
        };
        lows = _mm256_dpbusd_epi32(lows, _mm256_and_si256(codes, mask), low);
        highs = _mm256_dpbusd_epi32(highs, _mm256_andnot_si256(mask, codes), high);
        group += 1;
    }
    let total = _mm256_add_epi32(lows, _mm256_srai_epi32::<4>(highs));
    let half = _mm_add_epi32(_mm256_castsi256_si128(total), _mm256_extracti128_si256::<1>(total));
    let half = _mm_add_epi32(half, _mm_unpackhi_epi64(half, half));
    _mm_cvtsi128_si32(_mm_add_epi32(half, _mm_shuffle_epi32::<1>(half)))
}
