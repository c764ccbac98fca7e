"""Versions of facts, forgotten and brought back in any order: at most one of a chain stands."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from realmemory import FakeClock, Hippocampus, InvalidInputError, Status
from realmemory.clock import DAY
from realmemory.encoding.hashing import HashingEmbedder

# Every text is told from every other, so that only what is said again is the same fact.
WORDS = ["heron", "kettle", "violin", "glacier", "ledger", "comet", "orchard", "tailor", "magnet"]


# Few, so that most of what happens happens to versions of one fact.
MOST = 6
PLACES = st.integers(0, MOST - 1)


some = precondition(lambda self: len(self.texts) > 0)


class VersionsMachine(RuleBasedStateMachine):
    """Revise, forget, restore, erase, reward and say again versions of a fact or two."""

    @initialize(versions=st.integers(2, 3))
    def start(self, versions: int) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.clock = FakeClock()
        self.texts: dict[int, str] = {}
        self.chain: dict[int, int] = {}
        self.memory = Hippocampus.open(
            Path(self.folder.name) / "m", clock=self.clock, embedder=HashingEmbedder(dim=64)
        )
        self.remember()
        for place in range(versions - 1):
            self.revise(place, 0.0)

    def teardown(self) -> None:
        if hasattr(self, "memory"):
            self.memory.close()
            self.folder.cleanup()

    def known(self, place: int) -> int:
        """Return the version at a place, in the order of writing."""
        return sorted(self.texts)[place % len(self.texts)]

    def fresh_text(self) -> str:
        self.written = getattr(self, "written", -1) + 1
        number = self.written
        return f"{WORDS[number % 9]} {WORDS[number // 9 % 9]} {10 + number // 81}"

    @precondition(lambda self: len(self.texts) < MOST)
    @rule()
    def remember(self) -> None:
        text = self.fresh_text()
        one = self.memory.remember(text).memory_id
        self.texts[one], self.chain[one] = text, one

    @precondition(lambda self: 0 < len(self.texts) < MOST)
    @rule(place=PLACES, days=st.sampled_from([0.0, 0.0, 5.0]))
    def revise(self, place: int, days: float) -> None:
        old, text = self.known(place), self.fresh_text()
        self.clock.advance(1.0)
        with suppress(InvalidInputError):
            new = self.memory.update_fact(old, text, when=self.clock.now() + days * DAY).memory_id
            self.texts[new], self.chain[new] = text, self.chain[old]

    @some
    @rule(place=PLACES)
    def say_again(self, place: int) -> None:
        old = self.known(place)
        said = self.memory.remember(self.texts[old])
        if said.created:
            self.texts[said.memory_id] = self.texts[old]
            self.chain[said.memory_id] = said.memory_id
        assert self.memory.get(said.memory_id).status is Status.ACTIVE

    @some
    @rule(place=PLACES)
    def forget(self, place: int) -> None:
        one = self.known(place)
        self.memory.forget(one)
        assert self.memory.get(one).status is Status.ARCHIVED

    @some
    @rule(place=PLACES)
    def restore(self, place: int) -> None:
        one = self.known(place)
        self.memory.restore(one)
        # It stands, or something that came after it was not forgotten.
        line = self.memory.history(one)
        after = line[[item.id for item in line].index(one) + 1 :]
        gone = all(item.status is Status.ARCHIVED for item in after)
        assert self.memory.get(one).status in {
            Status.ACTIVE,
            Status.ACTIVE if gone else Status.SUPERSEDED,
        }

    @some
    @rule(place=PLACES)
    def erase(self, place: int) -> None:
        one = self.known(place)
        self.memory.forget(one, hard=True)
        del self.texts[one]

    @some
    @rule(place=PLACES)
    def reward(self, place: int) -> None:
        self.memory.feedback(self.known(place), 1.0)

    @rule(days=st.sampled_from([1.0, 6.0]))
    def age(self, days: float) -> None:
        self.clock.advance(days * DAY)
        self.memory.consolidate()

    def standing(self, chain: int) -> list[int]:
        """Return the versions of a chain that hold now and have no end."""
        now = self.clock.now()
        return [
            item.id
            for item in self.memory.list(limit=1_000)
            if self.chain[item.id] == chain and item.valid_from <= now
            if item.valid_to is None or item.valid_to > now
        ]

    @invariant()
    def at_most_one_version_of_a_chain_stands(self) -> None:
        if hasattr(self, "memory"):
            for chain in set(self.chain.values()):
                assert len(self.standing(chain)) <= 1

    @invariant()
    def nothing_is_lost_and_every_history_can_be_read(self) -> None:
        if not hasattr(self, "memory"):
            return
        stored = {trace.id: trace for trace in self.memory.list(status=None, limit=1_000)}
        assert {one: trace.text for one, trace in stored.items()} == self.texts
        for one, trace in stored.items():
            read = self.memory.history(one)
            assert {self.chain[item.id] for item in read} == {self.chain[one]}
            if trace.superseded_by is not None:
                places = [item.id for item in read]
                assert places.index(one) < places.index(trace.superseded_by)


TestVersions = VersionsMachine.TestCase
TestVersions.settings = settings(
    settings.default, max_examples=settings.default.max_examples // 2, stateful_step_count=30
)
