"""Eligibility: binds that happened and wait for sleep to commit them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from realmemory.store.records import Eligibility
from realmemory.store.session import id_list

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from realmemory.store.session import Session


class PendingBinds:
    """The waiting binds of one snapshot."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def count(self) -> int:
        """Return how many binds wait."""
        row = self._session.one("SELECT count(*) FROM eligibility")
        return 0 if row is None else int(row[0])

    def all(self) -> list[Eligibility]:
        """Return the waiting binds, oldest first."""
        rows = self._session.all(
            "SELECT src, dst, strength, created_at, cause, id FROM eligibility ORDER BY id"
        )
        return [Eligibility(*row) for row in rows]

    def partners(self, ids: Collection[int], *, cause: str, since: float) -> set[int]:
        """Return the other ends of waiting binds of one cause, made at or after a time."""
        rows = self._session.all(
            """
            SELECT dst FROM eligibility
            WHERE src IN (SELECT value FROM json_each(:ids)) AND cause = :cause
              AND created_at >= :since
            """,
            {"ids": id_list(ids), "cause": cause, "since": float(since)},
        )
        return {int(row[0]) for row in rows} - set(ids)


class PendingBindWrites(PendingBinds):
    """The waiting binds of one write transaction."""

    def add(self, binds: Iterable[Eligibility]) -> int:
        """Queue binds and return how many; those with an end that is gone are left out."""
        wanted = list(binds)
        ends = {bind.src for bind in wanted}.union([bind.dst for bind in wanted])
        rows = self._session.all(
            "SELECT id FROM traces WHERE id IN (SELECT value FROM json_each(?))", (id_list(ends),)
        )
        known = {int(row[0]) for row in rows}
        return self._session.run_many(
            "INSERT INTO eligibility (src, dst, strength, created_at, cause) "
            "VALUES (?, ?, ?, ?, ?)",
            [
                (bind.src, bind.dst, float(bind.strength), float(bind.created_at), bind.cause)
                for bind in wanted
                if bind.src in known and bind.dst in known
            ],
        )

    def scale(self, ids: Iterable[int], factor: float) -> int:
        """Multiply the strength of binds that touch one of the traces; return how many."""
        return self._session.run(
            """
            UPDATE eligibility SET strength = strength * :factor
            WHERE src IN (SELECT value FROM json_each(:ids))
               OR dst IN (SELECT value FROM json_each(:ids))
            """,
            {"factor": float(factor), "ids": id_list(ids)},
        )

    def drain(self, limit: int | None = None) -> list[Eligibility]:
        """Take binds out; committing what they mean belongs in this transaction.

        They come by source, those of one source oldest first: the edges of a source share one
        sum and are written together, so that each is written once however many binds wait.
        """
        rows = self._session.all(
            """
            SELECT src, dst, strength, created_at, cause, id FROM eligibility
            ORDER BY src, id LIMIT ?
            """,
            (-1 if limit is None else limit,),
        )
        self._session.run(
            "DELETE FROM eligibility WHERE id IN (SELECT value FROM json_each(?))",
            (id_list(row[5] for row in rows),),
        )
        return [Eligibility(*row) for row in rows]
