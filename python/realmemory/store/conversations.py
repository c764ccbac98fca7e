"""Reading conversations: which turns a session holds, and what stands around a turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from realmemory.store.erased_turns import erased_places
from realmemory.store.records import StoredTurn, TurnPlace
from realmemory.store.session import id_list

if TYPE_CHECKING:
    from collections.abc import Iterable

    from realmemory.store.session import Session

# The order of the joins is fixed: where turns are few beside facts the planner begins with all turns,
# and compares each with every other of its session.
_AROUND = """
  SELECT DISTINCT t.id, t.session_id, t.turn_index, coalesce(t.speaker, ''), t.role,
    substr(rtrim(t.text), -1) IN ('?', '？'), length(t.text)
  FROM json_each(:ids) given
  CROSS JOIN traces c NOT INDEXED ON c.id = given.value
  CROSS JOIN traces t ON t.session_id = c.session_id AND t.scope_id = c.scope_id
    AND t.turn_index BETWEEN c.turn_index - :reach AND c.turn_index + :reach
  WHERE t.status = 'active'
  ORDER BY t.session_id, t.turn_index
"""


class Conversations:
    """The conversation turns of one snapshot."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def any(self) -> bool:
        """Return whether the store holds any turn."""
        return self._session.once("turns", self._any)

    def _any(self) -> bool:
        row = self._session.one(
            "SELECT 1 FROM traces WHERE session_id IS NOT NULL AND turn_index IS NOT NULL LIMIT 1"
        )
        return row is not None

    def turns_of(self, session_id: str, scope_id: int | None) -> dict[int, StoredTurn]:
        """Return a session's turns in one scope, by turn index."""
        rows = self._session.all(
            """
            SELECT turn_index, id, content_hash, coalesce(speaker, ''), observed_at FROM traces
            WHERE session_id = ? AND scope_id IS ? AND turn_index IS NOT NULL
            ORDER BY turn_index, id
            """,
            (session_id, scope_id),
        )
        turns: dict[int, StoredTurn] = {}
        for index, trace_id, said, speaker, when in rows:
            earlier = turns[index] if index in turns else StoredTurn(0)
            turns[int(index)] = StoredTurn(
                int(trace_id),
                earlier.said | {bytes(said)},
                earlier.speakers | {str(speaker)},
                earlier.times | {float(when)},
            )
        return turns

    def erased_of(self, session_id: str, scope: str) -> dict[int, dict[int, int]]:
        """Return the erased turns of a session, see :func:`erased_places`."""
        return erased_places(self._session, scope, session_id)

    def around(self, ids: Iterable[int], reach: int) -> list[TurnPlace]:
        """Return those of the traces that are turns, with up to ``reach`` turns on each side."""
        rows = self._session.all(_AROUND, {"ids": id_list(ids), "reach": reach})
        return [TurnPlace(*row) for row in rows]
