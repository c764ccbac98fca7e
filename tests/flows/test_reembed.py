"""Changing the embedder: every trace gets a vector of the new one, whatever comes between."""

from __future__ import annotations

import signal
import subprocess
import sys

import apsw
import pytest

from realmemory import Hippocampus
from realmemory.encoding.hashing import HashingEmbedder
from realmemory.encoding.registry import default
from realmemory.errors import EmbedderMismatchError, StoreBusyError
from realmemory.flows.reembed import reembed


@pytest.fixture
def folder(tmp_path):
    with Hippocampus.open(tmp_path / "m", embedder=HashingEmbedder(256)) as memory:
        for n in range(30):
            memory.remember(f"Valve number {n} opens at {n * 17} bar", force_new=True)
    return tmp_path / "m"


def spaces(memory):
    with memory.context.store.read() as view:
        markers = {space.id: space.marker for space in view.spaces.all()}
        counts = view.spaces.counts()
    return {markers[space]: n for space, n in counts.items() if space is not None}


def top(memory):
    return [item.text for item in memory.recall("valve number 7 opens", k=1).items]


def test_after_the_change_the_memory_opens_with_the_new_embedder(folder):
    target = default()
    with Hippocampus.open(folder, embedder=target, verify_embedder=False) as memory:
        report = reembed(memory.context, target, batch=7)
    assert (report.examined, report.reembedded, report.already_current) == (30, 30, 0)

    with Hippocampus.open(folder) as memory:
        assert spaces(memory) == {target.name: 30}
        assert top(memory) == ["Valve number 7 opens at 119 bar"]
        assert memory.context.store.verify().ok
    with pytest.raises(EmbedderMismatchError):
        Hippocampus.open(folder, embedder=HashingEmbedder(256))


class StoppedError(Exception):
    """The process ends here."""


def test_an_interrupted_change_goes_on_where_it_stopped(folder):
    target = default()

    def stop(done, total):
        assert total == 30
        if done >= 14:
            raise StoppedError

    with (
        Hippocampus.open(folder, embedder=target, verify_embedder=False) as memory,
        pytest.raises(StoppedError),
    ):
        reembed(memory.context, target, batch=7, progress=stop)
    with Hippocampus.open(folder, embedder=HashingEmbedder(256)) as memory:
        assert spaces(memory)[target.name] == 14
        assert top(memory) == ["Valve number 7 opens at 119 bar"]
        memory.remember("A new valve 31 came between and opens at 3 bar", force_new=True)
    with Hippocampus.open(folder, embedder=target, verify_embedder=False) as memory:
        report = reembed(memory.context, target)
    assert (report.examined, report.reembedded, report.already_current) == (31, 17, 14)
    with Hippocampus.open(folder) as memory:
        assert spaces(memory) == {target.name: 31}


def test_without_another_embedder_only_gaps_are_filled(folder):
    with Hippocampus.open(folder, embedder=HashingEmbedder(256)) as memory:
        assert reembed(memory.context).reembedded == 0
        with memory.context.store.write() as tx:
            tx.traces.set_embeddings(1, {1: None, 2: None})
        assert reembed(memory.context).reembedded == 2


KILLED = """
import os, signal, sys
from realmemory import Hippocampus
from realmemory.encoding.registry import default
from realmemory.flows.reembed import reembed

def die(done, total):
    if done >= 14:
        os.kill(os.getpid(), signal.SIGKILL)

with Hippocampus.open(sys.argv[1], embedder=default(), verify_embedder=False) as memory:
    reembed(memory.context, default(), batch=7, progress=die)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_killed_change_is_announced_by_every_answer_until_it_is_finished(folder):
    with Hippocampus.open(folder, embedder=HashingEmbedder(256)) as reader:
        assert reader.recall("valve number 7 opens", k=1).degraded is None
        killed = subprocess.run([sys.executable, "-c", KILLED, str(folder)], check=False)
        assert killed.returncode == -signal.SIGKILL
        for word in ("valve number 7 opens", "valve number 27 opens"):
            packet = reader.recall(word, k=1)
            assert packet.items
            assert "being changed" in packet.degraded
        target = default()
        with Hippocampus.open(folder, embedder=target, verify_embedder=False) as memory:
            assert "another embedder" in memory.recall("valve number 7 opens", k=1).degraded
            assert reembed(memory.context, target).already_current == 14
            assert memory.recall("valve number 7 opens", k=1).degraded is None
        # Who still works with the old embedder answers by words, and says so.
        packet = reader.recall("valve number 7 opens", k=1)
        assert packet.items[0].text == "Valve number 7 opens at 119 bar"
        assert "another embedder" in packet.degraded
    with Hippocampus.open(folder) as memory:
        assert memory.recall("valve number 7 opens", k=1).degraded is None
        assert memory.context.store.verify().ok


class Counting(HashingEmbedder):
    """Counts the texts that it is asked to embed, so that an omitted one shows."""

    def __init__(self):
        super().__init__(128)
        self.asked = []

    def embed(self, texts):
        self.asked += texts
        return super().embed(texts)


LONG = " ".join(f"Paragraph {n} of the manual is about pump {n * 3}." for n in range(120))


def vectors(folder):
    connection = apsw.Connection(str(folder / "memory.db"), flags=apsw.SQLITE_OPEN_READONLY)
    rows = connection.execute(
        "SELECT id, hex(embedding) FROM traces UNION ALL "
        "SELECT trace_id * 1000 + ordinal, hex(embedding) FROM passages"
    )
    found = dict(rows)
    connection.close()
    return found


def there_and_back(folder, counting, between=lambda memory: None):
    """Change to the shipped embedder and back; return the report of the way back."""
    with Hippocampus.open(folder, embedder=default(), verify_embedder=False) as memory:
        assert reembed(memory.context, default(), batch=7).kept > 0
    with Hippocampus.open(folder) as memory:
        between(memory)
    counting.asked.clear()
    with Hippocampus.open(folder, embedder=counting, verify_embedder=False) as memory:
        report = reembed(memory.context, counting, batch=7)
        assert memory.context.store.verify().ok
    return report


@pytest.fixture
def counted(tmp_path):
    """A memory of thirty facts and one long text with passages."""
    counting = Counting()
    with Hippocampus.open(tmp_path / "c", embedder=counting) as memory:
        for n in range(30):
            memory.remember(f"Valve number {n} opens at {n * 17} bar", force_new=True)
        memory.remember(LONG)
    return tmp_path / "c", counting


def test_a_change_back_embeds_only_what_is_new(counted):
    folder, counting = counted
    before = vectors(folder)
    assert len(before) > 32  # The long text has passages.
    new = "The new pump has a blue handle"
    report = there_and_back(folder, counting, lambda memory: memory.remember(new))
    assert counting.asked == [new]
    assert (report.examined, report.reembedded, report.restored) == (32, 32, 31)
    after = vectors(folder)
    assert {key: after[key] for key in before} == before


def test_a_kept_vector_with_a_flipped_bit_is_made_anew(counted):
    folder, counting = counted
    before = vectors(folder)

    def harm(memory):
        with memory.context.store.write() as tx:
            tx._session.run(
                "UPDATE kept_vectors SET embedding = zeroblob(length(embedding)) "
                "WHERE trace_id = 3 OR (trace_id = 31 AND ordinal = 1)"
            )

    report = there_and_back(folder, counting, harm)
    assert len(counting.asked) == 2
    assert report.restored == 30
    assert vectors(folder) == before


def test_only_the_embedder_before_is_kept_and_none_on_request(counted):
    folder, counting = counted

    def kept(embedder, **options):
        with Hippocampus.open(folder, embedder=embedder, verify_embedder=False) as memory:
            report = reembed(memory.context, embedder, **options)
            with memory.context.store.read() as view:
                names = {space.id: space.marker for space in view.spaces.all()}
                sizes = view.kept_vectors.sizes()
        assert report.kept == sum(count for count, _ in sizes.values())
        return {names[space]: octets // count for space, (count, octets) in sizes.items()}

    target, third = default(), HashingEmbedder(64)
    assert kept(target) == {counting.name: 4 * counting.dim}
    assert kept(third) == {target.name: 4 * target.dim}
    assert kept(third) == {target.name: 4 * target.dim}  # Filling gaps drops nothing.
    assert kept(third, keep=False) == {}
    counting.asked.clear()
    kept(counting, keep=False)
    assert len(counting.asked) > 31


def test_what_is_erased_takes_its_kept_vectors_along(counted):
    folder, counting = counted

    def erase(memory):
        memory.forget([5, 31], hard=True)
        with memory.context.store.read() as view:
            ((count, _),) = view.kept_vectors.sizes().values()
        assert count == 29

    assert there_and_back(folder, counting, erase).examined == 29
    assert counting.asked == []


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_killed_change_is_taken_back_for_nothing(counted):
    folder, counting = counted
    before = vectors(folder)
    killed = subprocess.run([sys.executable, "-c", KILLED, str(folder)], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert vectors(folder) != before
    counting.asked.clear()
    with Hippocampus.open(folder, embedder=counting) as memory:
        report = reembed(memory.context)
        assert memory.recall("valve number 7 opens", k=1).degraded is None
        assert memory.context.store.verify().ok
    assert (report.reembedded, report.restored, counting.asked) == (14, 14, [])
    assert vectors(folder) == before


@pytest.mark.parametrize("first", [default(), HashingEmbedder(256)], ids=["change", "gaps"])
def test_of_two_changes_at_once_the_later_wins_and_the_other_is_told(folder, first):
    later = HashingEmbedder(128)

    def challenge(done, total):
        assert done <= total
        with Hippocampus.open(folder, verify_embedder=False) as other:
            reembed(other.context, later, batch=7)

    with Hippocampus.open(folder, embedder=first, verify_embedder=False) as memory:
        if first.name == HashingEmbedder(256).name:
            memory.remember("Valve number 30 opens at 510 bar", force_new=True)
            with memory.context.store.write() as tx:
                tx.traces.set_embeddings(memory.context.space_id, dict.fromkeys((3, 9, 27)))
        with pytest.raises(StoreBusyError) as told:
            reembed(memory.context, first, batch=2, progress=challenge)
    assert told.value.code == "change_overtaken"

    with Hippocampus.open(folder) as memory:
        assert set(spaces(memory)) == {later.name}
        assert top(memory) == ["Valve number 7 opens at 119 bar"]
        assert memory.context.store.verify().ok


def test_two_changes_to_one_embedder_both_come_to_their_end(folder):
    target = default()

    def same(done, total):
        if done == 7:
            with Hippocampus.open(folder, verify_embedder=False) as other:
                assert reembed(other.context, target, batch=7).reembedded == total - done

    with Hippocampus.open(folder, embedder=target, verify_embedder=False) as memory:
        reembed(memory.context, target, batch=7, progress=same)
    with Hippocampus.open(folder) as memory:
        assert spaces(memory) == {target.name: 30}
        assert memory.context.store.verify().ok
