//! The kernels in plain Rust: the definition that the other paths are tested against.

use super::{BlockBounds, BlockFloors};
use crate::rows::BLOCK;
use crate::scan::bf16::widen;
use crate::scan::probe::{CHUNK, Probe};

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

/// See [`super::Path::dots_short`].
pub(super) fn dots_short(rows: &[i16], with: &[i16], out: &mut [i32]) {
    for (sum, row) in out.iter_mut().zip(rows.chunks_exact(with.len())) {
        *sum = row.iter().zip(with).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
    }
}

/// See [`super::Path::keep_members`].
pub(super) fn keep_members(numbers: &[u32], set: &[u32], masks: &mut [u16]) {
    for (mask, block) in masks.iter_mut().zip(numbers.as_chunks::<BLOCK>().0) {
        let members = block.iter().enumerate().filter(|(_, number)| set.contains(number));
        *mask &= members.fold(0, |kept, (at, _)| kept | 1 << at);
    }
}

/// See [`super::Path::bound_block`].
pub(super) fn bound_block(
    block: &[u8],
    weights: &[u16],
    probe: &Probe,
    floors: &BlockFloors,
    out: &mut BlockBounds,
) -> u16 {
    let (nibbles, columns) = block.split_at(probe.coefficients.len() / 2 * BLOCK);
    let sums = inner_sums(nibbles, probe);
    let (halves, _) = columns.as_chunks::<2>();
    let column = |at: usize, row: usize| widen(u16::from_le_bytes(halves[at * BLOCK + row]));
    let mut passed = 0;
    for row in 0..BLOCK {
        let inner = sums[row];
        let scale = column(0, row);
        let first = u16::from_le_bytes(halves[BLOCK + row]).cast_signed();
        let estimate = scale * (inner + probe.first * f32::from(first));
        let cosine = estimate
            + scale * probe.slack
            + probe.residual * column(2, row)
            + probe.tail * column(3, row);
        let bound_of_weight = widen(weights[row]);
        let weight = if floors.by_cosine { 1.0 } else { bound_of_weight };
        out.estimate[row] = estimate;
        // A negative cosine times a smaller weight is larger; zero bounds it for every weight.
        out.bound[row] = if floors.by_cosine { cosine } else { cosine.max(0.0) * weight };
        let reaches = out.bound[row] >= floors.score
            && cosine >= floors.cosine
            && bound_of_weight >= floors.weight;
        passed |= u16::from(reaches) << row;
    }
    passed
}

/// Inner products of the query's coded part with the codes of a block's rows.
fn inner_sums(nibbles: &[u8], probe: &Probe) -> [f32; BLOCK] {
    let mut sums = [probe.offset; BLOCK];
    let chunks = nibbles.chunks(CHUNK / 2 * BLOCK).zip(probe.coefficients.chunks(CHUNK));
    for ((nibbles, coefficients), unit) in chunks.zip(&probe.units) {
        let mut chunk = [0i32; BLOCK];
        let (groups, _) = nibbles.as_chunks::<{ 4 * BLOCK }>();
        let (eights, _) = coefficients.as_chunks::<8>();
        for (group, eight) in groups.iter().zip(eights) {
            let (lanes, _) = group.as_chunks::<4>();
            for (sum, lanes) in chunk.iter_mut().zip(lanes) {
                for (at, byte) in lanes.iter().enumerate() {
                    *sum += i32::from(byte & 15) * i32::from(eight[at])
                        + i32::from(byte >> 4) * i32::from(eight[4 + at]);
                }
            }
        }
        sums.iter_mut().zip(chunk).for_each(|(sum, part)| *sum += unit * part as f32);
    }
    sums
}

/// See [`super::Path::subtract_scaled`].
pub(super) fn subtract_scaled(target: &mut [f32], factor: f32, values: &[f32]) {
    target.iter_mut().zip(values).for_each(|(x, y)| *x -= factor * y);
}

/// See [`super::Path::dot_nibbles`].
pub(super) fn dot_nibbles(nibbles: &[u8], coefficients: &[i8]) -> i32 {
    let mut sum = 0;
    for (bytes, group) in nibbles.chunks_exact(32).zip(coefficients.chunks_exact(64)) {
        let (low, high) = group.split_at(32);
        for ((byte, a), b) in bytes.iter().zip(low).zip(high) {
            sum += i32::from(byte & 15) * i32::from(*a) + i32::from(byte >> 4) * i32::from(*b);
        }
    }
    sum
}
