"""A memory begins from its snapshot, and never answers differently because of one."""

import os

import pytest

from realmemory import Hippocampus, NotFoundError
from realmemory.core.memory_index import MemoryIndex
from realmemory.encoding.hashing import HashingEmbedder
from realmemory.index import live_index, snapshot
from realmemory.index.snapshot import SnapshotFolder, worth_saving

FACTS = [f"fact {number}: the {number % 7}th lamp is number {number * 31}" for number in range(60)]


@pytest.fixture(autouse=True)
def small_thresholds(monkeypatch):
    monkeypatch.setattr(snapshot, "_MIN_CHANGES", 10)


def opened(path):
    return Hippocampus.open(path, embedder=HashingEmbedder(256))


def filled(path):
    with opened(path) as memory:
        for fact in FACTS:
            memory.remember(fact, force_new=True)


def shown(memory, query="the lamp with number 341"):
    return [(item.memory_id, item.cosine) for item in memory.recall(query, k=10).items]


def test_closing_writes_a_snapshot_and_opening_reads_only_what_came_after(tmp_path, monkeypatch):
    filled(tmp_path)
    with opened(tmp_path) as memory:
        expected = shown(memory)
    assert (tmp_path / "index" / "current").read_text() == "1.index"
    read = []
    upsert = MemoryIndex.upsert
    monkeypatch.setattr(
        live_index.MemoryIndex,
        "upsert",
        lambda self, ids, *rest, **named: (read.extend(ids), upsert(self, ids, *rest, **named)),
    )
    with opened(tmp_path) as memory:
        assert shown(memory) == expected
        assert read == []
        added = memory.remember("a lamp of its own", force_new=True).memory_id
        memory.recall("lamp")
        assert set(read) == {added}


@pytest.mark.parametrize("damage", ["gone", "torn", "flipped", "pointer", "foreign"])
def test_whatever_happens_to_the_snapshot_the_answer_is_the_same(tmp_path, damage):
    filled(tmp_path / "a")
    with opened(tmp_path / "a") as memory:
        expected = shown(memory)
    file = tmp_path / "a" / "index" / "1.index"
    whole = file.read_bytes()
    file.unlink()
    if damage == "torn":
        file.write_bytes(whole[: len(whole) // 2])
    elif damage == "flipped":
        file.write_bytes(bytes(byte ^ 0x10 for byte in whole[:9_000]) + whole[9_000:])
    elif damage == "pointer":
        file.write_bytes(whole)
        (file.parent / "current").write_bytes(b"\xff../../etc/passwd")
    elif damage == "foreign":
        filled(tmp_path / "b")
        file.write_bytes((tmp_path / "b" / "index" / "1.index").read_bytes())
    with opened(tmp_path / "a") as memory:
        assert shown(memory) == expected


def test_damage_that_shows_late_is_repaired_in_the_middle_of_a_recall(tmp_path):
    filled(tmp_path)
    with opened(tmp_path) as memory:
        expected = shown(memory)
    file = tmp_path / "index" / "1.index"
    whole = file.read_bytes()
    vector = next(iter(HashingEmbedder(256).embed([FACTS[0]]))).tobytes()
    at = whole.index(vector)
    file.unlink()
    file.write_bytes(whole[:at] + bytes(len(vector)) + whole[at + len(vector) :])
    with opened(tmp_path) as memory:
        assert shown(memory) == expected
        memory.remember("still writable", force_new=True)


def test_a_hard_forget_takes_the_snapshots_along(tmp_path):
    filled(tmp_path)
    with opened(tmp_path) as memory:
        memory.recall("lamp")
        memory.forget([1], hard=True)
        assert list((tmp_path / "index").iterdir()) == []
    with opened(tmp_path) as memory:
        assert 1 not in [item.memory_id for item in memory.recall(FACTS[0]).items]


def test_a_hard_forget_that_is_refused_leaves_the_snapshots(tmp_path):
    filled(tmp_path)
    with opened(tmp_path) as memory:
        before = sorted((tmp_path / "index").iterdir())
        assert before
        with pytest.raises(NotFoundError):
            memory.forget([1, 4711], hard=True)
        assert sorted((tmp_path / "index").iterdir()) == before


def test_old_generations_and_what_killed_writers_left_are_collected(tmp_path):
    folder = SnapshotFolder(tmp_path / "index", store_id="s", space_id=1, dim=8)
    index = MemoryIndex(8)
    assert folder.save(index, 1)
    (tmp_path / "index" / "2.index.99999999.tmp").write_bytes(b"half")
    (tmp_path / "index" / f"2.index.{os.getpid()}.tmp").write_bytes(b"ours")
    (tmp_path / "index" / "notes.txt").write_bytes(b"not ours")
    assert folder.save(index, 2)
    names = sorted(path.name for path in (tmp_path / "index").iterdir())
    assert names == ["2.index", "current", "notes.txt"]
    loaded = folder.load()
    assert loaded is not None
    assert loaded[1] == 2


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path):
    (tmp_path / "index").write_bytes(b"a file in the way")
    folder = SnapshotFolder(tmp_path / "index", store_id="s", space_id=1, dim=8)
    assert not folder.save(MemoryIndex(8), 1)
    assert folder.load() is None


def test_few_changes_are_not_worth_a_snapshot():
    assert not worth_saving(9, 20)
    assert worth_saving(10, 20)
    assert not worth_saving(999, 100_000)
    assert worth_saving(10_000, 100_000)


@pytest.mark.skipif(os.name == "nt", reason="permissions there are lists")
def test_nobody_else_may_read_what_an_index_is_made_of(tmp_path):
    filled(tmp_path)
    with opened(tmp_path) as memory:
        memory.recall("lamp")
    files = [path for path in (tmp_path / "index").iterdir() if path.is_file()]
    assert len(files) >= 2
    assert {path.stat().st_mode & 0o777 for path in files} == {0o600}
