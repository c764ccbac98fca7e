"""Learning from a memory's own feedback what its confidences are worth: proposed, never silent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from realmemory.flows.feedback import PACKET_S
from realmemory.policies.refinement import NEEDED, NEEDED_OF_EACH, Refinement, fit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from realmemory.flows.context import MemoryContext
    from realmemory.policies.refinement import Fit
    from realmemory.store.records import Event

_PAGE = 1_000


@dataclass(frozen=True, slots=True)
class Calibration:
    """What the judged hits suggest; ``fit`` is missing when there are too few of them."""

    judged: int
    helped: int
    before: Refinement
    fit: Fit | None

    @property
    def changes(self) -> dict[str, tuple[float, float]]:
        """Constants that should change, each with its value now and then."""
        if self.fit is None or not self.fit.helps:
            return {}
        new = self.fit.refinement
        moved = {
            "confidence_scale": (self.before.scale, new.scale),
            "confidence_factor": (self.before.factor, new.factor),
        }
        return {name: pair for name, pair in moved.items() if pair[0] != pair[1]}

    @property
    def needed(self) -> int:
        """Further judgements that a fit wants at least; 0 when there are enough."""
        missing_of_each = [NEEDED_OF_EACH - self.helped, NEEDED_OF_EACH - self.judged + self.helped]
        return max(0, NEEDED - self.judged, sum(max(0, missing) for missing in missing_of_each))


def propose(context: MemoryContext) -> Calibration:
    """Return what recalls and the rewards that followed say about confidence; changes nothing."""
    judged = list(_judged(context))
    before = Refinement.of(context.config)
    raw = [confidence for confidence, _ in judged]
    helped = [good for _, good in judged]
    return Calibration(len(judged), sum(helped), before, fit(raw, helped, before))


def _judged(context: MemoryContext) -> Iterator[tuple[float, bool]]:
    """Yield confidence and verdict of each hit that was shown and then judged."""
    shown: dict[int, tuple[float, float]] = {}
    for event in _events(context):
        if event.type == "recall":
            shown.update((int(one), (event.ts, float(sure))) for one, sure in event.data["hits"])
            continue
        for one in event.data["ids"]:
            at, confidence = shown.pop(int(one), (0.0, 0.0))
            if confidence and 0 <= event.ts - at <= PACKET_S:
                yield confidence, float(event.data["reward"]) > 0


def _events(context: MemoryContext) -> Iterator[Event]:
    after = 0
    while True:
        with context.store.read() as view:
            page = view.journal.page(after=after, types=["recall", "feedback"], limit=_PAGE)
        # Recalls of older versions did not keep what they showed.
        yield from (event for event in page if event.type != "recall" or "hits" in event.data)
        if len(page) < _PAGE:
            return
        after = page[-1].seq
