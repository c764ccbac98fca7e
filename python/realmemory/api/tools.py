"""The tools an agent sees. Every word here is paid for in each session, so there are few."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

MAX_K = 50
MAX_IDS = 100
MAX_WINDOW = 20


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool: what it is called, what it takes and gives, and what it may change."""

    name: str
    title: str
    description: str
    arguments: dict[str, Any]
    required: tuple[str, ...]
    result: dict[str, Any]
    promised: tuple[str, ...]
    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    always_loaded: bool = False

    @property
    def input_schema(self) -> dict[str, Any]:
        """JSON schema of the arguments."""
        return {
            "type": "object",
            "properties": self.arguments,
            "required": list(self.required),
            "additionalProperties": False,
        }

    @property
    def output_schema(self) -> dict[str, Any]:
        """JSON schema of the structured result."""
        return {
            "type": "object",
            "properties": self.result,
            "required": list(self.promised),
        }


_TEXT = {"type": "string"}
_INT = {"type": "integer"}
_NUMBER = {"type": "number"}
_FLAG = {"type": "boolean"}
_OBJECT = {"type": "object"}
_IDS = {"type": "array", "items": _INT}
_NOTES = {"type": "array", "items": _TEXT}
_GIVEN_IDS = {"type": "array", "items": _INT, "minItems": 1, "maxItems": MAX_IDS}
_KIND = {"type": "string", "enum": ["episodic", "semantic"]}
_ITEMS = {"type": "array", "items": _OBJECT}

TOOLS = (
    Tool(
        name="recall",
        title="Recall",
        description=(
            "Search long-term memory. Call before any claim about the user, the project or "
            "earlier work, and after an unexpected failure. Sees the current project plus global; "
            'project="global" sees global only. Returns quoted memories with confidence '
            "(below 0.5 say 'possibly'), or abstained: then say that you do not know."
        ),
        arguments={
            "query": {"type": "string", "description": "Question, in any words"},
            "k": {"type": "integer", "minimum": 1, "maximum": MAX_K, "default": 5},
            "project": _TEXT,
            "include_superseded": {"type": "boolean", "default": False},
            "now": {"type": "string", "description": "ISO time that words like 'yesterday' mean"},
            "window": {
                "type": "integer",
                "minimum": 0,
                "maximum": MAX_WINDOW,
                "default": 0,
                "description": "Turns beside a hit",
            },
            "group_by": {"type": "string", "enum": ["session", "session_mean"]},
            "tags": {"type": "array", "items": _TEXT},
        },
        required=("query",),
        result={
            "abstained": _FLAG,
            "reason": _TEXT,
            "degraded": _FLAG,
            "note": _TEXT,
            "detail": _TEXT,
            "nearest": {"type": "object"},
            "items": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"id": _INT, "text": _TEXT, "confidence": _NUMBER},
                    "required": ["id", "text"],
                },
            },
            "truncated": _FLAG,
            "more_ids": _IDS,
        },
        promised=("abstained", "items"),
        read_only=True,
        idempotent=True,
        always_loaded=True,
    ),
    Tool(
        name="memorize",
        title="Memorize",
        description=(
            "Keep one self-contained fact: a decision with its reason, a preference, a "
            "convention, the cause of a failure. Not chatter, secrets or recalled text. "
            "Duplicates are merged. Without project it belongs to the current project; use "
            'project="global" for what holds everywhere, such as user preferences.'
        ),
        arguments={
            "text": _TEXT,
            "kind": {
                **_KIND,
                "default": "episodic",
                "description": "semantic: lasting fact; episodic: what happened",
            },
            "related_ids": _IDS,
            "project": _TEXT,
            "observed_at": {"type": "string", "description": "ISO time it happened, if not now"},
        },
        required=("text",),
        result={
            "memory_id": _INT,
            "created": _FLAG,
            "action": _TEXT,
            "novelty": _NUMBER,
            "scope": _TEXT,
            "conflicts": _IDS,
            "warnings": _NOTES,
        },
        promised=("memory_id", "created", "action", "scope"),
        always_loaded=True,
    ),
    Tool(
        name="reflect",
        title="Reflect",
        description=(
            "Grade memories soon after use: 1 helped, -1 misled. The only way the memory learns "
            "what is useful."
        ),
        arguments={
            "memory_ids": _GIVEN_IDS,
            "reward": {"type": "number", "minimum": -1, "maximum": 1},
            "project": _TEXT,
        },
        required=("memory_ids", "reward"),
        result={"touched": _INT, "unknown": _IDS},
        promised=("touched",),
    ),
    Tool(
        name="revise",
        title="Revise",
        description="Replace a fact that is no longer true. The old one stays as history.",
        arguments={
            "old_id": _INT,
            "new_text": _TEXT,
            "kind": _KIND,
            "project": _TEXT,
            "observed_at": {"type": "string", "description": "ISO time it changed, if not now"},
        },
        required=("old_id", "new_text"),
        result={
            "old_id": _INT,
            "new_id": _INT,
            "kind": _TEXT,
            "scope": _TEXT,
            "conflicts": _IDS,
            "warnings": _NOTES,
        },
        promised=("old_id", "new_id"),
        destructive=True,
    ),
    Tool(
        name="get",
        title="Get",
        description=(
            "Read memories in full by id, where recall showed a part. offset continues a long one."
        ),
        arguments={
            "memory_ids": _GIVEN_IDS,
            "offset": {"type": "integer", "minimum": 0, "default": 0},
            "project": _TEXT,
        },
        required=("memory_ids",),
        result={"items": _ITEMS, "unknown": _IDS, "truncated": _FLAG, "more_ids": _IDS},
        promised=("items",),
        read_only=True,
        idempotent=True,
    ),
    Tool(
        name="forget",
        title="Forget",
        description=(
            "Forget memories when the user asks for it. First call previews and returns confirm; "
            "the second call with that confirm forgets. hard erases for good."
        ),
        arguments={
            "memory_ids": _GIVEN_IDS,
            "confirm": _TEXT,
            "hard": {"type": "boolean", "default": False},
            "project": _TEXT,
        },
        required=("memory_ids",),
        result={
            "forgotten": _IDS,
            "confirm": _TEXT,
            "items": _ITEMS,
            "unknown": _IDS,
            "remaining_copies": {"type": "array", "items": _TEXT},
        },
        promised=("forgotten",),
        destructive=True,
        idempotent=True,
    ),
    Tool(
        name="introspect",
        title="Introspect",
        description="Count memories by scope and status, and name the current project.",
        arguments={},
        required=(),
        result={"project": _TEXT, "scopes": _OBJECT, "stats": _OBJECT},
        promised=("scopes", "stats"),
        read_only=True,
        idempotent=True,
    ),
    Tool(
        name="dream_log",
        title="Dream log",
        description="Show the state that sleeps left: retention, links, fading, now.",
        arguments={},
        required=(),
        result={"metrics": _OBJECT},
        promised=("metrics",),
        read_only=True,
        idempotent=True,
    ),
)

TEAM_TOOL = Tool(
    name="recall_team",
    title="Recall from the team",
    description=(
        "Search what the team shares, read only. Call when recall abstains or the user asks what "
        "colleagues know. Name the author and max_age_s (how old the copy is) when you use it."
    ),
    arguments={
        "query": _TEXT,
        "k": {"type": "integer", "minimum": 1, "maximum": MAX_K, "default": 5},
        "author": _TEXT,
        "project": _TEXT,
    },
    required=("query",),
    result={
        "abstained": _FLAG,
        "reason": _TEXT,
        "note": _TEXT,
        "max_age_s": _INT,
        "items": _ITEMS,
        "truncated": _FLAG,
        "more_ids": _IDS,
    },
    promised=("abstained", "max_age_s", "items"),
    read_only=True,
    idempotent=True,
)
"""Offered only where the owner of the memory named what the team shares."""

"""Every tool that is always there, by its name."""
