"""Which turns of a call a session holds already: a repeated call stores nothing twice.

People say the same thing twice, and programs send the same thing twice. What tells them apart, in
this order: a time that a turn bears, the turns around it, and whether other turns came since.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from realmemory.errors import InvalidInputError
from realmemory.store.erased_turns import shortened
from realmemory.store.row_hash import content_hash

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from realmemory.outcomes import ConversationTurn
    from realmemory.store.records import StoredTurn

_EXCHANGE = 2
"""Turns that are said again word for word in one session; what is longer was sent again."""
_RITUAL = 12
"""Turns that are said again word for word at another time; what is longer was sent again."""


@dataclass(frozen=True, slots=True)
class Session:
    """What is known of a session: its turns by index, and the former ids of those erased."""

    turns: Mapping[int, StoredTurn] = field(default_factory=dict)
    erased: Mapping[int, Mapping[int, int]] = field(default_factory=dict)

    @property
    def last(self) -> int:
        """Index of the last turn, -1 if there was none."""
        return max((*self.turns, *self.erased), default=-1)

    def erased_id(self, index: int, said: bytes) -> int | None:
        """Return the former id of a turn if this text was erased at this place."""
        return self.erased.get(index, {}).get(shortened(said))

    def known(self, index: int, said: bytes) -> int | None:
        """Return the trace that holds a turn, or held it until it was erased."""
        held, erased = self.turns.get(index), self.erased_id(index, said)
        return erased if held is None or (erased and said not in held.said) else held.id

    def contradicts(self, index: int, said: bytes, turn: ConversationTurn) -> bool:
        """Say whether something else was said at a place, or by somebody else, or another time."""
        if index not in self.turns:
            return index in self.erased and self.erased_id(index, said) is None
        held = self.turns[index]
        if said not in held.said:
            return self.erased_id(index, said) is None
        by_another = bool(turn.speaker) and turn.speaker not in held.speakers | {""}
        return by_another or (turn.observed_at is not None and turn.observed_at not in held.times)


@dataclass(frozen=True, slots=True)
class Call:
    """The turns of one call, the hash of what each says, and the time of the call."""

    turns: Sequence[ConversationTurn]
    hashes: Sequence[bytes]
    preceding: Sequence[ConversationTurn]
    observed_at: float | None

    @classmethod
    def of(
        cls,
        turns: Sequence[ConversationTurn],
        preceding: Sequence[ConversationTurn],
        observed_at: float | None,
    ) -> Call:
        """Return a call as it is compared."""
        return cls(turns, [content_hash(turn.text) for turn in turns], preceding, observed_at)


def place(session: Session, call: Call) -> int:
    """Return the index of the call's first turn in its session, found by what it says."""
    appended = session.last + 1
    for at in range(appended):
        if (
            _agrees(session, call, at)
            and _sent_again(session, call, at)
            and not _follows_only(session, call, appended, at)
        ):
            return at
    return appended


def _agrees(session: Session, call: Call, offset: int) -> bool:
    """Say whether the known turns from an index on are those of the call, as far as it goes."""
    overlap = range(offset, min(session.last + 1, offset + len(call.turns)))
    return not any(
        session.contradicts(i, call.hashes[i - offset], call.turns[i - offset]) for i in overlap
    ) and any(session.known(i, call.hashes[i - offset]) is not None for i in overlap)


def _sent_again(session: Session, call: Call, offset: int) -> bool:
    """Say whether turns that agree were sent again, rather than said again."""
    end = offset + len(call.turns) - 1
    if end > session.last:
        return True
    if len(call.turns) <= _RITUAL and at_another_time(session, call, offset):
        return False
    dated = all(turn.observed_at is not None for turn in call.turns) or call.observed_at is not None
    return (
        end == session.last
        or dated
        or len(call.turns) > _EXCHANGE
        or _follows(session, call, offset)
    )


def at_another_time(session: Session, call: Call, offset: int) -> bool:
    """Say whether the call names another time than that of the turns without one of their own."""
    if call.observed_at is None:
        return False
    undated = [i for i, turn in enumerate(call.turns, offset) if turn.observed_at is None]
    return any(
        i in session.turns and call.observed_at not in session.turns[i].times for i in undated
    )


def _follows_only(session: Session, call: Call, appended: int, offset: int) -> bool:
    """Say whether what stands before the call stands before the one place and not the other."""
    return _follows(session, call, appended) and not _follows(session, call, offset)


def _follows(session: Session, call: Call, offset: int) -> bool:
    """Say whether the turns before the call are those that the session has before an index."""
    before = list(zip(range(offset - 1, -1, -1), reversed(call.preceding), strict=False))
    return bool(before) and all(
        i in session.turns and content_hash(turn.text) in session.turns[i].said
        for i, turn in before
    )


def check_place(session: Session, call: Call, name: str, first_turn: int) -> None:
    """Raise ``invalid_turn`` if something else is stored where a call is to begin."""
    for index, said in enumerate(call.hashes, first_turn):
        held = session.turns.get(index)
        if held is not None and said not in held.said and session.erased_id(index, said) is None:
            raise InvalidInputError(
                f"turn {index} of session {name!r} is stored with another "
                "content; nothing was stored. Give the index of the first new turn.",
                code="invalid_turn",
            )


def known_turns(session: Session, call: Call, offset: int) -> Iterator[tuple[int, int]]:
    """Yield which turns of a call are known, and the trace of each."""
    for at, said in enumerate(call.hashes):
        known = session.known(offset + at, said)
        if known is not None:
            yield at, known
