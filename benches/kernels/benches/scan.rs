//! The scan by size and by k, and what a write costs, on clustered vectors.
//!
//! Synthetic clusters flatter everything that prunes: these figures compare one version with the
//! next, `benches/peers.py` compares with others.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use realmemory_engine::filter::Filter;
use realmemory_engine::memory::{Batch, MemoryIndex};
use realmemory_engine::rows::Attributes;
use realmemory_engine::scan::{Query, Rank};
use realmemory_engine::text::analyze_all;

const DIM: usize = 384;

/// Reproducible noise in [-1, 1).
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 40) as f32 / (1u32 << 23) as f32 - 1.0
    }
}

fn vectors(count: usize) -> Vec<f32> {
    let mut noise = Noise(7);
    let centres: Vec<f32> = (0..64 * DIM).map(|_| noise.next()).collect();
    let mut made = Vec::with_capacity(count * DIM);
    for row in 0..count {
        let centre = &centres[row % 64 * DIM..][..DIM];
        let values: Vec<f32> = centre.iter().map(|x| x + 1.5 * noise.next()).collect();
        let norm = values.iter().map(|x| x * x).sum::<f32>().sqrt();
        made.extend(values.iter().map(|x| x / norm));
    }
    made
}

fn insert(index: &mut MemoryIndex, first: i64, vectors: &[f32]) {
    let count = vectors.len() / DIM;
    let ids: Vec<i64> = (first..first + count as i64).collect();
    let (zeros, bytes) = (vec![0.0; count], vec![0; count]);
    let attributes = Attributes {
        scope: &vec![0; count],
        kind: &bytes,
        status: &bytes,
        flags: &bytes,
        base: &vec![1.0; count],
        last: &zeros,
        valid_from: &zeros,
        valid_until: &vec![f64::INFINITY; count],
        observed_at: &zeros,
    };
    let batch = Batch {
        ids: &ids,
        has_vector: &vec![1; count],
        vectors,
        terms: &analyze_all(&vec![""; count]),
        attributes,
    };
    index.upsert(&batch).expect("the batch is sound");
}

fn scan(criterion: &mut Criterion) {
    let filter = Filter::everything(0.0);
    let mut group = criterion.benchmark_group("topk");
    for count in [1_000, 10_000, 100_000] {
        let all = vectors(count + 1);
        let (rows, vector) = all.split_at(count * DIM);
        let mut index = MemoryIndex::new(DIM).expect("the dimension is in range");
        insert(&mut index, 0, rows);
        index.optimize();
        index.set_threads(1);
        for k in [1, 10, 100] {
            let query = Query { vector, k, rank: Rank::Score, min_cosine: -1.0, filter: &filter };
            let name = BenchmarkId::new(format!("k{k}"), count);
            group.bench_function(name, |bencher| bencher.iter(|| black_box(index.topk(&query))));
        }
        let query = Query { vector, k: 10, rank: Rank::Score, min_cosine: -1.0, filter: &filter };
        let batch: Vec<&[f32]> = rows.chunks_exact(DIM).step_by(count / 32).take(32).collect();
        group.bench_function(BenchmarkId::new("k10, 32 queries", count), |bencher| {
            bencher.iter(|| black_box(index.topk_many(&batch, &query)));
        });
        index.set_threads(2);
        group.bench_function(BenchmarkId::new("k10, two threads", count), |bencher| {
            bencher.iter(|| black_box(index.topk(&query)));
        });
    }
    group.finish();
}

fn write(criterion: &mut Criterion) {
    let all = vectors(10_000);
    let mut index = MemoryIndex::new(DIM).expect("the dimension is in range");
    insert(&mut index, 0, &all);
    criterion.bench_function("replace one of 10,000 rows", |bencher| {
        bencher.iter(|| insert(&mut index, 17, &all[..DIM]));
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(30)
        .warm_up_time(Duration::from_secs(1))
        .measurement_time(Duration::from_secs(3));
    targets = scan, write
}
criterion_main!(benches);
