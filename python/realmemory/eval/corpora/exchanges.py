"""Conversations that are dealt from our own exchanges: who told what is drawn by chance.

Questions about what one person told of themselves are asked of somebody else as well, who told no
such thing: those have no answer, though the memory speaks of all that they ask.
"""

from __future__ import annotations

import json
import random
import re
from dataclasses import replace
from importlib import resources
from typing import TYPE_CHECKING, Any

from realmemory.clock import DAY
from realmemory.eval.corpora import chats
from realmemory.eval.corpora.dialogue import Conversation, Dialogue, Question, Session, Turn

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Forms = Mapping[str, str]

OWN = "own"
"""About what the person named told of themselves."""
SHARED = "shared"
"""About what others told of the person, or about what the person said of another's matter."""
SWAPPED = "swapped"
"""An own one, asked of somebody else: without an answer."""
_DEALS = (
    ("en", 2, 1.0), ("en", 2, 1.0), ("en", 3, 1.0), ("en", 2, 0.5), ("en", 4, 1.0),
    ("en", 2, 0.25), ("en", 3, 0.6), ("ru", 2, 1.0), ("ru", 3, 1.0), ("ru", 2, 0.5),
)  # fmt: skip
"""Language, people and share of the exchanges of each conversation."""
_START = 1.7e9
_CALLED = 0.2
"""Share of the turns that begin with a call to the other by name."""
_THREE = 3
_HOLE = re.compile(r"\{([XYZ])(?::(\w+))?\}")


def load() -> Dialogue:
    """Deal the conversations; the same ones each time."""
    path = resources.files("realmemory.eval").joinpath("data", "exchanges.json")
    raw = json.loads(path.read_text(encoding="utf-8"))
    dealt = [_dealt(raw, number, *deal) for number, deal in enumerate(_DEALS)]
    return Dialogue(
        "exchanges",
        tuple(conversation for conversation, _ in dealt),
        tuple(question for _, questions in dealt for question in questions),
    )


def swapped_chats() -> Dialogue:
    """Return our own chats of people with the questions that name one speaker, swapped ones too."""
    dialogue = chats.load()
    questions: list[Question] = []
    for conversation in dialogue.conversations:
        said_by = {t.key: t.speaker for session in conversation.sessions for t in session.turns}
        speakers = sorted({name for name in said_by.values() if name[0].isupper()})
        for question in dialogue.questions:
            if question.conversation == conversation.key and question.turns:
                questions += _both(question, said_by, speakers)
    return replace(dialogue, questions=tuple(questions))


def _both(
    question: Question, said_by: Mapping[str, str], speakers: Sequence[str]
) -> Iterator[Question]:
    """Yield a question that names one speaker, and the same of the other if it was theirs alone."""
    named = [name for name in speakers if re.search(rf"\b{name}\b", question.text)]
    if len(named) != 1:
        return
    theirs = {said_by.get(key) for key in question.turns} == set(named)
    yield replace(question, category=OWN if theirs else SHARED)
    if theirs:
        other = next(name for name in speakers if name not in named)
        text = re.sub(rf"\b{named[0]}\b", other, question.text)
        nothing: frozenset[str] = frozenset()
        yield replace(
            question, key=question.key + "-swapped", category=SWAPPED, text=text, turns=nothing,
            sessions=nothing,
        )  # fmt: skip


def _dealt(
    raw: Mapping[str, Any], number: int, language: str, people: int, share: float
) -> tuple[Conversation, list[Question]]:
    chance = random.Random(number)  # noqa: S311 - nothing secret
    exchanges = [item for item in enumerate(raw["exchanges"]) if item[1]["language"] == language]
    chance.shuffle(exchanges)
    exchanges = exchanges[: round(share * len(exchanges))]
    present = chance.sample(raw["people"][language], people)
    table = _Table(raw["calls"][language], present, chance)
    key, moment = f"{language}-{number}", _START
    sessions: list[Session] = []
    questions: list[Question] = []
    while exchanges:
        size = chance.randint(2, 5)
        turns: list[Turn] = []
        for at, exchange in exchanges[:size]:
            if people < _THREE and any(who == "Z" for who, _ in exchange["turns"]):
                continue
            first = len(turns)
            turns += table.turns(exchange, f"s{len(sessions)}.", first)
            questions += table.questions(exchange, f"{at}/{key}", key, turns[first:])
        del exchanges[:size]
        moment += DAY * chance.randint(1, 12)
        sessions.append(Session(f"s{len(sessions)}", moment, tuple(turns)))
    return Conversation(key, tuple(sessions)), questions


class _Table:
    """Who sits at it, and who plays whom in the exchange that was dealt last."""

    def __init__(
        self, calls: Sequence[str], people: Sequence[Forms], chance: random.Random
    ) -> None:
        self._calls, self._people, self._chance = calls, people, chance
        self._cast: dict[str, Forms] = {}

    def turns(self, exchange: Mapping[str, Any], prefix: str, first: int) -> Iterator[Turn]:
        """Deal an exchange and yield its turns."""
        size = min(_THREE, len(self._people))
        self._cast = dict(zip("XYZ", self._chance.sample(self._people, size), strict=False))
        for at, (who, text) in enumerate(exchange["turns"]):
            other = self._cast["X" if who == "Y" else "Y"]["nom"]
            said = _filled(text, self._cast)
            if self._chance.random() < _CALLED and other not in said:
                said = self._chance.choice(self._calls).format(other) + said
            yield Turn(f"{prefix}{first + at}", self._cast[who]["nom"], said)

    def questions(
        self, exchange: Mapping[str, Any], key: str, conversation: str, turns: Sequence[Turn]
    ) -> Iterator[Question]:
        """Yield the questions about what was dealt, those with an answer and those without."""
        others = [person for person in self._people if person is not self._cast["X"]]
        for at, item in enumerate(exchange["questions"]):
            gold = frozenset(turns[place].key for place in item["expect"])
            asked = Question(
                f"{key}/{at}",
                conversation,
                OWN if item["own"] else SHARED,
                _filled(item["text"], self._cast),
                gold,
                frozenset(turn.partition(".")[0] for turn in gold),
            )
            yield asked
            if item["own"]:
                text = _filled(item["text"], {"X": self._chance.choice(others)})
                nothing: frozenset[str] = frozenset()
                yield replace(
                    asked, key=asked.key + "-swapped", category=SWAPPED, text=text, turns=nothing,
                    sessions=nothing,
                )  # fmt: skip


def _filled(text: str, cast: Mapping[str, Forms]) -> str:
    """Put names into their places; a name that has no such form stays as it is."""

    def name(hole: re.Match[str]) -> str:
        forms = cast[hole[1]]
        return forms.get(hole[2] or "nom", forms["nom"])

    return _HOLE.sub(name, text)
