"""Several writers of one session: every turn is kept once and has a place of its own."""

from __future__ import annotations

import threading

import pytest

from realmemory import Hippocampus
from realmemory.encoding.hashing import HashingEmbedder

WRITERS = 4


def together(folder, tell):
    """Let writers begin at once, each with the memory open for itself, and return its turns."""
    Hippocampus.open(folder, embedder=HashingEmbedder(dim=64)).close()
    start = threading.Barrier(WRITERS)
    failures: list[BaseException] = []

    def write(number: int) -> None:
        try:
            with Hippocampus.open(folder) as memory:
                start.wait()
                tell(memory, number)
        except BaseException as error:  # noqa: BLE001 - a thread must not swallow its failure
            failures.append(error)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    with Hippocampus.open(folder) as memory:
        assert memory.context.store.verify().ok
        return memory.list(kind="turn", limit=10_000)


@pytest.mark.parametrize(("calls", "length"), [(12, 1), (3, 5), (2, 150)])
def test_turns_that_several_append_have_a_place_each(tmp_path, calls, length):
    def tell(memory, number):
        for call in range(calls):
            turns = [{"text": f"Writer {number}, call {call}, line {i}"} for i in range(length)]
            memory.store_conversation(turns, session_id="shared")

    turns = together(tmp_path / "m", tell)

    total = WRITERS * calls * length
    assert sorted(turn.turn_index for turn in turns) == list(range(total))
    told = [turn.text for turn in sorted(turns, key=lambda turn: turn.turn_index)]
    beginnings = [at for at in range(total) if told[at].endswith("line 0")]
    # What one call told stands together.
    assert beginnings == list(range(0, total, length))
    assert len({text.rsplit(",", 1)[0] for text in told}) == WRITERS * calls


@pytest.mark.parametrize("length", [1, 3, 200])
def test_a_conversation_that_several_send_at_once_is_kept_once(tmp_path, length):
    told = [{"text": f"Line {i} of the minutes"} for i in range(length)]

    def tell(memory, number):
        del number
        report = memory.store_conversation(told, session_id="shared")
        assert [memory.get(item).text for item in report.ids] == [turn["text"] for turn in told]

    turns = together(tmp_path / "m", tell)

    assert sorted(turn.turn_index for turn in turns) == list(range(length))
