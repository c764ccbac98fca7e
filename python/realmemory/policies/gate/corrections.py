"""Words that introduce a correction: "Correction:", "Actually,", "Korrektur:", "на самом деле".

They say nothing of the matter, only that what follows holds instead of what was said of it before.
"""

from __future__ import annotations

import re

_NOUNS = (
    "correction", "corrigendum", "erratum", "update", "updated", "edit", "amendment",
    "clarification", "korrektur", "berichtigung", "richtigstellung", "klarstellung", "nachtrag",
    "aktualisierung", "исправление", "исправлено", "поправка", "уточнение", "обновление", "апдейт",
    "правка",
)  # fmt: skip
"""Headings; a colon or a dash follows them."""
_ADVERBS = (
    "actually", "in fact", "scratch that", "my mistake", "i was wrong", "i meant(?: that)?",
    "tatsächlich", "eigentlich", "in wirklichkeit", "ich meinte", "mein fehler",
    "на самом деле", "вообще-то", "я имела? в виду", "я ошиб(?:ся|лась)",
)  # fmt: skip
_APOLOGIES = ("sorry", "oops", "entschuldigung", "извини(?:те)?", "ой", "упс")
_HEADS = r"\s*(?:[:\u2013\u2014]|\s-)\s*"
_SIGN = rf"(?:{_HEADS}|\s*[,;.!]\s*)"
_INTRODUCTION = re.compile(
    rf"\s*(?:(?:{'|'.join(_APOLOGIES)}){_SIGN}(?=\w))?"
    rf"(?:(?:{'|'.join(_NOUNS)}){_HEADS}|(?:{'|'.join(_ADVERBS)})(?:{_SIGN}|\s+))+(?=\w)",
    re.IGNORECASE,
)
_OF_SOMETHING = re.compile(
    r"\s*(?:correction|corrigendum|erratum|korrektur|berichtigung|richtigstellung|исправление|поправка)"
    r"\s+(?:to|of|for|on|about|regarding|zu|zum|zur|к|ко|по)\s",
    re.IGNORECASE,
)
"""Before what is corrected: "Correction to experiment 7: ..."."""
_FIRST_LETTERS = frozenset("abceikmnorstuавиноптуя")
"""Texts that begin with none of them are introduced by nothing, which most can be told by."""


def introduction(text: str) -> str:
    """Return the words at the beginning of a text that say that it corrects another, or nothing."""
    if not _may_begin(text):
        return ""
    found = _INTRODUCTION.match(text)
    return found.group() if found else ""


def corrects(text: str) -> bool:
    """Say whether a text begins by saying that it corrects another, or what of it."""
    if not _may_begin(text):
        return False
    return _INTRODUCTION.match(text) is not None or _OF_SOMETHING.match(text) is not None


def _may_begin(text: str) -> bool:
    begin = text[:1] if not text[:1].isspace() else text.lstrip()[:1]
    return begin.casefold() in _FIRST_LETTERS
