"""The clauses of a short text: which words name one thing, and which little word stands before them."""

from __future__ import annotations

from functools import lru_cache

from realmemory.core.text import analyze, count_query_words
from realmemory.late import late_pattern
from realmemory.policies.words import calendar, little
from realmemory.policies.words import changes as words
from realmemory.tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from collections.abc import Set as AbstractSet

_ALIKE = 6
"""Letters that words of one root begin with, where their stems differ ("allergic", "allergy")."""
_ALIKE_RUSSIAN = 5
_BETWEEN = 2
"""Tokens up to which what a thing is of stands behind it: "the fan of the server"."""
_LEADS = little.PREPOSITIONS | little.SUBORDINATING | {"as", "instead", "statt", "anstatt"}
"""What may stand before the words of one thing and tie them to the clause."""
_BREAK = late_pattern(
    r"[,;:!?]\s|(?<!\b\d)(?<!\b\d\d)\.\s|\s[\u2013\u2014-]\s|\s(?:and|but|so|und|aber|sondern|и|а|но)\s"
)
"""Where a clause ends; "4. Juli" is one date."""
_HEADED = late_pattern(r"(?:[^,;.:!?]{1,60}:|\w+(?:\s\w+){0,2}\s[\u2013\u2014])\s")
"""What the rest of a text is about: before a colon, or in a few words before a dash, as Russian has it for "is"."""
_TOKEN = late_pattern(r"(?:~/\.?|\.{0,2}/\.?)?\w+(?:['\u2019]\w+|[-./:_@+]\w+)*")
_NUMBER = late_pattern(r"\d+(?:[-.,/:]\d+)*")


class Word(NamedTuple):
    """A word as it is written, folded, and as what it is compared by; little words have no content.

    ``counts`` says that it is a number, or one of a calendar; ``head`` are the letters that words of one
    root begin with, none of a short word.
    """

    said: str
    folded: str
    stems: frozenset[str]
    content: bool
    counts: bool
    head: str

    def same(self, other: Word) -> bool:
        """Say whether both are forms of one word, or share the parts of an identifier."""
        if not self.stems.isdisjoint(other.stems):
            return True
        return self.head != "" and other.folded.startswith(self.head)

    def held_by(self, others: Iterable[Word]) -> bool:
        """Say whether one of some words is the same."""
        stems, head = self.stems, self.head
        for other in others:
            # As `same` says, without a call for each: most words are held against many.
            if not stems.isdisjoint(other.stems) or (head and other.folded.startswith(head)):
                return True
        return False

    def among(self, known: Collection[str], stems: tuple[str, ...] = ()) -> bool:
        """Say whether it is one of some words, or a Russian one that begins with one of some stems."""
        return self.folded in known or (not self.folded.isascii() and self.folded.startswith(stems))

    @property
    def named(self) -> bool:
        """Whether it is spelled as a name or an identifier."""
        return self.said[0].isupper() or not self.said.isalpha()


class Group(NamedTuple):
    """Words that name one thing, the little word before them, and where they begin."""

    words: tuple[Word, ...]
    lead: str
    begin: int

    @property
    def bare(self) -> bool:
        """Whether no preposition stands before it."""
        return self.lead not in _LEADS

    @property
    def heads(self) -> tuple[Word, ...]:
        """The words by any of which it is named: its head, and names."""
        return (self.words[-1], *[word for word in self.words if word.named])


class Clause(NamedTuple):
    """A part of a text that says one thing; ``mine`` says that it speaks of who writes.

    ``forms`` are its words, folded; ``plain`` says that they are of ASCII letters only; ``heads`` that it
    says what the rest is about, which ``under`` holds of the others.
    """

    tokens: tuple[Word, ...]
    groups: tuple[Group, ...]
    mine: bool
    forms: frozenset[str]
    plain: bool
    heads: bool = False
    under: tuple[Word, ...] = ()

    def behind_head(self, head: Clause) -> Clause:
        """Return it with what heads it, as one: "Lease: extended until May" says it of the lease."""
        shift = len(head.tokens)
        groups = (*head.groups, *[one._replace(begin=one.begin + shift) for one in self.groups])
        return Clause(
            (*head.tokens, *self.tokens),
            groups,
            self.mine or head.mine,
            self.forms | head.forms,
            self.plain and head.plain,
        )

    def says(self, phrases: Iterable[str]) -> bool:
        """Say whether one of some phrases, or a part of a word, stands in its words in one row."""
        said = " ".join([word.folded for word in self.tokens])
        return any(phrase in said for phrase in phrases)

    def among(self, known: Collection[str], stems: tuple[str, ...]) -> bool:
        """Say whether one of its words is among some, see :meth:`Word.among`."""
        if self.has(known):
            return True
        return not self.plain and any(word.among((), stems) for word in self.tokens)

    def has(self, known: Collection[str]) -> bool:
        """Say whether it holds one of some words."""
        return not self.forms.isdisjoint(known)

    def held_of(self, stems: AbstractSet[str]) -> frozenset[str]:
        """Return which of some analysed words it holds."""
        return frozenset[str]().union(*[word.stems & stems for word in self.tokens])

    def subject_of(self, stems: AbstractSet[str]) -> frozenset[str]:
        """Return which of some analysed words what it begins with is named by."""
        first = [one for one in self.groups if one.bare][:1]
        return frozenset[str]().union(*[word.stems & stems for one in first for word in one.words])

    def before(self, at: int) -> list[Group]:
        """Return what stands before a token without a preposition."""
        return [one for one in self.groups if one.begin < at and one.bare]

    def behind(self, at: int) -> list[Group]:
        """Return what stands behind a token without a preposition."""
        return [one for one in self.groups if one.begin > at and one.bare]

    def owned(self, group: Group) -> Group:
        """Return a group with what it is of, if that follows."""
        place = self.groups.index(group) + 1
        for following in self.groups[place : place + 1]:
            end = group.begin + len(group.words)
            if following.lead in words.LINKED and following.begin <= end + _BETWEEN:
                return group._replace(words=group.words + following.words)
        return group


class Vocabulary(NamedTuple):
    """The words of a text, to be asked whether one of them is the same as another.

    Attributes:
        stems: What they are compared by.
        forms: They themselves, folded, each behind a space.
    """

    stems: frozenset[str]
    forms: str

    @classmethod
    def of(cls, words: Collection[Word]) -> Vocabulary:
        """Gather some words."""
        stems = frozenset[str]().union(*[word.stems for word in words])
        return cls(stems, " ".join(["", *[word.folded for word in words]]))

    def holds(self, word: Word) -> bool:
        """Say whether one of them is the same, see :meth:`Word.same`."""
        if not self.stems.isdisjoint(word.stems):
            return True
        return word.head != "" and f" {word.head}" in self.forms


@lru_cache(maxsize=512)
def vocabulary_of(text: str) -> Vocabulary:
    """Return all words of a text, those between its clauses too; costs a fraction of reading them."""
    return Vocabulary.of([*map(_word, _TOKEN.findall(text))])


@lru_cache(maxsize=1_024)
def clauses_of(text: str) -> tuple[Clause, ...]:
    """Return the clauses of a text that have a word."""
    parts = [_clause(tuple(map(_word, _TOKEN.findall(part)))) for part in _BREAK.split(text)]
    if _HEADED.match(text) is not None:
        head, *rest = parts
        parts = [head._replace(heads=True), *(one._replace(under=head.tokens) for one in rest)]
    return tuple(part for part in parts if part.tokens)


def tokens_of(folded: str) -> set[str]:
    """Return the tokens of a folded text."""
    return set(_TOKEN.findall(folded))


def folded(text: str) -> str:
    """Return a text in small letters, those that have two spellings in one."""
    return text.casefold().replace("ё", "е").replace("\u2019", "'")


def beginning(clause: Clause) -> tuple[list[Word], bool]:
    """Return the words that a clause begins with, and whether a form of "to be" ends them."""
    run: list[Word] = []
    for word in clause.tokens:
        if word.content:
            run.append(word)
        elif run:
            return run, word.folded in little.COPULAS
    return run, False


def begins_with(thing: Sequence[Word], clause: Clause) -> bool:
    """Say whether a clause is about a thing: it begins with that, and "is" follows, or a verb may."""
    run, copula = beginning(clause)
    if copula and len(run) != len(thing):
        return False
    return all(word.held_by(run[: len(thing)]) for word in thing)


def _leads(following: Sequence[Word]) -> bool:
    return any(word.folded in words.PLACES for word in following)


def _clause(tokens: tuple[Word, ...]) -> Clause:
    groups: list[Group] = []
    run: list[Word] = []
    lead, begin = "", 0
    for at, word in enumerate(tokens):
        places = word.folded in words.PLACING and _leads(tokens[at + 1 : at + 2])
        if word.content and not places and not word.among(words.VERBS, words.VERB_STEMS):
            begin = at if not run else begin
            run.append(word)
            continue
        if run:
            groups.append(Group(tuple(run), lead, begin))
            run, lead = [], ""
        if word.folded in _LEADS:
            lead = lead if lead == "instead" else word.folded
        elif word.content:
            lead = ""
    if run:
        groups.append(Group(tuple(run), lead, begin))
    forms = frozenset([word.folded for word in tokens])
    plain = all(map(str.isascii, forms))
    return Clause(tokens, tuple(groups), not forms.isdisjoint(little.MINE), forms, plain)


@lru_cache(maxsize=8_192)
def _word(token: str) -> Word:
    plain = folded(token).removesuffix("'s")
    owner, _, _ = plain.partition("'")
    plain = owner if owner in little.MINE else plain
    kinds = (little.COPULAS, _LEADS, little.ARTICLES, little.MINE)
    counts = _NUMBER.fullmatch(plain) is not None or plain in calendar.NAMES
    # "May" is a month, "may" is none.
    content = count_query_words(token) > 0 or (counts and token[0].isupper())
    content = content and not any(plain in kind for kind in kinds)
    alike = _ALIKE if plain.isascii() else _ALIKE_RUSSIAN
    head = plain[:alike] if len(plain) >= alike else ""
    stems = frozenset(analyze(plain))
    if token[0] in "./~":
        # What is kept in a folder is named by its last part alone, "~/.cargo" by the whole.
        name = plain.rpartition("/")[2]
        return Word(token, plain, frozenset([plain, *_visible(name)]), content, counts, "")
    if _NUMBER.fullmatch(plain):
        # 6:45 and 6:15 share no value.
        return Word(token, plain, frozenset([plain]), content, counts, "")
    return Word(token, plain, stems, content, counts, head)


def _visible(name: str) -> list[str]:
    return [] if name.startswith(".") else analyze(name)
