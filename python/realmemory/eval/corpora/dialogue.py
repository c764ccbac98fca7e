"""What public conversation benchmarks have in common, whatever their files look like."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from realmemory.errors import ConfigurationError

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Turn:
    """One utterance, verbatim. ``key`` is its name within the conversation."""

    key: str
    speaker: str
    text: str
    role: str | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """Turns of one sitting; ``when`` is epoch seconds, None when the source does not say."""

    key: str
    when: float | None
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class Conversation:
    """Sessions in the order in which they happened."""

    key: str
    sessions: tuple[Session, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """A question about one conversation.

    ``turns`` and ``sessions`` are the gold keys, kept even where the conversation has no such
    key, so that an unmatchable question stays in the denominator. Neither: it has no answer.
    """

    key: str
    conversation: str
    category: str
    text: str
    turns: frozenset[str]
    sessions: frozenset[str]
    asked_at: float | None = None


@dataclass(frozen=True, slots=True)
class Dialogue:
    """A whole benchmark.

    With ``global_keys`` the names of sessions and turns mean the same in every conversation;
    without, each conversation counts its own.
    """

    name: str
    conversations: tuple[Conversation, ...]
    questions: tuple[Question, ...]
    global_keys: bool = False

    def first(self, limit: int | None) -> Dialogue:
        """Return the first so many conversations with their questions."""
        kept = self.conversations[:limit]
        keys = {conversation.key for conversation in kept}
        questions = tuple(item for item in self.questions if item.conversation in keys)
        return replace(self, conversations=kept, questions=questions)


def read_json(path: Path) -> Any:  # noqa: ANN401 - whatever the file holds
    """Read a data file.

    Raises:
        ConfigurationError: It is missing or no JSON.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{path} cannot be read as JSON: {error}") from error
