"""Questions that ask what was at a time, and leave open what: "what did Tom do last week?".

Beside the time they hold little: whom or what they are about, and a general verb, or a single verb
("what did we decide yesterday?"). A word more makes a topic of it, which then decides. English,
German and Russian, by closed classes of words; what a question has beyond them it names.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from realmemory.late import late_module, late_pattern
from realmemory.policies.times.dates import is_russian

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
else:
    np = late_module("numpy")

_MOST_NAMED = 2
"""Words that an open question may name; more are a topic."""
_DATED = 0.9
"""Confidence in what is of the very time, where nothing else is asked for."""
_NARROWED = 0.5
"""The same where two words are named: one of them may be a matter of another."""
_OF_THE_TIME = 0.3
"""Least confidence in what is of the time, but may be another deed."""
_OF_OTHERS = 0.1
"""The same where it does not even name what is asked about."""
_ELSEWHERE = 0.25
"""What is left of a confidence at another time."""
LASTING = 0.6
"""What is left of the confidence in a lasting fact that was known by then."""
_LIKELY = 0.5
"""Confidence from which such a fact may be the answer."""
_NEAR = 0.5
"""Closeness in time from which it is worth showing what is near the time."""
_FIT = 0.1
"""Part of a score by which the words decide among what is of the time."""
_TOKEN = late_pattern(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_GENERAL = late_pattern(
    r"\b(?:do|done|doing|happen(?:s|ed|ing)?|occur(?:s|red|ring)?|(?:go|goes|going|went) on"
    r"|(?:take|takes|took|taken|taking) place|(?:talk|discuss|chat)(?:t?ed|t?ing)?|sp(?:eak|oke)"
    r"|plan(?:s|ned)?|scheduled|due|coming up|(?:ge)?plant?|(?:an)?steht|ansteh(?:t|en)|vorhaben|vorgehabt"
    r"|план\w*|заплан\w+|предсто\w+|намечен\w*"
    r"|(?:ge)?mach(?:e|st|t|te|ten|en)|tun|tat(?:en)?|getan|unter(?:nommen|nahm(?:en)?)|los"
    r"|passier(?:en|t|te|ten)|gescheh(?:en)?|geschah|ereignete?n?|(?:ge)?redet(?:en)?"
    r"|(?:ge|be)?spr(?:ochen|achen)|с?дела\w*|занима\w+|происход\w+|произо\w+|случ(?:ил|ает|ал)\w*"
    r"|твори\w+|обсу(?:ждали|дили)|говорили|разговаривали)\b"
)
"""Verbs that stand for any other, and those of planning and of speaking with each other."""
_AHEAD = late_pattern(
    r"\b(?:will|going to|plan(?:s|ned)?|scheduled|due|upcoming|coming|geplante?n?|plane?n?|pläne|steht"
    r"|ansteh\w+|wird|werden|план\w*|заплан\w+|предсто\w+|намечен\w*|буд(?:ет|ут|у|ем))\b"
)
_PERSONS = frozenset(
    "i we you he she they who ich wir du er sie ihr man wer я мы ты вы он она они кто".split()  # noqa: SIM905 - a word list reads as one
)
"""What a verb may follow directly."""
_BE = frozenset(["was", "were", "been", "got", "wurde", "wurden", "worden", "ist", "sind"])
_PRESENT = frozenset(["is", "are", "am", "does", "will", "would", "ist", "sind", "wird", "werden"])
_OF_MATTERS = frozenset(
    """
    about the a an which über der die das den dem des ein eine einen einem einer welche welcher welches
    welchen о об обо про какой какая какое какие какую
    """.split()  # noqa: SIM905 - as above
)
"""What stands before a matter, not before a name."""
_OTHERS = frozenset(
    """
    what what's whats whom which where did do does has have had having is are be being am will would it me us
    him her them my our your his their its this that these those there here the a an on in at of to
    for from with about by up out all any anything something everything things stuff else so and or
    also just since until between before after during far yet already still ever
    now down off over back together please tell show give list remind summarise summarize summary recap overview
    new news latest
    was wen wem welche welcher welches welchen wo wohin womit hat habe haben hast habt hatte hatten hattest war waren warst bin wird
    werden es uns mich mir dich dir euch ihm ihnen sich der die das den dem des ein eine einen einem
    einer mein meine meinem meinen meiner unser unsere unserem unseren unserer dein deine sein seine
    ihre im an am auf zu zum zur von vom mit bei beim für über um nach vor seit bis ab zwischen während aus und oder denn
    alles etwas gibt gab neu neues neuigkeiten zeig zeige sag erzähl liste fasse zusammen
    zusammenfassung überblick da dort noch schon auch eigentlich bitte
    что какие какой какая какое кого кому кем чем чего где куда меня мне нас нам нами тебя тебе вас вам его ее её ей их им был
    была было были есть будет в во на с со к ко у о об обо по за из от до между после перед для и или а ли же бы там тут
    это этот все всё всего еще ещё уже нового новости новенького расскажи покажи напомни перечисли
    итоги сводка обзор мой моя мои наш наша наши
    """.split()  # noqa: SIM905 - as above
)
_FUNCTION = _PERSONS | _BE | _OTHERS
_PARTICIPLE = late_pattern(r".+(?:ed|en|t)")
_RUSSIAN_PAST = late_pattern(r".+л[аои]?(?:с[ья])?")


ELSEWHEN = "what answers is of another time than the question names"
"""What to say where something is found by its words, but nothing is of the time."""


class Then(NamedTuple):
    """How candidates stand to the time and to what an open question names.

    ``closeness`` is 1 for what is of that time; ``concerned`` holds all that is named, None where
    nothing is; ``standing`` is how far each is known to have held then: what was replaced since, and
    what replaced it, by its dates, a lasting fact that was known by then in part.
    """

    closeness: Array
    concerned: NDArray[np.bool_] | None
    standing: Array

    @property
    def inside(self) -> NDArray[np.bool_]:
        """What is of that time, and is no state that lasted."""
        return np.asarray((self.closeness >= 1.0) & (self.standing < 1.0))

    @property
    def found(self) -> NDArray[np.bool_]:
        """What is of that time and holds what is named."""
        return self.inside if self.concerned is None else self.inside & self.concerned

    def touched_by(self, places: Sequence[int]) -> bool:
        """Say whether any of some candidates is of that time, or may have held then."""
        return bool((self.closeness[places] >= 1.0).any() or (self.standing[places] > 0.0).any())

    def answers(self, confidences: Array) -> bool:
        """Say whether anything is of that time and holds what is named, or held then all the same."""
        likely = np.asarray(confidences) >= _LIKELY
        return bool(self.found.any() or ((self.standing > 0.0) & likely).any())


class Inquiry(NamedTuple):
    """What an open question has beside its time.

    ``about`` are the words that it names, folded; ``verb`` says that it asks for what was done in one
    way only, so that what fits this comes first.
    """

    about: tuple[str, ...] = ()
    verb: bool = False

    @property
    def nothing(self) -> str:
        """What to say where nothing is of its time."""
        matter = f" about {' and '.join(self.about)}" if self.about else ""
        return f"nothing{matter} is remembered of the time that the question names"

    @property
    def bare(self) -> bool:
        """Whether it has nothing beside its time."""
        return not self.about and not self.verb


def inquiry_of(text: str, rest: str) -> Inquiry | None:
    """Return what a question that names a time has besides, or None if it has a topic.

    Args:
        text: The question.
        rest: The same, casefolded, without its times.
    """
    general = _GENERAL.search(rest) is not None
    tokens = [_bare(token) for token in _TOKEN.findall(_GENERAL.sub(" ", rest))]
    named = [token for token in tokens if token not in _FUNCTION]
    spelled = {_bare(token.casefold()): _bare(token) for token in _TOKEN.findall(text)}
    about = tuple(spelled.get(token, token) for token in named)
    if general or not named:
        return Inquiry(about) if len(about) <= _MOST_NAMED else None
    first = next(iter(spelled), "")
    names = {one for one in named if spelled.get(one, one)[0].isupper() and one != first}
    others = [token for token in named if token not in names]
    matters = {one for before, one in pairwise(tokens) if before in _OF_MATTERS}
    if len(names) > _MOST_NAMED or len(others) > 1 or not matters.isdisjoint(named):
        return None
    if others and not _is_verb(tokens, tokens.index(others[0]), names):
        return None
    return Inquiry(tuple(name for name in about if name.casefold() in names), verb=bool(others))


def looks_ahead(question: str) -> bool:
    """Say whether a question asks for what is to come."""
    return _AHEAD.search(question.casefold()) is not None


def at_the_time(inquiry: Inquiry, then: Then, ordinary: Array) -> tuple[Array, Array]:
    """Return confidence and score of each candidate for an open question.

    What is of the time answers it, surely where that is all it asks for; a memory is dated, or speaks
    of a day, and either may be a little off, so that nothing is certain. What is of another time is
    no answer: it is shown behind, and hardly believed.

    Args:
        inquiry: What the question has beside its time.
        then: How candidates stand to both.
        ordinary: Confidence of each by its words and meaning.
    """
    inside, found = then.inside, then.found
    least = _OF_THE_TIME if inquiry.verb else _NARROWED if inquiry.about[1:] else _DATED
    surely = np.maximum(ordinary, least)
    if not inquiry.bare:
        elsewhere = np.maximum(then.standing, _ELSEWHERE) * ordinary
    elif inside.any():
        elsewhere = np.zeros(len(ordinary))
    else:
        elsewhere = np.where(then.closeness >= _NEAR, _ELSEWHERE * then.closeness, 0.0)
    confidences = np.where(
        found, surely, np.where(inside, np.maximum(ordinary, _OF_OTHERS), elsewhere)
    )
    # Among what is of the time, what fits the words comes first.
    return confidences, confidences * (1.0 - _FIT + _FIT * ordinary)


def _is_verb(tokens: list[str], at: int, names: Collection[str]) -> bool:
    """Say whether a word stands where a verb of the past does, or is spelled like one.

    What is so at present may be known for long.
    """
    word, before = tokens[at], tokens[at - 1] if at else ""
    if is_russian(word):
        return _RUSSIAN_PAST.fullmatch(word) is not None
    if not _PRESENT.isdisjoint(tokens):
        return False
    if before in _BE:
        return _PARTICIPLE.fullmatch(word) is not None
    return before in _PERSONS or before in names


def _bare(token: str) -> str:
    return re.sub(r"['’]s$", "", token)
