"""The order of hits that answer equally well."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from realmemory.policies.currency import Standing, current_first


def hit(memory_id, score, observed_at=0.0, successor=None):
    return Standing(memory_id, score, score, observed_at, successor)


HITS = st.lists(
    st.tuples(
        st.sampled_from([0.9, 0.5, 0.48, 0.1]), st.floats(0, 9), st.integers(0, 6) | st.none()
    ),
    max_size=7,
).map(lambda rows: sorted((hit(at, *row) for at, row in enumerate(rows)), key=lambda x: -x.score))


def test_the_new_version_comes_before_the_old_one_that_is_no_better():
    assert current_first([hit(1, 0.50, successor=2), hit(2, 0.49)]) == [2, 1]
    assert current_first([hit(1, 0.50, successor=2), hit(2, 0.20)]) == [1, 2]


def test_a_near_copy_is_as_good_as_its_own_confidence():
    copy = Standing(2, 0.3, 0.5, 0.0, None)
    assert current_first([hit(1, 0.5, successor=2), copy]) == [2, 1]


def test_the_latest_of_three_versions_comes_first():
    assert current_first([hit(1, 0.5, successor=2), hit(2, 0.49, successor=3), hit(3, 0.48)]) == [
        3,
        2,
        1,
    ]


@given(HITS)
def test_every_hit_stays_and_what_was_never_replaced_keeps_its_order(hits):
    order = current_first(hits)
    assert sorted(order) == sorted(one.id for one in hits)
    replacing = {one.successor for one in hits}
    untouched = {one.id: one for one in hits if one.successor is None and one.id not in replacing}
    scores = [untouched[memory_id].score for memory_id in order if memory_id in untouched]
    assert scores == sorted(scores, reverse=True)


def test_the_later_of_two_that_contradict_each_other_comes_first_where_it_answers():
    old = Standing(1, 0.9, 0.9, 10.0, None, 10.0, (2,))
    later = Standing(2, 0.6, 0.6, 20.0, None, 20.0, (1,))
    other = Standing(3, 0.7, 0.7, 5.0, None)
    assert current_first([old, other, later], 30.0) == [2, 1, 3]
    assert current_first([later, other, old], 30.0) == [2, 3, 1]
    # It is no answer, not valid yet, or in no conflict.
    assert current_first([old, other, later._replace(confidence=0.3)], 30.0) == [1, 3, 2]
    assert current_first([old, other, later._replace(valid_from=40.0)], 30.0) == [1, 3, 2]
    free = [old._replace(contradicts=()), other, later._replace(contradicts=())]
    assert current_first(free, 30.0) == [1, 3, 2]


def test_what_is_announced_comes_behind_what_holds_until_then():
    old = Standing(1, 0.8, 0.8, 10.0, 2, 10.0)
    new = Standing(2, 0.9, 0.9, 40.0, None, 40.0)
    assert current_first([new, old], 30.0) == [1, 2]
    assert current_first([new, old], 40.0) == [2, 1]


def test_only_the_first_fifty_change_places_with_what_contradicts_them():
    """Hundreds of notes of one pattern may all contradict each other; their pairs are too many."""
    ids = tuple(range(1, 61))
    rivals = [
        Standing(one, 1 - one / 100, 1 - one / 100, one, None, one, ids[: one - 1] + ids[one:])
        for one in ids
    ]
    order = current_first(rivals, 100.0)
    assert order[0] == 50
    assert order[50:] == list(range(51, 61))
