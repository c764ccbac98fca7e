"""One call brings what five bring: both channels searched, every row described by both."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from realmemory.core.memory_index import MemoryIndex
from realmemory.core.rows import RowAttributes, ScanFilter

NOW, DIM = 1_000.0, 8
WORDS = ("key", "keys", "rotates", "rotation", "lighthouse", "ligthhouse", "the", "harbour", "9")
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join)
FILTERS = st.builds(
    ScanFilter,
    now=st.just(NOW),
    scopes=st.sampled_from([None, (0,), (0, 2), ()]),
    kinds=st.sampled_from([(0, 1, 2), (1,)]),
    min_retention=st.sampled_from([0.0, 0.4]),
    min_strength=st.sampled_from([0.0, 0.7]),
    taus=st.just((100.0, 1_000.0, math.inf)),
)


def columns(rng, count):
    return {
        "scopes": rng.integers(0, 3, count),
        "kinds": rng.integers(0, 3, count),
        "statuses": np.zeros(count),
        "flags": np.zeros(count),
        "base": rng.choice([0.5, 1.0], count),
        "last": NOW - rng.integers(0, 200, count),
        "valid_from": np.zeros(count),
        "valid_until": np.full(count, math.inf),
        "observed_at": np.zeros(count),
    }


def filled(texts, seed):
    rng, count = np.random.default_rng(seed), len(texts)
    vectors = rng.standard_normal((count, DIM)).astype(np.float32)
    vectors[rng.random(count) < 0.2] = 0
    index, ids = MemoryIndex(DIM), rng.permutation(count) * 3
    index.upsert(ids, vectors, texts, RowAttributes.of(**columns(rng, count)))
    return index, rng.standard_normal(DIM).astype(np.float32)


@given(
    st.lists(TEXTS, min_size=1, max_size=40),
    TEXTS,
    FILTERS,
    st.tuples(st.integers(0, 20), st.integers(0, 20), st.booleans(), st.booleans()),
    st.integers(0, 2**32),
)
def test_equals_the_calls_that_it_replaces(texts, question, chosen, how, seed):
    k, scan_k, by_cosine, fuzzy = how
    index, query = filled(texts, seed)
    found = index.gather(
        question, query, chosen, k=k, scan_k=scan_k, by_cosine=by_cosine, fuzzy=fuzzy
    )
    scan = index.topk(query, scan_k, chosen, by_cosine=by_cosine)
    worded = index.search_terms(question, k, chosen, fuzzy=fuzzy)
    ids = np.union1d(scan.ids, worded.ids)
    assert found.ids.tolist() == ids.tolist()
    exact = index.lexical(question, ids, scopes=chosen.scopes)
    alike = index.lexical(question, ids, scopes=chosen.scopes, fuzzy=fuzzy)
    expected = {
        "cosine": np.maximum(np.nan_to_num(index.cosines(query, ids)), 0.0),
        "retention": index.retentions(ids, chosen),
        "bm25": exact.bm25,
        "coverage": exact.coverage,
        "alike": alike.coverage,
        "matched": exact.matched,
        "maxsim": alike.coverage,
        "weakest": np.zeros(len(ids)),
    }
    for name, values in expected.items():
        np.testing.assert_array_equal(found.table.array(name), values)
    assert (found.null, found.bounded) == (scan.null, scan.work.bounded)


@given(st.lists(TEXTS, min_size=1, max_size=30), TEXTS, FILTERS, st.integers(0, 2**32))
def test_describing_some_rows_and_joining_loses_and_doubles_nothing(texts, question, chosen, seed):
    index, query = filled(texts, seed)
    ids = [3 * number for number in range(len(texts))]
    everything = index.describe(question, query, [*ids, 1, ids[0]], chosen)
    assert everything.ids.tolist() == [item for item in ids if index.accepted([item], chosen)[0]]
    some = index.gather(question, query, chosen, k=3)
    joined = some.joined(everything)
    assert joined.ids.tolist() == everything.ids.tolist()
    assert joined.table.values == everything.table.values


def test_a_fit_is_due_when_the_index_has_outgrown_its_codes_and_changes_no_answer():
    rng, count, dim = np.random.default_rng(5), 2_100, 64
    index = MemoryIndex(dim)
    zeros = np.zeros(count)
    columns = dict.fromkeys(("scopes", "kinds", "statuses", "flags", "valid_from"), zeros)
    attributes = RowAttributes.of(
        **columns, base=zeros + 1, last=zeros, valid_until=zeros + math.inf, observed_at=zeros
    )
    vectors = rng.standard_normal((count, dim)).astype(np.float32)
    index.upsert(range(count), vectors, [""] * count, attributes)
    before = index.topk(vectors[7], 20, ScanFilter(now=NOW))
    assert index.fit_due
    index.optimize()
    assert not index.fit_due
    after = index.topk(vectors[7], 20, ScanFilter(now=NOW))
    assert (before.ids.tolist(), before.cosines.tolist()) == (
        after.ids.tolist(),
        after.cosines.tolist(),
    )
    assert after.work.bytes < before.work.bytes


@pytest.mark.parametrize("bad", [{"k": -1}, {"k": 3, "scan_k": -1}])
def test_numbers_that_ask_for_nothing_sensible_are_refused(bad):
    index, query = filled(["key"], 1)
    with pytest.raises(ValueError, match="negative"):
        index.gather("key", query, ScanFilter(now=NOW), **bad)


@given(
    st.lists(TEXTS, min_size=1, max_size=40),
    st.lists(TEXTS, min_size=1, max_size=8),
    st.lists(FILTERS, min_size=8, max_size=8),
    st.tuples(st.integers(0, 8), st.floats(0, 1)),
    st.integers(0, 2**32),
)
def test_two_indexes_are_searched_as_one_while_rows_come(known, asked, filters, how, seed):
    (k, share), count = how, len(asked)
    whole, _ = filled(known, seed)
    ids = (np.random.default_rng(seed).permutation(len(known)) * 3).tolist()
    parts = [filled(known, seed)[0] for _ in range(2)]
    apart = set(ids[: int(share * len(ids))])
    parts[0].remove([item for item in ids if item in apart])
    parts[1].remove([item for item in ids if item not in apart])
    rng = np.random.default_rng(seed + 1)
    has_vector = rng.random(count) < 0.8
    vectors = rng.standard_normal((count, DIM)).astype(np.float32) * has_vector[:, np.newaxis]
    attributes, new = columns(rng, count), [1_000 + place for place in range(count)]

    scanned = [
        parts[0].topk_many([vector], k, chosen, by_cosine=True)[0].ids.tolist() if given else []
        for vector, chosen, given in zip(vectors, filters, has_vector, strict=False)
    ]
    found = parts[0].gather_ahead(
        parts[1],
        new[:-1],
        RowAttributes.of(**{name: values[:-1] for name, values in attributes.items()}),
        texts=asked,
        vectors=vectors[has_vector],
        has_vector=has_vector,
        scanned=scanned,
        chosen=filters[:count],
        k=k,
    )

    assert len(found) == count
    for at, near in enumerate(found):
        scan_k = k if has_vector[at] else 0
        expected = whole.gather(
            asked[at], vectors[at], filters[at], k=k, scan_k=scan_k, by_cosine=True, fuzzy=False
        )
        assert [item for item, _, _ in near] == expected.ids.tolist()
        cosines = np.array([cosine for _, cosine, _ in near])
        np.testing.assert_array_equal(
            np.maximum(np.nan_to_num(cosines), 0.0), expected.table.array("cosine")
        )
        assert [matched for _, _, matched in near] == list(expected.table.column("matched"))
        row = RowAttributes.of(**{name: values[at : at + 1] for name, values in attributes.items()})
        whole.upsert(new[at : at + 1], vectors[at : at + 1], asked[at : at + 1], row)
