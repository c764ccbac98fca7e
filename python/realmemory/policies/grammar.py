"""The little grammar that tells whom a short sentence is about: closed classes of words.

English, German and Russian together: no word of one is a word of content in another often enough
to matter.
"""

from __future__ import annotations

from typing import NamedTuple, Self

from realmemory.core.text import analyze
from realmemory.late import late_pattern
from realmemory.policies.interrogatives import INTERROGATIVES

DETERMINERS = frozenset(
    """
    the a an my our your his her its their this that these those each every any some no which what
    der die das den dem des ein eine einen einem einer mein meine meinen meinem meiner unser unsere
    unseren unserem unserer dein deine ihr ihre ihren ihrem sein seine seinen seinem dieser diese
    dieses welcher welche welches welchen
    """.split()  # noqa: SIM905 - a word list reads as one
)
PREPOSITIONS = frozenset(
    """
    of in at on to for from with by about under over behind near into onto before after through
    von vom im am an auf für mit bei beim zu zum zur aus um unter über nach vor
    в во на с со у о об от для по к ко из за под над при про
    """.split()  # noqa: SIM905 - as above
)
BE = frozenset("is are was were am be been isn't aren't wasn't ist sind war waren bin".split())  # noqa: SIM905
HAVE = frozenset("has have had hat habe haben hatte hatten".split())  # noqa: SIM905
DO = frozenset(["does", "did", "do", "doesn't", "didn't"])
AUXILIARIES = (
    BE
    | DO
    | HAVE
    | frozenset(
        """
        can could will would should must may might shall kann können soll muss darf wird werden
        """.split()  # noqa: SIM905 - as above
    )
)
GERMAN = frozenset(
    """
    der die das den dem des ein eine einen einem einer mein meine unser unsere ist sind war waren
    hat habe haben hatte kann soll muss darf wird werden wer wem wen wessen wo wohin woher wann wie
    warum wieso womit welche welcher welches welchen und oder nicht mit von vom zum zur für auf
    bei nach aus gegen im es ich wir gibt
    """.split()  # noqa: SIM905 - as above
)
"""What a German sentence holds, whose nouns all have capitals; "was" and "am" are English, too."""
ENGLISH = frozenset(
    "the a of is are were do does did has have had can would should to for about with my our s".split()  # noqa: SIM905
)
WHO = frozenset(["who", "whom", "wer", "wen", "wem", "кто", "кого"])
ENGLISH_WHAT = frozenset(["what", "which"])
WHAT = ENGLISH_WHAT | frozenset(["was", "welche", "welcher", "welches", "что"])
ASKING = INTERROGATIVES | WHO | WHAT | {"welchem", "есть"}
SOMEBODY = frozenset(
    """
    i you he she it we they me us him them there here anyone anybody someone somebody everyone
    everybody nobody one ones anything something everything nothing all both who ich du er sie es wir
    man jemand alles etwas dort hier mich mir uns ihm ihn я ты он она оно мы вы они нам мне меня нас
    его её их это там тут кто-то что-то все
    """.split()  # noqa: SIM905 - as above
)
"""What stands for whoever or whatever is meant."""
_JOINED = frozenset(
    """
    and or but not so too also if than then still just only ever already yet und oder aber nicht auch
    noch schon nur denn gegen и или а но не ли же бы ещё уже тоже
    very quite much more most less rather really again often always never now today well please
    sehr mehr immer nie jetzt heute wieder bitte очень больше всегда никогда сейчас теперь сегодня
    опять снова можно нужно надо
    """.split()  # noqa: SIM905 - as above
)
LITTLE = DETERMINERS | PREPOSITIONS | AUXILIARIES | ASKING | SOMEBODY | _JOINED
MUTUAL = frozenset(
    """
    marry married meet met date dated dating divorced divorce resemble resembles know knows
    friend friends colleague cousin neighbour neighbor partner spouse twin sibling siblings
    roommate flatmate teammate brother sister classmate coworker
    """.split()  # noqa: SIM905 - as above
)
"""What holds the other way round as well."""
_PAST = dict(
    pair.split()
    for pair in (
        "bought buy", "lent lend", "sold sell", "taught teach", "told tell", "gave give", "given give",
        "wrote write", "written write", "won win", "paid pay", "made make", "sent send", "took take",
        "taken take", "led lead", "went go", "gone go", "kept keep", "built build", "drove drive",
        "broke break", "spoke speak", "ran run", "found find", "left leave", "saw see", "ate eat",
        "got get", "sang sing", "brought bring", "caught catch", "chose choose", "stole steal",
    )
)  # fmt: skip
"""English verbs whose past shares too few letters with them."""
_WORD = late_pattern(r"[^\W_]+(?:[-./:][^\W_]+)*(?:n['’]t\b)?(?:['’]s?(?!\w))?|[.!?;:,()—–]")
CYRILLIC = late_pattern("[а-яё]")
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

    @classmethod
    def of(cls, text: str) -> Self:
        """Return the words of a text."""
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
        return cls(bare, low, owner, [word[0].isupper() for word in found], content)

    def is_content(self, at: int) -> bool:
        """Say whether a word with content stands at a place."""
        return 0 <= at < len(self.content) and self.content[at]

    def find(self, word: str) -> list[int]:
        """Return where forms of a word stand."""
        begin = _PAST.get(word, word)[:2]
        return [
            at
            for at, one in enumerate(self.low)
            if (one[:2] == begin or one in _PAST) and akin(one, word)
        ]

    def holds(self, word: str) -> bool:
        """Say whether a form of a word stands anywhere."""
        return bool(self.find(word))


def akin(one: str, other: str) -> bool:
    """Say whether lower-case words look like forms of one: "lives", "live"; "резина", "резину"."""
    one, other = _PAST.get(one, one), _PAST.get(other, other)
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
