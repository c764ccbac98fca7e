"""Writing the own file: made as a whole from what the database says at that moment.

What happened to a published memory since (it was revised, forgotten, erased, tagged, or its project
is no longer shared) takes it back; what changed otherwise gets a new revision. What the file says
and the database does not know, as after an older backup was restored, is taken back as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from realmemory.errors import RealMemoryError
from realmemory.policies.sharing import WITHDRAWING, classify
from realmemory.safety import MASK, screen
from realmemory.store.publications import TEAM_FILE, PublicationRow
from realmemory.team.author_file import Header, Publication, Retraction, checked_uid, rendered
from realmemory.team.folder import parsed, reachable, read_bytes, write_file
from realmemory.team.identity import file_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from realmemory.flows.context import MemoryContext
    from realmemory.store.transactions import ReadView
    from realmemory.team.author_file import Entry
    from realmemory.team.settings import TeamSettings
    from realmemory.types import Trace

_Said = dict[str, "Entry"]


class Standing(NamedTuple):
    """One publication with its memory, and why it is to be taken back, if it is."""

    row: PublicationRow
    trace: Trace | None
    withdrawn: str | None


class Sent(NamedTuple):
    """What writing the own file did.

    Attributes:
        path: The file.
        published: Ids of the memories that stand in it.
        withdrawn: Ids of those that this call took back, with the reason.
        unknown: How many publications the file held that the database does not know.
        written: Whether the file had to be changed.
        restored: Whether it was missing, or could not be read, and was made anew.
    """

    path: Path
    published: tuple[int, ...]
    withdrawn: Mapping[int, str]
    unknown: int
    written: bool
    restored: bool


def findings(text: str) -> tuple[str, ...]:
    """Return what the screen finds in a text, and whether a secret was masked in it."""
    masked = ("secret:masked",) if MASK in text else ()
    return (*screen(text).flags, *masked)


def own_path(settings: TeamSettings) -> Path:
    """Return the file of the author, in a folder that was named."""
    if settings.folder is None:
        raise AssertionError("a team without a folder has no file")
    return settings.folder / file_name(settings.author, settings.author_id)


def entry_of(row: PublicationRow, trace: Trace) -> Publication:
    """Return what the file says of a memory."""
    ends = [end for end in (trace.valid_to, trace.expires_at) if end is not None]
    return Publication(
        uid=checked_uid(row.uid),
        revision=row.revision,
        project=trace.scope,
        kind=trace.kind,
        text=trace.text,
        when=trace.observed_at,
        until=min(ends, default=None),
        published_at=row.published_at,
    )


def revoked(row: PublicationRow, now: float) -> PublicationRow:
    """Return the row of a publication that is taken back; of its text not even a hash stays."""
    return row._replace(digest="", revoked_at=now, synced_at=None)


def standing(view: ReadView, settings: TeamSettings, now: float) -> list[Standing]:
    """Return every publication that was not taken back, with what holds of it now."""
    rows = [row for row in view.publications.of_author(settings.author_id).values() if row.standing]
    # By uid, for a repaired or imported memory has other ids.
    ids = {row.uid: view.traces.id_of_uid(row.uid) for row in rows}
    traces = view.traces.get_many(item for item in ids.values() if item is not None)
    found = []
    for row in rows:
        trace = traces.get(ids[row.uid] or 0)
        if trace is None:
            found.append(Standing(row, None, "it was erased"))
            continue
        verdict = classify(settings.policy, trace, findings(trace.text), now)
        lost = verdict.status in WITHDRAWING
        found.append(Standing(row, trace, verdict.reason if lost else None))
    return found


def send(context: MemoryContext, settings: TeamSettings) -> Sent:
    """Write the own file as the memory says it, if it says something else; the caller holds the lock.

    Raises:
        RealMemoryError: ``team_unreachable``; the folder is not there.
        StoreError: The file cannot be written; it is as it was, and the next call tries again.
    """
    now, path = context.clock.now(), own_path(settings)
    reachable(path.parent)
    content, said = _own_file(context, path, now)
    with context.store.read() as view:
        rows = view.publications.of_author(settings.author_id)
        found = standing(view, settings, now)
    plan = _plan(found, _beyond(settings, rows, said or {}, now), said, now)
    after = {**rows, **plan.rows}.values()
    gone = [
        Retraction(row.uid, row.revision, row.revoked_at or now)
        for row in after
        if not row.standing
    ]
    header = Header(settings.author, settings.author_id)
    whole = rendered(header, [*plan.entries, *gone])
    fresh = [row for row in plan.rows.values() if row != rows.get(row.uid)]
    if fresh or whole != content or any(row.synced_at is None for row in after):
        _write(context, settings, fresh, path, whole if whole != content else None)
    strange = [entry for uid, entry in (said or {}).items() if uid not in rows]
    return Sent(
        path,
        published=tuple(row.trace_id for row in after if row.standing),
        withdrawn=plan.withdrawn,
        unknown=sum(isinstance(entry, Publication) for entry in strange),
        written=whole != content,
        restored=said is None and any(row.synced_at is not None for row in rows.values()),
    )


class _Plan(NamedTuple):
    """Rows that change or stand, what the file says of those, and what is taken back and why."""

    rows: dict[str, PublicationRow]
    entries: list[Publication]
    withdrawn: dict[int, str]


def _plan(
    found: Sequence[Standing], rows: dict[str, PublicationRow], said: _Said | None, now: float
) -> _Plan:
    """Settle every publication; ``rows`` are those that the file itself makes different."""
    plan = _Plan(rows, [], {})
    for item in found:
        row = rows.get(item.row.uid, item.row)
        if item.trace is None or item.withdrawn is not None:
            plan.withdrawn[row.trace_id] = item.withdrawn or ""
            rows[row.uid] = revoked(row, now)
        elif row.standing:
            rows[row.uid], entry = _settled(row, item.trace, said)
            plan.entries.append(entry)
        else:
            plan.withdrawn[row.trace_id] = "its file says that it was taken back"
    return plan


def _own_file(context: MemoryContext, path: Path, now: float) -> tuple[bytes, _Said | None]:
    """Return the file as it is, and what it says; None where it is missing or cannot be read."""
    content = b""
    try:
        content, _ = read_bytes(path)
        file = parsed(content, path.name, most=context.config.max_text_bytes, now=now)
    except (FileNotFoundError, RealMemoryError):
        return content, None
    return content, {entry.uid: entry for entry in file.entries}


def _beyond(
    settings: TeamSettings, rows: Mapping[str, PublicationRow], said: _Said, now: float
) -> dict[str, PublicationRow]:
    """Return the rows that a file which is ahead of the database makes different."""
    changed = {}
    for uid, entry in said.items():
        row = rows.get(uid)
        gone = entry.retracted_at if isinstance(entry, Retraction) else None
        if row is None:
            unknown = PublicationRow(settings.author_id, uid, entry.revision, 0, "", now)
            changed[uid] = revoked(unknown, now if gone is None else gone)
        elif gone is not None and row.standing and entry.revision >= row.revision:
            changed[uid] = revoked(row, now)._replace(revision=entry.revision)
        elif entry.revision > row.revision:
            changed[uid] = row._replace(revision=entry.revision)
    return changed


def _settled(
    row: PublicationRow, trace: Trace, said: _Said | None
) -> tuple[PublicationRow, Publication]:
    """Return a row and its entry, of a new revision where readers may know another of this one."""
    entry = entry_of(row, trace)
    if said is None:
        differs = row.synced_at is not None
    else:
        before = said.get(row.uid)
        differs = before is not None and before.revision == row.revision and before != entry
    if differs or (row.digest and row.digest != entry.digest):
        entry = entry._replace(revision=row.revision + 1)
        row = row._replace(revision=row.revision + 1, synced_at=None)
    if row.digest != entry.digest:
        row = row._replace(digest=entry.digest, project=trace.scope, synced_at=None)
    return row, entry


def _write(
    context: MemoryContext,
    settings: TeamSettings,
    rows: list[PublicationRow],
    path: Path,
    content: bytes | None,
) -> None:
    """Write what changed to the database, then to the file, then that both say the same."""
    with context.store.write() as tx:
        tx.publications.put(rows)
        # Before the file: whoever erases a text has to know where else it may stand.
        tx.meta.set(TEAM_FILE, str(path))
    if content is not None:
        write_file(path, content)
    with context.store.write() as tx:
        tx.publications.synced(settings.author_id, context.clock.now())
