"""Checking everything that the store promises about itself, without changing it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import apsw

from realmemory.errors import StoreCorruptError
from realmemory.scopes import scope_key
from realmemory.store import migrations, opening
from realmemory.store.audit import AuditLog
from realmemory.store.connection import Access, connect
from realmemory.store.failures import as_store_error
from realmemory.store.index_rows import INDEXED_TEXT
from realmemory.store.row_hash import TRACE_HASH_SQL, VARIANT_HASH_SQL
from realmemory.store.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable

    from realmemory.clock import Clock
    from realmemory.store.paths import StorePaths

_REPAIR = "copy the folder, then run `realmemory repair`"
_MOST = 1000
_DAMAGED_TRACES = f"""
  SELECT id FROM traces t WHERE row_hash IS NOT {TRACE_HASH_SQL} ORDER BY id LIMIT {_MOST}
"""
_DAMAGED_VARIANTS = f"""
  SELECT trace_id FROM variants WHERE row_hash IS NOT {VARIANT_HASH_SQL} ORDER BY id LIMIT {_MOST}
"""
_ALL_TEXTS = f"SELECT t.id, {INDEXED_TEXT} FROM traces t"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong.

    ``code`` is stable; ``ids`` are the traces that it affects, as far as known; ``advice`` is what to do.
    """

    code: str
    message: str
    ids: tuple[int, ...] = ()
    advice: str = _REPAIR

    @property
    def repairable(self) -> bool:
        """Whether a repair mends it."""
        return self.advice == _REPAIR


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """What a verification looked at and what it found; ``None`` is what cannot be read."""

    traces: int | None
    rev: int | None
    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.findings


def verify(
    paths: StorePaths,
    clock: Clock,
    *,
    read_only: bool = False,
    analyse: Callable[[str], str] | None = None,
) -> VerifyReport:
    """Check pages, indexes, row hashes, full text, links, audit chain and history.

    Args:
        paths: The store.
        clock: Not used to write; views need one.
        read_only: Open nothing for writing.
        analyse: Text to terms; when given, the terms of every trace are compared with the
            full-text index, posting by posting.

    Raises:
        StoreError: The file cannot be opened at all.
        StoreRefusedError: A newer version wrote it, or another program.
    """
    opening.refuse_strangers(paths)
    connection = connect(paths, Access.READ_ONLY if read_only else Access.WRITE)
    try:
        connection.execute("BEGIN")
        session = Session(connection, clock)
        return _Verification(paths, session).run(None if read_only else analyse)
    except apsw.Error as error:
        raise as_store_error(error, paths.database, connection) from error
    finally:
        connection.close(force=True)


class _Verification:
    """One run over one snapshot; each check adds to the findings, damage in one stops no other."""

    def __init__(self, paths: StorePaths, session: Session) -> None:
        self._paths = paths
        self._session = session
        self._findings: list[Finding] = []

    def run(self, analyse: Callable[[str], str] | None) -> VerifyReport:
        for check in (
            self._pages,
            self._schema,
            self._rows,
            self._scopes,
            self._search_rows,
            self._references,
            self._audit,
            self._history,
        ):
            self._guarded(check)
        if analyse is not None:
            self._guarded(lambda: self._search_terms(analyse))
        return VerifyReport(
            self._number("SELECT count(*) FROM traces"),
            self._number("SELECT rev FROM revision"),
            tuple(self._findings),
        )

    def _guarded(self, check: Callable[[], None]) -> None:
        try:
            check()
        except (apsw.Error, StoreCorruptError, ValueError) as error:
            self._add("damaged_pages", f"a check could not be finished: {error}")

    def _add(
        self, code: str, message: str, ids: tuple[int, ...] = (), advice: str = _REPAIR
    ) -> None:
        finding = Finding(code, message, ids, advice)
        # One damage stops several checks in the same words.
        if finding not in self._findings:
            self._findings.append(finding)

    def _number(self, sql: str) -> int | None:
        try:
            row = self._session.one(sql)
        except apsw.Error:
            return None
        return None if row is None else int(row[0])

    def _ids(self, sql: str) -> tuple[int, ...]:
        return tuple(int(row[0]) for row in self._session.all(sql))

    def _pages(self) -> None:
        lines = [str(row[0]) for row in self._session.all("PRAGMA integrity_check(20)")]
        if lines != ["ok"]:
            self._add("damaged_pages", "; ".join(lines[:5]))
        if self._session.all("PRAGMA foreign_key_check"):
            self._add("dangling_rows", "rows refer to memories that are gone")

    def _schema(self) -> None:
        expected = set(migrations.expected_schema())
        found = set(migrations.describe(self._session.connection))
        # ANALYZE adds statistics of its own.
        changed = sorted(
            name for _, name, _, _ in expected ^ found if not name.startswith("sqlite_")
        )
        if changed:
            self._add(
                "changed_schema", f"the schema differs in {', '.join(dict.fromkeys(changed))}"
            )

    def _rows(self) -> None:
        for what, sql in (("rows", _DAMAGED_TRACES), ("wordings", _DAMAGED_VARIANTS)):
            ids = self._ids(sql)
            if ids:
                self._add("damaged_row", f"{len(ids)} {what} do not match their hash", ids)

    def _scopes(self) -> None:
        # As bytes, so that what a flipped bit made unreadable is a wrong name, not an error.
        for scope_id, name, key in self._session.all(
            "SELECT id, CAST(name AS BLOB), CAST(key AS BLOB) FROM scopes ORDER BY id"
        ):
            said, found = (bytes(text).decode("utf-8", "backslashreplace") for text in (name, key))
            if scope_key(said) == found:
                continue
            ids = self._ids(f"SELECT id FROM traces WHERE scope_id = {scope_id:d} LIMIT {_MOST}")
            self._add(
                "damaged_scope",
                f"the project {said!r} is found as {found!r}: one of the two is damaged",
                ids,
                advice=f"give it its right name: `realmemory projects rename {found} NAME`",
            )

    def _search_rows(self) -> None:
        missing = self._ids("SELECT id FROM traces EXCEPT SELECT id FROM fts_docsize")
        if missing:
            self._add("unsearchable", f"{len(missing)} memories are in no full-text row", missing)
        extra = self._ids("SELECT id FROM fts_docsize EXCEPT SELECT id FROM traces")
        if extra:
            self._add("orphaned_search", f"{len(extra)} full-text rows have no memory", extra)

    def _references(self) -> None:
        lost = self._ids(
            "SELECT id FROM traces t WHERE superseded_by IS NOT NULL AND NOT EXISTS "
            "(SELECT 1 FROM traces s WHERE s.id = t.superseded_by)"
        )
        if lost:
            self._add("dangling_rows", f"{len(lost)} memories have a successor that is gone", lost)
        newest = self._number("SELECT rev FROM revision")
        if newest is None:
            return
        ahead = self._ids(f"SELECT id FROM traces WHERE rev > {newest:d} LIMIT {_MOST}")
        if ahead:
            self._add("wrong_rev", f"{len(ahead)} memories are newer than the store's rev", ahead)

    def _audit(self) -> None:
        broken = AuditLog(self._session).first_broken()
        if broken is not None:
            self._add("broken_audit", f"the audit log was changed at or before entry {broken}")

    def _history(self) -> None:
        mark = opening.read_mark(self._paths)
        rev = self._number("SELECT rev FROM revision")
        if mark is not None and rev is not None and mark.rev > rev:
            self._add(
                "lost_commits",
                f"the newest {mark.rev - rev} changes are missing: the log beside the database was "
                "cut or replaced",
            )

    def _search_terms(self, analyse: Callable[[str], str]) -> None:
        connection = self._session.connection
        connection.execute("ROLLBACK")
        connection.execute(
            "CREATE VIRTUAL TABLE temp.postings USING fts5vocab(main, fts, instance)"
        )
        connection.execute("BEGIN")
        found: dict[int, int] = {}
        for term, trace_id, place in self._session.stream(
            "SELECT term, doc, offset FROM temp.postings"
        ):
            found[trace_id] = found.get(trace_id, 0) ^ _posting(term, place)
        wrong = []
        for trace_id, text in self._session.stream(_ALL_TEXTS):
            wanted = 0
            for place, term in enumerate(analyse(text).split()):
                wanted ^= _posting(term, place)
            if found.get(trace_id, 0) != wanted:
                wrong.append(trace_id)
        if wrong:
            self._add("wrong_terms", f"{len(wrong)} memories have wrong full text", tuple(wrong))


def _posting(term: str, place: int) -> int:
    # The tokenizer folds ASCII capitals, and bytes.lower() folds nothing else.
    line = f"{place}\0{term}".encode().lower()
    return int.from_bytes(hashlib.blake2b(line, digest_size=8).digest())
