"""What a question asks for by its interrogative, and whether a text holds such a thing.

English, Russian and German: pure rules over a few words.
"""

from __future__ import annotations

from enum import Enum

from realmemory.core.text import count_query_words
from realmemory.late import late_pattern
from realmemory.policies.words import calendar, word_set
from realmemory.tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Sequence
    from typing import Self

_TOKEN = late_pattern(r"\w+")


class Form(Enum):
    """What answers a question."""

    ANYTHING = "anything"
    NUMBER = "number"
    TIME = "time"
    NAME = "name"
    PLACE = "place"


_GERMAN = {
    **dict.fromkeys((
        "welche", "welcher", "welches", "welchen", "welchem", "was", "wie", "warum", "wieso",
        "womit", "wogegen", "wovor",
    ), Form.ANYTHING),
    **dict.fromkeys(("wer", "wem", "wen", "wessen"), Form.NAME),
    **dict.fromkeys(("wo", "wohin", "woher"), Form.PLACE),
    "wann": Form.TIME,
}  # fmt: skip
_FORMS = {
    **_GERMAN,
    **dict.fromkeys((
        "what", "which", "how", "why", "какой", "какая", "какое", "какие", "каком", "какую",
        "каким", "какого", "какому", "каких", "какими", "как", "почему", "зачем", "что", "чем",
        "чего", "чему",
    ), Form.ANYTHING),
    **dict.fromkeys((
        "who", "whom", "whose", "кто", "кого", "кому", "кем", "чей", "чья", "чьё",
    ), Form.NAME),
    **dict.fromkeys(("where", "где", "куда", "откуда"), Form.PLACE),
    **dict.fromkeys(("when", "когда"), Form.TIME),
    "сколько": Form.NUMBER,
}  # fmt: skip
INTERROGATIVES = frozenset(_FORMS)
_HOW = frozenset(["how", "wie", "как"])
MEASURES = frozenset([
    "many", "much", "long", "old", "tall", "high", "large", "big", "fast", "often", "heavy",
    "far", "deep", "wide", "viel", "viele", "vielen", "lange", "alt", "groß", "hoch", "schnell",
    "oft", "schwer", "weit", "долго", "часто", "быстро"
])  # fmt: skip
"""Behind "how" they ask for a number."""
_TIMES = frozenset([
    "time", "date", "day", "month", "year", "uhr", "tag", "tage", "datum", "monat", "jahr",
    "число", "числа", "день", "дня", "году", "года"
])  # fmt: skip
"""Behind another interrogative they ask for a time."""
_NUMBERS = frozenset([
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "dozen", "half", "hundred", "thousand", "million", "zwei", "drei", "vier", "fünf",
    "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf", "halb", "hundert", "tausend",
    "один", "одна", "два", "две", "три", "четыре", "пять", "шесть", "семь", "восемь", "девять",
    "десять", "половине", "сто", "тысяча", "тысяч", "миллион", "миллиона", "миллионов"
])  # fmt: skip
_MOMENTS = (
    *(name.lower() for language in ("en", "de") for name in calendar.MONTHS[language]),
    *(name.lower() for language in ("en", "de") for name in calendar.WEEKDAYS[language]),
    *calendar.RUSSIAN_BEGINNINGS,
    "week", "month", "year", "night", "morning", "evening", "noon", "spring", "summer", "autumn",
    "winter", "daily", "christmas", "easter", "today", "tomorrow", "yesterday", "woche", "monat",
    "jahr", "nacht", "morgen", "abend", "täglich", "frühling", "frühjahr", "sommer", "herbst",
    "ostern", "weihnacht", "heute", "gestern", "сред", "недел", "месяц", "год", "лет", "ноч", "утр",
    "вечер", "весн", "осен", "зим", "сегодня", "завтра", "вчера", "ежедневн"
)  # fmt: skip
"""Beginnings of words that name a time."""
_DAYS = calendar.NAMES - word_set("april may june august")
"""Days and months that are written like names, and hardly anybody is called by."""
_PLACES = frozenset([
    "in", "at", "near", "to", "from", "on", "under", "behind", "beside", "im", "am", "auf", "bei",
    "nach", "aus", "unter", "hinter", "neben", "в", "во", "на", "под", "у", "из", "около",
    "рядом", "за"
])  # fmt: skip

_ALIKE = 0.2
"""Likeness word by word from which a text is about what is asked; cross-validated."""


class Interrogative(NamedTuple):
    """The first interrogative of a question; ``german``: capitals do not tell names."""

    form: Form
    german: bool

    @classmethod
    def of(cls, words: Sequence[str]) -> Self | None:
        """Return that of the lower-case words of a question, None without one."""
        for at, word in enumerate(words):
            form = _FORMS.get(word)
            # An English sentence holds "was" anywhere.
            if form is not None and (at == 0 or word != "was"):
                following = words[at + 1] if at + 1 < len(words) else ""
                if word in _HOW and following in MEASURES:
                    form = Form.NUMBER
                elif form is Form.ANYTHING and following in _TIMES:
                    form = Form.TIME
                return cls(form, word in _GERMAN)
        return None

    def answered_in(self, words: Sequence[str], asked: Container[str]) -> bool | None:
        """Say whether a text holds the sort of thing that answers, beyond what the question says.

        Args:
            words: Those of the text.
            asked: The lower-case words of the question.

        Returns:
            None where anything may answer.
        """
        if self.form is Form.ANYTHING:
            return None
        found = _RULES[self.form]
        return any(found(word) for word in words if word.lower() not in asked)


def fitting(question: str, texts: Sequence[str], likeness: Sequence[float]) -> list[float]:
    """Return how far each text holds the sort of thing that a question asks for, 0 to 1.

    Any sentence may name a day: it counts as far as the text is about what is asked. Where anything
    may answer, none does.

    Args:
        question: What is asked.
        texts: What may hold it.
        likeness: How like the question each text is, word by word, 0 to 1.
    """
    lower = tokens_of(question.casefold())
    asked = Interrogative.of(lower)
    if asked is None or asked.form is Form.ANYTHING:
        return [0.0] * len(texts)
    said = frozenset(lower)
    return [
        min(like / _ALIKE, 1.0) if asked.answered_in(tokens_of(text), said) else 0.0
        for text, like in zip(texts, likeness, strict=True)
    ]


def tokens_of(text: str) -> list[str]:
    """Return the words of a text as they are written."""
    return _TOKEN.findall(text)


def tells_number(word: str) -> bool:
    """Say whether a word is a number, or has one in it."""
    return not word.isalpha() or word.lower() in _NUMBERS


def _time(word: str) -> bool:
    return tells_number(word) or word.lower().startswith(_MOMENTS)


def _name(word: str) -> bool:
    written_so = word[0].isalpha() and not word[0].islower()
    return written_so and word.lower() not in _DAYS and count_query_words(word) > 0


def _place(word: str) -> bool:
    return word in _PLACES or _name(word)


_RULES = {Form.NUMBER: tells_number, Form.TIME: _time, Form.NAME: _name, Form.PLACE: _place}
