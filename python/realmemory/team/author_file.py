"""The file of one author in the shared folder, version 1: JSON Lines in a fixed order.

The first line is ``{"author", "author_id", "format": "realmemory-team", "version": 1}``. Every
other line is what the author says of one memory of theirs, by ``uid``; the lines are sorted by it,
so that a change of one memory changes one line.

``publication``
    ``uid``, ``revision``, ``project``, ``kind``, ``text``, ``when`` (it happened, or holds from),
    ``until`` (it ends then, or null), ``published_at``, and ``sha256`` over all of that.
``retraction``
    ``uid``, ``revision`` and ``retracted_at``: nothing of it up to that revision is to be read.

Times are epoch seconds. No vectors: each reader embeds with an embedder of its own.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from realmemory import strict_json
from realmemory.errors import InvalidInputError, StoreRefusedError
from realmemory.flows import validation
from realmemory.scopes import validate_scope
from realmemory.team.identity import checked_name, is_author_id
from realmemory.types import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

FORMAT = "realmemory-team"
VERSION = 1
MAX_ENTRIES = 10_000
"""Most lines of one author's file behind the header."""
MAX_LINE = 1024 * 1024
"""Longest line, bytes."""
MAX_FILE = 64 * 1024 * 1024
"""Largest file, bytes."""
MAX_REVISION = 2**31 - 1
MAX_SKEW_S = 24 * 3600.0
"""How far the clock of another machine may run ahead, seconds."""
_UID = re.compile(r"[A-Za-z0-9._:-]{1,100}")
_SHAREABLE = (Kind.EPISODIC, Kind.SEMANTIC)


class Header(NamedTuple):
    """Whose file it is."""

    author: str
    author_id: str


class Publication(NamedTuple):
    """One memory as others may read it; ``revision`` grows with every change of it."""

    uid: str
    revision: int
    project: str
    kind: Kind
    text: str
    when: float
    until: float | None
    published_at: float

    @property
    def digest(self) -> str:
        """The SHA-256 over everything that is said of it, hexadecimal."""
        return hashlib.sha256(_dumped(self._asdict()).encode()).hexdigest()


class Retraction(NamedTuple):
    """What is left of a publication that was taken back."""

    uid: str
    revision: int
    retracted_at: float


Entry = Publication | Retraction
_FIELDS = frozenset({"type", "sha256", *Publication._fields})
_RETRACTION_FIELDS = frozenset({"type", *Retraction._fields})


def rendered(header: Header, entries: Iterable[Entry]) -> bytes:
    """Return the whole file.

    Raises:
        InvalidInputError: ``text_too_large`` or ``too_many``; a reader would refuse it.
    """
    ordered = sorted(entries, key=lambda entry: entry.uid)
    if len(ordered) > MAX_ENTRIES:
        raise InvalidInputError(
            f"an author's file holds at most {MAX_ENTRIES:,} memories, those taken back included; "
            "nothing was written",
            code="too_many",
        )
    first = {"format": FORMAT, "version": VERSION, **header._asdict()}
    return b"".join([_dumped(first).encode() + b"\n", *map(_line, ordered)])


def _line(entry: Entry) -> bytes:
    stated: dict[str, Any] = {"type": type(entry).__name__.lower(), **entry._asdict()}
    if isinstance(entry, Publication):
        stated["sha256"] = entry.digest
    line = _dumped(stated).encode() + b"\n"
    if len(line) > MAX_LINE:
        raise InvalidInputError(
            f"the memory {entry.uid} is too long to be published ({len(line):,} bytes)",
            code="text_too_large",
        )
    return line


def checked_uid(uid: object) -> str:
    """Return the uid of a memory as it may stand in a file; raise ``invalid_uid`` for another."""
    if not isinstance(uid, str) or not _UID.fullmatch(uid):
        raise InvalidInputError(f"{uid!r:.80} is not the uid of a memory", code="invalid_uid")
    return uid


def read_header(line: bytes) -> Header:
    """Return whose file begins with a line.

    Raises:
        InvalidInputError: It is not the first line of an author's file.
        StoreRefusedError: ``newer_version``; a later realMemory wrote it.
    """
    try:
        stated = strict_json.parse(line)
    except InvalidInputError as error:
        raise _no_header(error.message) from error
    if not isinstance(stated, dict) or stated.get("format") != FORMAT:
        raise _no_header("it names no format")
    if stated.get("version") != VERSION or isinstance(stated["version"], bool):
        raise StoreRefusedError(
            f"version {stated.get('version')!r:.40} is not read, only {VERSION}: update realMemory",
            code="newer_version",
        )
    if not is_author_id(stated.get("author_id")):
        raise _no_header("it has no author_id")
    return Header(checked_name(stated.get("author")), stated["author_id"])


def read_entry(line: bytes, *, most: int, now: float) -> Entry:
    """Return what one line says.

    Args:
        line: The line.
        most: Longest text, UTF-8 bytes.
        now: Epoch seconds.

    Raises:
        InvalidInputError: The line cannot be used; the code says why.
    """
    stated = strict_json.parse(line)
    if not isinstance(stated, dict) or stated.get("type") not in {"publication", "retraction"}:
        raise InvalidInputError("the line is no publication and no retraction", code="invalid_row")
    if {"author", "author_id"} & stated.keys():
        raise InvalidInputError("only the header says whose file it is", code="foreign_author")
    wanted = _FIELDS if stated["type"] == "publication" else _RETRACTION_FIELDS
    if stated.keys() != wanted:
        odd = sorted(stated.keys() ^ wanted)
        raise InvalidInputError(f"missing or unknown keys {odd!r:.200}", code="invalid_row")
    uid, revision = checked_uid(stated["uid"]), _revision(stated["revision"])
    if stated["type"] == "retraction":
        return Retraction(uid, revision, _past(stated, "retracted_at", now))
    return _publication(stated, uid, revision, most=most, now=now)


def _publication(
    stated: Mapping[str, Any], uid: str, revision: int, *, most: int, now: float
) -> Publication:
    kind = stated["kind"]
    if kind not in _SHAREABLE:
        raise InvalidInputError(f"{kind!r:.40} is no kind that is shared", code="invalid_kind")
    entry = Publication(
        uid=uid,
        revision=revision,
        project=validate_scope(stated["project"]),
        kind=Kind(kind),
        text=validation.checked_text(stated["text"], most),
        when=_past(stated, "when", now),
        until=validation.checked_time(stated["until"], "until"),
        published_at=_past(stated, "published_at", now),
    )
    if entry.digest != stated["sha256"]:
        raise InvalidInputError("the hash is that of something else", code="hash_mismatch")
    return entry


def _revision(given: object) -> int:
    if not validation.is_whole(given) or not 1 <= given <= MAX_REVISION:  # type: ignore[operator]  # a number
        raise InvalidInputError(f"{given!r:.40} is no revision", code="invalid_revision")
    return given  # type: ignore[return-value]  # checked above


def _past(stated: Mapping[str, Any], name: str, now: float) -> float:
    moment = validation.checked_time(stated[name], name)
    if moment is None:
        raise InvalidInputError(f"{name} is missing", code="invalid_timestamp")
    if moment > now + MAX_SKEW_S:
        raise InvalidInputError(f"{name} lies in the future", code="future_time")
    return moment


def _no_header(problem: str) -> InvalidInputError:
    return InvalidInputError(
        f"the file does not begin as an author's file does ({problem})", code="invalid_header"
    )


def _dumped(stated: Mapping[str, Any]) -> str:
    return json.dumps(stated, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
