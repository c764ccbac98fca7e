"""What reads a question and a text together to say how well they fit, and how it is asked.

A re-ranker is optional and never in the way: whatever goes wrong with it becomes a reason that the
packet states, and the order stays as it was.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

from realmemory.config import named_reranker
from realmemory.late import late_module

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
else:
    np = late_module("numpy")

_AGAIN_S = 60.0


@runtime_checkable
class Reranker(Protocol):
    """Scores texts against a question, each pair read as a whole."""

    @property
    def name(self) -> str:
        """What is shown of it: model and revision."""
        ...

    def scores(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """Return one number a text, larger for a better answer; the scale is its own."""
        ...


class Reading(NamedTuple):
    """Scores of the texts that were asked for, or why there are none."""

    scores: Array | None
    trouble: str | None = None


def made(name: str) -> Reranker:
    """Return the re-ranker of a name; loads no model yet.

    Raises:
        ConfigurationError: The name has no known form, its folder is incomplete, or the extra is
            not installed.
    """
    from realmemory.encoding.cross_encoder import CrossEncoder  # noqa: PLC0415 - optional extra

    way, model = named_reranker(name)
    return CrossEncoder.named(model, download=way == "download")


def guarded(source: Reranker | str) -> GuardedReranker | None:
    """Return what asks a re-ranker, or None for the empty name.

    Raises:
        ConfigurationError: The name has no known form.
    """
    return GuardedReranker(source) if source else None


class GuardedReranker:
    """Asks a re-ranker, and says in words what kept it from answering.

    After a failure it is left alone for a while, so that not every recall pays for the attempt.

    Args:
        source: A re-ranker, or the name of one, which is made when it is needed first.
        again_s: Seconds without a further attempt after a failure.
    """

    def __init__(self, source: Reranker | str, *, again_s: float = _AGAIN_S) -> None:
        if isinstance(source, str):
            named_reranker(source)
        self._source = source
        self._again_s = again_s
        self._trouble: str | None = None
        self._not_before = 0.0

    @property
    def name(self) -> str:
        """The name it is configured by, or that of the re-ranker itself."""
        return self._source if isinstance(self._source, str) else self._source.name

    def read(self, query: str, texts: Sequence[str]) -> Reading:
        """Return the scores of some texts, or why the re-ranker could not be used."""
        if self._trouble is not None and time.monotonic() < self._not_before:
            return Reading(None, self._trouble)
        try:
            if isinstance(self._source, str):
                self._source = made(self._source)
            scores = _checked(self._source.scores(query, texts), len(texts))
        except Exception as error:  # noqa: BLE001 - a model may raise anything; recall goes on
            self._trouble = f"ordered without the re-ranker {self.name!r}: {error}"
            self._not_before = time.monotonic() + self._again_s
            return Reading(None, self._trouble)
        self._trouble = None
        return Reading(scores)


def _checked(given: Sequence[float], count: int) -> Array:
    scores = np.asarray(given, dtype=np.float64)
    if scores.shape != (count,) or not np.isfinite(scores).all():
        raise ValueError(f"it did not return one finite number for each of {count} texts")
    return scores
