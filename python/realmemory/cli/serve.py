"""`serve`: one daemon that holds the memory for all agents of a user."""

from __future__ import annotations

import logging
import math

import click

from realmemory.cli.output import say
from realmemory.cli.session import Session, memory_command
from realmemory.errors import ConfigurationError


@click.command()
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    default=0,
    show_default=True,
    help="Loopback port; 0 takes any free one.",
)
@click.option(
    "--idle-timeout",
    type=click.FloatRange(min=0),
    default=0.0,
    show_default=True,
    help="Seconds without a request after which it ends; 0 for never.",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    default=8,
    show_default=True,
    help="Calls that are worked on at once.",
)
@click.option("--verbose", is_flag=True, help="Log what it does to standard error.")
@memory_command
def serve(session: Session, *, port: int, idle_timeout: float, workers: int, verbose: bool) -> None:
    """Hold the memory in one process: agents that find it load no model of their own."""
    if not math.isfinite(idle_timeout):
        raise click.UsageError(f"--idle-timeout is a number of seconds, got {idle_timeout}")
    try:
        from realmemory.api.daemon import DaemonOptions, run_daemon  # noqa: PLC0415 - extra mcp
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            f"the daemon needs {error.name}, which is not installed. "
            "Run `pip install 'realmemory[mcp]'`.",
            code="missing_extra",
        ) from error
    logging.basicConfig(level=logging.INFO if verbose else logging.WARNING)
    run_daemon(
        DaemonOptions(
            directory=str(session.directory),
            namespace=session.namespace,
            port=port,
            idle_s=idle_timeout,
            workers=workers,
        ),
        ready=lambda bound: say(f"serving {session.directory} on http://127.0.0.1:{bound}/mcp"),
    )
