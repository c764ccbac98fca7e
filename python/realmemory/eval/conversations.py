"""Puts conversations into a memory, turn by turn and verbatim, and remembers what is where."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from realmemory.clock import DAY
from realmemory.config import MemoryConfig
from realmemory.eval.progress import progress
from realmemory.outcomes import ConversationTurn

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from realmemory.eval.corpora.dialogue import Conversation, Dialogue, Session, Turn
    from realmemory.eval.subject import Subject

UNKNOWN_START = 1_672_531_200.0
"""2023-01-01: when sessions without a date are said to begin."""
POOLED_SCOPE = "pooled"
_MOST_BYTES = MemoryConfig().max_text_bytes - 1024
"""Longest text of one memory, with room for the speaker's name."""


class Shelf:
    """Where every turn of a dialogue stands in a memory.

    Args:
        dialogue: The conversations to store.
        pooled: Store all of them in one scope instead of one for each.
    """

    def __init__(self, dialogue: Dialogue, *, pooled: bool) -> None:
        self._dialogue = dialogue
        self._pooled = pooled
        self._place: dict[int, tuple[str, str]] = {}

    def __len__(self) -> int:
        return len(self._place)

    def scope_of(self, conversation: str) -> str:
        """Return the scope that a conversation is stored in."""
        return POOLED_SCOPE if self._pooled else f"conversation-{conversation}"

    def sessions(self) -> Iterator[tuple[Conversation, Session, float]]:
        """Yield every session that is to be stored, with its time.

        In a pool, a session that several conversations hold is stored once.
        """
        seen: set[str] = set()
        for conversation in self._dialogue.conversations:
            moment = UNKNOWN_START
            for session in conversation.sessions:
                moment = session.when if session.when is not None else moment + DAY
                key = self.key(conversation.key, session.key)
                if key not in seen:
                    yield conversation, session, moment
                if self._pooled:
                    seen.add(key)

    def key(self, conversation: str, name: str) -> str:
        """Return a name that is unique in the scope: of a turn or of a session."""
        apart = not self._pooled or self._dialogue.global_keys
        return name if apart else f"{conversation}/{name}"

    def store(self, subject: Subject) -> None:
        """Store every turn."""
        total = sum(len(item.sessions) for item in self._dialogue.conversations)
        for conversation, session, moment in progress(self.sessions(), "store", total):
            pieces = split_turns(session.turns)
            ids = _store(
                subject,
                pieces,
                scope=self.scope_of(conversation.key),
                session_id=f"{conversation.key}/{session.key}",
                when=moment,
            )
            for memory_id, turn in zip(ids, pieces, strict=True):
                self._place[memory_id] = (
                    self.key(conversation.key, session.key),
                    self.key(conversation.key, turn.key),
                )

    def ids(self) -> dict[str, int]:
        """Return the trace of each turn by its name, for one scope; of a cut turn the last."""
        return {turn: memory_id for memory_id, (_, turn) in self._place.items()}

    def turn_names(self, ids: Sequence[int]) -> tuple[str, ...]:
        """Return the turns that some traces hold, each once."""
        return tuple(dict.fromkeys(self._place.get(i, ("", f"#{i}"))[1] for i in ids))

    def session_names(self, ids: Sequence[int]) -> tuple[str, ...]:
        """Return the sessions of some traces in order of their best turn, each once."""
        return tuple(dict.fromkeys(self._place.get(i, (f"#{i}", ""))[0] for i in ids))


def split_turns(turns: Sequence[Turn], limit: int = _MOST_BYTES) -> list[Turn]:
    """Cut turns that are longer than a memory may be into pieces that keep the turn's name.

    Nothing but blank pieces is lost.
    """
    return [replace(turn, text=piece) for turn in turns for piece in _pieces(turn.text, limit)]


def _pieces(text: str, limit: int) -> Iterator[str]:
    while len(text.encode()) > limit:
        head = text.encode()[:limit].decode(errors="ignore")
        cut = head.rfind("\n") + 1 or head.rfind(" ") + 1 or len(head)
        if not text[:cut].strip():
            cut = len(head)
        yield text[:cut]
        text = text[cut:]
    if text.strip():
        yield text


def _store(
    subject: Subject, turns: Sequence[Turn], *, scope: str, session_id: str, when: float
) -> tuple[int, ...]:
    report = subject.memory.store_conversation(
        [ConversationTurn(turn.text, speaker=turn.speaker, role=turn.role) for turn in turns],
        scope=scope,
        session_id=session_id,
        observed_at=when,
    )
    return report.ids
