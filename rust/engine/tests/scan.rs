//! Every SIMD path gives the same answer, with codes and without. Small enough for Miri.

use realmemory_engine::filter::Filter;
use realmemory_engine::memory::{Batch, MemoryIndex, analyze_all};
use realmemory_engine::rows::Attributes;
use realmemory_engine::scan::{Query, Rank, ScanResult};
use realmemory_engine::simd::Path;

const DIM: usize = 65;
const ROWS: usize = 40;

fn vectors() -> Vec<f32> {
    let value = |at: usize| ((at * 7_919 + at / DIM * 104_729) % 1_009) as f32 / 504.5 - 1.0;
    (0..ROWS * DIM).map(value).collect()
}

fn index(path: Path, coded: bool) -> MemoryIndex {
    let mut index = MemoryIndex::new(DIM).expect("the dimension is in range");
    index.set_path(path);
    let last: Vec<f64> = (0..ROWS).map(|row| row as f64).collect();
    let attributes = Attributes {
        scope: &[0; ROWS],
        kind: &[0; ROWS],
        status: &[0; ROWS],
        flags: &[0; ROWS],
        base: &[0.8; ROWS],
        last: &last,
        valid_from: &[0.0; ROWS],
        valid_until: &[f64::INFINITY; ROWS],
        observed_at: &[0.0; ROWS],
    };
    let batch = Batch {
        ids: &std::array::from_fn::<i64, ROWS, _>(|row| 1_000 - row as i64),
        has_vector: &[1; ROWS],
        vectors: &vectors(),
        terms: &analyze_all(&[""; ROWS]),
        attributes,
    };
    index.upsert(&batch).expect("the batch is sound");
    if coded {
        index.optimize();
    }
    index
}

fn answer(index: &MemoryIndex, k: usize) -> ScanResult {
    let filter = Filter { taus: [9.0; 3], ..Filter::everything(ROWS as f64) };
    let vector = &vectors()[3 * DIM..4 * DIM];
    let query = Query { vector, k, rank: Rank::Score, min_cosine: -1e9, filter: &filter };
    index.topk(&query).expect("the query is sound")
}

#[test]
fn paths_agree_bit_for_bit() {
    let plain = index(Path::Portable, false);
    for path in Path::available() {
        for coded in [false, true] {
            let other = index(path, coded);
            for k in [1, 7, ROWS] {
                let (expected, found) = (answer(&plain, k), answer(&other, k));
                assert_eq!(found.hits, expected.hits, "{} coded {coded}", path.name());
                assert_eq!(found.null, expected.null, "{} coded {coded}", path.name());
            }
        }
    }
}

#[test]
fn a_path_that_is_not_there_is_refused() {
    assert!(Path::named("abacus").is_err());
}
