"""What a question asks for by its form, English and Russian: pure rules over a few words."""

from __future__ import annotations

import re
from enum import StrEnum

from realmemory.late import late_pattern

_FLAGS = re.IGNORECASE
_STEMS = (
    "order", "sequence", "chronolog", "step by", "timeline", "how ", "number of", "count of",
    "total", "compar", "differ", "versus", "vs", "both", "common", "contradict", "list", "all ",
    "summar", "overview", "every", "what ", "which ", "name",
)  # fmt: skip
"""Where an ASCII question holds none of these no rule matches it; looking is much cheaper."""
_SECOND_PERSON = late_pattern(
    r"\b(?:you|your|yours|yourself|ты|тебя|тебе|тобой|вы|вас|вам|вами|твой|твоя|твоё|твое|твои|"
    r"твоего|твоей|твоих|ваш|ваша|ваше|ваши|вашего|вашей|ваших)\b",
    _FLAGS,
)
_ORDER = late_pattern(
    r"\b(?:in (?:what|which) order|sequence|chronolog\w*|step by step|timeline|"
    r"в каком порядке|последовательност\w*|хронолог\w*)\b",
    _FLAGS,
)
_DURATION = late_pattern(
    r"\b(?:how long|how (?:many|much) (?:days?|weeks?|months?|years?|hours?|minutes?|time)|"
    r"как долго|сколько (?:времени|дней|недель|месяцев|лет|часов|минут))\b",
    _FLAGS,
)
_COUNT = late_pattern(
    r"\b(?:how many|how often|how much (?:in total|altogether)|number of|count of|total|"
    r"сколько|как часто|количество|всего)\b",
    _FLAGS,
)
_COMPARE = late_pattern(
    r"\b(?:compared?|comparison|differ\w*|versus|vs|both|in common|contradict\w*|"
    r"сравни\w*|отлич\w*|разниц\w*|оба|обе|общего)\b",
    _FLAGS,
)
_LIST = late_pattern(
    r"\b(?:list|all (?:the|of|my|our|his|her|their)|summar\w+|overview|every|"
    r"(?:what|which) (?:are|were|kinds?|types?|sorts?)|names? of|"
    r"перечисл\w*|список|все|каждый|каждая|обзор|какие|итог\w*)\b",
    _FLAGS,
)


class Shape(StrEnum):
    """The form of an answer that a question asks for."""

    PLAIN = "plain"
    COUNT = "count"
    LIST = "list"
    COMPARE = "compare"
    ORDER = "order"
    DURATION = "duration"

    @property
    def several(self) -> bool:
        """Whether the answer is likely to be put together from several places."""
        return self is not Shape.PLAIN


_RULES = (
    (_ORDER, Shape.ORDER),
    (_DURATION, Shape.DURATION),
    (_COUNT, Shape.COUNT),
    (_COMPARE, Shape.COMPARE),
    (_LIST, Shape.LIST),
)


def shape_of(question: str) -> Shape:
    """Return what form of answer a question asks for; the most telling rule wins."""
    if question.isascii():
        lowered = question.lower()
        if not any(stem in lowered for stem in _STEMS):
            return Shape.PLAIN
    return next((shape for rule, shape in _RULES if rule.search(question)), Shape.PLAIN)


def addresses_assistant(question: str) -> bool:
    """Say whether a question speaks to a second person, whose own words may be the answer."""
    return _SECOND_PERSON.search(question) is not None
