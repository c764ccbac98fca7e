use super::*;

const DAY: f64 = 86_400.0;

fn graph() -> PlasticGraph {
    PlasticGraph::new(Plasticity {
        tau_eligibility: 14.0 * DAY,
        tau_stable: 90.0 * DAY,
        min_weight: 0.02,
        max_out_degree: 3,
        max_out_weight: 1.0,
    })
    .expect("valid constants")
}

fn bind(src: i64, dst: i64, strength: f64, at: f64) -> Bind {
    Bind { src, dst, strength, at }
}

const REACH: Spread = Spread { hops: 2, alpha: 0.5, top_m: 32, eps: 0.01 };

#[test]
fn order_of_use_decides_the_sign() {
    let rule = Stdp::new(1.0, 0.5, 60.0, 60.0).expect("valid");
    let binds = rule.pair(&[1, 2], &[0.0, 60.0], 1.0).expect("finite");
    let strength = |src| binds.iter().find(|b| b.src == src).map(|b| b.strength);
    let fall = (-1.0_f64).exp();
    assert!((strength(1).expect("pair") - fall).abs() < 1e-12);
    assert!((strength(2).expect("pair") + 0.5 * fall).abs() < 1e-12);
    assert!(rule.pair(&[1, 2], &[0.0, 301.0], 1.0).expect("finite").is_empty());
    assert!(rule.pair(&[1, 2], &[0.0, f64::INFINITY], 1.0).is_err());
    let together = rule.pair(&[1, 2, 2], &[5.0, 5.0, 1.0], 1.0).expect("finite");
    assert!(together.len() == 2 && together.iter().all(|b| b.strength == 1.0 && b.at == 5.0));
}

#[test]
fn commit_decays_bounds_and_reports() {
    let mut graph = graph();
    let binds: Vec<Bind> = (2..8).map(|dst| bind(1, dst, dst as f64 / 10.0, 0.0)).collect();
    let changes = graph.commit(&binds, 0.0).expect("finite");
    assert_eq!(changes.iter().map(|e| e.dst).collect::<Vec<_>>(), [5, 6, 7]);
    assert!((changes.iter().map(|e| e.weight).sum::<f64>() - 1.0).abs() < 1e-12);
    let later = graph.weight(1, 7, 90.0 * DAY);
    assert!((later - changes[2].weight * (-1.0_f64).exp()).abs() < 1e-12);
    let weakened = graph.commit(&[bind(1, 7, -5.0, DAY)], DAY).expect("finite");
    assert_eq!(weakened.iter().find(|e| e.dst == 7).map(|e| e.weight), Some(0.0));
    assert_eq!(graph.len(), 2);
}

#[test]
fn strange_times_never_blow_up() {
    let mut graph = graph();
    graph.commit(&[bind(1, 2, 0.5, 1e12), bind(2, 1, 0.5, -1e12)], 0.0).expect("finite");
    assert_eq!(graph.weight(1, 2, -1e300), 0.5);
    assert_eq!(graph.weight(1, 2, 1e300), 0.0);
    assert_eq!(graph.weight(2, 1, 0.0), 0.0);
    let huge = [bind(8, 9, f64::MAX, 0.0), bind(8, 9, f64::MAX, 0.0), bind(8, 7, f64::MIN, 0.0)];
    assert_eq!(graph.commit(&huge, 0.0).expect("finite")[0].weight, 1.0);
    assert!(graph.commit(&[bind(1, 2, f64::INFINITY, 0.0)], 0.0).is_err());
    assert!(graph.commit(&[], f64::NAN).is_err());
}

#[test]
fn spreading_needs_links_and_skips_seeds() {
    let mut graph = graph();
    assert!(graph.spread(&[1, 2], &[1.0, 1.0], 0.0, REACH).expect("finite").is_empty());
    let chain =
        [bind(1, 2, 0.8, 0.0), bind(2, 3, 0.8, 0.0), bind(3, 4, 0.8, 0.0), bind(2, 1, 0.8, 0.0)];
    graph.commit(&chain, 0.0).expect("finite");
    let reached = graph.spread(&[1], &[1.0], 0.0, REACH).expect("finite");
    assert_eq!(reached, [(2, 0.4), (3, 0.4 * 0.5 * 0.5)]);
    graph.hide(&[2]);
    assert!(graph.spread(&[1], &[1.0], 0.0, REACH).expect("finite").is_empty());
    graph.show(&[2]);
    assert_eq!(graph.spread(&[1], &[1.0], 0.0, REACH).expect("finite").len(), 2);
}

#[test]
fn prune_removes_what_has_faded() {
    let mut graph = graph();
    graph.commit(&[bind(1, 2, 0.5, 0.0), bind(3, 4, 0.03, 0.0)], 0.0).expect("finite");
    assert!(graph.prune(DAY).expect("finite").is_empty());
    assert_eq!(graph.prune(60.0 * DAY).expect("finite"), [(3, 4)]);
    assert_eq!(graph.prune(1000.0 * DAY).expect("finite"), [(1, 2)]);
    assert!(graph.is_empty());
}

#[test]
fn packing_changes_nothing() {
    let mut graph = graph();
    let edges: Vec<Edge> = (0..5_000_i64)
        .map(|i| Edge { src: i % 700, dst: 1_000 + i * 7 % 900, weight: 0.1, at: 0.0 })
        .collect();
    graph.put(&edges).expect("finite");
    let all = graph.edges();
    assert_eq!(all.len(), graph.len());
    for edge in &all {
        assert_eq!(graph.weight(edge.src, edge.dst, 0.0), 0.1);
    }
    let gone: Vec<Edge> = all.iter().map(|e| Edge { weight: 0.0, ..*e }).collect();
    graph.put(&gone).expect("finite");
    assert!(graph.is_empty() && graph.edges().is_empty());
}

#[test]
fn packed_edges_are_those_that_were_put() {
    let mut graph = graph();
    let mut expected = std::collections::BTreeMap::new();
    let mut state = 7u64;
    let mut below = |limit: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % limit
    };
    for round in 0..60 {
        // Sources come, grow, shrink and go, at both ends and in between.
        let sources = if round % 3 == 0 { 40 } else { 400 };
        for _ in 0..300 {
            let (src, dst) = (below(sources) as i64, 1_000 + below(30) as i64);
            let weight = if below(3) == 0 { 0.0 } else { 0.1 + below(9) as f64 };
            graph.put(&[Edge { src, dst, weight, at: 0.0 }]).expect("finite");
            expected.insert((src, dst), weight);
        }
        if round % 20 == 19 {
            let faded = graph.prune(90.0 * DAY * 4.0).expect("finite");
            let fall = (-4.0_f64).exp();
            let fades = |weight: f64| weight > 0.0 && weight * fall < 0.02;
            let due = expected.iter().filter(|(_, weight)| fades(**weight));
            assert_eq!(faded, due.map(|(ends, _)| *ends).collect::<Vec<_>>());
            expected.retain(|_, weight| !fades(*weight));
        }
        let present = expected.iter().filter(|(_, weight)| **weight > 0.0);
        let found: Vec<((i64, i64), f64)> =
            graph.edges().iter().map(|edge| ((edge.src, edge.dst), edge.weight)).collect();
        assert_eq!(found, present.map(|(ends, weight)| (*ends, *weight)).collect::<Vec<_>>());
        assert_eq!(found.len(), graph.len());
    }
}
