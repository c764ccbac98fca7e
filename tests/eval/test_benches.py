"""Every benchmark runs end to end through the command line, on little data."""

from __future__ import annotations

import importlib.util
import json
from dataclasses import replace

import pytest
from click.testing import CliRunner

from encoding.tiny_reranker import build
from realmemory.eval import bench_dialogue, bench_engmem, bench_pairs, bench_real, bench_recall
from realmemory.eval.__main__ import main
from realmemory.eval.corpora import locomo, own
from realmemory.eval.options import Options
from realmemory.eval.subject import make_embedder

CONVERSATION = {
    "sample_id": "c1",
    "conversation": {
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ada", "dia_id": "D1:1", "text": "My kayak is painted turquoise."},
            {"speaker": "Bo", "dia_id": "D1:2", "text": "I adopted a greyhound called Biscuit."},
        ],
        "session_2_date_time": "9:05 am on 2 June, 2023",
        "session_2": [
            {"speaker": "Ada", "dia_id": "D2:1", "text": "I started to learn the bagpipes."},
        ],
    },
    "qa": [
        {"question": "Who adopted a greyhound?", "evidence": ["D1:2"], "category": 4},
        {"question": "Who learns the bagpipes?", "evidence": ["D2:1"], "category": 1},
        {"question": "Who sold a yacht?", "evidence": ["D1:1"], "category": 5},
    ],
}


def run(*arguments):
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result.output


def small_corpus():
    corpus = own.load_corpus()
    facts = tuple(fact for fact in corpus.facts if fact.scope in {"kestrel-billing", "tidewatch"})
    known = {fact.id for fact in facts}
    queries = tuple(
        query
        for query in corpus.queries
        if query.scope in {"kestrel-billing", "tidewatch"}
        and known.issuperset(query.expect + query.forbid + query.stale)
    )
    return replace(corpus, facts=facts, queries=queries)


def test_real_corpus_counts_merges_and_updates(tmp_path):
    report = bench_real.run(make_embedder("hashing"), corpus=small_corpus(), path=tmp_path / "s")
    result = report.to_json()
    assert result["by_category"]["exact_token"]["hit@10"] == 1
    assert result["by_category"]["update"]["forbidden"] == 0
    assert result["by_category"]["scope_leak"]["forbidden"] == 0
    gate = result["details"]["gate"]
    assert sum(gate["actions"].values()) == len(small_corpus().facts)
    assert result["details"]["disk_bytes"] > 0
    assert set(result["controls"]) == {"bm25", "cosine", "recency"}


def test_recall_sweep_writes_its_report_and_compares_with_it(tmp_path):
    file = tmp_path / "report.json"
    options = ("recall", "--facts", 60, "--queries", 20, "--batch", 16, "--json", file)
    run(*options)
    output = run(*options, "--against", file)
    assert "0 gained, 0 lost of 24" in output
    result = json.loads(file.read_text(encoding="utf-8"))
    assert result["overall"]["answerable"] == 20
    assert result["by_category"]["noise"]["n"] == 4
    assert {"first_sleep_wall_ms", "second_sleep_wall_ms", "reopen_wall_ms"} <= set(
        result["details"]
    )


def test_sweep_finds_what_plain_cosine_finds():
    result = bench_recall.run(make_embedder("hashing"), facts=80, queries=30).to_json()
    baseline = result["controls"]["cosine"]["overall"]["hit@10"]
    assert result["overall"]["hit@10"] >= baseline - 0.02


def test_engmem_never_returns_the_old_convention():
    report = bench_engmem.run(make_embedder("hashing"), rows=60)
    assert report.details["forbidden"] == 0
    assert report.details["found"] > 8


def test_pairs_are_written_into_scopes_of_their_own():
    pairs = own.load_pairs()
    few = replace(pairs, near_misses=pairs.near_misses[::12], paraphrases=pairs.paraphrases[::12])
    result = bench_pairs.run(make_embedder("hashing"), few)
    assert result["overall"]["false_merge_rate"] == 0
    assert len(result["questions"]) == 30
    assert set(result["by_split"]) == {own.CALIBRATION, own.HELD_OUT}
    assert bench_pairs.as_text(result, verbose=True)


@pytest.mark.parametrize("pooled", [False, True])
def test_conversations_are_scored_by_turn_and_by_session(tmp_path, pooled):
    file = tmp_path / "locomo.json"
    file.write_text(json.dumps([CONVERSATION]), encoding="utf-8")
    report = bench_dialogue.run(locomo.read(file), make_embedder("hashing"), pooled=pooled)
    result = report.to_json()
    assert result["overall"]["n"] == 2
    assert result["overall"]["hit@5"] == 1
    assert result["details"]["sessions"]["recall@5"] == 1
    assert result["details"]["without_answer"]["n"] == 1
    assert result["controls"]["bm25"]["overall"]["hit@5"] == 1


def test_failures_are_one_line(tmp_path):
    result = CliRunner().invoke(main, ["locomo", "--data", str(tmp_path / "absent.json")])
    assert result.exit_code == 1
    assert result.output.startswith("Error: ")
    assert "Traceback" not in result.output


def test_a_reranker_is_measured_by_name(tmp_path):
    file = tmp_path / "locomo.json"
    file.write_text(json.dumps([CONVERSATION]), encoding="utf-8")
    likes = build(tmp_path / "likes", {"turquoise": 1.0})
    saved = tmp_path / "report.json"
    arguments = ["--data", str(file), "--reranker", f"local:{likes}", "--json", str(saved)]
    result = CliRunner().invoke(main, ["locomo", "--embedder", "hashing", *arguments])
    assert result.exit_code == 0, result.output
    assert json.loads(saved.read_text("utf-8"))["environment"]["reranker"] == f"local:{likes}"


def test_a_used_folder_is_refused(tmp_path):
    (tmp_path / "something").write_text("mine", encoding="utf-8")
    result = CliRunner().invoke(main, ["recall", "--facts", "5", "--path", str(tmp_path)])
    assert result.exit_code == 1
    assert "not empty" in result.output


def test_picture_is_drawn_or_the_extra_is_named(tmp_path):
    report = bench_recall.run(make_embedder("hashing"), facts=20, queries=5)
    picture = tmp_path / "report.png"
    options = Options(
        "hashing", path=None, verbose=False, json_file=None, against=None, picture=picture
    )
    if importlib.util.find_spec("matplotlib"):
        options.publish(report, 10)
        assert picture.read_bytes().startswith(b"\x89PNG")
    else:
        with pytest.raises(ValueError, match=r"realmemory\[bench\]"):
            options.publish(report, 10)


def test_passages_are_found_across_files(tmp_path):
    def passages(*rows):
        paragraphs = [
            {"context": text, "qas": [{"id": str(number), "question": question}]}
            for number, (text, question) in enumerate(rows)
        ]
        return json.dumps({"data": [{"paragraphs": paragraphs}]})

    data, ask = tmp_path / "data.json", tmp_path / "ask.json"
    data.write_text(passages(("The kayak is turquoise.", "?"), ("Bagpipes are loud.", "?")))
    ask.write_text(passages(("-", "turquoise kayak"), ("-", "loud bagpipes")))
    report = tmp_path / "report.json"
    run("xquad", "--data", data, "--ask", ask, "--json", report)
    assert json.loads(report.read_text(encoding="utf-8"))["overall"]["hit@1"] == 1


def test_our_own_chats_and_noise_run(tmp_path):
    assert "sessions: hit@5" in run("chats", "--limit", 1)
    assert "nonsense" in run("noise", "--split", "held_out")


def test_multihop_counts_paragraphs_that_hold_the_answer(tmp_path):
    texts = ["Ada Holm led the Kerenholt academy.", "The Kerenholt academy began in 1755.", "Rain."]
    pairs = [
        {"question": "When did the academy of Ada Holm begin?", "answer": "1755"},
        {"question": "Did it rain?", "answer": "yes"},
    ]
    (tmp_path / "a_corpus.json").write_text(json.dumps(texts), encoding="utf-8")
    (tmp_path / "a_qa_pairs.json").write_text(json.dumps(pairs), encoding="utf-8")
    report = tmp_path / "report.json"
    run("multihop", "--data", tmp_path, "--json", report)
    result = json.loads(report.read_text(encoding="utf-8"))
    assert result["overall"]["answerable"] == 1
    assert result["overall"]["hit@10"] == 1
