"""What sort of thing the numbers of two texts tell: times, or amounts of one unit.

"The upload limit is 25 MB now" is another value of "10 MB", "version 8" none of "every 90 days", and
a room no hour.
"""

from __future__ import annotations

from realmemory.late import late_pattern
from realmemory.policies.words import calendar, little
from realmemory.tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from realmemory.policies.change.clauses import Clause, Word

_CLOCK = late_pattern(r"\d{1,2}[:.]\d\d")
_YEAR = late_pattern(r"(?:19|20)\d\d")
_HOURS = frozenset(["am", "pm", "uhr", "o'clock", "часов", "часа", "утра", "вечера"])
_RANGE = little.PREPOSITIONS | {"and", "und", "и"}


class Amounts(NamedTuple):
    """The numbers of a text: whether one is a time or bare, and the stems of all units."""

    time: bool
    bare: bool
    units: frozenset[str]

    @classmethod
    def of(cls, clauses: Iterable[Clause]) -> Amounts:
        """Read the numbers of some clauses."""
        time, bare, units = False, False, set[str]()
        for clause in clauses:
            for at, word in enumerate(clause.tokens):
                if not word.counts:
                    continue
                if _is_time(clause.tokens, at):
                    time = True
                    continue
                beside = _units(clause.tokens, at)
                bare = bare or not beside or _YEAR.fullmatch(word.folded) is not None
                units |= beside
        return cls(time, bare, frozenset(units))

    def of_one_sort(self, other: Amounts) -> bool:
        """Say whether a number of one may stand in the place of one of the other."""
        if self.time and other.time:
            return True
        if (self.bare and any(other)) or (other.bare and any(self)):
            return True
        return not self.units.isdisjoint(other.units)


def _is_time(tokens: tuple[Word, ...], at: int) -> bool:
    said = tokens[at].folded
    if not said[0].isdigit() or _CLOCK.fullmatch(said):
        return True
    beside = {word.folded for word in (*tokens[max(at - 1, 0) : at], *tokens[at + 1 : at + 2])}
    return not beside.isdisjoint(calendar.NAMES | _HOURS)


def _units(tokens: tuple[Word, ...], at: int) -> set[str]:
    """Return the stems of the words beside a number, over what it is a range of."""
    found: set[str] = set()
    for step in (-1, 1):
        place = at + step
        while 0 <= place < len(tokens) and (
            tokens[place].folded in _RANGE or tokens[place].said[0].isdigit()
        ):
            place += step
        # Before it stands what it is of, if at all, directly: "version 8", "port 8480".
        if 0 <= place < len(tokens) and tokens[place].content and (step > 0 or place == at - 1):
            found |= tokens[place].stems
    return found
