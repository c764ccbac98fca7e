"""Binds and the edges they become."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from realmemory import MemoryConfig
from realmemory.clock import DAY
from realmemory.index.live_graph import constants
from realmemory.policies import plasticity
from realmemory.store.records import Eligibility, Link, LinkType

CONFIG = MemoryConfig()
NOW = 1.7e9
ENDS = st.tuples(st.integers(1, 6), st.integers(1, 6)).filter(lambda pair: pair[0] != pair[1])
BINDS = st.lists(
    st.builds(
        lambda ends, strength, age: Eligibility(*ends, strength, NOW - age),
        ENDS,
        st.floats(-1.0, 1.0),
        st.floats(-DAY, 60 * DAY),
    ),
    max_size=30,
)


@given(binds=BINDS)
def test_edges_are_finite_bounded_and_share_one_weight(binds):
    edges = plasticity.committed(constants(CONFIG), binds, [], now=NOW)
    out: dict[int, float] = {}
    for edge in edges:
        assert math.isfinite(edge.weight)
        assert 0.0 <= edge.weight <= 1.0
        out[edge.src] = out.get(edge.src, 0.0) + edge.weight
    assert all(total <= 1.0 + 1e-9 for total in out.values())


def test_a_pair_in_order_binds_forward_and_loosens_backward():
    binds = plasticity.recall_binds([2], [(1, NOW - 60.0)], at=NOW)
    strengths = {(bind.src, bind.dst): bind.strength for bind in binds}
    assert strengths[1, 2] > 0 > strengths[2, 1]


def test_what_was_known_before_is_not_bound_again():
    binds = plasticity.recall_binds([3], [(1, NOW - 60.0), (2, NOW - 60.0)], at=NOW)
    assert all(3 in (bind.src, bind.dst) for bind in binds)


def test_an_edge_too_weak_is_told_to_go():
    known = [Link(1, 2, LinkType.PLASTIC, 0.05, NOW - 300 * DAY)]
    bind = Eligibility(1, 3, 0.5, NOW)
    edges = {edge.dst: edge.weight for edge in plasticity.committed(
        constants(CONFIG), [bind], known, now=NOW
    )}  # fmt: skip
    assert edges[2] == 0.0
    assert edges[3] > 0.0


def test_an_edge_of_full_weight_outlives_no_longer_than_said():
    life = plasticity.longest_life(CONFIG)
    left = math.exp(-life / CONFIG.tau_edge_stable)
    assert math.isclose(left, CONFIG.edge_min_weight, rel_tol=1e-9)
