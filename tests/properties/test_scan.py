"""The native scan equals its numpy twin: ids, order, cosines and scores bit for bit."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from realmemory import _native
from realmemory.core.memory_index import MemoryIndex
from realmemory.core.reference import exp, scan
from realmemory.core.rows import RowAttributes, ScanFilter
from realmemory.errors import InvalidInputError

NOW = 1.7e9


def random_vectors(rng, count, dim, style):
    vectors = rng.standard_normal((count, dim)).astype(np.float32)
    if style == "tiny":
        vectors *= np.float32(1e-38)
    elif style == "huge":
        vectors *= np.float32(1e10)
    elif style == "lattice":
        vectors = rng.integers(-1, 2, (count, dim)).astype(np.float32)
    elif style == "equal":
        vectors[:] = vectors[:1]
    elif style == "dominated":
        vectors[:, rng.integers(dim)] *= 1e4
    elif style == "anisotropic":
        vectors += 3 * rng.standard_normal(dim).astype(np.float32)
    if style not in {"tiny", "huge", "lattice"}:
        vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-30)
    vectors[rng.random(count) < 0.05] = 0.0
    if count > 3:
        vectors[rng.integers(count, size=count // 4)] = vectors[rng.integers(count)]
    return vectors


K = st.one_of(st.integers(0, 12), st.integers(0, 400))
SIZES = st.integers(0, 300)
DIMS = st.one_of(st.integers(1, 70), st.sampled_from([255, 256, 384, 1000, 2048]))
COLUMNS = tuple(RowAttributes.__dataclass_fields__)
STYLES = ("normal", "tiny", "huge", "lattice", "equal", "dominated", "anisotropic")


@st.composite
def corpora(draw, sizes=SIZES, dims=DIMS):
    count, dim = draw(sizes), draw(dims)
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    style = draw(st.sampled_from(STYLES))
    rows = scan.ReferenceRows(
        ids=rng.permutation(3 * count)[:count].astype(np.int64) - count,
        vectors=random_vectors(rng, count, dim, style),
        attributes=RowAttributes.of(
            scopes=rng.integers(0, 4, count),
            kinds=rng.integers(0, 3, count),
            statuses=rng.choice([0, 0, 0, 0, 1, 2], count),
            flags=rng.random(count) < 0.1,
            base=rng.choice([0.0, 0.5, 1.0], count),
            last=NOW - rng.integers(-5, 100, count) * 86_400.0,
            valid_from=NOW - rng.integers(0, 9, count),
            valid_until=rng.choice([NOW - 1, NOW + 5, math.inf], count),
            observed_at=NOW - rng.integers(0, 9, count),
        ),
    )
    queries = random_vectors(rng, 3, dim, style)
    if count:
        queries[0] = rows.vectors[rng.integers(count)]
    return rows, queries


moments = st.one_of(st.none(), st.integers(-9, 3).map(lambda seconds: NOW + seconds))
filters = st.builds(
    ScanFilter,
    now=st.sampled_from([NOW, NOW - 86_400.0 * 30]),
    scopes=st.one_of(st.none(), st.lists(st.integers(0, 5), max_size=3).map(tuple)),
    kinds=st.sets(st.integers(0, 2)).map(tuple),
    statuses=st.sampled_from([(0,), (0, 1), (1,), (0, 2)]),
    min_retention=st.sampled_from([0.0, 0.05, 0.3]),
    min_strength=st.sampled_from([0.0, 0.05, 0.6]),
    taus=st.sampled_from([(30 * 86_400.0, 365 * 86_400.0, math.inf), (1.0, 1e9, 60.0)]),
    as_of=moments,
    since=moments,
    until=moments,
    ids=st.one_of(st.none(), st.sets(st.integers(-50, 150)).map(tuple)),
)


def build(rows, path, *, coded=False):
    index = MemoryIndex(rows.vectors.shape[1])
    index.simd = path
    half = len(rows.ids) // 2 if coded else 0
    for part in (slice(0, half), slice(half, None)):
        columns = {name: getattr(rows.attributes, name)[part] for name in COLUMNS}
        ids = rows.ids[part]
        index.upsert(ids, rows.vectors[part], [""] * len(ids), RowAttributes(**columns))
        if coded:
            index.optimize()
            coded = False
    return index


def bits(result):
    return (
        result.ids.tolist(),
        result.cosines.view(np.uint32).tolist(),
        result.scores.view(np.uint32).tolist(),
        result.retentions.view(np.uint64).tolist(),
        result.null,
    )


@pytest.mark.parametrize("path", _native.simd_paths())
@pytest.mark.parametrize("coded", [False, True])
@given(corpus=corpora(), question=st.tuples(K, filters, st.booleans()))
def test_topk_equals_brute_force(path, coded, corpus, question):
    rows, queries = corpus
    k, chosen, by_cosine = question
    index = build(rows, path, coded=coded)
    for query in queries:
        got = index.topk(query, k, chosen, by_cosine=by_cosine)
        assert bits(got) == bits(scan.topk(rows, query, k, chosen, by_cosine=by_cosine))


LARGE = corpora(sizes=st.integers(301, 20_000), dims=st.sampled_from([2, 64, 100, 256]))


@pytest.mark.long
@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("path", _native.simd_paths())
@settings(max_examples=100)
@given(corpus=LARGE, question=st.tuples(K, filters, st.booleans()))
def test_large_indexes_equal_brute_force(path, corpus, question):
    rows, queries = corpus
    k, chosen, by_cosine = question
    index = build(rows, path, coded=True)
    got = index.topk(queries[0], k, chosen, by_cosine=by_cosine)
    assert bits(got) == bits(scan.topk(rows, queries[0], k, chosen, by_cosine=by_cosine))


@pytest.mark.parametrize("path", _native.simd_paths())
@pytest.mark.parametrize("coded", [False, True])
@given(corpus=corpora(), floor=st.floats(-1, 1), k=st.integers(1, 20))
def test_a_cosine_floor_equals_brute_force(path, coded, corpus, floor, k):
    rows, queries = corpus
    index, chosen = build(rows, path, coded=coded), ScanFilter(now=NOW)
    got = index.topk(queries[0], k, chosen, min_cosine=floor)
    assert bits(got) == bits(scan.topk(rows, queries[0], k, chosen, min_cosine=floor))


@pytest.mark.parametrize("coded", [False, True])
@given(corpus=corpora(), question=st.tuples(K, filters, st.booleans()))
def test_several_queries_in_one_pass_equal_one_after_the_other(coded, corpus, question):
    rows, queries = corpus
    k, chosen, by_cosine = question
    index = build(rows, _native.simd_paths()[0], coded=coded)
    together = index.topk_many(queries, k, chosen, by_cosine=by_cosine)
    alone = [index.topk(query, k, chosen, by_cosine=by_cosine) for query in queries]
    assert [bits(found) for found in together] == [bits(found) for found in alone]


@pytest.mark.parametrize("coded", [False, True])
@pytest.mark.parametrize("k", [1, 10, 700])
def test_several_threads_find_what_one_finds(coded, k):
    rng, count = np.random.default_rng(11), 6_000
    vectors = random_vectors(rng, count, 64, "lattice")
    ids, index = rng.permutation(count), MemoryIndex(64)
    index.upsert(ids, vectors, [""] * count, _plain(count))
    if coded:
        index.optimize()
    queries, chosen = np.tile(vectors[7:10], (12, 1)), ScanFilter(now=NOW)
    index.threads = 1
    alone = [bits(found) for found in index.topk_many(queries, k, chosen)]
    for threads in (2, 3, 4):
        index.threads = threads
        together = index.topk_many(queries, k, chosen)
        assert [bits(found) for found in together] == alone
        assert {found.work.rows for found in together} == {count}


@pytest.mark.parametrize("style", STYLES)
def test_a_large_coded_scan_equals_brute_force(style):
    """Large enough for every stage: first threshold, deferral, both planes, and giving them up."""
    rng, count = np.random.default_rng(5), 6_000
    rows = scan.ReferenceRows(
        ids=rng.permutation(count),
        vectors=random_vectors(rng, count, 100, style),
        attributes=_plain(count),
    )
    index, chosen = MemoryIndex(100), ScanFilter(now=NOW)
    index.upsert(rows.ids, rows.vectors, [""] * count, rows.attributes)
    index.optimize()
    for query, k in itertools.product(rows.vectors[[3, 77, 5_000]], (1, 10, 300)):
        for by_cosine in (False, True):
            got = index.topk(query, k, chosen, by_cosine=by_cosine)
            assert bits(got) == bits(scan.topk(rows, query, k, chosen, by_cosine=by_cosine))


def test_a_scan_needs_a_thread():
    index = MemoryIndex(8)
    assert index.threads >= 1
    with pytest.raises(InvalidInputError):
        index.threads = 0


def _plain(count):
    return RowAttributes.of(
        scopes=np.zeros(count),
        kinds=np.zeros(count),
        statuses=np.zeros(count),
        flags=np.zeros(count),
        base=np.ones(count),
        last=np.full(count, NOW),
        valid_from=np.zeros(count),
        valid_until=np.full(count, math.inf),
        observed_at=np.full(count, NOW),
    )


@given(corpus=corpora(sizes=st.integers(1, 400), dims=st.just(8)), seed=st.integers(0, 2**32))
def test_an_index_grown_by_changes_equals_one_built_at_once(corpus, seed):
    rows, queries = corpus
    rng = np.random.default_rng(seed)
    index, count = build(rows, _native.simd_paths()[0]), len(rows.ids)
    index.remove(rng.permutation(rows.ids)[: count // 2])
    index.upsert(rows.ids, rows.vectors[::-1].copy(), [""] * count, rows.attributes)
    index.upsert(rows.ids, rows.vectors, [""] * count, rows.attributes)
    index.update(rows.ids, rows.attributes)
    gone = rng.random(count) < 0.3
    index.remove(rows.ids[gone])
    columns = {name: getattr(rows.attributes, name)[~gone] for name in COLUMNS}
    rest = scan.ReferenceRows(
        ids=rows.ids[~gone], vectors=rows.vectors[~gone], attributes=RowAttributes(**columns)
    )
    for query in queries:
        chosen = ScanFilter(now=NOW)
        assert bits(index.topk(query, 9, chosen)) == bits(scan.topk(rest, query, 9, chosen))


@given(x=st.lists(st.floats(-800, 0), min_size=1))
def test_the_exponential_is_close_to_the_platforms(x):
    got = exp.exp_nonpositive(np.array(x))
    want = np.where(np.array(x) > -708, np.exp(np.array(x)), 0.0)
    assert np.allclose(got, want, rtol=5e-16, atol=0)
