"""What the index promises at its boundary, on small hand-made rows."""

import math
import threading

import numpy as np
import pytest

from realmemory import _native
from realmemory.core.memory_index import MemoryIndex
from realmemory.core.rows import RowAttributes, ScanFilter
from realmemory.errors import InvalidInputError

NOW = 1_000.0
EVERYTHING = ScanFilter(now=NOW)


def attributes(count, **columns):
    defaults = {
        "scopes": np.zeros(count),
        "kinds": np.zeros(count),
        "statuses": np.zeros(count),
        "flags": np.zeros(count),
        "base": np.ones(count),
        "last": np.full(count, NOW),
        "valid_from": np.zeros(count),
        "valid_until": np.full(count, math.inf),
        "observed_at": np.zeros(count),
    }
    return RowAttributes.of(**(defaults | columns))


def axes(ids=(1, 2, 3), **columns):
    index = MemoryIndex(4)
    count = len(ids)
    index.upsert(
        ids, np.eye(4, dtype=np.float32)[:count], [""] * count, attributes(count, **columns)
    )
    return index


def test_the_nearest_row_comes_first_and_ties_are_broken_by_id():
    found = axes(ids=(7, 5, 6)).topk([0, 1, 0, 0], 3, EVERYTHING)
    assert found.ids.tolist() == [5, 6, 7]
    assert found.cosines.tolist() == [1.0, 0.0, 0.0]


def test_score_is_cosine_times_retention_weight():
    index = axes(base=[0.5, 0.5, 0.5], last=[NOW - 100, NOW, NOW + 50])
    found = index.topk([1, 1, 1, 0], 3, ScanFilter(now=NOW, taus=(100.0, 1.0, 1.0)))
    assert found.ids.tolist() == [2, 3, 1]
    assert found.retentions.tolist() == pytest.approx([0.5, 0.5, 0.5 / math.e])
    assert found.scores.tolist() == pytest.approx([0.65, 0.65, 0.3 + 0.35 / math.e])


def test_pinned_rows_do_not_fade():
    index = axes(flags=[1, 0, 0], last=[0.0, 0.0, 0.0])
    found = index.topk([1, 1, 1, 1], 3, ScanFilter(now=NOW, taus=(1.0,) * 3, min_retention=0.5))
    assert found.ids.tolist() == [1]


def test_ordering_by_cosine_ignores_retention():
    index = axes(base=[0.1, 1.0, 1.0])
    found = index.topk([1, 0.9, 0, 0], 2, EVERYTHING, by_cosine=True)
    assert found.ids.tolist() == [1, 2]
    assert found.scores.tolist() == found.cosines.tolist()


@pytest.mark.parametrize(
    ("columns", "chosen", "seen"),
    [
        ({"scopes": [0, 1, 2]}, {"scopes": (0, 2)}, [1, 3]),
        ({"scopes": [0, 1, 2]}, {"scopes": ()}, []),
        ({"kinds": [0, 1, 2]}, {"kinds": (1, 2)}, [2, 3]),
        ({"statuses": [0, 1, 0]}, {}, [1, 3]),
        ({"statuses": [0, 1, 0]}, {"statuses": (0, 1)}, [1, 2, 3]),
        ({"valid_until": [NOW, NOW + 1, math.inf]}, {}, [2, 3]),
        ({"valid_until": [10, 20, 30], "valid_from": [0, 10, 20]}, {"as_of": 10.0}, [2]),
        ({"observed_at": [1, 2, 3]}, {"since": 2.0}, [2, 3]),
        ({"observed_at": [1, 2, 3]}, {"until": 2.0}, [1]),
        ({}, {"ids": (3, 1, 3, 9)}, [1, 3]),
        ({}, {"ids": ()}, []),
    ],
)
def test_filters(columns, chosen, seen):
    index = axes(**columns)
    found = index.topk([1, 1, 1, 1], 9, ScanFilter(now=NOW, **chosen))
    assert found.ids.tolist() == seen
    mask = index.accepted([1, 2, 3, 4], ScanFilter(now=NOW, **chosen))
    assert mask.tolist() == [row in seen for row in (1, 2, 3, 4)]


def test_a_zero_query_returns_the_lowest_ids():
    assert axes().topk(np.zeros(4), 2, EVERYTHING).ids.tolist() == [1, 2]


def test_rows_without_a_vector_are_counted_but_never_found_by_cosine():
    index = MemoryIndex(2)
    index.upsert([1, 2, 3], [[0, 0], [1, 0]], [""] * 3, attributes(3), has_vector=[1, 0, 1])
    assert len(index) == 3
    assert index.topk([1, 0], 5, EVERYTHING).ids.tolist() == [3]
    assert np.isnan(index.cosines([1, 0], [1, 2, 99])).all()


def test_upsert_replaces_update_keeps_the_vector_and_remove_forgets():
    index = axes()
    index.upsert([2], [[0, 0, 0, 1]], [""], attributes(1))
    assert index.cosines([0, 0, 0, 1], [2]).tolist() == [1.0]
    index.update([2, 99], attributes(2, scopes=[5, 5]))
    assert index.topk([0, 0, 0, 1], 1, ScanFilter(now=NOW, scopes=(5,))).ids.tolist() == [2]
    assert index.remove([2, 2, 99]) == 1
    assert 2 not in index
    assert len(index) == 2
    assert index.topk(np.ones(4), 9, EVERYTHING).ids.tolist() == [1, 3]


def test_a_reused_slot_shows_nothing_of_its_former_row():
    index = axes()
    index.remove([1])
    index.upsert([9], [], ["no vector"], attributes(1), has_vector=[0])
    assert index.topk(np.ones(4), 9, EVERYTHING).ids.tolist() == [2, 3]


def test_floor_on_the_cosine():
    assert axes().topk([1, 0.5, 0, 0], 9, EVERYTHING, min_cosine=0.5).ids.tolist() == [1, 2]


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_vectors_that_are_not_finite_are_refused_and_change_nothing(bad):
    index = axes()
    with pytest.raises(InvalidInputError) as refused:
        index.topk([bad, 0, 0, 0], 1, EVERYTHING)
    assert refused.value.code == "invalid_vector"
    for ask in (index.topk, index.topk_many):
        with pytest.raises(InvalidInputError) as refused:
            ask(memoryview(np.full(4, bad, np.float32).tobytes()).cast("f"), 1, EVERYTHING)
        assert refused.value.code == "invalid_vector"
    with pytest.raises(InvalidInputError) as refused:
        index.upsert([8], [[bad, 0, 0, 0]], [""], attributes(1))
    assert refused.value.code == "invalid_vector"
    assert len(index) == 3


@pytest.mark.parametrize(
    "bad", [["a", "b", "c", "d"], {"x": 1}, [[1, 2], [3]], [10**400, 0, 0, 0], None]
)
def test_what_is_no_vector_is_refused_as_bad_input(bad):
    for ask in (axes().topk, axes().topk_many):
        with pytest.raises(InvalidInputError):
            ask(bad, 1, EVERYTHING)


@pytest.mark.parametrize("count", [3, 5, 9])
def test_packed_queries_of_the_wrong_length_are_refused(count):
    packed = memoryview(np.ones(count, np.float32).tobytes()).cast("f")
    for ask in (axes().topk, axes().topk_many):
        with pytest.raises(InvalidInputError) as refused:
            ask(packed, 1, EVERYTHING)
        assert refused.value.code == "dim_mismatch"


def test_bad_shapes_and_ranges_are_refused():
    index = axes()
    with pytest.raises(InvalidInputError) as refused:
        index.topk([1, 0, 0], 1, EVERYTHING)
    assert refused.value.code == "dim_mismatch"
    with pytest.raises(InvalidInputError) as refused:
        index.topk([1, 0, 0, 0], -1, EVERYTHING)
    assert refused.value.code == "invalid_k"
    for wrong in (
        {"kinds": [3]},
        {"statuses": [3]},
        {"base": [-0.1]},
        {"last": [math.nan]},
        {"scopes": [0, 1]},
    ):
        with pytest.raises(InvalidInputError):
            index.update([1], attributes(1, **wrong))
    with pytest.raises(InvalidInputError):
        index.topk([1, 0, 0, 0], 1, ScanFilter(now=math.nan))
    with pytest.raises(InvalidInputError):
        MemoryIndex(0)
    with pytest.raises(InvalidInputError):
        index.simd = "abacus"


def test_null_statistics_cover_the_visible_scopes_only():
    index = axes(scopes=[0, 0, 1])
    null = index.topk([1, 0, 0, 0], 1, ScanFilter(now=NOW, scopes=(0,))).null
    assert (null.count, null.mean, null.std) == (2, 0.5, 0.5)


def test_the_best_simd_path_is_in_use():
    assert MemoryIndex(3).simd == _native.simd_paths()[0]
    assert _native.simd_paths()[-1] == "portable"


def test_readers_and_a_writer_share_the_index():
    index = MemoryIndex(16)
    vectors = np.eye(16, dtype=np.float32)
    wrong = []

    def read():
        for _ in range(200):
            found = index.topk(vectors[0], 16, EVERYTHING)
            if len(found.ids) != len(set(found.ids.tolist())):
                wrong.append(found)

    readers = [threading.Thread(target=read) for _ in range(4)]
    for reader in readers:
        reader.start()
    for turn in range(200):
        index.upsert(np.arange(16) + turn, vectors, [""] * 16, attributes(16))
        index.remove([turn])
    for reader in readers:
        reader.join()
    assert not wrong
    assert len(index) == 15


def worded(texts, **columns):
    index = MemoryIndex(2)
    count = len(texts)
    none = np.zeros(count, bool)
    index.upsert(range(count), [], texts, attributes(count, **columns), has_vector=none)
    return index


def test_rows_are_found_by_their_words_inside_the_filter():
    index = worded(["red fox", "red red hen", "blue hen"], scopes=[0, 1, 1])
    found = index.search_terms("red hen", 5, EVERYTHING)
    assert found.ids.tolist()[0] == 1
    assert found.matched.tolist() == [2, 1, 1]
    found = index.search_terms("red hen", 5, ScanFilter(now=NOW, scopes=(0,)))
    assert found.ids.tolist() == [0]
    index.remove([1])
    assert index.search_terms("red", 5, EVERYTHING).ids.tolist() == [0]


def test_equal_words_are_ordered_by_id_and_faded_rows_are_left_out():
    index = worded(["owl"] * 3, base=[1, 0.01, 1])
    chosen = ScanFilter(now=NOW, min_retention=0.05)
    assert index.search_terms("owls", 9, chosen).ids.tolist() == [0, 2]
    assert index.search_terms("owls", 1, chosen).ids.tolist() == [0]


def test_given_rows_are_scored_as_the_search_scores_them():
    index = worded(["red fox", "red hen", "blue hen"], scopes=[0, 1, 1])
    found = index.search_terms("red hen", 5, EVERYTHING)
    given = index.lexical("red hen", [*found.ids, 77])
    assert given.bm25.tolist() == [*found.bm25.tolist(), 0.0]
    assert given.coverage.tolist() == [*found.coverage.tolist(), 0.0]


def test_a_row_that_moves_takes_its_words_along():
    index = worded(["red fox", "red hen"], scopes=[0, 1])
    index.update([1], attributes(1, scopes=[0]))
    only = worded(["red fox", "red hen"], scopes=[0, 0])
    chosen = ScanFilter(now=NOW, scopes=(0,))
    moved, fresh = index.search_terms("red", 5, chosen), only.search_terms("red", 5, chosen)
    assert moved.ids.tolist() == fresh.ids.tolist()
    assert moved.bm25.tolist() == fresh.bm25.tolist()


@pytest.mark.parametrize("fuzzy", [False, True])
def test_a_question_that_is_asked_again_sees_what_changed_in_between(fuzzy):
    index = worded(["the harbour sleeps"])
    chosen = ScanFilter(now=0.0, scopes=(0,))

    def found():
        hits = index.search_terms("harbour harbor", 5, chosen, fuzzy=fuzzy)
        return hits.ids.tolist(), hits.coverage.tolist()

    first = found()
    index.upsert([9], [], ["harbor"], attributes(1), has_vector=[False])
    second = found()
    assert sorted(second[0]) == [0, 9]
    assert second[1] != first[1]
    index.remove([9])
    assert found()[0] == first[0]
