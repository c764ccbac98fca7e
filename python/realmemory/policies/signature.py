"""Whether two similar texts state the same fact.

Cosine cannot tell "16" from "8", "allowed" from "not allowed", or "tabs over spaces" from
"spaces over tabs". The signature compares what carries the fact: numbers with their units,
identifiers, negation, what is permitted or demanded, the content words that only one side has,
and who does what to whom. In doubt two texts are different: a fact kept twice can be merged
later, a fact merged away is lost.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from realmemory.core.text import analyze
from realmemory.policies import lexicon

_GROUPED = re.compile(r"(?<=\d)[,\u00a0\u202f ](?=\d{3}(?!\d))")
_DECIMAL_COMMA = re.compile(r"(?<=\d),(?=\d)")
_TOKEN = re.compile(r"°[cf]|%|--[^\W\d_][\w-]*|[#@]?\w+(?:[-./:@'+#]\w+)*", re.IGNORECASE)
_NUMBER = re.compile(r"\d+(?:[.:/-]\d+)*")
_MEASURE = re.compile(r"(\d+(?:\.\d+)?)([^\W\d_]+|%|°[cf])")
_ORDINAL_ENDINGS = frozenset(["st", "nd", "rd", "th"])
_AUXILIARIES = frozenset("is are was were be been being get gets got".split())  # noqa: SIM905 - a word list reads as one
_COPULAS = frozenset(["is", "are", "was", "were"])
_CYRILLIC = re.compile("[а-я]")
_FAR_SCRIPT = re.compile("[\u0530-\U0010ffff]")
_TIMES = frozenset(["time", "раз"])
_AFTERNOON = frozenset(["pm", "вечера"])
_FORENOON = frozenset(["am", "утра"])
_QUOTED = re.compile(r"[`\"“«„]([^`\"“”»«„]{2,}?)[`\"”»“]")

_CLOSE = 0.5
"""Share of common content from which a difference contradicts instead of adding a topic."""
_ROOT = 6
_SUFFIX = 3
_AGENT_MARKERS = ("by", "in", "on", "with")
_GENITIVES = ("of", "in", "for")
_VERB_ENDINGS = (
    "ть",
    "ти",
    "ай",
    "йте",
    "ет",
    "ют",
    "ит",
    "ят",
    "ат",
    "ем",
    "им",
    "ла",
    "ло",
    "ли",
)
_LOST_NEIGHBOURS = 2
"""Pairs of neighbours that moving one part of a sentence tears apart at most."""


@dataclass(frozen=True, slots=True)
class Word:
    """One word that carries meaning; a ``marker`` only ties others together."""

    stem: str
    surface: str
    marker: bool = False
    name: bool = False
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class FactSignature:
    """What of a text carries its fact.

    ``items`` are the content words, markers and numbers in order of reading; ``copula`` counts
    those before the first form of "to be".
    """

    items: tuple[Word, ...]
    numbers: tuple[str, ...]
    identifiers: tuple[str, ...]
    negations: int
    modals: frozenset[str]
    auxiliary: bool
    copula: int
    plain: tuple[str, ...]

    @property
    def content(self) -> frozenset[str]:
        """The stems of the content words."""
        return frozenset(item.stem for item in self.items if not item.marker)

    @property
    def facts(self) -> frozenset[str]:
        """Everything that can differ as a word: content, numbers and identifiers."""
        return self.content | frozenset(self.numbers) | frozenset(self.identifiers)


@dataclass(frozen=True, slots=True)
class Comparison:
    """How two texts differ.

    ``contradicts`` means that both cannot simply be the same fact told at different length: each
    says something in the place where the other says something else. ``common`` counts the words,
    numbers and identifiers that they share.
    """

    differences: tuple[str, ...]
    contradicts: bool
    common: int


@lru_cache(maxsize=8_192)
def fact_signature(text: str) -> FactSignature:
    """Return the signature of a text."""
    return _Reader(text).signature()


def compare(first: FactSignature, second: FactSignature) -> Comparison:
    """Compare two signatures; no differences means that they state the same fact."""
    ours, theirs = first.facts, second.facts
    common = len(ours & theirs)
    overlap = common / max(1, min(len(ours), len(theirs)))
    if not ours or not theirs:
        same = first.plain == second.plain
        return Comparison(() if same else ("content",), contradicts=False, common=0)
    found, contradicts = _leftovers(first, second)
    apart = max(len(ours - theirs), len(theirs - ours))
    if first.negations != second.negations:
        found.append("negation")
        contradicts = True
    if (
        first.modals
        and second.modals
        and not first.negations
        and first.modals.isdisjoint(second.modals)
    ):
        found.append("modality")
        contradicts = True
    if _opposed(first, second) or _places_differ(first, second):
        found.append("antonym")
        contradicts = True
    if not found and _roles_differ(first, second):
        found.append("order")
        contradicts = True
    close = overlap >= _CLOSE and apart <= max(1, common // 2)
    return Comparison(tuple(found), contradicts and close, common)


def _leftovers(first: FactSignature, second: FactSignature) -> tuple[list[str], bool]:
    """Name the kinds of words that one side has alone, and say whether both sides have some."""
    found: list[str] = []
    lonely = [0, 0]
    for name, ours, theirs in (
        ("numbers", Counter(first.numbers), Counter(second.numbers)),
        ("identifiers", Counter(first.identifiers), Counter(second.identifiers)),
        ("content", Counter(first.content), Counter(second.content)),
    ):
        left, right = _unrelated(ours - theirs, theirs - ours)
        if name == "numbers" and {*left, *right} <= {"1"} and _one_is_a_word(first, second):
            continue
        if left or right:
            found.append(name)
            lonely[0] += bool(left)
            lonely[1] += bool(right)
    if "content" in found and _names_differ(first, second):
        found.append("names")
    if found and not all(lonely):
        return ["more", *found], False
    return found, bool(found)


def _one_is_a_word(first: FactSignature, second: FactSignature) -> bool:
    """Say whether "one" stands for "a" rather than for a count."""
    return all(
        item.surface != "1" for one in (first, second) for item in one.items if item.stem == "1"
    )


def _names_differ(first: FactSignature, second: FactSignature) -> bool:
    ours = {item.stem for item in first.items if item.name}
    theirs = {item.stem for item in second.items if item.name}
    return bool((ours - second.content) or (theirs - first.content))


def _opposed(first: FactSignature, second: FactSignature) -> bool:
    ours = {item.stem for item in first.items}
    theirs = {item.stem for item in second.items}
    left, right = ours - theirs, theirs - ours
    return any(
        (one in left and other in right) or (other in left and one in right)
        for one, other in _opposites()
    )


@lru_cache(maxsize=1)
def _opposites() -> tuple[tuple[str, str], ...]:
    return tuple((_stem_of(one), _stem_of(other)) for one, other in lexicon.OPPOSITES)


def _stem_of(word: str) -> str:
    """Return what a word is compared by; markers stand for themselves."""
    tied = word in lexicon.MARKERS and word not in lexicon.SYNONYMS
    return word if tied else _canonical(word)


def _places_differ(first: FactSignature, second: FactSignature) -> bool:
    """Say whether each side has a marker of place, time or direction in the other's place."""
    ours, theirs = (
        {lexicon.PLACES[item.stem] for item in one.items if item.stem in lexicon.PLACES}
        for one in (first, second)
    )
    return bool(ours - theirs) and bool(theirs - ours)


def _unrelated(left: Counter[str], right: Counter[str]) -> tuple[set[str], set[str]]:
    """Drop pairs that are forms of one Russian root, where the stemmer leaves two stems."""
    ours, theirs = set(left), set(right)
    for one in sorted(left):
        kin = next((other for other in sorted(theirs) if _kindred(one, other)), None)
        if kin is not None:
            ours.discard(one)
            theirs.discard(kin)
    return ours, theirs


def _kindred(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return (
        len(short) >= _ROOT
        and len(long) - len(short) <= _SUFFIX
        and long.startswith(short)
        and bool(_CYRILLIC.search(short))
    )


def _roles_differ(first: FactSignature, second: FactSignature) -> bool:
    """Say whether the same words stand in other roles."""
    left, right = _shared(first, second), _shared(second, first)
    if any(_CYRILLIC.search(item.surface) for item in left):
        return _roles_differ_by_form(left, right)
    verdict = _voices_differ(first, second)
    if verdict is not None:
        return verdict
    one, other = [item.stem for item in left], [item.stem for item in right]
    if one == other:
        return False
    blocks = _transposed(one, other)
    return blocks is None or not _harmless(blocks, first, second)


def _voices_differ(first: FactSignature, second: FactSignature) -> bool | None:
    """Compare "X does Y" with "Y is done by X"; None when neither names its agent that way."""
    for active, passive in ((first, second), (second, first)):
        before, after = [item.stem for item in active.items], [item.stem for item in passive.items]
        for marker in _AGENT_MARKERS if passive.auxiliary else ():
            if marker not in after[1:-1] or marker in before:
                continue
            at = after.index(marker, 1)
            verb, agent = after[at - 1], after[at + 1]
            acts = verb in before and agent in before and before.index(agent) < before.index(verb)
            if acts or (marker == "by" and verb in before):
                return not acts
    return None


def _harmless(
    blocks: tuple[list[str], list[str]], first: FactSignature, second: FactSignature
) -> bool:
    """Say whether two neighbouring parts of an English sentence may change places."""
    front, back = blocks
    markers = {item.stem for one in (first, second) for item in one.items if item.marker}
    if front[0] in markers or back[0] in markers or min(len(front), len(back)) > 1:
        return True
    if first.auxiliary is not second.auxiliary:
        return True
    stems = [item.stem for item in first.items]
    around_copula = (
        [*front, *back] == stems and first.copula == len(front) and second.copula == len(back)
    )
    quoted = {item.stem for one in (first, second) for item in one.items if item.quoted}
    apposition = not quoted.isdisjoint({*front, *back})
    return around_copula or apposition or _genitive(blocks, first, second)


def _genitive(
    blocks: tuple[list[str], list[str]], first: FactSignature, second: FactSignature
) -> bool:
    """Say whether "team stand-up" became "stand-up of the team"."""
    front, back = blocks[0][-1], blocks[1][0]
    for signature in (first, second):
        stems = [item.stem for item in signature.items]
        for marker in _GENITIVES:
            if any(
                stems[at : at + 3] in ([back, marker, front], [front, marker, back])
                for at in range(len(stems) - 2)
            ):
                return True
    return False


def _shared(first: FactSignature, second: FactSignature) -> list[Word]:
    left = Counter(item.stem for item in second.items)
    kept: list[Word] = []
    for item in first.items:
        if left[item.stem] > 0:
            left[item.stem] -= 1
            kept.append(item)
    return kept


def _transposed(one: list[str], other: list[str]) -> tuple[list[str], list[str]] | None:
    """Return the two neighbouring blocks whose exchange turns one order into the other."""
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    end = 0
    while end < min(len(one), len(other)) - start and one[-1 - end] == other[-1 - end]:
        end += 1
    left, right = one[start : len(one) - end], other[start : len(other) - end]
    for cut in range(1, len(left)):
        if left[cut:] + left[:cut] == right:
            return left[:cut], left[cut:]
    return None


def _roles_differ_by_form(left: list[Word], right: list[Word]) -> bool:
    """Compare roles where endings mark them and order is free, as in Russian."""
    ours, theirs = _forms(left), _forms(right)
    changed = [
        stem
        for stem in ours
        if ours[stem] != theirs.get(stem) and not _verbal(ours[stem] + theirs.get(stem, ()))
    ]
    reflexive = any(
        _reflexive(forms) is not _reflexive(theirs.get(stem, ())) for stem, forms in ours.items()
    )
    if [item.stem for item in left] == [item.stem for item in right]:
        return len(changed) > 1 and not reflexive
    if changed:
        return not reflexive
    return len(_neighbours(left) - _neighbours(right)) > _LOST_NEIGHBOURS


def _forms(items: list[Word]) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for item in items:
        # Of exchangeable words the forms say nothing about each other.
        if not item.marker and not item.stem.startswith("="):
            found.setdefault(item.stem, []).append(item.surface)
    return {stem: tuple(sorted(forms)) for stem, forms in found.items()}


def _reflexive(forms: tuple[str, ...]) -> bool:
    return any(form.endswith(("ся", "сь")) for form in forms)


def _verbal(forms: tuple[str, ...]) -> bool:
    return all(form.endswith(_VERB_ENDINGS) for form in forms)


def _neighbours(items: list[Word]) -> set[frozenset[str]]:
    words = [item.stem if item.stem.startswith("=") else item.surface for item in items]
    return {frozenset(pair) for pair in pairwise(words)}


@lru_cache(maxsize=16_384)
def _canonical(word: str) -> str:
    """Return the stem of a folded word, or that of the word it is exchangeable with."""
    word = lexicon.UNITS.get(word, word) if len(word) > 1 else word
    known = lexicon.SYNONYMS.get(word)
    if known is not None:
        return f"={known}"
    if _FAR_SCRIPT.search(word):
        return word
    terms = analyze(word)
    stem = terms[0] if terms else word
    return f"={lexicon.SYNONYMS[stem]}" if stem in lexicon.SYNONYMS else stem


class _Reader:
    """Reads one text token by token into a signature."""

    def __init__(self, text: str) -> None:
        plain = text.replace("ё", "е").replace("Ё", "Е").replace("’", "'")
        self._quoted = {word for part in _QUOTED.findall(plain) for word in part.casefold().split()}
        plain = _DECIMAL_COMMA.sub(".", _GROUPED.sub("", plain))
        self._tokens = [match.group() for match in _TOKEN.finditer(plain)]
        self._starts = _sentence_starts(plain)
        self._at = 0
        self._items: list[Word] = []
        self._numbers: list[str] = []
        self._identifiers: list[str] = []
        self._negations = 0
        self._modals: set[str] = set()
        self._copula = -1

    def signature(self) -> FactSignature:
        """Read the whole text."""
        folded = [token.casefold() for token in self._tokens]
        while self._at < len(folded):
            self._at += self._phrase(folded) or self._token(folded)
        return FactSignature(
            items=tuple(self._items),
            numbers=tuple(sorted(self._numbers)),
            identifiers=tuple(sorted(self._identifiers)),
            negations=self._negations,
            modals=frozenset(self._modals),
            auxiliary=not _AUXILIARIES.isdisjoint(folded),
            copula=self._copula,
            plain=tuple(folded),
        )

    def _phrase(self, folded: list[str]) -> int:
        """Read two words that mean one thing; return how many tokens were taken."""
        following = folded[self._at + 1 : self._at + 2]
        pair = f"{folded[self._at]}_{following[0]}" if following else ""
        if pair in lexicon.MODALS:
            self._modals.add(lexicon.MODALS[pair])
            return 2
        if pair in lexicon.SYNONYMS:
            self._items.append(Word(_canonical(pair), pair))
            return 2
        for width in (3, 2, 1):
            phrase = " ".join(folded[self._at : self._at + width])
            denied = lexicon.NEGATING_PHRASES.get(phrase)
            meant = denied if denied is not None else lexicon.PHRASES.get(phrase)
            if meant is None:
                continue
            self._negations += denied is not None
            if meant:
                self._items.append(Word(_canonical(meant), meant))
            return width
        return 0

    def _token(self, folded: list[str]) -> int:
        token, original = folded[self._at], self._tokens[self._at]
        measure = _MEASURE.fullmatch(token)
        if _NUMBER.fullmatch(token) or token in lexicon.NUMBERS:
            return self._number(lexicon.NUMBERS.get(token, token), token, folded)
        if measure is not None:
            taken = self._number(measure[1], measure[1], folded)
            if measure[2] not in _ORDINAL_ENDINGS:
                self._word(measure[2], measure[2], after_number=True)
            return taken
        if _is_identifier(token):
            self._identifiers.append(token)
            self._items.append(Word(token, token, marker=True))
            return 1
        word = token.removesuffix("'s").replace("'", "")
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
        if word in lexicon.FORBIDDEN:
            self._negations += 1
            self._modals.add("may")
        elif word in lexicon.NEGATIONS:
            self._negations += 1
            if word in ("cannot", "cant", "нельзя"):
                self._modals.add("may")
        elif word in lexicon.MODALS and not (original == "May" and self._at not in self._starts):
            self._modals.add(lexicon.MODALS[word])
        elif word in ("twice", "дважды"):
            self._numbers.append("2")
            self._items.append(Word("2", word, marker=True))
            self._items.append(Word("=time", word))
        elif word not in lexicon.LIGHT and word not in lexicon.FILLERS:
            self._content(word, original, after_number=after_number)

    def _content(self, word: str, original: str, *, after_number: bool) -> None:
        measured = after_number or (bool(self._items) and self._items[-1].stem in self._numbers)
        if measured and word in _TIMES and self._items[-1].stem == "1":
            return
        if measured and word in lexicon.UNITS:
            self._items.append(Word(f"={lexicon.UNITS[word]}", lexicon.UNITS[word]))
            return
        marker = word in lexicon.MARKERS
        name = original[:1].isupper() and self._at not in self._starts
        stem = _stem_of(word)
        self._items.append(Word(stem, word, marker=marker, name=name, quoted=word in self._quoted))


def _is_identifier(token: str) -> bool:
    letters = any(char.isalpha() for char in token)
    digits = any(char.isdigit() for char in token)
    return (letters and digits) or any(mark in token for mark in "_/.:#@+") or token[0] == "-"


def _sentence_starts(plain: str) -> frozenset[int]:
    """Return the numbers of the tokens that begin a sentence."""
    starts, last = {0}, 0
    for number, match in enumerate(_TOKEN.finditer(plain)):
        if re.search(r"[.!?\n]", plain[last : match.start()]):
            starts.add(number)
        last = match.end()
    return frozenset(starts)
