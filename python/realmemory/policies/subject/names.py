"""Names: which words of a question are names, and which words are forms of the same name."""

from __future__ import annotations

from functools import cache
from itertools import groupby

from realmemory.core.text import analyze, count_query_words
from realmemory.late import late_pattern
from realmemory.policies.subject.grammar import ASKING, ENGLISH, GERMAN
from realmemory.policies.words import CYRILLIC
from realmemory.policies.words.little import AUXILIARIES
from realmemory.tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_TOKEN = late_pattern(r"\w+(?:[-./:]\w+)*")
_WORD = late_pattern(r"[^\W_]+")
_CASE = late_pattern("(?:и?[аяыиуюеоёьй]|и?[ое]й|[оеё]м|[ая]ми?|[ая]х)$")
"""Endings of the cases of a Russian name."""
_ENDS = frozenset(".!?")
_OF_ONE = AUXILIARIES - {"do", "are", "were", "have"}
"""Before the name of one person; behind the others "Indian" may tell of which sort many are."""
_ACRONYM = 5
"""Letters up to which capitals make an acronym, which texts also write in full."""
_SHORT_QUESTION = 12
"""Words up to which a text without an interrogative is a question all the same."""
_FEWEST, _ALIKE = 2, 3
"""Letters that all forms of a name begin with; a shorter one may change its last."""
_LEAST, _CLIPPED = 4, 5
"""Letters of a name that begins another, and those that it lacks, where it is short for that."""
_VARIES = 2
"""Letters by which spellings of one name differ in length."""
_SOUNDS = {"k": "c", "f": "p", "y": "i", "j": "i", "ё": "е"}
"""First letters that may stand for each other."""
_MISTYPED = 5
"""Letters of a name from which one letter may be wrong."""
_TITLES = frozenset(
    ["dr", "mr", "mrs", "ms", "miss", "prof", "professor", "sir", "herr", "frau", "doctor"]
)
_SHORT_FORMS = tuple(
    tuple(names.split())
    for names in (
        "kate katie kathy cathy katherine catherine katharina katrin",
        "bob bobby rob robert",
        "bill billy will william",
        "liz lizzie beth betty elizabeth elisabeth lisbeth",
        "tom tommy thomas",
        "mike mick michael",
        "jim jimmy james",
        "joe joseph josef",
        "jack john johnny",
        "dick rick rich richard",
        "ted ed eddie edward",
        "tony anthony anton",
        "peggy maggie meg margaret margarete gretel",
        "sandy sascha alex alexander",
        "sandy sascha alex alexandra",
        "chris christopher",
        "chris christian",
        "jon jonathan",
        "luke lucas lukas",
        "sam sammy samuel",
        "sam sammy samantha",
        "pat paddy patrick",
        "pat patty patricia",
        "greg gregory",
        "pete peter",
        "phil philip",
        "ken kenneth",
        "tim timothy",
        "fred freddy frederick",
        "charlie charles",
        "harry henry harold",
        "larry lawrence",
        "jerry gerald jeremy",
        "jeff jeffrey geoffrey",
        "nate nathan nathaniel",
        "josh joshua",
        "abby abigail",
        "becky rebecca",
        "debbie deborah",
        "ellie eleanor",
        "mandy amanda",
        "molly mary",
        "tina christina",
        "tina martina",
        "vicky victoria viktoria",
        "max maximilian",
        "leo leonard",
        "basti sebastian",
        "flo florian",
        "heinz heinrich",
        "moni monika",
        "susi susanne",
        "manni manfred",
        "conny cornelia",
        "ben benny benjamin",
        "dan danny daniel",
        "dave david",
        "steve steven stephen",
        "sue susan susanne",
        "nick nicholas nikolaus klaus",
        "matt matthew matthias",
        "andy andrew andreas",
        "hans johannes",
        "fritz friedrich",
        "sepp josef",
        "uli ulrich",
        "uli ulrike",
        "jenny jennifer",
        "steffi stefanie",
        "mum mom mummy mommy mother mama mutter mutti",
        "dad daddy father papa vater",
        "grandma granny nana grandmother oma großmutter",
        "grandpa granddad grandfather opa großvater",
        "саша шура александр александра",
        "маша маруся мария",
        "петя пётр петр",
        "ваня иван",
        "коля николай",
        "дима дмитрий",
        "лёша леша алёша алеша алексей",
        "миша михаил",
        "катя екатерина",
        "лена алёна алена елена",
        "таня татьяна",
        "наташа наталья наталия",
        "оля ольга",
        "настя анастасия",
        "серёжа сережа сергей",
        "володя вова владимир",
        "женя евгений евгения",
        "боря борис",
        "костя константин",
        "паша павел",
        "юра юрий",
        "гриша григорий",
        "аня анна",
        "соня софья софия",
        "даша дарья",
        "ира ирина",
        "вика виктория",
        "света светлана",
        "лиза елизавета",
        "ксюша ксения",
        "варя варвара",
        "мама мать",
        "папа отец",
    )
)
"""Names with what else their bearers are called, as far as that does not begin alike."""


class Name(NamedTuple):
    """A name in a question; ``strict`` where it stands for whom or what the question is about."""

    word: str
    strict: bool

    def is_in(self, words: Iterable[str]) -> bool:
        """Say whether any of some words, as they are written, is a form of it."""
        if self.strict or CYRILLIC.search(self.word):
            return any(same_name(self.word, word) for word in words)
        # Most words begin otherwise, which is seen sooner than how much two have in common.
        begin = self.word[:_FEWEST]
        return any(
            _alike(self.word, word) for word in map(str.casefold, words) if word[:_FEWEST] == begin
        )


def names_in(question: str) -> list[Name]:
    """Return the words that are spelled as names where only names are spelled so."""
    if question[1:] == question[1:].lower():
        return []
    found = list(_TOKEN.finditer(question))
    low = [word[0].lower() for word in found]
    if not (_asks(low) and any(word[0][0].islower() for word in found)) or is_german(low):
        return []
    names = []
    for at, word in enumerate(found):
        owner = question[word.end() : word.end() + 2] in {"'s", "’s"}
        if _is_name(word[0], owner=owner) and not _begins_sentence(question[: word.start()]):
            about = owner or (at > 0 and low[at - 1] in _OF_ONE)
            names.append(Name(word[0].casefold(), about))
    return names


def is_german(low: Iterable[str]) -> bool:
    """Say whether lower-case words are those of a German sentence, whose nouns all have capitals."""
    return not GERMAN.isdisjoint(low)


def _asks(low: list[str]) -> bool:
    """Say whether words are likely a question about what they name, not a long tale."""
    if not ASKING.isdisjoint(low):
        return True
    told = not ENGLISH.isdisjoint(low) or any(map(CYRILLIC.search, low))
    return told and len(low) <= _SHORT_QUESTION


def _is_name(word: str, *, owner: bool) -> bool:
    acronym = word.isupper() and len(word) <= _ACRONYM
    return (
        word.isalpha()
        and word[0].isupper()
        and not acronym
        and word.lower() not in _TITLES
        and (owner or count_query_words(word) > 0)
    )


def _begins_sentence(before: str) -> bool:
    words = before.split()
    if not words:
        return True
    return words[-1][-1] in _ENDS and words[-1][:-1].lower() not in _TITLES


def is_name(one: str, other: str) -> bool:
    """Say whether one of two words, as they are written, is a form of the other, or short for it."""
    if same_name(one.casefold(), other):
        return True
    return _has_inner_capital(one) and same_name(other.casefold(), one)


def find_name(name: str, words: Sequence[str]) -> list[int]:
    """Return where forms of a name stand among some words; all as they are written."""
    low = name.casefold()
    sound, known = _SOUNDS.get(low[0], low[0]), _bearers(low)
    found = []
    for at, word in enumerate(words):
        first = word[0].casefold()
        if _SOUNDS.get(first, first) == sound:
            if is_name(name, word):
                found.append(at)
        elif known and not known.isdisjoint(_bearers(word.casefold())):
            found.append(at)
    return found


def same_name(name: str, word: str) -> bool:
    """Say whether a word, as it is written, is a form of a casefolded name, or short for it."""
    other = word.casefold()
    if name == other:
        return True
    if _SOUNDS.get(name[0], name[0]) != _SOUNDS.get(other[0], other[0]):
        return _is_short_for(name, other)
    if CYRILLIC.search(name):
        akin = name[:2] == other[:2] and (
            _CASE.sub("", name) == _CASE.sub("", other) or _stem(name) == _stem(other)
        )
        return akin or _one_off(name, other) or _is_short_for(name, other)
    short, long = sorted((name, other), key=len)
    if long.startswith(short):
        rest = long[len(short) :]
        compound = len(short) >= _LEAST and (len(rest) >= _CLIPPED or _has_inner_capital(word))
        if compound or rest in {"s", "es", "ns"}:
            return True
    near = len(long) - len(short) <= _VARIES
    return (
        (near and _plain(name) == _plain(other))
        or _one_off(name, other)
        or _is_short_for(name, other)
    )


def _alike(name: str, word: str) -> bool:
    """Say whether a word may be a form of a name, or of one word with it: "Spain", "Spanish"."""
    alike = min(_ALIKE, max(min(len(name), len(word)) - 1, _FEWEST))
    return name[:alike] == word[:alike]


def _stem(name: str) -> str:
    """Return what all cases of a Russian name share: the vowel of "Павел" is gone in "Павла"."""
    stem = analyze(name)[0].rstrip("йь")
    if len(stem) > _ALIKE and stem[-2] in "её":
        stem = stem[:-2] + stem[-1]
    return stem.rstrip("еи") if len(stem) > _ALIKE else stem


def _has_inner_capital(word: str) -> bool:
    return word[1:] != word[1:].lower()


def _plain(name: str) -> str:
    """Return a name without what its spelling varies in: "Sara", "Sarah"; "Eric", "Erik"."""
    for letters, sound in (
        ("ph", "f"),
        ("h", ""),
        ("c", "k"),
        ("y", "i"),
        ("ue", "ü"),
        ("oe", "ö"),
    ):
        name = name.replace(letters, sound)
    return "".join(letter for letter, _ in groupby(name))


def _one_off(name: str, other: str) -> bool:
    """Say whether one letter inside a name is wrong, missing or too many, or two changed places."""
    return name[0] == other[0] and name[-1] == other[-1] and one_edit(name, other)


def one_edit(one: str, other: str) -> bool:
    """Say whether one letter of a word is wrong, missing or too many, or two changed places."""
    short, long = sorted((one, other), key=len)
    if len(short) < _MISTYPED or len(long) - len(short) > 1:
        return False
    at = next((i for i, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    turned = short[at + 1 : at + 2] + short[at : at + 1] + short[at + 2 :]
    return short[at + (len(short) == len(long)) :] == long[at + 1 :] or turned == long[at:]


def _is_short_for(name: str, other: str) -> bool:
    known = _bearers(name)
    return bool(known) and not known.isdisjoint(_bearers(other))


def _bearers(name: str) -> frozenset[int]:
    """Return the places in :data:`_SHORT_FORMS` of what goes by a name."""
    forms = _forms()
    key = _stem(name) if CYRILLIC.search(name) else name
    return forms.get(key) or forms.get(key.removesuffix("s")) or frozenset()


@cache
def _forms() -> dict[str, frozenset[int]]:
    found: dict[str, frozenset[int]] = {}
    for at, names in enumerate(_SHORT_FORMS):
        for name in names:
            key = _stem(name) if CYRILLIC.search(name) else name
            found[key] = found.get(key, frozenset()) | {at}
    return found
