"""The features of turns against a slow twin that says what they are."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from realmemory.policies.surroundings import (
    FORM,
    FORM_CAP,
    TOLD,
    TURN_FEATURES,
    Asked,
    Signals,
    TurnProfile,
    compared,
    told_beyond,
    turn_features,
)
from realmemory.store.records import TurnPlace

_TURNS = st.lists(
    st.tuples(st.sampled_from("ab"), st.integers(0, 9), st.sampled_from(["Ann", "Bob"]),
              st.sampled_from([None, "assistant"]), st.booleans(), st.integers(0, 4000)),
    max_size=14, unique_by=lambda turn: turn[:2],
)  # fmt: skip


def by_definition(place, places, signals, asked):
    words, coverage, meaning = signals

    def near(values, offset):
        found = [
            values[p.id]
            for p in places
            if p.session == place.session and p.turn_index == place.turn_index + offset
        ]
        return found[0] if found else 0.0

    lengths = {p.id: p.length for p in places}
    session = sorted((words[p.id] for p in places if p.session == place.session), reverse=True)
    answer = float(place.role == "assistant")
    typical = sum(math.log(max(p.length, 1) / 100) for p in places) / len(places)
    return [
        words[place.id],
        coverage[place.id],
        near(words, -1) * math.exp(-near(lengths, -1) / 2.0 / 600.0),
        near(words, 1) * math.exp(-near(lengths, 1) / 2.0 / 600.0),
        near(words, -2) * math.exp(-(near(lengths, -1) + near(lengths, -2) / 2.0) / 600.0),
        near(words, 2) * math.exp(-(near(lengths, 1) + near(lengths, 2) / 2.0) / 600.0),
        session[0],
        sum(session[:3]) / 3.0,
        meaning[place.id],
        (near(meaning, -1) + near(meaning, 1)) / 2.0,
        float(list(asked.named) == [place.speaker]),
        float(len(asked.named) > 1 and asked.named[0] == place.speaker),
        float(place.asks),
        0.0 if asked.of_assistant else answer,
        answer if asked.of_assistant else 0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        min(max(math.log(max(place.length, 1) / 300) / math.log(2000 / 300), 0.0), 1.0),
        min(max(math.log(80 / max(place.length, 1)) / math.log(80 / 10), 0.0), 1.0),
        max(meaning[p.id] for p in places if p.session == place.session),
        min(max(typical / math.log(600 / 100), 0.0), 1.0),
    ]


@given(
    _TURNS,
    st.integers(0, 2**32 - 1),
    st.booleans(),
    st.sampled_from([(), ("Ann",), ("Bob", "Ann")]),
)
def test_features_are_what_the_definition_says(turns, seed, of_assistant, named):
    random = np.random.default_rng(seed)
    places = [
        TurnPlace(3 + 2 * at, *turn) for at, turn in enumerate(sorted(turns, key=lambda t: t[:2]))
    ]
    ids = np.arange(3 + 2 * len(places), dtype=np.int64)
    bm25, coverage, meaning = random.random((3, len(ids)))
    asked = Asked(named, of_assistant)
    found = turn_features(ids, places, Signals(bm25, coverage, meaning), asked)

    assert np.flatnonzero(found.is_turn).tolist() == [place.id for place in places]
    words = bm25 / bm25.max()
    for place in places:
        expected = by_definition(place, places, (words, coverage, meaning), asked)
        np.testing.assert_allclose(found.features[place.id], expected, atol=1e-12)


def test_a_profile_adds_up():
    weights = tuple(float(at) for at in range(len(TURN_FEATURES)))
    profile = TurnProfile(0.5, weights, -1.0, level=2.0)
    own = np.array([1.0, 3.0])
    features = np.eye(2, len(TURN_FEATURES), 1)
    assert profile.logits(own, features).tolist() == [0.5 + 1 + 6 - 1, 1.5 + 2 + 6 - 1]


@given(st.floats(0.0, 1.0))
def test_turns_are_weighed_as_those_of_a_chat_as_far_as_they_are_no_pages(pages):
    chat, paged = (1.0,) * len(TURN_FEATURES), (3.0,) * (len(TURN_FEATURES) + 1)
    profile = TurnProfile(1.0, chat, 0.0, paged=paged)
    features = np.zeros((2, len(TURN_FEATURES)))
    features[:, TURN_FEATURES.index("pages")] = pages
    before = profile.logits(np.zeros(2), features)
    features[1, TURN_FEATURES.index("meaning")] = 1.0
    after = profile.logits(np.array([1.0, 0.0]), features)
    np.testing.assert_allclose(after - before, 1.0 + 2.0 * pages)


@given(
    st.lists(st.floats(-9.0, 9.0), min_size=len(FORM), max_size=len(FORM)),
    st.lists(st.booleans(), min_size=len(FORM), max_size=len(FORM)),
)
def test_who_speaks_and_how_never_moves_a_turn_beyond_the_cap(weights, form):
    at = [TURN_FEATURES.index(name) for name in FORM]
    features = np.full((2, len(TURN_FEATURES)), 0.5)
    features[:, at] = np.array([form, [False] * len(FORM)])
    every = np.ones(len(TURN_FEATURES))
    every[at] = weights
    profile = TurnProfile(0.0, tuple(every.tolist()), 0.0)
    moved, left = profile.logits(np.zeros(2), features)
    wanted = np.clip(np.dot(weights, form), -FORM_CAP, FORM_CAP)
    np.testing.assert_allclose(moved - left, wanted, atol=1e-9)


def test_a_turn_tells_the_more_the_more_it_adds_and_no_more_than_all():
    told = told_beyond(range(TOLD + 3))
    assert told[0] == 0.0
    assert told[: TOLD + 1] == sorted(set(told[: TOLD + 1]))
    assert told[TOLD:] == [1.0] * 3


def test_at_least_as_many_turns_are_compared_as_are_returned_as_far_as_that_is_afforded():
    assert compared(5) == compared(20) > 20
    assert all(compared(depth) >= 2 * depth for depth in (30, 50, 64))
    assert compared(10_000) == compared(100)
