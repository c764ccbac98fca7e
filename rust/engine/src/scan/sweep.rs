//! The way of all queries through some of the blocks, in chunks whose codes stay in the second-level
//! cache for the next queries of a batch.

use std::array;
use std::ops::Range;

use super::bf16::ONE;
use super::floor::SharedFloor;
use super::null::NullStats;
use super::pass::{Coded, Pass, Source};
use super::probe::Probe;
use super::{Index, Query, ScanResult, ScanStats};
use crate::rows::BLOCK;
use crate::simd::BlockBounds;

/// Blocks bounded in one go.
pub(super) const CHUNK_BLOCKS: usize = 64;
/// Blocks of the first chunk: enough rows to find a first threshold among.
const FIRST_BLOCKS: usize = 16;
/// Blocks of codes fetched ahead of the one that is bounded.
const BLOCKS_AHEAD: usize = 8;
/// Blocks ahead whose first bytes are asked for: processors that stream by themselves stop at the end
/// of a page, and wait there for the next one's address as well as for its bytes.
const PAGES_AHEAD: usize = 32;
/// Queries for which a block is unpacked once.
const GROUP: usize = 4;

/// What candidates of a block are made from.
pub(super) struct Block<'a> {
    pub(super) at: usize,
    /// Bounds of the rows' weights, bf16.
    pub(super) weights: &'a [u16],
    /// Scales of the rows' codes, bf16.
    pub(super) scales: [u16; BLOCK],
}

/// Some blocks in succession.
#[derive(Clone, Copy)]
struct Chunk<'a> {
    start: usize,
    /// Rows of each block that the filter's masks show, one bit each.
    visible: &'a [u16],
}

/// Run queries over some blocks; their null statistics are left out.
pub(super) fn sweep(
    index: Index<'_>,
    queries: &[Query<'_>],
    probes: &[Option<Probe>],
    floors: &[SharedFloor],
    blocks: Range<usize>,
) -> Vec<ScanResult> {
    let Index { rows, matrix, weights, path, .. } = index;
    let source = Source { rows, matrix, weights, path };
    let coded = |probe| Some(Coded { codes: index.codes?, probe });
    let mut passes: Vec<Pass<'_>> = queries
        .iter()
        .zip(probes.iter().zip(floors))
        .map(|(query, (probe, floor))| {
            Pass::new(source, query, probe.as_ref().and_then(coded), floor)
        })
        .collect();
    let mut masks = [0u16; CHUNK_BLOCKS];
    let (mut start, mut size) = (blocks.start, FIRST_BLOCKS);
    while start < blocks.end && !queries.is_empty() {
        let end = blocks.end.min(rows.status.part_end(start * BLOCK) / BLOCK);
        let window = &mut masks[..CHUNK_BLOCKS.min(end - start)];
        queries[0].filter.visible(path, rows, start, window);
        let hidden = window.iter().take_while(|mask| **mask == 0).count();
        let passed = ScanStats { rows: (hidden * BLOCK) as u64, ..Default::default() };
        passes.iter_mut().for_each(|pass| pass.gathered(passed));
        start += hidden;
        let visible = &window[hidden..window.len().min(hidden + size)];
        if visible.is_empty() {
            continue;
        }
        let chunk = Chunk { start, visible };
        let (groups, others) = passes.as_chunks_mut::<GROUP>();
        groups.iter_mut().for_each(|group| advance(group, chunk));
        others.iter_mut().for_each(|pass| advance(array::from_mut(pass), chunk));
        (start, size) = (start + visible.len(), CHUNK_BLOCKS.min(size * 2));
    }
    let result = |(hits, stats)| ScanResult { hits, null: NullStats::default(), stats };
    passes.into_iter().map(|pass| result(pass.finish())).collect()
}

/// Take passes over a chunk, together where all of them have codes.
fn advance<const Q: usize>(passes: &mut [Pass<'_>; Q], chunk: Chunk<'_>) {
    if let Some(coded) = all_coded(passes) {
        bound(passes, coded, chunk);
        return;
    }
    for pass in passes {
        match pass.coded() {
            Some(coded) => bound(array::from_mut(pass), [coded], chunk),
            None => pass.estimate_rows(chunk.start, chunk.visible),
        }
    }
}

/// The rows of a chunk, none of whose codes were read yet.
fn counted(chunk: Chunk<'_>) -> ScanStats {
    let bounded = chunk.visible.iter().map(|mask| u64::from(mask.count_ones())).sum();
    ScanStats { rows: (chunk.visible.len() * BLOCK) as u64, bounded, ..Default::default() }
}

fn all_coded<'a, const Q: usize>(passes: &[Pass<'a>; Q]) -> Option<[Coded<'a>; Q]> {
    let mut all = [passes[0].coded()?; Q];
    for (coded, pass) in all.iter_mut().zip(passes) {
        *coded = pass.coded()?;
    }
    Some(all)
}

/// Bound the rows of a chunk and gather those that are not excluded.
fn bound<'a, const Q: usize>(passes: &mut [Pass<'a>; Q], coded: [Coded<'a>; Q], chunk: Chunk<'_>) {
    let mut seen = counted(chunk);
    if !passes[0].wants_hits() {
        passes.iter_mut().for_each(|pass| pass.gathered(seen));
        return;
    }
    let codes = coded[0].codes;
    let Source { weights, path, .. } = passes[0].source();
    let (probes, floors) = (coded.map(|c| c.probe), passes.each_ref().map(Pass::floors));
    let weightless = floors[0].by_cosine && floors[0].weight == f32::NEG_INFINITY;
    let mut bounds = [BlockBounds::default(); Q];
    let (ahead, bytes) =
        if path.streams() { (PAGES_AHEAD, 1) } else { (BLOCKS_AHEAD, codes.block_bytes()) };
    let started = passes[0].bounded() >= (2 * FIRST_BLOCKS * BLOCK) as u64;
    for (at, visible) in chunk.visible.iter().enumerate() {
        let block = chunk.start + at;
        codes.approach(path, block + ahead, bytes);
        if *visible == 0 {
            continue;
        }
        seen.bytes += codes.block_bytes() as u64;
        let range = block * BLOCK..(block + 1) * BLOCK;
        let weights = if weightless { &[ONE; BLOCK] } else { &weights.values()[range] };
        let bytes = codes.block(block);
        let passed = path.bound_block(bytes, weights, probes, &floors, &mut bounds);
        for ((pass, passed), (floors, out)) in
            passes.iter_mut().zip(passed).zip(floors.iter().zip(&bounds))
        {
            let mut left = passed & visible;
            // Where no threshold is found every row is a candidate: the whole filter is worth it.
            if floors.score == f32::NEG_INFINITY && started {
                left = pass.holding(block, left);
            }
            if left != 0 {
                let scales = codes.scales(bytes);
                pass.gather(&Block { at: block, weights, scales }, left, out);
            }
        }
    }
    passes.iter_mut().for_each(|pass| pass.gathered(seen));
}
