"""What stands around a conversation turn: its neighbours, its session, its speaker, its time.

A turn rarely repeats what it answers. The turns next to it, the rest of its session, who said it
and when carry the evidence. Everything is measured against the other candidates of the question
and against unrelated rows, so that it means the same in chats of people, in dialogues with an
assistant, and in every embedding space.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from realmemory.late import late_module
from realmemory.policies.hops import TOPIC_CHARS

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from realmemory.store.records import TurnPlace

    Array = NDArray[np.float64]
else:
    np = late_module("numpy")

REACH = 2
"""Turns on each side that are looked at."""

TURN_FEATURES = (
    "words",
    "coverage",
    "before",
    "after",
    "before_2",
    "after_2",
    "session_best",
    "session_top_3",
    "meaning",
    "near_meaning",
    "speaker",
    "first_named",
    "question",
    "answer",
    "answer_sought",
    "likeness",
    "sentence",
    "fitting",
    "told",
    "time",
    "length",
    "brevity",
    "session_meaning",
    "pages",
)
"""Names of the columns of :func:`turn_features`."""

FORM = ("question", "answer", "answer_sought")
"""Columns that say who speaks and whether they ask: a prior, no evidence of what was said."""

NEIGHBOURS = ("before", "after", "before_2", "after_2", "near_meaning")
"""Columns that say what the turns beside a turn hold."""

COMPARED = ("likeness", "sentence", "fitting", "told")
"""Columns that look at the words: how like the question the whole turn is, and its best sentence
alone, how far that sentence holds such a thing as is asked for (a name, a time, a number), and how
much the turn tells beyond the question; see :func:`told_beyond`."""

TOLD = 6
"""Words beyond those of the question from which a turn tells all that a turn need tell;
cross-validated."""

HIT_FLOOR = 0.001
"""Relevance below which a turn is no hit, less than that of what stands by itself: a question has one
answer among all the turns of a conversation, so the best of them is often unlikely."""

FORM_CAP = 1.0
"""Most log-odds that the columns of :data:`FORM` move a turn by, together.

Whose turns hold the answers depends on the chats that weights were fitted on: where nearly all
questions are about what the user said, a fit learns that an assistant is never right. A factor of
e decides between turns that tell about the same, and no more.
"""

_COMPARED = (48, 128)
"""Fewest and most turns whose pieces are compared with those of the question."""

_CALL, _LINE = 10, 80
"""Characters up to which a turn is nothing but short, and from which it is not short at all."""
_SHORT, _LONG = 300, 2000
"""Characters up to which a turn is not long at all, and from which it is nothing but long."""
_CHAT, _PAGES = 100, 600
"""Characters of the typical turn up to which people chat, and from which somebody writes pages."""
_FORM = [TURN_FEATURES.index(name) for name in FORM]
_VOICE = [
    *_FORM, *(TURN_FEATURES.index(name) for name in ("speaker", "first_named", *COMPARED))
]  # fmt: skip
_FITTING = TURN_FEATURES.index("fitting")
_IN_PAGES = TURN_FEATURES.index("pages")
_Z_SCALE = 4.0
_LEAST_SPREAD = 0.02


@dataclass(frozen=True, slots=True)
class TurnProfile:
    """How a turn's surroundings make the log-odds of its relevance.

    ``logit = scale x (log-odds by its own words and meaning) + weights . features
    + level x (largest such log-odds of the question) + bias``, where the columns of :data:`FORM`
    together count :data:`FORM_CAP` at most. The weights order the turns of one question; the rest
    says how much such an order is worth.

    ``scale`` and ``weights`` hold where people chat line by line; as far as turns are pages, as the
    column ``pages`` says, those of ``paged`` (weights, then the scale) take their place. What tells an
    answer differs: a line shares few words with what it answers, a page shares some with anything.
    """

    scale: float
    weights: tuple[float, ...]
    bias: float
    level: float = 0.0
    paged: tuple[float, ...] | None = None

    def logits(self, own: Array, features: Array) -> Array:
        """Return the log-odds of turns; ``own`` are those without their surroundings."""
        constant = self.bias + self.level * float(own.max(initial=0.0))
        weights, scale = self._mixed(features)
        form = features[:, _FORM] @ weights[_FORM]
        beyond = form - np.clip(form, -FORM_CAP, FORM_CAP)
        total: Array = scale * own + features @ weights - beyond + constant
        return total

    def for_fitting(self, features: Array) -> float:
        """Return what a turn counts for holding the sort of thing that is asked for."""
        weights, _ = self._mixed(features[None, :])
        return float(weights[_FITTING] * features[_FITTING])

    def said(self, features: Array) -> Array:
        """Return what a turn's words and place count, whoever speaks.

        Only some turns are compared word by word, so that this is left out as well.
        """
        weights, _ = self._mixed(features)
        weights[_VOICE] = 0.0
        return np.asarray(features @ weights)

    def _mixed(self, features: Array) -> tuple[Array, float]:
        """Return the weights and the scale for turns of one question."""
        mixed = np.array([*self.weights, self.scale])
        if self.paged is not None:
            share = float(features[:, _IN_PAGES].max(initial=0.0))
            mixed = mixed + share * (np.array(self.paged) - mixed)
        return mixed[:-1], float(mixed[-1])


@dataclass(frozen=True, slots=True, eq=False)
class Surroundings:
    """Which candidates are turns, and the features of each (zero for the others).

    ``sessions`` numbers the sessions that turns belong to; -1 stands for none.
    """

    is_turn: NDArray[np.bool_]
    features: Array
    sessions: NDArray[np.int64]

    @classmethod
    def none(cls, count: int) -> Surroundings:
        """Return the surroundings of candidates without a turn among them."""
        features = np.zeros((count, len(TURN_FEATURES)))
        return cls(np.zeros(count, dtype=np.bool_), features, np.full(count, -1, dtype=np.int64))

    def joined(self, other: Surroundings, order: Sequence[int]) -> Surroundings:
        """Return these and others in a given order; sessions keep their numbers."""
        return Surroundings(
            np.concatenate([self.is_turn, other.is_turn])[order],
            np.concatenate([self.features, other.features])[order],
            np.concatenate([self.sessions, other.sessions])[order],
        )

    def with_column(self, name: str, values: Array) -> Surroundings:
        """Return these with another column; what is no turn keeps its zeros."""
        features = self.features.copy()
        features[:, TURN_FEATURES.index(name)] = np.where(self.is_turn, values, 0.0)
        return replace(self, features=features)

    def alone(self) -> Surroundings:
        """Return these without the turns beside each.

        Where a question has hardly a word beside a name and a time, its neighbours share just those.
        """
        features = self.features.copy()
        features[:, [TURN_FEATURES.index(name) for name in NEIGHBOURS]] = 0.0
        return replace(self, features=features)

    def formless(self) -> Surroundings:
        """Return these without who speaks and whether they ask.

        Only what is said chooses the turns that are looked at closely: in a long chat the turns
        of one side alone would fill all the places.
        """
        features = self.features.copy()
        features[:, _FORM] = 0.0
        return replace(self, features=features)


@dataclass(frozen=True, slots=True, eq=False)
class Signals:
    """What the channels say about all candidates, in order of their ids.

    ``words`` is the keyword score with resembling words, ``meaning`` the cosine in deviations
    from unrelated rows; see :func:`standardised`.
    """

    words: Array
    coverage: Array
    meaning: Array


@dataclass(frozen=True, slots=True)
class Asked:
    """What the question says about the turns it looks for.

    ``named`` are the speakers it names, in its order; ``of_assistant`` whether it asks for what an
    assistant said.
    """

    named: Sequence[str] = field(default=())
    of_assistant: bool = False


def standardised(cosines: Array, mean: float, std: float) -> Array:
    """Return cosines in (quarters of) deviations from those of unrelated rows."""
    return np.asarray(np.clip((cosines - mean) / max(std, _LEAST_SPREAD) / _Z_SCALE, -1.0, 2.5))


def compared(depth: int) -> int:
    """Return how many of the best turns are compared word by word where so many are to be returned.

    The others count as the worst of them, so that twice as many are, as far as that can be afforded:
    with 48 for fifty hits, one answer in forty of long chats fell behind turns that nobody compared.
    """
    least, most = _COMPARED
    return min(max(least, 2 * depth), most)


def told_beyond(words: Sequence[int]) -> list[float]:
    """Return how much each turn tells, 0 to 1, by the words that it adds to the question's.

    What only repeats whom and what a question names ("Oh, that dog of mine!") is as like it as can be
    and answers nothing. The logarithm, for the first words tell most; :data:`TOLD` count in full.
    """
    return [min(math.log1p(count) / math.log1p(TOLD), 1.0) for count in words]


def turn_features(
    ids: NDArray[np.int64], places: Sequence[TurnPlace], signals: Signals, asked: Asked
) -> Surroundings:
    """Return the surroundings of candidates; what is compared closely and time are left at zero.

    Args:
        ids: The candidates, ascending; neighbours of turns are candidates, too.
        places: Where the turns among them stand, by session and position.
        signals: What the channels say about each candidate.
        asked: What the question says about the turns it looks for.
    """
    result = Surroundings.none(len(ids))
    places = _present(ids, places)
    if not places:
        return result
    at = np.searchsorted(ids, np.array([place.id for place in places], dtype=np.int64))
    words = signals.words[at] / max(float(signals.words.max()), 1e-9)
    coverage, meaning = signals.coverage[at], signals.meaning[at]
    near = _Neighbours(places)
    best, top = near.of_session(words)
    nearest, _ = near.of_session(meaning)
    columns = (
        words,
        coverage,
        *(near.told(words, offset) for offset in (-1, 1, -2, 2)),
        best,
        top,
        meaning,
        (near.value(meaning, -1) + near.value(meaning, 1)) / 2.0,
        *_who_and_how(places, asked),
        *np.zeros((len(COMPARED) + 1, len(at))),
        *_long_and_short(places),
        nearest,
        _in_pages(places),
    )
    result.is_turn[at] = True
    result.features[at] = np.column_stack(columns)
    result.sessions[at] = near.sessions
    return result


def _present(ids: NDArray[np.int64], places: Sequence[TurnPlace]) -> list[TurnPlace]:
    """Return the places of candidates: a turn may have gone since the search."""
    known = set(ids.tolist())
    return [place for place in places if place.id in known]


def _who_and_how(places: Sequence[TurnPlace], asked: Asked) -> tuple[Array, ...]:
    """Return the columns that the words do not tell: speaker, question, answer.

    A question that names one speaker asks for what that one said; of several, the first is likelier
    the one who did or said it.
    """
    one = np.array(
        [place.speaker == asked.named[0] for place in places] if asked.named else [False]
    )
    alone = np.full(len(places), len(asked.named) == 1)
    question = np.array([place.asks for place in places], dtype=np.float64)
    answer = np.array([place.role == "assistant" for place in places], dtype=np.float64)
    sought = answer if asked.of_assistant else np.zeros(len(places))
    return one & alone, one & ~alone, question, answer - sought, sought


def _long_and_short(places: Sequence[TurnPlace]) -> tuple[Array, Array]:
    """Return how long and how short each turn is, 0 to 1.

    What says much shares words with every question; assistants are verbose, and without this the
    fit blames the speaker for it. What says next to nothing ("Haha, I do love him!") may be all
    about what is asked, and tells nothing of it.
    """
    characters = np.log([max(place.length, 1) for place in places])
    long = (characters - math.log(_SHORT)) / math.log(_LONG / _SHORT)
    short = (math.log(_LINE) - characters) / math.log(_LINE / _CALL)
    return np.clip(long, 0.0, 1.0), np.clip(short, 0.0, 1.0)


def _in_pages(places: Sequence[TurnPlace]) -> Array:
    """Return how far those who speak write pages to each other, 0 to 1: the same for all turns."""
    typical = math.fsum(math.log(max(place.length, 1)) for place in places) / len(places)
    share = (typical - math.log(_CHAT)) / math.log(_PAGES / _CHAT)
    return np.full(len(places), min(max(share, 0.0), 1.0))


class _Neighbours:
    """Places sorted by session and position, as numbers."""

    def __init__(self, places: Sequence[TurnPlace]) -> None:
        codes: dict[str, int] = {}
        self._session = self.sessions = np.array(
            [codes.setdefault(place.session, len(codes)) for place in places], dtype=np.int64
        )
        index = np.array([place.turn_index for place in places], dtype=np.int64)
        # Sorted: the places come by session and position.
        self._key = (self._session << 40) + index
        self._sessions = len(codes)
        self._lengths = np.array([place.length for place in places], dtype=np.float64)

    def value(self, values: Array, offset: int) -> Array:
        """Return the value of the turn so far away, zero where there is none."""
        wanted = self._key + offset
        at = np.minimum(np.searchsorted(self._key, wanted), len(values) - 1)
        return np.asarray(np.where(self._key[at] == wanted, values[at], 0.0))

    def told(self, values: Array, offset: int) -> Array:
        """Return the value of the turn so far away as far as it is likely about the same.

        A subject lasts for so much text: between people for a few turns, beside an assistant who
        answers in pages not even for one.
        """
        step = 1 if offset > 0 else -1
        passed = self.value(self._lengths, offset) / 2.0
        for between in range(step, offset, step):
            passed = passed + self.value(self._lengths, between)
        return np.asarray(self.value(values, offset) * np.exp(-passed / TOPIC_CHARS))

    def of_session(self, values: Array) -> tuple[Array, Array]:
        """Return the best value of each turn's session, and the sum of its best three by three."""
        order = np.lexsort((-values, self._session))
        session, ranked = self._session[order], values[order]
        first = np.searchsorted(session, np.arange(self._sessions))
        rank = np.arange(len(ranked)) - first[session]
        top = np.bincount(session, np.where(rank < 3, ranked, 0.0), self._sessions) / 3.0
        return ranked[first][self._session], top[self._session]
