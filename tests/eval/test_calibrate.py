"""What the judge of answerability learns from questions in another script."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from realmemory.core.evidence import COLUMNS, Table
from realmemory.eval.asked import Asked
from realmemory.eval.calibrate import profile
from realmemory.eval.corpora.own import CALIBRATION, Query
from realmemory.policies.relevance import Evidence, Null, relevance

_KINDS = {True: "paraphrase", False: "out_of_domain"}


def asked(number, answerable, *, apart, chance):
    """One question: the first of four texts answers it, by words too unless it stands apart."""
    columns = {name: chance.uniform(0.0, 0.2, 4) for name in COLUMNS}
    columns["cosine"] = chance.normal(0.3, 0.05, 4)
    if answerable:
        columns["cosine"][0] += 0.25
        if not apart:
            for name in ("coverage", "alike", "maxsim"):
                columns[name][0] += 0.7
    query = Query(
        id=f"{number}-{answerable}",
        kind=_KINDS[answerable],
        text="?",
        lang="en",
        scope=None,
        expect=("fact",) if answerable else (),
        forbid=(),
        split=CALIBRATION,
    )
    evidence = Evidence(
        table=Table.of(columns),
        query_words=4,
        letters_per_piece=5.0,
        rows=60 if number % 2 else 300,
        null=Null(60, 0.3, 0.05),
        apart=apart,
    )
    return Asked(query, evidence, np.array([answerable, False, False, False]))


@pytest.fixture(scope="module")
def questions():
    chance = np.random.default_rng(7)
    return {
        apart: [
            asked(number, known, apart=apart, chance=chance)
            for number in range(120)
            for known in (True, False)
        ]
        for apart in (0.0, 1.0)
    }


def refused(fitted, items, *, answerable):
    found = [
        fitted.answerable.answers(item.evidence, relevance(fitted, item.evidence), fitted.null)
        for item in items
        if bool(item.query.expect) is answerable
    ]
    return 1.0 - float(np.mean(found))


def test_what_answers_in_another_script_is_not_refused_for_want_of_words(questions):
    """Without such questions the judge refuses many of them; with them hardly one more."""
    near, far = questions[0.0], questions[1.0]
    alone, both = (
        replace(fitted, answerable=replace(fitted.answerable, stands_out=np.inf))
        for fitted in (profile(near), profile(near, far))
    )
    assert alone.answerable.apart == 0.0
    assert refused(alone, far, answerable=True) > 0.2
    assert refused(both, far, answerable=True) <= 0.03
    assert refused(both, far, answerable=False) > 0.5
    assert refused(both, near, answerable=False) > 0.9
