"""What both channels say about the candidates of a question, as the engine keeps it: one table."""

from __future__ import annotations

from array import array

from realmemory import _native
from realmemory.late import late_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import TypeAlias

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from realmemory.core.static_table import Interaction

    Packed: TypeAlias = memoryview[float] | array[float]
    Floats: TypeAlias = Packed | NDArray[np.float64]
    Triple: TypeAlias = tuple[float, float, float]
else:
    np = late_module("numpy")

COLUMNS = (
    "cosine",
    "retention",
    "bm25",
    "coverage",
    "alike",
    "matched",
    "maxsim",
    "weakest",
)
"""Names of the columns of a :class:`Table`; see ``Evidence`` of the policies."""


def floats(packed: bytes) -> memoryview[float]:
    """Return f64 values as the native module packs them, not copied."""
    return memoryview(packed).cast("d")


class Table:
    """Candidates described column by column; not to be changed.

    Args:
        values: The columns one after the other, in the order of :data:`COLUMNS`.
    """

    __slots__ = ("values",)

    def __init__(self, values: Packed) -> None:
        self.values = values

    @classmethod
    def of(cls, columns: Mapping[str, ArrayLike]) -> Table:
        """Build a table from anything that numpy can turn into columns of equal length."""
        stacked = np.array([columns[name] for name in COLUMNS], dtype=np.float64)
        return cls(floats(stacked.tobytes()))

    def __len__(self) -> int:
        return len(self.values) // len(COLUMNS)

    def column(self, name: str) -> Sequence[float]:
        """Return the values of a column, not copied."""
        first = COLUMNS.index(name) * len(self)
        return memoryview(self.values)[first : first + len(self)]

    def array(self, name: str) -> NDArray[np.float64]:
        """Return the values of a column for numpy, not copied."""
        first = COLUMNS.index(name) * len(self)
        values: NDArray[np.float64] = np.asarray(self.values)
        return values[first : first + len(self)]

    def row(self, at: int) -> dict[str, float]:
        """Return what is said of one candidate, by column."""
        return {name: self.column(name)[at] for name in COLUMNS}

    def raised(self, name: str, least: Mapping[int, float]) -> Table:
        """Return the table with the values at some positions raised to at least the given ones."""
        values, first = array("d", self.values), COLUMNS.index(name) * len(self)
        for at, value in least.items():
            values[first + at] = max(values[first + at], value)
        return Table(values)

    def joined(self, other: Table, order: Sequence[int]) -> Table:
        """Return the candidates of both tables, these first, put in a given order."""
        return Table(floats(_native.joined(self.values, other.values, order)))

    def shortlist(self, size: int) -> list[int]:
        """Return the positions of the candidates that meaning and words together put first."""
        return _native.shortlist(self.values, size)

    def compared(self, chosen: Sequence[int], found: Interaction) -> Table:
        """Return the table with the late interaction of the candidates at some positions.

        What a text resembles letter by letter counts at least.
        """
        return Table(floats(_native.compared(self.values, chosen, found.mean, found.weakest)))

    def own_logits(
        self, asked: Triple, null: Triple, prior: Triple, weights: Sequence[float], bias: float
    ) -> Floats:
        """Return the log-odds of relevance; the reference is ``policies.relevance.own_logits``.

        Args:
            asked: Content words, letters per piece and visible rows of the question.
            null: Number, mean and deviation of the cosines with unrelated rows.
            prior: The same as known before any row was seen.
            weights: Of the features.
            bias: Added to each.
        """
        return floats(_native.own_logits(self.values, asked, null, prior, weights, bias))

    def scores(self, logits: Floats, floor: float) -> tuple[Floats, Floats]:
        """Return confidence and score behind log-odds; a score is 0 below the floor of a hit."""
        confidences, scores = _native.scores(self.values, logits, floor)
        return floats(confidences), floats(scores)

    def undropped(self, confidences: Floats, scores: Floats) -> Floats:
        """Return the scores, and for dropped candidates what theirs would be."""
        return floats(_native.undropped(self.values, confidences, scores))

    def chance(
        self,
        confidences: Floats,
        asked: Triple,
        about: Sequence[float],
        nulls: tuple[Triple, Triple],
        *,
        weights: Sequence[float],
        bias: float,
    ) -> float:
        """Return the probability of an answer; the reference is in ``policies.answerability``.

        Args:
            confidences: Relevance of each candidate; at least one.
            asked: As for :meth:`own_logits`.
            about: What the question alone says, the values of ``core.static_table.About``.
            nulls: The null and the prior of :meth:`own_logits`.
            weights: Of the features of a question.
            bias: Added to their sum.
        """
        return _native.chance(self.values, confidences, asked, about, *nulls, weights, bias)


def hops(
    columns: tuple[Floats, Floats, Floats],
    is_turn: Sequence[bool],
    seeds: Sequence[int],
    leads: Iterable[Sequence[Mapping[int, float]]],
    worth: tuple[float, float, float, float, float, float],
) -> tuple[Floats, ...]:
    """Return what the second hop makes of scores; the reference is in ``policies.hops``.

    Args:
        columns: Confidence, score and score without a floor of each candidate.
        is_turn: Which candidates are turns; empty for none.
        seeds: Positions of the first hits.
        leads: What leads from them by words, and by being said nearby.
        worth: Of a bridge, of one to a turn, of what is nearby, of staying behind; weight; floor.
    """
    shared, near = ([list(part.items()) for part in led] for led in leads)
    found = _native.hops(*columns, is_turn, seeds, shared, near, worth)
    return tuple(map(floats, found))


def best(values: Floats, size: int) -> list[int]:
    """Return the positions of the best positive values, best first, ties by position."""
    return _native.best(values, size)
