"""What is said twice is kept twice; what is sent twice is kept once; what was erased stays erased."""

from __future__ import annotations

import pytest

from realmemory import Hippocampus
from realmemory.clock import DAY
from realmemory.interop.transfer import export_file, import_file

MAY_8 = 1_683_504_000.0
HOUR = 3_600.0
SAID = [
    ("Ann", "Is the door locked?"),
    ("Bob", "yes"),
    ("Ann", "And the window?"),
    ("Bob", "yes"),
    ("Bob", "yes"),
    ("Ann", "thanks"),
    ("Ann", "remind me at 9"),
    ("Bob", "Noted."),
    ("Ann", "remind me at 9"),
    ("Bob", "Noted."),
]
PLAIN = [{"speaker": speaker, "text": text} for speaker, text in SAID]
DATED = [{**turn, "observed_at": MAY_8 + at * HOUR} for at, turn in enumerate(PLAIN)]


def _texts(memory, **filters):
    return [trace.text for trace in reversed(memory.list(kind="turn", limit=100, **filters))]


def test_turn_by_turn_everything_with_a_time_of_its_own_is_kept(memory):
    for _ in range(2):
        for turn in DATED:
            memory.store_conversation([turn], session_id="s1")

    assert _texts(memory) == [text for _, text in SAID]


def test_the_time_of_a_call_with_one_turn_is_that_of_the_turn(memory):
    for at, turn in enumerate(PLAIN):
        memory.store_conversation([turn], session_id="s1", observed_at=MAY_8 + at)

    assert _texts(memory) == [text for _, text in SAID]


def test_an_exchange_of_the_next_day_is_another(memory):
    greeting = [{"text": "Good morning!"}, {"text": "Good morning, how can I help?"}]
    days = [MAY_8, MAY_8 + DAY, MAY_8 + 2 * DAY]

    kept = [
        memory.store_conversation(greeting, session_id="s1", observed_at=day).stored for day in days
    ]
    again = memory.store_conversation(greeting, session_id="s1", observed_at=days[1])

    assert kept == [2, 2, 2]
    assert again.stored == 0
    assert [memory.get(item).turn_index for item in again.ids] == [2, 3]


def test_a_whole_transcript_under_another_time_was_sent_again(memory):
    turns = [{"speaker": "Ann", "text": f"Point {at} of the agenda"} for at in range(13)]
    first = memory.store_conversation(turns, session_id="s1", observed_at=MAY_8)

    again = memory.store_conversation(turns, session_id="s1", observed_at=MAY_8 + 9 * DAY)
    longer = memory.store_conversation(
        [*turns, {"text": "Any other business?"}], session_id="s1", observed_at=MAY_8 + 9 * DAY
    )

    assert (again.stored, again.ids) == (0, first.ids)
    assert any("at another time" in warning for warning in again.warnings)
    assert (longer.stored, longer.warnings) == (1, ())
    assert {memory.get(item).observed_at for item in first.ids} == {MAY_8}


def test_turns_with_times_of_their_own_are_as_many_as_they_are(memory):
    for day in range(2):
        for at in range(14):
            said = {"text": "Still no news", "observed_at": MAY_8 + day * DAY + at * HOUR}
            memory.store_conversation([said], session_id="s1")

    assert len(_texts(memory)) == 28


def test_without_times_the_last_turn_again_is_a_retry_and_an_older_one_is_new(memory):
    yes = [{"speaker": "Bob", "text": "yes"}]
    memory.store_conversation(PLAIN[:2], session_id="s1")

    retry = memory.store_conversation(yes, session_id="s1")
    memory.store_conversation(PLAIN[2:3], session_id="s1")
    later = memory.store_conversation(yes, session_id="s1")

    assert (retry.stored, later.stored) == (0, 1)
    assert memory.get(later.ids[0]).turn_index == 3


def test_the_same_word_of_somebody_else_is_another_turn(memory):
    memory.store_conversation([{"speaker": "Ann", "text": "Goodbye"}], session_id="s1")

    report = memory.store_conversation([{"speaker": "Bob", "text": "Goodbye"}], session_id="s1")

    assert report.stored == 1


@pytest.mark.parametrize("turns", [PLAIN, DATED], ids=["plain", "dated"])
@pytest.mark.parametrize("width", [3, 4, 7])
def test_a_sliding_window_keeps_every_turn_once(memory, turns, width):
    for end in range(1, len(turns) + 1):
        memory.store_conversation(turns[max(0, end - width) : end], session_id="s1")

    assert _texts(memory) == [text for _, text in SAID]


def test_a_growing_transcript_keeps_every_turn_once_though_each_call_says_now(memory):
    for end in range(1, len(PLAIN) + 1):
        memory.store_conversation(PLAIN[:end], session_id="s1", observed_at=MAY_8 + end)

    assert _texts(memory) == [text for _, text in SAID]


def test_chunks_that_are_sent_again_in_order_store_nothing(memory):
    chunks = [PLAIN[:4], PLAIN[4:7], PLAIN[7:]]
    for chunk in chunks:
        memory.store_conversation(chunk, session_id="s1")

    assert [memory.store_conversation(one, session_id="s1").stored for one in chunks] == [0, 0, 0]


def test_what_stands_before_tells_a_repeated_call_from_a_repeated_word(memory):
    memory.store_conversation(PLAIN[:4], session_id="s1")

    retry = memory.store_conversation(PLAIN[1:2], preceding=PLAIN[:1], session_id="s1")
    said_again = memory.store_conversation(PLAIN[4:5], preceding=PLAIN[2:4], session_id="s1")

    assert (retry.stored, said_again.stored) == (0, 1)
    assert memory.get(said_again.ids[0]).turn_index == 4


@pytest.mark.parametrize("gone", [(0,), (2,), (9,), (3, 4), (8, 9), tuple(range(10))])
@pytest.mark.parametrize("turns", [PLAIN, DATED], ids=["plain", "dated"])
def test_an_erased_turn_stays_erased_when_the_conversation_comes_again(memory, turns, gone):
    ids = memory.store_conversation(turns, session_id="s1").ids
    memory.forget([ids[at] for at in gone], hard=True)
    left = _texts(memory)

    report = memory.store_conversation(turns, session_id="s1")
    longer = memory.store_conversation([*turns, {"text": "See you"}], session_id="s1")

    assert (report.stored, report.ids) == (0, ids)
    assert any("erased on request" in warning for warning in report.warnings)
    assert longer.stored == 1
    assert _texts(memory) == [*left, "See you"]


def test_after_an_erased_turn_the_conversation_goes_on(memory):
    ids = memory.store_conversation(PLAIN, session_id="s1").ids
    memory.forget(ids[-1], hard=True)

    more = memory.store_conversation([{"text": "Who took the key?"}], session_id="s1")
    elsewhere = memory.store_conversation(PLAIN, session_id="s2")

    assert memory.get(more.ids[0]).turn_index == len(PLAIN)
    assert elsewhere.stored == len(PLAIN)


def test_an_export_takes_along_that_a_turn_was_erased(memory, tmp_path):
    ids = memory.store_conversation(PLAIN, session_id="s1").ids
    memory.forget(ids[0], hard=True)
    export_file(memory, tmp_path / "all.jsonl")

    with Hippocampus.open(tmp_path / "other") as other:
        import_file(other, tmp_path / "all.jsonl")
        report = other.store_conversation(PLAIN, session_id="s1")

        assert report.stored == 0
        assert SAID[0][1] not in _texts(other)
