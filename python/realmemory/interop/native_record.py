"""One memory of an export, checked and screened as it is read."""

from __future__ import annotations

import base64
import binascii
from dataclasses import replace
from typing import Any

from realmemory.errors import InvalidInputError
from realmemory.flows import validation
from realmemory.policies.wording import spoken
from realmemory.safety import (
    masked_name,
    masked_values,
    refuse_secret_scope,
    screen,
    should_quarantine,
)
from realmemory.scopes import validate_scope
from realmemory.types import Kind, Origin, Status, Trace

_FIELDS = frozenset(
    {
        *("type", "uid", "text", "kind", "status", "scope", "author", "origin", "created_at"),
        *("updated_at", "observed_at", "valid_from", "valid_to", "superseded_by", "session_id"),
        *("turn_index", "speaker", "role", "importance", "pinned", "expires_at", "tags", "meta"),
        *("base_strength", "reinforced_count", "last_reinforced_at", "index_text", "variants"),
        *("space", "vector", "reinforced_days"),
    }
)


class NativeRecord:
    """One memory of the file: its state, and what is not part of a trace."""

    __slots__ = ("days", "index_text", "line", "space", "successor", "trace", "variants", "vector")

    def __init__(self, row: dict[str, Any], line: int, limit: int, scope: str | None) -> None:
        unknown = set(row) - _FIELDS
        if unknown:
            raise InvalidInputError(f"unknown keys {sorted(unknown)}", code="invalid_row")
        self.line = line
        self.trace = _trace(row, limit)
        if scope is not None:
            self.trace = replace(self.trace, scope=scope)
        self.days = int(row.get("reinforced_days", 0))
        self.successor: str | None = row.get("superseded_by")
        self.index_text: str | None = row.get("index_text")
        self.variants = [_wording(item) for item in row.get("variants", ())]
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
        author=masked_name(str(row["author"])),
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
        role=row["role"] and masked_name(row["role"]),
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


def _wording(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "text": screen(row["text"]).masked,
        "author": masked_name(str(row["author"])),
        "origin": validation.checked_choice(Origin, row["origin"], "invalid_origin"),
        "session_id": row["session_id"] and masked_name(row["session_id"]),
        "created_at": validation.checked_time(row["created_at"], "created_at"),
        "meta": masked_values(validation.checked_meta(row["meta"])),
    }


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
