//! Threads for large scans: started for one query and joined before it returns. There is no pool,
//! so nothing is left behind that a fork could break.

use std::num::NonZero;
use std::ops::Range;
use std::sync::OnceLock;
use std::thread;

use super::sweep::CHUNK_BLOCKS;
use crate::rows::BLOCK;

/// Rows times queries from which one more thread pays: starting it costs about as much as
/// scanning a tenth of them.
const ROWS_PER_THREAD: usize = 50_000;
/// More threads than this meet the memory's limit.
const MOST: usize = 4;

/// Threads that a scan uses by default at most.
pub(crate) fn available() -> usize {
    static COUNT: OnceLock<usize> = OnceLock::new();
    *COUNT.get_or_init(|| thread::available_parallelism().map_or(1, NonZero::get).min(MOST))
}

/// Cut blocks into a part for each thread that pays, at most `threads`.
pub(super) fn split(blocks: usize, queries: usize, threads: usize) -> Vec<Range<usize>> {
    let rows = blocks.saturating_mul(BLOCK).saturating_mul(queries);
    let parts = threads.min(rows / ROWS_PER_THREAD).max(1);
    let size = blocks.div_ceil(parts).next_multiple_of(CHUNK_BLOCKS);
    (0..parts).map(|part| (part * size).min(blocks)..((part + 1) * size).min(blocks)).collect()
}

/// Do the work of every part, in this thread and others, and return the results in order.
pub(super) fn run<T: Send>(
    parts: Vec<Range<usize>>,
    work: &(impl Fn(Range<usize>) -> T + Sync),
) -> Vec<T> {
    let Some((first, others)) = parts.split_first() else { return Vec::new() };
    thread::scope(|scope| {
        let start = |part: &Range<usize>| {
            let part = part.clone();
            thread::Builder::new().spawn_scoped(scope, move || work(part))
        };
        let started: Vec<_> = others.iter().map(start).collect();
        let mut results = vec![work(first.clone())];
        for (thread, part) in started.into_iter().zip(others) {
            results.push(match thread {
                Ok(thread) => {
                    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
                }
                // No thread to be had: its part is done here.
                Err(_) => work(part.clone()),
            });
        }
        results
    })
}

#[cfg(test)]
mod tests {
    use super::{run, split};

    #[test]
    fn parts_cover_every_block_once() {
        for blocks in [0, 1, 63, 64, 10_000, 100_000] {
            for threads in [1, 2, 3, 8] {
                let parts = split(blocks, 1, threads);
                assert!(!parts.is_empty() && parts.len() <= threads);
                let all: Vec<usize> = run(parts, &|part| part).into_iter().flatten().collect();
                assert!(all.iter().copied().eq(0..blocks));
            }
        }
        assert_eq!(split(100_000, 1, 2).len(), 2);
    }
}
