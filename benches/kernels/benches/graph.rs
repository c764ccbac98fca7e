//! The plastic graph: one recall's binds, spreading, and the pruning sweep.

use criterion::{Criterion, criterion_group, criterion_main};
use realmemory_engine::graph::{Bind, Edge, PlasticGraph, Plasticity, Spread, Stdp};
use realmemory_kernel_benches::Random;

const DAY: f64 = 86_400.0;
const NODES: u64 = 100_000;

fn graph() -> PlasticGraph {
    let constants = Plasticity {
        tau_eligibility: 14.0 * DAY,
        tau_stable: 90.0 * DAY,
        min_weight: 0.02,
        max_out_degree: 32,
        max_out_weight: 1.0,
    };
    let mut graph = PlasticGraph::new(constants).expect("valid");
    let mut random = Random(3);
    let edges: Vec<Edge> = (0..NODES * 6)
        .map(|_| Edge {
            src: random.below(NODES) as i64,
            dst: random.below(NODES) as i64,
            weight: 0.1 + random.below(100) as f64 / 500.0,
            at: 0.0,
        })
        .collect();
    graph.put(&edges).expect("finite");
    graph
}

fn plasticity(criterion: &mut Criterion) {
    let mut graph = graph();
    let mut random = Random(4);
    let rule = Stdp::new(0.1, 0.05, 600.0, 600.0).expect("valid");
    let mut group = criterion.benchmark_group("graph, 600,000 edges");
    group.bench_function("commit one recall (90 pairs)", |bencher| {
        bencher.iter(|| {
            let ids: Vec<i64> = (0..10).map(|_| random.below(NODES) as i64).collect();
            let times: Vec<f64> = (0..10).map(f64::from).collect();
            let binds: Vec<Bind> = rule.pair(&ids, &times, 1.0).expect("finite");
            graph.commit(&binds, 10.0)
        });
    });
    let reach = Spread { hops: 2, alpha: 0.5, top_m: 32, eps: 0.01 };
    group.bench_function("spread from three seeds", |bencher| {
        bencher.iter(|| {
            let seeds: [i64; 3] = std::array::from_fn(|_| random.below(NODES) as i64);
            graph.spread(&seeds, &[1.0, 0.8, 0.6], DAY, reach)
        });
    });
    group.sample_size(10);
    group.bench_function("prune with nothing due", |bencher| bencher.iter(|| graph.prune(DAY)));
    let whole = graph.clone();
    group.bench_function("prune everything", |bencher| {
        bencher.iter_batched(
            || whole.clone(),
            |mut graph| graph.prune(1_000.0 * DAY),
            criterion::BatchSize::LargeInput,
        );
    });
    group.finish();
}

criterion_group!(benches, plasticity);
criterion_main!(benches);
