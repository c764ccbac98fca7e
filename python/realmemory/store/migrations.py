"""Numbered steps from any released schema to the present one.

A step is append-only: once released it never changes. It runs in one transaction together with
the bump of ``user_version``, after a backup of the file as it was.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import apsw

from realmemory.store import schema

if TYPE_CHECKING:
    from collections.abc import Callable


class Step(NamedTuple):
    """One migration: the schema version it leads to, its name and what it does."""

    version: int
    name: str
    apply: Callable[[apsw.Connection], None]


def _create(connection: apsw.Connection) -> None:
    for statement in schema.VERSION_1:
        connection.execute(statement)


def _keep_vectors(connection: apsw.Connection) -> None:
    connection.execute(schema.KEPT_VECTORS)


STEPS: tuple[Step, ...] = (Step(1, "create", _create), Step(2, "keep vectors", _keep_vectors))
"""All steps in order of version."""


def newest() -> int:
    """Return the schema version that this code reads and writes."""
    return STEPS[-1].version


def pending(version: int) -> tuple[Step, ...]:
    """Return the steps that lead from ``version`` to the present schema."""
    return tuple(step for step in STEPS if step.version > version)


def apply(connection: apsw.Connection, step: Step) -> None:
    """Run one step inside the open transaction, version bump included."""
    step.apply(connection)
    connection.pragma("application_id", schema.APPLICATION_ID)
    connection.pragma("user_version", step.version)


def describe(connection: apsw.Connection) -> tuple[tuple[str, str, str, str], ...]:
    """Return the schema as comparable rows: two stores with equal rows have equal schemas."""
    rows = connection.execute(
        "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema ORDER BY type, name"
    )
    return tuple(
        (str(kind), str(name), str(table), " ".join(str(sql).split()))
        for kind, name, table, sql in rows
    )


@cache
def expected_schema() -> tuple[tuple[str, str, str, str], ...]:
    """Return :func:`describe` of a fresh store."""
    connection = apsw.Connection(":memory:")
    for step in STEPS:
        apply(connection, step)
    rows = describe(connection)
    connection.close(force=True)
    return rows
