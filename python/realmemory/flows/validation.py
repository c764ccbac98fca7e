"""Refuse what cannot be stored or asked, before anything is read or written."""

from __future__ import annotations

import json
import math
import unicodedata
from collections.abc import Iterable, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from realmemory import strict_json
from realmemory.errors import InvalidInputError
from realmemory.instants import format_instant
from realmemory.scopes import validate_scope
from realmemory.types import GLOBAL_SCOPE, Grouping, Kind, Origin, Status

if TYPE_CHECKING:
    from collections.abc import Iterator
    from enum import StrEnum

MAX_K = 10_000
"""Largest number of hits that one recall returns; larger values are clamped."""
MAX_TAGS = 64
"""Most tags that one memory carries."""
MAX_TAG_BYTES = 200
"""Longest tag, UTF-8 bytes."""
MAX_NAME_BYTES = 1_000
"""Longest name of a speaker, a role, a session or an author, UTF-8 bytes."""
MAX_META_BYTES = 64 * 1024
"""Largest metadata, bytes of its JSON form."""
MAX_META_DEPTH = 32
"""Deepest nesting of metadata."""
MAX_ID = 2**63 - 1
"""Largest id of a memory."""
_LAST_SECOND = 253_402_300_799.0
_FIRST_SECOND = -62_135_596_800.0
_NOTHING_STORED = "nothing was stored"

_Choice = TypeVar("_Choice", Kind, Origin, Status, Grouping)

_MOST_AROUND = 20
"""Most turns on each side of a hit."""


@contextmanager
def named(place: str | None) -> Iterator[None]:
    """Say in a refusal which of several things cannot be used."""
    try:
        yield
    except InvalidInputError as error:
        if place is None:
            raise
        raise InvalidInputError(f"{place}: {error.message}", code=error.code) from error


def checked_progress(progress: object) -> None:
    """Raise ``invalid_progress`` for what cannot be called."""
    if progress is not None and not callable(progress):
        raise InvalidInputError(
            f"progress is a function of what is done and the total, got {progress!r:.80}; "
            f"{_NOTHING_STORED}",
            code="invalid_progress",
        )


def checked_text(text: str, max_bytes: int) -> str:
    """Return ``text`` unchanged if it can be remembered byte for byte.

    Raises:
        InvalidInputError: Not a string, blank, too large, or holding NUL or a lone surrogate.
    """
    if not isinstance(text, str):
        raise InvalidInputError(
            f"a memory is a text, got {type(text).__name__}; {_NOTHING_STORED}", code="invalid_text"
        )
    try:
        size = len(text.encode())
    except UnicodeEncodeError as error:
        raise InvalidInputError(
            f"the text holds a lone surrogate at position {error.start}; {_NOTHING_STORED}. "
            "Decode the input as UTF-8 and send it again.",
            code="invalid_text",
        ) from error
    if size > max_bytes:
        raise InvalidInputError(
            f"the text has {size:,} bytes, the limit is {max_bytes:,}; {_NOTHING_STORED}. "
            "Split it into smaller memories.",
            code="text_too_large",
        )
    if "\0" in text:
        raise InvalidInputError(
            f"the text holds a NUL character at position {text.index(chr(0))}; {_NOTHING_STORED}. "
            "Remove it and send the text again.",
            code="invalid_text",
        )
    if is_blank(text):
        raise InvalidInputError(
            f"the text is blank; {_NOTHING_STORED}. Give a sentence to remember.", code="empty_text"
        )
    return text


def is_blank(text: str) -> bool:
    """Say whether a text shows nothing: white space, controls and invisible characters only."""
    return all(char.isspace() or unicodedata.category(char).startswith("C") for char in text)


def checked_query(query: str, max_bytes: int) -> str:
    """Return a query that the analysis can take; a long one is cut, as its tail adds nothing.

    Raises:
        InvalidInputError: Not a string.
    """
    if not isinstance(query, str):
        raise InvalidInputError(
            f"a query is a text, got {type(query).__name__}; nothing was searched",
            code="invalid_text",
        )
    readable = query.encode(errors="replace").decode()
    if len(readable) <= max_bytes // 4:
        return readable
    return readable.encode()[:max_bytes].decode(errors="ignore")


def checked_choice(kind: type[_Choice], value: str, code: str) -> _Choice:
    """Return the member of an enumeration that ``value`` names.

    Raises:
        InvalidInputError: Unknown name; the message lists the known ones.
    """
    try:
        return kind(value)
    except ValueError as error:
        raise InvalidInputError(
            f"unknown {kind.__name__.lower()} {value!r}; nothing was changed. "
            f"Use one of: {', '.join(_names(kind))}.",
            code=code,
        ) from error


def _names(kind: type[StrEnum]) -> list[str]:
    return [member.value for member in kind]


def checked_scope(scope: str | None, *, all_scopes: bool) -> str | None:
    """Return the scope whose memories are looked at, ``global`` by default; None is for all.

    Raises:
        InvalidInputError: No scope can have this name.
    """
    return None if all_scopes else validate_scope(GLOBAL_SCOPE if scope is None else scope)


def checked_kind(value: str) -> Kind:
    """Return the kind that ``value`` names, or raise ``invalid_kind``."""
    return checked_choice(Kind, value, "invalid_kind")


def checked_kinds(values: Iterable[str]) -> tuple[Kind, ...]:
    """Return the kinds that ``values`` name, or raise ``invalid_kind``."""
    return _choices(Kind, values, "kinds", "invalid_kind")


def checked_statuses(values: Iterable[str] | None) -> tuple[Status, ...] | None:
    """Return the statuses that ``values`` name, or raise ``invalid_status``; None is for all."""
    return None if values is None else _choices(Status, values, "statuses", "invalid_status")


def _choices(
    kind: type[_Choice], values: Iterable[str], name: str, code: str
) -> tuple[_Choice, ...]:
    # A text would be read as the names of its characters.
    if isinstance(values, (str, bytes, bytearray)) or not isinstance(values, Iterable):
        raise InvalidInputError(
            f"{name} are a list, got {values!r:.80}; nothing was searched. "
            f"Use some of: {', '.join(_names(kind))}.",
            code=code,
        )
    return tuple(checked_choice(kind, value, code) for value in values)


def is_whole(value: object) -> bool:
    """Say whether a value is a whole number; ``True`` is none, though Python counts with it."""
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return isinstance(value, float) or is_whole(value)


def checked_window(window: int) -> int:
    """Return how many turns a hit brings on each side, 0 to 20.

    Raises:
        InvalidInputError: It is out of range.
    """
    if not is_whole(window) or not 0 <= window <= _MOST_AROUND:
        raise InvalidInputError(
            f"window lies between 0 and {_MOST_AROUND}, got {window!r}; nothing was searched",
            code="invalid_range",
        )
    return window


def checked_turn(index: int | None) -> int | None:
    """Return the index of a turn in its session, or None.

    Raises:
        InvalidInputError: Not a whole number of at least 0.
    """
    if index is None:
        return None
    if not is_whole(index) or not 0 <= index <= MAX_ID:
        raise InvalidInputError(
            f"the index of a turn is a whole number of at least 0, got {index!r:.80}; "
            f"{_NOTHING_STORED}",
            code="invalid_turn",
        )
    return index


def checked_k(k: int, name: str = "k") -> int:
    """Return the number of hits wanted, at most :data:`MAX_K`.

    Raises:
        InvalidInputError: Not a whole number of at least 1.
    """
    if not is_whole(k) or k < 1:
        raise InvalidInputError(
            f"{name} must be a whole number of at least 1, got {k!r}; nothing was searched",
            code="invalid_k",
        )
    return min(k, MAX_K)


def checked_id(memory_id: int) -> int:
    """Return an id that the store can look up.

    Raises:
        InvalidInputError: Not a whole number in the range of ids.
    """
    if not is_whole(memory_id):
        raise InvalidInputError(
            f"the id of a memory is a whole number, got {memory_id!r}; nothing was changed",
            code="invalid_id",
        )
    if not 0 < memory_id <= MAX_ID:
        raise InvalidInputError(
            f"no memory can have the id {memory_id}; nothing was changed", code="invalid_id"
        )
    return memory_id


def checked_ids(ids: Iterable[int] | int) -> list[int]:
    """Return distinct ids in the order given; one id alone is accepted."""
    # Bytes would be read as the numbers of their characters, and so as ids.
    if isinstance(ids, (str, bytes, bytearray)) or not isinstance(ids, Iterable):
        return [checked_id(ids)]  # type: ignore[arg-type] # which refuses what is no id
    given = list(ids)
    return list(dict.fromkeys(checked_id(item) for item in given))


def checked_reward(reward: float) -> float:
    """Return a reward in [-1, 1], or raise ``invalid_reward``."""
    if not _is_number(reward) or not -1 <= reward <= 1:
        raise InvalidInputError(
            f"a reward lies between -1 and 1, got {reward!r}; nothing was changed",
            code="invalid_reward",
        )
    return float(reward)


def checked_time(value: float | None, name: str) -> float | None:
    """Return epoch seconds of a moment in the years 1 to 9999, or None.

    Raises:
        InvalidInputError: Not a finite number in that range; milliseconds are named as such.
    """
    if value is None:
        return None
    if not _is_number(value) or not math.isfinite(value):
        raise InvalidInputError(
            f"{name} is a time in epoch seconds, got {value!r}; nothing was changed",
            code="invalid_timestamp",
        )
    if not _FIRST_SECOND <= value <= _LAST_SECOND:
        raise InvalidInputError(
            f"{name} = {value!r} lies outside the years 1 to 9999; nothing was changed. "
            "Times are epoch seconds, not milliseconds or nanoseconds.",
            code="invalid_timestamp",
        )
    return float(value)


def checked_range(since: float | None, until: float | None) -> None:
    """Raise ``invalid_range`` when a window ends before it begins."""
    if since is not None and until is not None and since > until:
        raise InvalidInputError(
            f"since = {format_instant(since)} is later than until = {format_instant(until)}; "
            "nothing was searched",
            code="invalid_range",
        )


def checked_validity(when: float | None, ends: float | None) -> None:
    """Raise ``invalid_range`` when what is told of stopped being true before it happened."""
    if when is not None and ends is not None and ends <= when:
        raise InvalidInputError(
            f"expires = {format_instant(ends)} is not later than when = {format_instant(when)}, so it "
            f"would never be true; {_NOTHING_STORED}",
            code="invalid_range",
        )


def checked_fraction(value: float, name: str) -> float:
    """Return a number in [0, 1], or raise ``invalid_range``."""
    if not _is_number(value) or not 0 <= value <= 1:
        raise InvalidInputError(
            f"{name} lies between 0 and 1, got {value!r}; {_NOTHING_STORED}", code="invalid_range"
        )
    return float(value)


def checked_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Return distinct tags in the order given.

    Raises:
        InvalidInputError: Too many, too long, blank, or not texts.
    """
    if isinstance(tags, str) or not isinstance(tags, Iterable):
        raise InvalidInputError(
            f"tags are a list of texts, got {tags!r:.80}; {_NOTHING_STORED}",
            code="invalid_tags",
        )
    kept: dict[str, None] = {}
    for tag in tags:
        kept[checked_label(tag, "a tag", "invalid_tags", MAX_TAG_BYTES).strip()] = None
    if len(kept) > MAX_TAGS:
        raise InvalidInputError(
            f"a memory carries at most {MAX_TAGS} tags, got {len(kept)}; {_NOTHING_STORED}",
            code="invalid_tags",
        )
    return tuple(kept)


def checked_label(given: object, name: str, code: str, most: int = MAX_NAME_BYTES) -> str:
    """Return a short text that stands beside a memory, such as a tag, as it was given.

    Raises:
        InvalidInputError: Blank, too long, or no text that can be stored.
    """
    sound = (
        isinstance(given, str)
        and not is_blank(given)
        and "\0" not in given
        and given.encode(errors="replace").decode() == given
        and len(given.encode()) <= most
    )
    if not sound:
        raise InvalidInputError(
            f"{name} is a text of at most {most} bytes, got {given!r:.80}; {_NOTHING_STORED}",
            code=code,
        )
    return str(given)


def checked_session(session_id: str | None) -> str | None:
    """Return the name of a session, or None; raise ``invalid_session`` for what cannot be one."""
    if session_id is None:
        return None
    return checked_label(session_id, "the name of a session", "invalid_session")


def checked_meta(meta: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return metadata as plain JSON data.

    Raises:
        InvalidInputError: Not a JSON object, too large, nested too deeply, or such that an import
            of it would be refused.
    """
    if meta is None or (isinstance(meta, Mapping) and not meta):
        return {}
    try:
        if not isinstance(meta, Mapping):
            raise TypeError(f"got {type(meta).__name__}")  # noqa: TRY301 - told as the others are
        encoded = json.dumps(dict(meta), ensure_ascii=False, allow_nan=False)
        size = len(encoded.encode())
        plain: dict[str, Any] = strict_json.parse(encoded)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInputError(
            f"meta must be a JSON object ({error}); {_NOTHING_STORED}", code="invalid_meta"
        ) from error
    if size > MAX_META_BYTES or _depth(plain) > MAX_META_DEPTH:
        raise InvalidInputError(
            f"meta is limited to {MAX_META_BYTES:,} bytes and {MAX_META_DEPTH} levels; "
            f"{_NOTHING_STORED}",
            code="invalid_meta",
        )
    return plain


def _depth(value: object) -> int:
    """Return the nesting depth, counted without recursion."""
    depth, level = 0, [value]
    while level := [
        child
        for item in level
        if isinstance(item, (dict, list))
        for child in (item.values() if isinstance(item, dict) else item)
    ]:
        depth += 1
    return depth
