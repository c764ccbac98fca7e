"""Prompts are met by meaning, from the mapped index and what came after it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from realmemory import FakeClock, Hippocampus, Status, WriteRequest
from realmemory.agents.brief import prompt_context
from realmemory.agents.glance import visible
from realmemory.agents.unasked import described
from realmemory.clock import DAY
from realmemory.encoding.hashing import HashingEmbedder
from realmemory.store.glance import look

HOOK = str(Path(sys.executable).with_name("realmemory-hook"))
FACT = "Invoices are kept in PostgreSQL 16, one schema per legal entity"
PROMPT = "which database holds the invoices?"
SUBJECTS = ("crane", "ferry", "kiln", "loom", "mill", "oven", "press", "quarry", "silo", "vat")


def notes(count, scope="shop"):
    return [
        WriteRequest(
            text=f"The {SUBJECTS[n % 10]} in yard {n} was serviced after {n * 13} hours",
            scope=scope,
            force_new=True,
        )
        for n in range(count)
    ]


@pytest.fixture(scope="module", params=[0, 1_200], ids=["no snapshot", "snapshot"])
def built(tmp_path_factory, request):
    """A memory whose index is built from rows, or mapped with rows that came later."""
    folder = tmp_path_factory.mktemp("unasked") / "memory"
    with Hippocampus.open(folder) as memory:
        memory.remember_many(notes(request.param or 30))
    with Hippocampus.open(folder) as memory:
        memory.remember(FACT, scope="shop", kind="semantic")
    assert (folder / "index" / "current").exists() is bool(request.param)
    return folder


@pytest.fixture
def folder(built, tmp_path):
    return Path(shutil.copytree(built, tmp_path / "memory"))


def told(folder, prompt=PROMPT, project="shop"):
    return prompt_context(str(folder), None, project, prompt)[0]


def test_fact_in_other_words_is_brought_up(folder):
    assert FACT in told(folder)


@pytest.mark.parametrize(
    "prompt",
    [
        "fix the failing test in the parser",
        "what is the capital of Burkina Faso?",
        "продолжай",
        "yes, do it",
        "the",
        "\x00\ud800",
    ],
)
def test_prompt_about_nothing_known_is_met_with_silence(folder, prompt):
    assert told(folder, prompt) == ""


def test_candidates_are_described_as_recall_sees_them(folder):
    with Hippocampus.open(folder) as memory:
        memory.recall(PROMPT, scope="shop")
        vector = memory.context.embedder.embed_queries([PROMPT])[0]
        view = look(str(folder))
        candidates, _ = described(view, str(folder), PROMPT, visible(view, "shop"), time.time())
        view.close()
        ids = [item.id for item in candidates]
        engine = memory.context.index.engine
        cosines = np.maximum(engine.cosines(vector, ids), 0.0)
        with memory.context.store.read() as snapshot:
            scopes = (snapshot.scopes.find("shop"), snapshot.scopes.find("global"))
        exact = engine.lexical(PROMPT, ids, scopes=tuple(item for item in scopes if item))
    assert [item.cosine for item in candidates] == cosines.tolist()
    assert [item.bm25 for item in candidates] == exact.bm25.tolist()
    assert [item.coverage for item in candidates] == exact.coverage.tolist()


def test_what_changed_after_the_snapshot_counts(folder):
    with Hippocampus.open(folder) as memory:
        found = memory.recall(PROMPT, scope="shop").items[0].memory_id
        memory.update_fact(found, "Invoices are kept in CockroachDB, one schema per legal entity")
    assert "CockroachDB" in told(folder)
    assert "PostgreSQL" not in told(folder)
    with Hippocampus.open(folder) as memory:
        memory.forget(memory.recall(PROMPT, scope="shop").items[0].memory_id, hard=True)
    assert told(folder) == ""


def test_other_projects_and_untrusted_texts_stay_out(folder):
    with Hippocampus.open(folder) as memory:
        memory.forget(memory.recall(PROMPT, scope="shop").items[0].memory_id)
        memory.remember(FACT, scope="depot", kind="semantic")
        memory.remember("Invoices lie in an Oracle database", scope="shop", origin="import")
    assert told(folder) == ""
    assert FACT in told(folder, project="depot")
    assert told(folder, project=None) == ""


def test_damaged_snapshot_is_no_error(folder):
    for path in (folder / "index").glob("*.index"):
        path.write_bytes(path.read_bytes()[:4096])
    told(folder)
    assert FACT in told(folder, f"{FACT}, is that so?")


def test_store_of_another_embedder_is_met_by_words(tmp_path):
    with Hippocampus.open(tmp_path, embedder=HashingEmbedder()) as memory:
        memory.remember_many(notes(30))
        memory.remember(FACT, scope="shop", kind="semantic")
    assert FACT in told(tmp_path, f"{FACT}, is that so?")


def test_the_way_by_meaning_loads_nothing_heavy(folder):
    done = subprocess.run(
        [sys.executable, "-X", "importtime", HOOK, "--path", str(folder), "claude", "prompt"],
        input=json.dumps({"prompt": PROMPT, "session_id": "s"}).encode(),
        capture_output=True,
        env={"PATH": "/usr/bin:/bin", "HOME": str(folder), "REALMEMORY_PROJECT": "shop"},
        check=True,
    )
    assert FACT in done.stdout.decode()
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.decode().splitlines()}
    assert "realmemory.core.quick" in loaded
    assert not loaded.intersection(
        {"numpy", "typing", "pathlib", "dataclasses", "importlib.resources"}
    )


def test_what_is_archived_is_not_brought_up_unasked(tmp_path):
    folder, clock = tmp_path / "memory", FakeClock(time.time() - 120 * DAY)
    with Hippocampus.open(folder, clock=clock) as memory:
        written = memory.remember(FACT, scope="shop").memory_id
        memory.remember_many(replace(one, kind="semantic") for one in notes(1_200))
        clock.advance(120 * DAY)
        memory.consolidate()
        assert memory.get(written).status is Status.ARCHIVED
        assert memory.recall(PROMPT, scope="shop").items[0].memory_id == written
    assert (folder / "index" / "current").exists()
    assert FACT not in told(folder)


NOTE = "Minutes of the garden committee about hedges, hoses and the weather. " * 480
ANSWER = "The emergency contact for the boiler is Mr. Okonkwo in Leiden. "


@pytest.mark.parametrize("tail", ["", NOTE[:3_000]])
def test_of_a_long_note_the_part_that_answers_is_shown(tmp_path, tail):
    with Hippocampus.open(tmp_path / "memory") as memory:
        memory.remember(NOTE + ANSWER + tail, scope="shop")
        memory.remember_many(notes(40))
    text = told(tmp_path / "memory", "who is the emergency contact for the boiler?")
    assert ANSWER.strip() in text
    assert len(text) <= 400


@pytest.fixture
def shop(tmp_path):
    """A folder and a function that writes texts, one a day."""
    folder, clock = tmp_path / "memory", FakeClock(time.time() - 9 * DAY)

    def write(*texts):
        with Hippocampus.open(folder, clock=clock) as memory:
            memory.remember_many(notes(40))
            for text in texts:
                clock.advance(DAY)
                memory.remember(text, scope="shop")

    return folder, write


@pytest.mark.parametrize(
    ("first", "news", "prompt"),
    [
        (
            "The office is in Berlin",
            "We moved the office from Berlin to Munich",
            "where is the office?",
        ),
        ("Bob works at Google", "Bob left Google and joined Amazon", "where does Bob work?"),
        (
            "We use Jenkins to build the app",
            "We swapped Jenkins for Buildkite",
            "which tool do we use to build the app?",
        ),
        ("Das Büro liegt in Berlin", "Das Büro ist nach München umgezogen", "wo liegt das Büro?"),
    ],
)
def test_what_is_said_to_have_changed_gives_its_place_to_the_news(shop, first, news, prompt):
    folder, write = shop
    write(first)
    assert first in told(folder, prompt)
    write(news)
    assert news in told(folder, prompt)
    assert first not in told(folder, prompt)


def test_other_news_of_the_same_one_hides_nothing_unasked(shop):
    folder, write = shop
    write("The office is in Berlin", "The office got a new coffee machine")
    assert "Berlin" in told(folder, "where is the office?")


@pytest.mark.parametrize(
    ("text", "own", "others"),
    [
        (
            "Petra's birthday is on the third of June",
            "when is Petra's birthday?",
            "when is Ben's birthday?",
        ),
        (
            "The staging database lives on host kestrel",
            "where does the staging database live?",
            "where does the production database live?",
        ),
        ("Otto speaks Polish", "does Otto speak Polish?", "does Xenia speak Polish?"),
        (
            "Petra never answers the phone of the office",
            "does Petra answer the phone of the office?",
            "what is Petra's phone number at the office?",
        ),
    ],
)
def test_what_is_known_of_another_or_says_no_such_thing_is_not_brought_up(shop, text, own, others):
    folder, write = shop
    write(text)
    assert text in told(folder, own)
    assert text not in told(folder, others)


INVOICES = (
    "Where the invoices are: PostgreSQL 16 is the database that holds the invoices, one schema for each "
    "legal entity; the database of the invoices is copied every night, and what is older than ten years "
    "leaves it. Whoever looks for an invoice finds it in that database."
)


@pytest.mark.parametrize("later", [0, 1_200], ids=["no snapshot", "snapshot"])
def test_a_long_note_is_as_near_as_its_nearest_passage(tmp_path, later):
    folder = tmp_path / "memory"
    with Hippocampus.open(folder) as memory:
        memory.remember(f"{NOTE[:6_000]}\n\n{INVOICES}\n\n{NOTE[:6_000]}", scope="shop")
        memory.remember_many(notes(later or 40))
    with Hippocampus.open(folder) as memory:
        found = memory.recall(PROMPT, scope="shop").items[0]
    assert (folder / "index" / "current").exists() is bool(later)
    view = look(str(folder))
    candidates, _ = described(view, str(folder), PROMPT, visible(view, "shop"), time.time())
    view.close()
    assert found.memory_id == 1
    assert next(item.cosine for item in candidates if item.id == 1) == pytest.approx(found.cosine)
    assert found.cosine > 0.3
    assert "PostgreSQL 16 is the database" in told(folder)
