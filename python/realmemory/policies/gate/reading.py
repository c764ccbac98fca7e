"""Reading a text for what carries its fact: numbers, names, negation, roles.

One pass, token by token, over closed lists of words; see :mod:`realmemory.policies.words`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from realmemory.core.literals import Literals
from realmemory.core.text import analyze
from realmemory.late import once
from realmemory.policies.gate.corrections import introduction
from realmemory.policies.gate.plain_text import introduced, one_number, respelled
from realmemory.policies.gate.symbols import symbols_of
from realmemory.policies.words import (
    changes,
    little,
    markers,
    numbers,
    statements,
    synonyms,
    word_set,
)

_TOKEN = re.compile(r"(°[cf]|%|--[^\W\d_][\w-]*|[#@]?\w+(?:[-./:@'+#]\w+)*)", re.IGNORECASE)
"""A token; in a group, so that a text can be split into tokens and what stands between them."""
_NUMBER = re.compile(r"\d+(?:[.:/-]\d+)*")
_MEASURE = re.compile(r"(\d+(?:\.\d+)?)([^\W\d_]+|%|°[cf])")
_ORDINAL_ENDINGS = frozenset(["st", "nd", "rd", "th"])
_COPULAS = word_set("is are was were")
_AUXILIARIES = _COPULAS | word_set("be been being get gets got")
_FAR_SCRIPT = re.compile("[\u0530-\U0010ffff]")
_TIMES = frozenset(["time", "раз"])
_AFTERNOON = frozenset(["pm", "вечера"])
_FORENOON = frozenset(["am", "утра"])
_QUOTED = re.compile(r"[`\"“«„]([^`\"“”»«„]{2,}?)[`\"”»“]")
_QUOTE = re.compile('[`"“«„]')
_SENTENCE_END = re.compile(r"[.!?\n]")
_IDENTIFYING = re.compile(r"[_/.:#@+]|^-")
_PHRASE_STARTS = frozenset(
    phrase.replace("_", " ").split()[0]
    for phrases in (
        synonyms.NEGATING_PHRASES,
        synonyms.PHRASES,
        statements.MODALS,
        synonyms.SYNONYMS,
    )
    for phrase in phrases
    if " " in phrase or "_" in phrase or phrases in (synonyms.NEGATING_PHRASES, synonyms.PHRASES)
)
"""First words of what :meth:`_Reader._phrase` knows."""
_PASSED_OVER = (
    (markers.LIGHT | synonyms.FILLERS)
    - _PHRASE_STARTS
    - _COPULAS
    - little.NEGATIONS
    - statements.FORBIDDEN
    - numbers.NUMBERS.keys()
    - statements.MODALS.keys()
)
"""Words of which nothing is kept, wherever they stand."""
_UNLIKE_OTHERS = (
    _PHRASE_STARTS
    | _PASSED_OVER
    | _COPULAS
    | _TIMES
    | markers.LIGHT
    | synonyms.FILLERS
    | statements.FORBIDDEN
    | little.NEGATIONS
    | numbers.NUMBERS.keys()
    | statements.MODALS.keys()
    | numbers.UNITS.keys()
    | {"twice", "дважды"}
)
"""Words that a rule of :class:`_Reader` is about; every other one is content wherever it stands."""
_CHANGES = Literals(changes.CHANGES)
_SHORT = 2_000
"""Longest text whose signature is kept for the next comparison, characters."""


class Word(NamedTuple):
    """One word that carries meaning; a ``marker`` only ties others together.

    A ``light`` one is no part of a signature: it stands for itself in :func:`every_word`, which tells
    also with which words a sentence ``begins``.
    """

    stem: str
    surface: str
    marker: bool = False
    name: bool = False
    quoted: bool = False
    light: bool = False
    begins: bool = False


@dataclass(frozen=True)
class FactSignature:
    """What of a text carries its fact.

    ``items`` are the content words, markers and numbers in order of reading; ``copula`` counts
    those before the first form of "to be". ``text`` is what was read, without emphasis.
    """

    items: tuple[Word, ...]
    numbers: tuple[str, ...]
    identifiers: tuple[str, ...]
    negations: int
    modals: frozenset[str]
    auxiliary: bool
    copula: int
    plain: tuple[str, ...]
    symbols: tuple[str, ...] = ()
    text: str = ""
    corrects: bool = False

    @once
    def news(self) -> bool:
        """Whether it says that something is otherwise than it was, or than was said."""
        return self.corrects or not changes.CHANGES.isdisjoint(self.plain)

    @once
    def content(self) -> frozenset[str]:
        """The stems of the content words."""
        return frozenset([item.stem for item in self.items if not item.marker])

    @once
    def stems(self) -> frozenset[str]:
        """The stems of all items."""
        return frozenset([item.stem for item in self.items])

    @once
    def names(self) -> frozenset[str]:
        """The stems of the words that are spelled as names."""
        return frozenset([item.stem for item in self.items if item.name])

    @once
    def places(self) -> frozenset[str]:
        """The markers of place, time and direction, exchangeable ones as one."""
        known = markers.PLACES
        return frozenset([known[item.stem] for item in self.items if item.stem in known])

    @once
    def facts(self) -> frozenset[str]:
        """Everything that can differ as a word: content, numbers and identifiers."""
        return self.content.union(self.numbers, self.identifiers)


def fact_signature(text: str) -> FactSignature:
    """Return the signature of a text."""
    return _remembered(text) if len(text) <= _SHORT else _Reader(text).signature()


@lru_cache(maxsize=2_048)
def _remembered(text: str) -> FactSignature:
    return _Reader(text).signature()


def every_word(text: str) -> list[Word]:
    """Return the words of a text in order, the light ones between the items of its signature."""
    return _Reader(text).every_word()


def tells_news(text: str) -> bool:
    """Return whether a text says that something is otherwise than it was, or than was said."""
    spelled = respelled(text)
    if introduction(spelled):
        return True
    # Nearly all texts hold none of them, not even within a word.
    if not _CHANGES.any_in(spelled.casefold()):
        return False
    return any(
        match.group().casefold() in changes.CHANGES
        for match in _TOKEN.finditer(one_number(spelled))
    )


def stem_of(word: str) -> str:
    """Return what a word is compared by; markers stand for themselves."""
    tied = word in markers.MARKERS and word not in synonyms.SYNONYMS
    return word if tied else canonical(word)


@lru_cache(maxsize=16_384)
def canonical(word: str) -> str:
    """Return the stem of a folded word, or that of the word it is exchangeable with."""
    word = numbers.UNITS.get(word, word) if len(word) > 1 else word
    known = synonyms.SYNONYMS.get(word)
    if known is not None:
        return f"={known}"
    if _FAR_SCRIPT.search(word):
        return word
    stem = plain_stem(word)
    if stem in synonyms.SYNONYMS:
        return f"={synonyms.SYNONYMS[stem]}"
    return _spellings().get(stem, stem)


def plain_stem(word: str) -> str:
    """Return the stem of a folded word by itself."""
    terms = analyze(word)
    return terms[0] if terms else word


@lru_cache(maxsize=1)
def _spellings() -> dict[str, str]:
    return {plain_stem(word): f"~{spelled}" for word, spelled in synonyms.SPELLINGS.items()}


@lru_cache(maxsize=8_192)
def _ordinary(token: str) -> Word | None:
    """Return the word of a token that no rule is about, or None.

    Most tokens are such words, and the same ones come again and again.
    """
    word = _bare(token)
    if token[0].isdigit() or not _UNLIKE_OTHERS.isdisjoint((token, word)) or _is_identifier(token):
        return None
    return Word(stem_of(word), word, word in markers.MARKERS)


def _bare(token: str) -> str:
    return token.removesuffix("'s").replace("'", "")


class _Reader:
    """Reads one text token by token into a signature."""

    def __init__(self, text: str) -> None:
        correction, plain = introduced(text)
        self._corrects = bool(correction)
        self._text = plain
        self._quoted = _quoted(plain)
        plain = one_number(plain)
        self._plain = plain
        parts = _TOKEN.split(plain)
        self._tokens, self._before = parts[1::2], parts[::2]
        self._at = 0
        self._items: list[Word] = []
        self._numbers: list[str] = []
        self._identifiers: list[str] = []
        self._negations = 0
        self._modals: set[str] = set()
        self._copula = -1

    def signature(self) -> FactSignature:
        """Read the whole text."""
        tokens, items, quoted = self._tokens, self._items, self._quoted
        folded = [token.casefold() for token in tokens]
        following = 0
        for at, token in enumerate(folded):
            if at < following:
                continue
            if token in _PASSED_OVER:
                if tokens[at] == "A" and self._names_letter(at):
                    items.append(Word("a", "a", name=True))
                continue
            known = _ordinary(token)
            if known is None:
                self._at = at
                following = at + (self._phrase(folded) or self._token(folded))
            elif tokens[at] == token and known.surface not in quoted:
                items.append(known)
            else:
                self._at = at
                self._keep(known.stem, known.surface, known.marker, tokens[at])
        return FactSignature(
            items=tuple(self._items),
            numbers=tuple(sorted(self._numbers)),
            identifiers=tuple(sorted(self._identifiers)),
            negations=self._negations,
            modals=frozenset(self._modals),
            auxiliary=not _AUXILIARIES.isdisjoint(folded),
            copula=self._copula,
            plain=tuple(folded),
            symbols=symbols_of(self._plain),
            text=self._text,
            corrects=self._corrects,
        )

    def every_word(self) -> list[Word]:
        """Read the whole text without passing anything over but phrases that say nothing."""
        folded = [token.casefold() for token in self._tokens]
        heard: list[Word] = []
        while self._at < len(folded):
            token, known = _bare(folded[self._at]), len(self._items)
            begins, first = self._begins(), len(heard)
            taken = self._phrase(folded) or self._token(folded)
            self._at += taken
            heard += self._items[known:]
            if taken == 1 and len(self._items) == known:
                heard.append(Word(token, token, light=True))
            if begins and first < len(heard):
                heard[first] = heard[first]._replace(begins=True)
        return heard

    def _phrase(self, folded: list[str]) -> int:
        """Read two words that mean one thing; return how many tokens were taken."""
        if folded[self._at] not in _PHRASE_STARTS:
            return 0
        following = folded[self._at + 1 : self._at + 2]
        pair = f"{folded[self._at]}_{following[0]}" if following else ""
        if pair in statements.MODALS:
            self._modals.add(statements.MODALS[pair])
            return 2
        if pair in synonyms.SYNONYMS:
            self._items.append(Word(canonical(pair), pair))
            return 2
        for width in (3, 2, 1):
            phrase = " ".join(folded[self._at : self._at + width])
            denied = synonyms.NEGATING_PHRASES.get(phrase)
            meant = denied if denied is not None else synonyms.PHRASES.get(phrase)
            if meant is None:
                continue
            self._negations += denied is not None
            if meant:
                self._items.append(Word(canonical(meant), meant))
            return width
        return 0

    def _token(self, folded: list[str]) -> int:
        token, original = folded[self._at], self._tokens[self._at]
        # Most tokens are words: only what begins with a digit is looked at as a number.
        counts = token[0].isdigit()
        if token in numbers.NUMBERS or (counts and _NUMBER.fullmatch(token)):
            return self._number(numbers.NUMBERS.get(token, token), token, folded)
        measure = _MEASURE.fullmatch(token) if counts else None
        if measure is not None:
            taken = self._number(measure[1], measure[1], folded)
            if measure[2] not in _ORDINAL_ENDINGS:
                self._word(measure[2], measure[2], after_number=True)
            return taken
        if _is_identifier(token):
            self._identifiers.append(token)
            self._items.append(Word(token, token, marker=True))
            return 1
        word = _bare(token)
        if word in _COPULAS and self._copula < 0:
            self._copula = len(self._items)
        self._word(word, original, after_number=False)
        return 1

    def _number(self, value: str, surface: str, folded: list[str]) -> int:
        value = value.removeprefix("#").removesuffix(":00")
        taken = 1
        following = folded[self._at + 1 : self._at + 4]
        if following[:1] and following[0] in _FORENOON:
            taken = 2
        elif following[:1] and following[0] in _AFTERNOON and value.isdigit():
            value, taken = str(int(value) % 12 + 12), 2
        elif following == ["in", "the", "morning"]:
            taken = 4
        self._numbers.append(value)
        # Numbers take part in the order; being compared as numbers, they are no content.
        self._items.append(Word(value, surface, marker=True))
        return taken

    def _word(self, word: str, original: str, *, after_number: bool) -> None:
        if word in statements.FORBIDDEN:
            self._negations += 1
            self._modals.add("may")
        elif word in little.NEGATIONS:
            self._negations += 1
            if word in statements.DENIED_MODALS:
                self._modals.add(statements.DENIED_MODALS[word])
        elif word in statements.MODALS and not (original == "May" and not self._begins()):
            self._modals.add(statements.MODALS[word])
        elif word in ("twice", "дважды"):
            self._numbers.append("2")
            self._items.append(Word("2", word, marker=True))
            self._items.append(Word("=time", word))
        elif word not in markers.LIGHT and word not in synonyms.FILLERS:
            self._content(word, original, after_number=after_number)

    def _content(self, word: str, original: str, *, after_number: bool) -> None:
        measured = after_number or (bool(self._items) and self._items[-1].stem in self._numbers)
        if measured and word in _TIMES and self._items[-1].stem == "1":
            return
        if measured and word in numbers.UNITS:
            self._items.append(Word(f"={numbers.UNITS[word]}", numbers.UNITS[word]))
            return
        self._keep(stem_of(word), word, word in markers.MARKERS, original)

    def _begins(self) -> bool:
        """Say whether the present token begins a sentence."""
        before = self._before[self._at]
        return self._at == 0 or (before != " " and _SENTENCE_END.search(before) is not None)

    def _names_letter(self, at: int) -> bool:
        """Say whether an "A" is a letter, as in "pill A", and no article of a title or in capitals."""
        self._at = at
        following = self._tokens[at + 1 : at + 2]
        return not (self._begins() or any(token[0].isupper() for token in following))

    def _keep(self, stem: str, word: str, marker: bool, original: str) -> None:
        name = original[:1].isupper() and not self._begins()
        self._items.append(Word(stem, word, marker, name, word in self._quoted))


def _is_identifier(token: str) -> bool:
    if token.isalpha():
        return False
    return _IDENTIFYING.search(token) is not None or (
        any(map(str.isdigit, token)) and any(map(str.isalpha, token))
    )


def _quoted(plain: str) -> set[str]:
    """Return the words that stand in quotes."""
    if _QUOTE.search(plain) is None:
        return set()
    return {word for part in _QUOTED.findall(plain) for word in part.casefold().split()}
