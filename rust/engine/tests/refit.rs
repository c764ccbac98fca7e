//! Fitting goes on in steps while the index changes and answers, and never changes an answer.

use realmemory_engine::filter::Filter;
use realmemory_engine::memory::{Batch, MemoryIndex, analyze_all};
use realmemory_engine::rows::Attributes;
use realmemory_engine::scan::{Query, Rank};

const DIM: usize = 96;

struct Random(u64);

impl Random {
    fn next(&mut self) -> f32 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1u32 << 23) as f32 - 1.0
    }

    fn vectors(&mut self, rows: usize) -> Vec<f32> {
        (0..rows * DIM).map(|_| self.next()).collect()
    }
}

fn upsert(index: &mut MemoryIndex, ids: &[i64], vectors: &[f32]) {
    let (zeros, ones) = (vec![0.0; ids.len()], vec![1.0; ids.len()]);
    let bytes = vec![0; ids.len()];
    let (scope, until) = (vec![0; ids.len()], vec![f64::INFINITY; ids.len()]);
    let attributes = Attributes {
        scope: &scope,
        kind: &bytes,
        status: &bytes,
        flags: &bytes,
        base: &ones,
        last: &zeros,
        valid_from: &zeros,
        valid_until: &until,
        observed_at: &zeros,
    };
    let terms = analyze_all(&vec![""; ids.len()]);
    let has_vector = vec![1; ids.len()];
    let batch = Batch { ids, has_vector: &has_vector, vectors, terms: &terms, attributes };
    index.upsert(&batch).expect("valid rows");
}

fn answers(index: &MemoryIndex, query: &[f32]) -> Vec<(i64, u32)> {
    let filter = Filter::everything(0.0);
    let rank = Rank::Cosine;
    let query =
        Query { vector: query, k: 25, rank, min_cosine: f64::NEG_INFINITY, filter: &filter };
    let found = index.topk(&query).expect("valid query");
    found.hits.iter().map(|hit| (hit.id, hit.cosine.to_bits())).collect()
}

#[test]
fn rows_may_come_change_and_go_between_the_steps() {
    let mut random = Random(3);
    let ids: Vec<i64> = (0..900).collect();
    let vectors = random.vectors(ids.len());
    let queries = random.vectors(3);
    let mut stepped = MemoryIndex::new(DIM).expect("valid");
    let mut plain = MemoryIndex::new(DIM).expect("valid");
    for index in [&mut stepped, &mut plain] {
        upsert(index, &ids, &vectors);
    }
    // Codes from the first fit are in use while the second goes on.
    stepped.optimize();
    let fitted = stepped.fit_sample().fit();
    stepped.begin_fit(fitted);
    let mut steps = 0;
    while stepped.step_fit(100) {
        let at = steps * 70;
        let changed: Vec<i64> = (at..at + 5).chain(2_000 + at..2_000 + at + 20).collect();
        let vectors = random.vectors(changed.len());
        for index in [&mut stepped, &mut plain] {
            upsert(index, &changed, &vectors);
            index.remove(&[at + 9, at + 11, 2_000 + at]);
        }
        for query in queries.chunks(DIM) {
            assert_eq!(answers(&stepped, query), answers(&plain, query));
        }
        steps += 1;
    }
    assert!(steps > 5);
    for query in queries.chunks(DIM) {
        assert_eq!(answers(&stepped, query), answers(&plain, query));
    }
    let codes_read = |index: &MemoryIndex| {
        let filter = Filter::everything(0.0);
        let vector = &queries[..DIM];
        let rank = Rank::Cosine;
        index.topk(&Query { vector, k: 1, rank, min_cosine: -1.0, filter: &filter }).expect("valid")
    };
    assert!(codes_read(&stepped).stats.bytes < codes_read(&plain).stats.bytes);
}
