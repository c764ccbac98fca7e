"""Reader of LoCoMo (``locomo10.json``; CC BY-NC 4.0, so read from the caller's copy only).

Terms: questions of categories 1 to 4; category 5 is kept apart as an abstention signal. Gold are
the ``evidence`` ids, matched exactly; compound strings are not split.
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
    from collections.abc import Mapping
    from pathlib import Path

CATEGORIES = {1: "multi_hop", 2: "temporal", 3: "open_domain", 4: "single_hop"}
ADVERSARIAL = "adversarial"
_SESSION = re.compile(r"session_(\d+)")


def read(path: Path) -> Dialogue:
    """Read the benchmark.

    Raises:
        ConfigurationError: The file is not LoCoMo.
    """
    raw = read_json(path)
    try:
        samples = [(str(item.get("sample_id", i)), item) for i, item in enumerate(raw)]
        return Dialogue(
            "locomo",
            tuple(_conversation(key, item["conversation"]) for key, item in samples),
            tuple(
                _question(key, number, qa)
                for key, item in samples
                for number, qa in enumerate(item["qa"])
            ),
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ConfigurationError(f"{path} is not a LoCoMo file: {error!r}") from error


def session_time(text: str) -> float:
    """Return epoch seconds of a session's date, such as ``1:56 pm on 8 May, 2023`` (UTC)."""
    parsed = datetime.strptime(text.strip(), "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
    return parsed.timestamp()


def _conversation(key: str, raw: Mapping[str, Any]) -> Conversation:
    numbers = sorted(int(match[1]) for name in raw if (match := _SESSION.fullmatch(name)))
    return Conversation(
        key,
        tuple(
            Session(
                f"session_{number}",
                session_time(raw[f"session_{number}_date_time"]),
                tuple(
                    Turn(turn["dia_id"], turn["speaker"], text)
                    for turn in raw[f"session_{number}"]
                    if (text := _text(turn))
                ),
            )
            for number in numbers
        ),
    )


def _text(turn: Mapping[str, Any]) -> str:
    text = str(turn.get("text", "")).strip()
    caption = str(turn.get("blip_caption", "")).strip()
    return f"{text} [image: {caption}]".strip() if caption else text


def _question(conversation: str, number: int, qa: Mapping[str, Any]) -> Question:
    category = CATEGORIES.get(int(qa["category"]), ADVERSARIAL)
    evidence = frozenset(str(item) for item in qa.get("evidence", ()))
    adversarial = category == ADVERSARIAL
    return Question(
        f"{conversation}/{number}",
        conversation,
        category,
        str(qa["question"]),
        frozenset() if adversarial else evidence or frozenset({"no evidence given"}),
        frozenset() if adversarial else frozenset(map(_session_of, evidence)),
    )


def _session_of(evidence: str) -> str:
    """Return the session of an evidence id: ``D3:14`` lies in the third."""
    return f"session_{evidence.partition(':')[0].removeprefix('D')}"
