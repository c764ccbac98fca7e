//! Vector instructions, chosen at run time. All `unsafe` of the arithmetic lives here.
//!
//! Two kinds of kernels: *canonical* ones, which every path computes bit for bit alike, and
//! *bounding* ones, whose error is covered by a proven bound and which may differ between paths.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;

use crate::error::EngineError;
use crate::rows::BLOCK;
use crate::scan::probe::Probe;

/// A set of vector instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Path {
    /// Plain Rust.
    Portable,
    /// AVX2 with fused multiply-add.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// AVX-512 with its byte and vector-length extensions and VNNI.
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// Advanced SIMD of 64-bit ARM.
    #[cfg(target_arch = "aarch64")]
    Neon,
}

impl Path {
    /// Paths that this machine can run, best first.
    #[must_use]
    pub fn available() -> Vec<Self> {
        let mut paths = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
            let avx512 = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512vnni");
            paths.extend((avx2 && avx512).then_some(Self::Avx512));
            paths.extend(avx2.then_some(Self::Avx2));
        }
        #[cfg(target_arch = "aarch64")]
        if std::arch::is_aarch64_feature_detected!("neon") {
            paths.push(Self::Neon);
        }
        paths.push(Self::Portable);
        paths
    }

    /// The best path of this machine.
    #[must_use]
    pub fn detect() -> Self {
        Self::available()[0]
    }

    /// Name as used by [`Path::named`].
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => "avx512",
            #[cfg(target_arch = "aarch64")]
            Self::Neon => "neon",
        }
    }

    /// The available path of this name.
    ///
    /// # Errors
    /// `Parameter` if this machine has no such path.
    pub fn named(name: &str) -> Result<Self, EngineError> {
        Self::available().into_iter().find(|path| path.name() == name).ok_or_else(|| {
            let known: Vec<_> = Self::available().into_iter().map(Self::name).collect();
            EngineError::Parameter {
                what: format!("this machine has the SIMD paths {}, not {name:?}", known.join(", ")),
            }
        })
    }

    /// Canonical inner product: f64 products of f32 values (exact), summed in eight strided
    /// lanes, lanes added pairwise. Equal on every path.
    ///
    /// # Panics
    /// If the lengths differ.
    #[must_use]
    pub fn dot_canonical(self, left: &[f32], right: &[f32]) -> f64 {
        assert_eq!(left.len(), right.len());
        match self {
            Self::Portable => portable::dot_canonical(left, right),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the variant exists only where detection found AVX2 and FMA; lengths agree.
            Self::Avx2 => unsafe { avx2::dot_canonical(left, right) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as for AVX2, with the detection of AVX-512.
            Self::Avx512 => unsafe { avx512::dot_canonical(left, right) },
            #[cfg(target_arch = "aarch64")]
            // SAFETY: the variant exists only where detection found NEON; lengths agree.
            Self::Neon => unsafe { neon::dot_canonical(left, right) },
        }
    }

    /// Inner product in f32, its relative error below [`dot_gamma`].
    ///
    /// # Panics
    /// If the lengths differ.
    #[must_use]
    pub fn dot_f32(self, left: &[f32], right: &[f32]) -> f32 {
        assert_eq!(left.len(), right.len());
        match self {
            Self::Portable => portable::dot_f32(left, right),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as for `dot_canonical`.
            Self::Avx2 => unsafe { avx2::dot_f32(left, right) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as for AVX2, with the detection of AVX-512.
            Self::Avx512 => unsafe { avx512::dot_f32(left, right) },
            #[cfg(target_arch = "aarch64")]
            // SAFETY: as for `dot_canonical`.
            Self::Neon => unsafe { neon::dot_f32(left, right) },
        }
    }

    /// Inner products of integers with each of some rows of as many. The caller sees to it that no
    /// part of a sum leaves 32 bits. Equal on every path.
    ///
    /// # Panics
    /// If the rows are not whole.
    #[must_use]
    pub(crate) fn dots_short(self, rows: &[i16], with: &[i16]) -> Vec<i32> {
        let mut out = vec![0; rows.len() / with.len()];
        assert_eq!(rows.len(), out.len() * with.len());
        match self {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: both variants exist only where detection found AVX2; the sizes agree.
            Self::Avx2 | Self::Avx512 => unsafe { avx2::dots_short(rows, with, &mut out) },
            _ => portable::dots_short(rows, with, &mut out),
        }
        out
    }

    /// Leave those bits of each block's mask whose numbers are in a small set. Equal on every path.
    ///
    /// # Panics
    /// If there are not as many blocks as masks.
    pub(crate) fn keep_members(self, numbers: &[u32], set: &[u32], masks: &mut [u16]) {
        assert_eq!(numbers.len(), masks.len() * BLOCK);
        match self {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: both variants exist only where detection found AVX2; the sizes agree.
            Self::Avx2 | Self::Avx512 => unsafe { avx2::keep_members(numbers, set, masks) },
            _ => portable::keep_members(numbers, set, masks),
        }
    }

    /// Ask for memory that will be read soon; no effect on any result.
    pub(crate) fn prefetch<T>(self, values: &[T]) {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 | Self::Avx512 => avx2::prefetch(values),
            _ => {}
        }
    }

    /// Whether this processor streams memory at full speed without being asked ahead. Zen 4 does, and
    /// asking costs it a third of that; Zen 5 gains a quarter by it.
    pub(crate) fn streams(self) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => avx512::is_zen4(),
            _ => false,
        }
    }

    /// `target -= factor * values`, at most two roundings a value.
    ///
    /// # Panics
    /// If the lengths differ.
    pub(crate) fn subtract_scaled(self, target: &mut [f32], factor: f32, values: &[f32]) {
        assert_eq!(target.len(), values.len());
        match self {
            Self::Portable => portable::subtract_scaled(target, factor, values),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the variant exists only where detection found AVX2 and FMA; lengths agree.
            Self::Avx2 => unsafe { avx2::subtract_scaled(target, factor, values) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as for AVX2, with the detection of AVX-512.
            Self::Avx512 => unsafe { avx512::subtract_scaled(target, factor, values) },
            #[cfg(target_arch = "aarch64")]
            Self::Neon => portable::subtract_scaled(target, factor, values),
        }
    }

    /// Bound the sixteen rows of a block of codes for some queries and return, one bit each, which
    /// of them reach all floors of a query. Estimates are those of the cosines, bounds those of the
    /// scores, or of the cosines where those rank.
    ///
    /// # Panics
    /// If the block or the weights have not the size that each of the probes implies.
    #[must_use]
    pub(crate) fn bound_block<const Q: usize>(
        self,
        block: &[u8],
        weights: &[u16],
        probes: [&Probe; Q],
        floors: &[BlockFloors; Q],
        out: &mut [BlockBounds; Q],
    ) -> [u16; Q] {
        for probe in probes {
            assert_eq!(block.len(), (probe.coefficients.len() / 2 + 8) * BLOCK);
        }
        assert_eq!(weights.len(), BLOCK);
        match self {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the variant exists only where detection found AVX2; sizes were checked.
            Self::Avx2 => unsafe { avx2::bound_block(block, weights, probes, floors, out) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as for AVX2, with the detection of AVX-512.
            Self::Avx512 => unsafe { avx512::bound_block(block, weights, probes, floors, out) },
            _ => std::array::from_fn(|at| {
                portable::bound_block(block, weights, probes[at], &floors[at], &mut out[at])
            }),
        }
    }

    /// Inner product of nibbles with coefficients: groups of 32 bytes and 64 coefficients, the
    /// low nibbles belong to the first 32 of them. Equal on every path.
    ///
    /// # Panics
    /// If the lengths do not belong together.
    #[must_use]
    pub(crate) fn dot_nibbles(self, nibbles: &[u8], coefficients: &[i8]) -> i32 {
        assert!(nibbles.len() * 2 == coefficients.len() && nibbles.len().is_multiple_of(32));
        match self {
            Self::Portable => portable::dot_nibbles(nibbles, coefficients),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the variant exists only where detection found AVX2; sizes were checked.
            Self::Avx2 => unsafe { avx2::dot_nibbles(nibbles, coefficients) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as for AVX2, with the detection of AVX-512.
            Self::Avx512 => unsafe { avx512::dot_nibbles(nibbles, coefficients) },
            #[cfg(target_arch = "aarch64")]
            Self::Neon => portable::dot_nibbles(nibbles, coefficients),
        }
    }
}

/// What a row must reach to become a candidate.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BlockFloors {
    /// Least bound of the score.
    pub(crate) score: f32,
    /// Least bound of the cosine.
    pub(crate) cosine: f32,
    /// Least bound of the weight.
    pub(crate) weight: f32,
    /// Whether the weight is left out of the score.
    pub(crate) by_cosine: bool,
}

/// Estimates of the cosines and upper bounds of the scores of a block's rows.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct BlockBounds {
    pub(crate) estimate: [f32; BLOCK],
    pub(crate) bound: [f32; BLOCK],
}

/// Relative error of [`Path::dot_f32`]: it is below this times the product of the norms. Any
/// term meets one rounding for its product, one for each addition in its lane (at least 16 lanes,
/// the rest added one by one), and the reduction of the lanes, fewer than `dim / 16 + 64` on
/// every path.
#[must_use]
pub fn dot_gamma(dim: usize) -> f64 {
    let roundings = (dim / 16 + 64) as f64 * (0.5 * f64::from(f32::EPSILON));
    roundings / (1.0 - roundings)
}

#[cfg(test)]
mod tests {
    use super::{BLOCK, Path};

    #[test]
    fn members_are_kept_on_every_path() {
        let numbers: Vec<u32> =
            (0..5 * BLOCK as u32).map(|at| at.wrapping_mul(2_654_435_761) >> 29).collect();
        let sets: [&[u32]; 4] = [&[], &[3], &[0, 5, 7], &[u32::MAX]];
        for (set, path) in
            sets.iter().flat_map(|set| Path::available().into_iter().map(move |path| (set, path)))
        {
            let mut masks = [u16::MAX, 0x0ff0, 0, 1, u16::MAX];
            let before = masks;
            path.keep_members(&numbers, set, &mut masks);
            for (at, number) in numbers.iter().enumerate() {
                let bit = 1 << (at % BLOCK);
                let kept = before[at / BLOCK] & bit != 0 && set.contains(number);
                assert_eq!(masks[at / BLOCK] & bit != 0, kept, "{} {set:?} {at}", path.name());
            }
        }
    }
}
