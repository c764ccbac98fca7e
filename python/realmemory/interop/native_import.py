"""Reading our own format back: ids and dates kept, merged by uid, screened once more.

Records of two stores may be merged in any order with the same result: of two states of one uid
the later one counts, and a deletion counts over everything.
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import replace
from typing import IO, TYPE_CHECKING, Any

from realmemory import strict_json
from realmemory.core.text import fts_terms
from realmemory.errors import InvalidInputError, RealMemoryError, StoreRefusedError
from realmemory.flows import validation
from realmemory.flows.passages import encoded
from realmemory.interop import lines
from realmemory.interop.native_export import FORMAT, VERSION
from realmemory.policies.wording import spoken
from realmemory.safety import (
    masked_name,
    masked_values,
    refuse_secret_scope,
    screen,
    should_quarantine,
)
from realmemory.scopes import validate_scope
from realmemory.store.records import Link, LinkType, NewTrace
from realmemory.types import Kind, Origin, Status, Trace

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from realmemory.flows.context import MemoryContext
    from realmemory.interop.outcome import ImportReport, Rejects
    from realmemory.store.records import Passage
    from realmemory.store.transactions import ReadView, WriteTx

_Numbered = tuple[int, dict[str, Any]]

_BATCH = 64
_OTHERS = 256
_FIELDS = frozenset(
    {
        *("type", "uid", "text", "kind", "status", "scope", "author", "origin", "created_at"),
        *("updated_at", "observed_at", "valid_from", "valid_to", "superseded_by", "session_id"),
        *("turn_index", "speaker", "role", "importance", "pinned", "expires_at", "tags", "meta"),
        *("base_strength", "reinforced_count", "last_reinforced_at", "index_text", "variants"),
        *("space", "vector", "reinforced_days"),
    }
)


class _Record:
    """One memory of the file: its state, and what is not part of a trace."""

    __slots__ = ("days", "index_text", "line", "space", "successor", "trace", "variants", "vector")

    def __init__(self, row: dict[str, Any], line: int, limit: int) -> None:
        unknown = set(row) - _FIELDS
        if unknown:
            raise InvalidInputError(f"unknown keys {sorted(unknown)}", code="invalid_row")
        self.line = line
        self.trace = _trace(row, limit)
        self.days = int(row.get("reinforced_days", 0))
        self.successor: str | None = row.get("superseded_by")
        self.index_text: str | None = row.get("index_text")
        self.variants = [dict(item) for item in row.get("variants", ())]
        self.space: str | None = row.get("space")
        self.vector = _vector(row.get("vector"))

    @property
    def meaning(self) -> str:
        """What the vector stands for."""
        if self.trace.kind is Kind.TURN:
            return spoken(self.trace.text, self.speaker)
        return self.index_text or self.trace.text

    @property
    def speaker(self) -> str | None:
        """Who said it, if it is a turn."""
        return self.trace.speaker if self.trace.kind is Kind.TURN else None


def import_lines(
    context: MemoryContext, stream: IO[bytes], report: ImportReport, rejects: Rejects
) -> None:
    """Merge an export into the open memory.

    Raises:
        InvalidInputError: The first line is not the header of an export.
        StoreRefusedError: ``newer_schema``; a later version wrote the file.
    """
    numbered = lines.read_lines(stream)
    _check_header(next(numbered, (0, b""))[1])
    batch: list[_Record] = []
    others: list[_Numbered] = []
    successors: list[tuple[str, str]] = []
    for number, line in numbered:
        try:
            if isinstance(line, InvalidInputError):
                raise line
            row = _row(line)
            report.read += 1
            if row["type"] == "memory":
                record = _Record(row, number, context.config.max_text_bytes)
                batch.append(record)
                if record.successor is not None:
                    successors.append((record.trace.uid, record.successor))
            else:
                others.append((number, row))
        except (InvalidInputError, KeyError, TypeError, ValueError) as error:
            rejects.add(number, _problem(error), line if isinstance(line, bytes) else "")
        if len(batch) >= _BATCH or len(others) >= _OTHERS:
            _write(context, batch, report, rejects)
            _write_others(context, others, report, rejects)
            batch, others = [], []
    _write(context, batch, report, rejects)
    _write_others(context, others, report, rejects)
    _resolve(context, successors, report)


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


def _trace(row: dict[str, Any], limit: int) -> Trace:
    screening = screen(validation.checked_text(row["text"], limit))
    origin = validation.checked_choice(Origin, row["origin"], "invalid_origin")
    status = validation.checked_choice(Status, row["status"], "invalid_status")
    if should_quarantine(screening, origin):
        status = Status.QUARANTINED
    times = {
        name: validation.checked_time(row[name], name)
        for name in ("created_at", "updated_at", "observed_at", "valid_from", "last_reinforced_at")
    }
    if None in times.values() or not isinstance(row["uid"], str) or not row["uid"]:
        raise InvalidInputError("a memory needs its uid and its times", code="invalid_row")
    return Trace(
        id=0,
        uid=row["uid"],
        text=screening.masked,
        kind=validation.checked_kind(row["kind"]),
        status=status,
        scope=refuse_secret_scope(validate_scope(row["scope"])),
        author=str(row["author"]),
        origin=origin,
        created_at=times["created_at"] or 0.0,
        updated_at=times["updated_at"] or 0.0,
        observed_at=times["observed_at"] or 0.0,
        valid_from=times["valid_from"] or 0.0,
        valid_to=validation.checked_time(row["valid_to"], "valid_to"),
        superseded_by=None,
        session_id=row["session_id"] and masked_name(row["session_id"]),
        turn_index=row["turn_index"],
        speaker=row["speaker"] and masked_name(row["speaker"]),
        role=row["role"],
        importance=validation.checked_fraction(row["importance"], "importance"),
        pinned=bool(row["pinned"]),
        expires_at=validation.checked_time(row["expires_at"], "expires_at"),
        tags=tuple(masked_name(tag) for tag in validation.checked_tags(row["tags"])),
        meta=masked_values(validation.checked_meta(row["meta"])),
        base_strength=validation.checked_fraction(row["base_strength"], "base_strength"),
        reinforced_count=int(row["reinforced_count"]),
        last_reinforced_at=times["last_reinforced_at"] or 0.0,
        space_id=None,
        rev=0,
    )


def _vector(encoded: str | None) -> bytes | None:
    if encoded is None:
        return None
    try:
        vector = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError) as error:
        raise InvalidInputError("the vector is not base64", code="invalid_vector") from error
    if not vector or len(vector) % 4:
        raise InvalidInputError("the vector is not a row of f32", code="invalid_vector")
    return vector


def _fitting(
    view: ReadView, batch: Sequence[_Record], rejects: Rejects
) -> Iterator[tuple[_Record, Trace | None]]:
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
    context: MemoryContext, batch: Sequence[_Record], report: ImportReport, rejects: Rejects
) -> None:
    if not batch:
        return
    if report.dry_run:
        with context.store.read() as view:
            found = [known is not None for _, known in _fitting(view, batch, rejects)]
        report.known += sum(found)
        report.imported += len(found) - sum(found)
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
            if record.trace.uid in buried:
                report.skip("deleted_here")
            elif known is None:
                _insert(context, tx, record, fresh.get(id(record)), passages[id(record)])
                report.imported += 1
                report.quarantined += record.trace.status is Status.QUARANTINED
            elif _is_later(record.trace, known):
                _keep_wordings(tx, known.id, record)
                tx.traces.adopt(
                    known.id,
                    record.trace,
                    superseded_by=known.superseded_by,
                    reinforced_days=record.days,
                )
                report.updated += 1
            else:
                report.known += 1


def _insert(
    context: MemoryContext,
    tx: WriteTx,
    record: _Record,
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


def _keep_wordings(tx: WriteTx, trace_id: int, record: _Record) -> None:
    for variant in record.variants:
        text = screen(variant["text"]).masked
        tx.variants.add(
            trace_id,
            text,
            terms=fts_terms(f"{tx.traces.indexed_text(trace_id)}\n{text}"),
            author=variant["author"],
            origin=Origin(variant["origin"]),
            session_id=variant["session_id"],
            created_at=variant["created_at"],
            meta=variant["meta"],
        )


def _is_later(incoming: Trace, present: Trace) -> bool:
    """Say which of two states of one memory counts, the same on both sides."""
    mine = replace(present, id=0, superseded_by=None, space_id=None, rev=0, meta=dict(present.meta))
    if mine == incoming:
        return False
    return (incoming.updated_at, repr(incoming)) > (mine.updated_at, repr(mine))


def _write_others(
    context: MemoryContext, rows: Sequence[_Numbered], report: ImportReport, rejects: Rejects
) -> None:
    """Write links and deletions, one transaction for all of them."""
    if not rows or report.dry_run:
        return
    with context.store.write() as tx:
        for number, row in rows:
            try:
                if row["type"] == "tombstone":
                    _bury(tx, row, report)
                else:
                    _link(tx, row, report)
            except (InvalidInputError, KeyError, TypeError, ValueError) as error:
                rejects.add(number, _problem(error), row)


def _link(tx: WriteTx, row: dict[str, Any], report: ImportReport) -> None:
    link_type, weight, moment = (
        LinkType(row["link"]),
        float(row["weight"]),
        float(row["updated_at"]),
    )
    src, dst = tx.traces.id_of_uid(row["src"]), tx.traces.id_of_uid(row["dst"])
    if src is None or dst is None:
        report.skip("link_without_end")
        return
    present = tx.links.get(src, dst, link_type)
    if present is not None and (present.updated_at, present.weight) >= (moment, weight):
        report.known += 1
        return
    tx.links.put([Link(src, dst, link_type, weight, moment)])
    report.imported += 1


def _bury(tx: WriteTx, row: dict[str, Any], report: ImportReport) -> None:
    moment = validation.checked_time(row["deleted_at"], "deleted_at") or 0.0
    uid = str(row["uid"])
    present = tx.traces.id_of_uid(uid)
    if present is not None:
        tx.traces.delete([present])
    changed = tx.traces.bury(uid, moment)
    if present is not None:
        report.updated += 1
    elif changed:
        report.imported += 1
    else:
        report.known += 1


def _resolve(
    context: MemoryContext, successors: Sequence[tuple[str, str]], report: ImportReport
) -> None:
    """Tie superseded memories to their successors, which may stand later in the file."""
    if report.dry_run:
        return
    for start in range(0, len(successors), _BATCH):
        with context.store.write() as tx:
            for old, new in successors[start : start + _BATCH]:
                old_id, new_id = tx.traces.id_of_uid(old), tx.traces.id_of_uid(new)
                if old_id is None or new_id is None:
                    continue
                trace = tx.traces.get(old_id)
                if trace.superseded_by != new_id:
                    days = tx.traces.dynamics([old_id])[old_id].reinforced_days
                    tx.traces.adopt(old_id, trace, superseded_by=new_id, reinforced_days=days)
