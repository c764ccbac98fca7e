"""Our own conversations over several sessions, shipped with the package.

They exist to fit on: the public conversation benchmarks are for measuring only.
"""

from __future__ import annotations

import json
import random
from dataclasses import replace
from importlib import resources
from typing import TYPE_CHECKING, Any

from realmemory.core.text import count_query_words
from realmemory.eval.corpora.dialogue import Conversation, Dialogue, Question, Session, Turn
from realmemory.eval.corpora.own import epoch
from realmemory.policies.question.interrogatives import INTERROGATIVES
from realmemory.policies.times.dates import is_russian

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

UNANSWERABLE = "unanswerable"
_WORDY = (5, 50)
"""Turns of others that a wordy assistant adds to one of its own: some 300 to 3,000 characters."""

_BEFORE = 0.5
"""Share of the turns that only repeat which stand right before one that answers."""
_MOST_ECHOED = 4
"""Words of a question that such a turn repeats, from the first on: names rather than what is asked."""
_ECHOES = (
    "Ah, {}!",
    "So, {}?",
    "I do adore {}!",
    "And {}, of course.",
    "You know how it is with {}.",
    "{}, what a thing!",
    "I was thinking of {} again today.",
    "Always {}, always.",
)
_RUSSIAN_ECHOES = (
    "Ах, {}!",
    "Так что {}?",
    "Обожаю: {}!",
    "И {}, конечно.",
    "Ну ты знаешь, {}.",
    "{}, вот это да!",
    "Я сегодня опять про это думаю: {}.",
    "Вечно {}, вечно.",
)


def load() -> Dialogue:
    """Read the shipped conversations with their questions."""
    path = resources.files("realmemory.eval").joinpath("data", "chats.json")
    raw = json.loads(path.read_text(encoding="utf-8"))
    return Dialogue(
        "chats",
        tuple(_conversation(item) for item in raw["chats"]),
        tuple(_question(item) for item in raw["questions"]),
    )


def in_english(dialogue: Dialogue) -> Dialogue:
    """Return the conversations in English with their questions: for models of that language."""
    spoken = {
        item.key: " ".join(turn.text for part in item.sessions for turn in part.turns)
        for item in dialogue.conversations
    }
    kept = {key for key, text in spoken.items() if not is_russian(text)}
    return replace(
        dialogue,
        conversations=tuple(item for item in dialogue.conversations if item.key in kept),
        questions=tuple(item for item in dialogue.questions if item.conversation in kept),
    )


def acted(dialogue: Dialogue, assistant: int, *, wordy: bool = False) -> Dialogue:
    """Return conversations as dialogues with an assistant, whom one of the speakers plays.

    Over all who may play it, what the assistant said answers as often as what the user said.

    Args:
        dialogue: Conversations of people.
        assistant: Which speaker it is, in order of their first turns.
        wordy: Have it say much else in each turn, which other conversations hold.
    """
    played = []
    for conversation in dialogue.conversations:
        turns = [turn for session in conversation.sessions for turn in session.turns]
        one = list(dict.fromkeys(turn.speaker for turn in turns))[assistant]
        besides = _besides(dialogue, conversation) if wordy else []
        chance = random.Random(f"{conversation.key} {assistant}")  # noqa: S311 - nothing secret
        sessions = (
            replace(part, turns=tuple(_played(turn, one, besides, chance) for turn in part.turns))
            for part in conversation.sessions
        )
        played.append(replace(conversation, sessions=tuple(sessions)))
    return replace(dialogue, conversations=tuple(played))


def _played(turn: Turn, assistant: str, besides: Sequence[str], chance: random.Random) -> Turn:
    """Return a turn with the role of its speaker, among what a wordy assistant says besides."""
    if turn.speaker != assistant:
        return replace(turn, role="user")
    more = chance.sample(besides, chance.randint(*_WORDY)) if besides else []
    more.insert(chance.randint(0, len(more)), turn.text)
    return replace(turn, role="assistant", text="\n".join(more))


def _besides(dialogue: Dialogue, conversation: Conversation) -> list[str]:
    """Return what is said in the other conversations of the same language."""
    said = {
        item.key: [turn.text for session in item.sessions for turn in session.turns]
        for item in dialogue.conversations
    }
    russian = is_russian(" ".join(said[conversation.key]))
    return [
        text
        for key, texts in said.items()
        if key != conversation.key and is_russian(" ".join(texts)) == russian
        for text in texts
    ]


def echoed(dialogue: Dialogue) -> Dialogue:
    """Return conversations in which somebody also says the words of each question and tells nothing.

    Half of these turns stand shortly before one that answers, the others anywhere in its session.
    """
    return replace(
        dialogue,
        conversations=tuple(
            _with_echoes(item, [one for one in dialogue.questions if one.conversation == item.key])
            for item in dialogue.conversations
        ),
    )


def _with_echoes(conversation: Conversation, questions: Sequence[Question]) -> Conversation:
    chance = random.Random(conversation.key)  # noqa: S311 - nothing secret
    told = {part.key: list(part.turns) for part in conversation.sessions}
    speakers = sorted({turn.speaker for part in conversation.sessions for turn in part.turns})
    for question in questions:
        words = [word for word in _content(question.text) if word not in speakers]
        if not (words and question.turns):
            continue
        turns = told[chance.choice(sorted(question.sessions))]
        answers = [at for at, turn in enumerate(turns) if turn.key in question.turns]
        at = chance.randint(0, len(turns))
        if chance.random() < _BEFORE:
            at = max(0, chance.choice(answers) - chance.randint(0, 1))
        some = words[: chance.randint(1, _MOST_ECHOED)]
        frames = _RUSSIAN_ECHOES if is_russian(question.text) else _ECHOES
        text = chance.choice(frames).format(" ".join(some))
        turns.insert(at, Turn(f"echo-{question.key}", chance.choice(speakers), text))
    sessions = (replace(part, turns=tuple(told[part.key])) for part in conversation.sessions)
    return replace(conversation, sessions=tuple(sessions))


def _content(question: str) -> list[str]:
    """Return the words of a question that are neither little words nor interrogatives."""
    words = (word.strip('?.,!«»"') for word in question.replace("'s", "").split())
    return [
        word for word in words if word.lower() not in INTERROGATIVES and count_query_words(word)
    ]


def _conversation(item: Mapping[str, Any]) -> Conversation:
    return Conversation(
        item["id"],
        tuple(
            Session(
                session["id"],
                epoch(session["when"]),
                tuple(Turn(t["id"], t["speaker"], t["text"]) for t in session["turns"]),
            )
            for session in item["sessions"]
        ),
    )


def _question(item: Mapping[str, Any]) -> Question:
    turns = frozenset(item["expect"])
    return Question(
        item["id"],
        item["chat"],
        item["kind"],
        item["text"],
        turns,
        frozenset(turn.partition(".")[0] for turn in turns),
    )
