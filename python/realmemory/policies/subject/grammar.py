"""The little grammar that tells whom a short sentence is about: the words of a text, and forms of one.

English, German and Russian together: no word of one is a word of content in another often enough
to matter.
"""

from __future__ import annotations

from functools import lru_cache

from realmemory.core.text import analyze
from realmemory.late import late_pattern
from realmemory.policies.question.interrogatives import INTERROGATIVES
from realmemory.policies.words import CYRILLIC, little, word_set
from realmemory.policies.words.little import AUXILIARIES, DETERMINERS, PREPOSITIONS, SOMEBODY
from realmemory.policies.words.verbs import BASES
from realmemory.tuples import NamedTuple

GERMAN = word_set(
    """
    der die das den dem des ein eine einen einem einer mein meine unser unsere ist sind war waren
    hat habe haben hatte kann soll muss darf wird werden wer wem wen wessen wo wohin woher wann wie
    warum wieso womit welche welcher welches welchen und oder nicht mit von vom zum zur für auf
    bei nach aus gegen im es ich wir gibt
    """
)
"""What a German sentence holds, whose nouns all have capitals; "was" and "am" are English, too."""
ENGLISH = little.ENGLISH | word_set("a do did had can could would should to for about s")
"""What an English request holds."""
WHO = word_set("who whom wer wen wem кто кого")
ENGLISH_WHAT = word_set("what which")
WHAT = ENGLISH_WHAT | word_set("was welche welcher welches что")
ASKING = INTERROGATIVES | WHO | WHAT | {"welchem", "есть"}
_JOINED = word_set(
    """
    and or but not so too also if than then still just only ever already yet und oder aber nicht auch
    noch schon nur denn gegen и или а но не ли же бы ещё уже тоже
    very quite much more most less rather really again often always never now today well please
    sehr mehr immer nie jetzt heute wieder bitte очень больше всегда никогда сейчас теперь сегодня
    опять снова можно нужно надо
    """
)
LITTLE = DETERMINERS | PREPOSITIONS | AUXILIARIES | ASKING | SOMEBODY | _JOINED
MUTUAL = word_set(
    """
    marry married meet met date dated dating divorced divorce resemble resembles know knows
    friend friends colleague cousin neighbour neighbor partner spouse twin sibling siblings
    roommate flatmate teammate brother sister classmate coworker
    """
)
"""What holds the other way round as well."""
_WORD = late_pattern(r"[^\W_]+(?:[-./:][^\W_]+)*(?:n['’]t\b)?(?:['’]s?(?!\w))?|[.!?;:,()—–]")
_OWNER = ("'s", "’s", "'", "’")
_FEWEST = 3
"""Letters that forms of a word share at least."""
_ENDING = 3
"""Letters by which they differ in length at most."""


class Counterpart(NamedTuple):
    """What stands in a text, ``said``, where a question has another word, ``asked``.

    ``alike`` says that both may still be one, where words are alike in meaning.
    """

    asked: str
    said: str
    alike: bool = True


class Words(NamedTuple):
    """The words of a text in order, a mark of punctuation being one.

    ``bare`` are without what makes an owner, ``low`` the same casefolded; ``owner`` says where that
    stood, ``tall`` where a word has a capital, ``content`` where it has a
    meaning of its own.
    """

    bare: list[str]
    low: list[str]
    owner: list[bool]
    tall: list[bool]
    content: list[bool]

    @staticmethod
    @lru_cache(maxsize=128)
    def of(text: str) -> Words:
        """Return the words of a text; several rules ask for those of one in turn."""
        found = _WORD.findall(text)
        owner = [word.endswith(_OWNER) and len(word) > 1 for word in found]
        bare = [
            word if not owns else word[:-2] if word[-1] in "sS" else word[:-1]
            for word, owns in zip(found, owner, strict=True)
        ]
        low = [word.casefold() for word in bare]
        content = [
            word not in (SOMEBODY if owns else LITTLE) and word[0].isalnum()
            for word, owns in zip(low, owner, strict=True)
        ]
        return Words(bare, low, owner, [word[0].isupper() for word in found], content)

    def is_content(self, at: int) -> bool:
        """Say whether a word with content stands at a place."""
        return 0 <= at < len(self.content) and self.content[at]

    def find(self, word: str) -> list[int]:
        """Return where forms of a word stand."""
        begin = BASES.get(word, word)[:2]
        return [
            at
            for at, one in enumerate(self.low)
            if (one[:2] == begin or one in BASES) and akin(one, word)
        ]

    def holds(self, word: str) -> bool:
        """Say whether a form of a word stands anywhere."""
        return bool(self.find(word))


def akin(one: str, other: str) -> bool:
    """Say whether lower-case words look like forms of one: "lives", "live"; "резина", "резину"."""
    one, other = BASES.get(one, one), BASES.get(other, other)
    if one == other:
        return True
    if CYRILLIC.search(one):
        return one[:2] == other[:2] and analyze(one) == analyze(other)
    short, long = (one, other) if len(one) <= len(other) else (other, one)
    if long in {short + "s", short + "es"}:
        return True
    if len(short) < _FEWEST or len(long) - len(short) > _ENDING or not short.isalpha():
        return False
    stem = short[: max(_FEWEST, len(short) - 1)]
    return long.startswith(stem)
