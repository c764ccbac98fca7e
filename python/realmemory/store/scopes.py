"""Scopes as rows: spellings that share a key are one scope, named as it was first written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from realmemory.errors import InvalidInputError, NotFoundError
from realmemory.scopes import scope_key, validate_scope
from realmemory.store.records import STATUSES, Scope

if TYPE_CHECKING:
    from realmemory.store.session import Session
    from realmemory.types import Status


class Scopes:
    """The scopes of one snapshot."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def find(self, name: str) -> int | None:
        """Return the id of the scope that ``name`` spells, or ``None`` when nothing is in it.

        Raises:
            InvalidInputError: ``name`` is not a scope.
        """
        key = scope_key(validate_scope(name))
        return self._session.once(("scope", key), lambda: self._find(key))

    def _find(self, key: str) -> int | None:
        row = self._session.one("SELECT id FROM scopes WHERE key = ?", (key,))
        return None if row is None else int(row[0])

    def name_of(self, scope_id: int) -> str:
        """Return the canonical spelling.

        Raises:
            NotFoundError: There is no such scope.
        """
        row = self._session.one("SELECT name FROM scopes WHERE id = ?", (scope_id,))
        if row is None:
            raise NotFoundError(f"there is no scope with the id {scope_id}")
        return str(row[0])

    def ids(self) -> list[int]:
        """Return the ids of all scopes."""
        return list(self._session.once("scopes", self._ids))

    def _ids(self) -> tuple[int, ...]:
        return tuple(row[0] for row in self._session.all("SELECT id FROM scopes ORDER BY id"))

    def all(self) -> list[Scope]:
        """Return every scope with its counts, in order of name."""
        counts: dict[int, dict[Status, int]] = {}
        for scope_id, status, count in self._session.all(
            "SELECT scope_id, status, count(*) FROM traces GROUP BY scope_id, status"
        ):
            counts.setdefault(scope_id, {})[STATUSES[status]] = count
        rows = self._session.all("SELECT id, name, key FROM scopes ORDER BY name")
        return [Scope(row[0], row[1], row[2], counts.get(row[0], {})) for row in rows]


class ScopeWrites(Scopes):
    """The scopes of one write transaction."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._known: dict[str, int] = {}

    def id_of(self, name: str, *, create: bool = True) -> int:
        """Return the id of a scope, making it when asked to.

        Raises:
            InvalidInputError: ``name`` is not a scope.
            NotFoundError: There is no such scope and ``create`` is false.
        """
        if name in self._known:
            return self._known[name]
        canonical = validate_scope(name)
        found = self.find(canonical)
        if found is None:
            if not create:
                raise NotFoundError(f"there is no scope named {name!r}")
            found = self._session.insert(
                "INSERT INTO scopes (name, key) VALUES (?, ?) RETURNING id",
                (canonical, scope_key(canonical)),
            )
        self._known[name] = found
        return found

    def rename(self, scope_id: int, name: str) -> None:
        """Give a scope another name.

        Raises:
            InvalidInputError: ``name`` is not a scope, or is another one's.
        """
        self._known.clear()
        canonical = validate_scope(name)
        holder = self.find(canonical)
        if holder is not None and holder != scope_id:
            raise InvalidInputError(
                f"there is a project {self.name_of(holder)!r} already; nothing was changed. "
                "Merge the two, or choose another name.",
                code="scope_taken",
            )
        self._session.bump()
        self._session.run(
            "UPDATE scopes SET name = ?, key = ? WHERE id = ?",
            (canonical, scope_key(canonical), scope_id),
        )

    def drop(self, scope_id: int) -> bool:
        """Delete a scope unless a trace is in it; return whether it went."""
        self._known.clear()
        gone = self._session.run(
            "DELETE FROM scopes WHERE id = ?1 "
            "AND NOT EXISTS (SELECT 1 FROM traces WHERE scope_id = ?1)",
            (scope_id,),
        )
        if gone:
            self._session.bump()
        return bool(gone)
