"""Our own conversations as parts of long ones: their sessions among those of all others.

By themselves they have five sessions or fewer, and then the session of an answer is told by little.
"""

from __future__ import annotations

import random
import re
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from realmemory.clock import DAY
from realmemory.eval.corpora import chats, exchanges
from realmemory.policies.times.dates import is_russian

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from realmemory.eval.corpora.dialogue import Conversation, Dialogue, Session

_AROUND = 60 * DAY
"""Time before the first session and after the last, in which others may lie."""
_TWO = 2


def load(*, english: bool = False) -> Dialogue:
    """Return our conversations of two, each among the sessions of all others of its language.

    The others are told by the same two: their names take the place of those who spoke, and what is
    dealt several times is told once. When the others took place is drawn by chance, the same each time.
    """
    people = chats.in_english(chats.load()) if english else chats.load()
    others = [*people.conversations, *exchanges.load().conversations]
    pairs = [item for item in others if len(_speakers(item)) == _TWO]
    return replace(
        people,
        name="long chats",
        conversations=tuple(_among(core, pairs) for core in people.conversations),
    )


def _among(core: Conversation, pairs: Sequence[Conversation]) -> Conversation:
    chance = random.Random(core.key)  # noqa: S311 - nothing secret
    russian, told = _is_russian(core), set[str]()
    others: list[Session] = []
    for pair in pairs:
        if pair.key == core.key or _is_russian(pair) != russian:
            continue
        cast = dict(zip(_speakers(pair), _speakers(core), strict=True))
        for session in _told_by(cast, pair):
            # The end of a turn: a call to the other may stand before it.
            ending = session.turns[0].text[-40:]
            if ending not in told:
                told.add(ending)
                others.append(session)
    times = [part.when for part in core.sessions if part.when is not None]
    first, last = min(times) - _AROUND, max(times) + _AROUND
    placed = [replace(part, when=chance.uniform(first, last)) for part in others]
    every = sorted([*core.sessions, *placed], key=lambda part: part.when or first)
    return replace(core, sessions=tuple(every))


def _told_by(cast: Mapping[str, str], pair: Conversation) -> Iterator[Session]:
    """Yield the sessions of a conversation as those tell it who play its speakers."""
    for session in pair.sessions:
        turns = tuple(
            replace(
                turn,
                key=f"{pair.key}-{turn.key}",
                speaker=cast[turn.speaker],
                text=_renamed(turn.text, cast),
            )
            for turn in session.turns
        )
        if turns:
            yield replace(session, key=f"{pair.key}-{session.key}", turns=turns)


def _renamed(text: str, cast: Mapping[str, str]) -> str:
    names = "|".join(map(re.escape, cast))
    return re.sub(rf"\b(?:{names})\b", lambda found: cast[found[0]], text)


def _speakers(conversation: Conversation) -> list[str]:
    turns = chain.from_iterable(session.turns for session in conversation.sessions)
    return list(dict.fromkeys(turn.speaker for turn in turns))


def _is_russian(conversation: Conversation) -> bool:
    turns = chain.from_iterable(session.turns for session in conversation.sessions)
    return is_russian(" ".join(turn.text for turn in turns))
