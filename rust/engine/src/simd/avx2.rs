//! AVX2 with fused multiply-add.
//!
//! The canonical kernels may fuse: a product of two f32 values is exact in f64, so fusing it with
//! the addition rounds exactly as often as the definition does.
//!
//! Hot loops are spelt out with counters: iterator adaptors are not inlined into functions with
//! target features, and a call in a loop spills every vector register.

use std::arch::x86_64::{
    __m128i, __m256, __m256d, __m256i, _CMP_GE_OQ, _MM_HINT_T0, _mm_add_epi32, _mm_add_ps,
    _mm_add_ss, _mm_cvtsi128_si32, _mm_cvtss_f32, _mm_loadu_ps, _mm_loadu_si128, _mm_movehdup_ps,
    _mm_movehl_ps, _mm_prefetch, _mm_shuffle_epi32, _mm_unpackhi_epi64, _mm256_add_epi16,
    _mm256_add_epi32, _mm256_add_ps, _mm256_and_ps, _mm256_and_si256, _mm256_castps256_ps128,
    _mm256_castsi256_ps, _mm256_castsi256_si128, _mm256_cmp_ps, _mm256_cmpeq_epi32,
    _mm256_cvtepi16_epi32, _mm256_cvtepi32_ps, _mm256_cvtepu16_epi32, _mm256_cvtps_pd,
    _mm256_extractf128_ps, _mm256_extracti128_si256, _mm256_fmadd_pd, _mm256_fmadd_ps,
    _mm256_fnmadd_ps, _mm256_loadu_ps, _mm256_loadu_si256, _mm256_madd_epi16, _mm256_maddubs_epi16,
    _mm256_max_ps, _mm256_movemask_ps, _mm256_mul_ps, _mm256_or_si256, _mm256_set1_epi8,
    _mm256_set1_epi16, _mm256_set1_epi32, _mm256_set1_ps, _mm256_setzero_pd, _mm256_setzero_ps,
    _mm256_setzero_si256, _mm256_slli_epi32, _mm256_srli_epi16, _mm256_storeu_pd, _mm256_storeu_ps,
};

use super::portable::pairwise;
use super::{BlockBounds, BlockFloors};
use crate::rows::BLOCK;
use crate::scan::probe::{CHUNK, Probe};

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
    let mut at = 0;
    while at < whole {
        // SAFETY: `at + 8 <= whole <= len` of both slices.
        unsafe {
            low = fused(a.add(at), b.add(at), low);
            high = fused(a.add(at + 4), b.add(at + 4), high);
        }
        at += 8;
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
    let zero = _mm256_setzero_ps();
    let (mut s0, mut s1, mut s2, mut s3) = (zero, zero, zero, zero);
    let mut at = 0;
    while at < whole {
        // SAFETY: `at + 32 <= whole <= len` of both slices.
        unsafe {
            let (a, b) = (a.add(at), b.add(at));
            s0 = _mm256_fmadd_ps(_mm256_loadu_ps(a), _mm256_loadu_ps(b), s0);
            s1 = _mm256_fmadd_ps(_mm256_loadu_ps(a.add(8)), _mm256_loadu_ps(b.add(8)), s1);
            s2 = _mm256_fmadd_ps(_mm256_loadu_ps(a.add(16)), _mm256_loadu_ps(b.add(16)), s2);
            s3 = _mm256_fmadd_ps(_mm256_loadu_ps(a.add(24)), _mm256_loadu_ps(b.add(24)), s3);
        }
        at += 32;
    }
    let total = _mm256_add_ps(_mm256_add_ps(s0, s1), _mm256_add_ps(s2, s3));
    let mut sum = across(total);
    while at < left.len() {
        sum += left[at] * right[at];
        at += 1;
    }
    sum
}

/// Sum of eight lanes.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn across(lanes: __m256) -> f32 {
    let half = _mm_add_ps(_mm256_castps256_ps128(lanes), _mm256_extractf128_ps::<1>(lanes));
    let half = _mm_add_ps(half, _mm_movehl_ps(half, half));
    _mm_cvtss_f32(_mm_add_ss(half, _mm_movehdup_ps(half)))
}

/// See [`super::Path::dots_short`]: four rows at once, the last of them again where rows are missing.
///
/// # Safety
/// AVX2 is present, and there are as many rows of the length of `with` as there are sums.
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn dots_short(rows: &[i16], with: &[i16], out: &mut [i32]) {
    let (length, whole) = (with.len(), with.len() / 16 * 16);
    let mut first = 0;
    while first < out.len() {
        let four = [0, 1, 2, 3].map(|row| (first + row).min(out.len() - 1));
        first += 4;
        prefetch(&rows[(first * length).min(rows.len())..((first + 4) * length).min(rows.len())]);
        let mut sums = [_mm256_setzero_si256(); 4];
        let mut at = 0;
        while at < whole {
            // SAFETY: `at + 16 <= whole <= length`, and every row has that length.
            unsafe {
                let wide = _mm256_loadu_si256(with.as_ptr().add(at).cast());
                let mut row = 0;
                while row < 4 {
                    let values = rows.as_ptr().add(four[row] * length + at);
                    let products = _mm256_madd_epi16(_mm256_loadu_si256(values.cast()), wide);
                    sums[row] = _mm256_add_epi32(sums[row], products);
                    row += 1;
                }
            }
            at += 16;
        }
        for (row, sum) in four.into_iter().zip(sums) {
            out[row] = across_whole(sum);
            for at in whole..length {
                out[row] += i32::from(rows[row * length + at]) * i32::from(with[at]);
            }
        }
    }
}

/// Sum of eight lanes.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn across_whole(lanes: __m256i) -> i32 {
    let half = _mm_add_epi32(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256::<1>(lanes));
    let half = _mm_add_epi32(half, _mm_unpackhi_epi64(half, half));
    _mm_cvtsi128_si32(_mm_add_epi32(half, _mm_shuffle_epi32::<1>(half)))
}

/// See [`super::Path::keep_members`].
///
/// # Safety
/// AVX2 is present, and there are sixteen numbers for each mask.
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn keep_members(numbers: &[u32], set: &[u32], masks: &mut [u16]) {
    let mut at = 0;
    while at < masks.len() {
        // SAFETY: the block owns sixteen numbers.
        let (low, high) = unsafe {
            let block = numbers.as_ptr().add(at * BLOCK);
            (_mm256_loadu_si256(block.cast()), _mm256_loadu_si256(block.add(8).cast()))
        };
        let (mut lows, mut highs) = (_mm256_setzero_si256(), _mm256_setzero_si256());
        let mut member = 0;
        while member < set.len() {
            let wide = _mm256_set1_epi32(set[member].cast_signed());
            lows = _mm256_or_si256(lows, _mm256_cmpeq_epi32(low, wide));
            highs = _mm256_or_si256(highs, _mm256_cmpeq_epi32(high, wide));
            member += 1;
        }
        masks[at] &= (lanes(lows) | lanes(highs) << 8) as u16;
        at += 1;
    }
}

/// A bit for each of eight lanes that is set.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn lanes(flags: __m256i) -> i32 {
    _mm256_movemask_ps(_mm256_castsi256_ps(flags))
}

/// See [`super::Path::prefetch`].
pub(super) fn prefetch<T>(values: &[T]) {
    let start = values.as_ptr().cast::<i8>();
    let mut at = 0;
    while at < size_of_val(values) {
        // SAFETY: prefetching is allowed at any address; this one is inside the slice.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(start.add(at)) };
        at += 64;
    }
}

/// See [`super::Path::bound_block`].
///
/// # Safety
/// AVX2 and FMA are present, the block has eight bytes for each coefficient of every probe and 128
/// more, and there are 16 weights.
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn bound_block<const Q: usize>(
    block: &[u8],
    weights: &[u16],
    probes: [&Probe; Q],
    floors: &[BlockFloors; Q],
    out: &mut [BlockBounds; Q],
) -> [u16; Q] {
    let nibbles = probes[0].coefficients.len() / 2 * BLOCK;
    let mut passed = [0u16; Q];
    let mut half = 0;
    while half < 2 {
        // SAFETY: the block holds eight bytes for each coefficient.
        let sums = unsafe { inner_sums(block.as_ptr().add(half * 32), probes) };
        // SAFETY: four columns of sixteen halves follow the nibbles; eight of each are read.
        let column =
            |at: usize| unsafe { widen(block.as_ptr().add(nibbles + (at * BLOCK + half * 8) * 2)) };
        // SAFETY: there are sixteen weights.
        let most = unsafe { widen(weights.as_ptr().add(half * 8).cast()) };
        let (scale, residual, tail) = (column(0), column(2), column(3));
        // SAFETY: as for `column`.
        let first = unsafe { whole(block.as_ptr().add(nibbles + (BLOCK + half * 8) * 2)) };
        let mut at = 0;
        while at < Q {
            let (probe, floors) = (probes[at], &floors[at]);
            let inner = _mm256_fmadd_ps(_mm256_set1_ps(probe.first), first, sums[at]);
            let estimate = _mm256_mul_ps(scale, inner);
            let slack = _mm256_fmadd_ps(scale, _mm256_set1_ps(probe.slack), estimate);
            let slack = _mm256_fmadd_ps(_mm256_set1_ps(probe.residual), residual, slack);
            let cosine = _mm256_fmadd_ps(_mm256_set1_ps(probe.tail), tail, slack);
            let bound = if floors.by_cosine {
                cosine
            } else {
                _mm256_mul_ps(_mm256_max_ps(cosine, _mm256_setzero_ps()), most)
            };
            // SAFETY: both arrays hold sixteen floats.
            unsafe {
                _mm256_storeu_ps(out[at].estimate.as_mut_ptr().add(half * 8), estimate);
                _mm256_storeu_ps(out[at].bound.as_mut_ptr().add(half * 8), bound);
            }
            let reaches = _mm256_and_ps(
                _mm256_and_ps(at_least(bound, floors.score), at_least(cosine, floors.cosine)),
                at_least(most, floors.weight),
            );
            passed[at] |= (_mm256_movemask_ps(reaches) as u16) << (half * 8);
            at += 1;
        }
        half += 1;
    }
    passed
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn at_least(values: __m256, floor: f32) -> __m256 {
    _mm256_cmp_ps::<_CMP_GE_OQ>(values, _mm256_set1_ps(floor))
}

/// Eight bf16 values as f32.
///
/// # Safety
/// AVX2 is present and sixteen bytes can be read.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn widen(halves: *const u8) -> __m256 {
    // SAFETY: promised by the caller.
    let halves = unsafe { _mm_loadu_si128(halves.cast::<__m128i>()) };
    _mm256_castsi256_ps(_mm256_slli_epi32::<16>(_mm256_cvtepu16_epi32(halves)))
}

/// Eight 16-bit integers as f32.
///
/// # Safety
/// AVX2 is present and sixteen bytes can be read.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn whole(halves: *const u8) -> __m256 {
    // SAFETY: promised by the caller.
    let halves = unsafe { _mm_loadu_si128(halves.cast::<__m128i>()) };
    _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(halves))
}

/// Inner products of the queries' coded parts with the codes of eight rows. Sixteen bits hold the
/// integer sum of a chunk: the probes' units see to that.
///
/// # Safety
/// AVX2 is present and 32 of each 64 bytes can be read for every eight coefficients; every probe
/// has as many coefficients as the first.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn inner_sums<const Q: usize>(nibbles: *const u8, probes: [&Probe; Q]) -> [__m256; Q] {
    const GROUPS: usize = CHUNK / 8;
    let mask = _mm256_set1_epi8(15);
    let mut sums = [_mm256_setzero_ps(); Q];
    let mut at = 0;
    while at < Q {
        sums[at] = _mm256_set1_ps(probes[at].offset);
        at += 1;
    }
    let mut group = 0;
    while group < probes[0].units.len() * GROUPS {
        let mut parts = [_mm256_setzero_si256(); Q];
        let end = group + GROUPS;
        while group < end {
            // SAFETY: a group owns 64 bytes of codes, half of which belong to these rows.
            let both = unsafe { _mm256_loadu_si256(nibbles.add(group * 4 * BLOCK).cast()) };
            let low = _mm256_and_si256(both, mask);
            let high = _mm256_and_si256(_mm256_srli_epi16::<4>(both), mask);
            at = 0;
            while at < Q {
                // SAFETY: a group owns eight coefficients.
                let (first, second) = unsafe {
                    let quads = probes[at].coefficients.as_ptr().cast::<i32>().add(2 * group);
                    (quads.read_unaligned(), quads.add(1).read_unaligned())
                };
                let low = _mm256_maddubs_epi16(low, _mm256_set1_epi32(first));
                let high = _mm256_maddubs_epi16(high, _mm256_set1_epi32(second));
                parts[at] = _mm256_add_epi16(parts[at], _mm256_add_epi16(low, high));
                at += 1;
            }
            group += 1;
        }
        at = 0;
        while at < Q {
            let part = _mm256_madd_epi16(parts[at], _mm256_set1_epi16(1));
            let unit = _mm256_set1_ps(probes[at].units[group / GROUPS - 1]);
            sums[at] = _mm256_fmadd_ps(unit, _mm256_cvtepi32_ps(part), sums[at]);
            at += 1;
        }
    }
    sums
}

/// See [`super::Path::subtract_scaled`].
///
/// # Safety
/// AVX2 and FMA are present and both slices have the same length.
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn subtract_scaled(target: &mut [f32], factor: f32, values: &[f32]) {
    let whole = target.len() / 8 * 8;
    let wide = _mm256_set1_ps(factor);
    let mut at = 0;
    while at < whole {
        // SAFETY: `at + 8 <= whole <= len` of both slices.
        unsafe {
            let x = _mm256_loadu_ps(target.as_ptr().add(at));
            let y = _mm256_loadu_ps(values.as_ptr().add(at));
            _mm256_storeu_ps(target.as_mut_ptr().add(at), _mm256_fnmadd_ps(wide, y, x));
        }
        at += 8;
    }
    while at < target.len() {
        target[at] -= factor * values[at];
        at += 1;
    }
}

/// See [`super::Path::dot_nibbles`].
///
/// # Safety
/// AVX2 is present; 64 coefficients belong to 32 bytes of codes.
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn dot_nibbles(nibbles: &[u8], coefficients: &[i8]) -> i32 {
    let mask = _mm256_set1_epi8(15);
    let ones = _mm256_set1_epi16(1);
    let mut total = _mm256_setzero_si256();
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
        let first = _mm256_maddubs_epi16(_mm256_and_si256(codes, mask), low);
        let second =
            _mm256_maddubs_epi16(_mm256_and_si256(_mm256_srli_epi16::<4>(codes), mask), high);
        // At most 4 * 15 * 127 in a lane.
        let sum = _mm256_add_epi16(first, second);
        total = _mm256_add_epi32(total, _mm256_madd_epi16(sum, ones));
        group += 1;
    }
    across_whole(total)
}
