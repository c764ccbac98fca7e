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
_SECOND_PERSON = frozenset([
    "you", "your", "yours", "yourself", "ты", "тебя", "тебе", "тобой", "вы", "вас", "вам", "вами",
    "твой", "твоя", "твоё", "твое", "твои", "твоего", "твоей", "твоих", "ваш", "ваша", "ваше",
    "ваши", "вашего", "вашей", "ваших"
])  # fmt: skip
_TOKEN = late_pattern(r"\w+")
_FIRST_PERSON = frozenset([
    "i", "me", "my", "mine", "myself", "we", "us", "our", "ours", "я", "меня", "мне", "мной", "мой",
    "моя", "моё", "мое", "мои", "моего", "моей", "моих", "мою", "моём", "мы", "нас", "нам", "нами",
    "наш", "наша", "наше", "наши", "нашего", "нашей", "наших", "нашу"
])  # fmt: skip
_UTTERED = frozenset([
    "say", "says", "said", "saying", "tell", "tells", "told", "telling", "think", "thinks",
    "thought", "thoughts", "feel", "feels", "felt", "feeling", "feelings", "responds", "responded",
    "response", "joke", "jokes", "joked", "would", "hope", "hopes", "hoped", "want", "wants",
    "wanted", "according", "скажет", "хочет", "хотят", "надеется", "надеялась", "надеялся", "бы"
])  # fmt: skip
_UTTERED_STEMS = (
    "react", "repl", "answer", "ask", "suggest", "advis", "advic", "recommend", "offer", "promis",
    "propos", "predict", "comment", "opinion", "wish", "believ", "describ", "mention", "guess",
    "agree", "warn", "congratulat", "compliment", "respond",
    "сказал", "говор", "ответ", "отвеча", "спрос", "спрашива", "дума", "подума", "счита", "предлож",
    "предлага", "совет", "посовет", "обеща", "относ", "отнес", "мнени", "пошути", "хотел", "жела",
)  # fmt: skip
"""Beginnings of words of saying, thinking and wanting, and whole ones that begin like others."""
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
    lowered = question.lower()
    if lowered.isascii() and "you" not in lowered:
        return False
    return not _SECOND_PERSON.isdisjoint(_TOKEN.findall(lowered))


def first_person(text: str) -> bool:
    """Say whether a text speaks of whoever speaks."""
    return not _FIRST_PERSON.isdisjoint(_TOKEN.findall(text.lower()))


def asks_for_words(question: str) -> bool:
    """Say whether a question asks what somebody says, thinks or wants, whatever it is about."""
    words = _TOKEN.findall(question.lower())
    return any(word in _UTTERED or word.startswith(_UTTERED_STEMS) for word in words)
