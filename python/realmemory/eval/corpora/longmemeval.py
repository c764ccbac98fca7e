"""Reader of LongMemEval (cleaned ``_s`` file; read from the caller's copy).

Every question brings a history of its own, which becomes a conversation of its own. Questions
whose id ends in ``_abs`` have no answer in it.
"""

from __future__ import annotations

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
    from collections.abc import Mapping, Sequence
    from pathlib import Path


def read(path: Path) -> Dialogue:
    """Read the benchmark.

    Raises:
        ConfigurationError: The file is not LongMemEval.
    """
    raw = read_json(path)
    try:
        return Dialogue(
            "longmemeval",
            tuple(_conversation(item) for item in raw),
            tuple(_question(item) for item in raw),
            global_keys=True,
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ConfigurationError(f"{path} is not a LongMemEval file: {error!r}") from error


def session_time(text: str) -> float:
    """Return epoch seconds of a date such as ``2023/05/20 (Sat) 02:21`` (UTC)."""
    day, _, clock = text.partition(" (")
    hour = clock.partition(") ")[2] or "00:00"
    parsed = datetime.strptime(f"{day} {hour}", "%Y/%m/%d %H:%M").replace(tzinfo=UTC)
    return parsed.timestamp()


def turn_key(session: str, number: int) -> str:
    """Return the name of a turn."""
    return f"{session}#{number}"


def _conversation(item: Mapping[str, Any]) -> Conversation:
    rows = zip(
        item["haystack_session_ids"], item["haystack_dates"], item["haystack_sessions"], strict=True
    )
    sessions = [
        Session(str(key), session_time(date), tuple(_turns(str(key), turns)))
        for key, date, turns in rows
    ]
    sessions.sort(key=lambda session: session.when or 0.0)
    return Conversation(str(item["question_id"]), tuple(sessions))


def _turns(session: str, raw: Sequence[Mapping[str, Any]]) -> list[Turn]:
    return [
        Turn(turn_key(session, number), str(turn["role"]), text, role=str(turn["role"]))
        for number, turn in enumerate(raw)
        if (text := str(turn["content"]).strip())
    ]


def _question(item: Mapping[str, Any]) -> Question:
    key = str(item["question_id"])
    refused = key.endswith("_abs")
    gold = frozenset(
        turn_key(str(session), number)
        for session, turns in zip(
            item["haystack_session_ids"], item["haystack_sessions"], strict=True
        )
        for number, turn in enumerate(turns)
        if turn.get("has_answer")
    )
    return Question(
        key,
        key,
        "abstention" if refused else str(item["question_type"]),
        str(item["question"]),
        frozenset() if refused else gold or frozenset({"no turn marked"}),
        frozenset() if refused else frozenset(map(str, item["answer_session_ids"])),
        asked_at=session_time(item["question_date"]),
    )
