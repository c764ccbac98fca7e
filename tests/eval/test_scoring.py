"""Figures of a run follow from its answers."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from realmemory.errors import ConfigurationError
from realmemory.eval import report as reporting
from realmemory.eval import scoring
from realmemory.eval.report import Report
from realmemory.eval.scoring import Answer

KS = (1, 5, 10)
names = st.text("abcdef", min_size=1, max_size=2)


@st.composite
def answers(draw):
    ranking = tuple(draw(st.lists(names, unique=True, max_size=10)))
    return Answer(
        id=draw(st.uuids()).hex,
        category=draw(st.sampled_from(["one", "two"])),
        query="q",
        gold=draw(st.frozensets(names, max_size=2)),
        ranking=ranking,
        confidences=tuple(sorted((draw(st.floats(0, 1)) for _ in ranking), reverse=True)),
        abstained=not ranking,
        tags={"lang": draw(st.sampled_from(["en", "ru"]))},
    )


@given(st.lists(answers(), min_size=1, max_size=30))
def test_groups_add_up_to_the_whole(given_answers):
    whole = scoring.summarise(given_answers, KS)
    for groups in (
        scoring.by_group(given_answers, KS),
        scoring.by_group(given_answers, KS, "lang"),
    ):
        assert sum(part["n"] for part in groups.values()) == whole["n"]
        for name in ("hit@1", "hit@10", "mrr", "lost"):
            weighted = [part[name] * part["answerable"] for part in groups.values() if name in part]
            if weighted:
                assert sum(weighted) == pytest.approx(whole[name] * whole["answerable"])


@given(st.lists(answers(), min_size=1, max_size=30))
def test_report_is_json_without_nan(tmp_path_factory, given_answers):
    report = Report("test", given_answers, KS, {"embedder": "none"}, {"same": given_answers})
    file = tmp_path_factory.mktemp("report") / "report.json"
    result = report.to_json()
    reporting.write_json(result, file)

    def refuse(name):
        raise AssertionError(name)

    read = json.loads(file.read_text(encoding="utf-8"), parse_constant=refuse)
    assert {"overall", "by_category", "questions"} <= read.keys()
    assert len(read["questions"]) == len(given_answers)
    assert read["controls"]["same"]["mcnemar"]["p"] == 1
    assert reporting.compare(result, file)["p"] == 1
    assert report.to_text()


def test_summary_counts_forbidden_and_stale():
    fine = Answer("1", "x", "q", frozenset({"a"}), ("a", "old"), stale=frozenset({"old"}))
    wrong = Answer("2", "x", "q", frozenset({"a"}), ("old", "a"), stale=frozenset({"old"}))
    leak = Answer("3", "x", "q", frozenset(), ("b",), forbidden=frozenset({"b"}))
    quiet = Answer("4", "x", "q", frozenset(), ("c",), forbidden=frozenset({"b"}))
    figures = scoring.summarise([fine, wrong, leak, quiet], KS)
    assert figures["stale_first"] == 0.5
    assert figures["forbidden"] == 0.5
    assert figures["hit@1"] == 0.5
    assert [a.passes(10) for a in (fine, wrong, leak, quiet)] == [True, False, False, True]


def test_stale_alone_outranks_a_missing_answer():
    answer = Answer("1", "x", "q", frozenset({"a"}), ("b", "old"), stale=frozenset({"old"}))
    assert answer.outranked_by_stale


def test_abstention_at_a_price():
    sure = [Answer(str(i), "x", "q", frozenset({"a"}), ("a",), (0.9,)) for i in range(50)]
    unsure = [Answer(f"u{i}", "x", "q", frozenset(), ("b",), (0.4,)) for i in range(10)]
    figures = scoring.abstention_figures([*sure, *unsure])
    assert figures["recall_at_lost"] == {"0.02": 1.0, "0.05": 1.0}
    assert figures["auroc"] == 1.0
    assert figures["recall"] == 0.0
    assert math.isnan(figures["precision"])


def test_comparison_counts_each_direction(tmp_path):
    good = Answer("1", "x", "q", frozenset({"a"}), ("a",))
    bad = Answer("1", "x", "q", frozenset({"a"}), ("b",))
    file = tmp_path / "before.json"
    reporting.write_json(Report("t", [bad], KS, {}).to_json(), file)
    compared = reporting.compare(Report("t", [good], KS, {}).to_json(), file)
    assert (compared["gained"], compared["lost"]) == (["1"], [])


@pytest.mark.parametrize("content", ["", "[]", '{"questions": [{"id": 1}]}', '{"questions": []}'])
def test_comparison_refuses_other_files(tmp_path, content):
    file = tmp_path / "before.json"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(ConfigurationError):
        reporting.compare({"questions": []}, file)


@pytest.mark.parametrize(
    ("k", "depths"), [(1, (1,)), (3, (1, 3)), (10, (1, 5, 10)), (60, (1, 5, 10, 50, 60))]
)
def test_depths_end_with_what_was_asked_for(k, depths):
    assert scoring.depths(k) == depths


def test_injection_precision_counts_unanswerable_questions():
    right = Answer("1", "x", "q", frozenset({"a"}), ("a", "b"))
    noise = Answer("2", "x", "q", frozenset(), ("c", "d"))
    assert scoring.injection_figures([right, noise])["precision"] == 0.25
