"""News: a text that says by its words that something is otherwise now than another tells.

"My new email is ..." is no contradiction of "My email is ...", which names another address: both may
be used. Who asks for the address is better served with the news. So is who asks for the database with
"We switched from MySQL to Postgres", which names what "Our database is MySQL" answers with as left.
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
_LEFT = late_pattern(
    r"\b(?:left|leaves|leaving|quit|sold|replaced|dropped|ditched|abandoned|retired|instead of"
    r"|statt|verkauft|verlassen|ersetzt"
    r"|вместо|прода(?:л[аи]?|ем)|бросил[аи]?|заменил[аи]?|покинул[аи]?|отказал(?:ся|ась|ись) от"
    r"|(?:moved|switched|migrated|changed|rewrote|went|gewechselt|umgestiegen|переш\w+"
    r"|пере(?:ехал|писал|вел|вёл)\w*|мигрировал\w*|уш(?:ел|ёл|л[аи]))\b[^.!?]{0,40}?"
    r"\b(?:from|von|со?|из))\s+(?P<what>\S.*)",
    flags=re.IGNORECASE | re.DOTALL,
)
"""What is left by a text follows: at once after these verbs, after "from" where they move."""
_LEAVING = Literals((
    "left", "leav", "quit", "sold", "replaced", "dropped", "ditched", "abandoned", "retired", "instead of",
    "moved", "tched", "migrated", "changed", "rewrote", "went",
    "statt", "verkauft", "verlassen", "ersetzt", "gewech", "umgestiegen",
    "вместо", "прода", "бросил", "заменил", "покинул", "отказал", "пере", "мигрировал", "уш",
))  # fmt: skip
"""One of them is in whatever that pattern matches."""
_OF_OURSELVES = late_pattern(
    r"\b(?:i|my|we|our|ich|wir|mein\w{0,2}|unser\w{0,2}|я|мы|мо[йяеёию]\w{0,2}|наш\w{0,2}|у (?:нас|меня))\b",
    flags=re.IGNORECASE,
)
_LONG = 1_000
"""Characters from which a text holds such words about anything."""


def tells_news(text: str) -> bool:
    """Say whether a text says that something is otherwise now than it was."""
    return len(text) < _LONG and _HINTS.any_in(text.casefold()) and _TELLS.search(text) is not None


def left(question: str, texts: Mapping[int, str]) -> dict[int, tuple[int, ...]]:
    """Return the texts that say of each that what it answers a question with was left.

    They name that right after the word that leaves it, and are about whom the other is about: both
    about whoever speaks, or they share something of the question.

    Args:
        question: What is asked.
        texts: What was found, by id.
    """
    found = {
        one: _LEFT.search(text)
        for one, text in texts.items()
        if len(text) < _LONG and _LEAVING.any_in(text.casefold())
    }
    gone = {one: analyze_query(match["what"]) for one, match in found.items() if match}
    if not gone:
        return {}
    asked = set(analyze_query(question))
    words = {one: set(analyze_query(text)) for one, text in texts.items()}
    ours = {one for one, text in texts.items() if _OF_OURSELVES.search(text)}

    def leaves(new: int, old: int) -> bool:
        answer = words[old] - asked
        of_one = {new, old} <= ours or words[old] & words[new] & asked
        return bool(answer and of_one) and answer == set(gone[new][: len(answer)])

    return {old: tuple(new for new in gone if new != old and leaves(new, old)) for old in texts}


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
