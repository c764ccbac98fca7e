"""Past `exact_scan_max_traces` votes bring the candidates, and the packet says so."""

from __future__ import annotations

import pytest

from realmemory import Hippocampus, MemoryConfig

PEOPLE = ["Ada", "Grace", "Edsger", "Barbara", "Alan", "Hedy", "Kurt", "Emmy", "Alonzo", "Rosa"]
PLACES = ["Lisbon", "Oslo", "Kyoto", "Quito", "Turin", "Perth", "Tunis", "Leeds", "Cork", "Basel"]
FACTS = [f"{who} keeps a spare key in {where}" for who in PEOPLE for where in PLACES]
QUESTION = "where does Hedy keep the spare key in Kyoto?"


@pytest.fixture
def small_limit(tmp_path, clock):
    config = MemoryConfig(exact_scan_max_traces=50)
    with Hippocampus.open(tmp_path / "voted", config=config, clock=clock) as memory:
        yield memory


def ids(packet):
    return [item.memory_id for item in packet.items]


def test_votes_answer_like_the_exact_scan_and_the_packet_says_so(small_limit, tmp_path, clock):
    with Hippocampus.open(tmp_path / "exact", clock=clock) as exact:
        exact.remember_many(FACTS)
        small_limit.remember_many(FACTS[:50])
        assert small_limit.recall(QUESTION).degraded is None
        small_limit.remember_many(FACTS[50:])
        voted, scanned = small_limit.recall(QUESTION, k=5), exact.recall(QUESTION, k=5)
    assert "exact_scan_max_traces" in voted.degraded
    assert scanned.degraded is None
    assert ids(voted) == ids(scanned)
    assert [item.confidence for item in voted.items] == [item.confidence for item in scanned.items]


def test_votes_follow_what_is_forgotten_restored_and_erased(small_limit):
    small_limit.remember_many(FACTS)
    best = ids(small_limit.recall(QUESTION))[0]
    small_limit.forget(best)
    assert best not in ids(small_limit.recall(QUESTION))
    small_limit.restore(best)
    assert ids(small_limit.recall(QUESTION))[0] == best
    small_limit.forget(best, hard=True)
    assert best not in ids(small_limit.recall(QUESTION))


def test_votes_of_other_processes_count(small_limit, tmp_path, clock):
    small_limit.remember_many(FACTS)
    small_limit.recall(QUESTION)
    with Hippocampus.open(tmp_path / "voted", clock=clock) as other:
        added = other.remember("Hedy moved the spare key from Kyoto to Nara").memory_id
    assert added in ids(small_limit.recall("who moved the spare key to Nara?"))
