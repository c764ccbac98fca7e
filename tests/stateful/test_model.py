"""A memory against a plain model of what it promised."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    rule,
)

from realmemory import FakeClock, Hippocampus, InvalidInputError, Status
from realmemory.clock import DAY
from realmemory.encoding.hashing import HashingEmbedder

# Words that share no stem; every text is two of them, so equal texts alone state the same fact.
WORDS = ["heron", "kettle", "violin", "glacier", "ledger", "comet", "orchard", "tailor", "magnet"]
TEXTS = st.tuples(st.sampled_from(WORDS), st.sampled_from(WORDS), st.integers(10, 13)).map(
    lambda parts: f"{parts[0]} {parts[1]} {parts[2]}"
)


class MemoryMachine(RuleBasedStateMachine):
    """Remember, revise, forget, restore, erase, reward, sleep, age and reopen in any order."""

    ids = Bundle("ids")

    @initialize()
    def start(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.clock = FakeClock()
        self.texts: dict[int, str] = {}
        self.status: dict[int, Status] = {}
        self.successor: dict[int, int] = {}
        self.ended: set[int] = set()
        # What had replaced a version that was made current again since, by that version.
        self.stood: dict[int, int] = {}
        # Said anew while it was history: whoever restores that by its id has it beside the new one.
        self.said_anew: set[str] = set()
        self.memory = self.open()

    def open(self) -> Hippocampus:
        return Hippocampus.open(
            Path(self.folder.name) / "m", clock=self.clock, embedder=HashingEmbedder(dim=64)
        )

    def teardown(self) -> None:
        if hasattr(self, "memory"):
            self.memory.close()
            self.folder.cleanup()

    def holders(self, text: str) -> list[int]:
        """Return who states a text and is no history."""
        live = (Status.ACTIVE, Status.ARCHIVED)
        return [
            one
            for one, own in self.texts.items()
            if own == text and self.status[one] in live and one not in self.successor
        ]

    @rule(target=ids, text=TEXTS)
    def remember(self, text: str) -> int:
        known = self.holders(text)
        result = self.memory.remember(text)
        assert result.created is not bool(known)
        if known:
            assert result.memory_id in known
        else:
            assert result.memory_id not in self.texts
            self.create(result.memory_id, text)
        self.hold(result.memory_id)
        return result.memory_id

    def create(self, one: int, text: str) -> None:
        if text in self.texts.values():
            self.said_anew.add(text)
        self.texts[one] = text

    def hold(self, one: int) -> None:
        self.status[one] = Status.ACTIVE
        self.ended.discard(one)
        self.retie(self.before(one))

    def come_back(self, one: int) -> None:
        self.status[one] = Status.SUPERSEDED if one in self.ended else Status.ACTIVE
        if one not in self.ended:
            self.retie(self.before(one))

    def before(self, one: int) -> set[int]:
        """Return a version and whatever led to it, or did before it was made current again."""
        found = {one}
        steps = [*self.successor.items(), *self.stood.items()]
        for _ in steps:
            found |= {old for old, new in steps if new in found}
        return found

    def retie(self, versions: set[int]) -> None:
        """Let what was made current again give way to what had replaced it."""
        for old in [old for old, new in self.stood.items() if new in versions]:
            self.successor[old] = self.stood.pop(old)
            self.ended.add(old)
            if self.status[old] is Status.ACTIVE:
                self.status[old] = Status.SUPERSEDED

    def replace(self, old: int, new: int) -> None:
        """Put a new version after an old one, and after what had replaced that before."""
        earlier = self.before(old)
        if self.stood.get(new) in earlier:
            del self.stood[new]
        self.retie(earlier)
        line, ties = [old], []
        while line[-1] in self.stood or line[-1] in self.successor:
            if line[-1] in self.stood:
                ties.append(line[-1])
            line.append({**self.successor, **self.stood}[line[-1]])
        others = {one for one, after in self.stood.items() if after in self.before(line[-1])}
        first = self.stood.pop(old, None)
        if first is None or others - set(ties):
            self.successor[old] = new
            return
        self.retie(set(line))
        self.successor[old] = first
        if new not in line:
            self.successor[line[-1]] = new
            self.ended.add(line[-1])

    @rule(target=ids, old=ids, text=TEXTS)
    def revise(self, old: int, text: str) -> int:
        if old not in self.texts:
            return old
        if old in self.successor or self.status[old] is Status.SUPERSEDED:
            with pytest.raises(InvalidInputError) as caught:
                self.memory.update_fact(old, text)
            assert caught.value.code == "already_superseded"
            return old
        others = [item for item in self.holders(text) if item != old]
        result = self.memory.update_fact(old, text)
        assert result.created is not bool(others)
        if not others:
            self.create(result.memory_id, text)
        self.hold(result.memory_id)
        self.replace(old, result.memory_id)
        self.status[old] = Status.SUPERSEDED
        self.ended.add(old)
        return result.memory_id

    @rule(one=ids)
    def forget(self, one: int) -> None:
        if one in self.texts:
            uncovered = () if self._forgotten(one) else self._uncovered_by(one)
            assert self.memory.forget(one).uncovered == uncovered
            self.status[one] = Status.ARCHIVED

    @rule(one=ids)
    def restore(self, one: int) -> None:
        if one in self.texts:
            fades_at = self.memory.get(one).fades_at
            faded = fades_at is not None and fades_at <= self.clock.now()
            hidden = self.status[one] is Status.ARCHIVED
            hidden = hidden or (self.status[one] is Status.ACTIVE and faded)
            again = one in self.ended and self._uncovered(one)
            assert self.memory.restore(one) == (hidden or again)
            if again:
                if one in self.successor:
                    self.stood[one] = self.successor.pop(one)
                self.hold(one)
            elif hidden:
                self.come_back(one)

    def _after(self, one: int) -> list[int]:
        """Walk from a version to the last."""
        later = []
        while one in self.successor:
            one = self.successor[one]
            later.append(one)
        return later

    def _uncovered(self, one: int, gone: int | None = None) -> bool:
        return all(later == gone or self._forgotten(later) for later in self._after(one))

    def _forgotten(self, one: int) -> bool:
        archived = self.status[one] is Status.ARCHIVED
        return archived and "_forgotten" in self.memory.get(one).meta

    def _uncovered_by(self, gone: int) -> tuple[int, ...]:
        """Return the history that nothing comes after once one is gone, as a receipt names it."""
        return tuple(
            one
            for one, status in self.status.items()
            if status is Status.SUPERSEDED
            and gone in self._after(one)
            and self._uncovered(one, gone)
        )

    @rule(one=consumes(ids))
    def erase(self, one: int) -> None:
        if one in self.texts:
            uncovered = self._uncovered_by(one)
            assert self.memory.forget(one, hard=True).uncovered == uncovered
            del self.texts[one], self.status[one]
            self.ended.discard(one)
            heir = self.successor.pop(one, None) or self.stood.pop(one, None)
            for steps in (self.successor, self.stood):
                for old in [old for old, new in steps.items() if new == one]:
                    steps.pop(old)
                    if heir is not None:
                        steps[old] = heir

    @rule(one=ids, reward=st.sampled_from([-1.0, -0.5, 0.5, 1.0]))
    def reward(self, one: int, reward: float) -> None:
        touched = self.memory.feedback(one, reward)
        assert touched == (one in self.texts)
        if touched and reward > 0 and self.status[one] is Status.ARCHIVED:
            self.come_back(one)

    @rule(days=st.sampled_from([1.0, 40.0, 120.0]))
    def age(self, days: float) -> None:
        self.clock.advance(days * DAY)

    @rule()
    def sleep(self) -> None:
        plan = self.memory.consolidate(dry_run=True)
        report = self.memory.consolidate()
        assert report.archived_traces == plan.archived_traces
        moved = 0
        for one, status in self.status.items():
            now = self.memory.get(one).status
            if now is not status:
                assert (status, now) == (Status.ACTIVE, Status.ARCHIVED)
                self.status[one] = now
                moved += 1
        assert moved == report.archived_traces

    @rule()
    def reopen(self) -> None:
        self.memory.close()
        self.memory = self.open()

    @rule(text=TEXTS)
    def recall(self, text: str) -> None:
        for item in self.memory.recall(text).items:
            assert self.texts[item.memory_id] == item.text
            assert item.status in (Status.ACTIVE, Status.ARCHIVED)
            assert self.status[item.memory_id] is item.status

    @invariant()
    def nothing_is_lost_or_doubled(self) -> None:
        if not hasattr(self, "memory"):
            return
        stored = {trace.id: trace for trace in self.memory.list(status=None, limit=1_000)}
        assert {one: trace.text for one, trace in stored.items()} == self.texts
        assert {one: trace.status for one, trace in stored.items()} == self.status
        assert {
            one: trace.superseded_by for one, trace in stored.items() if trace.superseded_by
        } == self.successor
        assert {one for one, trace in stored.items() if trace.valid_to is not None} == self.ended
        active = Counter(t.text for t in stored.values() if t.status is Status.ACTIVE)
        assert self.said_anew >= {text for text, count in active.items() if count > 1}


TestMemory = MemoryMachine.TestCase
TestMemory.settings = settings(
    settings.default, max_examples=settings.default.max_examples // 5, stateful_step_count=25
)
