"""Writing traces: every change carries the transaction's rev and seals the row with its hash."""

from __future__ import annotations

import json
from functools import cached_property
from typing import TYPE_CHECKING, Any

from realmemory.errors import NotFoundError
from realmemory.store import fading
from realmemory.store.erased_turns import bury_places
from realmemory.store.fading import FADES_AT, NEW_FADES_AT
from realmemory.store.links import LinkWrites
from realmemory.store.meta import Meta
from realmemory.store.records import Dynamics, LinkType, NewTrace, Tombstone
from realmemory.store.row_hash import (
    TRACE_FIELDS,
    TRACE_HASH_SQL,
    content_hash,
    row_hash,
    stored_real,
)
from realmemory.store.session import Session, Value, dump_json, id_list
from realmemory.store.traces import Traces
from realmemory.store.uids import new_uid

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

    from realmemory.store.scopes import ScopeWrites
    from realmemory.types import Kind, Status, Trace

_INSERT = f"""
  INSERT INTO traces ({", ".join(TRACE_FIELDS)}, row_hash, fades_at)
  VALUES ({", ".join(f":{name}" for name in TRACE_FIELDS)}, :row_hash, {NEW_FADES_AT})
"""
"""One row of values: a statement that may write several opens a savepoint, for which FTS5 writes out
what it has gathered, and a batch of texts leaves a segment for each instead of one."""
_IDS = "IN (SELECT value FROM json_each(:ids))"
_SEAL = f"UPDATE traces SET row_hash = {TRACE_HASH_SQL} WHERE id {_IDS}"
_STAMP = f"""
  UPDATE traces SET rev = :rev, updated_at = :now, fades_at = {FADES_AT} WHERE id {_IDS}
"""
_STAMP_CONTENT = f"""
  UPDATE traces SET rev = :rev, content_rev = :rev, updated_at = :now, fades_at = {FADES_AT}
  WHERE id {_IDS}
"""
_SET_FADING = f"UPDATE traces SET fades_at = {FADES_AT}"
_SEAL_NEW = f"{_SET_FADING}, row_hash = {TRACE_HASH_SQL} WHERE id {_IDS}"


def _staying(version: int, going: Container[int], after: Mapping[int, int]) -> int | None:
    """Return the first of a chain, from a version on, that does not go."""
    found: int | None = version
    passed: set[int] = set()
    while found is not None and found in going:
        passed.add(found)
        found = after.get(found)
        # A damaged chain that bites its tail ends, too.
        found = None if found in passed else found
    return found


class TraceWrites(Traces):
    """The traces of one write transaction."""

    def __init__(self, session: Session, scopes: ScopeWrites) -> None:
        super().__init__(session)
        self._scopes = scopes
        self._last_id: int | None = None

    @cached_property
    def _fading(self) -> dict[str, Value]:
        return fading.parameters(Meta(self._session).config())

    def refresh_fading(self) -> int:
        """Compute anew when traces fade, after the configuration changed; return how many."""
        self.__dict__.pop("_fading", None)
        return self._session.run(_SET_FADING, self._fading)

    def insert(self, new: NewTrace) -> int:
        """Store a trace with its keywords and return its id."""
        session = self._session
        trace_id = self._unused_id()
        row = self._row(trace_id, new).values()
        # By place, in the order in which the statement names them first.
        session.run(_INSERT, (*row, row_hash(*row), *self._fading.values()))
        session.run("INSERT INTO fts (rowid, terms) VALUES (?, ?)", (trace_id, new.terms))
        return trace_id

    def _unused_id(self) -> int:
        """Return the next id: known before the row is written, because the row's hash covers it."""
        if self._last_id is None:
            row = self._session.one("SELECT seq FROM sqlite_sequence WHERE name = 'traces'")
            self._last_id = int(row[0]) if row else 0
        self._last_id += 1
        return self._last_id

    def _row(self, trace_id: int, new: NewTrace) -> dict[str, Value]:
        """Return the columns in the order of :data:`TRACE_FIELDS`."""
        now = self._session.clock.now()
        created = now if new.created_at is None else new.created_at
        observed = created if new.observed_at is None else new.observed_at
        last = created if new.last_reinforced_at is None else new.last_reinforced_at
        rev = self._session.bump()
        return {
            "id": trace_id,
            "uid": new.uid or new_uid(created),
            "kind": new.kind,
            "status": new.status,
            "scope_id": self._scopes.id_of(new.scope, create=True),
            "pinned": int(new.pinned),
            "base_strength": stored_real(new.base_strength),
            "reinforced_count": new.reinforced_count,
            "reinforced_days": new.reinforced_days,
            "last_reinforced_at": stored_real(last),
            "importance": stored_real(new.importance),
            "created_at": stored_real(created),
            "updated_at": stored_real(now),
            "observed_at": stored_real(observed),
            "valid_from": stored_real(observed if new.valid_from is None else new.valid_from),
            "valid_to": None if new.valid_to is None else stored_real(new.valid_to),
            "expires_at": None if new.expires_at is None else stored_real(new.expires_at),
            "superseded_by": None,
            "space_id": new.space_id if new.embedding is not None else None,
            "rev": rev,
            "content_rev": rev,
            "author": new.author,
            "origin": new.origin,
            "session_id": new.session_id,
            "turn_index": new.turn_index,
            "speaker": new.speaker,
            "role": new.role,
            "tags": dump_json(new.tags),
            "meta": dump_json(new.meta),
            "content_hash": content_hash(new.text),
            "text": new.text,
            "index_text": new.index_text,
            "embedding": new.embedding,
        }

    def set_dynamics(self, rows: Iterable[Dynamics]) -> None:
        """Store strength, count and time of the last reinforcement."""
        changed = list(rows)
        for item in changed:
            self._session.run(
                """
                UPDATE traces SET base_strength = ?, reinforced_count = ?, reinforced_days = ?,
                  last_reinforced_at = ?
                WHERE id = ?
                """,
                (
                    float(item.base_strength),
                    item.reinforced_count,
                    item.reinforced_days,
                    float(item.last_reinforced_at),
                    item.id,
                ),
            )
        self._stamp(item.id for item in changed)

    def set_status(
        self,
        ids: Iterable[int],
        status: Status,
        *,
        valid_to: float | None = None,
        superseded_by: int | None = None,
    ) -> int:
        """Move traces to ``status`` and return how many were elsewhere before.

        ``valid_to`` and ``superseded_by`` are stored when given and kept otherwise.
        """
        listed = id_list(ids)
        rows = self._session.all(
            f"SELECT id FROM traces WHERE id {_IDS} AND status IS NOT :status",
            {"ids": listed, "status": status},
        )
        changed = [int(row[0]) for row in rows]
        self._session.run(
            f"""
            UPDATE traces SET status = :status, valid_to = coalesce(:valid_to, valid_to),
              superseded_by = coalesce(:superseded_by, superseded_by)
            WHERE id {_IDS}
            """,
            {
                "ids": listed,
                "status": status,
                "valid_to": None if valid_to is None else float(valid_to),
                "superseded_by": superseded_by,
            },
        )
        stamped = valid_to is not None or superseded_by is not None
        self._stamp(json.loads(listed) if stamped else changed)
        return len(changed)

    def set_validity(
        self, trace_id: int, *, valid_from: float, valid_to: float | None, successor: int | None
    ) -> None:
        """Store the whole validity of one trace, ``None`` included."""
        self._update(
            (trace_id,),
            "valid_from = :valid_from, valid_to = :valid_to, superseded_by = :successor",
            {"valid_from": float(valid_from), "valid_to": valid_to, "successor": successor},
        )

    def set_kind(self, ids: Iterable[int], kind: Kind) -> int:
        """Change the kind of traces and return how many exist."""
        return self._update(ids, "kind = :kind", {"kind": kind})

    def move(self, source: int, target: int, limit: int) -> int:
        """Give up to ``limit`` traces of one scope to another; return how many moved."""
        rows = self._session.all(
            "SELECT id FROM traces WHERE scope_id = ? ORDER BY id LIMIT ?", (source, limit)
        )
        moved = id_list(int(row[0]) for row in rows)
        self._session.run(
            f"UPDATE traces SET scope_id = :target WHERE id {_IDS}",
            {"ids": moved, "target": target},
        )
        # As content: the statistics of words are kept per scope.
        return self._stamp(json.loads(moved), content=True)

    def forget_evidence(self, ids: Iterable[int]) -> int:
        """Set the days of reinforcement back to none and return how many traces exist."""
        return self._update(ids, "reinforced_days = 0", {})

    def pin(self, ids: Iterable[int], *, pinned: bool = True) -> int:
        """Pin or unpin traces and return how many exist."""
        return self._update(ids, "pinned = :pinned", {"pinned": int(pinned)})

    def set_importance(self, ids: Iterable[int], importance: float) -> int:
        """Store the author-given importance, in [0, 1]."""
        return self._update(ids, "importance = :importance", {"importance": float(importance)})

    def set_expiry(self, ids: Iterable[int], expires_at: float | None) -> int:
        """Store when traces stop being recalled."""
        return self._update(
            ids, "expires_at = :at", {"at": None if expires_at is None else float(expires_at)}
        )

    def set_embeddings(self, space_id: int, vectors: Mapping[int, bytes | None]) -> int:
        """Store vectors of one space by trace id; ``None`` leaves a trace keyword-only."""
        for trace_id, vector in vectors.items():
            self._session.run(
                "UPDATE traces SET embedding = ?, space_id = ? WHERE id = ?",
                (vector, None if vector is None else space_id, trace_id),
            )
        return self._stamp(vectors, content=True)

    def merge_meta(self, trace_id: int, meta: Mapping[str, Any], tags: Sequence[str] = ()) -> None:
        """Add keys and tags to a trace; given keys win, order of tags is kept.

        Raises:
            NotFoundError: There is no trace with this id.
        """
        row = self._session.one("SELECT meta, tags FROM traces WHERE id = ?", (trace_id,))
        if row is None:
            raise NotFoundError(f"there is no memory with the id {trace_id}")
        merged = json.loads(row[0]) | dict(meta)
        joined = list(dict.fromkeys([*json.loads(row[1]), *tags]))
        if dump_json(merged) == row[0] and dump_json(joined) == row[1]:
            return
        self._update(
            (trace_id,),
            "meta = :meta, tags = :tags",
            {"meta": dump_json(merged), "tags": dump_json(joined)},
        )

    def drop_meta(self, trace_id: int, key: str) -> None:
        """Take one key out of the metadata of a trace, if it is there."""
        row = self._session.one("SELECT meta FROM traces WHERE id = ?", (trace_id,))
        meta = json.loads(row[0]) if row else {}
        if key in meta:
            del meta[key]
            self._update((trace_id,), "meta = :meta", {"meta": dump_json(meta)})

    def adopt(
        self, trace_id: int, trace: Trace, *, superseded_by: int | None, reinforced_days: int
    ) -> None:
        """Give a trace the state that another store knows it in, its time of change included.

        Text, wordings and vector are not touched: they never change under one uid.
        """
        self._session.run(
            """
            UPDATE traces SET kind = :kind, status = :status, pinned = :pinned,
              base_strength = :base, reinforced_count = :count, reinforced_days = :days,
              last_reinforced_at = :last,
              importance = :importance, valid_from = :valid_from, valid_to = :valid_to,
              expires_at = :expires, superseded_by = :successor, tags = :tags, meta = :meta,
              updated_at = :updated, rev = :rev
            WHERE id = :id
            """,
            {
                "id": trace_id,
                "kind": trace.kind,
                "status": trace.status,
                "pinned": int(trace.pinned),
                "base": float(trace.base_strength),
                "count": trace.reinforced_count,
                "days": reinforced_days,
                "last": float(trace.last_reinforced_at),
                "importance": float(trace.importance),
                "valid_from": float(trace.valid_from),
                "valid_to": trace.valid_to,
                "expires": trace.expires_at,
                "successor": superseded_by,
                "tags": dump_json(trace.tags),
                "meta": dump_json(trace.meta),
                "updated": float(trace.updated_at),
                "rev": self._session.bump(),
            },
        )
        self._session.run(_SEAL_NEW, {"ids": id_list((trace_id,)), **self._fading})

    def bury(self, uid: str, deleted_at: float) -> bool:
        """Remember a deletion that another store knows of; return whether it was news.

        Of two times of one deletion the earlier one counts.
        """
        known = self.buried([uid])
        if uid not in known:
            self._session.run(
                "INSERT INTO tombstones (rev, trace_id, uid, deleted_at) VALUES (?, 0, ?, ?)",
                (self._session.bump(), uid, float(deleted_at)),
            )
            return True
        if known[uid] > deleted_at:
            self._session.run(
                "UPDATE tombstones SET deleted_at = ? WHERE uid = ?", (float(deleted_at), uid)
            )
        return False

    def mark_content(self, ids: Iterable[int]) -> int:
        """Have every index read these traces anew; return how many exist."""
        return self._stamp(ids, content=True)

    def touch_content(self, trace_id: int, terms: str) -> None:
        """Store new keywords of a trace whose wordings changed, and mark it for every index."""
        self._session.run(
            "INSERT OR REPLACE INTO fts (rowid, terms) VALUES (?, ?)", (trace_id, terms)
        )
        self._stamp((trace_id,), content=True)

    def delete(self, ids: Iterable[int]) -> list[Tombstone]:
        """Delete traces with all that hangs on them; what stays is a tombstone without a text.

        What one of them superseded is superseded by its successor, if it has any.

        The text leaves the file's pages at once and the log with the next checkpoint; the
        keywords leave the full-text index when it is optimised (see :meth:`Store.erase`).
        """
        session = self._session
        listed = id_list(ids)
        rows = session.all(
            f"SELECT id, uid, superseded_by FROM traces WHERE id {_IDS}", {"ids": listed}
        )
        if not rows:
            return []
        rev, now = session.bump(), float(session.clock.now())
        gone = [Tombstone(int(row[0]), str(row[1]), rev, now) for row in rows]
        self._hand_down({int(row[0]): row[2] for row in rows}, listed)
        self._bury_links(listed, rev, now)
        bury_places(session, (stone.id for stone in gone), rev, now)
        for stone in gone:
            session.run("DELETE FROM fts WHERE rowid = ?", (stone.id,))
            session.run("DELETE FROM traces WHERE id = ?", (stone.id,))
            session.run(
                "INSERT INTO tombstones (rev, trace_id, uid, deleted_at) VALUES (?, ?, ?, ?)",
                (rev, stone.id, stone.uid, now),
            )
        return gone

    def _hand_down(self, going: dict[int, int | None], listed: str) -> None:
        """Let what traces that go had superseded be superseded by what stays behind them."""
        links = LinkWrites(self._session)
        ties = links.of(going, [LinkType.RESTORED])
        after = {tie.src: tie.dst for tie in ties} | {
            old: new for old, new in going.items() if new is not None
        }
        orphans = self._session.all(
            f"SELECT id, superseded_by FROM traces WHERE superseded_by {_IDS}", {"ids": listed}
        )
        for orphan, successor in orphans:
            heir = _staying(successor, going, after)
            self._update((int(orphan),), "superseded_by = :heir", {"heir": heir})
        handed = ((tie, _staying(tie.dst, going, after)) for tie in ties if tie.src not in going)
        links.put(tie._replace(dst=heir) for tie, heir in handed if heir is not None)

    def prune_tombstones(self, before: float) -> int:
        """Drop tombstones older than a time; readers that are behind them will rebuild."""
        session = self._session
        row = session.one("SELECT max(rev) FROM tombstones WHERE deleted_at < ?", (before,))
        if row is None or row[0] is None:
            return 0
        session.bump()
        session.run("UPDATE revision SET floor = max(floor, ?)", (row[0],))
        return session.run("DELETE FROM tombstones WHERE rev <= ?", (row[0],))

    def _bury_links(self, listed: str, rev: int, now: float) -> None:
        # Foreign keys would remove the links silently; graphs in memory must hear of them.
        self._session.run(
            f"""
            INSERT INTO tombstones (rev, trace_id, dst, link_type, deleted_at)
            SELECT :rev, src, dst, type, :now FROM links WHERE src {_IDS} OR dst {_IDS}
            """,
            {"ids": listed, "rev": rev, "now": now},
        )
        self._session.run(
            f"DELETE FROM links WHERE src {_IDS} OR dst {_IDS}",
            {"ids": listed},
        )

    def _update(self, ids: Iterable[int], assignment: str, values: Mapping[str, Value]) -> int:
        listed = id_list(ids)
        self._session.run(
            f"UPDATE traces SET {assignment} WHERE id {_IDS}",
            {"ids": listed, **values},
        )
        return self._stamp(json.loads(listed))

    def _stamp(self, ids: Iterable[int], *, content: bool = False) -> int:
        listed = id_list(ids)
        if listed == "[]":
            return 0
        values: dict[str, Value] = {
            "ids": listed,
            "rev": self._session.bump(),
            "now": float(self._session.clock.now()),
            **self._fading,
        }
        changed = self._session.run(_STAMP_CONTENT if content else _STAMP, values)
        self._session.run(_SEAL, {"ids": listed})
        return changed
