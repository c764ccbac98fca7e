//! The keyword index: queries of two to six words, the best twenty, over growing stores.

use std::sync::Arc;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use realmemory_engine::keyword::KeywordIndex;
use realmemory_kernel_benches::Random;

const VOCABULARY: u64 = 100_000;

fn search(criterion: &mut Criterion) {
    for rows in [10_000_u32, 100_000] {
        let mut random = Random(2);
        let mut index = KeywordIndex::new();
        for slot in 0..rows {
            index.upsert_text(slot, slot % 7, &random.text(VOCABULARY));
        }
        let queries: Vec<String> = (0..100).map(|_| random.query(VOCABULARY)).collect();
        let mut group = criterion.benchmark_group("keyword");
        let mut run = |name: &str, index: &KeywordIndex, scopes: Option<&[u32]>, fuzzy: bool| {
            let accept = |slot| scopes.is_none_or(|set| index.scope_of(slot).is_some_and(|s| set.contains(&s)));
            let mut next = queries.iter().cycle();
            group.bench_function(BenchmarkId::new(name, rows), |bencher| {
                bencher.iter(|| {
                    let text = next.next().map_or("", String::as_str);
                    let query = if fuzzy { index.fuzzy_query(text) } else { index.query(text) };
                    index.search(&query, 20, scopes, &accept, &i64::from)
                });
            });
        };
        run("search all", &index, None, false);
        run("search two of seven scopes", &index, Some(&[0, 3]), false);
        run("search alike", &index, None, true);
        let block = index.to_bytes(&Some);
        let length = block.len();
        let shared = Arc::new(block);
        let opened = KeywordIndex::open(shared.clone(), 0..length).expect("just written");
        run("search a mapped block", &opened, None, false);
        group.bench_function(BenchmarkId::new("open a block", rows), |bencher| {
            bencher.iter(|| KeywordIndex::open(shared.clone(), 0..length));
        });
        group.bench_function(BenchmarkId::new("replace a row", rows), |bencher| {
            let texts: Vec<String> = (0..100).map(|_| random.text(VOCABULARY)).collect();
            let mut next = (0..rows).zip(texts.iter().cycle()).cycle();
            bencher.iter(|| {
                if let Some((slot, text)) = next.next() {
                    index.upsert_text(slot, slot % 7, text);
                }
            });
        });
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = search
}
criterion_main!(benches);
