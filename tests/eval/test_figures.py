"""What the figures promise, asked again of the shipped corpus with the default embedder."""

from __future__ import annotations

import json

import pytest

from realmemory import FakeClock, Hippocampus
from realmemory.cli.root import run as command_line
from realmemory.eval import bench_engmem, bench_languages, bench_real
from realmemory.eval.corpora import own
from realmemory.eval.subject import make_embedder


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """The held-out half of our own corpus: its figures, and the memory that was asked."""
    folder = tmp_path_factory.mktemp("held-out") / "store"
    report = bench_real.run(make_embedder("default"), split=own.HELD_OUT, path=folder)
    return report.to_json(), folder


def test_a_confidence_is_a_probability(asked):
    figures, _ = asked
    confidence = figures["details"]["by_split"][own.HELD_OUT]["confidence"]
    assert confidence["calibration_error"] <= 0.1
    assert confidence["auroc"] >= 0.85


def test_the_right_memory_stands_before_others(asked):
    figures, _ = asked
    assert figures["overall"]["mrr"] >= 0.74
    for control in ("bm25", "cosine"):
        assert figures["overall"]["mrr"] > figures["controls"][control]["overall"]["mrr"]


def test_what_is_published_is_what_everybody_gets(asked, capsys):
    """The harness asks as a caller does, and the command line answers as the facade does."""
    figures, folder = asked
    corpus = own.load_corpus()
    text_of = {fact.id: fact.text for fact in corpus.facts}
    scope_of = {q.id: q.scope for q in corpus.queries if q.scope and q.as_of is None}
    questions = [q for q in figures["questions"] if q["id"] in scope_of and q["ranking"]][::9]
    clock = FakeClock(corpus.now)
    with Hippocampus.open(folder, clock=clock) as memory:
        for question in questions:
            packet = memory.recall(question["query"], k=10, scope=scope_of[question["id"]])
            texts = [item.text for item in packet.items]
            assert texts == [text_of[name] for name in question["ranking"]], question["id"]
    with Hippocampus.open(folder) as memory:
        for question in questions:
            scope = scope_of[question["id"]]
            capsys.readouterr()
            command_line(
                ["--json", "--path", str(folder), "recall", question["query"], "--scope", scope]
            )
            said = json.loads(capsys.readouterr().out)["items"]
            packet = memory.recall(question["query"], scope=scope)
            assert [hit["memory_id"] for hit in said] == [hit.memory_id for hit in packet.items]


def test_short_words_of_scripts_without_spaces_are_found_without_a_model():
    figures = bench_languages.run(make_embedder("default")).to_json()["by_category"]
    assert {kind: value["hit@5"] >= 0.9 for kind, value in figures.items()} == dict.fromkeys(
        figures, True
    )


def test_a_changed_convention_is_found_beside_many_notes_about_the_same_matter():
    details = bench_engmem.run(make_embedder("default"), rows=600).details
    assert details["found"] >= 15
    assert details["forbidden"] == 0
