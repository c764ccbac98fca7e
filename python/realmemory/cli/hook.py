"""`hook`: what coding agents run at their events; `realmemory-hook` is the faster way to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("words", nargs=-1, metavar="HOST EVENT", type=click.UNPROCESSED)
@click.pass_obj
def hook(shared: Mapping[str, object], words: Sequence[str]) -> None:
    """Answer an event of a coding agent: reads JSON, prints JSON or nothing, always exits with 0.

    HOST is claude, codex, cursor, gemini, opencode or zcode; EVENT is session-start, prompt,
    pre-compact, post-compact, stop or session-end.
    """
    from realmemory.hook_cli import main  # noqa: PLC0415 - not needed for --help

    # What stands after the name comes later, and so wins.
    before = [
        word
        for name in ("path", "namespace", "project")
        if shared[name]
        for word in (f"--{name}", str(shared[name]))
    ]
    main([*before, *words])
