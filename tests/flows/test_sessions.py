"""Hits of conversations: with the turns beside them, and gathered by session."""

from __future__ import annotations

import pytest

from realmemory import InvalidInputError

SESSIONS = {
    "garden": [
        ("Ann", "I planted tulips by the fence."),
        ("Bob", "Which colour are the tulips?"),
        ("Ann", "The tulips are yellow, all of them tulips."),
        ("Bob", "Lovely."),
        ("Ann", "The fence needs paint."),
    ],
    "market": [("Ann", "The market sells tulips and bread."), ("Bob", "I buy bread there.")],
    "trip": [("Bob", "The train to Leiden was late."), ("Ann", "As always.")],
}


@pytest.fixture
def talks(memory):
    for name, turns in SESSIONS.items():
        memory.store_conversation(
            [{"speaker": speaker, "text": text} for speaker, text in turns], session_id=name
        )
    return memory


def test_a_hit_brings_the_turns_beside_it_in_order(talks):
    best = talks.recall("Is the train to Leiden late?", window=1).items[0]
    assert [turn.text for turn in best.around] == ["As always."]

    best = talks.recall("Which tulips are yellow?", window=2, k=1).items[0]
    texts = [text for _, text in SESSIONS["garden"]]
    expected = [texts[at] for at in range(5) if 0 < abs(at - best.turn_index) <= 2]
    assert [turn.text for turn in best.around] == expected
    assert all(talks.get(turn.memory_id).text == turn.text for turn in best.around)


def test_without_a_window_nothing_is_brought(talks):
    assert all(item.around == () for item in talks.recall("tulips").items)


def test_a_neighbour_that_was_forgotten_is_not_brought(talks):
    best = talks.recall("Is the train to Leiden late?", window=1).items[0]
    talks.forget([best.around[0].memory_id])
    assert talks.recall("Is the train to Leiden late?", window=1).items[0].around == ()


@pytest.mark.parametrize("grouping", ["session", "session_mean"])
def test_hits_are_gathered_by_session(talks, grouping):
    packet = talks.recall("tulips", group_by=grouping, k=5)
    names = [group.session_id for group in packet.sessions]
    assert names[:2] == ["garden", "market"]
    assert len(set(names)) == len(names)
    assert [item.memory_id for item in packet.items] == [
        group.items[0].memory_id for group in packet.sessions
    ]
    for group in packet.sessions:
        assert {item.session_id for item in group.items} == {group.session_id}
        scores = [item.score for item in group.items]
        if grouping == "session":
            # Further hits count, but far less than a better one.
            assert max(scores) <= group.score < min(1.0, sum(scores) + 1e-9)
        else:
            assert group.score == pytest.approx(sum(scores[:3]) / 3)
    scores = [group.score for group in packet.sessions]
    assert scores == sorted(scores, reverse=True)


def test_k_counts_sessions(talks):
    every = talks.recall("tulips", group_by="session", k=5)
    first = talks.recall("tulips", group_by="session", k=1)
    assert len(first.sessions) == len(first.items) == 1
    assert first.sessions[0].session_id == every.sessions[0].session_id


@pytest.mark.parametrize("options", [{"window": -1}, {"window": 21}, {"group_by": "speaker"}])
def test_what_cannot_be_asked_is_refused(talks, options):
    with pytest.raises(InvalidInputError):
        talks.recall("tulips", **options)
