"""Speed of the public API: what a caller waits for.

    python -m pytest benches/speed --benchmark-columns=min,median,ops

`--benchmark-autosave` and `--benchmark-compare` set two versions side by side.
"""

from itertools import islice

from realmemory import Hippocampus


def test_remember(benchmark, memory, unseen):
    results = []
    benchmark.pedantic(
        lambda text: results.append(memory.remember(text)),
        setup=lambda: ((next(unseen),), {}),
        rounds=100,
        warmup_rounds=3,
    )
    assert all(result.memory_id for result in results)


def test_remember_a_hundred(benchmark, memory, unseen):
    results = []
    benchmark.pedantic(
        lambda texts: results.extend(memory.remember_many(texts)),
        setup=lambda: ((list(islice(unseen, 100)),), {}),
        rounds=8,
    )
    assert len(results) == 800


def test_recall(benchmark, memory, unseen):
    packets = []
    benchmark.pedantic(
        lambda text: packets.append(memory.recall(text, all_scopes=True)),
        setup=lambda: ((next(unseen),), {}),
        rounds=150,
        warmup_rounds=5,
    )
    assert any(packet.items for packet in packets)


def test_sleep_after_ten_writes(benchmark, memory, unseen):
    def write():
        memory.remember_many(list(islice(unseen, 10)))

    report = benchmark.pedantic(memory.consolidate, setup=write, rounds=5)
    assert report is not None


def test_open(benchmark, folder):
    def reopen():
        Hippocampus.open(folder).close()

    benchmark.pedantic(reopen, rounds=20, warmup_rounds=1)
    with Hippocampus.open(folder, read_only=True) as memory:
        assert memory.recall("a file that is not there", all_scopes=True) is not None
