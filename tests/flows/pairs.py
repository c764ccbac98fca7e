"""Pairs of texts, written into a memory: which of them become one, and which are in conflict."""

from __future__ import annotations

from realmemory import WriteRequest


def pairs_of(lines: str, *, turned: bool = False) -> list[list[str]]:
    """Return the pairs of some lines, the second text first where they are turned."""
    pairs = [line.split(" | ") for line in lines.strip().splitlines()]
    return [pair[::-1] for pair in pairs] if turned else pairs


def merged(memory, pairs):
    """Write both texts of each pair into a scope of its own and return the pairs that became one."""
    firsts, seconds = (
        memory.remember_many(
            WriteRequest(text=pair[at], scope=f"pair-{number}") for number, pair in enumerate(pairs)
        )
        for at in (0, 1)
    )
    return [
        pair
        for pair, first, second in zip(pairs, firsts, seconds, strict=True)
        if first.memory_id == second.memory_id
    ]


def in_conflict(memory, first, second):
    """Write two texts that stay two memories; return whether the second is told to contradict the first."""
    known = memory.remember(first).memory_id
    written = memory.remember(second)
    assert written.created
    assert written.conflicts in {(), (known,)}
    return bool(written.conflicts)
