"""Twin of the voting index: lists of pointers in a dictionary."""

from __future__ import annotations

from collections import Counter

from realmemory.core.sdr import NO_UNIT


class VotingIndex:
    """Pointer lists of units with a cap."""

    def __init__(self, cap: int) -> None:
        self.cap = cap
        self.codes: dict[int, set[int]] = {}
        self.buckets: dict[int, list[int]] = {}

    def upsert(self, trace: int, code: list[int]) -> None:
        """Write one row, in place of the one with its id."""
        self.remove(trace)
        self.codes[trace] = set(code) - {NO_UNIT}
        for unit in self.codes[trace]:
            bucket = self.buckets.setdefault(unit, [])
            bucket.append(trace)
            del bucket[: -self.cap]

    def remove(self, trace: int) -> None:
        """Take a row out."""
        self.codes.pop(trace, None)
        for bucket in self.buckets.values():
            if trace in bucket:
                bucket.remove(trace)

    def query(self, code: list[int], k: int, *, weighted: bool) -> list[tuple[int, int]]:
        """Return id and votes of the ``k`` rows with most votes, ties by id."""
        votes: Counter[int] = Counter()
        for unit in set(code) - {NO_UNIT}:
            bucket = self.buckets.get(unit, [])
            rarity = (max(len(self.codes) // max(len(bucket), 1), 1)).bit_length()
            for trace in bucket:
                votes[trace] += rarity if weighted else 1
        return sorted(votes.items(), key=lambda vote: (-vote[1], vote[0]))[:k]
