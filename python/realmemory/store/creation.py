"""Making a new store and bringing an old one up to date, under the write lock."""

from __future__ import annotations

from typing import TYPE_CHECKING

import apsw

from realmemory.config import MemoryConfig
from realmemory.errors import StoreError
from realmemory.store import backups, migrations, opening
from realmemory.store.connection import Access, connect
from realmemory.store.directory import sync_directory
from realmemory.store.failures import as_store_error
from realmemory.store.meta import STORE_ID, MetaWrites
from realmemory.store.schema import ANALYSIS_VERSION
from realmemory.store.scopes import ScopeWrites
from realmemory.store.session import Session
from realmemory.store.uids import new_uid
from realmemory.types import GLOBAL_SCOPE

if TYPE_CHECKING:
    from realmemory.clock import Clock
    from realmemory.store.paths import StorePaths


def missing(paths: StorePaths, version: int) -> StoreError:
    """Return the error of a read-only opening of what is not there yet, or too old."""
    if version:
        return StoreError(
            f"{paths.database} has the old schema {version} and cannot be brought up to date "
            "read-only; it was left as it is. Open it once for writing.",
            code="old_schema",
        )
    return opening.absent(paths)


def bring_up_to_date(paths: StorePaths, config: MemoryConfig | None, clock: Clock) -> None:
    """Run every pending migration; whoever waited for the lock finds them done.

    Raises:
        StoreError: A step failed; the file is as it was before that step.
    """
    found = opening.inspect(paths, migrations.newest())
    steps = migrations.pending(found.version)
    if not steps:
        return
    label = f"before-schema-{migrations.newest()}"
    saved = backups.create(paths, label=label, clock=clock) if found.version else None
    if paths.key is not None and not found.version:
        from realmemory.store import sealing  # noqa: PLC0415 - most stores are not encrypted

        sealing.write_seal(paths, paths.key)
    connection = connect(paths, Access.WRITE if found.version else Access.CREATE)
    try:
        if not found.version:
            connection.pragma("journal_mode", "WAL")
        connection.pragma("synchronous", "FULL")
        for step in steps:
            _run(connection, step, config, clock)
        session = Session(connection, clock)
        mark = opening.Mark(MetaWrites(session).get(STORE_ID) or "", session.rev())
    except BaseException as error:
        if saved is not None and connection.pragma("user_version") == found.version:
            # Nothing was changed. Where room is short, a copy for each attempt would fill it.
            saved.path.unlink()
        if isinstance(error, apsw.Error):
            raise as_store_error(error, paths.database, connection) from error
        raise
    finally:
        connection.close(force=True)
    sync_directory(paths.directory)
    opening.write_mark(paths, mark, durable=True)


def _run(
    connection: apsw.Connection,
    step: migrations.Step,
    config: MemoryConfig | None,
    clock: Clock,
) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        migrations.apply(connection, step)
        if step.version == 1:
            _found(Session(connection, clock), config)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _found(session: Session, config: MemoryConfig | None) -> None:
    """Write what makes a new store this one and no other."""
    meta = MetaWrites(session)
    meta.set(STORE_ID, new_uid(session.clock.now()))
    meta.set("created_at", session.clock.now())
    meta.set("analysis_version", ANALYSIS_VERSION)
    meta.set_config(config or MemoryConfig())
    ScopeWrites(session).id_of(GLOBAL_SCOPE, create=True)
