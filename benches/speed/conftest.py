"""Stores of real sentences, written once for all benchmarks."""

import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import corpus
from realmemory import Hippocampus

SIZES = (1_000, 10_000)
SPARE = 4_000
"""Sentences that no store holds: new texts and questions."""


@pytest.fixture(scope="session")
def sentences():
    return corpus.texts(max(SIZES) + SPARE)


@pytest.fixture(scope="session")
def stores(sentences, tmp_path_factory):
    """Return the folder of a store by its number of traces."""
    folders = {}
    for size in SIZES:
        folders[size] = tmp_path_factory.mktemp(f"store{size}")
        with Hippocampus.open(folders[size]) as memory:
            for at in range(0, size, 2_000):
                memory.remember_many(sentences[at : min(at + 2_000, size)])
            memory.consolidate()
    return folders


@pytest.fixture(params=SIZES, ids=lambda size: f"{size:_}")
def folder(request, stores, tmp_path):
    """Return a copy of a store, so that no benchmark sees the writes of another."""
    copy = tmp_path / "copy"
    shutil.copytree(stores[request.param], copy)
    return copy


@pytest.fixture
def memory(folder):
    with Hippocampus.open(folder) as opened:
        opened.recall("which thread holds the lock", all_scopes=True)
        yield opened


@pytest.fixture
def unseen(sentences):
    """Return sentences that no store holds, without end."""

    def endless():
        number = 0
        while True:
            for text in sentences[-SPARE:]:
                yield text if number == 0 else f"{text} Note {number}."
            number += 1

    return endless()
