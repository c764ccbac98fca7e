"""Promises to users of other memories: long feeds, imports and dates cost nobody a fact."""

from __future__ import annotations

import threading
from datetime import UTC, datetime

from realmemory import Hippocampus, WriteRequest
from realmemory.clock import SystemClock
from realmemory.encoding.hashing import HashingEmbedder
from realmemory.interop.transfer import export_file
from realmemory.store.restoring import restore

MAY_8 = datetime(2023, 5, 8, 12, tzinfo=UTC).timestamp()


def memory_at(folder):
    return Hippocampus.open(folder, embedder=HashingEmbedder(dim=64))


def beside(work):
    """Run something in another thread; return what to wait with, which raises its failure."""
    failures: list[BaseException] = []

    def guarded():
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - a thread must not swallow its failure
            failures.append(error)

    thread = threading.Thread(target=guarded)
    thread.start()

    def wait():
        thread.join()
        assert failures == []

    return wait


def test_a_long_conversation_and_another_writer_lose_nothing_to_each_other(folder):
    """A session of 300 turns is taken in while a second server writes and asks."""
    turns = [
        {"text": f"Turn t{number} about the harbour", "speaker": "Ann"} for number in range(300)
    ]
    steps = []
    with memory_at(folder) as feeding, memory_at(folder) as other:
        wait = beside(
            lambda: feeding.store_conversation(
                turns, session_id="s", progress=lambda done, _: steps.append(done)
            )
        )
        facts = [other.remember(f"Crane c{number} is repaired").memory_id for number in range(30)]
        wait()
        assert len({other.get(memory_id).text for memory_id in facts}) == 30
        texts = [trace.text for trace in other.list(kind="turn", limit=1_000)]
        assert sorted(texts) == sorted(turn["text"] for turn in turns)
    # The lock is given back often, so that nobody waits for the whole feed.
    assert max(after - before for before, after in zip([0, *steps], steps, strict=False)) <= 64


def test_recall_answers_while_thousands_are_taken_in(folder):
    """An import runs; every question in the meantime is answered from what is there."""
    with memory_at(folder) as importing, memory_at(folder) as asking:
        importing.remember("The lighthouse keeper is called Morwenna")
        done = threading.Event()

        def take_in():
            for start in range(0, 1_500, 250):
                importing.remember_many(
                    WriteRequest(f"Parcel p{start + number} is in bay b{number}", force_new=True)
                    for number in range(250)
                )
            done.set()

        wait = beside(take_in)
        answers = 0
        while not done.is_set() or not answers:
            packet = asking.recall("who keeps the lighthouse?")
            assert packet.items[0].text.endswith("Morwenna")
            answers += 1
        wait()
        assert importing.stats()["memories_active"] == 1_501


def test_a_fact_carries_the_time_it_was_seen_and_relative_days_count_from_there(folder):
    """Notes of 2023 are taken in today; "yesterday" in them is a day of 2023."""
    with Hippocampus.open(folder) as memory:
        for day in range(20):
            memory.store_conversation(
                [{"text": f"Entry e{day}: nothing to report", "speaker": "Ann"}],
                observed_at=MAY_8 + (day - 10) * 86_400.0 * 3,
            )
        kept = memory.store_conversation(
            [{"text": "Yesterday I adopted a greyhound", "speaker": "Ann"}], observed_at=MAY_8
        ).ids[0]
        trace = memory.get(kept)
        assert trace.observed_at == MAY_8
        assert trace.created_at > MAY_8
        packet = memory.recall("what did Ann adopt on 7 May 2023?", k=3)
        assert kept in [item.memory_id for item in packet.items]
        later = memory.recall("who adopted a greyhound?", since=MAY_8 + 1)
        assert kept not in [item.memory_id for item in later.items]


def test_an_erased_secret_is_in_no_byte_of_the_folder(folder):
    """A secret is stored, reworded, recalled, backed up and slept over before it is erased."""
    secret = "zebra-quokka-4711-velvet"
    with memory_at(folder) as memory:
        kept = memory.remember(f"The code of the vault is {secret}").memory_id
        memory.remember(f"The code of the vault is: {secret}!")
        memory.recall(f"is {secret} the code of the vault?")
        memory.link_memories([kept, memory.remember("The vault is in the cellar").memory_id])
        memory.consolidate()
        new = memory.update_fact(kept, f"The code of the vault was {secret}").memory_id
        memory.consolidate()
        receipt = memory.forget([kept, new], hard=True, backups="rewrite")
        assert receipt.remaining_copies == ()
        holding = [
            path.name
            for path in folder.rglob("*")
            if path.is_file() and b"quokka" in path.read_bytes()
        ]
        assert holding == []
        answers = memory.recall("what is the code of the vault?").items
        assert not any(secret in item.text for item in answers)


def test_many_changes_leave_little_on_disk_and_a_restart_changes_no_answer(folder):
    """Every fact is corrected ten times; a sleep, a restart and a restore come after."""
    questions = [f"valve {number} of hall {number % 7}" for number in range(0, 40, 2)]

    def answers(memory):
        packets = [memory.recall(question, k=5) for question in questions]
        return [[(item.memory_id, item.confidence) for item in packet.items] for packet in packets]

    def exported(memory, name):
        export_file(memory, folder.parent / name)
        return (folder.parent / name).read_bytes()

    with Hippocampus.open(folder) as memory:
        text = "Valve {} of hall {} opens at {} bar"
        ids = [memory.remember(text.format(n, n % 7, n * 13)).memory_id for n in range(40)]
        for round_ in range(1, 11):
            ids = [
                memory.update_fact(old, text.format(n, n % 7, n * 13 + round_)).memory_id
                for n, old in enumerate(ids)
            ]
        before = answers(memory)
        memory.consolidate()
    with Hippocampus.open(folder) as memory:
        assert answers(memory) == before
        wanted = exported(memory, "before.jsonl")
        saved = memory.context.store.backup().path
        memory.remember("A note that the backup does not hold")
    kept = ("memory.db", "memory.db-wal", "index/*.index")
    used = sum(path.stat().st_size for name in kept for path in folder.glob(name))
    assert used <= 3 * len(wanted)
    restore(folder, saved, clock=SystemClock())
    with Hippocampus.open(folder) as memory:
        assert exported(memory, "after.jsonl") == wanted
        assert answers(memory) == before


def test_a_sleep_adds_no_memory_and_changes_no_answer(folder):
    """Recalled together, linked and slept over: nothing derived ever answers a question."""
    with Hippocampus.open(folder) as memory:
        facts = [memory.remember(f"Pump {n} feeds basin {n * 3}").memory_id for n in range(12)]
        memory.link_memories(facts[:4])
        before = memory.recall("which pump feeds basin 9?", k=20).items
        for _ in range(3):
            memory.consolidate()
            assert sorted(trace.id for trace in memory.list(limit=100)) == sorted(facts)
        after = memory.recall("which pump feeds basin 9?", k=20).items
        assert [item.memory_id for item in after] == [item.memory_id for item in before]


def test_after_a_merge_only_the_survivor_answers(folder):
    """One sentence five times and a restatement of it are one memory that was said six times."""
    with Hippocampus.open(folder) as memory:
        kept = {
            memory.remember("The bakery opens at seven on weekdays.").memory_id for _ in "12345"
        }
        kept.add(memory.remember("On weekdays the bakery opens at seven.").memory_id)
        assert len(kept) == 1
        (trace,) = memory.list()
        assert trace.reinforced_count == 5
        hits = memory.recall("when does the bakery open on weekdays?", include_superseded=True)
        assert [item.memory_id for item in hits.items] == sorted(kept)


def test_every_hit_names_the_memory_that_holds_its_text(folder):
    """Texts that begin alike, a long note and turns of two sessions: no id stands for another."""
    note = "The harbour office keeps the minutes. " * 60 + "The spare key hangs behind the clock."
    with Hippocampus.open(folder) as memory:
        for number in range(8):
            memory.remember(f"The harbour office rents berth {number} to boat {number * 7}")
        memory.remember(note)
        for session in ("one", "two"):
            turns = [{"speaker": "Ann", "text": f"The harbour office is closed ({session})"}]
            memory.store_conversation(turns, session_id=session)
        items = memory.recall("what does the harbour office do?", k=20, window=1).items
        assert len(items) == len({item.memory_id for item in items}) > 8
        for item in items:
            assert memory.get(item.memory_id).text == item.text
            assert item.span is None or item.text[slice(*item.span)]
