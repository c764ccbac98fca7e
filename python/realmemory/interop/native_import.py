"""Reading our own format back: ids and dates kept, merged by uid, screened once more.

Records of two stores may be merged in any order with the same result: of two states of one uid
the later one counts, and a deletion counts over everything. What this store says already under a
uid of its own is joined to that (``native_twins``).
"""

from __future__ import annotations

from dataclasses import replace
from typing import IO, TYPE_CHECKING, Any, cast

from realmemory import strict_json
from realmemory.core.text import fts_terms
from realmemory.errors import InvalidInputError, RealMemoryError, StoreRefusedError
from realmemory.flows import validation
from realmemory.flows.lineage import rejoin
from realmemory.flows.passages import encoded
from realmemory.interop import lines
from realmemory.interop.native_export import FORMAT, VERSION
from realmemory.interop.native_record import NativeRecord
from realmemory.interop.native_twins import FileUids, joined
from realmemory.store.records import Link, LinkType, NewTrace
from realmemory.types import Kind, Status, Trace

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence

    from realmemory.flows.context import MemoryContext
    from realmemory.interop.outcome import ImportReport, Rejects
    from realmemory.store.records import Passage
    from realmemory.store.transactions import ReadView, WriteTx

_Numbered = tuple[int, dict[str, Any]]

_BATCH = 64
_OTHERS = 256


def import_lines(
    context: MemoryContext,
    stream: IO[bytes],
    report: ImportReport,
    rejects: Rejects,
    *,
    scope: str | None = None,
    join: bool = True,
) -> None:
    """Merge an export into the open memory.

    Args:
        context: The open memory.
        stream: The export.
        report: Counts; a dry run only counts.
        rejects: Where unusable records go.
        scope: Scope of everything that is new here, instead of what the file says.
        join: Join what is here already under another uid; without, a uid is a memory.

    Raises:
        InvalidInputError: The first line is not the header of an export.
        StoreRefusedError: ``newer_schema``; a later version wrote the file.
    """
    numbered = lines.read_lines(stream)
    _check_header(next(numbered, (0, b""))[1])
    batch: list[NativeRecord] = []
    others: list[_Numbered] = []
    successors: list[tuple[str, str]] = []
    uids = FileUids(dry_run=report.dry_run, join=join)
    for number, line in numbered:
        try:
            if isinstance(line, InvalidInputError):
                raise line
            row = _row(line)
            report.read += 1
            if row["type"] == "memory":
                record = NativeRecord(row, number, context.config.max_text_bytes, scope)
                batch.append(record)
                if record.successor is not None:
                    successors.append((record.trace.uid, record.successor))
            else:
                others.append((number, row))
        except (InvalidInputError, KeyError, TypeError, ValueError) as error:
            rejects.add(number, _problem(error), line if isinstance(line, bytes) else "")
        if len(batch) >= _BATCH or len(others) >= _OTHERS:
            _write(context, batch, report, rejects, uids)
            _write_others(context, others, report, rejects, uids)
            batch, others = [], []
    _write(context, batch, report, rejects, uids)
    _write_others(context, others, report, rejects, uids)
    _resolve(context, successors, report, uids)


def _check_header(line: bytes | InvalidInputError) -> None:
    header = _row(line) if isinstance(line, bytes) and line else {}
    if header.get("format") != FORMAT:
        raise InvalidInputError(
            "the file does not begin with the header of a realMemory export; nothing was imported",
            code="invalid_header",
        )
    if header.get("version") != VERSION:
        raise StoreRefusedError(
            f"the export has version {header.get('version')!r}, this realMemory reads {VERSION}; "
            "nothing was imported. Update realMemory.",
            code="newer_schema",
        )


def _row(line: bytes) -> dict[str, Any]:
    row = strict_json.parse(line)
    if not isinstance(row, dict):
        raise InvalidInputError("the line is not a JSON object", code="invalid_row")
    if "format" not in row and row.get("type") not in {"memory", "link", "tombstone"}:
        raise InvalidInputError(f"unknown type {row.get('type')!r}", code="invalid_row")
    return row


def _problem(error: Exception) -> RealMemoryError:
    if isinstance(error, RealMemoryError):
        return error
    return InvalidInputError(f"the record is malformed: {error!r}", code="invalid_row")


def _fitting(
    view: ReadView, batch: Sequence[NativeRecord], rejects: Rejects
) -> Iterator[tuple[NativeRecord, Trace | None]]:
    """Yield each record with what is known under its uid, without those of another text."""
    for record in batch:
        known_id = view.traces.id_of_uid(record.trace.uid)
        known = None if known_id is None else view.traces.get(known_id)
        if known is None or known.text == record.trace.text:
            yield record, known
            continue
        problem = (
            f"memory {known.id} has the uid {known.uid} and another text, which never changes; "
            "nothing of this record was imported. Change the memory with `realmemory revise`, or give the "
            "record a uid of its own."
        )
        rejects.add(record.line, InvalidInputError(problem, code="text_differs"), record.trace.text)


def _write(
    context: MemoryContext,
    batch: Sequence[NativeRecord],
    report: ImportReport,
    rejects: Rejects,
    uids: FileUids,
) -> None:
    """Write memories in one transaction."""
    if not batch:
        return
    uids.saw(batch)
    if uids.dry_run:
        _rehearse(context, batch, report, rejects, uids)
        return
    unencoded = [record for record in batch if record.vector is None]
    embedded = context.embedder.embed([item.meaning for item in unencoded])
    fresh = {
        id(item): vector.tobytes() if vector.any() else None
        for item, vector in zip(unencoded, embedded, strict=True)
    }
    texts, speakers = [r.trace.text for r in batch], [r.speaker for r in batch]
    parts = encoded(context.embedder, texts, speakers)
    passages = dict(zip(map(id, batch), parts, strict=True))
    with context.store.write() as tx:
        buried = tx.traces.buried(record.trace.uid for record in batch)
        for record, known in _fitting(tx, batch, rejects):
            if known is None and (twin := _twin(tx, record, buried, uids)):
                _join(context, tx, twin, record, report)
                continue
            if not _count(record, known, buried, report):
                continue
            if known is None:
                _insert(context, tx, record, fresh.get(id(record)), passages[id(record)])
            else:
                _keep_wordings(tx, known.id, record)
                tx.traces.adopt(
                    known.id,
                    record.trace,
                    superseded_by=known.superseded_by,
                    reinforced_days=record.days,
                )


def _rehearse(
    context: MemoryContext,
    batch: Sequence[NativeRecord],
    report: ImportReport,
    rejects: Rejects,
    uids: FileUids,
) -> None:
    """Count what writing would do, and keep the uids that it would have made."""
    with context.store.read() as view:
        buried = view.traces.buried(record.trace.uid for record in batch)
        for record, known in _fitting(view, batch, rejects):
            if record.trace.uid in uids.made:
                report.known += 1
            elif known is None and (twin := _twin(view, record, buried, uids)):
                _joined(view, twin, record, report)
            elif _count(record, known, buried, report) and known is None:
                uids.made.add(record.trace.uid)


def _twin(
    view: ReadView, record: NativeRecord, buried: Container[str], uids: FileUids
) -> Trace | None:
    """Return the memory here that says what a record says under a uid that is unknown here."""
    return None if record.trace.uid in buried else uids.twin(view, record)


def _joined(
    view: ReadView, twin: Trace, record: NativeRecord, report: ImportReport
) -> Trace | None:
    """Count a record that a memory here repeats, and return that memory where it changes."""
    both = joined(twin, record)
    held = {twin.text, *(wording.text for wording in view.variants.of(twin.id))}
    if both == twin and held.issuperset(wording["text"] for wording in record.variants):
        report.known += 1
        return None
    report.updated += 1
    return both


def _join(
    context: MemoryContext, tx: WriteTx, twin: Trace, record: NativeRecord, report: ImportReport
) -> None:
    both = _joined(tx, twin, record, report)
    if both is None:
        return
    _keep_wordings(tx, twin.id, record)
    days = max(record.days, tx.traces.dynamics([twin.id])[twin.id].reinforced_days)
    tx.traces.adopt(twin.id, both, superseded_by=twin.superseded_by, reinforced_days=days)
    if both.status is not twin.status:
        rejoin(context, tx, [twin.id])


def _count(
    record: NativeRecord, known: Trace | None, buried: Container[str], report: ImportReport
) -> bool:
    """Count what becomes of a memory, and return whether something is to be written."""
    if record.trace.uid in buried:
        report.skip("deleted_here")
    elif known is None:
        report.imported += 1
        report.quarantined += record.trace.status is Status.QUARANTINED
        return True
    elif _is_later(record.trace, known):
        report.updated += 1
        return True
    else:
        report.known += 1
    return False


def _insert(
    context: MemoryContext,
    tx: WriteTx,
    record: NativeRecord,
    fresh: bytes | None,
    passages: Sequence[Passage],
) -> None:
    trace = record.trace
    space_id = context.space_id
    if record.vector is not None and record.space is not None:
        space_id = tx.spaces.id_of(record.space, len(record.vector) // 4)
    new_id = tx.traces.insert(
        NewTrace(
            text=trace.text,
            terms=fts_terms(record.index_text or trace.text),
            scope=trace.scope,
            kind=Kind(trace.kind),
            status=trace.status,
            author=trace.author,
            origin=trace.origin,
            index_text=record.index_text,
            uid=trace.uid,
            created_at=trace.created_at,
            observed_at=trace.observed_at,
            session_id=trace.session_id,
            turn_index=trace.turn_index,
            speaker=trace.speaker,
            role=trace.role,
            space_id=space_id,
            embedding=record.vector or fresh,
        )
    )
    if passages and space_id == context.space_id:
        tx.passages.replace(new_id, passages)
    _keep_wordings(tx, new_id, record)
    tx.traces.adopt(new_id, trace, superseded_by=None, reinforced_days=record.days)


def _keep_wordings(tx: WriteTx, trace_id: int, record: NativeRecord) -> None:
    for wording in record.variants:
        held = f"{tx.traces.indexed_text(trace_id)}\n{wording['text']}"
        tx.variants.add(trace_id, terms=fts_terms(held), **wording)


def _is_later(incoming: Trace, present: Trace) -> bool:
    """Say which of two states of one memory counts, the same on both sides; scopes stay."""
    incoming = replace(incoming, scope=present.scope)
    mine = replace(present, id=0, superseded_by=None, space_id=None, rev=0, meta=dict(present.meta))
    if mine == incoming:
        return False
    return (incoming.updated_at, repr(incoming)) > (mine.updated_at, repr(mine))


def _write_others(
    context: MemoryContext,
    rows: Sequence[_Numbered],
    report: ImportReport,
    rejects: Rejects,
    uids: FileUids,
) -> None:
    """Write links and deletions, one transaction for all of them; a dry run counts them."""
    if not rows:
        return
    with context.store.read() if uids.dry_run else context.store.write() as view:
        for number, row in rows:
            try:
                if row["type"] == "tombstone":
                    uid, moment = _deletion(view, row, report, uids)
                    if not uids.dry_run:
                        _bury(cast("WriteTx", view), uid, moment)
                elif (link := _link(view, row, report, uids)) and not uids.dry_run:
                    cast("WriteTx", view).links.put([link])
            except (InvalidInputError, KeyError, TypeError, ValueError) as error:
                rejects.add(number, _problem(error), row)


def _link(view: ReadView, row: dict[str, Any], report: ImportReport, uids: FileUids) -> Link | None:
    """Count a link, and return it if it is news between memories that are here."""
    link_type, weight, moment = (
        LinkType(row["link"]),
        float(row["weight"]),
        float(row["updated_at"]),
    )
    src, dst = uids.id_of(view, row["src"]), uids.id_of(view, row["dst"])
    if (src is None and row["src"] not in uids.made) or (
        dst is None and row["dst"] not in uids.made
    ):
        report.skip("link_without_end")
        return None
    present = None if src is None or dst is None else view.links.get(src, dst, link_type)
    if present is not None and (present.updated_at, present.weight) >= (moment, weight):
        report.known += 1
        return None
    report.imported += 1
    return None if src is None or dst is None else Link(src, dst, link_type, weight, moment)


def _deletion(
    view: ReadView, row: dict[str, Any], report: ImportReport, uids: FileUids
) -> tuple[str, float]:
    """Count a deletion, and return what was deleted and when."""
    moment = validation.checked_time(row["deleted_at"], "deleted_at") or 0.0
    uid = str(row["uid"])
    if uid in uids.made or view.traces.id_of_uid(uid) is not None:
        report.updated += 1
    elif view.traces.buried([uid]):
        report.known += 1
    else:
        report.imported += 1
    return uid, moment


def _bury(tx: WriteTx, uid: str, moment: float) -> None:
    present = tx.traces.id_of_uid(uid)
    if present is not None:
        tx.traces.delete([present])
    tx.traces.bury(uid, moment)


def _resolve(
    context: MemoryContext,
    successors: Sequence[tuple[str, str]],
    report: ImportReport,
    uids: FileUids,
) -> None:
    """Tie superseded memories to their successors, which may stand later in the file."""
    if report.dry_run:
        return
    for start in range(0, len(successors), _BATCH):
        with context.store.write() as tx:
            for old, new in successors[start : start + _BATCH]:
                old_id, new_id = tx.traces.id_of_uid(old), uids.id_of(tx, new)
                if old_id is None or new_id is None:
                    continue
                trace = tx.traces.get(old_id)
                if trace.superseded_by != new_id:
                    days = tx.traces.dynamics([old_id])[old_id].reinforced_days
                    tx.traces.adopt(old_id, trace, superseded_by=new_id, reinforced_days=days)
