"""What hosts send to a hook and what they accept back, brought to one form."""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

EVENTS = ("session-start", "prompt", "pre-compact", "post-compact", "stop", "session-end")
"""Our names of the moments at which a host calls."""

# The host's name of an event in the answer. Hosts that are missing here take no answer for it.
_ANSWER_EVENT = {
    ("claude", "session-start"): "SessionStart",
    ("claude", "prompt"): "UserPromptSubmit",
    ("codex", "session-start"): "SessionStart",
    ("codex", "prompt"): "UserPromptSubmit",
    ("zcode", "session-start"): "SessionStart",
    ("zcode", "prompt"): "UserPromptSubmit",
    ("gemini", "session-start"): "SessionStart",
    ("gemini", "prompt"): "BeforeAgent",
}
HOSTS = ("claude", "codex", "cursor", "gemini", "opencode", "zcode")
"""Hosts that run hooks."""

MAX_CONTEXT_CHARS = 9_500
_FIELD_CHARS = 2_000_000


class Envelope:
    """One call of a hook.

    Args:
        host: Who calls.
        event: One of :data:`EVENTS`.
        fields: What was sent on standard input, as it was.
    """

    __slots__ = ("event", "fields", "host")

    def __init__(self, host: str, event: str, fields: dict[str, Any]) -> None:
        self.host = host
        self.event = event
        self.fields = fields

    def text(self, *names: str) -> str:
        """Return the first of these fields that holds a text."""
        for name in names:
            value = self.fields.get(name)
            if isinstance(value, str) and value:
                return value[:_FIELD_CHARS]
        return ""

    @property
    def session(self) -> str:
        """The conversation."""
        return self.text("session_id", "sessionId", "conversation_id", "sessionID")

    @property
    def prompt(self) -> str:
        """What the user asked."""
        return self.text("prompt", "user_prompt", "userPrompt")

    @property
    def cwd(self) -> str | None:
        """Where the agent works."""
        stated = self.text("cwd", "workspace", "directory")
        if stated:
            return stated
        roots = self.fields.get("workspace_roots")
        if isinstance(roots, list) and roots and isinstance(roots[0], str):
            return roots[0]
        return None


def parsed(host: str, event: str, content: bytes) -> Envelope:
    """Return the envelope of what came on standard input; nonsense counts as nothing.

    Raises:
        ValueError: The input is not empty and not a JSON object.
    """
    stripped = content.removeprefix(b"\xef\xbb\xbf").strip()
    if not stripped:
        return Envelope(host, event, {})
    loaded = json.loads(stripped.decode("utf-8", "replace"))
    if not isinstance(loaded, dict):
        raise ValueError("standard input is not a JSON object")  # noqa: TRY004 - content, not type
    return Envelope(host, event, loaded)


def answer(host: str, event: str, context: str) -> str:
    """Return what to print so that the host puts ``context`` before the model; may be nothing."""
    if not context:
        return ""
    context = context[:MAX_CONTEXT_CHARS]
    if host == "opencode":
        return context
    if host == "cursor":
        return json.dumps({"additional_context": context}) if event == "session-start" else ""
    name = _ANSWER_EVENT.get((host, event))
    if name is None:
        return ""
    return json.dumps({"hookSpecificOutput": {"hookEventName": name, "additionalContext": context}})
