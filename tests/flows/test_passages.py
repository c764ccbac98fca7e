"""A fact anywhere in a long text is found by its meaning, and shown with its place."""

from __future__ import annotations

import numpy as np
import pytest

from realmemory import EmbeddingError, Hippocampus
from realmemory.encoding.hashing import HashingEmbedder
from realmemory.encoding.static import StaticEmbedder
from realmemory.flows.long_texts import cut_missing
from realmemory.flows.reembed import reembed
from realmemory.index import passage_rows

FACT = "The kayak is kept in the boathouse behind the mill."
FILLER = (
    "The quarterly report lists revenue by region and compares it with the plan. "
    "Several departments asked for more time to review the figures before publication. "
)
LONG_NOTE = FILLER * 200 + FACT
QUESTION = "Where is the canoe stored?"


def rows_of(memory, trace_id):
    memory.recall("anything at all")
    return passage_rows.rows_of(memory.context.index.engine, trace_id)


@pytest.fixture
def note(memory):
    for at in range(12):
        memory.remember(f"The committee number {at} meets on floor {at} to discuss budgets.")
    return memory.remember(LONG_NOTE).memory_id


def test_the_meaning_of_a_fact_at_the_end_of_a_long_note_is_not_lost(memory, note):
    rows = memory.recall(QUESTION, explain=True).explanation["candidates"]
    nearest = max(rows, key=lambda row: row["cosine"])
    assert nearest["id"] == note
    # By meaning: no content word of the question stands in the note.
    assert nearest["matched"] == 0
    embedder = memory.context.embedder
    whole = float(embedder.embed([LONG_NOTE])[0] @ embedder.embed_queries([QUESTION])[0])
    assert nearest["cosine"] > whole + 0.1


def test_the_hit_names_the_passage(memory, note):
    best = memory.recall("In which place is the kayak stored?").items[0]
    assert best.memory_id == note
    start, end = best.span
    assert FACT in LONG_NOTE[start:end]
    assert end - start <= 400


def test_the_span_holds_the_words_of_the_question(memory, note):
    (best, *_) = memory.recall("boathouse kayak").items
    start, end = best.span
    assert FACT in best.text[start:end]


def test_a_short_text_has_no_span(memory):
    memory.remember(FACT)
    assert memory.recall("kayak boathouse").items[0].span is None


def test_a_long_turn_has_passages_too(memory):
    (turn,) = memory.store_conversation([{"speaker": "Ann", "text": LONG_NOTE}]).ids
    best = memory.recall("In which place is the kayak stored?").items[0]
    assert best.memory_id == turn
    assert FACT in LONG_NOTE[slice(*best.span)]


def test_nothing_is_left_of_an_erased_note(memory, note):
    assert rows_of(memory, note)
    memory.forget([note], hard=True)
    assert rows_of(memory, note) == []


def test_an_archived_note_hides_its_passages_until_it_is_restored(memory, note):
    before = rows_of(memory, note)
    memory.forget([note])
    assert rows_of(memory, note) == []
    memory.restore([note])
    assert rows_of(memory, note) == before


def test_another_scope_does_not_see_the_passages(memory):
    memory.remember(LONG_NOTE, scope="boats")
    memory.remember("The committee meets on Friday.", scope="cars")
    words = "In which place is the kayak stored?"
    assert all(item.scope != "boats" for item in memory.recall(words, scope="cars").items)
    assert memory.recall(words, all_scopes=True).items[0].scope == "boats"


def test_passages_survive_in_the_snapshot(folder, clock):
    with Hippocampus.open(folder, clock=clock) as memory:
        note = memory.remember(LONG_NOTE).memory_id
        for at in range(300):
            memory.remember(f"Locker {at} belongs to member {at * 7}.", force_new=True)
        memory.recall("locker")
        memory.consolidate()
        expected = rows_of(memory, note)
    assert expected
    with Hippocampus.open(folder, clock=clock) as memory:
        assert rows_of(memory, note) == expected
        assert memory.recall("Where is the kayak kept?").items[0].memory_id == note


@pytest.fixture
def older(folder, clock):
    """A store of a version that knew no passages, with three long notes; their ids."""
    with Hippocampus.open(folder, clock=clock) as memory:
        for at in range(12):
            memory.remember(f"The committee number {at} meets on floor {at} to discuss budgets.")
        texts = [FILLER * 200, LONG_NOTE, FILLER * 150]
        ids = [memory.remember(text, force_new=True).memory_id for text in texts]
        with memory.context.store.write() as tx:
            for trace_id in ids:
                tx.passages.replace(trace_id, [])
    return ids


def found_by_passage(memory):
    hits = memory.recall("In which place is the kayak stored?").items[:1]
    return any(hit.span is not None and FACT in hit.text[slice(*hit.span)] for hit in hits)


def test_a_sleep_gives_passages_to_the_long_texts_of_an_older_store(folder, clock, older):
    with Hippocampus.open(folder, clock=clock) as memory:
        assert not found_by_passage(memory)
        assert memory.consolidate().long_texts_cut == 3
        assert found_by_passage(memory)
        assert memory.consolidate().long_texts_cut == 0


def test_a_reembedding_does_so_too(folder, clock, older):
    with Hippocampus.open(folder, clock=clock) as memory:
        reembed(memory.context)
        assert found_by_passage(memory)


def test_cutting_stops_in_between_and_goes_on(folder, clock, older):
    with Hippocampus.open(folder, clock=clock) as memory:
        steps = [cut_missing(memory.context, most_chars=1) for _ in range(4)]
        assert steps == [1, 1, 1, 0]
        assert found_by_passage(memory)


def test_an_embedder_that_fails_spoils_no_sleep_and_the_next_one_goes_on(folder, clock, older):
    class Failing(StaticEmbedder):
        broken = True

        def embed(self, texts):
            if self.broken:
                raise EmbeddingError("out of order")
            return super().embed(texts)

    embedder = Failing()
    with Hippocampus.open(folder, clock=clock, embedder=embedder) as memory:
        report = memory.consolidate()
        assert report.long_texts_cut == 0
        assert "out of order" in report.warnings[0]
        embedder.broken = False
        assert memory.consolidate().long_texts_cut == 3
        assert found_by_passage(memory)


def test_a_foreign_embedder_cuts_nothing(folder, clock, older):
    foreign = HashingEmbedder(256)
    with Hippocampus.open(folder, clock=clock, embedder=foreign, verify_embedder=False) as memory:
        assert memory.consolidate().long_texts_cut == 0
    with Hippocampus.open(folder, clock=clock) as memory:
        assert memory.consolidate().long_texts_cut == 3


def test_another_embedder_encodes_the_passages_anew(memory, note):
    other = HashingEmbedder(256)
    reembed(memory.context, other)
    with memory.context.store.read() as view:
        parts = view.passages.of([note])[note]
    expected = other.embed([LONG_NOTE[part.start : part.end] for part in parts])
    stored = [np.frombuffer(part.embedding, np.float32) for part in parts]
    np.testing.assert_array_equal(np.array(stored), expected)
