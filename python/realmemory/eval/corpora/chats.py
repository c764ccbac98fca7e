"""Our own conversations over several sessions, shipped with the package.

They exist to fit on: the public conversation benchmarks are for measuring only.
"""

from __future__ import annotations

import json
import random
from dataclasses import replace
from importlib import resources
from typing import TYPE_CHECKING, Any

from realmemory.eval.corpora.dialogue import Conversation, Dialogue, Question, Session, Turn
from realmemory.eval.corpora.own import epoch
from realmemory.policies.times.dates import is_russian

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

UNANSWERABLE = "unanswerable"
_WORDY = (5, 50)
"""Turns of others that a wordy assistant adds to one of its own: some 300 to 3,000 characters."""


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
