"""Reader of BEAM (a folder of ``chat_<n>.json`` with ``probing_<n>.json``; CC BY-SA 4.0).

Gold are the ``source_chat_ids`` of a probing question, whatever roles they are filed under.
Questions without any, such as those about abstention, have no answer.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from realmemory.errors import ConfigurationError
from realmemory.eval.corpora.dialogue import (
    Conversation,
    Dialogue,
    Question,
    Session,
    Turn,
    read_json,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_CHAT = re.compile(r"chat_(\d+)\.json")
_INDEX_MARK = re.compile(r"\s*->->\s*[\d,\s]+$")
_UNANSWERABLE = frozenset({"abstention"})


def read(folder: Path) -> Dialogue:
    """Read all chats of a folder.

    Raises:
        ConfigurationError: The folder holds no BEAM chats.
    """
    numbers = sorted(
        int(match[1])
        for file in folder.glob("chat_*.json")
        if (match := _CHAT.fullmatch(file.name))
    )
    if not numbers:
        raise ConfigurationError(f"{folder} holds no chat_<n>.json of BEAM")
    conversations, questions = [], []
    for number in numbers:
        try:
            conversations.append(_conversation(number, read_json(folder / f"chat_{number}.json")))
            questions += _questions(number, read_json(folder / f"probing_{number}.json"))
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ConfigurationError(f"chat {number} of {folder} is not BEAM: {error!r}") from error
    return Dialogue("beam", tuple(conversations), tuple(questions))


def _conversation(number: int, raw: Any) -> Conversation:  # noqa: ANN401 - parsed JSON
    return Conversation(str(number), tuple(map(_session, raw)))


def _session(batch: Mapping[str, Any]) -> Session:
    turns = [turn for exchange in batch["turns"] for turn in exchange]
    anchor = next((turn["time_anchor"] for turn in turns if turn.get("time_anchor")), None)
    return Session(
        str(batch["batch_number"]),
        _anchor_time(anchor),
        tuple(
            Turn(str(turn["id"]), str(turn["role"]), text, role=str(turn["role"]))
            for turn in turns
            if (text := _INDEX_MARK.sub("", str(turn["content"])).strip())
        ),
    )


def _anchor_time(anchor: str | None) -> float | None:
    if anchor is None:
        return None
    try:
        parsed = datetime.strptime(anchor, "%B-%d-%Y").replace(tzinfo=UTC)
    except ValueError:
        return None
    return parsed.timestamp()


def _questions(number: int, raw: Mapping[str, Any]) -> list[Question]:
    questions = []
    for category, items in raw.items():
        for position, item in enumerate(items):
            gold = frozenset(str(key) for key in _leaves(item.get("source_chat_ids", ())))
            if category not in _UNANSWERABLE and not gold:
                continue
            questions.append(
                Question(
                    f"{number}/{category}/{position}",
                    str(number),
                    category,
                    str(item["question"]),
                    frozenset() if category in _UNANSWERABLE else gold,
                    frozenset(),
                )
            )
    return questions


def _leaves(value: object) -> Iterator[object]:
    if isinstance(value, dict):
        for item in value.values():
            yield from _leaves(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _leaves(item)
    elif value is not None:
        yield value
