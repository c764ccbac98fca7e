"""Recall answers what stands out by meaning, even where words say nothing."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from realmemory.core.evidence import COLUMNS, Table
from realmemory.policies.answerability import (
    QUESTION_FEATURES,
    AnswerableProfile,
    chance,
    prominence,
)
from realmemory.policies.odds import log_odds
from realmemory.policies.relevance import Evidence, Null, profile_for

PRIOR = Null(24, 0.8, 0.02)


def evidence(cosines, *, count=60, mean=0.7, std=0.03):
    columns = dict.fromkeys(COLUMNS, np.zeros(len(cosines)))
    return Evidence(
        table=Table.of(columns | {"cosine": cosines}),
        query_words=4,
        letters_per_piece=5.0,
        rows=60,
        null=Null(count, mean, std),
    )


def judge(stands_out):
    return AnswerableProfile((0.0,) * len(QUESTION_FEATURES), -10.0, 0.5, stands_out)


def test_prominence_counts_deviations_beyond_what_chance_brings():
    expected = (0.82 - 0.7) / 0.03 - math.sqrt(2 * math.log1p(60))
    assert prominence(evidence([0.75, 0.82])) == pytest.approx(expected)


@pytest.mark.parametrize("odd", [{"count": 5}, {"std": 0.0}])
def test_too_few_rows_say_nothing(odd):
    assert prominence(evidence([0.99], **odd)) == -math.inf


def test_what_stands_out_is_answered_though_the_model_would_refuse():
    found = evidence([0.75, 0.82])
    confidences = np.array([0.1, 0.2])
    assert judge(stands_out=0.5).answers(found, confidences, PRIOR)
    assert not judge(stands_out=3.0).answers(found, confidences, PRIOR)
    assert not judge(stands_out=math.inf).answers(found, confidences, PRIOR)


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_what_stands_in_another_script_needs_less(share):
    """No word can match there, so that what the words lack says nothing."""
    found, confidences = evidence([0.7, 0.7]), np.array([0.1, 0.2])
    stern = judge(stands_out=math.inf)
    mild = replace(stern, apart=12.0)
    seen = replace(found, apart=share)
    rise = log_odds(chance(mild, seen, confidences, PRIOR)) - log_odds(
        chance(stern, seen, confidences, PRIOR)
    )
    assert rise == pytest.approx(12.0 * share)
    assert mild.answers(seen, confidences, PRIOR) is (share == 1.0)


def test_a_model_of_many_languages_has_learnt_so():
    assert profile_for("local:multilingual-e5-small").answerable.apart > 0.0
