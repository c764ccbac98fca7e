"""Variants: the other wordings that were merged into a trace, each kept whole."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from realmemory.store.records import ORIGINS, Variant, stored_json
from realmemory.store.row_hash import VARIANT_HASH_SQL, content_hash
from realmemory.store.session import dump_json, id_list
from realmemory.types import Origin

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from realmemory.store.session import Session
    from realmemory.store.trace_writes import TraceWrites

_COLUMNS = "id, trace_id, text, author, origin, session_id, created_at, meta, rev"

# As bytes, so that a text which a flipped bit made unreadable keeps no other from being read.
_WORDINGS = """
  SELECT t.id, CAST(t.author AS BLOB), t.observed_at, CAST(t.text AS BLOB), CAST(v.text AS BLOB)
  FROM traces t LEFT JOIN variants v ON v.trace_id = t.id
  WHERE t.id IN (SELECT value FROM json_each(?)) ORDER BY t.id, v.id
"""

_STATING = """
  WITH asked (digest) AS (SELECT value FROM json_each(?)), held (digest, id) AS (
    SELECT a.digest, t.id FROM asked a CROSS JOIN traces t ON t.content_hash = unhex(a.digest)
    UNION
    SELECT a.digest, v.trace_id FROM asked a
    CROSS JOIN variants v ON v.content_hash = unhex(a.digest)
  )
  SELECT h.digest, t.id, t.scope_id, t.observed_at FROM held h CROSS JOIN traces t ON t.id = h.id
  WHERE t.status = 'active' OR (t.status = 'archived' AND t.superseded_by IS NULL) ORDER BY t.id
"""


class Stating(NamedTuple):
    """A trace that holds a text, as its own or as a kept wording."""

    id: int
    scope_id: int
    observed_at: float


class Worded(NamedTuple):
    """What a trace says, and who says it; its own text comes first."""

    author: str
    observed_at: float
    texts: list[str]


class Variants:
    """The kept wordings of one snapshot."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def of(self, trace_id: int) -> list[Variant]:
        """Return the kept wordings of one trace, oldest first."""
        return self.of_many((trace_id,)).get(trace_id, [])

    def of_many(self, ids: Iterable[int]) -> dict[int, list[Variant]]:
        """Return the kept wordings by trace, for the traces that have some."""
        found: dict[int, list[Variant]] = {}
        for row in self._session.all(
            f"SELECT {_COLUMNS} FROM variants "
            "WHERE trace_id IN (SELECT value FROM json_each(?)) ORDER BY id",
            (id_list(ids),),
        ):
            values: list[Any] = list(row)
            values[4], values[7] = ORIGINS[values[4]], stored_json(values[7])
            found.setdefault(row[1], []).append(Variant(*values))
        return found

    def stating(self, texts: Iterable[str]) -> dict[str, list[Stating]]:
        """Return the live or archived traces that hold exactly a text, by text.

        History that was put away is none of them: who says it again has news, not a repetition.
        They hold it as theirs or as a kept wording; texts that none holds are left out.
        """
        digests = {content_hash(text).hex(): text for text in texts}
        found: dict[str, list[Stating]] = {}
        for digest, *trace in self._session.all(_STATING, (json.dumps([*digests]),)):
            found.setdefault(digests[digest], []).append(Stating(*trace))
        return found

    def wordings(self, ids: Iterable[int]) -> dict[int, Worded]:
        """Return how the traces that exist are worded.

        Rows are not checked against their hashes, which costs more than reading them; whoever acts
        on what a row says asks :meth:`Traces.sound` first.
        """
        found: dict[int, Worded] = {}
        for trace_id, author, observed_at, text, wording in self._session.all(
            _WORDINGS, (id_list(ids),)
        ):
            if trace_id not in found:
                found[trace_id] = Worded(_readable(author), observed_at, [_readable(text)])
            if wording is not None:
                found[trace_id].texts.append(_readable(wording))
        return found


def _readable(raw: bytes) -> str:
    return raw.decode(errors="replace")


class VariantWrites(Variants):
    """The kept wordings of one write transaction."""

    def __init__(self, session: Session, traces: TraceWrites) -> None:
        super().__init__(session)
        self._traces = traces

    def add(
        self,
        trace_id: int,
        text: str,
        *,
        terms: str,
        author: str = "",
        origin: Origin = Origin.USER,
        session_id: str | None = None,
        created_at: float | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> int | None:
        """Keep another wording of a trace and return its id.

        Args:
            trace_id: The trace that holds the fact.
            text: The wording; one that the trace has already is not kept twice.
            terms: The analysed terms of ``traces.indexed_text(trace_id)``, a line break and
                ``text``: all that a keyword may find the trace by from now on.
            author: Who wrote it.
            origin: Where it came from.
            session_id: The session that it came up in.
            created_at: When; the clock's time by default.
            meta: What its author said about it.

        Returns:
            The id, or ``None`` when the trace has this wording already.
        """
        session = self._session
        known = session.one(
            """
            SELECT 1 FROM traces WHERE id = :id AND content_hash = :digest
            UNION ALL SELECT 1 FROM variants WHERE trace_id = :id AND content_hash = :digest
            """,
            {"id": trace_id, "digest": content_hash(text)},
        )
        if known is not None:
            return None
        new_id = session.insert(
            """
            INSERT INTO variants (
              trace_id, text, author, origin, session_id, created_at, meta, content_hash, row_hash,
              rev
            ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, x'', ?) RETURNING id
            """,
            (
                trace_id,
                text,
                author,
                origin,
                session_id,
                float(session.clock.now() if created_at is None else created_at),
                dump_json(meta or {}),
                content_hash(text),
                session.bump(),
            ),
        )
        session.run(
            f"UPDATE variants SET row_hash = {VARIANT_HASH_SQL} WHERE id = ?",
            (new_id,),
        )
        self._traces.touch_content(trace_id, terms)
        return new_id
