"""The plastic graph equals its twin, bit for bit, through any history."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from realmemory.core import graph
from realmemory.core.reference import graph as twin

IDS = st.integers(0, 9)
TIMES = st.floats(-1e13, 1e13)
STRENGTHS = st.floats(-2, 2)
BINDS = st.lists(st.tuples(IDS, IDS, STRENGTHS, TIMES), max_size=25)
EDGES = st.lists(
    st.tuples(IDS, IDS, st.floats(0, 1), TIMES), max_size=25, unique_by=lambda edge: edge[:2]
)
CONSTANTS = st.builds(
    graph.Plasticity,
    tau_eligibility=st.floats(1, 1e7),
    tau_stable=st.floats(1, 1e7) | st.just(math.inf),
    min_weight=st.floats(0, 0.2),
    max_out_degree=st.integers(1, 6),
    max_out_weight=st.floats(0.1, 2),
)
STEPS = st.lists(
    st.tuples(st.just("commit"), BINDS, TIMES)
    | st.tuples(st.just("put"), EDGES, TIMES)
    | st.tuples(st.just("prune"), st.just([]), TIMES)
    | st.tuples(st.just("hide"), st.lists(IDS, max_size=3), TIMES)
    | st.tuples(st.just("show"), st.lists(IDS, max_size=3), TIMES),
    max_size=8,
)


LOW_FLOOR = graph.Plasticity(
    tau_eligibility=1.0, tau_stable=1.0, min_weight=2e-313, max_out_degree=6, max_out_weight=2.0
)
"""A floor that the exponential reaches by vanishing, not by falling."""


@given(CONSTANTS, STEPS, st.dictionaries(IDS, st.floats(0, 1), max_size=4), TIMES)
@example(LOW_FLOOR, [("put", [(0, 1, 1.0, 0.0)], 0.0), ("prune", [], 1e3)], {}, 0.0)
def test_equals_its_twin(constants, steps, seeds, now):
    native, plain = graph.PlasticGraph(constants), twin.PlasticGraph(constants)
    for step, argument, time in steps:
        if step == "commit":
            assert native.commit(argument, now=time) == plain.commit(argument, now=time)
        elif step == "put":
            native.put(argument)
            plain.put(argument)
        elif step == "prune":
            assert native.prune(now=time) == plain.prune(now=time)
        elif step == "hide":
            native.hide(argument)
            plain.hidden.update(argument)
        else:
            native.show(argument)
            plain.hidden.difference_update(argument)
        assert native.edges() == plain.edges()
        assert len(native) == len(plain.edges())
    reach = {"hops": 3, "alpha": 0.7, "top_m": 5, "eps": 0.001}
    reached = native.spread(list(seeds), list(seeds.values()), now=now, **reach)
    assert reached == plain.spread(seeds, now=now, **reach)
    assert not seeds.keys() & dict(reached)
    assert np.isfinite([activation for _, activation in reached]).all()


@given(CONSTANTS, BINDS, TIMES)
def test_bounds_hold_after_every_commit(constants, binds, now):
    native = graph.PlasticGraph(constants)
    native.commit(binds, now=now)
    rows = {}
    for edge in native.edges():
        rows.setdefault(edge.src, []).append(edge.weight)
    for weights in rows.values():
        assert len(weights) <= constants.max_out_degree
        assert sum(weights) <= constants.max_out_weight * (1 + 1e-12)


@given(st.lists(st.tuples(IDS, st.floats(-1e4, 1e4)), max_size=12), STRENGTHS)
def test_timing_equals_its_twin(spikes, strength):
    rule = graph.Stdp(a_plus=0.9, a_minus=0.4, tau_plus=500.0, tau_minus=900.0)
    ids, times = [spike[0] for spike in spikes], [spike[1] for spike in spikes]
    binds = graph.stdp_binds(ids, times, strength=strength, rule=rule)
    assert binds == twin.stdp_binds(ids, times, strength, rule)


def test_earlier_leads_to_later():
    forward, back = graph.stdp_binds([1, 2], [0.0, 60.0])
    if forward.src == 2:
        forward, back = back, forward
    assert forward.strength > 0 > back.strength


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_numbers_that_are_none_are_refused(bad):
    native = graph.PlasticGraph(graph.Plasticity())
    for call in (
        lambda: native.commit([(1, 2, bad, 0.0)], now=0.0),
        lambda: native.commit([(1, 2, 1.0, bad)], now=0.0),
        lambda: native.commit([(1, 2, 1.0, 0.0)], now=bad),
        lambda: native.put([(1, 2, bad, 0.0)]),
        lambda: native.spread([1], [bad], now=0.0),
        lambda: native.spread([1], [1.0], now=bad),
        lambda: native.prune(now=bad),
        lambda: graph.stdp_binds([1], [bad]),
    ):
        with pytest.raises(ValueError, match=r"NaN|must lie"):
            call()
    assert native.edges() == []
