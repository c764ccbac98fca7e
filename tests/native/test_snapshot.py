"""A saved index answers as the one it was saved from, or is refused."""

import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from realmemory.core.memory_index import MemoryIndex
from realmemory.core.rows import RowAttributes, ScanFilter

NOW = 1_000.0
IDENTITY = bytes(range(32))
DIM = 96
EVERYTHING = ScanFilter(now=NOW)
HEADER = 4_096


def attributes(rng, count):
    return RowAttributes.of(
        scopes=rng.integers(0, 3, count),
        kinds=rng.integers(0, 3, count),
        statuses=rng.integers(0, 2, count),
        flags=rng.integers(0, 2, count),
        base=rng.random(count),
        last=NOW - rng.random(count) * 100,
        valid_from=np.zeros(count),
        valid_until=np.full(count, math.inf),
        observed_at=rng.random(count),
    )


def fill(index, rng, ids):
    words = ["red", "green", "blue", "fox", "hen", "owl"]
    texts = [" ".join(rng.choice(words, 3)) for _ in ids]
    vectors = rng.standard_normal((len(ids), DIM)).astype(np.float32)
    index.upsert(ids, vectors, texts, attributes(rng, len(ids)))


def made(count, seed=3, *, coded=True):
    rng = np.random.default_rng(seed)
    index = MemoryIndex(DIM)
    fill(index, rng, rng.permutation(count * 2)[:count])
    if coded:
        index.optimize()
    return index


def answers(index, seed=5):
    rng = np.random.default_rng(seed)
    found = []
    for scopes in (None, (0,), (1, 2)):
        chosen = ScanFilter(now=NOW, scopes=scopes, taus=(50.0, 1e4, math.inf), statuses=(0, 1))
        scan = index.topk(rng.standard_normal(DIM).astype(np.float32), 20, chosen)
        words = index.search_terms("red owl", 20, chosen)
        found.append((scan.ids.tolist(), scan.scores.tolist(), scan.null))
        found.append((words.ids.tolist(), words.bm25.tolist()))
    return len(index), found


@pytest.mark.parametrize("coded", [False, True])
@pytest.mark.parametrize("count", [0, 1, 16, 17, 500])
def test_an_opened_snapshot_answers_alike(tmp_path, count, coded):
    index = made(count, coded=coded)
    index.save(tmp_path / "1.index", identity=IDENTITY, rev=42)
    opened, rev = MemoryIndex.open(tmp_path / "1.index", identity=IDENTITY, dim=DIM)
    assert rev == 42
    assert answers(opened) == answers(index)


@settings(max_examples=25)
@given(seed=st.integers(0, 2**32), rounds=st.integers(1, 3))
def test_changes_after_opening_count_and_can_be_saved_again(tmp_path_factory, seed, rounds):
    folder = tmp_path_factory.mktemp("snapshots")
    plain, mapped = made(200), made(200)
    rng = np.random.default_rng(seed)
    for turn in range(rounds):
        mapped.save(folder / f"{turn}.index", identity=IDENTITY, rev=turn)
        mapped, _ = MemoryIndex.open(folder / f"{turn}.index", identity=IDENTITY, dim=DIM)
        removed, added = rng.integers(0, 400, 60), np.unique(rng.integers(0, 500, 80))
        changed, state = np.unique(rng.integers(0, 400, 50)), int(rng.integers(2**32))
        for index in (plain, mapped):
            both = np.random.default_rng(state)
            index.remove(removed)
            fill(index, both, added)
            index.update(changed, attributes(both, len(changed)))
        assert answers(mapped) == answers(plain)


def test_the_file_never_changes_under_its_readers(tmp_path):
    path = tmp_path / "1.index"
    made(300).save(path, identity=IDENTITY, rev=1)
    before = path.read_bytes()
    opened, _ = MemoryIndex.open(path, identity=IDENTITY, dim=DIM)
    fill(opened, np.random.default_rng(1), range(700))
    opened.remove(range(50))
    assert path.read_bytes() == before


@pytest.mark.parametrize("what", ["identity", "dim", "missing", "empty", "text"])
def test_foreign_and_missing_files_are_refused(tmp_path, what):
    path = tmp_path / "1.index"
    made(50).save(path, identity=IDENTITY, rev=1)
    identity, dim = IDENTITY, DIM
    if what == "identity":
        identity = bytes(32)
    elif what == "dim":
        dim = DIM + 1
    elif what == "missing":
        path.unlink()
    else:
        path.write_bytes(b"" if what == "empty" else b"not an index" * 1_000)
    with pytest.raises(OSError, match=r"snapshot refused"):
        MemoryIndex.open(path, identity=identity, dim=dim)


def test_an_existing_file_is_not_written_over(tmp_path):
    (tmp_path / "1.index").write_bytes(b"precious")
    with pytest.raises(OSError, match=r"snapshot refused"):
        made(5).save(tmp_path / "1.index", identity=IDENTITY, rev=1)
    assert (tmp_path / "1.index").read_bytes() == b"precious"


def test_a_torn_file_is_refused_wherever_it_ends(tmp_path):
    path = tmp_path / "1.index"
    made(300).save(path, identity=IDENTITY, rev=1)
    whole = path.read_bytes()
    for length in [*range(0, len(whole), len(whole) // 40), len(whole) - 1]:
        torn = tmp_path / f"{length}.torn"
        torn.write_bytes(whole[:length])
        with pytest.raises(OSError, match=r"snapshot refused"):
            MemoryIndex.open(torn, identity=IDENTITY, dim=DIM)


def test_a_flipped_byte_is_noticed_before_it_answers(tmp_path):
    path = tmp_path / "1.index"
    index = made(300)
    index.save(path, identity=IDENTITY, rev=1)
    whole, expected = path.read_bytes(), answers(index)
    noticed = 0
    for at in range(7, len(whole), len(whole) // 150):
        damaged = bytearray(whole)
        damaged[at] ^= 0x40
        bad = tmp_path / f"{at}.bad"
        bad.write_bytes(damaged)
        try:
            found = answers(MemoryIndex.open(bad, identity=IDENTITY, dim=DIM)[0])
        except OSError:
            noticed += 1
        else:
            assert found == expected
    assert noticed > 100


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_a_killed_writer_leaves_nothing_that_opens(tmp_path):
    script = (
        "import os, signal, sys, threading, time; sys.path.insert(0, sys.argv[2])\n"
        "from test_snapshot import made, IDENTITY\n"
        "index = made(20_000, coded=False)\n"
        "threading.Timer(float(sys.argv[3]), os.kill, (os.getpid(), signal.SIGKILL)).start()\n"
        "index.save(sys.argv[1], identity=IDENTITY, rev=1)\n"
        "time.sleep(60)\n"
    )
    for turn, delay in enumerate((0.0, 0.002, 0.01, 0.05)):
        path = tmp_path / f"{turn}.index"
        arguments = [str(path), str(Path(__file__).parent), str(delay)]
        subprocess.run([sys.executable, "-c", script, *arguments], check=False)
        try:
            opened, _ = MemoryIndex.open(path, identity=IDENTITY, dim=DIM)
        except OSError:
            continue
        assert len(opened) == 20_000
