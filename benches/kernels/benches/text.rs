//! Text analysis and the hashing embedder over a thousand short texts.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use realmemory_engine::embed::hashing::HashingEncoder;
use realmemory_engine::text;
use realmemory_kernel_benches::Random;

fn analysis(criterion: &mut Criterion) {
    let mut random = Random(1);
    let texts: Vec<String> = (0..1_000).map(|_| random.text(50_000)).collect();
    let mut group = criterion.benchmark_group("text");
    group.throughput(Throughput::Elements(1_000));
    group.bench_function("analyze 1,000 texts", |bencher| {
        bencher.iter(|| texts.iter().map(|text| text::count_words(text)).sum::<usize>());
    });
    let encoder = HashingEncoder::new(2_048, 7).expect("valid");
    group.bench_function("hash 1,000 texts", |bencher| bencher.iter(|| encoder.encode(&texts)));
    group.finish();
    criterion.bench_function("text/analyze a query", |bencher| {
        bencher.iter(|| text::analyze_query("where does ERR-4042 in foo/bar.py:42 come from?"));
    });
}

criterion_group!(benches, analysis);
criterion_main!(benches);
