"""Changing the embedder: every trace gets a vector of the new one, whatever comes between."""

from __future__ import annotations

import pytest

from realmemory import Hippocampus
from realmemory.encoding.hashing import HashingEmbedder
from realmemory.encoding.registry import default
from realmemory.errors import EmbedderMismatchError
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
