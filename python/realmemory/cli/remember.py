"""`remember` and `revise`: put a text into the memory."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from realmemory import strict_json
from realmemory.cli.output import one_line
from realmemory.cli.session import Session, instant_of, memory_command, memory_ids
from realmemory.errors import InvalidInputError
from realmemory.types import Origin

if TYPE_CHECKING:
    from collections.abc import Sequence

    from realmemory.outcomes import WriteResult

_READ_LIMIT = 16 * 1024 * 1024
_ORIGINS = click.Choice([origin.value for origin in Origin])
_KINDS = click.Choice(["episodic", "semantic", "turn"])
_DONE = {
    "create": "remembered as",
    "link": "remembered, linked to what it resembles, as",
    "reinforce": "already known: strengthened",
}


@click.command()
@click.argument("text", required=False)
@click.option("--scope", help="Who should see it: a project name, or global.")
@click.option(
    "--kind",
    type=_KINDS,
    default="episodic",
    show_default=True,
    help="Episodes fade in weeks, semantic facts in years, turns never.",
)
@click.option("--tag", "tags", multiple=True, help="A tag; may be repeated.")
@click.option("--meta", help="Further facts as a JSON object.")
@click.option("--when", help="When it happened: ISO 8601, UTC without an offset.")
@click.option("--importance", type=click.FloatRange(0, 1), default=0.0, help="From 0 to 1.")
@click.option("--expires", help="When it stops being true: ISO 8601.")
@click.option("--related", multiple=True, metavar="ID", help="A memory it belongs to.")
@click.option(
    "--origin",
    type=_ORIGINS,
    default="user",
    show_default=True,
    help="Where it comes from: how far it is trusted.",
)
@click.option("--session-id", help="The session in which it came up.")
@click.option("--force-new", is_flag=True, help="Store it even if it is already known.")
@memory_command
def remember(
    session: Session,
    text: str | None,
    *,
    scope: str | None,
    kind: str,
    tags: Sequence[str],
    meta: str | None,
    when: str | None,
    importance: float,
    expires: str | None,
    related: Sequence[str],
    origin: str,
    session_id: str | None,
    force_new: bool,
) -> None:
    """Remember TEXT; without it, or with -, read standard input as UTF-8.

    What is already known is strengthened rather than stored twice, and its new wording is kept.
    Without --scope it belongs to the project around you, and to everyone outside of one; preferences
    of the user belong to --scope global.
    """
    words = text_or_stdin(text)
    options: dict[str, Any] = {
        "kind": kind,
        "tags": list(tags),
        "meta": json_object(meta),
        "when": instant_of(when),
        "expires": instant_of(expires),
        "importance": importance,
        "related_ids": memory_ids(related),
        "origin": origin,
        "session_id": session_id,
        "force_new": force_new,
    }
    session.scope(scope)  # Refused, if it is no name, before a memory is made.
    with session.memory(create=True) as memory:
        target = session.write_scope(scope)
        result = memory.remember(words, scope=target, **options)
        # What is known already may be everybody's.
        place = target if result.created else memory.get(result.memory_id).scope
    session.answer(result, _told(result, place))


@click.command()
@click.argument("old_id", metavar="ID")
@click.argument("text", required=False)
@click.option("--kind", type=_KINDS, help="Change the kind as well.")
@click.option("--meta", help="Further facts as a JSON object.")
@click.option("--when", help="When it changed: ISO 8601, UTC without an offset.")
@click.option("--origin", type=_ORIGINS, help="Where it comes from: as the old one without.")
@memory_command
def revise(
    session: Session,
    old_id: str,
    text: str | None,
    *,
    kind: str | None,
    meta: str | None,
    when: str | None,
    origin: str | None,
) -> None:
    """Replace the fact ID by TEXT; the old one leaves recall and is kept as history."""
    (old,) = memory_ids([old_id])
    words = text_or_stdin(text)
    moment = instant_of(when)
    with session.memory() as memory:
        result = memory.update_fact(
            old, words, meta=json_object(meta), kind=kind, when=moment, origin=origin
        )
    session.answer(result, [f"#{old} is superseded by #{result.memory_id}", *_beside(result)])


def text_or_stdin(text: str | None) -> str:
    """Return the text given, or all of standard input, byte for byte.

    Raises:
        InvalidInputError: ``text_too_large`` or ``invalid_utf8``; nothing was stored.
    """
    if text is not None and text != "-":
        return text
    if text is None and (sys.stdin is None or sys.stdin.isatty()):
        raise InvalidInputError(
            "nothing to remember: give a text, or pipe one into standard input", code="empty_text"
        )
    raw = sys.stdin.buffer.read(_READ_LIMIT + 1) if sys.stdin is not None else b""
    if len(raw) > _READ_LIMIT:
        raise InvalidInputError(
            f"standard input holds more than {_READ_LIMIT // 2**20} MiB; nothing was stored. A "
            "memory is one fact; use `realmemory import` for files.",
            code="text_too_large",
        )
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise InvalidInputError(
            f"standard input is not UTF-8 at byte {error.start}; nothing was stored. Convert it, "
            "for example with `iconv -t UTF-8`.",
            code="invalid_utf8",
        ) from error


def json_object(text: str | None) -> dict[str, Any] | None:
    """Return the JSON object in ``text``, or ``None`` when there is no text.

    Raises:
        InvalidInputError: ``invalid_meta``; it is not one JSON object.
    """
    if not text:
        return None
    try:
        value = strict_json.parse(text)
    except InvalidInputError as error:
        raise InvalidInputError(
            f"--meta cannot be used: {error}; nothing was stored", code="invalid_meta"
        ) from error
    if not isinstance(value, dict):
        raise InvalidInputError(
            '--meta must be a JSON object such as \'{"source": "wiki"}\'; nothing was stored',
            code="invalid_meta",
        )
    return value


def _told(result: WriteResult, scope: str) -> list[str]:
    """Say what the gate decided, in words."""
    decision = result.decision
    lines = [f"{_DONE[decision.action.value]} #{result.memory_id} in {one_line(scope)}"]
    if decision.related_ids:
        lines.append("  resembles " + ", ".join(f"#{item}" for item in decision.related_ids))
    if decision.reasons:
        lines.append("  kept apart by: " + ", ".join(decision.reasons))
    return [*lines, *_beside(result)]


def _beside(result: WriteResult) -> list[str]:
    """Say what a text contradicts, and what else its author should know."""
    lines = [f"  note: {warning}" for warning in result.warnings]
    if result.conflicts:
        ids = ", ".join(f"#{item}" for item in result.conflicts)
        lines[:0] = [f"  may contradict {ids}: `realmemory revise` replaces an outdated fact"]
    return lines
