"""News: a text that says by its words that something is otherwise now than another tells.

"My new email is ..." is no contradiction of "My email is ...", which names another address: both may
be used. Who asks for the address is better served with the news.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from realmemory.core.literals import Literals
from realmemory.core.text import analyze, analyze_query
from realmemory.late import late_pattern

if TYPE_CHECKING:
    from collections.abc import Mapping

_TELLS = late_pattern(
    r"\b(?:new|now|moved|switched|changed|replaced|renamed|(?:no|any) ?(?:longer|more)|from now on"
    r"|jetzt|nun|neu(?:e[mnrs]?)?|nicht mehr|ab sofort|umgezogen|gewechselt"
    r"|нов(?:ый|ая|ое|ые|ого|ой|ым)|теперь|больше не|перее(?:хал|зжает)\w*|переш(?:ел|ёл|л[аи]))\b",
    flags=re.IGNORECASE,
)
_HINTS = Literals((
    "new", "now", "moved", "tched", "changed", "replaced", "renamed", "longer", "more",
    "jetzt", "nun", "neu", "mehr", "ofort", "umgezogen", "gewech",
    "нов", "теперь", "больше", "перее", "переш",
))  # fmt: skip
"""One of them is in whatever the pattern matches; most texts hold none, which is found sooner."""
_LONG = 1_000
"""Characters from which a text holds such words about anything."""


def tells_news(text: str) -> bool:
    """Say whether a text says that something is otherwise now than it was."""
    return len(text) < _LONG and _HINTS.any_in(text.casefold()) and _TELLS.search(text) is not None


def overtaken(question: str, texts: Mapping[int, str]) -> dict[int, tuple[int, ...]]:
    """Return the texts that may be news of each, as far as the question goes.

    A text is news of another if it says so and holds all that the question and the other share.

    Args:
        question: What is asked.
        texts: What was found, by id.
    """
    news = [one for one, text in texts.items() if tells_news(text)]
    if not news:
        return {}
    asked = set(analyze_query(question))
    shared = {one: asked.intersection(analyze(text)) for one, text in texts.items()}
    return {
        old: tuple(one for one in news if one != old and shared[old] <= shared[one])
        for old in texts
        if shared[old]
    }
