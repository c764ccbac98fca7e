"""Whether news of what a memory states bears on what is asked of it, and at what time.

"The piano lesson was moved to Thursday" is news of "piano on Monday with Mrs Hale" for who asks when,
not for who asks with whom; and who asks when it was in March, before it was moved, is answered by the
first.
"""

from __future__ import annotations

from realmemory.policies.change.clauses import folded
from realmemory.policies.change.clauses import tokens_of as folded_tokens
from realmemory.policies.question.interrogatives import Form, Interrogative, tokens_of
from realmemory.policies.words import changes as words
from realmemory.tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol, Self

    from realmemory.policies.times.days import Span

    class Dated(Protocol):
        """A text and when it was told, epoch seconds."""

        @property
        def text(self) -> str:
            """What was told."""
            ...

        @property
        def observed_at(self) -> float:
            """When, epoch seconds."""
            ...


_OVER = words.ENDED | words.DEPARTED | words.MENDED
_OVER_STEMS = (
    *words.ENDED_STEMS,
    *words.DEPARTED_STEMS,
    *words.MENDED_STEMS,
)


class Bearing(NamedTuple):
    """A question, by what sort of thing answers it."""

    asked: Interrogative | None
    said: frozenset[str]

    @classmethod
    def of(cls, question: str) -> Self:
        """Read a question."""
        lower = tokens_of(question.lower())
        return cls(Interrogative.of(lower), frozenset(lower))

    def answers(self, earlier: str, later: str) -> bool:
        """Say whether news may answer instead of what it tells of.

        Where that holds the sort of thing which is asked for, news holds one too, of its own, unless
        it says that something is over.
        """
        if self.asked is None:
            return not self._named_only_in(earlier, later)
        if self.asked.form is Form.ANYTHING:
            return True
        stated, told = tokens_of(earlier), tokens_of(later)
        if not self.asked.answered_in(stated, self.said):
            return True
        known = self.said.union(map(str.lower, stated))
        return bool(self.asked.answered_in(told, known)) or _tells_end(later)

    def _named_only_in(self, earlier: str, later: str) -> bool:
        """Say whether an identifier is looked up, as "TS114", that the news does not hold."""
        sought = set(filter(_is_identifier, self.said))
        stated, told = ({word.lower() for word in tokens_of(text)} for text in (earlier, later))
        return not sought.isdisjoint(stated) and sought.isdisjoint(told)


def _is_identifier(word: str) -> bool:
    return any(map(str.isdigit, word)) and any(map(str.isalpha, word))


def _tells_end(text: str) -> bool:
    """Say whether a text says that something is over."""
    plain = folded(text)
    tokens = folded_tokens(plain)
    if not tokens.isdisjoint(_OVER) or any(phrase in plain for phrase in words.DENIALS):
        return True
    return not plain.isascii() and any(token.startswith(_OVER_STEMS) for token in tokens)


def held_then(asked: Sequence[Span], earlier: Dated, later: Dated, now: float) -> bool | None:
    """Say whether the earlier of two statements held at the times that a question names.

    Args:
        asked: The times; none asks for now.
        earlier: What was told first.
        later: What was told since, which changes it.
        now: When it is asked, epoch seconds.

    Returns:
        None where neither was known by then.
    """
    until = max((span.end for span in asked), default=now)
    if until >= now or later.observed_at < until:
        return False
    from realmemory.policies.times.moments import spans  # noqa: PLC0415 - few questions name a time

    told = spans(later.text, later.observed_at)
    if any(span.start < until and span.end > one.start for span in told for one in asked):
        # It was told later, of that time.
        return False
    return True if earlier.observed_at < until else None
