"""The second hop: a text that only another text leads to is found, and it is explained how."""

from __future__ import annotations

import math

import pytest

from realmemory import Hippocampus, MemoryConfig
from realmemory.clock import FakeClock

FIRST = "Ewa Marlow taught at the Kerenholt forestry academy for eleven years."
SECOND = "The Kerenholt forestry academy opened its doors in 1755."
QUESTION = "When was the place founded where Ewa Marlow taught?"


def noted(folder, **config):
    memory = Hippocampus.open(folder, config=MemoryConfig(**config), clock=FakeClock(1e9))
    texts = [
        f"In {month} the place of the {thing} was {verb}."
        for month in ("May", "June", "July", "August", "March")
        for thing in ("club", "choir", "league", "journal", "market")
        for verb in ("painted", "closed", "moved", "sold")
    ]
    for text in (FIRST, SECOND, *texts):
        memory.remember(text, force_new=True)
    return memory


def ranks(packet):
    return {item.text: at for at, item in enumerate(packet.items)}


def test_a_rare_word_of_the_first_hit_leads_to_the_answer(tmp_path):
    with noted(tmp_path / "on") as memory, noted(tmp_path / "off", hop_weight=0.0) as plain:
        found, before = memory.recall(QUESTION, k=10), plain.recall(QUESTION, k=10)
    assert found.items[0].text == before.items[0].text == FIRST
    assert SECOND not in ranks(before)
    assert ranks(found)[SECOND] < 10
    # What was sure enough to come first stays, in its order.
    first = [item.text for item in before.items[:3]]
    assert [item.text for item in found.items[: len(first)]] == first


def score_of(row):
    """Return a score as it was before it was put behind somebody whom the question names."""
    return row["stranger"]["before"] if "stranger" in row else row["score"]


def test_an_explanation_names_the_parts_and_they_add_up(tmp_path):
    with noted(tmp_path / "on") as memory, noted(tmp_path / "off", hop_weight=0.0) as plain:
        rows = memory.recall(QUESTION, k=60, explain=True).explanation["candidates"]
        others = plain.recall(QUESTION, k=60, explain=True).explanation["candidates"]
    before = {row["id"]: row for row in others}
    assert any(row["hop"]["bridge"] > 0 for row in rows)
    for row in rows:
        hop = row["hop"]
        assert set(hop) == {"before", "bridge", "nearby", "held"}
        if row["id"] in before:
            # Whom a better hit leads to may be another than whom the question names.
            if ("stranger" in row) == ("stranger" in before[row["id"]]):
                assert row["confidence"] == pytest.approx(before[row["id"]]["confidence"])
            if before[row["id"]]["score"] > 0:
                assert hop["before"] == pytest.approx(score_of(before[row["id"]]))
        if row["score"] > 0:
            log_odds = math.log(hop["before"] / (1 - hop["before"]))
            total = log_odds + hop["bridge"] + hop["nearby"] + hop["held"]
            assert score_of(row) == pytest.approx(1 / (1 + math.exp(-total)), rel=1e-6)


def test_the_turns_beside_a_hit_gain(tmp_path):
    def told(name, **config):
        memory = Hippocampus.open(tmp_path / name, config=MemoryConfig(**config))
        turns = ["Where did you leave the ladder?", "Behind the shed, as always."]
        memory.store_conversation(
            [
                {"speaker": speaker, "text": text}
                for speaker, text in zip(
                    ["Ann", "Bob"] * 6, [*turns, *(f"Word {n}." for n in range(10))], strict=True
                )
            ]
        )
        with memory:
            return memory.recall("the ladder", k=8, explain=True)

    packet = told("on")
    rows = {row["id"]: row for row in packet.explanation["candidates"]}
    assert max(row["hop"]["nearby"] for row in rows.values()) > 0.0
    assert [i.text for i in packet.items[:3]] == [
        i.text for i in told("off", hop_weight=0.0).items[:3]
    ]


def test_a_sure_answer_is_not_followed(tmp_path):
    with noted(tmp_path) as memory:
        rows = memory.recall(FIRST, k=10, explain=True).explanation["candidates"]
        assert all("hop" not in row for row in rows)
        few = memory.recall(QUESTION, k=3, explain=True).explanation["candidates"]
        assert all("hop" not in row for row in few)
