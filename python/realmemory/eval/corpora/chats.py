"""Our own conversations over several sessions, shipped with the package.

They exist to fit on: the public conversation benchmarks are for measuring only.
"""

from __future__ import annotations

import json
from importlib import resources
from typing import TYPE_CHECKING, Any

from realmemory.eval.corpora.dialogue import Conversation, Dialogue, Question, Session, Turn
from realmemory.eval.corpora.own import epoch

if TYPE_CHECKING:
    from collections.abc import Mapping

UNANSWERABLE = "unanswerable"


def load() -> Dialogue:
    """Read the shipped conversations with their questions."""
    path = resources.files("realmemory.eval").joinpath("data", "chats.json")
    raw = json.loads(path.read_text(encoding="utf-8"))
    return Dialogue(
        "chats",
        tuple(_conversation(item) for item in raw["chats"]),
        tuple(_question(item) for item in raw["questions"]),
    )


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
