"""The engine judges candidates as the policies say."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from realmemory.core.evidence import COLUMNS, Table, best
from realmemory.core.static_table import About, Interaction
from realmemory.policies import answerability
from realmemory.policies.currency import alive_first
from realmemory.policies.ranking import CalibratedPreset, weighed
from realmemory.policies.relevance import (
    Evidence,
    Null,
    log_odds,
    own_logits,
    profile_for,
    relevance,
)

PROFILES = st.sampled_from(
    ["realmemory-static", "local:multilingual-e5-small", "anything else"]
).map(profile_for)
SHARES = st.one_of(st.sampled_from([0.0, 0.5, 1.0]), st.floats(0.0, 1.0))
VALUES = {
    "cosine": SHARES,
    "retention": SHARES,
    "bm25": st.floats(0.0, 40.0),
    "coverage": SHARES,
    "alike": SHARES,
    "matched": st.integers(0, 5).map(float),
    "maxsim": SHARES,
    "weakest": SHARES,
}
NULLS = st.builds(Null, st.integers(0, 128), st.floats(-0.2, 0.4), st.floats(0.0, 0.3))


@st.composite
def evidence(draw):
    rows = draw(st.integers(0, 12))
    columns = {
        name: draw(st.lists(values, min_size=rows, max_size=rows))
        for name, values in VALUES.items()
    }
    return Evidence(
        table=Table.of(columns),
        query_words=draw(st.integers(0, 4)),
        letters_per_piece=draw(st.sampled_from([0.0, 2.0, 4.5])),
        rows=draw(st.integers(0, 10_000)),
        null=draw(NULLS),
        about=draw(st.none() | st.builds(About, *[st.floats(-1.0, 1.0)] * 4)),
        apart=draw(SHARES),
    )


@given(evidence(), PROFILES)
def test_log_odds_confidences_and_scores_are_those_of_the_policies(seen, profile):
    logits = np.asarray(log_odds(profile, seen))
    np.testing.assert_allclose(logits, own_logits(profile, seen), rtol=1e-9, atol=1e-9)
    confidences, scores = CalibratedPreset(profile).scores(seen)
    expected = relevance(profile, seen)
    np.testing.assert_allclose(confidences, expected, rtol=1e-12)
    kept = np.asarray(confidences) >= profile.hit_floor
    expected = np.where(kept, weighed(np.asarray(confidences), seen.column("retention")), 0.0)
    counted = alive_first(expected, confidences, seen.column("coverage"), seen.column("retention"))
    np.testing.assert_allclose(scores, counted, rtol=1e-9)


@given(evidence(), PROFILES)
def test_the_chance_of_an_answer_is_that_of_the_policies(seen, profile):
    if not len(seen.table):
        return
    confidences = CalibratedPreset(profile).scores(seen)[0]
    features = answerability.question_features(seen, np.asarray(confidences), profile.null)
    found = answerability.chance(profile.answerable, seen, confidences, profile.null)
    np.testing.assert_allclose(found, profile.answerable.chance(features, seen.apart), rtol=1e-9)


@given(evidence(), st.integers(0, 15))
def test_the_best_come_first_and_ties_go_to_the_lower_position(seen, size):
    value = seen.column("cosine") + seen.column("alike")
    order = np.argsort(-value, kind="stable")[:size].tolist()
    assert seen.table.shortlist(size) == order
    assert best(value, size) == [at for at in order if value[at] > 0]


@given(evidence(), st.data())
def test_late_interaction_counts_where_it_was_asked_and_at_least_what_resembles(seen, data):
    rows = len(seen.table)
    chosen = data.draw(st.lists(st.integers(0, rows - 1), unique=True)) if rows else []
    values = data.draw(st.lists(SHARES, min_size=len(chosen), max_size=len(chosen)))
    found = np.asarray(values, np.float32)
    table = seen.table.compared(chosen, Interaction(1, 4.0, found, found / 2))
    maxsim, weakest = seen.column("maxsim").copy(), seen.column("weakest").copy()
    maxsim[chosen] = np.maximum(found, seen.column("alike")[chosen])
    weakest[chosen] = found / 2
    np.testing.assert_array_equal(table.array("maxsim"), maxsim)
    np.testing.assert_array_equal(table.array("weakest"), weakest)
    untouched = [name for name in COLUMNS if name not in {"maxsim", "weakest"}]
    for name in untouched:
        np.testing.assert_array_equal(table.array(name), seen.column(name))
