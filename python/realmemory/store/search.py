"""Full-text search over analysed terms; the text of a user never reaches ``MATCH`` unquoted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from realmemory.store.records import TextHit
from realmemory.store.session import Value, dump_json, id_list

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from realmemory.store.session import Session
    from realmemory.types import Status

MAX_TERMS = 256
"""Terms of one query that are looked at; more would only slow the answer down."""


def any_of(terms: Iterable[str]) -> str:
    """Return the query for rows that hold at least one of the terms."""
    return " OR ".join(_quoted(terms))


def all_of(terms: Iterable[str]) -> str:
    """Return the query for rows that hold every term."""
    return " AND ".join(_quoted(terms))


def phrase(terms: Sequence[str]) -> str:
    """Return the query for rows that hold the terms side by side, in this order."""
    return " + ".join(_quoted(terms, repeated=True))


def prefix(term: str) -> str:
    """Return the query for rows with a term that starts like ``term``."""
    return f"{_quote(term)} *" if term else ""


def both(*queries: str) -> str:
    """Return the query for rows that every non-empty query finds."""
    return " AND ".join(f"({query})" for query in queries if query)


def _quoted(terms: Iterable[str], *, repeated: bool = False) -> list[str]:
    listed = [term for term in terms if term]
    return [_quote(term) for term in (listed if repeated else dict.fromkeys(listed))][:MAX_TERMS]


def _quote(term: str) -> str:
    return '"' + term.replace("\0", " ").replace('"', '""') + '"'


class Search:
    """The full-text index of one snapshot."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def tagged(self, tags: Iterable[str]) -> list[int]:
        """Return the traces that carry every one of some tags, by id."""
        wanted = list(tags)
        # Looking for one of them as it is spelt spares reading the tags of most rows.
        spelt = dump_json(max(wanted, key=len, default=""))
        rows = self._session.all(
            """
            SELECT t.id FROM traces t
            WHERE instr(t.tags, :spelt) AND NOT EXISTS (
              SELECT 1 FROM json_each(:tags) wanted
              WHERE wanted.value NOT IN (SELECT value FROM json_each(t.tags))
            )
            ORDER BY t.id
            """,
            {"tags": dump_json(wanted), "spelt": spelt},
        )
        return [int(row[0]) for row in rows]

    def find(
        self,
        query: str,
        *,
        scope_ids: Iterable[int] | None = None,
        statuses: Iterable[Status] | None = None,
        fallen: tuple[float, float] | None = None,
        limit: int = 20,
    ) -> list[TextHit]:
        """Return the best rows by bm25, largest rank first, ties by id.

        Args:
            query: Made by the functions of this module, never by a user; empty finds nothing.
            scope_ids: Only these scopes; all when ``None``.
            statuses: Only these statuses; all when ``None``.
            fallen: Beside these statuses, what is active but below the recall floor: by a moment,
                or by a strength that is less than the second number.
            limit: Most rows to return.
        """
        if not query:
            return []
        values: dict[str, Value] = {
            "query": query,
            "limit": limit,
            "scopes": None if scope_ids is None else id_list(scope_ids),
            "statuses": None if statuses is None else _names(statuses),
            "faded_by": fallen and fallen[0],
            "floor": fallen and fallen[1],
        }
        rows = self._session.all(
            """
            SELECT t.id, -bm25(fts) AS rank FROM fts JOIN traces t ON t.id = fts.rowid
            WHERE fts MATCH :query
              AND (:scopes IS NULL OR t.scope_id IN (SELECT value FROM json_each(:scopes)))
              AND (:statuses IS NULL OR t.status IN (SELECT value FROM json_each(:statuses))
                OR (t.status = 'active' AND (t.fades_at <= :faded_by OR t.base_strength < :floor)))
            ORDER BY rank DESC, t.id LIMIT :limit
            """,
            values,
        )
        return [TextHit(int(row[0]), float(row[1])) for row in rows]


class SearchWrites(Search):
    """The full-text index of one write transaction."""

    def replace(self, trace_id: int, terms: str) -> None:
        """Store the terms of a trace anew, for a rebuild; traces write theirs by themselves."""
        self._session.run(
            "INSERT OR REPLACE INTO fts (rowid, terms) VALUES (?, ?)", (trace_id, terms)
        )

    def clear(self) -> None:
        """Empty the index, for a rebuild."""
        self._session.run("INSERT INTO fts (fts) VALUES ('delete-all')")

    def optimise(self) -> None:
        """Merge the index into one part, which drops the terms of deleted rows for good."""
        self._session.run("INSERT INTO fts (fts) VALUES ('optimize')")


def _names(statuses: Iterable[Status]) -> str:
    listed = ",".join(f'"{status}"' for status in statuses)
    return f"[{listed}]"
